package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const (
	streamIn  = iofile.ReadOnly | iofile.Sequential
	streamOut = iofile.WriteOnly | iofile.Sequential | iofile.Create
)

// TestSequentialMode: a program that works on a pipe of records must get every record once, also
// if it reads before a record was written.
func TestSequentialMode(t *testing.T) {
	t.Run("IO-SEQ-01 IO-SEQ-03 IO-AT-02 IO-IND-05 IO-SHP-10 what a stream allows", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "0123456789")
		b := chars("x")
		with(t, 1, fsys, "f", streamIn, func(f *iofile.File, _ int) error {
			for name, err := range map[string]error{
				"ReadAt": second(f.ReadAt(b, 0)), "Read": second(f.Read(b)), "ReadAtAll": second(f.ReadAtAll(b, 0)), "ReadAll": second(f.ReadAll(b)),
				"IReadAt": second(f.IReadAt(b, 0)), "IRead": second(f.IRead(b)), "IReadAtAll": second(f.IReadAtAll(b, 0)), "IReadAll": second(f.IReadAll(b)),
				"ReadAtAllBegin": f.ReadAtAllBegin(b, 0), "ReadAllBegin": f.ReadAllBegin(b),
			} {
				t.Log(name)
				refused(t, err, iofile.ErrUnsupportedOperation, "IO-SEQ-01")
			}
			refused(t, f.SeekShared(0, iofile.SeekSet), iofile.ErrUnsupportedOperation, "IO-SHP-08")
			refused(t, second(f.PositionShared()), iofile.ErrUnsupportedOperation, "IO-SHP-09")
			refused(t, f.Preallocate(1), iofile.ErrUnsupportedOperation, "IO-SIZE-05")
			got := make([]byte, 4)
			_, err := f.ReadShared(types.Of(got[:1]))
			q, err2 := f.IReadShared(types.Of(got[1:2]))
			if err := errors.Join(err, err2, second(q.Wait())); err != nil {
				return err
			}
			_, err = f.ReadOrdered(types.Of(got[2:3]))
			err2 = f.ReadOrderedBegin(types.Of(got[3:]))
			_, err3 := f.ReadOrderedEnd(types.Of(got[3:]))
			assert.Equal(t, "0123", string(got))
			return errors.Join(err, err2, err3)
		})
		with(t, 1, fsys, "f", streamOut, func(f *iofile.File, _ int) error {
			for _, err := range []error{
				second(f.WriteAt(b, 0)), second(f.Write(b)), second(f.WriteAtAll(b, 0)), second(f.WriteAll(b)), second(f.IWriteAt(b, 0)), f.WriteAllBegin(b),
				second(f.IWrite(b)), second(f.IWriteAtAll(b, 0)), second(f.IWriteAll(b)), f.WriteAtAllBegin(b, 0),
			} {
				refused(t, err, iofile.ErrUnsupportedOperation, "IO-SEQ-01")
			}
			q, err := f.IWriteShared(types.Of([]byte("a")))
			_, err2 := q.Wait()
			_, err3 := f.WriteShared(types.Of([]byte("b")))
			return errors.Join(err, err2, err3)
		})
		assert.Equal(t, "ab23456789", get(t, fsys, "f"))
	})
	for _, m := range []consistency.Model{consistency.Weakest, consistency.POSIX} {
		t.Run("IO-SEQ-04 a read that comes too early loses nothing, "+m.String(), func(t *testing.T) {
			fsys := iofile.NewMem(iofile.WithModel(m))
			ranks(t, 2, func(c *comm.Comm) error {
				out, err := iofile.Open(c, fsys, "f", streamOut)
				if err != nil {
					return err
				}
				in, err := iofile.Open(c, fsys, "f", streamIn)
				if err != nil {
					return err
				}
				var all []string
				for _, text := range []string{"abc", "", "defgh"} {
					if c.Rank() == 0 {
						_, err = out.WriteShared(types.Of([]byte(text)))
					}
					if err = errors.Join(err, out.Sync(), c.Barrier(), in.Sync()); err != nil {
						return err
					}
					got := make([]byte, 4)
					st, err := in.ReadOrdered(types.Of(got[:c.Rank()+1]))
					n, _ := st.Count(types.Byte)
					all = append(all, string(got[:n]))
					if err = errors.Join(err, c.Barrier()); err != nil {
						return err
					}
				}
				assert.Equal(t, [][]string{{"a", "", "d"}, {"bc", "", "ef"}}[c.Rank()], all)
				if c.Rank() == 1 {
					got := make([]byte, 9)
					st, err := in.ReadShared(types.Of(got))
					n, _ := st.Count(types.Byte)
					st, err2 := in.ReadShared(types.Of(got[n:]))
					none, _ := st.Count(types.Byte)
					assert.Equal(t, "gh", string(got[:n]))
					assert.Zero(t, none)
					err = errors.Join(err, err2)
					if err != nil {
						return err
					}
				}
				return errors.Join(in.Close(), out.Close())
			})
		})
	}
	t.Run("IO-SEQ-04 amounts, in whole etypes", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", strings.Repeat("i", 14))
		with(t, 3, fsys, "f", streamIn, func(f *iofile.File, rank int) error {
			if err := f.SetView(v(iofile.DisplacementCurrent, types.Int, types.Int)); err != nil {
				return err
			}
			xs := make([]int32, 2)
			st, err := f.ReadOrdered(types.Of(xs).As(types.Int))
			n, _ := st.Count(types.Int)
			assert.EqualValues(t, []int{2, 1, 0}[rank], n)
			return err
		})
	})
	t.Run("IO-SEQ-05 a write cuts by option", func(t *testing.T) {
		for _, ordered := range []bool{false, true} {
			for _, cut := range []bool{false, true} {
				fsys := iofile.NewMem()
				put(t, fsys, "f", "0123456789")
				ranks(t, 2, func(c *comm.Comm) error {
					var opts []iofile.OpenOption
					if cut {
						opts = append(opts, iofile.WithTruncatingWrites())
					}
					f, err := iofile.Open(c, fsys, "f", streamOut, opts...)
					if err != nil {
						return err
					}
					mine := types.Of([]byte{"xy"[c.Rank()]})
					switch {
					case ordered:
						_, err = f.WriteOrdered(mine)
					case c.Rank() == 0:
						q, begun := f.IWriteShared(types.Of([]byte("x")))
						_, err = q.Wait()
						_, err2 := f.WriteShared(types.Of([]byte("y")))
						err = errors.Join(begun, err, err2)
					}
					if cut && !ordered && c.Rank() == 0 {
						size, _ := f.Size()
						assert.EqualValues(t, 2, size, "the writer sees its own cut")
					}
					return errors.Join(err, f.Close())
				})
				assert.Equal(t, map[bool]string{true: "xy", false: "xy23456789"}[cut], get(t, fsys, "f"), "ordered %v", ordered)
			}
		}
		ranks(t, 2, func(c *comm.Comm) error {
			refused(t, second(iofile.Open(c, bothFS, "f", create, iofile.WithTruncatingWrites())), iofile.ErrArg, "IO-SEQ-05")
			var opts []iofile.OpenOption
			if c.Rank() == 1 {
				opts = append(opts, iofile.WithTruncatingWrites())
			}
			refused(t, second(iofile.Open(c, bothFS, "f", streamOut, opts...)), iofile.ErrNotSame, "GEN-05")
			return nil
		})
	})
}

// If this fails, a reader who loses bytes to a writer that cuts gets no report of a race,
// or a report names a writer for bytes that no longer exist.
func TestSequentialTruncationRace(t *testing.T) {
	run := func(cut bool, body func(f *iofile.File) error) (*iofile.FS, error) {
		fsys := iofile.NewMem(iofile.WithTracking(iofile.Provenance))
		put(t, fsys, "f", "0123456789")
		return fsys, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 1 {
				f, err := iofile.Open(c.Self(), fsys, "f", iofile.ReadOnly)
				if err != nil {
					return err
				}
				_, err = f.ReadAt(types.Of(make([]byte, 2)), 5)
				return errors.Join(err, f.Close())
			}
			var opts []iofile.OpenOption
			if cut {
				opts = append(opts, iofile.WithTruncatingWrites())
			}
			f, err := iofile.Open(c.Self(), fsys, "f", streamOut, opts...)
			if err != nil {
				return err
			}
			return errors.Join(body(f), f.Close())
		})
	}
	for _, ordered := range []bool{false, true} {
		write := func(f *iofile.File) error {
			if ordered {
				return errors.Join(second(f.WriteOrdered(types.Of([]byte("ab")))), second(f.WriteOrdered(types.Of([]byte("c")))))
			}
			return errors.Join(second(f.WriteShared(types.Of([]byte("ab")))), second(f.WriteShared(types.Of([]byte("c")))))
		}
		t.Run(fmt.Sprintf("IO-SEQ-05 CONS-D08 ordered %v", ordered), func(t *testing.T) {
			fsys, err := run(false, write)
			assert.NoError(t, err, "the writes alone are elsewhere")
			from, err := fsys.Provenance("f", 3, 10)
			assert.NoError(t, err)
			assert.Len(t, from, 1)
			before := fmt.Sprint(from)

			fsys, err = run(true, write)
			var race *consistency.RaceError
			if assert.ErrorAs(t, err, &race) {
				assert.ErrorContains(t, err, "bytes 5 to ") // 6, or as far as a reader who came late has missed
			}
			assert.Equal(t, "abc", get(t, fsys, "f"))
			from, err = fsys.Provenance("f", 3, 10)
			assert.NoError(t, err)
			assert.NotEqual(t, before, fmt.Sprint(from), "what was there before is gone")
		})
	}
}

var bothFS = iofile.NewMem()

// If a record came to two ranks, or to none, a program with several readers would process
// wrong data.
func TestSequentialReadsAreUnique(t *testing.T) {
	t.Run("IO-SEQ-04 IO-SEQ-05 every byte to one reader, the file what was written", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			n := rapid.IntRange(1, 4).Draw(rt, "ranks")
			old := rapid.StringOfN(rapid.RuneFrom([]rune("01")), 0, 40, -1).Draw(rt, "old")
			cut := rapid.Bool().Draw(rt, "cut")
			sizes := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 6), n, n), 0, 4).Draw(rt, "written at once")
			ordered := rapid.Bool().Draw(rt, "ordered")
			room := rapid.IntRange(1, 7).Draw(rt, "read at once")

			fsys := iofile.NewMem()
			put(t, fsys, "f", old)
			want := ""
			for _, round := range sizes {
				for r, k := range round {
					want += strings.Repeat(string(rune('a'+r)), k)
				}
			}
			ranks(t, n, func(c *comm.Comm) error {
				var opts []iofile.OpenOption
				if cut {
					opts = append(opts, iofile.WithTruncatingWrites())
				}
				f, err := iofile.Open(c, fsys, "f", streamOut, opts...)
				if err != nil {
					return err
				}
				for _, round := range sizes {
					buf := types.Of([]byte(strings.Repeat(string(rune('a'+c.Rank())), round[c.Rank()])))
					if ordered {
						_, err = f.WriteOrdered(buf)
					} else {
						_, err = f.WriteShared(buf)
					}
					if err != nil {
						return err
					}
				}
				return f.Close()
			})
			whole := want
			if len(want) < len(old) && (!cut || len(sizes) == 0) {
				whole += old[len(want):]
			}
			text := get(t, fsys, "f")
			if ordered {
				require.Equal(t, whole, text)
			}
			require.Equal(t, sorted(whole), sorted(text))

			parts := make([][]string, n)
			ranks(t, n, func(c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", streamIn)
				if err != nil {
					return err
				}
				for range len(text)/room + 2 {
					got := make([]byte, room)
					var st iofile.Status
					if ordered {
						st, err = f.ReadOrdered(types.Of(got))
					} else {
						st, err = f.ReadShared(types.Of(got))
					}
					if err != nil {
						return err
					}
					k, _ := st.Count(types.Byte)
					parts[c.Rank()] = append(parts[c.Rank()], string(got[:k]))
				}
				return f.Close()
			})
			all := ""
			for i := range len(text)/room + 2 {
				for r := range n {
					all += parts[r][i]
				}
			}
			if ordered {
				require.Equal(t, text, all)
			}
			require.Equal(t, sorted(text), sorted(all))
		})
	})
}

func sorted(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}
