package iofile_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// If nothing noticed that data is read by another etype than it was written with, the rule
// would be a sentence of the standard and no more.
func TestWrittenTypes(t *testing.T) {
	two := types.Struct(types.Field{Count: 1, Type: types.Int}, types.Field{Count: 1, Disp: 4, Type: types.Float})
	for _, tc := range []struct {
		name    string
		in, out iofile.View
		as      *types.Type // of the 8 bytes read
		want    string      // empty: nothing is wrong
	}{
		{"IO-TM-04 the same", as("native", 0, types.Int, types.Int), as("native", 0, types.Int, types.Int), types.Int, ""},
		{"IO-TM-04 another filetype", as("native", 0, types.Int, types.Int), as("native", 4, types.Int, types.Resized(types.Int, 0, 8)), types.Int, ""},
		{"IO-TM-04 float as int", as("native", 0, types.Float, types.Float), as("native", 0, types.Int, types.Int), types.Int, "byte 0 was written as float and is read as int; read it with the etype that it was written with, types.Float"},
		{"IO-TM-04 int as int32, another name", as("native", 0, types.Int, types.Int), as("native", 0, types.Int32, types.Int32), types.Int32, "byte 0 was written as int and is read as int32; read"},
		{"IO-TM-04 the second of a pair", as("native", 0, two, two), as("native", 0, types.Int, types.Int), types.Int, "byte 4 was written as float and is read as int"},
		{"IO-TM-04 parts of a pair", as("native", 0, two, two), as("native", 4, types.Float, types.Resized(types.Float, 0, 8)), types.Float, ""},
		{"IO-TM-04 between items", as("native", 0, types.Int, types.Int), as("native", 2, types.Int, types.Int), types.Int, "byte 2 was written as part of the int at byte 0, and is read as part of one at byte 2"},
		{"IO-TM-04 external32", as("external32", 0, types.Int, types.Int), as("external32", 0, types.UInt, types.UInt), types.UInt, "byte 0 was written as int and is read as uint"},
		{"IO-TM-04 bytes of anything", as("native", 0, types.Int, types.Int), as("native", 0, types.Byte, types.Byte), types.Int, ""},
		{"IO-TM-04 anything of bytes", as("native", 0, types.Byte, types.Byte), as("native", 0, types.Float, types.Float), types.Float, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, how := range []string{"strict", "careful", "neither"} {
				for name, read := range map[string]func(f *iofile.File, b types.Buffer) error{
					"ReadAt":    func(f *iofile.File, b types.Buffer) error { _, err := f.ReadAt(b, 0); return err },
					"ReadAtAll": func(f *iofile.File, b types.Buffer) error { _, err := f.ReadAtAll(b, 0); return err },
					"IReadAt": func(f *iofile.File, b types.Buffer) error {
						q, err := f.IReadAt(b, 0)
						if err == nil {
							_, err = q.Wait()
						}
						return err
					},
				} {
					var open []iofile.OpenOption
					var opts []world.Option
					if how == "strict" {
						open = append(open, iofile.WithMatch(types.MatchWritten))
					} else if how == "careful" {
						opts = append(opts, world.Careful("ignored", "IO-SIZE-06", "REP-BYTE-01"))
					}
					var failed error
					err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
						f, err := iofile.Open(c, iofile.NewMem(), "f", create, open...)
						if err != nil {
							return err
						}
						err = f.SetView(tc.in)
						dt := tc.in.Etype
						n := 16 / dt.Size(types.Host)
						_, e := f.WriteAt(types.Raw(make([]byte, 16), n, dt), 0)
						err = errors.Join(err, e, f.SetView(tc.out))
						for range 3 {
							mem := []byte(strings.Repeat("\xee", 8))
							if e := read(f, types.Raw(mem, 8/tc.as.Size(types.Host), tc.as)); e != nil {
								failed = e
								assert.Equal(t, strings.Repeat("\xee", 8), string(mem), "memory must stay")
							}
						}
						return errors.Join(err, f.Close())
					}, opts...)
					switch {
					case tc.want == "" || how == "neither":
						assert.NoError(t, err, "%s %s", how, name)
						assert.NoError(t, failed, "%s %s", how, name)
					case how == "strict":
						assert.NoError(t, err)
						refused(t, failed, iofile.ErrType, "IO-TM-04")
						assert.ErrorContains(t, failed, tc.want)
					default:
						assert.NoError(t, failed)
						found := world.Findings(err)
						if assert.Len(t, found, 1, "%s: %v", name, err) {
							assert.Equal(t, "IO-TM-04", found[0].Rule)
							assert.Contains(t, found[0].Text, tc.want)
						}
					}
				}
			}
		})
	}
	t.Run("IO-TM-04 one rank's error is that of all, and the advice helps", func(t *testing.T) {
		fsys := iofile.NewMem()
		require.NoError(t, fsys.Import("old", strings.NewReader("12345678")))
		require.NoError(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "old", iofile.ReadWrite, iofile.WithMatch(types.MatchWritten))
			if err != nil {
				return err
			}
			// what was there before fits everything
			err = errors.Join(f.SetView(as("native", 0, types.Int, types.Int)), failedOf(f.ReadAt(ints(0), 1)))
			if c.Rank() == 0 {
				err = errors.Join(err, f.SetView(as("native", 0, types.Float, types.Float)))
			} else {
				err = errors.Join(err, f.SetView(as("native", 0, types.Int, types.Int)))
			}
			if c.Rank() == 0 {
				err = errors.Join(err, failedOf(f.WriteAt(types.Of([]float32{1}), 0)))
			}
			err = errors.Join(err, f.Sync(), c.Barrier(), f.Sync())
			buf := types.Of([]float32{0})
			if c.Rank() == 1 {
				buf = ints(0)
			}
			_, e := f.ReadAtAll(buf, 0)
			assert.Error(t, e)
			err = errors.Join(err, f.SetView(as("native", 0, types.Float, types.Float)))
			_, e = f.ReadAtAll(types.Of([]float32{0}), 0)
			return errors.Join(err, e, f.Close())
		}))
	})
	t.Run("IO-TM-04 against a list of bytes", func(t *testing.T) {
		kinds := []*types.Type{types.Int, types.Float, types.Short, types.Double, types.Byte, two}
		rapid.Check(t, func(t *rapid.T) {
			type mark struct {
				kind  types.Kind
				begin int64
			}
			model := map[int64]mark{}
			items := func(et *types.Type, disp, etypes int64, yield func(at int64, k types.Kind)) {
				at := disp
				for k, n := range et.Signature().Items(0, etypes*et.Signature().Len()) {
					for range n {
						yield(at, k)
						at += types.Host.Sizeof(k)
					}
				}
			}
			err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, iofile.NewMem(), "f", create, iofile.WithMatch(types.MatchWritten))
				if err != nil {
					return err
				}
				for range rapid.IntRange(1, 25).Draw(t, "steps") {
					if rapid.IntRange(0, 5).Draw(t, "cut") == 0 { // what the file lost has no kind any more
						size := rapid.Int64Range(0, 24).Draw(t, "size")
						if err := f.SetSize(size); err != nil {
							return err
						}
						maps.DeleteFunc(model, func(at int64, _ mark) bool { return at >= size })
						continue
					}
					et := rapid.SampledFrom(kinds).Draw(t, "etype")
					disp, n := rapid.Int64Range(0, 12).Draw(t, "disp"), rapid.Int64Range(1, 6).Draw(t, "n")
					if err := f.SetView(as("native", disp, et, et)); err != nil {
						return err
					}
					buf := types.Raw(make([]byte, n*et.Size(types.Host)), n, et)
					if rapid.Bool().Draw(t, "write") {
						if _, err := f.WriteAt(buf, 0); err != nil {
							return err
						}
						items(et, disp, n, func(at int64, k types.Kind) {
							for i := range types.Host.Sizeof(k) {
								if model[at+i] = (mark{k, at}); k == types.KindByte {
									delete(model, at+i)
								}
							}
						})
						continue
					}
					size, _ := f.Size()
					bad := false
					items(et, disp, n, func(at int64, k types.Kind) {
						for i := range types.Host.Sizeof(k) {
							m, ok := model[at+i]
							bad = bad || ok && et != types.Byte && at+i < size && m != mark{k, at}
						}
					})
					_, err := f.ReadAt(buf, 0)
					if (err != nil) != bad {
						t.Fatalf("%v at %d, %d: %v, want an error: %t", et, disp, n, err, bad)
					}
				}
				return f.Close()
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	})
}

func failedOf[T any](_ T, err error) error { return err }
