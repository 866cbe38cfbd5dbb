package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/commworld/commworld/internal/show/shell"
)

// manCommand is the command line of man.
type manCommand struct{}

// Help returns the text of --help between the summary and the flags.
func (*manCommand) Help() string {
	return `The page has the help of all commands:

  commworld man -o commworld.1
  man -l commworld.1`
}

func (*manCommand) run(_ context.Context, stdout, _ io.Writer) (int, error) {
	_, err := io.WriteString(stdout, manPage(newParser(&commands{}, io.Discard, io.Discard).Model))
	return 0, err
}

// manPage returns the page of a program, made from its command line.
func manPage(app *kong.Application) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH COMMWORLD 1 \"\" \"commworld\" \"User Commands\"\n.ad l\n.nh\n.SH NAME\ncommworld \\- %s\n", shell.Roff(strings.TrimSuffix(app.Help, ".")))
	b.WriteString(".SH SYNOPSIS\n.B commworld\n.I command\n.RI [ flags ]\n.SH DESCRIPTION\n")
	shell.ManText(&b, firstSteps)
	b.WriteString(".SH FLAGS OF ALL COMMANDS\n")
	for _, f := range app.Flags {
		shell.ManFlag(&b, flagOf(f))
	}
	b.WriteString(".SH COMMANDS\n")
	for _, leaf := range app.Leaves(true) {
		fmt.Fprintf(&b, ".SS \"%s\"\n", shell.Roff(strings.TrimPrefix(leaf.Summary(), app.Name+" ")))
		shell.ManText(&b, leaf.Help)
		if leaf.Detail != leaf.Help {
			shell.ManText(&b, leaf.Detail)
		}
		for _, p := range leaf.Positional {
			fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", shell.Roff(p.Summary()), shell.RoffLine(p.Help))
		}
		for _, f := range leaf.Flags {
			shell.ManFlag(&b, flagOf(f))
		}
	}
	b.WriteString(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf it is set, no colours, unless \\-\\-color=always.\n.TP\n.B COLUMNS\nWidth of output that is not a terminal.\n")
	b.WriteString(".SH EXIT STATUS\n0 success; 1 findings, or results that differ; 2 wrong use, or a file that cannot be read or written; 3 if all findings are races.\n")
	return b.String()
}
