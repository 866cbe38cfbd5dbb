package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/commworld/commworld/cmd/commworld/internal/explain"
	"github.com/commworld/commworld/internal/brief"
)

// explainCommand is the command line of explain.
type explainCommand struct {
	Name  string `arg:"" optional:"" help:"Id of a rule, routine or datatype of MPI, Go name, error class, statement of rank scripts, or term such as etype."`
	Sheet string `placeholder:"FORM" help:"Print the cheat sheet of all routines instead: md, a document, or html, one page to print."`

	jsonFlag
}

// Help returns the text of --help between the summary and the flags.
func (*explainCommand) Help() string {
	return `Names are those of the standard, of this module, or of rank scripts.

  commworld explain IO-VIEW-05
  commworld explain MPI_File_write_at_all
  commworld explain File.WriteAtAll
  commworld explain MPI_ERR_NOT_SAME
  commworld explain write_shared
  commworld explain MPI_BYTE
  commworld explain etype

The answer has an explanation, the place in the standard, the forms in C, Go and
scripts, the tests of the rule, a script that shows it, and one that breaks it.

  commworld explain --sheet html -o sheet.html

writes one page for a class: the routines of files in C, Go and scripts side by side.

The exit status is 0, or 2 if the name is unknown; then explain prints similar
names.`
}

func (c *explainCommand) run(_ context.Context, stdout, _ io.Writer) (int, error) {
	if c.Sheet != "" {
		return 0, c.sheet(stdout)
	}
	if c.Name == "" {
		return 0, errors.New("give one NAME, such as MPI_File_write_at_all, or --sheet md or html")
	}
	a, near := explain.Find(c.Name)
	if a == nil {
		text := fmt.Sprintf("unknown name %q", brief.String(c.Name))
		if len(near) > 0 {
			text += "; did you mean " + strings.Join(near, ", ") + "?"
		}
		return 0, fmt.Errorf("%s", text)
	}
	if c.JSON {
		return 0, inJSON(stdout, a)
	}
	_, err := io.WriteString(stdout, a.String())
	return 0, err
}

// sheet writes the cheat sheet.
func (c *explainCommand) sheet(stdout io.Writer) error {
	form := map[string]func([]explain.Name) string{"md": explain.CheatSheet, "html": explain.PrintedSheet}[c.Sheet]
	if form == nil || c.Name != "" {
		return fmt.Errorf("--sheet %s: use --sheet md or --sheet html, without a NAME", c.Sheet)
	}
	_, err := io.WriteString(stdout, form(explain.Names()))
	return err
}
