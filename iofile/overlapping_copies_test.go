package iofile_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// headed is a header byte and an array 16 bytes behind it, with sticky bounds: its copies
// are 8 bytes apart, and copy 2 begins in the array of copy 0.
func headed() *types.Type {
	array := types.Subarray(types.OrderC, []types.Slab{{Size: 8, Sub: 8}}, types.Byte)
	return types.Struct(types.Field{Count: 1, Type: types.Byte}, types.Field{Count: 1, Disp: 16, Type: array})
}

// If this fails, legal programs that other libraries run are refused, or one call writes a
// byte twice.
func TestOverlappingCopies(t *testing.T) {
	t.Run("IO-VIEW-08 the view stands, and so does a write of copies that are apart", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			if err := f.SetView(v(0, types.Byte, headed())); err != nil {
				return err
			}
			_, err := f.WriteAll(types.Of([]byte("Habcdefgh")))
			return err
		})
		assert.Equal(t, "H...............abcdefgh", get(t, fsys, "f"))
	})
	t.Run("IO-VIEW-08 a write that reaches the overlap is refused in every form, and changes nothing", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "0123456789")
		with(t, 1, fsys, "f", iofile.ReadWrite, func(f *iofile.File, _ int) error {
			if err := f.SetView(v(0, types.Byte, headed())); err != nil {
				return err
			}
			for _, w := range allForms {
				err := w.write(f, types.Of(make([]byte, 19)))
				refused(t, err, iofile.ErrArg, "IO-VIEW-08")
				assert.ErrorContains(t, err, "copies 0 and 2 of filetype", w.name)
				assert.ErrorContains(t, err, "both show byte 16, so this call would write it twice; write at most 18 etypes from offset 0 in one call", w.name)
				assert.ErrorContains(t, err, "types.Resized(filetype, 16, 24)", w.name)
				pos, _ := f.Position()
				shared, _ := f.PositionShared()
				assert.Zero(t, pos+shared, w.name)
			}
			return nil
		})
		assert.Equal(t, "0123456789", get(t, fsys, "f"))
	})
	t.Run("IO-VIEW-08 the advice helps", func(t *testing.T) {
		with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			if err := f.SetView(v(0, types.Byte, headed())); err != nil {
				return err
			}
			if _, err := f.WriteAt(types.Of(make([]byte, 18)), 0); err != nil {
				return err
			}
			if err := f.SetView(v(0, types.Byte, types.Resized(headed(), 16, 24))); err != nil {
				return err
			}
			_, err := f.WriteAt(types.Of(make([]byte, 1000)), 0)
			return err
		})
	})
	t.Run("IO-VIEW-08 one rank's part of an ordered write is refused on all", func(t *testing.T) {
		with(t, 3, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			if err := f.SetView(v(0, types.Byte, headed())); err != nil {
				return err
			}
			_, err := f.WriteOrdered(types.Of(make([]byte, 8+10*rank))) // from 0, 8 and 26: the last has 28
			refused(t, err, iofile.ErrArg, "IO-VIEW-08")
			pos, err := f.PositionShared()
			assert.Zero(t, pos)
			return err
		})
	})
	t.Run("IO-VIEW-08 a reader may pass the overlap on a file that can be written", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN")
		with(t, 1, fsys, "f", iofile.ReadWrite, func(f *iofile.File, _ int) error {
			if err := f.SetView(v(0, types.Byte, headed())); err != nil {
				return err
			}
			got := make([]byte, 19)
			_, err := f.ReadAt(types.Of(got), 0)
			assert.Equal(t, "aqrstuvwxiyzABCDEFq", string(got))
			return err
		})
	})
	t.Run("IO-VIEW-08 the check costs no more than the access", func(t *testing.T) {
		far := types.Resized(types.Struct(types.Field{Count: 1, Type: types.Byte}, types.Field{Count: 1 << 20, Disp: 1 << 40, Type: types.Byte}), 0, 1<<19)
		with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
			if err := f.SetView(v(0, types.Byte, far)); err != nil {
				return err
			}
			_, err := f.WriteAt(types.Of([]byte{1, 2, 3}), 1<<30)
			assert.NoError(t, err)
			_, err = f.WriteAt(types.Of(make([]byte, 1<<21)), 0)
			refused(t, err, iofile.ErrArg, "IO-VIEW-08")
			return nil
		})
	})
	t.Run("IO-VIEW-08 IO-SEEK-03 IO-IND-02 by the definition, in every form", rapid.MakeCheck(func(t *rapid.T) { overlappingCopies(t) }))
}

// overlappingCopies writes and reads at random through a view whose copies may
// overlap, and compares with the list of the bytes that it shows.
func overlappingCopies(t *rapid.T) {
	n := func(lo, hi int, what string) int { return rapid.IntRange(lo, hi).Draw(t, what) }
	unit := n(1, 3, "etype")
	etype := types.Contiguous(int64(unit), types.Byte)
	if unit == 1 {
		etype = types.Byte
	}
	var blocks []types.Block
	at := 0
	for range n(1, 4, "blocks") {
		at += n(0, 4, "gap") * unit
		b := types.Block{Len: int64(n(1, 3, "len")), Disp: int64(at)}
		blocks, at = append(blocks, b), at+int(b.Len)*unit
	}
	ft := types.Resized(types.HIndexed(blocks, etype), 0, int64(n(0, at/unit+2, "extent")*unit))
	view := iofile.View{Disp: int64(n(0, 3, "disp")), Etype: etype, Filetype: ft, Rep: "native"}
	shows := naive.Of(ft, reps.LP64LE).Bytes(60)
	for i := range shows {
		shows[i] += view.Disp
	}
	const most = 50 // etypes
	file := map[int64]byte{}
	size := int64(0)
	err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, iofile.NewMem(), "f", create)
		if err != nil {
			return err
		}
		if err := f.SetView(view); err != nil {
			return err
		}
		for range 12 {
			off, k := n(0, 12, "off"), n(0, 8, "etypes")
			part := shows[off*unit : min(off+k, most)*unit]
			form := allForms[n(0, len(allForms)-1, "form")]
			if err := f.Seek(iofile.Offset(off), iofile.SeekSet); err != nil {
				return err
			}
			if err := f.SeekShared(iofile.Offset(off), iofile.SeekSet); err != nil {
				return err
			}
			if data := make([]byte, len(part)); rapid.Bool().Draw(t, "write") {
				for i := range data {
					data[i] = byte(n(1, 250, "byte"))
				}
				sorted := slices.Sorted(slices.Values(part))
				twice := len(slices.Compact(sorted)) < len(part)
				err := form.write(f, types.Of(data).As(etype))
				if (err != nil) != twice {
					return fmt.Errorf("%s of %v at %d: twice is %v, error %w", form.name, part, off, twice, err)
				}
				for i, b := range part {
					if !twice {
						file[b], size = data[i], max(size, b+1)
					}
				}
			} else {
				if err := form.read(f, types.Of(data).As(etype)); err != nil {
					return err
				}
				for i, b := range part {
					want, written := file[b]
					if b >= size {
						break
					}
					if !written {
						want = 0xa5
					}
					if data[i] != want {
						return fmt.Errorf("%s: byte %d, position %d of %v: read %d, wrote %d", form.name, b, i, part, data[i], want)
					}
				}
			}
			if err := f.Seek(0, iofile.SeekEnd); err != nil {
				return err
			}
			end := 0
			for end < most && shows[end*unit] < size {
				end++
			}
			if pos, _ := f.Position(); int(pos) != end && end < most {
				return fmt.Errorf("the end of %d bytes is etype %d, should be %d of %v", size, pos, end, shows)
			}
		}
		return f.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
}
