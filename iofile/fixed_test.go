package iofile_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A viewType draws etypes and filetypes: displacements do not decrease, and items are few.
type viewType struct {
	*rapid.T
	leaves []*types.Type
}

var (
	viewLeaves = []*types.Type{
		types.Char, types.Int, types.Long, types.Double, types.Short, types.LongDouble, types.WChar, types.Float, types.Int64,
	}
	pairLeaves = append(slices.Clone(viewLeaves), types.DoubleInt, types.ShortInt, types.LongInt)
)

func (v viewType) int(name string, lo, hi int64) int64 {
	return rapid.Int64Range(lo, hi).Draw(v.T, name)
}

func (v viewType) draw(depth int) *types.Type {
	if depth == 0 {
		return rapid.SampledFrom(v.leaves).Draw(v.T, "leaf")
	}
	return v.around(v.draw(depth-1), depth)
}

// around draws a type made of elem.
func (v viewType) around(elem *types.Type, depth int) *types.Type {
	span := int64(0) // more than elem takes on any machine
	for _, s := range machines(reps.LP64LE) {
		l, err := elem.Layout(s)
		if err != nil {
			return elem
		}
		span = max(span, l.UB, l.TrueUB, l.Extent)
	}
	switch v.int("constructor", 0, 10) {
	case 0:
		return types.Contiguous(v.int("n", 0, 2), elem)
	case 1:
		return types.Vector(v.int("n", 1, 2), v.int("len", 0, 2), v.int("stride", 0, 3), elem)
	case 2:
		return types.HVector(v.int("n", 1, 2), v.int("len", 1, 2), v.int("stride", 0, 4*span), elem)
	case 3:
		return types.Indexed([]types.Block{{Len: v.int("len", 0, 2), Disp: v.int("disp", 0, 2)}, {Len: v.int("len", 0, 2), Disp: v.int("disp", 2, 5)}}, elem)
	case 4:
		return types.HIndexed([]types.Block{{Len: v.int("len", 0, 2), Disp: v.int("disp", 0, 9)}, {Len: v.int("len", 0, 1), Disp: 9 + v.int("disp", span, 3*span)}}, elem)
	case 5:
		return types.IndexedBlock(v.int("len", 1, 2), []int64{v.int("disp", 0, 1), 3}, elem)
	case 6:
		return types.HIndexedBlock(v.int("len", 1, 2), []int64{v.int("disp", 0, 2*span)}, elem)
	case 7:
		other := v.draw(int(v.int("depth", 0, int64(depth-1))))
		return types.Struct(types.Field{Count: v.int("count", 0, 2), Disp: 0, Type: elem},
			types.Field{Count: v.int("count", 0, 2), Disp: 2 * span, Type: other})
	case 8:
		if v.int("sub", 0, 1) == 0 {
			return types.Darray(types.Grid{Size: 2, Rank: v.int("rank", 0, 1), Order: types.OrderC, Dims: []types.GridDim{{Size: 3, Dist: types.DistCyclic, Arg: types.DefaultArg, Procs: 2}}}, elem)
		}
		return types.Subarray(types.OrderC, []types.Slab{{Size: 4, Sub: v.int("sub", 1, 2), Start: v.int("start", 0, 2)}}, elem)
	}
	return types.Resized(elem, 0, v.int("extent", span, 3*span))
}

// machines lists the sizes of all architectures and of the file.
func machines(own *reps.Arch) []types.Sizes {
	list := []types.Sizes{own, reps.External32}
	for _, a := range reps.Archs() {
		list = append(list, a)
	}
	return list
}

// varies is the definition: the typemap or the bounds of t are not the same on all machines.
func varies(t *types.Type) bool {
	var first string
	for i, s := range machines(reps.LP64LE) {
		m := naive.Of(t, s)
		lb, ub := m.Bounds()
		at := fmt.Sprint(lb, ub)
		for _, item := range m.Items {
			at += fmt.Sprint(" ", item.Disp)
		}
		if i > 0 && at != first {
			return true
		}
		first = at
	}
	return false
}

// bounded reports whether t has explicit bounds.
func bounded(t *types.Type) bool {
	l, err := t.Layout(reps.LP64LE)
	if err != nil {
		return false
	}
	lb, ub := l.Markers()
	return lb.Set && ub.Set
}

// wantLints returns the rules that the view of a rank with memory a should break, by the
// standard's text.
func wantLints(a *reps.Arch, etype, filetype *types.Type) (want []string) {
	_, memory := etype.Extent(a)
	if _, file := etype.Extent(reps.External32); etype.Portable() && !filetype.Portable() && memory != file {
		want = append(want, "REP-DT-08")
	}
	if etype.Portable() && filetype.Portable() {
		return want
	}
	_, extent := etype.Extent(a)
	lucky := !etype.Portable() && !bounded(etype) && bounded(filetype) && extent%16 != 0
	if varies(filetype) || !etype.Portable() && (varies(etype) || lucky) {
		want = append(want, "REP-DT-06")
	}
	return want
}

// A viewCase is a view, and what setting it gave.
type viewCase struct {
	view  iofile.View
	lints []iofile.Lint
	err   error
}

// setViews sets each view through a handle of its own on a rank of architecture a.
func setViews(t require.TestingT, a *reps.Arch, cases []viewCase) {
	fsys := iofile.NewMem()
	require.NoError(t, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		for i := range cases {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			cases[i].err = f.SetView(cases[i].view)
			cases[i].lints = f.Lints()
			if err := f.Close(); err != nil {
				return err
			}
		}
		return nil
	}, world.Arch(0, a)))
}

// advised is what a lint says about a type: give it bounds.
var advised = regexp.MustCompile(`^(?:the layout of (?:etype|filetype) (.*) depends on the machine: (?:it takes|(.*) is repeated in it, and takes)|.* but etype (.*) has none:).*Resized\(t, (-?\d+), (-?\d+)\)$`)

// follow returns the view with the advice of a lint carried out: the type that it names has
// explicit bounds wherever it occurs.
func follow(t *rapid.T, v iofile.View, text string) iofile.View {
	m := advised.FindStringSubmatch(text)
	require.NotNil(t, m, text)
	named, err := types.Parse(cmp.Or(m[2], m[3], m[1]))
	require.NoError(t, err, text)
	lb, _ := strconv.ParseInt(m[4], 10, 64)
	extent, _ := strconv.ParseInt(m[5], 10, 64)
	v.Etype, v.Filetype = withBounds(v.Etype, named, lb, extent), withBounds(v.Filetype, named, lb, extent)
	return v
}

func withBounds(t, named *types.Type, lb, extent int64) *types.Type {
	if t.Equal(named) {
		return types.Resized(t, lb, extent)
	}
	c, err := t.Contents()
	if err != nil {
		return t // a named type
	}
	for i, kid := range c.Types {
		c.Types[i] = withBounds(kid, named, lb, extent)
	}
	return types.Rebuild(t.Envelope().Combiner, c)
}

// drawCase draws a view under external32 in which an etype and a filetype belong together.
func drawCase(t *rapid.T, leaves []*types.Type) iofile.View {
	v := viewType{t, leaves}
	etype := v.draw(int(v.int("depth", 0, 2)))
	filetype := etype
	for range v.int("levels", 0, 2) {
		filetype = v.around(filetype, 1)
	}
	return as("external32", 0, etype, filetype)
}

// TestVaryingLayouts: a right program that is accused teaches people to ignore lints, and a
// wrong one that is not makes a file that other machines cannot read.
func TestVaryingLayouts(t *testing.T) {
	const views = 60 // in one world
	t.Run("REP-DT-03 REP-DT-06 REP-DT-08 a lint if and only if layouts differ between machines", rapid.MakeCheck(func(t *rapid.T) {
		a := rapid.SampledFrom(reps.Archs()).Draw(t, "arch")
		cases := make([]viewCase, views)
		for i := range cases {
			cases[i].view = drawCase(t, pairLeaves)
		}
		setViews(t, a, cases)
		for _, c := range cases {
			if c.err != nil {
				continue // a view that breaks a rule sets nothing
			}
			rules := map[string]bool{}
			for _, l := range c.lints {
				rules[l.Rule] = true
			}
			want := wantLints(a, c.view.Etype, c.view.Filetype)
			assert.ElementsMatch(t, want, slices.Collect(maps.Keys(rules)), "%v: etype %v, filetype %v: %v", a, c.view.Etype, c.view.Filetype, c.lints)
		}
	}))
	t.Run("REP-DT-06 in each constructor, once and repeated", func(t *testing.T) {
		long := types.Long // its extent is not the same on all machines
		etype := types.Resized(long, 0, 4)
		at := func(n, disp int64) types.Field { return types.Field{Count: n, Disp: disp, Type: long} }
		slab := func(size, start int64) *types.Type {
			return types.Subarray(types.OrderC, []types.Slab{{Size: 2, Sub: size, Start: start}}, long)
		}
		var cases []viewCase
		for _, filetype := range []*types.Type{
			types.Dup(long),
			types.Contiguous(1, long), types.Contiguous(2, long),
			types.Vector(1, 1, 2, long), types.Vector(2, 1, 1, long), types.Vector(1, 2, 0, long),
			types.HVector(2, 1, 16, long), types.HVector(1, 2, 0, long),
			types.Indexed([]types.Block{{Len: 1}}, long), types.Indexed([]types.Block{{Len: 2}}, long), types.Indexed([]types.Block{{Len: 1, Disp: 1}}, long),
			types.HIndexed([]types.Block{{Len: 1}, {Len: 1, Disp: 16}}, long), types.HIndexed([]types.Block{{Len: 1}, {Len: 2, Disp: 16}}, long),
			types.IndexedBlock(1, []int64{0}, long), types.IndexedBlock(2, []int64{0}, long), types.IndexedBlock(1, []int64{1}, long),
			types.HIndexedBlock(1, []int64{0, 16}, long), types.HIndexedBlock(2, []int64{0}, long),
			types.Struct(at(1, 0), at(1, 16)), types.Struct(at(1, 0), at(2, 16)), types.Struct(at(0, 0), at(1, 16)),
			slab(1, 0), slab(2, 0), slab(1, 1),
		} {
			cases = append(cases, viewCase{view: as("external32", 0, etype, types.Resized(filetype, 0, 32))})
		}
		setViews(t, reps.LP64LE, cases)
		seen := map[bool]int{}
		for _, c := range cases {
			want := wantLints(reps.LP64LE, c.view.Etype, c.view.Filetype)
			seen[want != nil]++
			var rules []string
			for _, l := range c.lints {
				rules = append(rules, l.Rule)
			}
			assert.NoError(t, c.err)
			assert.ElementsMatch(t, want, rules, "filetype %v: %v", c.view.Filetype, c.lints)
		}
		assert.Len(t, seen, 2, "some vary, and some do not")
	})
	t.Run("REP-DT-06 the advice carried out leaves nothing to say", rapid.MakeCheck(func(t *rapid.T) {
		cases := make([]viewCase, views)
		for i := range cases {
			cases[i].view = drawCase(t, viewLeaves)
		}
		for range 20 {
			setViews(t, reps.LP64LE, cases)
			var left []viewCase
			for _, c := range cases {
				i := slices.IndexFunc(c.lints, func(l iofile.Lint) bool { return l.Rule == "REP-DT-06" })
				if c.err == nil && i >= 0 {
					left = append(left, viewCase{view: follow(t, c.view, c.lints[i].Text)})
				}
			}
			if cases = left; len(cases) == 0 {
				return
			}
		}
		for _, c := range cases {
			t.Errorf("etype %v, filetype %v", c.view.Etype, c.view.Filetype)
		}
	}))
	t.Run("REP-DT-06 DT-RESIZE-03 fixed types in a world of weak bounds", func(t *testing.T) {
		for _, m := range []types.Markers{types.Sticky, types.Weak} {
			inner := types.Resized(types.Int, 0, 4) // reaches farther if its bounds have the force of data
			record := types.Struct(types.Field{Count: 1, Type: types.Resized(types.Char, 0, 1)}, types.Field{Count: 1, Disp: 12, Type: inner})
			with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
				err := f.SetView(as("external32", 0, types.Resized(record, 0, 16), types.Resized(record, 0, 16)))
				assert.Empty(t, f.Lints(), "%v", m)
				return err
			}, world.Arch(world.AllRanks, reps.LP64LE.WithMarkers(m)))
		}
	})
	t.Run("REP-DT-06 a pair whose index moves", func(t *testing.T) {
		pair := types.Resized(types.ShortInt, 0, 8)
		cases := []viewCase{{view: as("external32", 0, pair, pair)}}
		setViews(t, reps.LP64LE, cases)
		require.Len(t, cases[0].lints, 1)
		assert.Contains(t, cases[0].lints[0].Text, "the index of a shortint is at byte 4 on LP64LE, at byte 2 under \"external32\"; place its two members with Struct at fixed displacements, with bounds set by Resized")
		fixed := types.Resized(types.Struct(types.Field{Count: 1, Type: types.Short}, types.Field{Count: 1, Disp: 4, Type: types.Int}), 0, 8)
		cases = []viewCase{{view: as("external32", 0, fixed, fixed)}}
		setViews(t, reps.LP64LE, cases)
		assert.Empty(t, cases[0].lints)
	})
}
