package iofile_test

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRulesToTheLetter: each subtest asserts what the text of its rule says, where the other
// tests of that area check only a neighbouring rule.
func TestRulesToTheLetter(t *testing.T) {
	t.Run("GEN-01 IO-POS-01 IO-SEEK-01 offsets in etypes, displacements and sizes in bytes", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			err := f.SetView(v(2, types.Int, types.Int))
			_, err2 := f.WriteAt(ints(1), 2)
			size, err3 := f.Size()
			assert.EqualValues(t, 2+3*4, size)
			err4 := f.Seek(2, iofile.SeekSet)
			got := []int32{0}
			_, err5 := f.Read(intsIn(got))
			pos, err6 := f.Position()
			assert.Equal(t, []int32{1}, got)
			assert.Equal(t, iofile.Offset(3), pos)
			assert.NoError(t, f.Seek(-2, iofile.SeekEnd))
			pos, _ = f.Position()
			assert.Equal(t, iofile.Offset(1), pos)
			return errors.Join(err, err2, err3, err4, err5, err6, f.SetSize(7))
		})
		fi, err := fs.Stat(fsys, "f")
		require.NoError(t, err)
		assert.EqualValues(t, 7, fi.Size())
	})
	t.Run("IO-POS-01 IO-SHP-09 IO-SIZE-07 positions and size need no other rank", func(t *testing.T) {
		onInts(t, 2, "aaaabbbbcc", func(f *iofile.File, c *comm.Comm) error {
			if err := errors.Join(f.Seek(1, iofile.SeekSet), f.SeekShared(2, iofile.SeekSet)); err != nil {
				return err
			}
			if c.Rank() == 1 {
				return second(c.Recv(intsIn(make([]int32, 1)), 0, 0))
			}
			pos, err := f.Position()
			shared, err2 := f.PositionShared()
			size, err3 := f.Size()
			assert.Equal(t, []iofile.Offset{1, 2, 10}, []iofile.Offset{pos, shared, iofile.Offset(size)})
			return errors.Join(err, err2, err3, c.Send(ints(0), 1, 0))
		})
	})
	t.Run("IO-SIZE-07 a size overlaps a write of any byte", func(t *testing.T) {
		races(t, 2, "aaaabbbb", func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 0 {
				return second(f.WriteAt(ints(1), 0)) // far from the end
			}
			return second(f.Size())
		})
	})
	t.Run("GEN-04 ranks and agreement are those of the opening communicator, which may be freed", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 4, func(c *comm.Comm) error {
			half := c.Rank() % 2
			part, err := c.Split(half, -c.Rank()) // ranks 2 and 0, 3 and 1
			if err != nil {
				return err
			}
			f, err := iofile.Open(part, fsys, "ab"[half:half+1], create)
			if err := errors.Join(err, part.Free()); err != nil {
				return err
			}
			assert.NoError(t, f.SetSize(int64(half))) // equal within each half only
			_, err = f.WriteOrdered(types.Of([]byte{byte('0' + c.Rank())}))
			return errors.Join(err, f.Close())
		})
		assert.Equal(t, "20", get(t, fsys, "a"))
		assert.Equal(t, "31", get(t, fsys, "b"))
	})
	t.Run("IO-DA-04 IO-TM-03 a datatype of one and a half etypes", func(t *testing.T) {
		alone(t, "", func(f *iofile.File) error {
			two := types.Contiguous(2, types.Int)
			if err := f.SetView(v(0, two, two)); err != nil {
				return err
			}
			mem := types.Of(make([]int32, 6)).Mem()
			for _, call := range []func(types.Buffer, iofile.Offset) (iofile.Status, error){f.WriteAt, f.ReadAt} {
				_, err := call(types.Raw(mem, 1, types.Contiguous(3, types.Int)), 0)
				assert.ErrorIs(t, err, iofile.ErrType)
				_, err = call(types.Raw(mem, 1, types.Contiguous(4, types.Int)), 0)
				assert.NoError(t, err)
			}
			return nil
		})
	})
	t.Run("IO-DA-08 a write beyond the end grows the file by what was asked", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "ab")
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			st, err := f.WriteAt(types.Of([]byte("cdefg")), 4)
			n, _ := st.Count(types.Byte)
			assert.EqualValues(t, 5, n)
			size, err2 := f.Size()
			assert.EqualValues(t, 9, size)
			return errors.Join(err, err2)
		})
		assert.Equal(t, "ab..cdefg", get(t, fsys, "f"))
	})
	for name, complete := range map[string]func(reqs ...*comm.Request) error{
		"Wait": func(reqs ...*comm.Request) (err error) {
			for _, q := range reqs {
				err = errors.Join(err, second(q.Wait()))
			}
			return err
		},
		"Test": func(reqs ...*comm.Request) error {
			for _, q := range reqs {
				for done := false; !done; {
					var err error
					if _, done, err = q.Test(); err != nil {
						return err
					}
				}
			}
			return nil
		},
		"WaitAll": func(reqs ...*comm.Request) error { return second(comm.WaitAll(reqs...)) },
		"TestAll": func(reqs ...*comm.Request) error {
			for {
				if _, done, err := comm.TestAll(reqs...); done || err != nil {
					return err
				}
			}
		},
		"WaitAny": func(reqs ...*comm.Request) error {
			for range reqs {
				if _, _, err := comm.WaitAny(reqs...); err != nil {
					return err
				}
			}
			return nil
		},
		"TestAny": func(reqs ...*comm.Request) error {
			for left := len(reqs); left > 0; {
				_, _, done, err := comm.TestAny(reqs...)
				if err != nil {
					return err
				}
				if done {
					left--
				}
			}
			return nil
		},
		"WaitSome": func(reqs ...*comm.Request) error {
			for left := len(reqs); left > 0; {
				done, _, err := comm.WaitSome(reqs...)
				if err != nil {
					return err
				}
				left -= len(done)
			}
			return nil
		},
		"TestSome": func(reqs ...*comm.Request) error {
			for left := len(reqs); left > 0; {
				done, _, err := comm.TestSome(reqs...)
				if err != nil {
					return err
				}
				left -= len(done)
			}
			return nil
		},
	} {
		t.Run("IO-DA-13 accesses and messages completed by "+name, func(t *testing.T) {
			onInts(t, 2, "\x01\x01\x01\x01\x02\x02\x02\x02", func(f *iofile.File, c *comm.Comm) error {
				peer := 1 - c.Rank()
				got, in := make([]int32, 1), make([]int32, 1)
				r, err := c.IRecv(intsIn(in), peer, 0)
				q, err2 := f.IReadAt(intsIn(got), iofile.Offset(peer))
				w, err3 := f.IWriteAt(ints(7), iofile.Offset(2+c.Rank()))
				s, err4 := c.ISend(ints(int32(c.Rank())), peer, 0)
				if err := errors.Join(err, err2, err3, err4); err != nil {
					return err
				}
				all := []*comm.Request{q, r, w, s}
				err = complete(slices.Clone(all)...)
				assert.Equal(t, []int32{int32(peer)}, in)
				assert.Equal(t, []int32{int32(peer+1) * 0x01010101}, got)
				return err
			})
		})
	}
	t.Run("IO-NBC-01 nonblocking collectives are those with offsets and individual pointers", func(t *testing.T) {
		var got []string
		ty := reflect.TypeFor[*iofile.File]()
		form := regexp.MustCompile(`^I(Read|Write).*(All|Ordered)`)
		for i := range ty.NumMethod() {
			if name := ty.Method(i).Name; form.MatchString(name) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		assert.Equal(t, []string{"IReadAll", "IReadAtAll", "IWriteAll", "IWriteAtAll"}, got)
	})
	t.Run("IO-NBC-02 nonblocking collectives in another order on one rank", func(t *testing.T) {
		onInts(t, 2, "aaaabbbb", func(f *iofile.File, c *comm.Comm) error {
			read := func() (*comm.Request, error) { return f.IReadAtAll(intsIn(make([]int32, 1)), 0) }
			write := func() (*comm.Request, error) { return f.IWriteAtAll(ints(1), iofile.Offset(2+c.Rank())) }
			first, then := read, write
			if c.Rank() == 1 {
				first, then = write, read
			}
			for _, start := range []func() (*comm.Request, error){first, then} {
				q, err := start()
				if err == nil {
					_, err = q.Wait()
				}
				refused(t, err, iofile.ErrNotSame, "GEN-06")
			}
			return nil
		})
	})
	t.Run("IO-SPLIT-03 either half may wait, so a program that relies on the opposite is a deadlock", func(t *testing.T) {
		for _, half := range []string{"ReadOrderedBegin", "ReadOrderedEnd"} {
			assert.ErrorContains(t, runOnInts(t, 2, "aaaabbbb", func(f *iofile.File, c *comm.Comm) error {
				buf := intsIn(make([]int32, 1))
				message := func(of string) error { // from rank 0 after that half, to rank 1 before it
					if of != half {
						return nil
					}
					if c.Rank() == 0 {
						return c.Send(ints(0), 1, 0)
					}
					return second(c.Recv(intsIn(make([]int32, 1)), 0, 0))
				}
				for _, call := range []struct {
					of string
					do func() error
				}{
					{"ReadOrderedBegin", func() error { return f.ReadOrderedBegin(buf) }},
					{"ReadOrderedEnd", func() error { return second(f.ReadOrderedEnd(buf)) }},
				} {
					steps := []func() error{call.do, func() error { return message(call.of) }}
					if c.Rank() == 1 {
						slices.Reverse(steps)
					}
					for _, step := range steps {
						if err := step(); err != nil {
							return err
						}
					}
				}
				return nil
			}), "rank 0: waits in "+half)
		}
	})
	t.Run("IO-VIEW-16 the view keeps types whose parts the program overwrites and lets go", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "0123456789")
		with(t, 1, fsys, "f", iofile.ReadOnly, func(f *iofile.File, _ int) error {
			func() {
				blocks := []types.Block{{Len: 1, Disp: 1}, {Len: 1, Disp: 3}}
				if err := f.SetView(v(0, types.Char, types.Indexed(blocks, types.Char))); err != nil {
					t.Error(err)
				}
				blocks[0].Disp, blocks[1].Disp = 7, 8
			}()
			runtime.GC()
			got := make([]byte, 3)
			_, err := f.ReadAt(types.Of(got).As(types.Char), 0)
			assert.Equal(t, "134", string(got))
			return err
		})
	})
	t.Run("CONS-PROG-02 an access completes while all other ranks wait for this one", func(t *testing.T) {
		onInts(t, 3, "aaaabbbb", func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() > 0 {
				return second(c.Recv(intsIn(make([]int32, 1)), 0, 0))
			}
			q, err := f.IWriteAt(ints(5), 2)
			for done := false; err == nil && !done; {
				_, done, err = q.Test()
			}
			got := []int32{0}
			r, err2 := f.IReadAt(intsIn(got), 2)
			_, err3 := r.Wait()
			assert.Equal(t, []int32{5}, got)
			return errors.Join(err, err2, err3, c.Send(ints(0), 1, 0), c.Send(ints(0), 2, 0))
		})
	})
	t.Run("CONS-ORD-02 IO-OPEN-05 collectives of the file and of the program in another order on each rank", func(t *testing.T) {
		onInts(t, 2, "aaaabbbb", func(f *iofile.File, c *comm.Comm) error {
			sum := []int64{0}
			reduce := func() error { return c.AllReduce(types.Of([]int64{1}), types.Of(sum), comm.Sum) }
			if c.Rank() == 1 {
				if err := reduce(); err != nil {
					return err
				}
			}
			q, err := f.IWriteAtAll(ints(int32(c.Rank())), iofile.Offset(c.Rank()))
			if err == nil && c.Rank() == 0 {
				err = reduce()
			}
			assert.EqualValues(t, 2, sum[0])
			return errors.Join(err, second(q.Wait()))
		})
	})
	t.Run("ERR-ORD-01 handle, count, datatype, offset, matching, mode, stream, overflow", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "abcd")
		floats := func() types.Buffer { return types.Of([]float32{1}) }
		first := func(m iofile.Mode, view iofile.View, call func(f *iofile.File) error, class errclass.Class, rule string) {
			with(t, 1, fsys, "f", m, func(f *iofile.File, _ int) error {
				if err := f.SetView(view); err != nil {
					return err
				}
				refused(t, call(f), class, rule)
				return nil
			})
		}
		ofInts, ofBytes := v(0, types.Int, types.Int), v(0, types.Byte, types.Byte)
		stream := v(iofile.DisplacementCurrent, types.Byte, types.Byte)
		ranks(t, 1, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
			if err := errors.Join(err, f.Close()); err != nil {
				return err
			}
			refused(t, second(f.ReadAt(types.Raw(nil, -1, nil), -1)), iofile.ErrFile, "IO-CLOSE-04")
			return nil
		})
		first(iofile.ReadOnly, ofInts, func(f *iofile.File) error { return second(f.WriteAt(floats(), -1)) }, iofile.ErrArg, "IO-DA-03")
		first(iofile.ReadOnly, ofInts, func(f *iofile.File) error { return second(f.WriteAt(floats(), 0)) }, iofile.ErrType, "IO-TM-03")
		first(iofile.ReadOnly|iofile.Sequential, stream, func(f *iofile.File) error { return second(f.WriteAt(chars("x"), 0)) }, iofile.ErrReadOnly, "IO-AMODE-10")
		first(iofile.ReadOnly|iofile.Sequential, stream, func(f *iofile.File) error { return second(f.ReadAt(chars("x"), math.MaxInt64)) }, iofile.ErrUnsupportedOperation, "IO-SEQ-01")
		first(iofile.ReadOnly, ofBytes, func(f *iofile.File) error { return second(f.WriteAt(chars("xy"), math.MaxInt64)) }, iofile.ErrReadOnly, "IO-AMODE-10")
	})
	t.Run("ERR-ORD-03 the communicator comes before the mode", func(t *testing.T) {
		_, err := iofile.Open(nil, iofile.NewMem(), "../f", iofile.Create)
		assert.ErrorIs(t, err, iofile.ErrComm)
	})
	t.Run("REP-MATCH-03 a representation that stands for a foreign machine's native", func(t *testing.T) {
		fsys := iofile.NewMem(iofile.WithModel(consistency.Weakest))
		put(t, fsys, "f", "\x00\x00\x00\x01\xff\xff\xff\xfe") // ints as a big-endian machine left them
		foreign := reps.Conversion{
			Extent: func(*types.Type, any) (int64, error) { return 4, nil },
			Read: func(user reps.Memory, _ *types.Type, count int64, file []byte, position int64, _ any) error {
				for _, item := range user.Items(position, count) {
					binary.NativeEndian.PutUint32(item, binary.BigEndian.Uint32(file))
					file = file[4:]
				}
				return nil
			},
			Write: func(user reps.Memory, _ *types.Type, count int64, file []byte, position int64, _ any) error {
				for _, item := range user.Items(position, count) {
					binary.BigEndian.PutUint32(file, binary.NativeEndian.Uint32(item))
					file = file[4:]
				}
				return nil
			},
		}
		own(t, fsys, foreign, 1000, types.Int, func(f *iofile.File) error {
			got := make([]int32, 2)
			_, err := f.ReadAt(intsIn(got), 0)
			assert.Equal(t, []int32{1, -2}, got)
			return errors.Join(err, second(f.WriteAt(ints(3), 2)))
		})
		assert.Equal(t, "\x00\x00\x00\x01\xff\xff\xff\xfe\x00\x00\x00\x03", get(t, fsys, "f"))
	})
}
