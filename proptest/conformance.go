package proptest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// An Option changes the properties that [Conformance], [KeyValueConformance] and [ArrayConformance] check.
type Option func(*settings)

type settings struct {
	without []Capability
	with    []Capability
	ranks   int
	many    int // ranks of a few programs
	far     []int64
	exact   bool
	ops     int
	own     []gen.OwnOp
	hints   map[string][]string
}

// settingsOf returns the default settings, changed by options.
func settingsOf(opts []Option) settings { return settingsWith(32, opts) }

// settingsWith is settingsOf with another number of operations by default.
func settingsWith(ops int, opts []Option) settings {
	s := settings{ranks: 4, many: 9, ops: ops}
	for _, o := range opts {
		o(&s)
	}
	return s
}

// only returns an error if the options name what layers of a kind cannot have.
func (s *settings) only(kind string, caps ...Capability) error {
	if s.hints != nil {
		return fmt.Errorf("proptest: WithHints is for files, not for %s", kind)
	}
	for _, c := range slices.Concat(s.without, s.with) {
		if !slices.Contains(caps, c) {
			return fmt.Errorf("proptest: %s have no capability %q; there are %q", kind, c, caps)
		}
	}
	return nil
}

// has reports whether a layer that is able to do something is asked for it.
func (s *settings) has(able bool, c Capability) bool { return able && !slices.Contains(s.without, c) }

// limits returns the size of programs.
func (s *settings) limits() gen.Limits {
	return gen.Limits{Ranks: s.ranks, Many: s.many, Ops: s.ops, Exact: s.exact}
}

// Without excludes capabilities that a layer has by its methods but does not promise.
func Without(c ...Capability) Option {
	return func(s *settings) { s.without = append(s.without, c...) }
}

// With adds capabilities that no method shows. Without it, the suite tests whether the
// layer has them: [Far], [TwoHandles] and [TwoFiles].
func With(c ...Capability) Option {
	return func(s *settings) { s.with = append(s.with, c...) }
}

// WithHints adds hints of the layer's own, each with its values: those that change how the layer
// works. Programs of all groups then have hints. The layer must be a [Hinted].
func WithHints(values map[string][]string) Option {
	return func(s *settings) { s.hints = values }
}

// AtMost sets the size of programs: ranks and operations. The default is 4 and 32 (24 for key-value stores, 16 for
// arrays), and up to 9 ranks in an eighth of the programs.
func AtMost(ranks, ops int) Option {
	return func(s *settings) { s.ranks, s.many, s.ops = max(1, ranks), 0, max(1, ops) }
}

// Exactly is AtMost, but all programs have exactly this many ranks and operations. Programs over arrays may have fewer
// operations: those that are not legal are left out.
func Exactly(ranks, ops int) Option {
	return func(s *settings) { s.ranks, s.many, s.ops, s.exact = max(1, ranks), 0, max(1, ops), true }
}

// A Group is one property of the suite.
type Group struct {
	Name    string         // one word
	Rules   string         // the ids of its rules, and the subject
	Skipped string         // why the layer is not tested; empty if it is
	Prop    func(*rapid.T) // draws a program, runs it and judges the result

	// Programs draws the programs of Prop if the property is only [Reference]: for callers
	// that run the ranks themselves, by [Rank], and judge by [Judge]. Otherwise nil.
	Programs *rapid.Generator[*gen.Program]

	draw  *rapid.Generator[*gen.Program] // nil: the group has no programs
	check func(*gen.Program) error
	times int                  // programs of one check; 0: one
	alone func(*rapid.T) error // for a group without programs

	oracle string // the function of this package that check is
	short  string // Skipped in a few words
	asked  *tally // what Find has drawn
}

// Asked returns how many programs the group has run so far, without those that made a failing one
// smaller.
func (g *Group) Asked() int { return g.asked.programs }

// rule returns the first rule of the group.
func (g *Group) rule() string {
	id, _, _ := strings.Cut(g.Rules, " ")
	return id
}

// A row is a group whose layer is not known yet.
type row struct {
	name   string
	rules  string
	needs  []Capability
	use    gen.Use // of programs
	may    bool    // use only capabilities that the layer has
	times  int     // programs of one check; 0: one
	draw   func(gen.Limits) *rapid.Generator[*gen.Program]
	check  func(Maker, *gen.Program) error
	oracle string                                                                  // name of check; empty: Reference
	prop   func(mk Maker, ranks int, has map[Capability]bool) func(*rapid.T) error // the property of a group without programs
}

var rows = []row{
	{name: "offsets", rules: "IO-AT-01 IO-DA-01 IO-DA-07 IO-DA-08 IO-SIZE-08 explicit offsets", times: 8},
	{name: "sync", rules: "CONS-D05 CONS-SYNC-01 CONS-SYNC-05 sync publishes and fetches", use: gen.IncompleteSyncs | gen.Reopening, times: 6},
	{name: "collective", rules: "IO-AT-03 CONS-ORD-03 collective accesses", needs: []Capability{Collectives}, use: gen.Collectives, times: 6},
	{name: "far", rules: "IO-AT-01 IO-SIZE-08 offsets about 2^31 to 2^48", needs: []Capability{Far}, use: gen.FarOffsets | gen.Views | gen.Collectives | gen.Sizes | gen.IndividualPointers | gen.SharedPointers | gen.NonblockingAccesses | gen.Reopening, may: true, times: 8},
	{name: "views", rules: "IO-VIEW-01 IO-VIEW-02 IO-VIEW-20 views", needs: []Capability{Views}, use: gen.Views, times: 4},
	{name: "representations", rules: "REP-X32-03 REP-X32-09 IO-DA-06 data representations", needs: []Capability{Views, Representations}, use: gen.Representations, times: 10},
	{name: "pointers", rules: "IO-IND-01 IO-IND-02 IO-IND-03 IO-SEEK-01 IO-SEEK-03 IO-POS-01 individual pointers", needs: []Capability{Individual}, use: gen.IndividualPointers | gen.Views | gen.Collectives, may: true, times: 4},
	{name: "shared", rules: "IO-SHP-01 IO-SHP-04 IO-SHP-05 shared pointer", needs: []Capability{SharedPointers}, use: gen.SharedPointers | gen.Views, may: true, times: 4},
	{name: "appends", rules: "IO-SHP-01 IO-SHP-04 shared writes of all ranks at one time", needs: []Capability{SharedPointers}, prop: appends},
	{name: "ordered", rules: "IO-SHP-06 IO-SHP-07 rank order", needs: []Capability{Ordered}, use: gen.OrderedAccesses | gen.Collectives, times: 4},
	{name: "nonblocking", rules: "IO-AT-04 IO-IND-04 IO-NBC-04 nonblocking accesses", needs: []Capability{Nonblocking}, use: gen.NonblockingAccesses | gen.OutstandingAccesses | gen.IndividualPointers | gen.Collectives, may: true, times: 4},
	{name: "split", rules: "IO-SPLIT-02 IO-SPLIT-09 split collectives", needs: []Capability{Split}, use: gen.SplitAccesses | gen.OutstandingAccesses | gen.Collectives | gen.IndividualPointers | gen.OrderedAccesses, may: true, times: 3},
	{name: "sizes", rules: "IO-SIZE-01 IO-SIZE-04 IO-SIZE-09 sizes", needs: []Capability{Sizes}, use: gen.Sizes | gen.Reopening, times: 4},
	{name: "atomic", rules: "CONS-ATOM-01 CONS-D03 CONS-C5 atomic accesses", needs: []Capability{Atomic}, use: gen.Everything, may: true, draw: gen.AtomicPrograms, check: AtomicSerialisable, oracle: "AtomicSerialisable", times: 12},
	{name: "races", rules: "CONS-D05 CONS-SYNC-01 programs without conflicts race nowhere", use: gen.NoConflict | gen.Collectives | gen.Reopening, may: true, check: NoRace, oracle: "NoRace", times: 2},
	{name: "storage", rules: "CONS-SYNC-01 nothing that was synced is lost", needs: []Capability{Storing}, use: gen.Everything &^ gen.AtomicMode, may: true, check: NothingLost, oracle: "NothingLost", times: 2},
	{name: "hang", rules: "CONS-PROG-01 CONS-PROG-03 every call ends", use: gen.Everything, may: true, check: NoHang, oracle: "NoHang"},
	{name: "hints", rules: "IO-INFO-06 hints change nothing", needs: []Capability{Hints}, use: gen.FileHints | gen.Views | gen.Collectives | gen.IndividualPointers | gen.Reopening, may: true},
	{name: "faults", rules: "CONS-SYNC-01 IO-CLOSE-01 ERR-09 IO-DA-07 promises when files fail", needs: []Capability{Faults}, use: gen.Everything, may: true, draw: gen.FaultPrograms, check: Promises, oracle: "Promises", times: 4},
	{name: "roundtrip", rules: "IO-VIEW-20 IO-CLOSE-01 IO-OPEN-11 complementary views come back", needs: []Capability{Views}, prop: complementaryViews},
	{name: "handles", rules: "CONS-D04 CONS-D05 CONS-C3 IO-OPEN-11 two handles of a file on each rank", needs: []Capability{TwoHandles}, use: gen.TwoHandles | twoUse, may: true, times: 4},
	{name: "files", rules: "IO-DA-01 CONS-D05 two files on each rank", needs: []Capability{TwoFiles}, use: gen.TwoFiles | twoUse, may: true, times: 2},
	{name: "crashes", rules: "CONS-SYNC-01 IO-CLOSE-01 power cuts anywhere, recovery, and on", needs: []Capability{Restarting}, use: gen.Collectives | gen.Reopening, may: true, draw: gen.CrashPrograms, check: PowerCuts, oracle: "PowerCuts", times: 24},
	{name: "operations", rules: "CONS-SYNC-01 IO-DA-15 operations of the layer's own", needs: []Capability{Operating}, use: gen.Everything &^ gen.AtomicMode, may: true, draw: gen.OwnPrograms, check: Reference, times: 4},
	{name: "everything", rules: "IO-DA-15 CONS-C4 everything together", use: gen.Everything, may: true, times: 4},
}

// twoUse has the other features that programs with two handles use.
const twoUse = gen.Views | gen.Collectives | gen.IndividualPointers | gen.SharedPointers | gen.OrderedAccesses | gen.NonblockingAccesses | gen.Sizes | gen.Reopening

// needed has the capability that each feature of programs needs.
var needed = []struct {
	use gen.Use
	cap Capability
}{
	{gen.Views, Views},
	{gen.Representations, Representations},
	{gen.Collectives, Collectives},
	{gen.IndividualPointers, Individual},
	{gen.SharedPointers, SharedPointers},
	{gen.OrderedAccesses, Ordered},
	{gen.NonblockingAccesses, Nonblocking},
	{gen.OutstandingAccesses, Nonblocking},
	{gen.SplitAccesses, Split},
	{gen.Sizes, Sizes},
	{gen.AtomicMode, Atomic},
	{gen.FileHints, Hints},
	{gen.SyncAlls, SyncsAll},
}

// Groups returns the properties that [Conformance] checks for the layers that mk makes.
// It may call mk several times.
func Groups(mk Maker, opts ...Option) ([]Group, error) {
	s := settingsOf(opts)
	has, own, err := probe(mk)
	s.own = own
	if err != nil {
		return nil, fmt.Errorf("proptest: the layer does not open a file: %w", err)
	}
	for _, c := range s.without {
		has[c] = false
	}
	if has[Far] && !slices.Contains(s.with, Far) {
		if has[Far], err = sparse(mk); err != nil {
			return nil, err
		}
	}
	if has[Far] {
		if s.far, err = accepted(mk); err != nil {
			return nil, err
		}
	}
	refused := s.second(mk, has)
	has[Representations] = has[Representations] && has[Views]
	groups := make([]Group, len(rows))
	for i := range rows {
		groups[i] = rows[i].group(mk, s, has)
		for _, c := range rows[i].needs {
			if refused[c] != nil {
				groups[i].short = fmt.Sprintf("the smallest program with %s FAILS, see go test -v; declare With or Without(%s)", c, capNames[c])
				groups[i].Skipped = fmt.Sprintf("ranks of the layer cannot have %s open, to judge by this program. If they should, proptest.With(proptest.%s) has the group run.\n%v", c, capNames[c], &Failure{Err: refused[c]})
			}
		}
	}
	return groups, nil
}

// capNames has the names of capabilities that a trial decides.
var capNames = map[Capability]string{TwoHandles: "TwoHandles", TwoFiles: "TwoFiles"}

// probe opens a file to find the capabilities of the layer.
func probe(mk Maker) (has map[Capability]bool, own []gen.OwnOp, err error) {
	l, err := mk()
	if err != nil {
		return nil, nil, err
	}
	err = world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := l.Open(c, fileName)
		if err != nil {
			return err
		}
		has, own = able(l, f), ownOps(operationsOf(l))
		return f.Close()
	})
	if c, ok := l.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return has, own, err
}

// second tests whether ranks of a layer may have two handles; it returns the reason if not.
func (s *settings) second(mk Maker, has map[Capability]bool) map[Capability]error {
	refused := map[Capability]error{}
	var hung *HangError
	for _, two := range []struct {
		cap    Capability
		second gen.Second
	}{{TwoHandles, gen.SameFile}, {TwoFiles, gen.OtherFile}} {
		switch {
		case !has[two.cap] || slices.Contains(s.with, two.cap):
		case hung != nil: // the other test would hang, too
			refused[two.cap] = hung
		default:
			refused[two.cap] = tried(mk, smallest(two.second, has[Sizes]))
			errors.As(refused[two.cap], &hung)
		}
		has[two.cap] = has[two.cap] && refused[two.cap] == nil
	}
	return refused
}

// tried runs Reference and turns a panic of the layer outside its ranks into an error.
func tried(mk Maker, p *gen.Program) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = explain(p, fmt.Errorf("panic: %v", e))
		}
	}()
	return Reference(mk, p)
}

// smallest returns a program that a layer must pass if its ranks may have a second handle:
// each handle finds the bytes written and synced through the other or, with a second file,
// none of them.
func smallest(second gen.Second, sizes bool) *gen.Program {
	sync := gen.Op{Do: gen.Sync, All: true}
	p := &gen.Program{Ranks: 2, Second: second, Ops: []gen.Op{
		{Do: gen.Write, N: 4},
		sync,
		{Do: gen.Read, Rank: 1, N: 4, Second: true},
		{Do: gen.Write, Rank: 1, Off: 4, N: 4, Second: true},
		sync,
		{Do: gen.Read, N: 8},
		{Do: gen.Read, N: 8, Second: true},
	}}
	if sizes {
		p.Ops = append(p.Ops, gen.Op{Do: gen.SetSize, All: true, Size: 2}, gen.Op{Do: gen.Read, N: 8, Second: true}, sync)
	}
	return p
}

// hole is the offset of the byte that sparse writes; the other constant bounds the memory
// that this write may take.
const (
	hole       = 1 << 26
	mostMemory = hole / 2
)

// accepted returns the far offsets at which a layer writes a byte without an error: files of
// the operating system end earlier than offsets.
func accepted(mk Maker) (starts []int64, err error) {
	for _, start := range gen.FarStarts() {
		l, err := mk()
		if err != nil {
			return nil, err
		}
		refused := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
			f, err := l.Open(c, fileName)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte{1}, start)
			return errors.Join(err, f.Close()) // a layer may write only then
		}, world.Unchecked())
		if c, ok := l.(io.Closer); ok {
			if err := c.Close(); err != nil {
				return nil, err
			}
		}
		if refused == nil {
			starts = append(starts, start)
		}
	}
	if starts == nil { // say so by a failure
		starts = gen.FarStarts()[:1]
	}
	return starts, nil
}

// sparse reports whether a layer stores no bytes where no rank wrote. Any other layer
// would need terabytes for far offsets.
func sparse(mk Maker) (bool, error) {
	l, err := mk()
	if err != nil {
		return false, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := l.Open(c, fileName)
		if err != nil {
			return err
		}
		_, _ = f.WriteAt([]byte{1}, hole) // programs find this error, too
		return f.Close()
	}, world.Unchecked())
	runtime.ReadMemStats(&after)
	if c, ok := l.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return after.TotalAlloc-before.TotalAlloc < mostMemory, err
}

func (r *row) group(mk Maker, s settings, has map[Capability]bool) Group {
	g := Group{Name: r.name, Rules: r.rules, asked: new(tally), oracle: cmp.Or(r.oracle, "Reference")}
	for _, c := range r.needs {
		if !has[c] {
			g.Skipped = "the layer has no " + string(c)
			g.short = "no such methods"
			if slices.Contains(s.without, c) {
				g.short = "Without"
			}
			if c == Far && !slices.Contains(s.without, Far) {
				g.short = "holes take memory"
				g.Skipped = "the layer stores all bytes before a byte at 2^26: far offsets would need terabytes"
			}
		}
	}
	use := r.use | gen.Shapes | gen.SyncAlls | gen.AnyValues | gen.Irregular | gen.Long
	if s.hints != nil && has[Hints] {
		use |= gen.FileHints
	}
	for _, n := range needed {
		if (r.may || n.use == gen.SyncAlls) && !has[n.cap] {
			use &^= n.use
		}
	}
	if r.prop != nil {
		g.alone = r.prop(mk, s.ranks, has)
		g.Prop = func(t *rapid.T) {
			if err := g.alone(t); err != nil {
				t.Fatal(err)
			}
		}
		return g
	}
	draw, check := r.draw, r.check
	if draw == nil {
		draw = gen.Programs
	}
	if check == nil {
		check = Reference
	}
	limits := s.limits()
	limits.Use, limits.Far, limits.Own, limits.Hints = use, s.far, s.own, s.hints
	programs := draw(limits)
	if r.draw == nil && r.check == nil {
		g.Programs = programs
	}
	g.times = r.times
	g.draw, g.check = programs, func(p *gen.Program) error { return check(mk, p) }
	g.Prop = func(t *rapid.T) {
		if err := check(mk, programs.Draw(t, "program")); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// complementaryViews checks complementary views without the reference.
func complementaryViews(mk Maker, ranks int, has map[Capability]bool) func(*rapid.T) error {
	return func(t *rapid.T) error {
		rep := "native"
		if has[Representations] {
			rep = rapid.SampledFrom([]string{"native", "external32"}).Draw(t, "rep")
		}
		views := gen.Partition(gen.Ranks(ranks).Draw(t, "ranks"), rep).Draw(t, "views")
		n, seed := rapid.Int64Range(0, 6).Draw(t, "n"), rapid.Uint64().Draw(t, "schedule")
		if err := RoundTrip(mk, views, n, seed); err != nil {
			return err
		}
		return ViewInverse(mk, views, n, seed)
	}
}

// appends draws the arguments of [SharedAppends].
func appends(mk Maker, ranks int, _ map[Capability]bool) func(*rapid.T) error {
	return func(t *rapid.T) error {
		n := gen.Ranks(ranks).Draw(t, "ranks")
		times, long := rapid.IntRange(1, 4).Draw(t, "times"), rapid.Int64Range(4, 12).Draw(t, "long")
		return SharedAppends(mk, n, times, long, rapid.Uint64().Draw(t, "schedule"))
	}
}

// Conformance checks that a layer is MPI-IO, for the capabilities that it has. Each property
// is a subtest with random programs. If programs fail, it prints the smallest one, with the
// command that repeats it. Rapid's flags set the number of programs (-rapid.checks) and
// repeat a failure. Subtests for capabilities that the layer does not have are skipped. A
// line on the standard output says what was asked and what was not, and why.
//
// mk makes a new, empty layer for each program.
func Conformance(t *testing.T, mk Maker, opts ...Option) {
	t.Helper()
	groups, err := Groups(mk, opts...)
	if err != nil {
		t.Fatal(err)
	}
	checkGroups(t, groups, testLine())
}

// checkGroups runs groups as subtests of the test in a line.
func checkGroups(t *testing.T, groups []Group, line string) {
	t.Helper()
	hung := "" // the group with a program that hangs
	asked := new(tally)
	for _, g := range groups {
		t.Run(g.Name, func(t *testing.T) {
			t.Helper()
			if g.Skipped != "" {
				t.Skip(g.Skipped)
			}
			if hung != "" {
				t.Skipf("a program of group %s does not end; others would take as long to say so", hung)
			}
			f := g.Find(t.Name())
			asked.join(g.asked)
			if f == nil {
				return
			}
			f.Test = line
			var e *HangError
			if errors.As(f, &e) {
				hung = g.Name
			}
			t.Fatal(f)
		})
	}
	report(t, asked, groups)
}

// report prints what was asked: a line to the standard output, because go test shows what a
// test logs only if the test fails or by -v, and a histogram to the log.
func report(t *testing.T, asked *tally, groups []Group) {
	t.Helper()
	line := fmt.Sprintf("proptest: %s: %v", t.Name(), asked)
	if not := notAsked(groups); not != "" {
		line += "; not asked: " + not
	}
	fmt.Println(line)
	if asked.programs > 0 && testing.Verbose() {
		t.Log(asked.histogram())
	}
}

// Fuzz makes a fuzz target of a property, such as "views" or "everything". The name may
// also be part of its rules, such as "IO-VIEW-01". The corpus begins with inputs that are
// long enough to be programs. Run it with -fuzzminimizetime 1x: the fuzzer's own
// minimizing takes a minute for each new input and does not help, because the suite makes
// a failing program smaller anyway.
func Fuzz(f *testing.F, mk Maker, name string, opts ...Option) {
	f.Helper()
	groups, err := Groups(mk, opts...)
	if err != nil {
		f.Fatal(err)
	}
	i := slices.IndexFunc(groups, func(g Group) bool { return g.Name == name })
	if i < 0 {
		i = slices.IndexFunc(groups, func(g Group) bool { return strings.Contains(g.Rules, name) })
	}
	switch {
	case i < 0:
		f.Fatalf("no property is called %q", name)
	case groups[i].Skipped != "":
		f.Skip(groups[i].Skipped)
	}
	src := rand.New(rand.NewPCG(1, 2))
	for range 16 { // each is long enough to be a program
		bits := make([]byte, 1<<13)
		for k := range bits {
			bits[k] = byte(src.Uint32())
		}
		f.Add(bits)
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		h := &hunt{group: &groups[i]}
		defer h.done() // the fuzzer runs a failing input again
		h.prop(t)
	}))
}
