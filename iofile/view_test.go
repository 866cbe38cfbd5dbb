package iofile_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

var (
	pairV2 = types.Resized(types.Struct(types.Field{Count: 1, Disp: 1, Type: types.Char}, types.Field{Count: 2, Disp: 5, Type: types.Char}), 0, 8)
	at3    = types.HIndexed([]types.Block{{Len: 1, Disp: 3}}, types.Char)
	gapped = types.Resized(types.Struct(types.Field{Count: 1, Disp: 0, Type: types.Char}, types.Field{Count: 1, Disp: 2, Type: types.Char}), 0, 4)
	block  = []types.Slab{{Size: 4, Sub: 2, Start: 1}, {Size: 6, Sub: 3, Start: 2}}
)

func v(disp int64, etype, filetype *types.Type) iofile.View {
	return iofile.View{Disp: disp, Etype: etype, Filetype: filetype, Rep: "native"}
}

// TestViewByteMaps checks which bytes a view shows, by position and by what a
// write leaves in the file. If it fails, files of other MPIs are misread.
func TestViewByteMaps(t *testing.T) {
	for _, tc := range []struct {
		name  string
		view  iofile.View
		bytes []int64 // first bytes of etypes 0, 1, ...
		at    iofile.Offset
		data  string
		file  string
	}{
		{"EX-V1 IO-VIEW-01 IO-BOFF-01 hole after each byte", v(2, types.Char, types.Resized(types.Char, 0, 3)), []int64{2, 5, 8, 11, 14}, 1, "ABC", ".....A..B..C"},
		{"EX-V2 two blocks a tile", v(1, types.Char, pairV2), []int64{2, 6, 7, 10, 14, 15, 18, 22}, 0, "abcdefgh", "..a...bc..d...ef..g...h"},
		{"EX-V3 IO-VIEW-02 a lower bound shifts nothing", v(5, types.Char, types.Resized(types.Char, -2, 4)), []int64{5, 9, 13, 17}, 0, "XYZ", ".....X...Y...Z"},
		{"EX-V4a IO-VIEW-03 a first hole is not repeated", v(0, types.Char, at3), []int64{3, 4, 5, 6}, 0, "wxyz", "...wxyz"},
		{"EX-V4b IO-VIEW-03 a hole with explicit bounds is", v(0, types.Char, types.Resized(at3, 0, 8)), []int64{3, 11, 19, 27}, 0, "wx", "...w.......x"},
		{"EX-V5a tiles touch", v(1, types.Char, types.Vector(2, 2, 4, types.Char)), []int64{1, 2, 5, 6, 7, 8, 11, 12}, 0, "abcdefgh", ".ab..cdef..gh"},
		{"EX-V5b tiles apart", v(1, types.Char, types.Resized(types.Vector(2, 2, 4, types.Char), 0, 8)), []int64{1, 2, 5, 6, 9, 10, 13, 14}, 0, "abcdefgh", ".ab..cd..ef..gh"},
		{"EX-V6 IO-BOFF-02 an etype with a hole", v(3, gapped, types.Vector(2, 1, 2, gapped)), []int64{3, 11, 15, 23, 27}, 0, "abcdef", "...a.b.....c.d.e.f"},
		{"EX-V7a subarray, last dimension contiguous", v(0, types.Char, types.Subarray(types.OrderC, block, types.Char)), []int64{8, 9, 10, 14, 15, 16, 32}, 0, "abcdef", "........abc...def"},
		{"EX-V7b subarray, first dimension contiguous", v(0, types.Char, types.Subarray(types.OrderFortran, block, types.Char)), []int64{9, 10, 13, 14, 17, 18, 33}, 0, "abcdef", ".........ab..cd..ef"},
		{"EX-V12 DT-RESIZE-02 sticky bounds", v(0, types.Char, types.Struct(types.Field{Count: 1, Disp: 0, Type: types.Resized(types.Char, 0, 3)}, types.Field{Count: 1, Disp: 4, Type: types.Char})), []int64{0, 4, 3, 7, 6, 10}, 0, "abcdef", "a..cb.ed..f"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fsys := iofile.NewMem()
			with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
				if err := f.SetView(tc.view); err != nil {
					return err
				}
				for i, want := range tc.bytes {
					got, err := f.ByteOffset(iofile.Offset(i))
					assert.NoError(t, err)
					assert.Equal(t, want, got, "etype %d", i)
				}
				buf := chars(tc.data)
				if tc.view.Etype != types.Char {
					buf = types.Raw([]byte(tc.data), int64(len(tc.data)/2), types.Contiguous(2, types.Char))
				}
				_, err := f.WriteAt(buf, tc.at)
				return err
			})
			assert.Equal(t, tc.file, get(t, fsys, "f"))
		})
	}
}

// TestDarrayViews checks the two process grids that the table gives.
func TestDarrayViews(t *testing.T) {
	grid := func(order types.Order, rank int64) *types.Type {
		return types.Darray(types.Grid{Size: 4, Rank: rank, Order: order, Dims: []types.GridDim{
			{Size: 5, Dist: types.DistBlock, Arg: types.DefaultArg, Procs: 2},
			{Size: 7, Dist: types.DistCyclic, Arg: 2, Procs: 2},
		}}, types.Char)
	}
	for _, tc := range []struct {
		name  string
		order types.Order
		file  string
	}{
		{"EX-V8 DT-DARRAY C order", types.OrderC, "aabbaabaabbaabaabbaabccddccdccddccd"},
		{"EX-V8 DT-DARRAY Fortran order", types.OrderFortran, "aaaccaaaccbbbddbbbddaaaccaaaccbbbdd"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fsys := iofile.NewMem()
			with(t, 4, fsys, "f", create, func(f *iofile.File, rank int) error {
				ft := grid(tc.order, int64(rank))
				if err := f.SetView(v(0, types.Char, ft)); err != nil {
					return err
				}
				next, err := f.ByteOffset(iofile.Offset(ft.Size(types.Host)))
				assert.NoError(t, err)
				first, err := f.ByteOffset(0)
				assert.NoError(t, err)
				assert.Equal(t, first+35, next, "the next tile")
				_, err = f.WriteAtAll(chars(strings.Repeat(string(rune('a'+rank)), int(ft.Size(types.Host)))), 0)
				return err
			})
			assert.Equal(t, tc.file, get(t, fsys, "f"))
		})
	}
}

// TestViewsPartition: complementary views of several ranks fill one file.
func TestViewsPartition(t *testing.T) {
	t.Run("EX-V11 IO-VIEW-20 round robin", func(t *testing.T) {
		for p := 1; p <= 5; p++ {
			fsys := iofile.NewMem()
			with(t, p, fsys, "f", create, func(f *iofile.File, rank int) error {
				ft := types.Resized(types.Int, 0, int64(4*p))
				if err := f.SetView(v(int64(4*rank), types.Int, ft)); err != nil {
					return err
				}
				mine := make([]int32, 3)
				for k := range mine {
					mine[k] = int32(k*p + rank)
				}
				_, err := f.WriteAtAll(types.Of(mine).As(types.Int), 0)
				return err
			})
			all := make([]int32, 3*p)
			with(t, 1, fsys, "f", iofile.ReadOnly, func(f *iofile.File, _ int) error {
				if err := f.SetView(v(0, types.Int, types.Int)); err != nil {
					return err
				}
				_, err := f.ReadAt(types.Of(all).As(types.Int), 0)
				return err
			})
			for i, x := range all {
				assert.EqualValues(t, i, x)
			}
		}
	})
}

// TestSeekEnd checks where a view ends for every size of the file.
func TestSeekEnd(t *testing.T) {
	for _, tc := range []struct {
		name string
		view iofile.View
		ends []iofile.Offset // by size
	}{
		{"EX-V9 IO-SEEK-03 an etype that is cut is skipped", v(0, types.Int, types.Resized(types.Int, 0, 8)), spread(map[int]iofile.Offset{0: 0, 1: 1, 9: 2, 17: 3}, 24)},
		{"EX-V10 IO-SEEK-03 DIV-03 view of EX-V1", v(2, types.Char, types.Resized(types.Char, 0, 3)), spread(map[int]iofile.Offset{0: 0, 3: 1, 6: 2, 9: 3, 12: 4}, 14)},
		{"EX-V10 IO-SEEK-03 view of EX-V2", v(1, types.Char, pairV2), spread(map[int]iofile.Offset{0: 0, 3: 1, 7: 2, 8: 3, 11: 4, 15: 5, 16: 6}, 18)},
		{"DIV-35 a file that ends before the view", v(50, types.Char, types.Char), spread(map[int]iofile.Offset{0: 0}, 50)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
				for size, want := range tc.ends {
					if err := f.SetSize(int64(size)); err != nil {
						return err
					}
					if err := f.SetView(tc.view); err != nil {
						return err
					}
					if err := f.Seek(0, iofile.SeekEnd); err != nil {
						return err
					}
					pos, err := f.Position()
					assert.NoError(t, err)
					assert.Equal(t, want, pos, "size %d", size)
				}
				return nil
			})
		})
	}
}

// spread fills a table from the sizes at which its value changes.
func spread(steps map[int]iofile.Offset, last int) (all []iofile.Offset) {
	var now iofile.Offset
	for size := range last + 1 {
		if v, ok := steps[size]; ok {
			now = v
		}
		all = append(all, now)
	}
	return all
}

// TestBadViews: a view that breaks a rule is refused with its class and
// changes nothing.
func TestBadViews(t *testing.T) {
	two := func(a, b int64) *types.Type {
		return types.Struct(types.Field{Count: 1, Disp: a, Type: types.Char}, types.Field{Count: 1, Disp: b, Type: types.Char})
	}
	pair := types.Contiguous(2, types.Int)
	for _, tc := range []struct {
		name  string
		view  iofile.View
		class errclass.Class
		rule  string
	}{
		{"EX-B1 IO-VIEW-05 displacements decrease", v(0, types.Char, two(4, 0)), iofile.ErrArg, "IO-VIEW-05"},
		{"EX-B2 IO-VIEW-08 overlap in one copy", v(0, types.Char, two(0, 0)), iofile.ErrArg, "IO-VIEW-08"},
		{"EX-B3 IO-VIEW-05 negative displacement", v(0, types.Char, two(-1, 3)), iofile.ErrArg, "IO-VIEW-05"},
		{"EX-B4 IO-VIEW-08 DIV-21 overlap by tiling", v(0, types.Int, types.Resized(types.Int, 0, 2)), iofile.ErrArg, "IO-VIEW-07"},
		{"EX-B5 IO-VIEW-06 size is not a multiple", v(0, types.Int, types.Contiguous(3, types.Char)), iofile.ErrArg, "IO-VIEW-06"},
		{"EX-B6 IO-VIEW-07 DIV-22 odd hole", v(0, types.Int, types.Resized(types.Int, 0, 6)), iofile.ErrArg, "IO-VIEW-07"},
		{"EX-B7 IO-VIEW-06 other signature", v(0, types.Int, types.Float), iofile.ErrArg, "IO-VIEW-06"},
		{"EX-B9 IO-VIEW-12 negative displacement", v(-5, types.Int, types.Int), iofile.ErrArg, "IO-VIEW-12"},
		{"EX-B10 IO-VIEW-13 current displacement", v(iofile.DisplacementCurrent, types.Int, types.Int), iofile.ErrArg, "IO-VIEW-13"},
		{"EX-B11 IO-VIEW-14 unknown representation", iofile.View{Etype: types.Int, Filetype: types.Int, Rep: "foo"}, iofile.ErrUnsupportedDatarep, "IO-VIEW-14"},
		{"EX-B12 IO-VIEW-09 nil etype", v(0, nil, types.Int), iofile.ErrType, "IO-VIEW-09"},
		{"IO-VIEW-09 nil filetype", v(0, types.Int, nil), iofile.ErrType, "IO-VIEW-09"},
		{"IO-VIEW-04 etype jumps back", v(0, types.Contiguous(1, two(4, 0)), two(4, 0)), iofile.ErrArg, "IO-VIEW-04"},
		{"IO-VIEW-04 etype without data", v(0, types.Contiguous(0, types.Int), types.Int), iofile.ErrArg, "IO-VIEW-04"},
		{"IO-VIEW-05 torn etypes", v(0, pair, types.HIndexedBlock(1, []int64{0, 8}, types.Int)), iofile.ErrArg, "IO-VIEW-05"},
		{"IO-VIEW-07 first hole", v(0, types.Int, types.Resized(types.HIndexed([]types.Block{{Len: 1, Disp: 2}}, types.Int), 0, 8)), iofile.ErrArg, "IO-VIEW-07"},
		{"IO-VIEW-05 decrease after very many", v(0, types.Int, types.HVector(2, 1, 8, types.HVector(1<<40, 1, 8, types.Int))), iofile.ErrArg, "IO-VIEW-05"},
		{"IO-VIEW-05 backward tiles", v(0, types.Int, types.Resized(types.Int, 0, -4)), iofile.ErrArg, "IO-VIEW-05"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			with(t, 2, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
				good := v(4, types.Int, types.Vector(2, 1, 2, types.Int))
				if err := f.SetView(good); err != nil {
					return err
				}
				if err := f.Seek(3, iofile.SeekSet); err != nil {
					return err
				}
				refused(t, f.SetView(tc.view), tc.class, tc.rule)
				now, err := f.View()
				assert.NoError(t, err)
				assert.Equal(t, good, now, "the view must stay")
				pos, err := f.Position()
				assert.NoError(t, err)
				assert.EqualValues(t, 3, pos, "the pointer must stay")
				return nil
			})
		})
	}
	t.Run("EX-B8 DT-COMMIT-01 a type built wrongly", func(t *testing.T) {
		with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			refused(t, f.SetView(v(0, types.Int, types.Contiguous(-1, types.Int))), iofile.ErrCount, "DT-ARG-01")
			return nil
		})
	})
}

// TestViewRules holds the rules of views that are not about one bad argument.
func TestViewRules(t *testing.T) {
	t.Run("IO-VIEW-08 DIV-27 overlaps may be read", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "abcdef")
		with(t, 1, fsys, "f", iofile.ReadOnly, func(f *iofile.File, _ int) error {
			if err := f.SetView(v(0, types.Char, types.Resized(types.Contiguous(4, types.Char), 0, 2))); err != nil {
				return err
			}
			got := make([]byte, 8)
			_, err := f.ReadAt(types.Of(got).As(types.Char), 0)
			assert.Equal(t, "abcdcdef", string(got))
			return err
		})
	})
	t.Run("IO-VIEW-06 IO-TM-02 etype BYTE takes any filetype, and a lint says so", func(t *testing.T) {
		fsys := iofile.NewMem()
		idiom := v(1, types.Byte, types.Vector(2, 1, 2, types.Int))
		with(t, 2, fsys, "f", create, func(f *iofile.File, rank int) error {
			if err := f.SetView(idiom); err != nil {
				return err
			}
			if rank == 0 {
				if _, err := f.Write(types.Of([]byte("abcdefgh"))); err != nil {
					return err
				}
			}
			lints := f.Lints()
			if assert.NotEmpty(t, lints) {
				assert.Equal(t, "IO-VIEW-06", lints[0].Rule)
				assert.Equal(t, "by the standard the filetype is built from the etype, but vector(2, 1, 2, int) is not made of bytes; "+
					"set Etype: types.Int, of which offsets then count, or make the filetype of types.Byte", lints[0].Text)
			}
			return nil
		})
		assert.Equal(t, ".abcd....efgh", get(t, fsys, "f"))
	})
	t.Run("IO-VIEW-06 the same view as the lint wants it has no lint", func(t *testing.T) {
		with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			for _, view := range []iofile.View{v(1, types.Int, types.Vector(2, 1, 2, types.Int)), v(1, types.Byte, types.Vector(2, 4, 8, types.Byte))} {
				assert.NoError(t, f.SetView(view))
			}
			assert.Empty(t, f.Lints())
			return nil
		})
	})
	t.Run("IO-VIEW-06 the letter on demand, and sizes only", func(t *testing.T) {
		idiom, reals := v(0, types.Byte, types.Vector(2, 1, 2, types.Int)), v(0, types.Int, types.Float)
		for _, c := range []struct {
			policy       types.Policy
			idiom, reals bool
		}{{types.MatchFinal, false, false}, {types.MatchSource000, false, false}, {types.MatchSize, true, true}} {
			ranks(t, 1, func(w *comm.Comm) error {
				f, err := iofile.Open(w, iofile.NewMem(), "f", create, iofile.WithMatch(c.policy))
				if err != nil {
					return err
				}
				for view, good := range map[iofile.View]bool{idiom: c.idiom, reals: c.reals} {
					if err := f.SetView(view); good {
						assert.NoError(t, err, "%v", c.policy)
					} else {
						refused(t, err, iofile.ErrArg, "IO-VIEW-06")
					}
				}
				assert.Empty(t, f.Lints())
				return f.Close()
			})
		}
	})
	t.Run("IO-VIEW-10 what must be equal on all ranks", func(t *testing.T) {
		with(t, 2, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			rep := []string{"native", "external32"}[rank]
			refused(t, f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: rep}), iofile.ErrNotSame, "IO-VIEW-10")
			et := []*types.Type{types.Int, types.Double}[rank]
			refused(t, f.SetView(v(0, et, et)), iofile.ErrNotSame, "IO-VIEW-10")
			// displacement and filetype may differ, and so may the etype if its extent is the same
			et = []*types.Type{types.Int, types.Float}[rank]
			return f.SetView(v(int64(rank), et, types.Contiguous(int64(rank+1), et)))
		})
	})
	t.Run("IO-VIEW-10 GEN-02 one bad rank fails all", func(t *testing.T) {
		with(t, 3, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			refused(t, f.SetView(v(int64(1-rank)*4, types.Int, types.Int)), iofile.ErrArg, "IO-VIEW-12")
			return nil
		})
	})
	t.Run("IO-VIEW-11 IO-IND-01 IO-SHP-01 pointers go to 0", func(t *testing.T) {
		with(t, 2, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			assert.NoError(t, f.Seek(7, iofile.SeekSet))
			assert.NoError(t, f.SeekShared(9, iofile.SeekSet))
			if err := f.SetView(v(0, types.Int, types.Int)); err != nil {
				return err
			}
			pos, err := f.Position()
			assert.NoError(t, err)
			shared, err := f.PositionShared()
			assert.NoError(t, err)
			assert.Zero(t, pos)
			assert.Zero(t, shared)
			return nil
		})
	})
	t.Run("IO-VIEW-12 IO-AT-01 a view may start beyond the end", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			if err := f.SetView(v(10, types.Char, types.Char)); err != nil {
				return err
			}
			st, err := f.ReadAt(chars("    "), 0)
			assert.NoError(t, err)
			assert.EqualValues(t, 0, first(st.Count(types.Char)))
			_, err = f.WriteAt(chars("z"), 0)
			return err
		})
		assert.Equal(t, "..........z", get(t, fsys, "f"))
	})
	t.Run("IO-VIEW-17 a view is returned as it was set", func(t *testing.T) {
		with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			ft := types.Vector(2, 1, 2, types.Long)
			if err := f.SetView(iofile.View{Disp: 8, Etype: types.Long, Filetype: ft, Rep: "internal"}); err != nil {
				return err
			}
			got, err := f.View()
			assert.NoError(t, err)
			assert.EqualValues(t, 8, got.Disp)
			assert.True(t, got.Etype.Equal(types.Long))
			assert.True(t, got.Filetype.Equal(types.Vector(2, 1, 2, types.Long)))
			assert.True(t, got.Filetype.Portable())
			assert.Equal(t, "internal", got.Rep)
			return nil
		})
	})
	t.Run("REP-INTL-02 DIV-25 internal is called internal", func(t *testing.T) {
		with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			if err := f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: "internal"}); err != nil {
				return err
			}
			got, err := f.View()
			assert.Equal(t, "internal", got.Rep)
			return err
		})
	})
	t.Run("IO-VIEW-18 an empty filetype shows nothing", func(t *testing.T) {
		with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			if err := f.SetView(v(0, types.Int, types.Contiguous(0, types.Int))); err != nil {
				return err
			}
			_, err := f.WriteAt(types.Of([]int32{1}).As(types.Int), 0)
			refused(t, err, iofile.ErrArg, "IO-VIEW-18")
			_, err = f.WriteAt(types.Of([]int32{}).As(types.Int), 0)
			assert.NoError(t, f.Seek(0, iofile.SeekEnd))
			return err
		})
	})
	t.Run("IO-VIEW-21 tiles may interleave", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			ft := types.Resized(types.Vector(2, 1, 3, types.Char), 0, 1) // bytes 0 3, then 1 4, then 2 5, then 3 6: overlaps
			if err := f.SetView(v(0, types.Char, ft)); err != nil {
				return err
			}
			_, err := f.WriteAt(chars("abcdefg"), 0)
			refused(t, err, iofile.ErrArg, "IO-VIEW-08")
			ft = types.Resized(types.Vector(2, 1, 3, types.Char), 0, 2) // 0 3, 2 5, 4 7, ...
			if err := f.SetView(v(0, types.Char, ft)); err != nil {
				return err
			}
			if _, err := f.WriteAt(chars("abcdef"), 0); err != nil {
				return err
			}
			got := make([]byte, 6)
			_, err = f.ReadAt(types.Of(got).As(types.Char), 0)
			assert.Equal(t, "abcdef", string(got))
			return err
		})
		assert.Equal(t, "a.cbed.f", get(t, fsys, "f"))
	})
	t.Run("IO-OPEN-06 the view after open", func(t *testing.T) {
		with(t, 2, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			got, err := f.View()
			assert.Equal(t, v(0, types.Byte, types.Byte), got)
			atomic, _ := f.Atomicity()
			assert.False(t, atomic)
			pos, _ := f.Position()
			assert.Zero(t, pos)
			pos, err2 := f.PositionShared()
			assert.Zero(t, pos)
			return errors.Join(err, err2)
		})
	})
	t.Run("IO-VIEW-01 IO-VIEW-07 a view of a trillion elements costs nothing", func(t *testing.T) {
		with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			pair := types.Contiguous(2, types.Int)
			side := types.Slab{Size: 20000, Sub: 10000, Start: 1}
			for _, ft := range []*types.Type{
				types.Vector(1e12, 1, 2, pair),
				types.Subarray(types.OrderC, []types.Slab{side, side, side}, pair),
				types.Vector(1e9, 1, 3, types.Resized(types.Contiguous(1e3, pair), 0, 16000)),
			} {
				if err := f.SetView(v(8, pair, ft)); err != nil {
					return err
				}
				if _, err := f.WriteAt(ints(1, 2), 1e9); err == nil {
					return fmt.Errorf("datatype int must not match etype %v", pair)
				}
				if _, err := f.WriteAt(types.Raw(make([]byte, 16), 2, pair), 1e6); err != nil {
					return err
				}
				if err := f.Seek(0, iofile.SeekEnd); err != nil {
					return err
				}
			}
			return nil
		})
	})
	t.Run("IO-VIEW-14 a name longer than the limit", func(t *testing.T) {
		with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			bad := iofile.View{Etype: types.Int, Filetype: types.Int, Rep: strings.Repeat("n", 1000)}
			refused(t, f.SetView(bad), iofile.ErrUnsupportedDatarep, "IO-VIEW-14")
			return nil
		})
	})
	t.Run("IO-BOFF-01 IO-DA-16 offsets out of reach", func(t *testing.T) {
		with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			_, err := f.ByteOffset(-1)
			refused(t, err, iofile.ErrArg, "IO-DA-03")
			if err := f.SetView(v(8, types.Double, types.Resized(types.Double, 0, 1<<40))); err != nil {
				return err
			}
			_, err = f.ByteOffset(math.MaxInt64 / 8)
			refused(t, err, iofile.ErrArg, "IO-DA-16")
			at, err := f.ByteOffset(1 << 20)
			assert.EqualValues(t, int64(8+1<<60), at)
			return err
		})
	})
}

func first[T, U any](a T, _ U) T { return a }

// TestSequentialViews: a stream has no positions, and a view of it continues at the shared
// pointer.
func TestSequentialViews(t *testing.T) {
	t.Run("IO-VIEW-13 IO-VIEW-19 IO-SEQ-06 IO-AMODE-08 a view from here on", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "0123456789")
		with(t, 2, fsys, "f", iofile.ReadOnly|iofile.Sequential, func(f *iofile.File, rank int) error {
			got := make([]byte, 2)
			if _, err := f.ReadOrdered(types.Of(got)); err != nil {
				return err
			}
			assert.Equal(t, []string{"01", "23"}[rank], string(got))
			refused(t, f.SetView(v(0, types.Char, types.Char)), iofile.ErrArg, "IO-VIEW-13")
			if err := f.SetView(v(iofile.DisplacementCurrent, types.Char, types.Char)); err != nil {
				return err
			}
			now, err := f.View()
			assert.NoError(t, err)
			assert.EqualValues(t, 4, now.Disp)
			_, err = f.ReadOrdered(types.Of(got[:1]).As(types.Char))
			assert.Equal(t, "45"[rank], got[0])
			return err
		})
	})
	t.Run("IO-SEQ-01 IO-SEQ-03 DIV-06 no positions", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "0123")
		with(t, 1, fsys, "f", iofile.ReadOnly|iofile.Sequential, func(f *iofile.File, _ int) error {
			_, err := f.ReadAt(chars(" "), 0)
			refused(t, err, iofile.ErrUnsupportedOperation, "IO-SEQ-01")
			_, err = f.Read(chars(" "))
			refused(t, err, iofile.ErrUnsupportedOperation, "IO-SEQ-01")
			_, err = f.Position()
			refused(t, err, iofile.ErrUnsupportedOperation, "IO-SEQ-03")
			refused(t, f.Seek(0, iofile.SeekSet), iofile.ErrUnsupportedOperation, "IO-SEQ-03")
			_, err = f.ByteOffset(0)
			refused(t, err, iofile.ErrUnsupportedOperation, "IO-SEQ-03")
			refused(t, f.SetSize(0), iofile.ErrUnsupportedOperation, "IO-SIZE-03")
			return nil
		})
	})
	t.Run("IO-SEQ-02 no holes", func(t *testing.T) {
		with(t, 1, iofile.NewMem(), "f", iofile.Create|iofile.WriteOnly|iofile.Sequential, func(f *iofile.File, _ int) error {
			bad := v(iofile.DisplacementCurrent, types.Char, types.Resized(types.Char, 0, 2))
			refused(t, f.SetView(bad), iofile.ErrArg, "IO-SEQ-02")
			return nil
		})
	})
}

// TestAnyProcessCount is the promise of the project: an array written by P
// ranks is the same file for every P, and Q ranks read it back whole.
func TestAnyProcessCount(t *testing.T) {
	t.Run("REP-INT-01 LIT-X2 random partitions", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			n := rapid.IntRange(0, 60).Draw(rt, "elements")
			rep := rapid.SampledFrom([]string{"native", "internal", "external32"}).Draw(rt, "rep")
			write := drawOwners(rt, "writers", n)
			read := drawOwners(rt, "readers", n)
			data := rapid.SliceOfN(rapid.Int32(), n, n).Draw(rt, "data")
			fsys := iofile.NewMem()
			write.run(t, fsys, rep, func(f *iofile.File, mine []int) error {
				xs := make([]int32, len(mine))
				for i, at := range mine {
					xs[i] = data[at]
				}
				_, err := f.WriteAtAll(types.Of(xs).As(types.Int), 0)
				return err
			})
			one := iofile.NewMem()
			owners{1, make([]int, n)}.run(t, one, rep, func(f *iofile.File, _ []int) error {
				_, err := f.WriteAtAll(types.Of(data).As(types.Int), 0)
				return err
			})
			if a, b := get(t, fsys, "f"), get(t, one, "f"); a != b {
				rt.Fatalf("%d writers: %x\none writer:  %x", write.ranks, a, b)
			}
			read.run(t, fsys, rep, func(f *iofile.File, mine []int) error {
				xs := make([]int32, len(mine))
				st, err := f.ReadAtAll(types.Of(xs).As(types.Int), 0)
				if err != nil {
					return err
				}
				if n, ok := st.Count(types.Int); !ok || n != int64(len(mine)) {
					return fmt.Errorf("count %d of %d", n, len(mine))
				}
				for i, at := range mine {
					if xs[i] != data[at] {
						return fmt.Errorf("element %d: %d, want %d", at, xs[i], data[at])
					}
				}
				return nil
			})
		})
	})
}

// owners is a partition of elements over ranks.
type owners struct {
	ranks int
	of    []int // element -> rank
}

func drawOwners(t *rapid.T, label string, n int) owners {
	ranks := rapid.IntRange(1, 5).Draw(t, label)
	return owners{ranks, rapid.SliceOfN(rapid.IntRange(0, ranks-1), n, n).Draw(t, label+" of elements")}
}

// run opens the file and gives each rank a view of its elements.
func (o owners) run(t *testing.T, fsys *iofile.FS, rep string, body func(f *iofile.File, mine []int) error) {
	t.Helper()
	ranks(t, o.ranks, func(c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", create)
		if err != nil {
			return err
		}
		var mine []int
		var disps []int64
		for at, r := range o.of {
			if r == c.Rank() {
				mine, disps = append(mine, at), append(disps, int64(at))
			}
		}
		ft := types.IndexedBlock(1, disps, types.Int)
		if err := f.SetView(iofile.View{Etype: types.Int, Filetype: ft, Rep: rep}); err != nil {
			return err
		}
		if err := body(f, mine); err != nil {
			return err
		}
		return f.Close()
	})
}
