package iofile_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func as(rep string, disp int64, etype, filetype *types.Type) iofile.View {
	return iofile.View{Disp: disp, Etype: etype, Filetype: filetype, Rep: rep}
}

// lints runs body on one rank and returns the rules of the lints.
func lints(t *testing.T, fsys *iofile.FS, body func(f *iofile.File) error) []string {
	t.Helper()
	var rules []string
	with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
		err := body(f)
		for _, l := range f.Lints() {
			rules = append(rules, l.Rule)
			assert.Equal(t, "lint_test.go", l.Place.String()[:12])
			assert.Contains(t, l.String(), "legal, but probably not what you meant: rank 0: "+l.Op+` "f" at lint_test.go:`)
		}
		return err
	})
	return rules
}

// TestLints: a missing lint lets a mistake pass; a false one teaches people to ignore
// lints.
func TestLints(t *testing.T) {
	padded := types.Struct(types.Field{Count: 1, Disp: 0, Type: types.Int}, types.Field{Count: 1, Disp: 4, Type: types.Char})
	bounded := types.Resized(padded, 0, 8)
	record := types.Resized(types.Struct(types.Field{Count: 1, Type: types.Char}, types.Field{Count: 1, Disp: 8, Type: types.Long}), 0, 16)
	padded8 := types.Struct(types.Field{Count: 1, Type: types.Char}, types.Field{Count: 1, Disp: 8, Type: types.Double})
	apart := types.HVector(2, 1, 16, types.Double)
	upTo24 := types.Struct(types.Field{Count: 1, Type: types.Double}, types.Field{Count: 1, Disp: 24, Type: types.UB})
	for _, tc := range []struct {
		name string
		view iofile.View
		want []string
	}{
		{"REP-DT-08 a displacement of a header under native", as("native", 8, types.Long, types.Long), nil},
		{"REP-DT-08 where sizes are the same", as("external32", 8, types.Int, types.Int), nil},
		{"REP-DT-08 a hard-wired displacement", as("external32", 8, types.Long, types.Long), []string{"REP-DT-08"}},
		{"REP-DT-08 displacements inside the filetype", as("internal", 0, types.Long, types.Resized(types.Long, 0, 16)), []string{"REP-DT-08"}},
		{"REP-DT-02 a portable type scales", as("external32", 0, types.Long, types.Vector(2, 1, 3, types.Long)), nil},
		{"REP-DT-06 a struct without bounds", as("external32", 0, padded, padded), []string{"REP-DT-06"}},
		{"REP-DT-06 a struct with bounds", as("external32", 0, bounded, bounded), nil},
		{"REP-DT-06 a struct with bounds around one without that repeats", as("external32", 0, padded, types.Resized(types.Contiguous(2, padded), 0, 10)), []string{"REP-DT-06"}},
		{"REP-DT-06 under native", as("native", 0, padded, padded), nil},
		{"REP-DT-06 REP-DT-08 explicit bounds and fixed displacements", as("external32", 16, record, types.Resized(record, 0, 32)), nil},
		{"REP-DT-06 one block repeats nothing", as("external32", 0, padded8, types.Resized(types.HIndexed([]types.Block{{Len: 1}}, padded8), 0, 16)), nil},
		{"REP-DT-06 blocks of one copy at distances in bytes", as("external32", 0, bounded, types.Resized(types.HVector(2, 1, 16, types.Dup(bounded)), 0, 32)), nil},
		{"REP-DT-06 a block of two copies", as("external32", 0, padded, types.Resized(types.HVector(2, 2, 15, padded), 0, 30)), []string{"REP-DT-06"}},
		{"REP-DT-06 only the filetype has bounds", as("external32", 0, apart, types.Resized(apart, 0, 24)), []string{"REP-DT-06"}},
		{"REP-DT-06 an etype with an upper bound is not padded", as("external32", 0, upTo24, types.Resized(upTo24, 0, 48)), nil},
		{"REP-DT-06 nothing in it has another size anywhere", as("external32", 0, apart, apart), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, lints(t, iofile.NewMem(), func(f *iofile.File) error { return f.SetView(tc.view) }))
		})
	}
	t.Run("REP-DT-08 REP-DT-09 a program that asked for the extent", func(t *testing.T) {
		assert.Empty(t, lints(t, iofile.NewMem(), func(f *iofile.File) error {
			if err := f.SetView(as("external32", 0, types.Long, types.Long)); err != nil {
				return err
			}
			n, err := f.TypeExtent(types.Long)
			return errors.Join(err, f.SetView(as("external32", 3*n, types.Long, types.Long)))
		}))
	})
	t.Run("REP-BYTE-01 IO-TM-07 typed data through bytes", func(t *testing.T) {
		for rep, want := range map[string][]string{"native": nil, "external32": {"REP-BYTE-01"}} {
			assert.Equal(t, want, lints(t, iofile.NewMem(), func(f *iofile.File) error {
				if err := f.SetView(as(rep, 0, types.Byte, types.Byte)); err != nil {
					return err
				}
				if _, err := f.WriteAt(types.Of([]byte{1}), 0); err != nil {
					return err
				}
				assert.Empty(t, f.Lints())
				for range 3 { // said once
					if _, err := f.WriteAt(ints(1), 0); err != nil {
						return err
					}
				}
				return nil
			}), rep)
		}
	})
	t.Run("IO-TM-S4 bytes that are not a value, in a careful world", func(t *testing.T) {
		half := "\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x40\x00\x00\x00\x00\x00\x00"
		for _, tc := range []struct {
			file string
			view iofile.View
			dt   *types.Type
			want string // part of the lint; empty: none
		}{
			{"\x01\x02", as("native", 0, types.Bool, types.Bool), types.Bool, "element 1 of the access, bool at byte 1 of the file, bytes 02"},
			{"\x01\x02", as("native", 0, types.Byte, types.Byte), types.Bool, "element 1 of the access, bool at byte 1 of the file"},
			{"\x01\x02", as("native", 0, types.Byte, types.Byte), types.Byte, ""},
			{"\x01\x01", as("native", 0, types.Bool, types.Bool), types.Bool, ""},
			{"\x01\x02", as("external32", 0, types.Bool, types.Bool), types.Bool, ""},
			{"\xd8\x01", as("external32", 0, types.WChar, types.WChar), types.WChar, "there is no Unicode character d801"},
			{half, as("native", 0, types.LongDouble, types.LongDouble), types.LongDouble, "leading bit"},
			{strings.Repeat("\x01", 200_000) + "\x02", as("native", 0, types.Bool, types.Bool), types.Resized(types.Bool, 0, 2), "element 200000 of the access"},
		} {
			for _, careful := range []bool{true, false} {
				for name, read := range map[string]func(f *iofile.File, b types.Buffer) error{
					"ReadAt":    func(f *iofile.File, b types.Buffer) error { _, err := f.ReadAt(b, 0); return err },
					"ReadAtAll": func(f *iofile.File, b types.Buffer) error { _, err := f.ReadAtAll(b, 0); return err },
					"Read":      func(f *iofile.File, b types.Buffer) error { _, err := f.Read(b); return err },
				} {
					fsys := iofile.NewMem()
					assert.NoError(t, fsys.Import("f", strings.NewReader(tc.file)))
					var opts []world.Option
					if careful {
						opts = append(opts, world.Careful())
					}
					err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
						f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
						if err != nil {
							return err
						}
						err = f.SetView(tc.view)
						n := int64(len(tc.file))
						if l, e := tc.dt.Layout(sizesOn(tc.view.Rep, reps.LP64LE)); e == nil {
							n /= l.Size
						}
						for range 3 { // the lint comes once, and the later reads may take the fast path
							e := f.Seek(0, iofile.SeekSet)
							err = errors.Join(err, e, read(f, types.Raw(make([]byte, 2*n+64), n, tc.dt)))
						}
						return errors.Join(err, f.Close())
					}, opts...)
					if tc.want == "" || !careful {
						assert.NoError(t, err)
						continue
					}
					found := world.Findings(err)
					if assert.Len(t, found, 1, name) {
						assert.Equal(t, world.KindValue, found[0].Kind)
						assert.Equal(t, "IO-TM-S4", found[0].Rule)
						assert.Contains(t, found[0].Text, tc.want)
					}
				}
			}
		}
	})
	t.Run("REP-DT-07 etypes of other kinds", func(t *testing.T) {
		fsys := iofile.NewMem()
		for rep, want := range map[string]int{"native": 0, "external32": 1} {
			with(t, 3, fsys, "f", create, func(f *iofile.File, rank int) error {
				et := []*types.Type{types.Int, types.Int, types.Float}[rank]
				if err := f.SetView(as(rep, 0, et, types.Contiguous(int64(rank+1), et))); err != nil {
					return err
				}
				if err := f.Sync(); err != nil { // the others' lints have been noted
					return err
				}
				all := f.Lints()
				assert.Len(t, all, want)
				for _, l := range all {
					assert.Equal(t, "REP-DT-07", l.Rule)
					assert.Equal(t, 2, l.Rank)
					assert.Contains(t, l.Text, "the etype float is made of other kinds than that of rank 0")
				}
				return nil
			})
		}
	})
	t.Run("REP-DT-07 other kinds at fixed places", func(t *testing.T) {
		with(t, 2, iofile.NewMem(), "f", create, func(f *iofile.File, rank int) error {
			et := types.Resized([]*types.Type{types.Int, types.Float}[rank], 0, 8)
			err := errors.Join(f.SetView(as("external32", 0, et, et)), f.Sync())
			assert.Empty(t, f.Lints(), "nothing scales")
			return err
		})
	})
	t.Run("REP-INT-05 read in another representation", func(t *testing.T) {
		fsys := iofile.NewMem()
		pair := types.Resized(types.Int, 0, 8)
		assert.Empty(t, lints(t, fsys, func(f *iofile.File) error {
			_, err := f.WriteAt(types.Of([]byte("header..")), 0)
			for i, rep := range []string{"native", "external32"} { // every other int
				err = errors.Join(err, f.SetView(as(rep, 8+4*int64(i), types.Int, pair)))
				_, e := f.WriteAt(ints(1, 2, 3), 0)
				_, e2 := f.ReadAt(ints(0, 0, 0), 0)
				err = errors.Join(err, e, e2)
			}
			return err
		}))
		// the file was closed, and remembers
		for _, tc := range []struct {
			view iofile.View
			want []string
		}{
			{as("native", 8, types.Int, pair), nil},
			{as("external32", 12, types.Int, pair), nil},
			{as("external32", 8, types.Int, pair), []string{"REP-INT-05"}},
			{as("native", 12, types.Int, pair), []string{"REP-INT-05"}},
			{as("internal", 12, types.Int, pair), []string{"REP-INT-05"}},
			{as("native", 0, types.Byte, types.Byte), nil},
		} {
			assert.Equal(t, tc.want, lints(t, fsys, func(f *iofile.File) error {
				if err := f.SetView(tc.view); err != nil {
					return err
				}
				for range 2 {
					n := int64(3)
					if tc.view.Etype == types.Byte {
						n = 32
					}
					if _, err := f.ReadAt(types.Raw(make([]byte, 32), n, tc.view.Etype), 0); err != nil {
						return err
					}
				}
				for _, l := range f.Lints() {
					assert.Contains(t, l.Text, "was written as ")
				}
				return nil
			}), "%v", tc.view)
		}
		// if cut, or deleted and made anew, it has no history
		again := func(f *iofile.File) error {
			if err := f.SetSize(0); err != nil {
				return err
			}
			err := f.SetView(as("internal", 12, types.Int, pair))
			_, e := f.WriteAt(ints(1, 2), 0)
			_, e2 := f.ReadAt(ints(1, 2), 0)
			return errors.Join(err, e, e2)
		}
		assert.Empty(t, lints(t, fsys, again))
		assert.NoError(t, iofile.Delete(fsys, "f"))
		assert.Empty(t, lints(t, fsys, func(f *iofile.File) error { return errors.Join(f.SetSize(100), again(f)) }))
	})
	t.Run("REP-INT-05 REP-BYTE-01 bytes over and under what is converted", func(t *testing.T) {
		raw, x32 := as("native", 0, types.Byte, types.Byte), as("external32", 0, types.Int, types.Int)
		type step struct {
			view  iofile.View
			write bool
			buf   types.Buffer
			off   iofile.Offset
		}
		typed := ints(1, 2, 3, 4)
		some := types.Of([]byte("four more bytes."))
		for _, tc := range []struct {
			name  string
			steps []step
			want  string // text of the lint of the last step, if there is one
		}{
			{"read as typed", []step{{raw, true, some, 0}, {x32, false, typed, 0}}, `byte 0 was written as "native" of a machine LP64LE and is read as "external32"`},
			{"typed data through bytes, read as typed", []step{{raw, true, typed, 8}, {x32, false, typed, 0}}, `byte 8 was written as "native" of a machine LP64LE and is read as "external32"`},
			{"written piece by piece", []step{{raw, true, some, 0}, {raw, true, some, 16}, {x32, false, typed, 4}}, `byte 16 was written as "native" of a machine LP64LE and is read as "external32"`},
			{"read as native", []step{{raw, true, some, 0}, {as("native", 0, types.Int, types.Int), false, typed, 0}}, ""},
			{"bytes read as bytes", []step{{x32, true, typed, 0}, {raw, false, some, 0}}, ""},
			{"typed data read through bytes", []step{{x32, true, typed, 0}, {raw, false, typed, 0}}, `byte 0 was written as "external32" and is read as "native" of a machine LP64LE`},
			{"written over", []step{{x32, true, typed, 0}, {raw, true, some, 12}}, `byte 12 was written as "external32"; etype byte writes over it without conversion`},
			{"written beside", []step{{x32, true, typed, 0}, {raw, true, some, 16}}, ""},
			{"a header beside", []step{{raw, true, some, 0}, {as("external32", 16, types.Int, types.Int), true, typed, 0}, {as("external32", 16, types.Int, types.Int), false, typed, 0}}, ""},
			{"a header before", []step{{as("external32", 16, types.Int, types.Int), true, typed, 0}, {raw, true, some, 0}}, ""},
			{"a header before, read as typed", []step{{as("external32", 16, types.Int, types.Int), true, typed, 0}, {raw, true, some, 0}, {as("native", 0, types.Int, types.Int), false, typed, 0}}, ""},
			{"a header over the first number", []step{{as("external32", 12, types.Int, types.Int), true, typed, 0}, {raw, true, some, 0}}, `byte 12 was written as "external32"; etype byte writes over it without conversion`},
			{"written over by what converts", []step{{raw, true, some, 0}, {x32, true, typed, 0}, {x32, false, typed, 0}}, ""},
			{"native, written over by bytes", []step{{as("native", 0, types.Int, types.Int), true, typed, 0}, {raw, true, some, 0}}, ""},
		} {
			t.Run(tc.name, func(t *testing.T) {
				fsys := iofile.NewMem()
				for i, s := range tc.steps { // each step opens the file again
					var texts []string
					with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
						err := errors.Join(f.SetSize(64), f.SetView(s.view))
						for range 2 { // said once
							do := f.ReadAt
							if s.write {
								do = f.WriteAt
							}
							_, e := do(s.buf, s.off)
							err = errors.Join(err, e)
						}
						for _, l := range f.Lints() {
							assert.Contains(t, []string{"REP-INT-05"}, l.Rule)
							texts = append(texts, l.Text)
						}
						return err
					})
					if i < len(tc.steps)-1 || tc.want == "" {
						assert.Empty(t, texts, "step %d", i)
					} else {
						assert.Equal(t, []string{tc.want}, texts)
					}
				}
			})
		}
		t.Run("through one handle", func(t *testing.T) {
			assert.Equal(t, []string{"REP-INT-05"}, lints(t, iofile.NewMem(), func(f *iofile.File) error {
				_, err := f.Write(some) // the view that files are opened with
				err = errors.Join(err, f.SetView(x32))
				_, e := f.ReadAt(typed, 0)
				return errors.Join(err, e)
			}))
		})
		t.Run("what was cut is forgotten", func(t *testing.T) {
			assert.Empty(t, lints(t, iofile.NewMem(), func(f *iofile.File) error {
				_, err := f.Write(some)
				err = errors.Join(err, f.SetSize(0), f.SetSize(64), f.SetView(x32))
				_, e := f.ReadAt(typed, 0)
				return errors.Join(err, e)
			}))
		})
	})
	t.Run("REP-NAT-01 REP-INT-05 native files of unlike machines", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			err = f.SetView(as("native", 0, types.Int, types.Int))
			if c.Rank() == 0 {
				_, e := f.WriteAt(ints(1), 0)
				err = errors.Join(err, e)
			}
			err = errors.Join(err, syncBarrierSync(f, c))
			_, e := f.ReadAtAll(ints(0), 0)
			for _, l := range f.Lints() {
				assert.Equal(t, 1, l.Rank)
				assert.True(t, strings.HasPrefix(l.Text, `byte 0 was written as "native" of a machine LP64LE and is read as "native" of a machine LP64BE`), l.Text)
			}
			err = errors.Join(err, e, f.Close())
			assert.Len(t, f.Lints(), 1)
			return err
		}, world.Arch(1, reps.LP64BE))
	})
	t.Run("REP-INT-05 against a list of bytes", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			fsys := iofile.NewMem()
			forms := make([]string, 300) // of bytes; empty: none
			names := []string{"native", "external32", "internal"}
			for range rapid.IntRange(1, 30).Draw(rt, "accesses") {
				what := rapid.SampledFrom([]string{"write", "write", "write", "read", "read", "cut"}).Draw(rt, "what")
				if what == "cut" { // its bytes have no form until they are written again
					size := rapid.Int64Range(0, 60).Draw(rt, "size")
					clear(forms[size:])
					assert.Empty(rt, lints(t, fsys, func(f *iofile.File) error { return f.SetSize(size) }))
					continue
				}
				write := what == "write"
				rep := rapid.SampledFrom(names).Draw(rt, "rep")
				disp := rapid.Int64Range(0, 30).Draw(rt, "disp")
				n := rapid.IntRange(0, 12).Draw(rt, "n")
				step := rapid.Int64Range(1, 4).Draw(rt, "step")
				want := false
				for i := range n {
					at := disp + int64(i)*step*2
					for _, off := range []int64{at, at + 1} {
						want = want || forms[off] != "" && forms[off] != rep
						if write {
							forms[off] = rep
						}
					}
				}
				got := lints(t, fsys, func(f *iofile.File) error {
					if err := f.SetSize(300); err != nil {
						return err
					}
					if err := f.SetView(as(rep, disp, types.Short, types.Vector(1, 1, 1, types.Resized(types.Short, 0, 2*step)))); err != nil {
						return err
					}
					buf := types.Raw(make([]byte, 64), int64(n), types.Short)
					if write {
						_, err := f.WriteAt(buf, 0)
						return err
					}
					_, err := f.ReadAt(buf, 0)
					return err
				})
				if !write && (len(got) > 0) != want {
					// bytes that were never written count as those of the first form
					if !want && len(got) > 0 && anyEmpty(forms, disp, n, step) {
						continue
					}
					rt.Fatalf("lints %v, want one: %v (%s from %d, %d every %d)", got, want, rep, disp, n, 2*step)
				}
			}
		})
	})
}

func anyEmpty(forms []string, disp int64, n int, step int64) bool {
	for i := range n {
		if at := disp + int64(i)*step*2; forms[at] == "" || forms[at+1] == "" {
			return true
		}
	}
	return false
}
