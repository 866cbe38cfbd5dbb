package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"

	"github.com/alecthomas/kong"
)

// outputName decodes the value of a flag that names a file to write. It fails if the file
// cannot be written, so that a command does not find out after its work.
func outputName(d *kong.DecodeContext, target reflect.Value) error {
	var name string
	if err := d.Scan.PopValueInto("file", &name); err != nil {
		return err
	}
	target.SetString(name)
	if name == "-" || name == "" {
		return nil
	}
	return writable(name)
}

// writable returns an error if name cannot be written. It changes nothing, and does not open
// pipes and devices, which may wait.
func writable(name string) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a directory", name)
	case err == nil && !info.Mode().IsRegular():
		return nil
	}
	f, failed := beside(name, 0o600)
	if failed == nil {
		return errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if f, err = os.OpenFile(name, os.O_WRONLY, 0); err != nil {
		return unwritable(name, failed)
	}
	return f.Close()
}

// unwritable returns the error of a file whose temporary neighbour cannot be made.
func unwritable(name string, err error) error {
	if cause, ok := errors.AsType[*fs.PathError](err); ok {
		err = cause.Err
	}
	return fmt.Errorf("%s cannot be written: %w", name, err)
}

// errNothing reports that a command that failed has printed nothing for its file.
var errNothing = errors.New("nothing was printed")

// into runs a command whose output goes to the file name, or to standard output if name is -.
// A command that fails before it prints anything, or that is interrupted, leaves the file
// as it is.
func into(ctx context.Context, name string, stdout io.Writer, command func(io.Writer) (int, error)) (code int, err error) {
	if name == "-" {
		return command(stdout)
	}
	failed := safely(ctx, name, nil, func(w io.Writer) error {
		counted := &counter{w: w}
		out := newCleanWriter(counted)
		if c, ok := stdout.(*cleanWriter); ok && c.always {
			out.paint("always")
		}
		code, err = command(out)
		out.end()
		if ctx.Err() != nil || counted.n == 0 && (err != nil || code != 0) {
			return errNothing
		}
		return out.err
	})
	if errors.Is(failed, errNothing) {
		failed = nil
	}
	return code, errors.Join(err, failed)
}

// A counter counts the bytes that are written to w.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// writeFile writes to a file, or to standard output if its name is -. A file that cannot be
// written as a whole is left as it is.
func writeFile(name string, stdout io.Writer, write func(*bufio.Writer)) error {
	if name == "-" {
		out := bufio.NewWriter(stdout)
		write(out)
		return out.Flush()
	}
	return safely(context.Background(), name, nil, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		write(out)
		return out.Flush()
	})
}

// safely lets write fill a temporary file, and then renames it to name, or copies it if
// name is standard output or not a regular file. After an error nothing has changed.
func safely(ctx context.Context, name string, stdout io.Writer, write func(io.Writer) error) error {
	if name == "-" {
		return spool(ctx, raw(stdout), write) // it is data
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real // a symbolic link stays one
	}
	mode := os.FileMode(0o666)
	if info, err := os.Stat(name); err == nil {
		switch {
		case info.IsDir():
			return fmt.Errorf("%s is a directory", name)
		case !info.Mode().IsRegular():
			var f *os.File
			err := interruptible(ctx, func() (err error) { // opening a pipe may wait for a reader
				f, err = os.OpenFile(name, os.O_WRONLY, 0)
				return err
			})
			if err != nil {
				return err
			}
			return errors.Join(spool(ctx, f, write), f.Close())
		}
		mode = info.Mode().Perm()
	}
	f, err := beside(name, mode)
	if err != nil { // no new file may be made in its folder
		f, again := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
		if again != nil {
			return unwritable(name, err)
		}
		return errors.Join(spool(ctx, f, write), f.Close())
	}
	leftovers.add(f.Name())
	defer leftovers.drop(f.Name())
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// beside creates a new file in the folder of name, with the permissions that name would
// have; os.CreateTemp gives fewer.
func beside(name string, mode os.FileMode) (*os.File, error) {
	dir, base := filepath.Split(name)
	for i := os.Getpid(); ; i++ {
		f, err := os.OpenFile(filepath.Join(dir, "."+base+"."+strconv.Itoa(i)+".part"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, os.ErrExist) {
			return f, err
		}
	}
}

// spool lets write fill a temporary file and copies it to w.
func spool(ctx context.Context, w io.Writer, write func(io.Writer) error) error {
	f, err := os.CreateTemp("", "commworld-*.part")
	if err != nil {
		return err
	}
	leftovers.add(f.Name())
	defer leftovers.drop(f.Name())
	defer os.Remove(f.Name())
	defer f.Close()
	if err := write(f); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return interruptible(ctx, func() error {
		_, err := io.Copy(w, f)
		return err
	})
}
