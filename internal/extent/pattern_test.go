package extent

import (
	"testing"

	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func drawPattern(t *rapid.T) Pattern {
	p := Pattern{
		Lo: rapid.Int64Range(0, 60).Draw(t, "lo"), Block: rapid.Int64Range(1, 9).Draw(t, "block"),
		N: rapid.Int64Range(1, 12).Draw(t, "n"),
	}
	if p.N > 1 {
		p.Stride = p.Block + rapid.Int64Range(1, 40).Draw(t, "gap")
	}
	return p
}

// bytes returns the bytes of the pattern, by its definition.
func (p *Pattern) bytes() map[int64]bool {
	set := map[int64]bool{}
	for i := range p.N {
		for k := range p.Block {
			set[p.Lo+i*p.Stride+k] = true
		}
	}
	return set
}

// If this fails, the race detector misses a byte that two accesses share, or invents one.
func TestPatternsMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := drawPattern(t), drawPattern(t)
		want := false
		in := q.bytes()
		for b := range p.bytes() {
			want = want || in[b]
		}
		lo, hi, got := p.Common(&q)
		if got != want {
			t.Fatalf("%+v and %+v: common is %v, want %v", p, q, got, want)
		}
		for b := lo; b < hi; b++ {
			if !p.bytes()[b] || !in[b] {
				t.Fatalf("%+v and %+v do not share byte %d", p, q, b)
			}
		}
		if got && lo >= hi {
			t.Fatalf("%+v and %+v share nothing in [%d, %d)", p, q, lo, hi)
		}
	})
}

// If this fails, an access is recorded for bytes that it does not touch.
func TestPatternsOfTilings(t *testing.T) {
	shapes := []*types.Type{
		types.Byte, types.Contiguous(5, types.Byte), types.Resized(types.Int, 0, 12),
		types.Vector(3, 2, 4, types.Short), types.Resized(types.Vector(3, 1, 2, types.Int), 0, 24),
		types.HIndexed([]types.Block{{Len: 3, Disp: 1}, {Len: 1, Disp: 9}, {Len: 7, Disp: 20}}, types.Byte),
		types.HVector(3, 1, 70, types.Vector(4, 3, 5, types.Byte)),
		types.HIndexed([]types.Block{{Len: 4, Disp: 16}, {Len: 4, Disp: 0}}, types.Byte),
	}
	rapid.Check(t, func(t *rapid.T) {
		l, err := rapid.SampledFrom(shapes).Draw(t, "type").Layout(types.Host)
		if err != nil {
			t.Fatal(err)
		}
		b := types.Part{
			At:   types.Tiling{L: l, Disp: rapid.Int64Range(0, 30).Draw(t, "disp")},
			From: rapid.Int64Range(0, 40).Draw(t, "from"), N: rapid.Int64Range(0, 90).Draw(t, "n"),
		}
		want, got := map[int64]bool{}, map[int64]bool{}
		for i := range b.N {
			want[b.At.At(b.From+i)] = true
		}
		for _, p := range Patterns(&b, nil) {
			for off := range p.bytes() {
				got[off] = true
			}
		}
		assert.Equal(t, want, got)
	})
}

// If this fails, a view of a million blocks costs as much memory as its blocks.
func TestRegularViewsAreOnePattern(t *testing.T) {
	for _, ft := range []*types.Type{
		types.Resized(types.Double, 0, 1024),
		types.Vector(1<<20, 1, 128, types.Double),
		types.Resized(types.Vector(1024, 2, 128, types.Double), 0, 1<<20),
	} {
		l, err := ft.Layout(types.Host)
		assert.NoError(t, err)
		b := types.Part{At: types.Tiling{L: l}, N: 8 << 20}
		assert.Len(t, Patterns(&b, nil), 1, "%v", ft)
	}
}

// If this fails, a report says that fewer or more bytes are in conflict.
func TestSharedRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Pattern {
			p := Pattern{Lo: rapid.Int64Range(0, 30).Draw(t, name+" lo"), Block: rapid.Int64Range(1, 6).Draw(t, name+" block"), N: rapid.Int64Range(1, 8).Draw(t, name+" n")}
			if p.N > 1 {
				p.Stride = p.Block + rapid.Int64Range(1, 9).Draw(t, name+" gap")
			}
			return p
		}
		p, q := draw("p"), draw("q")
		want := int64(0)
		for i := range p.N {
			for k := range q.N {
				if p.Start(i) < q.Start(k)+q.Block && q.Start(k) < p.Start(i)+p.Block {
					want++
				}
			}
		}
		got := p.SharedWith(&q, 1000, nil)
		if int64(len(got)) != want {
			t.Fatalf("%v and %v share %d ranges, not %d", p, q, want, len(got))
		}
		a, b := p.bytes(), q.bytes()
		both := map[int64]bool{}
		for _, r := range got {
			for off := r.Lo; off < r.Hi; off++ {
				if both[off] || !a[off] || !b[off] {
					t.Fatalf("%v of %v and %v: byte %d", r, p, q, off)
				}
				both[off] = true
			}
		}
		for off := range a {
			if b[off] && !both[off] {
				t.Fatalf("%v and %v share byte %d", p, q, off)
			}
		}
		if got := p.SharedWith(&q, 2, make([]Range, 1)); int64(len(got)) != 1+min(want, 2) {
			t.Fatalf("%d, at most 2 more", len(got))
		}
	})
}
