package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/recording"
	"github.com/commworld/commworld/internal/show/child"
	"github.com/commworld/commworld/internal/show/findings"
	"github.com/commworld/commworld/internal/show/outputs"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/world"
)

// checkCommand is the command line of check.
type checkCommand struct {
	Target  string        `arg:"" help:"Package of your module, such as . or ./cmd/heat, or a script FILE.mpio, or - for one on standard input, or the folder of a recording by commworldrec."`
	Args    []string      `arg:"" optional:"" passthrough:"" help:"Arguments of the program."`
	Ranks   []int         `placeholder:"N,N" help:"Numbers of ranks, such as 1,2,3,4; without it the program's own."`
	Allow   []string      `placeholder:"RULE" help:"Leave out findings of this rule, or of the kinds ignored or sharing."`
	Match   string        `placeholder:"NAME" help:"Rule by which datatypes match a view, for opens that do not set it: final, source000, size or written. With source000 a read fails if its bytes are not a value of its type."`
	Markers string        `placeholder:"NAME" help:"Force of the bounds of resized types, subarrays and darrays: sticky or weak; without it, the program's own."`
	Forgive string        `placeholder:"MODEL" help:"Of a recording: leave out races that a file system of this model forgives, posix or commit."`
	Timeout time.Duration `default:"1m" placeholder:"TIME" help:"Time limit of one run, ${default}."`
	Memory  string        `default:"2GB" placeholder:"SIZE" help:"Memory limit of one run, ${default}."`
	Free    bool          `help:"Run all ranks at once, in one run instead of two."`
	Output  bool          `help:"Show the program's output."`

	SameFiles bool `help:"Report a file that differs between numbers of ranks as a finding."`

	formatFlags

	WorldEnd time.Duration `kong:"-"` // for tests: the longest time of a world; 0: a little less than Timeout
}

// Help returns the text of --help between the summary and the flags.
func (*checkCommand) Help() string {
	return `check builds the program with go build and runs it unchanged, with every check of
commworld (see world.Careful), for each number of ranks. Each run is a separate
process with limits on time, memory and output. check prints all findings, also
errors that the program drops.

The ranks take turns, in two runs: forward, where the next higher rank continues,
and backward, where the next lower one does. A finding that only one run shows names
its order. If the program gives world.Run a schedule, check also runs it under that
schedule. Ranks that wait for each other by locks or channels cannot take turns: use
--free.

check ignores options that weaken a check, such as iofile.WithRaceDetector,
world.Eager or rules that world.Careful allows, and names them in a note;
world.CareVariable lists them. An option that check cannot override is a finding of
kind unchecked.

If the analyzer sharing is in PATH, it finds Go variables, locks and channels that
ranks share, in the source of the package. If ranks share locks or channels, check
runs the program as with --free. To install the analyzer:

  go install github.com/commworld/commworld/tools/sharing@latest

Without it check does not look for shared variables. "unchecked" in JSON says so; the
text says so only if the program starts goroutines or its ranks change variables from
outside.

  commworld check .
  commworld check --ranks 1,2,3,4 ./cmd/heat --size 100
  commworld check --json -o findings.json .
  commworld check --ranks 2,3 stale.mpio

--ranks replaces the number that the program gives to world.Run. Leave it out if the
program works with one number only, say because rank 0 sends to rank 1. check
compares the files at the end of the program's worlds: a note names each file that
depends on the number of ranks, and the first byte that differs. With --same-files
that is a finding.

check runs a script under every schedule that makes a difference, then once as
world.Careful does. --ranks replaces the script's number of ranks if all its blocks
and peers fit and it expects no race, deadlock or error; check then ignores its
allow lines.

The folder of a recording, which commworldrec made of a program that ran with another
MPI library, is checked without the program: check carries the recorded calls out
again, without bytes, with the messages that were received. Its report has the lines
of the program. --forgive posix leaves out the races that a file system forgives which
shows each write at once. See docs/traces.md.

  mpirun -n 512 commworldrec --lib LIB -o trace ./prog
  commworld check trace
  commworld check --forgive posix trace

A read of bytes that are not a value of its type, such as a bool of 2, is a finding
of the kind "bad value" (IO-TM-S4); the run continues. With --match source000 the
read fails, and so does any other access that the proposal of that name forbids: see
commworld explain IO-TM-S2.

To check the program's own tests, run go test with COMMWORLD_CARE=on in the
environment.

check ends the process and all processes that it started after --timeout, on an
interrupt, and when together they use more than --memory. It enforces --memory on
Linux; elsewhere the limit goes to Go's garbage collector alone, as GOMEMLIMIT.

--format prints the findings for machines: json, sarif, junit, or github, whose
annotations appear beside the lines of a pull request. --json prints {"version",
"command","target","ok","exit","error","findings":[{"kind","rule","ranks","places",
"text","fix","replay","with":[numbers of ranks],"order"}],"runs":[{"ranks","asked",
"worlds","exit","ended","notes","output"}],"notes","unchecked"}; its schema is
docs/schema/check.v1.json. "error" says why the target could not be checked.

Exit status: 0 without findings, 3 if all findings are races, 1 for other findings.
It is 2 for wrong use, a program that cannot be built or starts no world, or an
interrupt before the first finding.`
}

// A checkRun is one run of the program.
type checkRun struct {
	outputs.CheckRun

	takesTurns bool   // some world uses the order that check asked for
	reported   bool   // world.Run returned an error, which the program may have printed
	why        string // the reason why another world does not
	failed     bool   // a world has not done what the program says
	files      []world.CareRecord
	concealed  []world.CareConcealed
	other      bool // other bytes conceal buffers
	own        bool // the program gives some world a schedule, which check replaced
	overruled  []string
}

// A checked is the result of a check.
type checked struct {
	OK       bool
	Target   string
	Runs     []*checkRun
	Findings []*checkFinding

	Notes     []string // files that depend on the number of ranks
	Unchecked string   // what the check could not cover, and the remedy

	mayShare bool // Unchecked concerns this program

	tick *ticker      // nil in tests
	free string       // why ranks do not take turns; empty if they do
	now  checkPass    // the pass under way
	both map[int]bool // by number of the pass: run in both orders

	Interrupted bool // interrupted before everything was checked
}

// A checkFinding is a finding and the runs that showed it.
type checkFinding struct {
	findings.Finding

	in map[checkPass]bool
}

// A checkPass is a run for one number of ranks in one order.
type checkPass struct {
	number int    // index of the number of ranks, from 0
	order  string // "forward", "backward", "free" or "program"
}

// ownOrder is the order of a pass with the schedules that the program gives its worlds.
const ownOrder = "program"

// orders are the orders of ranks in which a program is run.
var orders = []string{"forward", "backward"}

// turns describes the order in which ranks take turns.
var turns = map[string]string{
	"forward": "forward, where the next higher rank goes on", "backward": "backward, where the next lower rank goes on",
	ownOrder: "under the program's own schedule",
}

func (c *checkCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	all := &checked{Target: c.Target, Runs: []*checkRun{}, Findings: []*checkFinding{}, both: map[int]bool{}}
	said := &lastWords{w: stderr}
	shown := stderr
	if c.Output { // the program's output is there
		shown = io.Discard
	}
	all.tick = ticking(shown, "building "+c.Target)
	code, err := c.check(ctx, all, said)
	all.tick.end()
	if !c.machine() {
		if code != 0 || err != nil {
			return code, err
		}
		out := bufio.NewWriter(stdout)
		(&checkSheet{all, out, colours(stdout)}).write()
		return all.exit(), out.Flush()
	}
	if code == 0 && err == nil {
		code = all.exit()
	}
	o := all.output()
	status, why := ended(code, err, said)
	return status, errors.Join(err, c.print(stdout, &o.Report, &o, status, why))
}

// check does the work. A returned code other than 0 means that there is nothing to report.
func (c *checkCommand) check(ctx context.Context, all *checked, stderr io.Writer) (int, error) {
	memory, err := c.validate()
	if err != nil {
		return 0, err
	}
	if err := c.target(); err != nil {
		return 0, err
	}
	isTrace := recording.Is(c.Target)
	if c.Forgive != "" && !isTrace {
		return 0, errors.New("--forgive is for recordings by commworldrec, and for C programs by commworldrun")
	}
	if isTrace {
		if err := c.checkTrace(ctx, all); err != nil {
			return exitUsage, err
		}
	} else if strings.HasSuffix(c.Target, ".mpio") || c.Target == "-" {
		if code, err := c.checkScript(ctx, all, stderr); code != 0 || err != nil {
			return code, err
		}
	} else if code, err := c.checkProgram(ctx, all, memory, stderr); code != 0 || err != nil {
		return code, err
	}
	all.Interrupted = ctx.Err() != nil
	all.OK = len(all.Findings) == 0 && !all.Interrupted
	return 0, nil
}

// output returns what is printed in formats for machines.
func (a *checked) output() outputs.Check {
	o := outputs.Check{
		Report: findings.New("check", a.Target), Runs: []outputs.CheckRun{},
		Notes: a.Notes, Unchecked: a.Unchecked, Interrupted: a.Interrupted,
	}
	for _, r := range a.Runs {
		o.Runs = append(o.Runs, r.CheckRun)
	}
	for _, f := range a.Findings {
		o.Add(workingDirectory(), f.Finding)
	}
	return o
}

// doing tells the user on a terminal what is checked, and how much was found.
func (a *checked) doing(format string, args ...any) {
	if a.tick != nil {
		a.tick.say("checking %s: %s, %s so far", a.Target, fmt.Sprintf(format, args...), plain.Count(len(a.Findings), "finding"))
	}
}

// validate checks the flags and returns the limit of memory in bytes.
func (c *checkCommand) validate() (int64, error) {
	for _, n := range c.Ranks {
		if n < 1 {
			return 0, fmt.Errorf("--ranks %d: at least 1", n)
		}
	}
	if c.Timeout <= 0 {
		return 0, fmt.Errorf("--timeout %v: more than 0", c.Timeout)
	}
	if _, err := matching(c.Match); err != nil {
		return 0, err
	}
	if err := setMarkers(new(script.Script), c.Markers); err != nil {
		return 0, err
	}
	for _, rule := range c.Allow {
		if strings.ContainsAny(rule, ",=") {
			return 0, fmt.Errorf("--allow %s: one rule, such as IO-SHP-04", rule)
		}
	}
	return bytesOf(c.Memory)
}

// bytesOf parses a size such as 512MB or 2GB.
func bytesOf(text string) (int64, error) {
	upper := strings.ToUpper(strings.TrimSpace(text))
	digits := strings.TrimRight(upper, "KMGTIB")
	n, err := strconv.ParseInt(digits, 10, 64)
	shift, ok := map[string]int{"": 0, "B": 0, "K": 10, "M": 20, "G": 30, "T": 40}[strings.TrimSuffix(strings.TrimSuffix(upper[len(digits):], "B"), "I")]
	const least = 64 << 20
	if err != nil || !ok || n < 1 || n > 1<<62>>shift {
		return 0, fmt.Errorf("--memory %s: a size such as 512MB or 2GB", text)
	}
	if n <<= shift; n < least {
		return 0, fmt.Errorf("--memory %s: at least 64MB, which Go needs to start", text)
	}
	return n, nil
}

// exit returns the exit status.
func (a *checked) exit() int {
	races := func(f *checkFinding) bool { return f.Kind == world.KindRace }
	switch {
	case a.OK:
		return 0
	case len(a.Findings) == 0: // interrupted
		return exitUsage
	case slices.IndexFunc(a.Findings, func(f *checkFinding) bool { return !races(f) }) < 0:
		return exitRace
	}
	return 1
}

// add adds the findings of a run with n ranks, 0 if that number is unknown. Findings at the
// same places with different numbers of ranks are one finding.
func (a *checked) add(n int, found []world.Finding) {
	for _, f := range found {
		for k := range f.Places {
			f.Places[k] = relative(f.Places[k])
		}
		i := slices.IndexFunc(a.Findings, func(g *checkFinding) bool {
			return g.Kind == f.Kind && g.Rule == f.Rule && slices.EqualFunc(g.Places, f.Places, samePlace) && (len(f.Places) > 0 || g.Text == f.Text)
		})
		if i < 0 {
			i = len(a.Findings)
			a.Findings = append(a.Findings, &checkFinding{findings.Finding{Finding: f}, map[checkPass]bool{}})
		}
		a.Findings[i].in[a.now] = true
		if g := a.Findings[i]; n > 0 && !slices.Contains(g.With, n) {
			g.With = append(g.With, n)
		}
	}
}

// compare marks the findings that only one order showed.
func (a *checked) compare() {
	for _, f := range a.Findings {
		seen := map[string]bool{}
		for pass := range f.in {
			seen[pass.order] = true
			if !a.both[pass.number] {
				seen[""] = true
			}
		}
		for order := range turns {
			if len(seen) == 1 && seen[order] {
				f.Order = order
			}
		}
	}
}

// compareFiles compares the files of runs with different numbers of ranks. A run that failed
// has none to compare.
func (a *checked) compareFiles(finding bool) {
	var runs []child.Variant
	for _, r := range a.Runs {
		if r.Ended == "" && !r.failed && len(r.Ranks) > 0 {
			runs = append(runs, child.Variant{Ranks: r.Ranks[0], Records: r.files})
		}
	}
	if len(runs) < 2 {
		return
	}
	for _, d := range child.CompareFiles(runs) {
		if finding {
			f := world.Finding{Kind: kindFiles, Ranks: []int{}, Places: []world.Place{}, Text: d.Text, Fix: d.Fix}
			a.Findings = append(a.Findings, &checkFinding{Finding: findings.Finding{Finding: f, With: d.With}})
		} else {
			a.Notes = append(a.Notes, d.Text+"; with --same-files this is a finding")
		}
	}
	a.Notes = append(a.Notes, child.ComparedInPart(runs[0])...)
}

// relative returns a place whose files are relative to the working directory.
func relative(p world.Place) world.Place {
	dir, _ := os.Getwd()
	return findings.Relative(dir, p)
}

func samePlace(a, b world.Place) bool { return a.File == b.File && a.Line == b.Line }

// checkProgram builds the package and runs it with each number of ranks. A returned code
// other than 0 means that there is nothing to report.
func (c *checkCommand) checkProgram(ctx context.Context, all *checked, memory int64, stderr io.Writer) (int, error) {
	dir, remove, err := tempFolder("commworld-check-")
	if err != nil {
		return 0, err
	}
	defer remove()
	prog, err := child.Build(ctx, c.Target, dir, stderr)
	if err != nil || prog == "" {
		return exitUsage, err
	}
	numbers := c.Ranks
	if len(numbers) == 0 {
		numbers = []int{0} // the program chooses the number itself
	}
	waits, err := c.sharing(ctx, all, dir, stderr)
	if err != nil {
		return exitUsage, err
	}
	orders := orders
	switch {
	case c.Free:
		all.free, orders = "as --free says", []string{"free"}
	case waits:
		all.free, orders = "ranks may wait for each other by locks or channels", []string{"free"}
	}
	for i, n := range numbers {
		if err := c.passes(ctx, all, i, n, prog, dir, orders, memory, stderr); err != nil {
			return exitUsage, err
		}
		if ctx.Err() != nil { // findings so far are printed
			return 0, nil
		}
	}
	all.compare()
	all.compareFiles(c.SameFiles)
	return 0, nil
}

// passes runs the program with one number of ranks in each order. If it gives a world a
// schedule, it is run under that one, too.
func (c *checkCommand) passes(ctx context.Context, all *checked, i, n int, prog, dir string, orders []string, memory int64, stderr io.Writer) error {
	reports := 0
	once := func(r *checkRun, order string) error {
		all.now = checkPass{i, order}
		all.doing("run %d with number of ranks %d of %d", reports+1, i+1, max(1, len(c.Ranks)))
		reports++
		return c.once(ctx, all, r, n, prog, filepath.Join(dir, fmt.Sprintf("report-%d-%d", i, reports)), memory, stderr)
	}
	first := &checkRun{CheckRun: outputs.CheckRun{Ranks: []int{}}}
	all.Runs = append(all.Runs, first)
	if err := once(first, orders[0]); err != nil || ctx.Err() != nil {
		return err
	}
	if first.own {
		first.Notes = append(first.Notes, "run under the program's own schedule, too")
	}
	if first.overruled = slices.DeleteFunc(first.overruled, func(o string) bool { return o == world.ScheduleOption }); len(first.overruled) > 0 {
		first.Notes = append(first.Notes, "without effect in a check: "+strings.Join(first.overruled, ", "))
	}
	switch {
	case first.Ended != "" || !first.takesTurns && !first.own: // the other order would repeat the run, or take another minute
		if first.why != "" {
			first.Notes = append(first.Notes, "run in one order: "+first.why)
		}
		return nil
	case first.takesTurns:
		back := &checkRun{}
		if err := once(back, orders[1]); err != nil || ctx.Err() != nil {
			return err
		}
		all.both[i] = true
		early, err := c.usedEarly(ctx, all, first, back, once)
		if err != nil || ctx.Err() != nil {
			return err
		}
		if !early {
			first.differ(back)
		}
	}
	if first.own {
		all.both[i] = true
		return once(&checkRun{}, ownOrder)
	}
	return nil
}

// usedEarly looks for a program that uses the buffer of an operation before that is complete,
// and adds a finding. Forward and backward other bytes conceal such buffers. If the results
// differ, the program is run forward once more with the bytes of backward, and once more as at
// first: if that changes nothing, the bytes are what makes the difference.
func (c *checkCommand) usedEarly(ctx context.Context, all *checked, first, back *checkRun, once func(*checkRun, string) error) (bool, error) {
	if len(first.concealed) == 0 || first.difference(back) == "" {
		return false, nil
	}
	found := all.Findings
	other, again := &checkRun{other: true}, &checkRun{}
	for _, r := range []*checkRun{other, again} {
		if err := once(r, orders[0]); err != nil || ctx.Err() != nil {
			return false, err
		}
	}
	all.Findings = found
	how := first.difference(other)
	if how == "" || first.difference(again) != "" {
		return false, nil
	}
	f := world.Finding{
		Kind: world.KindError, Rule: "P2P-02", Ranks: []int{}, Places: []world.Place{},
		Fix: "use the buffer after Wait, Test or the End call has said that the operation is complete",
	}
	var names []string
	for _, l := range first.concealed {
		if strings.Contains(l.Op, "Read") {
			f.Rule = "IO-DA-12"
		}
		f.Places = append(f.Places, l.Place)
		names = append(names, fmt.Sprintf("%s (%s)", l.Op, placeText(relative(l.Place))))
	}
	f.Text = fmt.Sprintf("the program uses the buffer of %s before the operation is complete: with other bytes in it, %s", strings.Join(names, " or "), how)
	for _, order := range orders { // both orders show it
		all.now.order = order
		all.add(first.Ranks[0], []world.Finding{f})
	}
	return true, nil
}

// difference says how the result of another run of the program with as many ranks differs;
// empty: it does not.
func (r *checkRun) difference(o *checkRun) string {
	if r.Exit != o.Exit || r.Ended != o.Ended || r.Worlds != o.Worlds {
		return fmt.Sprintf("it ends with status %d, not %d", o.Exit, r.Exit)
	}
	if a, b, ok := differentLine(r.Output, o.Output); ok {
		return fmt.Sprintf("it prints %q, not %q", b, a)
	}
	if d := child.CompareFiles([]child.Variant{{Ranks: 1, Records: r.files}, {Ranks: 2, Records: o.files}}); len(d) > 0 {
		return fmt.Sprintf("file %q has other bytes at the end", d[0].Name)
	}
	return ""
}

// differ records how the result of the run backward differs.
func (r *checkRun) differ(back *checkRun) {
	end := func(r *checkRun) string {
		switch {
		case r.Ended != "":
			return "ended: " + r.Ended
		case r.Worlds != 1:
			return fmt.Sprintf("%s, exit status %d", plain.Count(r.Worlds, "world"), r.Exit)
		}
		return fmt.Sprintf("exit status %d", r.Exit)
	}
	if end(r) != end(back) {
		r.Notes = append(r.Notes, fmt.Sprintf("%s, but backward %s", end(r), end(back)))
	} else if a, b, ok := differentLine(r.Output, back.Output); ok && !r.reported && !back.reported {
		r.Notes = append(r.Notes, fmt.Sprintf("prints %q, but backward %q, by the order of the ranks, time or chance", a, b))
	}
}

// differentLine returns the first lines, in alphabetical order, that only one of two
// outputs contains. Ranks may print in any order.
func differentLine(a, b string) (x, y string, ok bool) {
	sorted := func(text string) []string {
		text = strings.ReplaceAll(text, "roundrobin:reverse", "roundrobin") // the outputs may contain the name of the order
		list := strings.Split(strings.TrimSpace(text), "\n")
		slices.Sort(list)
		return list
	}
	v, w := sorted(a), sorted(b)
	if strings.HasPrefix(a, "...") || strings.HasPrefix(b, "...") { // only the ends of the outputs were kept
		return "", "", false
	}
	for i := range max(len(v), len(w)) {
		x, y = "", ""
		if i < len(v) {
			x = v[i]
		}
		if i < len(w) {
			y = w[i]
		}
		if x != y {
			return x, y, true
		}
	}
	return "", "", false
}
