package iofile

import (
	"fmt"
	"slices"
	"sync"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// The standard wants the extent of a type in a file to be the same on all ranks. Native
// files have the sizes of each rank's memory, and a registered representation those that
// each rank's function returns, so it may differ there: that is a lint. (REP-EXT-01)

// A disagreement is a type whose extent in the file differs from that on another rank.
type disagreement struct {
	t           *types.Type
	rank        int // the other rank
	here, there int64
	on          types.Sizes // of the other rank
}

// disagree returns a type of the view v whose extent differs in the view o of rank r; nil
// if there is none.
func (v *fileView) disagree(o *fileView, r int) *disagreement {
	if v.Sizes == o.Sizes {
		return nil
	}
	if a, b := v.Tiles.L.Extent, o.Tiles.L.Extent; a != b && v.Filetype.Equal(o.Filetype) {
		return &disagreement{v.Filetype, r, a, b, o.Sizes}
	}
	others := o.Etype.Signature().Kinds()
	for _, k := range v.Etype.Signature().Kinds() {
		if !slices.Contains(others, k) {
			continue
		}
		if a, b := v.Sizes.Sizeof(k), o.Sizes.Sizeof(k); a != b {
			return &disagreement{types.OfKind(k), r, a, b, o.Sizes}
		}
	}
	return nil
}

// resolveExtents finds the ranks for which a type of the view has another extent than on
// rank 0.
func (c *commonView) resolveExtents(args []any) {
	first := args[0].(viewTerms).view
	for r, a := range args {
		v := a.(viewTerms).view
		d := v.disagree(first, 0)
		if d == nil {
			continue
		}
		if c.extents == nil {
			c.extents = map[int]*disagreement{0: first.disagree(v, r)}
		}
		c.extents[r] = d
	}
}

// lintExtent records a lint for a type that has another extent on another rank.
func (f *File) lintExtent(op string, d *disagreement) {
	if d == nil {
		return
	}
	remedy := fmt.Sprintf("register %q with the same extent function on all ranks", f.view.Rep)
	if f.view.Rep == "native" {
		remedy = `set the view with Rep: "external32" or "internal" on all ranks, where it is the same`
	}
	f.lint(op, "REP-EXT-01", "under %q the extent of %v is %d on this rank%s, but %d on rank %d%s; %s",
		f.view.Rep, d.t, d.here, machineName(f.view.Sizes), d.there, d.rank, machineName(d.on), remedy)
}

// machineName returns the name of an architecture in parentheses.
func machineName(s types.Sizes) string {
	if a, ok := s.(*reps.Arch); ok {
		return fmt.Sprintf(" (%v)", a)
	}
	return ""
}

// unlikeRanks are the ranks of a file with different architectures, one for each.
type unlikeRanks struct {
	once  sync.Once
	ranks []int
	archs []*reps.Arch
}

// archs returns one rank for each architecture.
func (f *File) archs() *unlikeRanks {
	u := &f.set.unlike
	u.once.Do(func() {
		seen := map[*reps.Arch]bool{}
		for r := range f.set.ranks {
			if a := port.ArchOf(f.c, r); !seen[a] {
				seen[a] = true
				u.ranks, u.archs = append(u.ranks, r), append(u.archs, a)
			}
		}
	})
	return u
}

// lintTypeExtent records a lint if the extent of t in a native file is not here on another
// rank.
func (f *File) lintTypeExtent(op string, t *types.Type, here int64) {
	if f.view.Rep != "native" {
		return
	}
	u := f.archs()
	for i, a := range u.archs {
		if l, err := t.Layout(a); err == nil && l.Extent != here {
			f.lintExtent(op, &disagreement{t, u.ranks[i], here, l.Extent, a})
			return
		}
	}
}
