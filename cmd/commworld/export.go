package main

import (
	"context"
	"errors"
	"io"

	"github.com/commworld/commworld/internal/show/export"
	"github.com/commworld/commworld/script"
)

// exportCommand is the command line of export.
type exportCommand struct {
	Script string `arg:"" help:"File of the script, - for standard input."`
	C      bool   `name:"c" help:"Write a C program for MPI libraries."`
	Go     bool   `name:"go" help:"Write a Go program."`

	jsonFlag
}

// Help returns the text of --help between the summary and the flags.
func (*exportCommand) Help() string {
	return `The program does what the script says: statements become calls, blocks become
branches on the rank, "allow" lines become checks at the end, and "error" lines
become calls that must fail.

  commworld export --c stale.mpio -o stale.c
  mpicc -Wall -o stale stale.c
  mpiexec -n 2 ./stale DIRECTORY

  mkdir stale && commworld export --go stale.mpio -o stale/main.go
  go run ./stale                       inside a module that requires commworld

The C program exits with 0 if all results are as the script says, 1 if a value or a
file differs, 2 if a call failed, 3 if a call that must fail succeeded. It uses
routines of MPI 3.1 and expects a little-endian machine with 8-byte longs, as
scripts do. The Go program exits with 0, or prints the errors that its ranks
returned, races included, and exits with 1. Both have the line number of the script
beside each call.

The exit status is 0, or 2 if the script is invalid or has a statement that the
language cannot express; the error names the line.`
}

func (c *exportCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	if c.C == c.Go {
		return 0, errors.New("export: give --c or --go")
	}
	text, name, err := scriptText(ctx, c.Script)
	if err != nil {
		return 0, err
	}
	s := parseScript(text, name, stderr)
	if s == nil {
		return exitUsage, nil
	}
	program, err := exported(s, text, c.C)
	if err != nil {
		return 0, err
	}
	return 0, printProgram(stdout, c.JSON, name, map[bool]string{true: "c", false: "go"}[c.C], program)
}

// printProgram prints a program, as it is or as a JSON object.
func printProgram(stdout io.Writer, asJSON bool, name, language, text string) error {
	if !asJSON {
		_, err := io.WriteString(stdout, text)
		return err
	}
	return inJSON(stdout, struct {
		Name     string `json:"name"`
		Language string `json:"language"` // c, go or mpio
		Text     string `json:"text"`
	}{name, language, text})
}

// exported returns a script as a program.
func exported(s *script.Script, text string, inC bool) (string, error) {
	o := export.Options{Name: s.Name, Comment: export.Head(text)}
	if inC {
		return export.C(s, o)
	}
	return export.Go(s, o)
}
