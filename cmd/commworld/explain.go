package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/explain"
)

// explainCommand is the command line of explain.
type explainCommand struct {
	Name string `arg:"" help:"Id of a rule, routine of MPI, Go name, error class, or statement of rank scripts."`
}

// Help returns the text of --help between the summary and the flags.
func (*explainCommand) Help() string {
	return `Names are those of the standard, of this module, or of rank scripts.

  commworld explain IO-VIEW-05
  commworld explain MPI_File_write_at_all
  commworld explain File.WriteAtAll
  commworld explain MPI_ERR_NOT_SAME
  commworld explain write_shared

The answer says what it is, where the standard has it, how C, Go and scripts write it,
which tests carry the rule, a script that shows it, and one that breaks it.

The exit status is 0, or 2 if nothing has the name; then the nearest names are printed.`
}

func (c *explainCommand) run(_ context.Context, stdout, _ io.Writer) (int, error) {
	a, near := explain.Find(c.Name)
	if a == nil {
		text := fmt.Sprintf("nothing is called %q", brief.String(c.Name))
		if len(near) > 0 {
			text += "; did you mean " + strings.Join(near, ", ") + "?"
		}
		return 0, fmt.Errorf("%s", text)
	}
	_, err := io.WriteString(stdout, a.String())
	return 0, err
}
