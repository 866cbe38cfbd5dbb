// Command commworldrun runs a C program that commworldcc made, on as many ranks as -n says,
// all in one process:
//
//	commworldrun -n 4 prog.so arguments
//
// commworldrun --help lists the flags.
//
// The ranks run in a child of this process, so that it can report a signal such as SIGKILL
// that ended them. Under a debugger they run in the process that the debugger has started.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/careenv"
	"github.com/commworld/commworld/internal/show/findings"
	"github.com/commworld/commworld/internal/show/mpinames"
	"github.com/commworld/commworld/internal/show/version"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/commworld/commworld/world/c"
)

// Exit statuses.
const (
	exitFindings = 1
	exitUsage    = 2
	exitRace     = 3
)

// command is the command line.
type command struct {
	program string
	args    []string

	ranks                         int
	model, match, markers         string
	forgive                       string
	forgives                      consistency.Model
	replay, strategy              string
	faults, dir, trace, output    string
	seed                          uint64
	eager                         int64
	free, careful, tolerant, list bool
	cached                        bool
	label                         bool
	timeout                       time.Duration
	seeds                         string
	explore, processes, library   bool
	missing                       string
	runs                          int

	wrappers      string
	format, out   string
	json, version bool
	color         string
	completion    string
	man           bool
	report        findings.Report
	file          *os.File  // that text goes to; nil: standard error
	text          io.Writer // for reports to people; those for programs come at the end
}

const usage = `commworldrun runs a C program that commworldcc made:

  commworldcc prog.c -o prog.so
  commworldrun -n 4 prog.so arguments

What the program prints goes where it says; what commworld finds is printed on
standard error when the ranks have ended: races on files, deadlocks, errors of
calls with the rule that was broken, messages never received, exits and
signals, each with lines of the program; files are named relative to the
working directory. A call that failed and whose result the program drops is an
error; one whose result the program may have looked at is a note, without
effect on the exit status.

The exit status is 0 if every rank ended with status 0 and nothing was found, 1
if not, 2 for wrong use or a program that cannot be read, 3 if all findings are
races.

A program that is run by its name has the flags of the environment variable
COMMWORLD_FLAGS.

With --format, the findings are printed once, at the end, for programs. They go
to standard error, where ranks may print, too: give -o FILE for a file of their
own.

Flags:
`

// flags returns the flags of cmd. Flags after the program are the program's.
func (cmd *command) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("commworldrun", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	fs.IntVar(&cmd.ranks, "ranks", 1, "`number` of ranks")
	fs.Var(fs.Lookup("ranks").Value, "n", "short for --ranks")
	fs.StringVar(&cmd.model, "model", "weakest", "the `model` of when others see a write to a file: weakest, session, commit, posix or chaos:SEED")
	fs.StringVar(&cmd.forgive, "forgive", "", "leave out races that a file system of this `model` forgives: posix or commit. --model alone leaves out none")
	fs.StringVar(&cmd.match, "match", "", "the `rule` by which datatypes fit a view: final, source000, size or written; without it final, except that MPI_BYTE as etype takes any filetype. With source000 a read of bytes that are not a value of its type fails")
	fs.StringVar(&cmd.markers, "markers", "sticky", "`force` of the bounds of MPI_Type_create_resized, subarrays and darrays in larger types: sticky, as in the standard, or weak, as in MPICH")
	fs.Uint64Var(&cmd.seed, "seed", 1, "the ranks take turns in the order that this `number` stands for")
	fs.StringVar(&cmd.seeds, "seeds", "", "run the program once for each of these `seeds`, such as 1..200, and print all findings, each with its first seed; then run it with the first seed that has one, with what its ranks print. Each run gets a copy of the files in --dir or the working directory")
	fs.BoolVar(&cmd.explore, "explore", false, "run the program in every order of its ranks that makes a difference, and print the outcomes: what ranks print, files, findings. Each run gets a copy of the files, as with --seeds")
	fs.IntVar(&cmd.runs, "runs", 0, "stop --explore after this `number` of runs; 0: after as many as there are")
	fs.BoolVar(&cmd.processes, "processes", false, "run each rank in a process of its own; programs that commworldcc did not make always do")
	fs.StringVar(&cmd.missing, "missing", "", "list the functions of MPI that this `program` or library, and what it is linked with, want and commworld does not have, and exit: status 1 if there are any")
	fs.BoolVar(&cmd.library, "lib", false, "print the directory of libmpi_abi.so.1, the library of programs whose ranks are processes, and exit")
	fs.StringVar(&cmd.wrappers, "wrappers", "", "make links in this `directory` by which build systems find these commands as mpicc, mpicxx, mpirun and mpiexec, print the command that puts it in PATH, and exit")
	fs.BoolVar(&cmd.free, "free", false, "all ranks run at once, in an order that no one knows")
	fs.StringVar(&cmd.replay, "replay", "", "the ranks take turns as in a run that was reported with this `schedule`")
	fs.StringVar(&cmd.strategy, "strategy", "", "move the bytes of files as the strategy of this `name` says, and count its requests: "+strings.Join(strategy.Names, ", "))
	fs.StringVar(&cmd.faults, "faults", "", "have files fail as these `rules` say; see the documentation of package faults")
	fs.Int64Var(&cmd.eager, "eager", comm.DefaultEager, "greatest standard send, in `bytes`, that does not wait for its receive")
	fs.BoolVar(&cmd.careful, "careful", false, "report what is not an error but probably a mistake, as world.Careful does, and writes into the buffers of messages and file accesses under way; without it, only those of nonblocking collectives are compared")
	fs.BoolVar(&cmd.tolerant, "tolerant", false, "be as strict as common libraries: data match views, and messages their receives, by size alone, datatypes need no MPI_Type_commit, objects need not be freed, and errors that belong to no object are handled by the handler of MPI_COMM_WORLD")
	fs.BoolVar(&cmd.cached, "cached", false, "leave files in the cache of the operating system: MPI_File_sync and MPI_File_close do not wait for the storage device")
	fs.StringVar(&cmd.dir, "dir", "", "`directory` of files with relative names; without it, the working directory")
	fs.BoolVar(&cmd.label, "label", false, "begin each line that a rank prints with its number")
	fs.StringVar(&cmd.output, "output", "", "`directory` for what ranks print, rank.0.out, rank.0.err and so on")
	fs.StringVar(&cmd.trace, "trace", "", "write Chrome trace events of the run, for Perfetto, to this `file`")
	fs.BoolVar(&cmd.list, "report", false, "print what each rank and each file did")
	fs.StringVar(&cmd.format, "format", "text", "print the findings in this `format`: "+strings.Join(findings.Formats, ", "))
	fs.BoolVar(&cmd.json, "json", false, "short for --format=json")
	fs.StringVar(&cmd.out, "out", "-", "write the findings to this `file`; - is standard error")
	fs.Var(fs.Lookup("out").Value, "o", "short for --out")
	fs.StringVar(&cmd.color, "color", "auto", "`when` reports have colours: auto (on a terminal, unless NO_COLOR is set), always or never")
	fs.StringVar(&cmd.completion, "completion", "", "print the completions of this `shell`, bash, zsh or fish, and exit")
	fs.BoolVar(&cmd.man, "man", false, "print the manual page, for man -l, and exit")
	fs.BoolVar(&cmd.version, "version", false, "print the version and exit")
	fs.DurationVar(&cmd.timeout, "timeout", 0, "longest `time` to run; 0 is as long as it takes")
	return fs
}

func main() {
	var cmd command
	fs := cmd.flags()
	args, err := commandLine(fs)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		exit(exitUsage)
	}
	err = fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		printHelp(os.Stdout, fs, helpWidth(os.Stdout))
		exit(0)
	case err != nil:
		fmt.Fprintln(os.Stderr, "commworldrun:", meant(fs, err))
		exit(exitUsage)
	case cmd.man || cmd.completion != "":
		if err := cmd.shellPages(fs); err != nil {
			fmt.Fprintln(os.Stderr, "commworldrun:", err)
			exit(exitUsage)
		}
		exit(0)
	case cmd.version:
		fmt.Println(version.Of("commworldrun"))
		exit(0)
	case cmd.library:
		printLibrary()
	case cmd.missing != "":
		exit(printMissing(os.Stdout, cmd.missing))
	case cmd.wrappers != "":
		if err := makeWrappers(cmd.wrappers); err != nil {
			fmt.Fprintln(os.Stderr, "commworldrun:", err)
			exit(exitUsage)
		}
		exit(0)
	case fs.NArg() == 0:
		fmt.Fprintln(os.Stderr, "commworldrun: which program? commworldrun --help")
		exit(exitUsage)
	}
	cmd.program, cmd.args = fs.Arg(0), fs.Args()[1:]
	if err := cmd.prepare(); err != nil {
		fmt.Fprintln(os.Stderr, "commworldrun:", err)
		exit(exitUsage)
	}
	dir, err := os.Getwd()
	if err == nil {
		careenv.From(dir)
	}
	var code int
	if how := died(); how != "" {
		removeSandbox(child())
		var text strings.Builder
		cmd.printDied(&text, how)
		fmt.Fprint(cmd.text, text.String())
		cmd.add(findings.Finding{Finding: world.Finding{Kind: kindDied, Text: text.String()}})
		code, err = exitFindings, nil
	} else if code, err = cmd.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "commworldrun:", cmd.in(err.Error()))
	}
	if err := cmd.close(code, err); err != nil {
		fmt.Fprintln(os.Stderr, "commworldrun:", err)
		code = exitUsage
	}
	exit(code)
}

// printMissing prints what a program wants and does not get, and returns the exit status.
func printMissing(w io.Writer, path string) int {
	n, err := c.NeedsOf(path)
	if err != nil {
		fmt.Fprintf(os.Stderr, "commworldrun: %v: --missing reads executables and libraries; of a script, name the libraries that it loads\n", err)
		return exitUsage
	}
	for _, name := range n.Foreign {
		fmt.Fprintf(w, "%s: a library of another binary interface\n", name)
	}
	for _, name := range n.Missing {
		fmt.Fprintf(w, "%s: commworld does not have it\n", name)
	}
	for _, name := range n.Unsupported {
		fmt.Fprintf(w, "%s: returns MPI_ERR_UNSUPPORTED_OPERATION\n", name)
	}
	if len(n.Foreign)+len(n.Missing)+len(n.Unsupported) > 0 {
		return exitFindings
	}
	return 0
}

// printLibrary prints where the library of MPI is, and ends this process.
func printLibrary() {
	dir, err := c.Library()
	if err != nil {
		fmt.Fprintln(os.Stderr, "commworldrun:", err)
		exit(exitUsage)
	}
	fmt.Println(dir)
	exit(0)
}

func (cmd *command) run(ctx context.Context) (int, error) {
	p, err := cmd.open()
	if err != nil {
		return exitUsage, err
	}
	opts, err := cmd.options(p)
	if err != nil {
		return exitUsage, err
	}
	var trace *os.File
	if cmd.trace != "" {
		if trace, err = os.Create(cmd.trace); err != nil {
			return exitUsage, err
		}
		defer trace.Close()
		w := bufio.NewWriter(trace)
		defer w.Flush()
		opts = append(opts, world.Trace(w, world.Chrome))
	}
	if cmd.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, cmd.timeout, fmt.Errorf("the program ran for %v, longer than --timeout", cmd.timeout))
		defer stop()
	}
	p.Record = shared()
	ctx, done := interruptible(ctx)
	defer done()
	switch {
	case cmd.seeds != "":
		return cmd.runSeeds(ctx, p, opts)
	case cmd.explore:
		return cmd.runExplored(ctx, p, opts)
	}
	e := cmd.once(ctx, p, opts)
	code := e.print(cmd.text, cmd.language())
	for _, f := range cmd.found(e) {
		cmd.add(f.Finding)
	}
	err = p.Close() // runs destructors
	p.Flush()
	return code, err
}

// open opens the program: a shared object of commworldcc, or any other program.
func (cmd *command) open() (*c.Program, error) {
	if cmd.processes || !c.InProcess(cmd.program) && executable(cmd.program) {
		return c.Command(cmd.program, cmd.args...)
	}
	return c.Open(cmd.program, cmd.args...)
}

// executable reports whether a shell would run a program.
func executable(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil || errors.Is(err, exec.ErrDot)
}

// An ending is what a run has shown.
type ending struct {
	err    error
	report *world.Report // nil if none is to be printed
	failed []*c.FailedCall
	posix  []*c.PosixCall
	notes  []string
}

// once runs the program.
func (cmd *command) once(ctx context.Context, p *c.Program, opts []world.Option) *ending {
	if err := p.Start(cmd.ranks); err != nil {
		return &ending{err: err}
	}
	rep, err := world.RunReport(ctx, cmd.ranks, p.Rank, opts...)
	err = forgiven(err, cmd.forgives)
	p.Flush()
	e := &ending{err: err, failed: p.Failed(), notes: p.Notes()}
	if cmd.list {
		e.report = rep
	}
	p.Explain(err)
	e.posix = p.PosixCalls()
	return e
}

// print prints the report of a run, and returns the exit status.
func (e *ending) print(out io.Writer, language mpinames.Language) int {
	w := &strings.Builder{}
	code := e.write(w)
	io.WriteString(out, inLanguage(w.String(), language))
	return code
}

func (e *ending) write(w io.Writer) int {
	if e.report != nil {
		fmt.Fprintln(w, e.report)
	}
	dropped, posix := printDropped(w, e.failed), printPosix(w, e.posix)
	code := printFindings(w, e.err)
	if dropped || posix {
		code = exitFindings
	}
	printNotes(w, e.failed, code)
	printPosixNotes(w, e.posix, !posix)
	for _, note := range e.notes {
		fmt.Fprintln(w, "note:", note)
	}
	return code
}

// printDied prints how the process of the ranks ended, and where each rank was.
func (cmd *command) printDied(w io.Writer, how string) {
	fmt.Fprintln(w, "commworldrun:", how)
	p, err := cmd.open()
	if err != nil {
		return
	}
	p.Record = shared()
	const most = 64
	last := p.LastCalls()
	for i, l := range last {
		if i == most {
			fmt.Fprintf(w, "and %d more ranks\n", len(last)-most)
			break
		}
		fmt.Fprintln(w, l)
	}
}

// together is the time in which signals are one: of a terminal or of timeout, which sends
// its signal to this process and to its group.
const together = 500 * time.Millisecond

// interruptible returns a context that ends when the process gets a signal that asks it
// to end, so that the findings are printed. A second signal ends the process at once.
func interruptible(ctx context.Context) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGALRM, syscall.SIGXCPU)
	go func() {
		s, ok := <-signals
		if !ok {
			return
		}
		end(fmt.Errorf("the process got signal %v", s))
		time.Sleep(together)
		signal.Stop(signals)
	}()
	return ctx, func() { signal.Stop(signals); close(signals) }
}

// printDropped prints the calls that failed without the program looking at them, and reports
// whether there were any. They come first: what else was found may be their effect.
func printDropped(w io.Writer, failed []*c.FailedCall) (any bool) {
	for _, f := range failed {
		if f.Dropped {
			fmt.Fprintln(w, f)
			any = true
		}
	}
	if any {
		fmt.Fprintln(w, c.Advice(failed))
	}
	return any
}

// printPosix prints the calls of POSIX and stdio that are wrong beside MPI, and reports whether
// there are any.
func printPosix(w io.Writer, all []*c.PosixCall) (any bool) {
	for _, p := range all {
		if p.Wrong {
			fmt.Fprintln(w, p)
			any = true
		}
	}
	if any {
		fmt.Fprintln(w, c.PosixAdvice)
	}
	return any
}

// printPosixNotes prints the others, and advice if it is asked for.
func printPosixNotes(w io.Writer, all []*c.PosixCall, advise bool) {
	n := 0
	for _, p := range all {
		if p.Wrong {
			continue
		}
		if n++; n <= mostNotes {
			fmt.Fprintln(w, "note:", p)
		}
	}
	if n > mostNotes {
		fmt.Fprintf(w, "note: and %d more calls of POSIX and stdio\n", n-mostNotes)
	}
	if n > 0 && advise {
		fmt.Fprintln(w, c.PosixAdvice)
	}
}

// mostNotes bounds how many failed calls are printed that the program may know of.
const mostNotes = 5

// printNotes prints the calls that failed and whose results the program may have looked at. In
// Python such a call raises an exception: a run that goes well has handled it.
func printNotes(w io.Writer, failed []*c.FailedCall, code int) {
	n := 0
	for _, f := range failed {
		if f.Dropped || code == 0 && mpinames.Of(f.Place.File) == mpinames.Python {
			continue
		}
		if n++; n <= mostNotes {
			fmt.Fprintln(w, "note:", f)
		}
	}
	if n > mostNotes {
		fmt.Fprintf(w, "note: and %d more calls that failed\n", n-mostNotes)
	}
}

// replay matches the remark of a report about replaying a schedule from Go.
var replay = regexp.MustCompile(`world\.Replay\("([^"]*)"\)`)

// printFindings prints the findings and returns the exit status.
func printFindings(w io.Writer, err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(w, err)
	return statusOf(err)
}

// inLanguage returns a text for the language of the program.
func inLanguage(text string, language mpinames.Language) string {
	text = replay.ReplaceAllString(text, "commworldrun --replay $1")
	return mpinames.OfText(text, language).Text(text)
}

func (cmd *command) in(text string) string { return inLanguage(text, cmd.language()) }

// language returns the language of the program if no report names a line.
func (cmd *command) language() mpinames.Language {
	if name := filepath.Base(cmd.program); strings.HasPrefix(name, "python") {
		return mpinames.Python
	}
	return mpinames.Of(cmd.program)
}

// statusOf returns the exit status for an error of a run.
func statusOf(err error) int {
	for _, f := range world.Findings(err) {
		if f.Kind != world.KindRace {
			return exitFindings
		}
	}
	return exitRace
}

func (cmd *command) options(p *c.Program) ([]world.Option, error) {
	if cmd.ranks < 1 {
		return nil, fmt.Errorf("-n %d: at least 1", cmd.ranks)
	}
	model, err := modelOf(cmd.model)
	if err != nil {
		return nil, err
	}
	if cmd.forgive != "" {
		if cmd.forgives, err = modelOf(cmd.forgive); err != nil {
			return nil, err
		}
	}
	p.Dir, p.Tolerant, p.Files = cmd.dir, cmd.tolerant, []iofile.Option{iofile.WithModel(model)}
	if cmd.cached {
		p.Files = append(p.Files, iofile.WithDir(iofile.DirSettings{Undurable: true}))
	}
	if cmd.match != "" {
		policy, err := types.ParsePolicy(cmd.match)
		if err != nil {
			return nil, fmt.Errorf("--match %.40s: there are final, source000, size and written", cmd.match)
		}
		if cmd.tolerant && policy != types.MatchSize {
			return nil, errors.New("--tolerant matches by size: it contradicts --match " + cmd.match)
		}
		p.Open = append(p.Open, iofile.WithMatch(policy))
	}
	p.Label, p.Output = cmd.label, cmd.output
	if cmd.free && (cmd.label || cmd.output != "") {
		return nil, errors.New("--free contradicts --label and --output: the turns of the ranks show which rank prints, and free ranks have none")
	}
	markers, err := types.ParseMarkers(cmd.markers)
	if err != nil {
		return nil, fmt.Errorf("--markers %.40s: there are sticky and weak", cmd.markers)
	}
	opts := []world.Option{world.Seed(cmd.seed)}
	switch {
	case cmd.many():
		opts = nil
		if err := cmd.single(); err != nil {
			return nil, err
		}
	case cmd.free && cmd.replay != "":
		return nil, errors.New("--free and --replay contradict each other")
	case cmd.free:
		opts = nil
	case cmd.replay != "":
		opts = []world.Option{world.Replay(cmd.replay)}
	}
	opts = append(opts, world.Arch(world.AllRanks, reps.LP64LE.WithMarkers(markers)))
	if cmd.strategy != "" {
		s, ok := strategy.Named(cmd.strategy)
		if !ok {
			return nil, fmt.Errorf("there is no strategy %q: %s", cmd.strategy, strings.Join(strategy.Names, ", "))
		}
		opts = append(opts, world.Strategy(s))
	}
	if cmd.faults != "" {
		rules, err := faults.Parse(cmd.faults)
		if err != nil {
			return nil, err
		}
		opts = append(opts, world.Faults(rules...))
	}
	if cmd.eager != comm.DefaultEager {
		opts = append(opts, world.Eager(cmd.eager))
	}
	if !cmd.tolerant {
		opts = append(opts, world.Check(world.Handles))
	}
	if !cmd.explore { // an exploration compares more
		opts = append(opts, world.Check(world.Samples))
	}
	if cmd.careful {
		opts = append(opts, world.Careful())
	}
	return opts, nil
}

func modelOf(name string) (consistency.Model, error) {
	for _, m := range []consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX} {
		if strings.EqualFold(name, m.String()) {
			return m, nil
		}
	}
	if text, ok := strings.CutPrefix(name, "chaos:"); ok {
		if seed, err := strconv.ParseUint(text, 10, 64); err == nil {
			return consistency.Chaos(seed), nil
		}
	}
	return consistency.Model{}, fmt.Errorf("there is no model %q: weakest, session, commit, posix or chaos:SEED", name)
}
