package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mostCopied bounds the files that each of many runs gets a copy of, in bytes.
const mostCopied = 64 << 20

// A sandbox gives each run its own copy of a directory, so that no run sees what another one
// has left.
type sandbox struct {
	from  string // the directory
	top   string // of the copies
	moves bool   // runs have the copy as working directory
}

// newSandbox returns a sandbox for a directory, the working directory if dir is empty.
func newSandbox(dir string) (*sandbox, error) {
	s := &sandbox{from: dir, moves: dir == ""}
	var err error
	if s.from, err = filepath.Abs(s.from); err != nil {
		return nil, err
	}
	size := int64(0)
	err = filepath.WalkDir(s.from, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		if size > mostCopied {
			return fmt.Errorf("each run gets a copy of the files in %s, and they have more than %d MiB: run in a directory with the program's input only, or name one by --dir", s.from, mostCopied>>20)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.top, err = os.MkdirTemp("", sandboxOf(os.Getpid()))
	return s, err
}

// sandboxOf returns how the directory of a process begins.
func sandboxOf(process int) string { return fmt.Sprintf("commworldrun-%d-", process) }

// removeSandbox removes what a process that was ended has left.
func removeSandbox(process int) {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), sandboxOf(process)+"*")) // the pattern is valid
	for _, dir := range dirs {
		_ = os.RemoveAll(dir)
	}
}

// next removes what the last run has left, and returns the directories of the files and of the
// output of a new one.
func (s *sandbox) next() (files, output string, err error) {
	files, output = filepath.Join(s.top, "files"), filepath.Join(s.top, "output")
	if s.moves {
		if err = os.Chdir(s.from); err != nil {
			return "", "", err
		}
	}
	for _, dir := range []string{files, output} {
		if err = os.RemoveAll(dir); err != nil {
			return "", "", err
		}
	}
	if err = os.CopyFS(files, os.DirFS(s.from)); err != nil {
		return "", "", err
	}
	if s.moves {
		if err = os.Chdir(files); err != nil {
			return "", "", err
		}
		files = ""
	}
	return files, output, os.Mkdir(output, 0o700)
}

// close removes all copies.
func (s *sandbox) close() error {
	if s.moves {
		if err := os.Chdir(s.from); err != nil {
			return err
		}
	}
	return os.RemoveAll(s.top)
}

// left describes what the last run printed, rank by rank, and the files that it made or changed,
// a line each.
func (s *sandbox) left() (lines []string, err error) {
	for rank := 0; ; rank++ {
		for _, stream := range []struct{ suffix, name string }{{"out", ""}, {"err", ", standard error"}} {
			text, err := os.ReadFile(filepath.Join(s.top, "output", fmt.Sprintf("rank.%d.%s", rank, stream.suffix)))
			switch {
			case errors.Is(err, fs.ErrNotExist) && stream.suffix == "out":
				return s.changed(lines)
			case err != nil:
				return nil, err
			}
			for line := range strings.Lines(string(text)) {
				lines = append(lines, fmt.Sprintf("rank %d%s: %s", rank, stream.name, strings.TrimRight(line, "\n")))
			}
		}
	}
}

// changed appends the files that the last run made or changed.
func (s *sandbox) changed(lines []string) ([]string, error) {
	top := filepath.Join(s.top, "files")
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if before, err := os.ReadFile(filepath.Join(s.from, rel)); err == nil && bytes.Equal(before, text) {
			return nil
		}
		lines = append(lines, fmt.Sprintf("file %s: %s", rel, content(text)))
		return nil
	})
	return lines, err
}

// content returns the size of a file and its bytes, or their first ones and a sum of all.
func content(text []byte) string {
	const most = 32
	if len(text) <= most {
		return strings.TrimSpace(fmt.Sprintf("%d bytes %x", len(text), text))
	}
	return fmt.Sprintf("%d bytes %x... (sum %08x)", len(text), text[:most], sumOf(text))
}
