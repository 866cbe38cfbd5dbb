package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// drawFar draws small numbers, borders of pages, and numbers near the ends of files
// and of int64.
func drawFar(t *rapid.T, name string) int64 {
	return rapid.OneOf(rapid.Int64Range(0, 8), rapid.SampledFrom([]int64{
		4094, 4096, 65535, 65536, 1 << 31, 1 << 32, 1<<40 + 1, 1 << 60, 1 << 61, 1<<62 - 5, 1<<62 - 1, 1 << 62, math.MaxInt64 - 7, math.MaxInt64,
	})).Draw(t, name)
}

// drawFarView draws a view whose blocks are anywhere in the file, some of them without
// data, and whose copies may interleave.
func drawFarView(t *rapid.T) iofile.View {
	b := types.Byte
	etype := rapid.SampledFrom([]*types.Type{
		b, types.Contiguous(3, b), types.Resized(b, 0, 3),
		types.Resized(types.HIndexed([]types.Block{{Len: 1}, {Len: 0, Disp: 77}, {Len: 2, Disp: 2}}, b), 0, 4),
	}).Draw(t, "etype")
	_, ext := etype.Extent(types.Host)
	var blocks []types.Block
	at := int64(0)
	for range rapid.IntRange(0, 4).Draw(t, "blocks") {
		if step := drawFar(t, "step"); step < (math.MaxInt64-100-at)/ext {
			at += step * ext
			blocks = append(blocks, types.Block{Len: rapid.Int64Range(0, 2).Draw(t, "len"), Disp: at})
			at += blocks[len(blocks)-1].Len * ext
		}
	}
	v := iofile.View{Disp: drawFar(t, "disp"), Etype: etype, Filetype: types.HIndexed(blocks, etype)}
	if extent := drawFar(t, "extent"); rapid.Bool().Draw(t, "resized") && extent < math.MaxInt64/ext {
		v.Filetype = types.Resized(v.Filetype, rapid.SampledFrom([]int64{0, -ext, ext}).Draw(t, "lb"), extent*ext)
	}
	return v
}

// A farSeen is a file as its only rank sees it, with places that have no bounds.
type farSeen struct {
	own       map[int64]byte
	size, pos int64

	disp, extent, esize int64
	tile                []int64 // offsets of the bytes of one copy of the filetype
}

func (s *farSeen) look(v iofile.View) {
	m := naive.Of(v.Filetype, types.Host)
	s.pos, s.disp, s.extent, s.tile, s.esize = 0, v.Disp, m.Extent(), m.Bytes(1), v.Etype.Size(types.Host)
}

// at returns the offset of packed byte pos.
func (s *farSeen) at(pos *big.Int) *big.Int {
	k, i := new(big.Int).QuoRem(pos, big.NewInt(int64(len(s.tile))), new(big.Int))
	at := k.Mul(k, big.NewInt(s.extent))
	return at.Add(at.Add(at, big.NewInt(s.disp)), big.NewInt(s.tile[i.Int64()]))
}

// places lists the bytes of n etypes from off on. ok is false if they, or bytes before
// them in the view, are outside of any file, or if the view has more bytes up to their end
// than an int64 can count (IO-DA-16).
func (s *farSeen) places(off, n int64) (list []int64, ok bool) {
	if n == 0 || len(s.tile) == 0 {
		return nil, n == 0
	}
	most := big.NewInt(extent.MaxSize)
	first, size := new(big.Int).Mul(big.NewInt(off), big.NewInt(s.esize)), big.NewInt(int64(len(s.tile)))
	if s.tile[len(s.tile)-1] >= extent.MaxSize {
		return nil, false
	}
	if !new(big.Int).Add(first, big.NewInt(n*s.esize)).IsInt64() { // only if copies overlap: other views end long before that offset
		return nil, false
	}
	for i := range n * s.esize {
		pos := new(big.Int).Add(first, big.NewInt(i))
		at := s.at(pos)
		before := new(big.Int).Sub(pos, new(big.Int).Rem(pos, size)) // the end of the copy before
		if at.Cmp(most) >= 0 || before.Sign() > 0 && s.at(before.Sub(before, big.NewInt(1))).Cmp(most) >= 0 {
			return nil, false
		}
		list = append(list, at.Int64())
	}
	return list, true
}

// end returns the number of the first etype that starts behind the end of the file, or the
// largest possible offset if that is less.
func (s *farSeen) end() *big.Int {
	var end *big.Int
	each := int64(len(s.tile)) / s.esize
	for j := range each {
		k := big.NewInt(s.size)
		k.Sub(k.Sub(k, big.NewInt(s.disp)), big.NewInt(s.tile[j*s.esize]))
		switch {
		case k.Sign() <= 0:
			k.SetInt64(0)
		case s.extent == 0: // it begins before the end in every copy
			continue
		default:
			k.Div(k.Add(k, big.NewInt(s.extent-1)), big.NewInt(s.extent))
		}
		if k.Add(k.Mul(k, big.NewInt(each)), big.NewInt(j)); end == nil || k.Cmp(end) < 0 {
			end = k
		}
	}
	most := big.NewInt(math.MaxInt64 / s.esize)
	switch {
	case each == 0:
		return big.NewInt(0)
	case end == nil || end.Cmp(most) > 0: // copies that overlap show a byte more than once
		return most
	}
	return end
}

// do does a step, and returns the difference from the reference.
func (s *farSeen) do(f *iofile.File, p step, k int) error {
	switch p.what {
	case "view":
		if err := f.SetView(p.view[0]); err == nil {
			s.look(p.view[0])
		} else if !errors.Is(err, iofile.ErrArg) && !errors.Is(err, iofile.ErrType) {
			return err
		}
	case "size":
		if err := f.SetSize(p.size); (err == nil) != (p.size <= extent.MaxSize) {
			return err
		} else if err == nil {
			s.size = p.size
			for off := range s.own {
				if off >= p.size {
					delete(s.own, off)
				}
			}
		}
	case "seek":
		want, err := s.end(), f.Seek(0, iofile.SeekEnd)
		if !want.IsInt64() || err != nil {
			return errors.Join(err, fmt.Errorf("the end of the view is %v", want))
		}
		s.pos = want.Int64()
	case "offset":
		at, err := f.ByteOffset(iofile.Offset(p.at[0]))
		if want, ok := s.places(p.at[0], 1); ok != (err == nil) || ok && at != want[0] {
			return fmt.Errorf("byte offset %d, want %v: %v", at, want, err)
		}
	case "sync":
		return f.Sync()
	case "atomic":
		return f.SetAtomicity(p.all)
	default:
		if err := s.access(f, p, k); err != nil {
			return err
		}
	}
	size, err := f.Size()
	pos, wrong := f.Position()
	if err = errors.Join(err, wrong); err != nil || size != s.size || int64(pos) != s.pos {
		return fmt.Errorf("size %d and position %d, want %d and %d: %v", size, pos, s.size, s.pos, err)
	}
	return nil
}

func (s *farSeen) access(f *iofile.File, p step, k int) error {
	at, n, write := p.at[0], p.n[0], p.what == "write"
	if at < 0 {
		at = s.pos
	}
	want, ok := s.places(at, n)
	if sorted := slices.Sorted(slices.Values(want)); write && len(slices.Compact(sorted)) < len(want) {
		want, ok = nil, false // copies overlap, and one write has both (IO-VIEW-08)
	}
	items := types.Contiguous(s.esize, types.Byte)
	if p.size%2 == 1 {
		items = types.Vector(s.esize, 1, 2, types.Byte)
	}
	_, ext := items.Extent(types.Host)
	mem := make([]byte, n*ext+1)
	for i := range mem {
		mem[i] = byte(1 + i + 17*k)
	}
	buf, packed := types.Raw(mem, n, items), make([]byte, n*s.esize)
	buf.Pack(packed, 0, types.Host)
	before := slices.Clone(packed)
	st, err := call(f, p, p.at[0], write, buf)
	if ok != (err == nil) {
		return fmt.Errorf("bytes %v: %v", want, err)
	}
	there := 0
	for there < len(want) && (write || want[there] < s.size) {
		there++
	}
	if p.at[0] < 0 {
		s.pos += (int64(there) + s.esize - 1) / s.esize
	}
	if got, _ := st.Count(types.Byte); int(got) != there {
		return fmt.Errorf("%d bytes, want %d", got, there)
	}
	buf.Pack(packed, 0, types.Host)
	for i := range packed {
		switch b, known := byte(0), false; {
		case err != nil:
		case write:
			s.own[want[i]], s.size = packed[i], max(s.size, want[i]+1)
		case i >= there && packed[i] != before[i]:
			return fmt.Errorf("byte %d behind the end of the file was changed", i)
		case i < there:
			if b, known = s.own[want[i]]; known && b != packed[i] {
				return fmt.Errorf("byte %d is %x, want %x", i, packed[i], b)
			}
		}
	}
	return nil
}

// TestFarViews: if it fails, blocks far from each other, copies that interleave or
// displacements beyond any file make an access move other bytes than its view
// shows, refuse bytes that exist, or accept bytes that no file can have.
func TestFarViews(t *testing.T) {
	t.Run("IO-DA-01 IO-DA-16 IO-SEEK-03 IO-BOFF-01 IO-VIEW-21 random programs", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			var program []step
			for range rapid.IntRange(1, 12).Draw(rt, "steps") {
				p := step{what: rapid.SampledFrom([]string{"view", "write", "write", "read", "read", "seek", "size", "offset", "sync", "atomic"}).Draw(rt, "what")}
				p.all, p.form = rapid.Bool().Draw(rt, "all"), rapid.IntRange(blocking, splitting).Draw(rt, "form")
				p.at, p.n = []int64{drawFar(rt, "at")}, []int64{rapid.Int64Range(0, 6).Draw(rt, "etypes")}
				if p.size = drawFar(rt, "size"); p.what == "view" {
					p.view = []iofile.View{drawFarView(rt)}
				}
				if p.what != "offset" && rapid.Bool().Draw(rt, "pointer") {
					p.at[0] = -1
				}
				program = append(program, p)
			}
			model := rapid.SampledFrom([]consistency.Model{consistency.Weakest, consistency.POSIX}).Draw(rt, "model")
			s := rapid.SampledFrom([]strategy.Strategy{nil, drawStrategy(rt)}).Draw(rt, "strategy")
			err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, iofile.NewMem(iofile.WithModel(model)), "f", create, iofile.WithStrategy(s))
				if err != nil {
					return err
				}
				me := &farSeen{own: map[int64]byte{}}
				me.look(iofile.ViewOf[byte](0))
				for k, p := range program {
					if err := me.do(f, p, k); err != nil {
						return fmt.Errorf("step %d, %v: %w", k, p, err)
					}
				}
				return f.Close()
			})
			if err != nil {
				rt.Fatalf("%v\n%v", err, program)
			}
		})
	})
	t.Run("IO-SEEK-03 IO-VIEW-12 a displacement that no file reaches", func(t *testing.T) {
		alone(t, "abc", func(f *iofile.File) error {
			ft := types.Indexed([]types.Block{{Len: 1, Disp: 4094}}, types.Byte)
			if err := f.SetView(iofile.View{Disp: math.MaxInt64 - 7, Etype: types.Byte, Filetype: ft}); err != nil {
				return err
			}
			assert.NoError(t, f.Seek(0, iofile.SeekEnd))
			pos, err := f.Position()
			assert.Zero(t, pos)
			return err
		})
	})
	t.Run("IO-SEEK-03 IO-VIEW-21 the end cuts an etype, and the next begins before it", func(t *testing.T) {
		alone(t, "0123456789", func(f *iofile.File) error {
			etype := types.Resized(types.HIndexed([]types.Block{{Len: 1}, {Len: 1, Disp: 2}}, types.Byte), 0, 3)
			pairs := types.Indexed([]types.Block{{Len: 1}, {Len: 1, Disp: 3}}, etype) // etypes at 0, 9, 6, 15, 12, ...
			if err := f.SetView(iofile.View{Etype: etype, Filetype: types.Resized(pairs, 0, 6)}); err != nil {
				return err
			}
			assert.NoError(t, f.Seek(0, iofile.SeekEnd))
			pos, err := f.Position()
			assert.EqualValues(t, 3, pos)
			return err
		})
	})
	t.Run("IO-SEEK-03 IO-VIEW-21 the end cuts more etypes than anybody can count", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error { return f.SetSize(1 << 61) })
		with(t, 1, fsys, "f", iofile.ReadOnly, func(f *iofile.File, _ int) error {
			pair := types.Resized(types.HIndexed([]types.Block{{Len: 1}, {Len: 1, Disp: 1 << 60}}, types.Byte), 0, 8)
			if err := f.SetView(iofile.View{Etype: pair, Filetype: pair}); err != nil {
				return err
			}
			assert.NoError(t, f.Seek(0, iofile.SeekEnd))
			pos, err := f.Position()
			assert.EqualValues(t, int64(1)<<58, pos)
			return err
		})
	})
	t.Run("IO-SEEK-03 IO-VIEW-08 copies overlap, and show more bytes than an offset can count", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			pair := types.Resized(types.HIndexed([]types.Block{{Len: 1}, {Len: 2, Disp: 8}}, types.Byte), 0, 1)
			err := errors.Join(f.SetSize(1<<62), f.SetView(iofile.View{Etype: types.Byte, Filetype: pair}), f.Seek(0, iofile.SeekEnd))
			pos, wrong := f.Position()
			assert.EqualValues(t, int64(math.MaxInt64), pos)
			return errors.Join(err, wrong)
		})
	})
	t.Run("IO-DA-16 all copies at one place, to the last position", func(t *testing.T) {
		for _, etype := range []*types.Type{types.Byte, types.Contiguous(3, types.Byte)} {
			alone(t, "", func(f *iofile.File) error {
				one := types.Raw([]byte("abc"), 1, etype)
				most := math.MaxInt64 / iofile.Offset(etype.Size(types.Host)) // etypes that there are
				at := types.Resized(types.HIndexed([]types.Block{{Len: 1, Disp: 4092}}, etype), 0, 0)
				err := f.SetView(iofile.View{Disp: 4094, Etype: etype, Filetype: at})
				_, err2 := f.WriteAt(one, most-1)
				first, err3 := f.ByteOffset(most - 1)
				assert.EqualValues(t, 8186, first)
				for _, off := range []iofile.Offset{most, math.MaxInt64} {
					_, err := f.WriteAt(one, off)
					refused(t, err, iofile.ErrArg, "IO-DA-16")
					assert.NotContains(t, err.Error(), "what a file can hold")
				}
				return errors.Join(err, err2, err3)
			})
		}
	})
	t.Run("ERR-09 IO-DA-16 a block that no file reaches, on one rank", func(t *testing.T) {
		with(t, 2, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			far := types.HIndexed([]types.Block{{Len: 1}, {Len: 1, Disp: 1<<62 + 4092}}, types.Byte)
			v := iofile.View{Disp: 1<<62 - 5, Etype: types.Byte, Filetype: []*types.Type{types.Byte, far}[rank]}
			if err := f.SetView(v); err != nil {
				return err
			}
			_, err := f.WriteAll(types.Of([]byte{1}))
			refused(t, err, iofile.ErrArg, "IO-DA-16")
			return nil
		})
	})
}
