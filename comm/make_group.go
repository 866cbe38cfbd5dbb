package comm

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/sched"
)

// members is an ordered list of ranks of the world. Ranks at equal distances, as in
// COMM_WORLD and many splits, take no memory.
type members struct {
	first, step, n int
	list           []int32 // instead of first and step, if not nil
}

func consecutive(first, step, n int) members { return members{first: first, step: step, n: n} }

// membersOf returns the members of a list, which it keeps.
func membersOf(list []int32) members {
	m := members{n: len(list), step: 1}
	if m.n > 0 {
		m.first = int(list[0])
	}
	if m.n > 1 {
		m.step = int(list[1] - list[0])
	}
	for i, r := range list {
		if int(r) != m.first+i*m.step {
			m.list = list
			break
		}
	}
	return m
}

// world returns the world rank of member i.
func (m members) world(i int) int {
	if m.list != nil {
		return int(m.list[i])
	}
	return m.first + i*m.step
}

// find returns the number of a world rank among m, or Undefined.
func (m members) find(world int) int {
	if m.list != nil {
		if i := slices.Index(m.list, int32(world)); i >= 0 {
			return i
		}
		return Undefined
	}
	d := world - m.first
	switch {
	case m.n == 0, m.step == 0 && d != 0:
		return Undefined
	case d == 0:
		return 0
	}
	if i := d / m.step; d%m.step == 0 && i > 0 && i < m.n {
		return i
	}
	return Undefined
}

// finder returns find for many lookups: it indexes the list once.
func (m members) finder() func(world int) int {
	if m.list == nil {
		return m.find
	}
	at := make(map[int32]int, m.n)
	for i, r := range m.list {
		at[r] = i
	}
	return func(world int) int {
		if i, ok := at[int32(world)]; ok {
			return i
		}
		return Undefined
	}
}

func (m members) compare(o members) Comparison {
	switch {
	case m.n != o.n:
		return Unequal
	case m.list == nil && o.list == nil && m.first == o.first && (m.step == o.step || m.n < 2):
		return Ident
	}
	how, find := Ident, o.finder()
	for i := range m.n {
		switch j := find(m.world(i)); {
		case j == Undefined:
			return Unequal
		case j != i:
			how = Similar
		}
	}
	return how
}

// A Group is an ordered set of ranks. Groups are values of their own: all
// operations are local and leave their operands alone. A nil Group is the empty
// one, MPI_GROUP_EMPTY. (GRP-01)
//
// MPI_Group
type Group struct {
	members
	me   int       // the calling rank's number in the world
	univ *universe // the world of the ranks; nil if there are no ranks
}

// Size returns the number of ranks, 0 on nil, which represents the empty group.
//
// MPI_Group_size
func (g *Group) Size() int {
	if g == nil {
		return 0
	}
	return g.n
}

// Rank returns the calling rank's number in g, [Undefined] if it is not a member.
//
// MPI_Group_rank
func (g *Group) Rank() int {
	if g == nil {
		return Undefined
	}
	return g.find(g.me)
}

// Translate returns the numbers that the given ranks of g have in o: [Undefined] for ranks
// that o lacks, and [ProcNull] for ProcNull. Errors: ErrRank.
//
// MPI_Group_translate_ranks
func (g *Group) Translate(ranks []int, o *Group) ([]int, error) {
	out, find := make([]int, len(ranks)), o.finderFor(g)
	for i, r := range ranks {
		if r == ProcNull {
			out[i] = r
			continue
		}
		if r < 0 || r >= g.Size() {
			return nil, g.fail("Translate", ErrRank, "rank %d is not in a group of %d ranks", r, g.Size())
		}
		out[i] = find(g.world(r))
	}
	return out, nil
}

// Compare returns [Ident], [Similar] or [Unequal].
//
// MPI_Group_compare
func (g *Group) Compare(o *Group) Comparison {
	if g.foreign(o) {
		return Unequal
	}
	return g.all().compare(o.all())
}

// foreign reports whether g and o have ranks of different worlds.
func (g *Group) foreign(o *Group) bool {
	return g.Size() > 0 && o.Size() > 0 && g.univ != o.univ
}

// finderFor returns a function that finds ranks of o by their numbers in g's world.
func (g *Group) finderFor(o *Group) func(world int) int {
	if g.foreign(o) {
		return func(int) int { return Undefined }
	}
	return g.all().finder()
}

// Union returns the ranks of g, then those of o that g lacks. No communicator can be made
// from a group with ranks of two worlds.
//
// MPI_Group_union
func (g *Group) Union(o *Group) *Group {
	find := g.finderFor(o)
	u := g.with(o, append(g.pick(func(int) bool { return true }),
		o.pick(func(world int) bool { return find(world) == Undefined })...))
	if g.foreign(o) {
		u.univ = nil
	} else if g.Size() == 0 && o != nil {
		u.univ = o.univ
	}
	return u
}

// Intersection returns the ranks of g that o has too, in the order of g.
//
// MPI_Group_intersection
func (g *Group) Intersection(o *Group) *Group {
	find := o.finderFor(g)
	return g.with(o, g.pick(func(world int) bool { return find(world) != Undefined }))
}

// Difference returns the ranks of g that o lacks, in the order of g.
//
// MPI_Group_difference
func (g *Group) Difference(o *Group) *Group {
	find := o.finderFor(g)
	return g.with(o, g.pick(func(world int) bool { return find(world) == Undefined }))
}

// Incl returns the given ranks of g, in the given order. Errors: ErrRank for a
// rank that g lacks or that is given twice.
//
// MPI_Group_incl
func (g *Group) Incl(ranks []int) (*Group, error) {
	if err := g.distinct("Incl", ranks); err != nil {
		return nil, err
	}
	list := make([]int32, len(ranks))
	for i, r := range ranks {
		list[i] = int32(g.world(r))
	}
	return g.with(nil, list), nil
}

// Excl returns g without the given ranks. Errors: ErrRank for a rank that g
// lacks or that is given twice.
//
// MPI_Group_excl
func (g *Group) Excl(ranks []int) (*Group, error) {
	if err := g.distinct("Excl", ranks); err != nil {
		return nil, err
	}
	out := make(map[int]bool, len(ranks))
	for _, r := range ranks {
		out[g.world(r)] = true
	}
	return g.with(nil, g.pick(func(world int) bool { return !out[world] })), nil
}

// A RankRange is the ranks First, First+Stride, ... up to Last.
type RankRange struct{ First, Last, Stride int }

// RangeIncl is [Group.Incl] of all ranks of the ranges. Errors: ErrRank, and
// ErrArg for a stride of 0.
//
// MPI_Group_range_incl
func (g *Group) RangeIncl(ranges []RankRange) (*Group, error) {
	ranks, err := g.expand("RangeIncl", ranges)
	if err != nil {
		return nil, err
	}
	return g.Incl(ranks)
}

// RangeExcl is [Group.Excl] of all ranks of the ranges. Errors: ErrRank, and
// ErrArg for a stride of 0.
//
// MPI_Group_range_excl
func (g *Group) RangeExcl(ranges []RankRange) (*Group, error) {
	ranks, err := g.expand("RangeExcl", ranges)
	if err != nil {
		return nil, err
	}
	return g.Excl(ranks)
}

// all returns the members; nil has none.
func (g *Group) all() members {
	if g == nil {
		return members{}
	}
	return g.members
}

// pick lists the world ranks of the members that keep accepts.
func (g *Group) pick(keep func(world int) bool) (list []int32) {
	for i := range g.Size() {
		if w := g.world(i); keep(w) {
			list = append(list, int32(w))
		}
	}
	return list
}

// with returns the group of the ranks in list, for the rank that holds g, or o if g is nil.
func (g *Group) with(o *Group, list []int32) *Group {
	made := Group{members: membersOf(list), me: Undefined}
	switch {
	case g != nil:
		made.me, made.univ = g.me, g.univ
	case o != nil:
		made.me, made.univ = o.me, o.univ
	}
	return &made
}

func (g *Group) distinct(op string, ranks []int) error {
	seen := make(map[int]bool, len(ranks))
	for _, r := range ranks {
		if r < 0 || r >= g.Size() {
			return g.fail(op, ErrRank, "rank %d is not in a group of %d ranks", r, g.Size())
		}
		if seen[r] {
			return g.fail(op, ErrRank, "rank %d is given twice", r)
		}
		seen[r] = true
	}
	return nil
}

func (g *Group) expand(op string, ranges []RankRange) (ranks []int, err error) {
	for _, r := range ranges {
		n := g.Size()
		switch {
		case r.Stride == 0:
			return nil, g.fail(op, ErrArg, "the stride of %d to %d is 0", r.First, r.Last)
		case r.First < 0 || r.First >= n || r.Last < 0 || r.Last >= n:
			return nil, g.fail(op, ErrRank, "%d to %d are not all ranks of a group of %d", r.First, r.Last, n)
		}
		if way := r.Last - r.First; (way >= 0) == (r.Stride > 0) || way == 0 {
			for i := 0; i <= way/r.Stride; i++ {
				ranks = append(ranks, r.First+i*r.Stride)
			}
		}
	}
	return ranks, nil
}

func (g *Group) fail(op string, class errclass.Class, format string, args ...any) error {
	return &Error{
		Pkg: "comm", Op: op, Rank: errclass.NoRank, Object: "group", Class: class, Rule: "GRP-01", Place: sched.CallSite(),
		Err: fmt.Errorf(format, args...),
	}
}
