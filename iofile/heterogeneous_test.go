package iofile_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"pgregory.net/rapid"
)

// portable draws a portable type made of etype, which a view for writing may have.
func portable(t *rapid.T, etype *types.Type) *types.Type {
	small := func(name string, lo, hi int64) int64 { return rapid.Int64Range(lo, hi).Draw(t, name) }
	switch rapid.IntRange(0, 4).Draw(t, "filetype") {
	case 1:
		return types.Contiguous(small("n", 1, 3), etype)
	case 2:
		b := small("block", 1, 2)
		return types.Vector(small("n", 1, 3), b, b+small("gap", 0, 2), etype)
	case 3:
		return types.Subarray(types.OrderFortran, []types.Slab{{Size: 4, Sub: small("sub", 1, 2), Start: 2}, {Size: 3, Sub: 2, Start: 1}}, etype)
	case 4:
		return types.Indexed([]types.Block{{Len: 1, Disp: small("d", 0, 2)}, {Len: small("l", 1, 2), Disp: 4}}, etype)
	}
	return etype
}

// item is the memory of the i-th item on a machine: a value that every machine
// can hold.
func item(k types.Kind, i int64, a *reps.Arch) []byte {
	var b types.Buffer
	switch k {
	case types.KindShort:
		b = types.Of([]int16{int16(7*i - 300)})
	case types.KindInt:
		b = types.Of([]int32{int32(70001*i - 300)})
	case types.KindLong:
		if b = types.Of([]int64{-100003 * i}); a.Sizeof(k) == 4 {
			b = types.Of([]int32{int32(-100003 * i)})
		}
	case types.KindDouble:
		b = types.Of([]float64{1 / float64(i+3)})
	case types.KindLongDouble:
		file := make([]byte, 16)
		file[0], file[1], file[2] = 0x3f, 0xff, byte(i)
		rep, _ := reps.Lookup("external32", a)
		mem := make([]byte, a.Sizeof(k))
		if err := rep.Decode(mem, file, a, types.LongDouble.Signature(), 0, 1); err != nil {
			panic(err)
		}
		return mem
	default:
		return []byte{byte(i)}
	}
	return bytes.Clone(b.Mem())
}

// TestHeterogeneousMachines tests the purpose of representations: values that a rank of any
// machine writes through a portable view are read unchanged by a rank of any other
// machine. This does not hold for native, as the standard warns.
func TestHeterogeneousMachines(t *testing.T) {
	t.Run("REP-INT-01 REP-INT-03 REP-X32-00 REP-INTL-01 REP-DT-02 REP-MATCH-02 any two machines, any portable view", func(t *testing.T) {
		garbage := 0
		rapid.Check(t, func(rt *rapid.T) {
			etype := rapid.SampledFrom([]*types.Type{
				types.Short, types.Int, types.Long, types.Double, types.Char, types.LongDouble, types.Contiguous(2, types.Long),
			}).Draw(rt, "etype")
			k := etype.Signature().Only()
			view := iofile.View{
				Etype: etype, Filetype: portable(rt, etype),
				Rep: rapid.SampledFrom([]string{"internal", "external32", "native"}).Draw(rt, "rep"),
			}
			machines := []*reps.Arch{rapid.SampledFrom(reps.Archs()).Draw(rt, "writer"), rapid.SampledFrom(reps.Archs()).Draw(rt, "reader")}
			n := rapid.Int64Range(1, 9).Draw(rt, "etypes")
			off := rapid.Int64Range(0, 4).Draw(rt, "offset")
			items := n * etype.Signature().Len()
			want := make([][]byte, 2)
			for r, a := range machines {
				for i := range items {
					want[r] = append(want[r], item(k, i, a)...)
				}
			}
			if view.Rep == "native" && machines[0].Sizeof(k) != machines[1].Sizeof(k) {
				return // refused: the extents of the etypes differ
			}
			var read []byte
			fsys := iofile.NewMem()
			err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", create)
				if err != nil {
					return err
				}
				if err := f.SetView(view); err != nil {
					return err
				}
				apart := types.Resized(etype, 0, 64) // other than packed
				mem := make([]byte, 64*n)
				buf := types.Raw(mem, n, apart)
				if c.Rank() == 0 {
					buf.Unpack(want[0], 0, machines[0])
					if _, err := f.WriteAt(buf, iofile.Offset(off)); err != nil {
						return err
					}
				}
				if err := syncBarrierSync(f, c); err != nil {
					return err
				}
				if c.Rank() == 1 {
					if _, err := f.ReadAt(buf, iofile.Offset(off)); err != nil {
						return err
					}
					read = make([]byte, len(want[1]))
					buf.Pack(read, 0, machines[1])
				}
				return f.Close()
			}, world.Arch(0, machines[0]), world.Arch(1, machines[1]))
			if err != nil {
				rt.Fatal(err)
			}
			same := bytes.Equal(read, want[1])
			switch {
			case view.Rep != "native" || machines[0] == machines[1]:
				if !same {
					rt.Fatalf("%v wrote % x, %v read % x, want % x", machines[0], want[0], machines[1], read, want[1])
				}
			case !same:
				garbage++
			case k != types.KindChar && machines[0].Order() != machines[1].Order():
				if !palindromes(want[1], int(machines[1].Sizeof(k))) {
					rt.Fatalf("native from %v to %v was not garbage: %x", machines[0], machines[1], read)
				}
			}
		})
		if garbage == 0 && thorough.All() && !testing.Short() { // of few programs none may show it
			t.Error("native was never garbage: the property says nothing about it")
		}
	})
	for _, tc := range []struct {
		name   string
		t      *types.Type
		native string // offsets of items and extent
		x32    string
	}{
		{"EX-REP-01 contiguous", types.Contiguous(3, types.Long), "[0 8 16] 24", "[0 4 8] 12"},
		{"EX-REP-02 vector", types.Vector(2, 1, 3, types.Long), "[0 24] 32", "[0 12] 16"},
		{"EX-REP-03 resized is not portable", types.Resized(types.Long, 0, 16), "[0] 16", "[0] 16"},
		{"EX-REP-04 struct, padded natively", types.Struct(types.Field{Count: 1, Type: types.Long}, types.Field{Count: 1, Disp: 8, Type: types.Char}), "[0 8] 16", "[0 8] 9"},
		{"EX-REP-05 struct with a hole", types.Struct(types.Field{Count: 1, Type: types.Int}, types.Field{Count: 1, Disp: 8, Type: types.Double}), "[0 8] 16", "[0 8] 16"},
		{"EX-REP-06 hvector", types.HVector(2, 1, 16, types.Long), "[0 16] 24", "[0 16] 20"},
		{
			"EX-REP-07 subarray",
			types.Subarray(types.OrderC, []types.Slab{{Size: 4, Sub: 2, Start: 1}, {Size: 6, Sub: 3, Start: 2}}, types.Long),
			"[64 72 80 112 120 128] 192", "[32 36 40 56 60 64] 96",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for rep, want := range map[string]string{"native": tc.native, "external32": tc.x32} {
				with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
					if err := f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: rep}); err != nil {
						return err
					}
					extent, err := f.TypeExtent(tc.t)
					if err != nil {
						return err
					}
					s := sizesOn(rep, reps.LP64LE)
					l, err := tc.t.Layout(s)
					if err != nil {
						return err
					}
					var offs []int64
					sig := tc.t.Signature()
					for i := range sig.Len() {
						offs = append(offs, types.Tiling{L: l}.At(sig.BytesBefore(i, s)))
					}
					if got := fmt.Sprint(offs, extent); got != want {
						t.Errorf("%s: %s, want %s", rep, got, want)
					}
					return nil
				})
			}
		})
	}
	t.Run("EX-REP-08 DIV-08 DIV-09 strided longs in external32", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			if err := f.SetView(iofile.View{Etype: types.Long, Filetype: types.Vector(2, 1, 3, types.Long), Rep: "external32"}); err != nil {
				return err
			}
			_, err := f.WriteAt(types.Of([]int64{1, 2, 3}).As(types.Long), 0)
			return err
		})
		if got, want := get(t, fsys, "f"), "\x00\x00\x00\x01........\x00\x00\x00\x02\x00\x00\x00\x03"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// palindromes reports items that read the same from both ends.
func palindromes(p []byte, size int) bool {
	for i := 0; i < len(p); i += size {
		for k := range size {
			if p[i+k] != p[i+size-1-k] {
				return false
			}
		}
	}
	return true
}

// TestNonblockingAccessesConvert: nonblocking and split accesses must convert as blocking ones
// do.
func TestNonblockingAccessesConvert(t *testing.T) {
	t.Run("REP-X32-00 REP-USR-14 nonblocking and split forms convert like blocking ones", func(t *testing.T) {
		for rep, want := range map[string]string{
			"external32": "\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x04",
			"own":        lines(1, 2, 3, 4),
		} {
			fsys := iofile.NewMem()
			ranks(t, 1, func(c *comm.Comm) error {
				if err := iofile.RegisterDatarep(c, "own", new(recorder).text()); err != nil {
					return err
				}
				f, err := iofile.Open(c, fsys, "f", create, iofile.WithConversionBuffer(50))
				if err != nil {
					return err
				}
				if err := f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: rep}); err != nil {
					return err
				}
				req, err := f.IWriteAt(ints(1, 2), 0)
				if err != nil {
					return err
				}
				if _, err := req.Wait(); err != nil {
					return err
				}
				rest := ints(3, 4)
				if err := f.WriteAtAllBegin(rest, 2); err != nil {
					return err
				}
				if _, err := f.WriteAtAllEnd(rest); err != nil {
					return err
				}
				a, b := make([]int32, 2), make([]int32, 2)
				if req, err = f.IReadAt(types.Of(b).As(types.Int), 2); err != nil {
					return err
				}
				if _, err := req.Wait(); err != nil {
					return err
				}
				if err := f.ReadAtAllBegin(types.Of(a).As(types.Int), 0); err != nil {
					return err
				}
				if _, err := f.ReadAtAllEnd(types.Of(a).As(types.Int)); err != nil {
					return err
				}
				if got := fmt.Sprint(a, b); got != "[1 2] [3 4]" {
					t.Errorf("%s: read %s", rep, got)
				}
				return f.Close()
			})
			if got := get(t, fsys, "f"); got != want {
				t.Errorf("%s: the file is %q, want %q", rep, got, want)
			}
		}
	})
}
