package types_test

import (
	"slices"
	"testing"

	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
	"pgregory.net/rapid"
)

// A copy between two layouts must give the same result as packing and unpacking, or the
// contents of a message would depend on how it was moved.
func TestZip(t *testing.T) {
	t.Run("DT-DEF-01 zip is pack and unpack", func(t *testing.T) { many(t, 20, checkZip) })
	t.Run("DT-DEF-01 cursor is the order of bytes", func(t *testing.T) { many(t, 5, checkCursor) })
	t.Run("DT-DEF-01 zip does not allocate", func(t *testing.T) {
		dst, src := make([]byte, 3000), make([]byte, 3000)
		a := types.Raw(dst, 1, vector(100, 1, 3, types.Double))
		b := types.Raw(src, 1, vector(50, 2, 5, types.Double))
		if n := testing.AllocsPerRun(100, func() { types.Copy(a, 0, types.Host, b, 0, types.Host, 800) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// place draws a layout with memory for it.
func place(t *rapid.T, name string, seed uint64) (p types.Place, bytes []int64, x *types.Type) {
	x, s := drawType(t), drawSizes(t)
	l := layout(t, x, s)
	if l.Size == 0 {
		return p, nil, x
	}
	p.At = types.Tiling{L: l, Disp: rapid.Int64Range(-3, 9).Draw(t, name+" disp")}
	bytes = naive.Of(x, s).Bytes(rapid.Int64Range(1, 8).Draw(t, name+" copies"))
	for i := range bytes {
		bytes[i] += p.At.Disp
	}
	p.Base = slices.Min(bytes)
	p.Mem = noise(slices.Max(bytes)+1-p.Base, seed)
	p.From = rapid.Int64Range(0, int64(len(bytes))-1).Draw(t, name+" from")
	return p, bytes, x
}

func checkZip(t *rapid.T) {
	dst, to, x := place(t, "dst", 1)
	src, from, y := place(t, "src", 2)
	if len(to) == 0 || len(from) == 0 {
		types.Zip(dst, src, 5)
		return
	}
	n := rapid.Int64Range(0, min(int64(len(to))-dst.From, int64(len(from))-src.From)).Draw(t, "n")
	want := slices.Clone(dst.Mem)
	for i := range n {
		want[to[dst.From+i]-dst.Base] = src.Mem[from[src.From+i]-src.Base]
	}
	types.Zip(dst, src, n)
	if !slices.Equal(dst.Mem, want) {
		t.Fatalf("%d bytes of %#v from %d to %#v from %d: % x, should be % x", n, y, src.From, x, dst.From, dst.Mem, want)
	}
}

func checkCursor(t *rapid.T) {
	p, bytes, x := place(t, "view", 1)
	if len(bytes) == 0 {
		return
	}
	c := p.At.Cursor(p.From)
	var got []int64
	for rest := int64(len(bytes)) - p.From; rest > 0; {
		off, n := c.Next(min(rest, rapid.Int64Range(1, 9).Draw(t, "limit")))
		for i := range n {
			got = append(got, off+i)
		}
		if rest -= n; n == 0 {
			break
		}
	}
	if !slices.Equal(got, bytes[p.From:]) {
		t.Fatalf("%#v from %d: %v, should be %v", x, p.From, got, bytes[p.From:])
	}
}
