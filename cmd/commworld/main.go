package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/show/version"
)

// Exit codes.
const (
	exitIdentical = 0
	exitDifferent = 1
	exitUsage     = 2 // wrong use, or a file that cannot be read or written
)

// commands are the commands of the program.
type commands struct {
	Verify    verifyCommand    `cmd:"" help:"Show on a real file that its bytes do not depend on the number of ranks that write or read it."`
	Type      typeCommand      `cmd:"" help:"Show the layout of a datatype in memory or in a file."`
	View      viewCommand      `cmd:"" help:"Show which bytes of a file each rank sees."`
	Convert   convertCommand   `cmd:"" help:"Rewrite a file of typed data for another representation or architecture."`
	Dump      dumpCommand      `cmd:"" help:"Show a file as typed values beside their bytes."`
	Run       runCommand       `cmd:"" help:"Run a script of ranks and files, once or under every schedule, and judge its results."`
	Check     checkCommand     `cmd:"" help:"Run a program of your own, or a script, with every check."`
	Export    exportCommand    `cmd:"" help:"Write a script as a C program for MPI libraries, or as a Go program."`
	Lab       labCommand       `cmd:"" help:"Serve a page that shows what each rank of a script sees."`
	Site      siteCommand      `cmd:"" help:"Write README, documentation, course and lab as one site for any web server."`
	Course    courseCommand    `cmd:"" help:"Lessons on MPI-IO, with exercises that are marked."`
	Cost      costCommand      `cmd:"" help:"Show what an access pattern would cost on a cluster, by a model."`
	Calibrate calibrateCommand `cmd:"" help:"Fit the model's machine to the output of IOR on a real one."`
	Replay    replayCommand    `cmd:"" help:"Show what a real job's trace would cost in other ways: Darshan's DXT text, or Recorder's."`
	Plan      planCommand      `cmd:"" help:"Show which requests of the file system an access becomes."`
	Pattern   patternCommand   `cmd:"" help:"List access patterns, or show one."`
	Explain   explainCommand   `cmd:"" help:"Explain a rule, a routine of MPI, a Go name, an error class or a statement of scripts."`
	Suite     suiteCommands    `cmd:"" help:"A corpus of MPI-IO mistakes with their corrected twins, for scoring tools."`
	Litmus    litmusCommand    `cmd:"" help:"Run the litmus tests of the consistency rules."`

	Completion completionCommand `cmd:"" help:"Print the completions of a shell."`
	Man        manCommand        `cmd:"" help:"Print the manual page, for man -l."`

	Color   string           `default:"auto" enum:"auto,always,never" placeholder:"WHEN" help:"Use colours: ${enum}; auto on a terminal, unless NO_COLOR is set."`
	Version kong.VersionFlag `help:"Print the version and exit."`
	Out     string           `short:"o" default:"-" type:"output" placeholder:"FILE" help:"Write what the command prints to this file; - is standard output."`
}

// A command does its work and returns the exit code; an error is printed and
// exits with exitUsage.
type command interface {
	run(ctx context.Context, stdout, stderr io.Writer) (int, error)
}

func main() {
	ctx, interrupt := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, endings()...)
	go func() {
		<-signals
		signal.Stop(signals) // a second signal ends the process at once
		interrupt(errInterrupted)
		time.AfterFunc(patience, func() { // the command is at a point where it cannot be interrupted
			fmt.Fprintln(os.Stderr, "commworld: interrupted")
			leftovers.remove()
			os.Exit(exitUsage)
		})
	}()
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	leftovers.remove()
	os.Exit(code)
}

// endings returns the signals that end a command: an interrupt, the end of a time limit of
// CI or of a terminal's session. Those that the caller of the process ignores, as nohup does,
// stay ignored.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	return slices.DeleteFunc(all, signal.Ignored)
}

// errInterrupted is the cause when the context of a command is cancelled.
var errInterrupted = errors.New("interrupted")

// How long an interrupted command may take to end by itself, and to print its findings.
const (
	grace    = 300 * time.Millisecond
	patience = 900 * time.Millisecond
)

// leftovers are temporary files and folders that an interrupted command may leave behind.
var leftovers temporaries

type temporaries struct {
	mu    sync.Mutex
	names map[string]bool
}

func (t *temporaries) add(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.names == nil {
		t.names = map[string]bool{}
	}
	t.names[name] = true
}

// drop removes a file from the list: it is deleted, or is no longer temporary.
func (t *temporaries) drop(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.names, name)
}

func (t *temporaries) remove() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name := range t.names {
		_ = os.RemoveAll(name)
	}
}

// tempFolder makes a temporary folder. remove deletes it, and so does an interrupt.
func tempFolder(pattern string) (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp("", pattern); err != nil {
		return "", nil, err
	}
	leftovers.add(dir)
	return dir, func() {
		_ = os.RemoveAll(dir)
		leftovers.drop(dir)
	}, nil
}

// exited is the panic value by which --help leaves the parser, which expects the process to
// end.
type exited int

// firstSteps is what the program prints without arguments.
const firstSteps = `commworld runs MPI and MPI-IO in one process, and finds mistakes that a laptop
hides. People start with:

  commworld run FILE.mpio   run a script of ranks and files, with fixes of races
  commworld check .         run a program of your module with every check
  commworld lab --open      a page that shows what each rank may read, by steps
  commworld course list     24 lessons with exercises that are marked
  commworld explain NAME    what a rule, an MPI routine or an error class is

commworld --help lists all commands, commworld COMMAND --help the flags of one.
`

// run runs the command line in args and returns the exit code. All its output is safe for a
// terminal, see cleanWriter.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	out, errs := newCleanWriter(stdout), newCleanWriter(stderr)
	defer out.end()
	defer errs.end()
	code = runParsed(ctx, args, out, errs)
	if out.err != nil && code == 0 { // the command did not look
		return fail(errs, out.err)
	}
	return code
}

func runParsed(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exited:
			code = int(r)
		default:
			panic(r)
		}
	}()
	switch { // common first tries
	case len(args) == 0:
		io.WriteString(stderr, firstSteps)
		return exitUsage
	case args[0] == "help":
		args = append(slices.Clone(args[1:]), "--help")
	}
	var c commands
	parsed, err := newParser(&c, stdout, stderr).Parse(args)
	if err != nil {
		return fail(stderr, err)
	}
	chosen := parsed.Selected().Target.Addr().Interface().(command)
	for _, w := range []io.Writer{stdout, stderr} {
		if w, ok := w.(*cleanWriter); ok {
			w.paint(c.Color)
			w.wrap = screenWidth(w, chosen)
		}
	}
	code, err = into(ctx, c.Out, stdout, func(w io.Writer) (int, error) { return chosen.run(ctx, w, stderr) })
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = context.Cause(ctx)
	}
	if err != nil {
		return fail(stderr, err)
	}
	return code
}

// newParser returns the parser of the command line.
func newParser(c *commands, stdout, stderr io.Writer) *kong.Kong {
	parser, err := kong.New(c,
		kong.Name("commworld"),
		kong.Description("A simulated MPI world in one process."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.WithHyphenPrefixedParameters(true),
		kong.Writers(stdout, stderr),
		kong.Vars{"version": version.Of("commworld")},
		kong.NamedMapper("output", kong.MapperFunc(outputName)),
		kong.Exit(func(code int) { panic(exited(code)) }),
	)
	if err != nil {
		panic(err) // a tag above is wrong
	}
	return parser
}

func fail(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "commworld: %s\n", shortWords(err.Error()))
	return exitUsage
}

// longestWord is how many bytes of a word an error shows: more than any real name has.
const longestWord = 5000

// shortWords cuts the words of a message, such as the name of a file, to a length at which
// the rest of the message can be read.
func shortWords(text string) string {
	words := strings.SplitAfter(text, " ")
	for i, w := range words {
		if len(w) > longestWord {
			words[i] = strings.ToValidUTF8(w[:longestWord/2], "") + brief.Cut + strings.ToValidUTF8(w[len(w)-longestWord/2:], "")
		}
	}
	return strings.Join(words, "")
}
