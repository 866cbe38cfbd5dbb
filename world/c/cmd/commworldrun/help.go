package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/show/findings"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/internal/show/shell"
	"github.com/commworld/commworld/iofile/strategy"
)

// short has the flags that have one letter, too.
var short = map[string]string{"ranks": "n", "out": "o"}

// values has what flags may be.
var values = map[string][]string{
	"model": {"weakest", "session", "commit", "posix"}, "forgive": {"commit", "posix"}, "match": {"final", "source000", "size", "written"},
	"markers": {"sticky", "weak"}, "strategy": strategy.Names, "format": findings.Formats, "completion": shell.Shells, "color": {"auto", "always", "never"},
}

// shellFlags returns the flags with their short names.
func shellFlags(fs *flag.FlagSet) (all []shell.Flag) {
	fs.VisitAll(func(f *flag.Flag) {
		if len(f.Name) == 1 {
			return
		}
		placeholder, help := flag.UnquoteUsage(f)
		all = append(all, shell.Flag{
			Name: f.Name, Help: help, Short: short[f.Name], Values: values[f.Name],
			Value: placeholder != "", Placeholder: strings.ToUpper(placeholder),
		})
	})
	return all
}

// printHelp prints the usage and the flags in lines of a width.
func printHelp(w io.Writer, fs *flag.FlagSet, width int) {
	io.WriteString(w, usage)
	for _, f := range shellFlags(fs) {
		name := "    --" + f.Name
		if f.Short != "" {
			name = "-" + f.Short + ", --" + f.Name
		}
		if f.Value {
			name += "=" + f.Placeholder
		}
		help := f.Help
		if d := fs.Lookup(f.Name).DefValue; f.Value && d != "" && d != "0" && d != "0s" {
			help += " (" + d + ")"
		}
		fmt.Fprintf(w, "  %s\n        %s\n", name, strings.Join(plain.Fold(help, width-8), "\n        "))
	}
}

// printMan prints the manual page.
func printMan(w io.Writer, fs *flag.FlagSet) {
	var b strings.Builder
	b.WriteString(".TH COMMWORLDRUN 1 \"\" \"commworld\" \"User Commands\"\n.ad l\n.nh\n.SH NAME\ncommworldrun \\- run a program with every check of commworld\n")
	b.WriteString(".SH SYNOPSIS\n.B commworldrun\n.RI [ flags ]\n.I program\n.RI [ arguments ]\n.SH DESCRIPTION\n")
	shell.ManText(&b, strings.TrimSuffix(usage, "\nFlags:\n"))
	b.WriteString(".SH FLAGS\n")
	for _, f := range shellFlags(fs) {
		shell.ManFlag(&b, f)
	}
	b.WriteString(".SH ENVIRONMENT\n.TP\n.B COMMWORLD_FLAGS\nFlags before those of the command line.\n.TP\n.B NO_COLOR\nIf it is set, no colours, unless \\-\\-color=always.\n.TP\n.B COLUMNS\nWidth of the help.\n")
	io.WriteString(w, b.String())
}

// unknown matches the error of package flag for a flag that does not exist.
var unknown = regexp.MustCompile(`^flag provided but not defined: -+(.*)$`)

// meant returns an error of the command line with the flag that was probably meant.
func meant(fs *flag.FlagSet, err error) string {
	m := unknown.FindStringSubmatch(err.Error())
	if m == nil {
		return err.Error()
	}
	text := "unknown flag --" + m[1]
	near, distance := "", max(2, len(m[1])/3)+1
	for _, f := range shellFlags(fs) {
		if d := brief.Distance(m[1], f.Name); d < distance && len(m[1]) < 100 {
			near, distance = f.Name, d
		}
	}
	if near != "" {
		return text + ", did you mean --" + near + "?"
	}
	return text + "; commworldrun --help lists the flags"
}

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// helpWidth returns the width of the help.
func helpWidth(f *os.File) int {
	const least, usual, most = 40, 80, 120
	width := usual
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil {
		width = n
	} else if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 0 {
		width = int(size.Col)
	}
	return min(max(width, least), most)
}

// colours reports whether reports to a file have colours.
func (cmd *command) colours(f *os.File) (bool, error) {
	switch cmd.color {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		return os.Getenv("NO_COLOR") == "" && isTerminal(f), nil
	}
	return false, fmt.Errorf("--color %.40s: use %s", cmd.color, strings.Join(values["color"], ", "))
}

// heads matches the beginnings of findings.
var heads = regexp.MustCompile(`(?m)^(race on .*|deadlock: .*|ranks? [0-9][0-9, -]*:)`)

// A painter writes reports with colours.
type painter struct{ w io.Writer }

func (p painter) Write(text []byte) (int, error) {
	if _, err := p.w.Write(heads.ReplaceAll(text, []byte("\x1b[1;31m$1\x1b[0m"))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// shellPages prints the page or the completions that are asked for.
func (cmd *command) shellPages(fs *flag.FlagSet) error {
	if cmd.man {
		printMan(os.Stdout, fs)
		return nil
	}
	if !slices.Contains(shell.Shells, cmd.completion) {
		return fmt.Errorf("--completion %.40s: use %s", cmd.completion, strings.Join(shell.Shells, ", "))
	}
	_, err := io.WriteString(os.Stdout, shell.Completion(cmd.completion, "commworldrun", []shell.Command{{Flags: shellFlags(fs)}}))
	return err
}
