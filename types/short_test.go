package types_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
)

// The count of a receive may exceed its memory. What a message may fill then has to be exact:
// one byte more is stored behind the memory, one less refuses a correct program.
func TestShortMemory(t *testing.T) {
	t.Run("P2P-09 room is the bytes before the first one outside", func(t *testing.T) { many(t, 20, checkRoom) })
	t.Run("P2P-09 a plan of a receive", func(t *testing.T) {
		b := types.Of(make([]float32, 10)).As(types.Real).Times(15)
		_, err := b.Plan(types.Host)
		assert.ErrorIs(t, err, types.ErrBuffer, "for a send")
		p, err := b.PlanReceive(types.Host)
		assert.NoError(t, err)
		assert.Equal(t, types.Plan{Unit: 4, Short: true}, p)
		assert.EqualValues(t, 40, b.Room(60, types.Host))
		assert.EqualValues(t, 36, b.Room(36, types.Host))

		b = b.Times(10)
		p, err = b.PlanReceive(types.Host)
		assert.NoError(t, err)
		assert.True(t, p.InPlace && !p.Short)
	})
	t.Run("P2P-09 what is wrong at once", func(t *testing.T) {
		for _, c := range []struct {
			buf  types.Buffer
			want error
		}{
			{types.Of(make([]float32, 10)).Times(-1), types.ErrCount},
			{types.Of(make([]float32, 10)).As(types.Int).Times(15), types.ErrType},
			{types.Of(make([]float64, 10)).Times(1 << 61), types.ErrBuffer},
			{types.Raw(make([]byte, 10), 15, nil), types.ErrType},
		} {
			_, err := c.buf.PlanReceive(types.Host)
			assert.ErrorIs(t, err, c.want)
		}
	})
	t.Run("P2P-09 a slice with more capacity than length", func(t *testing.T) {
		x := make([]float32, 10)[:3]
		_, err := ptr(types.Of(x).Times(10)).Plan(types.Host)
		assert.ErrorContains(t, err, "12 bytes; the slice has the capacity, so pass all of it: x[:cap(x)]")
		assert.NoError(t, types.Of(x[:cap(x)]).Times(10).Check(types.Host), "the advice works")
		_, err = ptr(types.Of(x).Times(11)).Plan(types.Host)
		assert.ErrorIs(t, err, types.ErrBuffer)
		assert.NotContains(t, err.Error(), "capacity")
		_, err = ptr(types.Of(x[:0]).Times(10)).Plan(types.Host)
		assert.ErrorContains(t, err, "x[:cap(x)]")
	})
}

func ptr[T any](x T) *T { return &x }

func checkRoom(t *rapid.T) {
	x, s := drawType(t), drawSizes(t)
	l := layout(t, x, s)
	count := rapid.Int64Range(0, 6).Draw(t, "count")
	all := naive.Of(x, s).Bytes(count)
	if l.Size == 0 || count == 0 {
		return
	}
	lo, hi := slices.Min(all), slices.Max(all)+1
	origin := -lo - rapid.Int64Range(0, 2).Draw(t, "bytes cut off in front")*rapid.Int64Range(0, hi-lo).Draw(t, "times")
	mem := make([]byte, rapid.Int64Range(0, max(hi+origin, 0)+3).Draw(t, "memory"))
	b := types.Raw(mem, count, x).At(origin)
	n := rapid.Int64Range(0, int64(len(all))).Draw(t, "n")
	inside := func(off int64) bool { return off+origin >= 0 && off+origin < int64(len(mem)) }
	want := int64(slices.IndexFunc(all[:n], func(off int64) bool { return !inside(off) }))
	if want < 0 {
		want = n
	}
	if got := b.Room(n, s); got != want {
		t.Fatalf("of %d bytes of %d of %#v at %d, %d are in %d bytes of memory, not %d", n, count, x, origin, want, len(mem), got)
	}
	p, err := b.PlanReceive(s)
	if err != nil {
		t.Fatal(err)
	}
	checkHeld(t, &b, s)
	if fits := !slices.ContainsFunc(all, func(off int64) bool { return !inside(off) }); fits == p.Short {
		t.Fatalf("%d of %#v at %d in %d bytes: short is %v", count, x, origin, len(mem), p.Short)
	}
	src := noise(want, 3)
	b.Unpack(src, 0, s)
	stored := make([]byte, len(mem))
	for i, c := range src {
		stored[all[i]+origin] = c
	}
	if !slices.Equal(stored, mem) {
		t.Fatalf("unpacking %d bytes of %d of %#v at %d: % x, not % x", want, count, x, origin, mem, stored)
	}
}

// checkHeld compares what memory holds, item by item, with the description of it.
func checkHeld(t *rapid.T, b *types.Buffer, s types.Sizes) {
	all := naive.Of(b.Type(), s).Bytes(b.Count())
	room, want := b.Room(int64(len(all)), s), int64(0)
	for k, n := range b.Signature().Items(0, b.Signature().Len()) {
		size := s.Sizeof(k)
		for ; n > 0 && want+size <= room; n-- {
			want += size
		}
		if n > 0 {
			break
		}
	}
	h := b.Held(s)
	if err := h.Check(s); err != nil {
		t.Fatal(err)
	}
	got := naive.Of(h.Type(), s).Bytes(h.Count())
	if !slices.Equal(got, all[:want]) {
		t.Fatalf("memory of %d bytes holds bytes %v of %#v, not %v", len(b.Mem()), all[:want], b, got)
	}
}
