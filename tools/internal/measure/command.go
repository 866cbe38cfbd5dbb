package measure

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/testkit/peers"
)

// A Command is one benchmark of the program.
type Command struct {
	Name, Short string
	Rounds      int     // default of -rounds; 0: the benchmark has no rounds
	Seconds     float64 // default of -seconds; 0: the benchmark does not repeat steps for a time
	Files       bool    // it has -dir, where its files are
	Libraries   bool    // it has -peers, and measures the MPI libraries installed here
	Flags       func(*flag.FlagSet)
	Rows        func() []string
	Run         func(*Session) error
}

// A Session is one run of a benchmark.
type Session struct {
	W       io.Writer
	Rounds  int
	Seconds float64 // approximate time of a row in a turn
	Dir     string  // an empty directory, removed at the end

	libraries bool
	text      string
	match     *regexp.Regexp
}

// Run runs the command that args name, with the rows that the rest of args name.
func Run(commands []*Command, args []string, w io.Writer) error {
	if len(args) > 0 {
		for _, c := range commands {
			if c.Name == args[0] {
				return c.run(args[1:], w)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintln(&b, "bench COMMAND [flags] [ROWS]; bench COMMAND -h prints the flags")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-8s %s\n", c.Name, c.Short)
	}
	if len(args) == 0 || args[0] == "-h" || args[0] == "--help" {
		_, err := io.WriteString(w, b.String())
		return err
	}
	return fmt.Errorf("no benchmark %q\n%s", args[0], b.String())
}

func (c *Command) run(args []string, w io.Writer) (err error) {
	s := &Session{W: w}
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	flags.SetOutput(w)
	flags.Usage = func() {
		fmt.Fprintf(w, "bench %s [flags] [ROWS]: %s\nROWS is a part of names, or a regular expression.\n", c.Name, c.Short)
		flags.PrintDefaults()
	}
	list := flags.Bool("list", false, "print the names of the rows and end")
	if c.Rounds > 0 {
		flags.IntVar(&s.Rounds, "rounds", c.Rounds, "turns of each side")
	}
	if c.Seconds > 0 {
		flags.Float64Var(&s.Seconds, "seconds", c.Seconds, "about what a row takes in a turn")
	}
	if c.Files {
		flags.StringVar(&s.Dir, "dir", "/dev/shm", "where the files are")
	}
	if c.Libraries {
		flags.BoolVar(&s.libraries, "peers", true, "measure the MPI libraries too")
	}
	if c.Flags != nil {
		c.Flags(flags)
	}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if c.Rounds > 0 && s.Rounds < 1 {
		return errors.New("-rounds is 1 or more")
	}
	s.text = strings.Join(flags.Args(), " ")
	if s.match, err = regexp.Compile(s.text); err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Clone(c.Rows()), func(name string) bool { return !s.Chosen(name) })
	switch {
	case len(chosen) == 0:
		return fmt.Errorf("no row matches %q; -list prints their names", s.text)
	case *list:
		_, err := fmt.Fprintln(w, strings.Join(chosen, "\n"))
		return err
	}
	if c.Files {
		if s.Dir, err = os.MkdirTemp(s.Dir, "commworld-bench"); err != nil {
			return err
		}
		defer os.RemoveAll(s.Dir)
	}
	Conditions(w)
	if err := c.Run(s); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\nload average at the end %s\n", Load())
	return err
}

// Chosen reports whether the command line selects a row.
func (s *Session) Chosen(name string) bool {
	return strings.Contains(name, s.text) || s.match.MatchString(name)
}

// Programs compiles a C source with each library to measure, and prints the names of
// missing libraries. The caller calls done, also after an error.
func (s *Session) Programs(source []byte) (all []*peers.Program, done func(), err error) {
	done = func() {
		for _, p := range all {
			_ = p.Close() // a directory of temporary files
		}
	}
	err = s.each(func(l *peers.Library) error {
		p, err := l.Compile(source)
		if err == nil {
			all = append(all, p)
		}
		return err
	})
	return all, done, err
}

// Peers starts one rank of each library that is to be measured, and prints the names of
// missing ones. The caller calls done, also after an error.
func (s *Session) Peers() (all []*peers.Peer, done func(), err error) {
	done = func() {
		for _, p := range all {
			_ = p.Close() // its figures are complete
		}
	}
	err = s.each(func(l *peers.Library) error {
		p, err := l.Start()
		if err == nil {
			all = append(all, p)
			fmt.Fprintln(s.W, l.Name+":", strings.Join(strings.Fields(p.Version()), " "))
		}
		return err
	})
	return all, done, err
}

func (s *Session) each(do func(*peers.Library) error) error {
	if !s.libraries {
		return nil
	}
	for _, l := range peers.All() {
		if err := l.Missing(); err != nil {
			fmt.Fprintln(s.W, err)
			continue
		}
		if err := do(l); err != nil {
			return err
		}
	}
	return nil
}
