package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
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
	fmt.Fprintf(&b, ".TH COMMWORLD 1 \"\" \"commworld\" \"User Commands\"\n.ad l\n.nh\n.SH NAME\ncommworld \\- %s\n", roff(strings.TrimSuffix(app.Help, ".")))
	b.WriteString(".SH SYNOPSIS\n.B commworld\n.I command\n.RI [ flags ]\n.SH DESCRIPTION\n")
	manText(&b, firstSteps)
	b.WriteString(".SH FLAGS OF ALL COMMANDS\n")
	for _, f := range app.Flags {
		manFlag(&b, f)
	}
	b.WriteString(".SH COMMANDS\n")
	for _, leaf := range app.Leaves(true) {
		fmt.Fprintf(&b, ".SS \"%s\"\n", roff(strings.TrimPrefix(leaf.Summary(), app.Name+" ")))
		manText(&b, leaf.Help)
		if leaf.Detail != leaf.Help {
			manText(&b, leaf.Detail)
		}
		for _, p := range leaf.Positional {
			fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", roff(p.Summary()), roffLine(p.Help))
		}
		for _, f := range leaf.Flags {
			manFlag(&b, f)
		}
	}
	b.WriteString(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf it is set, no colours, unless \\-\\-color=always.\n.TP\n.B COLUMNS\nWidth of output that is not a terminal.\n")
	b.WriteString(".SH EXIT STATUS\n0 success; 1 findings, or results that differ; 2 wrong use, or a file that cannot be read or written; 3 if all findings are races.\n")
	return b.String()
}

func manFlag(b *strings.Builder, f *kong.Flag) {
	name := "--" + f.Name
	if f.Short != 0 {
		name = "-" + string(f.Short) + ", " + name
	}
	if !f.IsBool() {
		name += "=" + f.FormatPlaceHolder()
	}
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(name), roffLine(f.Help))
}

// manText writes paragraphs; lines with a margin are shown as they are.
func manText(b *strings.Builder, text string) {
	shown := false
	b.WriteString(".PP\n")
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if indented := strings.HasPrefix(line, "  "); indented != shown && line != "" {
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[indented])
			shown = indented
		}
		if line == "" && !shown {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(roffLine(line) + "\n")
	}
	if shown {
		b.WriteString(".fi\n")
	}
}

// roff escapes a text for troff.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`, "'", `\(aq`, ",", `,\:`).Replace(text) // a line may break behind a comma
}

// roffLine escapes a line of text, which may begin as a request does.
func roffLine(text string) string {
	if text = roff(text); strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
