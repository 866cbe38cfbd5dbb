package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/internal/show/views"
)

// convertCommand is the command line of convert.
type convertCommand struct {
	In    string `arg:"" help:"File to read; - is standard input."`
	Out   string `arg:"" help:"File to write; - is standard output."`
	Type  string `required:"" placeholder:"EXPR" help:"Type of an element; the next element begins one extent later."`
	From  string `required:"" placeholder:"REP[@ARCH]" help:"Representation of IN: native, internal or external32, and for native the architecture, lp64le."`
	To    string `required:"" placeholder:"REP[@ARCH]" help:"Representation of OUT, in the same form."`
	Lossy bool   `help:"Keep the low bytes of integers that do not fit, and print how many."`
}

// Help returns the text of --help between the summary and the flags.
func (*convertCommand) Help() string {
	return `convert reads elements of type EXPR from IN in the representation of --from, and
writes them to OUT in that of --to.

  commworld convert a.dat b.dat --type double --from native@lp64le --to external32
  commworld convert old.dat new.dat --type "struct([1,3],[0,8],[long,double])" --from native@ilp32be --to native@lp64le
  zcat x.gz | commworld convert - x --type longdouble --from external32 --to native

Architectures are lp64le, lp64be, ilp32le, ilp32be and llp64le. external32 and
internal look the same on all of them. Strides that count elements scale with the
sizes; displacements in bytes do not change. Holes of OUT are 0. A long double is
rounded to the nearest value that OUT can represent.

convert writes nothing if IN ends inside an element, or if a value does not fit: it
creates or replaces OUT at the end, and keeps output to standard output in a
temporary file until then. The last element of IN may lack the padding after its
data; then OUT ends with the data, too. The memory needed does not depend on the
size of the file.

The exit status is 0, or 2 if nothing was written.`
}

func (c *convertCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	from, err := views.ParseForm(c.From)
	if err != nil {
		return 0, views.Refusal("--from ", err)
	}
	to, err := views.ParseForm(c.To)
	if err != nil {
		return 0, views.Refusal("--to ", err)
	}
	in, code := readElement(c.Type, from, stderr)
	if in == nil {
		return code, nil
	}
	out, code := readElement(c.Type, to, stderr)
	if out == nil {
		return code, nil
	}
	v, err := newConverter(in, out, c.Lossy)
	if err != nil {
		return 0, err
	}
	var src *os.File
	err = interruptible(ctx, func() (err error) { // opening a pipe may wait for a writer
		src, err = openInput(c.In)
		return err
	})
	if err != nil {
		return 0, err
	}
	defer src.Close()
	err = safely(ctx, c.Out, stdout, func(w io.Writer) error {
		return interruptible(ctx, func() error { return v.convert(ctx, src, w) })
	})
	if err != nil {
		return 0, err
	}
	if v.cut > 0 {
		fmt.Fprintf(stderr, "commworld: %s did not fit and lost high bytes, the first at %s\n", plain.Count(v.cut, "value"), v.firstCut)
	}
	return 0, nil
}

// openInput opens a file for reading; - is standard input.
func openInput(name string) (*os.File, error) {
	if name == "-" {
		return os.Stdin, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		f.Close()
		return nil, errors.Join(err, fmt.Errorf("%s is a directory", name))
	}
	return f, nil
}

// interruptible runs work in a goroutine and returns early when ctx ends, and then leaves
// the goroutine behind: a read from a terminal or a pipe cannot be interrupted.
func interruptible(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select { // most work ends by itself
	case err := <-done:
		return err
	case <-time.After(grace):
		return context.Cause(ctx)
	}
}
