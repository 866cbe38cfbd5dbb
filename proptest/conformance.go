package proptest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// An Option changes what [Conformance] asks of a layer.
type Option func(*settings)

type settings struct {
	without []Capability
	ranks   int
	exact   bool
	ops     int
}

// Without excuses a layer from capabilities that it has by its methods but does
// not want to be judged by.
func Without(c ...Capability) Option {
	return func(s *settings) { s.without = append(s.without, c...) }
}

// AtMost sets the size of programs: ranks and operations. The default is 4 and
// 20.
func AtMost(ranks, ops int) Option {
	return func(s *settings) { s.ranks, s.ops = max(1, ranks), max(1, ops) }
}

// Exactly is AtMost for programs that all have so many ranks and operations.
func Exactly(ranks, ops int) Option {
	return func(s *settings) { s.ranks, s.ops, s.exact = max(1, ranks), max(1, ops), true }
}

// A Group is one property of the suite.
type Group struct {
	Name    string         // begins with the ids of the rules that it is about
	Skipped string         // why the layer is not asked, if it is not
	Prop    func(*rapid.T) // draws a program, runs it, judges it

	// Programs are those that Prop draws, where all that it does is [Reference]: for
	// who runs the ranks otherwise, by [Rank], and judges by [Judge]. Otherwise nil.
	Programs *rapid.Generator[*gen.Program]
}

// A row is a group before the layer is known.
type row struct {
	name  string
	needs []Capability
	use   gen.Use // of programs
	may   bool    // as much of use as the layer can do
	draw  func(gen.Limits) *rapid.Generator[*gen.Program]
	check func(Maker, *gen.Program) error
	prop  func(mk Maker, ranks int, has map[Capability]bool) func(*rapid.T) // of one that is not about programs
}

var rows = []row{
	{name: "IO-AT-01 IO-DA-01 IO-DA-07 IO-DA-08 IO-SIZE-08 explicit offsets"},
	{name: "CONS-D05 CONS-SYNC-01 CONS-SYNC-05 sync publishes and fetches", use: gen.IncompleteSyncs | gen.Reopening},
	{name: "IO-AT-03 CONS-ORD-03 collective accesses", needs: []Capability{Collectives}, use: gen.Collectives},
	{name: "IO-VIEW-01 IO-VIEW-02 IO-VIEW-20 views", needs: []Capability{Views}, use: gen.Views},
	{name: "REP-X32-03 REP-X32-09 IO-DA-06 data representations", needs: []Capability{Views, Representations}, use: gen.Representations},
	{name: "IO-IND-01 IO-IND-02 IO-IND-03 IO-SEEK-01 IO-SEEK-03 IO-POS-01 individual pointers", needs: []Capability{Individual}, use: gen.IndividualPointers | gen.Views, may: true},
	{name: "IO-SHP-01 IO-SHP-04 IO-SHP-05 shared pointer", needs: []Capability{SharedPointers}, use: gen.SharedPointers | gen.Views, may: true},
	{name: "IO-SHP-06 IO-SHP-07 rank order", needs: []Capability{Ordered}, use: gen.OrderedAccesses | gen.Collectives},
	{name: "IO-AT-04 IO-IND-04 IO-NBC-04 nonblocking accesses", needs: []Capability{Nonblocking}, use: gen.NonblockingAccesses | gen.OutstandingAccesses | gen.IndividualPointers | gen.Collectives, may: true},
	{name: "IO-SPLIT-02 IO-SPLIT-09 split collectives", needs: []Capability{Split}, use: gen.SplitAccesses | gen.OutstandingAccesses | gen.Collectives | gen.IndividualPointers | gen.OrderedAccesses, may: true},
	{name: "IO-SIZE-01 IO-SIZE-04 IO-SIZE-09 sizes", needs: []Capability{Sizes}, use: gen.Sizes},
	{name: "CONS-ATOM-01 CONS-D03 CONS-C5 atomic accesses", needs: []Capability{Atomic}, draw: few, check: AtomicSerialisable},
	{name: "CONS-SYNC-01 nothing that was synced is lost", needs: []Capability{Storing}, use: gen.Everything &^ gen.AtomicMode, may: true, check: NothingLost},
	{name: "CONS-PROG-01 CONS-PROG-03 every call ends", use: gen.Everything, may: true, check: NoHang},
	{name: "IO-INFO-06 hints change nothing", needs: []Capability{Hints}, use: gen.FileHints | gen.Views | gen.Collectives | gen.IndividualPointers | gen.Reopening, may: true},
	{name: "CONS-SYNC-01 IO-CLOSE-01 ERR-09 IO-DA-07 promises when files fail", needs: []Capability{Faults}, use: gen.Everything, may: true, draw: gen.FaultPrograms, check: Promises},
	{name: "IO-VIEW-20 IO-CLOSE-01 IO-OPEN-11 complementary views come back", needs: []Capability{Views}, prop: comeBack},
	{name: "IO-DA-15 CONS-C4 everything together", use: gen.Everything, may: true},
}

// needed says which capability programs need for what they use.
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
}

// Groups returns the properties that [Conformance] checks, for a layer of which
// mk makes as many as are needed.
func Groups(mk Maker, opts ...Option) ([]Group, error) {
	s := settings{ranks: 4, ops: 20}
	for _, o := range opts {
		o(&s)
	}
	has, err := probe(mk)
	if err != nil {
		return nil, fmt.Errorf("proptest: the layer does not open a file: %w", err)
	}
	for _, c := range s.without {
		has[c] = false
	}
	has[Representations] = has[Representations] && has[Views]
	groups := make([]Group, len(rows))
	for i := range rows {
		groups[i] = rows[i].group(mk, s, has)
	}
	return groups, nil
}

// probe opens a file to see what the layer can do.
func probe(mk Maker) (has map[Capability]bool, err error) {
	l, err := mk()
	if err != nil {
		return nil, err
	}
	err = world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := l.Open(c, fileName)
		if err != nil {
			return err
		}
		has = able(l, f)
		return f.Close()
	})
	if c, ok := l.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return has, err
}

func (r *row) group(mk Maker, s settings, has map[Capability]bool) Group {
	g := Group{Name: r.name}
	for _, c := range r.needs {
		if !has[c] {
			g.Skipped = "the layer has no " + string(c)
		}
	}
	use := r.use
	for _, n := range needed {
		if r.may && !has[n.cap] {
			use &^= n.use
		}
	}
	if r.prop != nil {
		g.Prop = r.prop(mk, s.ranks, has)
		return g
	}
	draw, check := r.draw, r.check
	if draw == nil {
		draw = gen.Programs
	}
	if check == nil {
		check = Reference
	}
	programs := draw(gen.Limits{Ranks: s.ranks, Ops: s.ops, Exact: s.exact, Use: use})
	if r.draw == nil && r.check == nil {
		g.Programs = programs
	}
	g.Prop = func(t *rapid.T) {
		if err := check(mk, programs.Draw(t, "program")); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// few draws programs in atomic mode that are small enough for every serial order
// to be tried.
func few(l gen.Limits) *rapid.Generator[*gen.Program] {
	return gen.AtomicPrograms(min(l.Ranks, 3), min(l.Ops, 4))
}

// comeBack is about complementary views, without the reference.
func comeBack(mk Maker, ranks int, has map[Capability]bool) func(*rapid.T) {
	return func(t *rapid.T) {
		rep := "native"
		if has[Representations] {
			rep = rapid.SampledFrom([]string{"native", "external32"}).Draw(t, "rep")
		}
		views := gen.Partition(gen.Ranks(ranks).Draw(t, "ranks"), rep).Draw(t, "views")
		n, seed := rapid.Int64Range(0, 6).Draw(t, "n"), rapid.Uint64().Draw(t, "schedule")
		if err := RoundTrip(mk, views, n, seed); err != nil {
			t.Fatal(err)
		}
		if err := ViewInverse(mk, views, n, seed); err != nil {
			t.Fatal(err)
		}
	}
}

// Conformance checks that a layer is MPI-IO as far as it goes: each property in
// a subtest that is named by the ids of its rules, with random programs, the
// smallest failing one of which is printed. Flags of rapid say how many
// programs (-rapid.checks) and replay a failure. Subtests for capabilities that
// the layer has not are skipped.
//
// mk makes a new, empty layer for each program.
func Conformance(t *testing.T, mk Maker, opts ...Option) {
	t.Helper()
	groups, err := Groups(mk, opts...)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		t.Run(g.Name, func(t *testing.T) {
			if g.Skipped != "" {
				t.Skip(g.Skipped)
			}
			rapid.Check(t, g.Prop)
		})
	}
}

// Fuzz makes a fuzz target of the property whose name contains the text given,
// such as "IO-VIEW-01" or "everything together".
func Fuzz(f *testing.F, mk Maker, name string, opts ...Option) {
	f.Helper()
	groups, err := Groups(mk, opts...)
	if err != nil {
		f.Fatal(err)
	}
	i := slices.IndexFunc(groups, func(g Group) bool { return strings.Contains(g.Name, name) })
	switch {
	case i < 0:
		f.Fatalf("no property is called %q", name)
	case groups[i].Skipped != "":
		f.Skip(groups[i].Skipped)
	}
	f.Fuzz(rapid.MakeFuzz(groups[i].Prop))
}
