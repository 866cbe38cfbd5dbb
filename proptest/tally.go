package proptest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/commworld/commworld/proptest/gen"
)

// A tally counts what was asked of a layer.
type tally struct {
	frozen   bool // a program has failed: what makes it smaller does not count
	programs int
	ops      map[string]int // by the name of the routine
	ranks    map[int]int    // programs by their number of ranks
	lengths  map[int]int    // programs by the power of two that their number of operations reaches
}

// add counts a program.
func (t *tally) add(p *gen.Program) {
	names := make([]string, len(p.Ops))
	for k := range p.Ops {
		names[k] = routineOf(&p.Ops[k])
	}
	t.count(p.Ranks, names)
}

// count counts a program with these operations.
func (t *tally) count(ranks int, ops []string) {
	if t.frozen {
		return
	}
	if t.ops == nil {
		t.ops, t.ranks, t.lengths = map[string]int{}, map[int]int{}, map[int]int{}
	}
	t.programs++
	t.ranks[ranks]++
	size := 1
	for 2*size <= len(ops) {
		size *= 2
	}
	t.lengths[size]++
	for _, name := range ops {
		t.ops[name]++
	}
}

// join adds the counts of another tally.
func (t *tally) join(o *tally) {
	if t.ops == nil {
		t.ops, t.ranks, t.lengths = map[string]int{}, map[int]int{}, map[int]int{}
	}
	t.programs += o.programs
	for _, m := range []struct{ to, from map[int]int }{{t.ranks, o.ranks}, {t.lengths, o.lengths}} {
		for k, n := range m.from {
			m.to[k] += n
		}
	}
	for k, n := range o.ops {
		t.ops[k] += n
	}
}

// routineOf returns the name of the routine of an operation.
func routineOf(o *gen.Op) string {
	if o.Do == gen.Write || o.Do == gen.Read {
		return o.Access().String()
	}
	name, _, _ := strings.Cut(o.Call(), " ")
	return strings.TrimSuffix(name, ",")
}

// all returns the number of operations.
func (t *tally) all() (n int) {
	for _, k := range t.ops {
		n += k
	}
	return n
}

// kinds groups operations for the short line.
var kinds = []struct {
	name string
	is   func(routine string) bool
}{
	{"writes", func(s string) bool { return strings.HasPrefix(strings.TrimPrefix(s, "i"), "write") }},
	{"reads", func(s string) bool { return strings.HasPrefix(strings.TrimPrefix(s, "i"), "read") }},
	{"puts", func(s string) bool { return strings.HasPrefix(s, "put") }},
	{"gets", func(s string) bool { return s == "get" }},
	{"syncs", func(s string) bool { return strings.HasPrefix(s, "sync") }},
	{"views", func(s string) bool { return s == "view" }},
	{"seeks", func(s string) bool { return strings.HasPrefix(s, "seek") }},
	{"sizes", func(s string) bool { return s == "set_size" || s == "preallocate" }},
	{"reopens", func(s string) bool { return s == "reopen" }},
	{"others", func(string) bool { return true }},
}

// String returns the counts on one line.
func (t *tally) String() string {
	n := make([]int, len(kinds))
	for name, times := range t.ops {
		i := slices.IndexFunc(kinds, func(k struct {
			name string
			is   func(string) bool
		},
		) bool {
			return k.is(name)
		})
		n[i] += times
	}
	var parts []string
	for i, k := range kinds {
		if n[i] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[i], k.name))
		}
	}
	s := fmt.Sprintf("%d programs, %d operations", t.programs, t.all())
	if len(parts) > 0 {
		s += " (" + strings.Join(parts, ", ") + ")"
	}
	return s
}

// histogram returns the counts with bars: operations by routine, programs by ranks and by
// length.
func (t *tally) histogram() string {
	var b strings.Builder
	b.WriteString("operations\n")
	names := slices.SortedFunc(maps.Keys(t.ops), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.ops[b], t.ops[a]), cmp.Compare(a, b))
	})
	for _, name := range names {
		bar(&b, name, t.ops[name], t.ops[names[0]])
	}
	for _, x := range []struct {
		head string
		of   map[int]int
	}{{"programs by ranks", t.ranks}, {"programs by operations, at least", t.lengths}} {
		fmt.Fprintf(&b, "%s\n", x.head)
		most := 0
		for _, n := range x.of {
			most = max(most, n)
		}
		for _, k := range slices.Sorted(maps.Keys(x.of)) {
			bar(&b, fmt.Sprint(k), x.of[k], most)
		}
	}
	return b.String()
}

// bar writes a line of a histogram.
func bar(b *strings.Builder, name string, n, most int) {
	const width = 40
	fmt.Fprintf(b, "  %-22s %7d %s\n", name, n, strings.Repeat("#", (n*width+most-1)/max(1, most)))
}

// notAsked returns the groups that were skipped, by reason.
func notAsked(groups []Group) string {
	var reasons []string
	by := map[string][]string{}
	for _, g := range groups {
		if g.Skipped == "" {
			continue
		}
		why := cmp.Or(g.short, g.Skipped)
		if by[why] == nil {
			reasons = append(reasons, why)
		}
		by[why] = append(by[why], g.Name)
	}
	for i, why := range reasons {
		reasons[i] = fmt.Sprintf("%s (%s)", strings.Join(by[why], " "), why)
	}
	return strings.Join(reasons, ", ")
}
