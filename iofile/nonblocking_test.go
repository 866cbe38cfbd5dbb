package iofile_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// onInts runs body on n ranks that see one file as ints.
func onInts(t *testing.T, n int, text string, body func(f *iofile.File, c *comm.Comm) error, opts ...world.Option) {
	t.Helper()
	assert.NoError(t, runOnInts(t, n, text, body, opts...))
}

// refusedUnchanged returns the error of a call; it checks that a call is refused and leaves view and position
// as they were. Size would race with the access under way.
func refusedUnchanged(t *testing.T, f *iofile.File, call func(*iofile.File) error, rule string) error {
	t.Helper()
	state := func() []any {
		view, err := f.View()
		assert.NoError(t, err)
		pos, err := f.Position()
		assert.NoError(t, err)
		return []any{view, pos}
	}
	before := state()
	err := call(f)
	refused(t, err, iofile.ErrOther, rule)
	assert.Equal(t, before, state())
	return err
}

// races does the same as onInts for a body with a data race.
func races(t *testing.T, n int, text string, body func(f *iofile.File, c *comm.Comm) error, opts ...world.Option) {
	t.Helper()
	var race *consistency.RaceError
	assert.ErrorAs(t, runOnInts(t, n, text, body, opts...), &race)
}

func runOnInts(t *testing.T, n int, text string, body func(f *iofile.File, c *comm.Comm) error, opts ...world.Option) error {
	fsys := iofile.NewMem()
	put(t, fsys, "f", text)
	return world.Run(t.Context(), n, asInts(fsys, body), opts...)
}

// asInts returns a body that opens "f" with a view of ints and runs body.
func asInts(fsys *iofile.FS, body func(f *iofile.File, c *comm.Comm) error, open ...iofile.OpenOption) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite, open...)
		if err != nil {
			return err
		}
		if err := f.SetView(v(0, types.Int, types.Int)); err != nil {
			return err
		}
		if err := body(f, c); err != nil {
			return err
		}
		return f.Close()
	}
}

// TestNonblocking is about accesses under way.
func TestNonblocking(t *testing.T) {
	t.Run("IO-IND-04 the pointer moves when the access starts", func(t *testing.T) {
		onInts(t, 1, "aaaabbbbcc", func(f *iofile.File, _ *comm.Comm) error {
			got := [2][]int32{make([]int32, 1), make([]int32, 3)}
			q1, err := f.IRead(intsIn(got[0]))
			pos, _ := f.Position()
			assert.EqualValues(t, 1, pos)
			q2, err2 := f.IRead(intsIn(got[1])) // cut by the end of the file
			pos, _ = f.Position()
			assert.EqualValues(t, 3, pos)
			if err != nil || err2 != nil {
				return errors.Join(err, err2)
			}
			sts, err := comm.WaitAll(q2, q1)
			assert.EqualValues(t, 0x62626262, got[1][0])
			assert.Zero(t, got[1][2])
			_, whole := sts[0].Count(types.Int)
			assert.False(t, whole, "six bytes are not a whole number of ints")
			return err
		})
	})
	t.Run("IO-DA-13 IO-DA-09 requests of files and messages complete together", func(t *testing.T) {
		onInts(t, 2, "aaaabbbb", func(f *iofile.File, c *comm.Comm) error {
			peer := 1 - c.Rank()
			got, in := make([]int32, 1), make([]int32, 1)
			q, err := f.IReadAt(intsIn(got), iofile.Offset(peer))
			if err != nil {
				return err
			}
			r, err := c.IRecv(intsIn(in), peer, 0)
			if err != nil {
				return err
			}
			s, err := c.ISend(ints(int32(c.Rank())), peer, 0)
			if err != nil {
				return err
			}
			left := []*comm.Request{q, r, s}
			for range left {
				i, st, err := comm.WaitAny(left...)
				if err != nil {
					return err
				}
				if i == 0 {
					n, _ := st.Count(types.Int)
					assert.EqualValues(t, 1, n)
				}
			}
			assert.Equal(t, []int32{int32(peer)}, in)
			assert.NotZero(t, got[0])
			return nil
		})
	})
	t.Run("IO-DA-17 LIT-47 several under way complete in any order", func(t *testing.T) {
		onInts(t, 1, "", func(f *iofile.File, _ *comm.Comm) error {
			var reqs []*comm.Request
			for i := range int32(5) {
				q, err := f.IWriteAt(ints(10+i), iofile.Offset(i))
				if err != nil {
					return err
				}
				reqs = append(reqs, q)
			}
			for _, i := range []int{3, 0, 4, 2, 1} {
				if _, err := reqs[i].Wait(); err != nil {
					return err
				}
			}
			got := make([]int32, 5)
			_, err := f.ReadAt(intsIn(got), 0)
			assert.Equal(t, []int32{10, 11, 12, 13, 14}, got)
			return err
		})
	})
	t.Run("LIT-15 a write that is complete is seen", func(t *testing.T) {
		for _, atomic := range []bool{false, true} {
			onInts(t, 1, "aaaa", func(f *iofile.File, _ *comm.Comm) error {
				if err := f.SetAtomicity(atomic); err != nil {
					return err
				}
				if _, err := completed(f.IWriteAt(ints(4), 0)); err != nil {
					return err
				}
				got := make([]int32, 1)
				_, err := completed(f.IReadAt(intsIn(got), 0))
				assert.Equal(t, []int32{4}, got)
				return err
			})
		}
	})
	t.Run("LIT-13 LIT-14 LIT-17 accesses under way together race", func(t *testing.T) {
		races(t, 1, "aaaa", func(f *iofile.File, _ *comm.Comm) error {
			w, err := f.IWriteAt(ints(4), 0)
			if err != nil {
				return err
			}
			r, err := f.IReadAt(intsIn(make([]int32, 1)), 0)
			if err != nil {
				return err
			}
			_, err = comm.WaitAll(w, r)
			return err
		})
		races(t, 2, "aaaa", func(f *iofile.File, _ *comm.Comm) error {
			w, err := f.IWriteAll(ints(4))
			if err != nil {
				return err
			}
			r, err := f.IReadAtAll(intsIn(make([]int32, 1)), 0)
			if err != nil {
				return err
			}
			if _, err := r.Wait(); err != nil {
				return err
			}
			_, err = w.Wait()
			return err
		})
	})
	t.Run("LIT-08 in atomic mode either comes first", func(t *testing.T) {
		onInts(t, 1, "\x02\x00\x00\x00", func(f *iofile.File, _ *comm.Comm) error {
			if err := f.SetAtomicity(true); err != nil {
				return err
			}
			got := make([]int32, 1)
			w, err := f.IWriteAt(ints(4), 0)
			if err != nil {
				return err
			}
			r, err := f.IReadAt(intsIn(got), 0)
			if err != nil {
				return err
			}
			_, err = comm.WaitAll(w, r)
			assert.Contains(t, []int32{2, 4}, got[0])
			return err
		})
	})
	t.Run("IO-SHP-05 the shared pointer moves when the access starts", func(t *testing.T) {
		onInts(t, 1, "", func(f *iofile.File, _ *comm.Comm) error {
			q, err := f.IWriteShared(ints(1, 2))
			if err != nil {
				return err
			}
			pos, _ := f.PositionShared()
			assert.EqualValues(t, 2, pos)
			_, err = q.Wait()
			return err
		})
	})
	t.Run("IO-CLOSE-02 IO-VIEW-15 CONS-SYNC-02 IO-SIZE-03 what must wait for accesses under way", func(t *testing.T) {
		for _, c := range []struct {
			rule string
			call func(f *iofile.File) error
		}{
			{"IO-CLOSE-02", (*iofile.File).Close},
			{"CONS-SYNC-02", (*iofile.File).Sync},
			{"IO-VIEW-15", func(f *iofile.File) error { return f.SetView(v(0, types.Byte, types.Byte)) }},
			{"IO-SIZE-03", func(f *iofile.File) error { return f.SetSize(3) }},
			{"IO-SIZE-05", func(f *iofile.File) error { return f.Preallocate(30) }},
		} {
			onInts(t, 2, "aaaa", func(f *iofile.File, w *comm.Comm) error {
				if w.Rank() == 1 {
					refusedUnchanged(t, f, c.call, c.rule)
					return nil
				}
				q, err := f.IWriteAt(ints(7), 0)
				if err != nil {
					return err
				}
				wrong := refusedUnchanged(t, f, c.call, c.rule)
				assert.Regexp(t, `nonblocking accesses under way: IWriteAt \(nonblocking_test\.go:\d+.*\); complete`, wrong.Error())
				if _, err = q.Wait(); err != nil {
					return err
				}
				size, err := f.Size()
				assert.EqualValues(t, 4, size, c.rule)
				return err
			})
			onInts(t, 1, "aaaa", func(f *iofile.File, _ *comm.Comm) error {
				buf := ints(7)
				if err := f.WriteAllBegin(buf); err != nil {
					return err
				}
				refusedUnchanged(t, f, c.call, c.rule)
				if _, err := f.WriteAllEnd(buf); err != nil {
					return err
				}
				size, err := f.Size()
				assert.EqualValues(t, 4, size, c.rule)
				return err
			})
		}
	})
	t.Run("CONS-ATOM-03 the mode may change while an access is under way", func(t *testing.T) {
		onInts(t, 2, "aaaabbbb", func(f *iofile.File, c *comm.Comm) error {
			q, err := f.IWriteAt(ints(7), iofile.Offset(c.Rank()))
			if err != nil {
				return err
			}
			if err := f.SetAtomicity(true); err != nil {
				return err
			}
			_, err = q.Wait()
			return err
		})
	})
	t.Run("GEN-02 a refused start changes nothing", func(t *testing.T) {
		onInts(t, 1, "aaaa", func(f *iofile.File, _ *comm.Comm) error {
			_, err := f.IRead(types.Of([]float32{1}))
			assert.ErrorIs(t, err, iofile.ErrType)
			pos, _ := f.Position()
			assert.Zero(t, pos)
			_, err = f.IWriteAt(ints(1), -1)
			refused(t, err, iofile.ErrArg, "IO-DA-03")
			return nil
		})
	})
	t.Run("IO-OPEN-08 a request that is never completed gives its world's end no trouble", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "")
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
			if err == nil {
				_, err = f.IWriteAtAll(types.Of([]byte("x")), iofile.Offset(c.Rank()))
			}
			return err
		})
		assert.Error(t, err)
	})
}

// TestNonblockingCollective is about collective accesses under way.
func TestNonblockingCollective(t *testing.T) {
	t.Run("IO-NBC-01 IO-NBC-04 IO-AT-04 many may be under way, and starting waits for no rank", func(t *testing.T) {
		for seed := range uint64(20) {
			onInts(t, 3, "", func(f *iofile.File, c *comm.Comm) error {
				if c.Rank() == 2 { // the others have started all of theirs before
					if _, err := c.Recv(types.Of([]byte{0}), 0, 0); err != nil {
						return err
					}
				}
				var reqs []*comm.Request
				for i := range int32(4) {
					q, err := f.IWriteAtAll(ints(i), iofile.Offset(3*i+int32(c.Rank())))
					if err != nil {
						return err
					}
					reqs = append(reqs, q)
				}
				if c.Rank() == 0 {
					if err := c.Send(types.Of([]byte{0}), 2, 0); err != nil {
						return err
					}
				}
				if c.Rank() == 1 {
					reqs[0], reqs[3] = reqs[3], reqs[0]
				}
				if _, err := comm.WaitAll(reqs...); err != nil {
					return err
				}
				if err := syncBarrierSync(f, c); err != nil {
					return err
				}
				got := make([]int32, 12)
				_, err := completed(f.IReadAll(intsIn(got)))
				assert.Equal(t, []int32{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, got)
				return err
			}, world.Seed(seed))
		}
	})
	t.Run("IO-NBC-03 a blocking call is not a match", func(t *testing.T) {
		onInts(t, 2, "aaaa", func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 0 {
				_, err := f.WriteAtAll(ints(1), 0)
				refused(t, err, iofile.ErrNotSame, "GEN-06")
				return nil
			}
			q, err := f.IWriteAtAll(ints(1), 0)
			if err != nil {
				return err
			}
			_, err = q.Wait()
			refused(t, err, iofile.ErrNotSame, "GEN-06")
			return nil
		})
	})
	t.Run("IO-NBC-03 a split call is not a match", func(t *testing.T) {
		onInts(t, 2, "aaaa", func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 0 {
				refused(t, f.WriteAtAllBegin(ints(1), 0), iofile.ErrNotSame, "GEN-06")
				return nil
			}
			q, err := f.IWriteAtAll(ints(1), 0)
			if err != nil {
				return err
			}
			_, err = q.Wait()
			refused(t, err, iofile.ErrNotSame, "GEN-06")
			return nil
		})
	})
	t.Run("IO-NBC-05 P2P-02 such a request can be freed once Status found it complete", func(t *testing.T) {
		onInts(t, 2, "aaaabbbb", func(f *iofile.File, c *comm.Comm) error {
			into := make([]int32, 1)
			q, err := f.IReadAtAll(intsIn(into), iofile.Offset(c.Rank()))
			for ok := false; !ok && err == nil; {
				_, ok, err = q.Status()
			}
			assert.Equal(t, int32(0x61616161+0x01010101*c.Rank()), into[0])
			return errors.Join(err, q.Free())
		})
	})
	t.Run("IO-NBC-05 such a request cannot be freed or cancelled", func(t *testing.T) {
		onInts(t, 2, "aaaa", func(f *iofile.File, c *comm.Comm) error {
			q, err := f.IReadAtAll(intsIn(make([]int32, 1)), 0)
			if err != nil {
				return err
			}
			assert.ErrorIs(t, q.Free(), iofile.ErrRequest)
			assert.ErrorIs(t, q.Cancel(), iofile.ErrRequest)
			_, err = q.Wait()
			return err
		})
	})
	t.Run("GEN-06 an error of one rank is an error of all", func(t *testing.T) {
		onInts(t, 3, "aaaabbbbccccdddd", func(f *iofile.File, c *comm.Comm) error {
			off := iofile.Offset(c.Rank())
			if c.Rank() == 1 {
				off = -1
			}
			q, err := f.IWriteAtAll(ints(1), off)
			if c.Rank() == 1 {
				refused(t, err, iofile.ErrArg, "IO-DA-03")
				_, err = completed(f.IReadAtAll(intsIn(make([]int32, 1)), 3))
				return err
			}
			if err != nil {
				return err
			}
			_, err = q.Wait()
			refused(t, err, iofile.ErrArg, "IO-DA-03")
			_, err = completed(f.IReadAtAll(intsIn(make([]int32, 1)), 3))
			size, _ := f.Size()
			assert.EqualValues(t, 16, size)
			return err
		})
	})
	t.Run("REP-X32-09 a value that one rank cannot store is an error of all", func(t *testing.T) {
		onInts(t, 2, "", func(f *iofile.File, c *comm.Comm) error {
			view := v(0, types.WChar, types.WChar)
			view.Rep = "external32"
			if err := f.SetView(view); err != nil {
				return err
			}
			x := []int32{'a'}
			if c.Rank() == 0 {
				x[0] = 0x1f600
			}
			_, err := completed(f.IWriteAtAll(types.Raw(bytesOf(x), 1, types.WChar), iofile.Offset(c.Rank())))
			assert.ErrorIs(t, err, iofile.ErrConversion)
			return nil
		})
	})
}

// TestSplit is about split collectives.
func TestSplit(t *testing.T) {
	t.Run("IO-SPLIT-01 LIT-19 DIV-17 one at a time", func(t *testing.T) {
		onInts(t, 2, "aaaa", func(f *iofile.File, _ *comm.Comm) error {
			buf := intsIn(make([]int32, 1))
			if err := f.ReadAllBegin(buf); err != nil {
				return err
			}
			refused(t, f.WriteAllBegin(buf), iofile.ErrIO, "IO-SPLIT-01")
			_, err := f.ReadAllEnd(buf)
			return err
		})
	})
	t.Run("IO-SPLIT-02 DIV-18 the halves are of one kind", func(t *testing.T) {
		onInts(t, 2, "aaaa", func(f *iofile.File, _ *comm.Comm) error {
			buf := intsIn(make([]int32, 1))
			_, err := f.ReadAllEnd(buf)
			refused(t, err, iofile.ErrIO, "IO-SPLIT-02")
			if err := f.ReadAtAllBegin(buf, 0); err != nil {
				return err
			}
			_, err = f.ReadAllEnd(buf)
			refused(t, err, iofile.ErrIO, "IO-SPLIT-02")
			_, err = f.WriteAtAllEnd(buf)
			refused(t, err, iofile.ErrIO, "IO-SPLIT-02")
			_, err = f.ReadAtAllEnd(buf)
			return err
		})
	})
	t.Run("IO-SPLIT-04 a plain collective is not a match", func(t *testing.T) {
		onInts(t, 2, "aaaa", func(f *iofile.File, c *comm.Comm) error {
			buf := intsIn(make([]int32, 1))
			if c.Rank() == 0 {
				refused(t, f.ReadAllBegin(buf), iofile.ErrNotSame, "GEN-06")
				return nil
			}
			_, err := f.ReadAll(buf)
			refused(t, err, iofile.ErrNotSame, "GEN-06")
			return nil
		})
	})
	t.Run("IO-SPLIT-05 LIT-20 no other collective, but other accesses, between the halves", func(t *testing.T) {
		onInts(t, 2, "aaaabbbb", func(f *iofile.File, _ *comm.Comm) error {
			buf, other := intsIn(make([]int32, 1)), intsIn(make([]int32, 1))
			if err := f.ReadAllBegin(buf); err != nil {
				return err
			}
			_, err := f.ReadAll(other)
			refused(t, err, iofile.ErrIO, "IO-SPLIT-05")
			_, err = f.IReadAtAll(other, 0)
			refused(t, err, iofile.ErrIO, "IO-SPLIT-05")
			refused(t, f.SeekShared(0, iofile.SeekSet), iofile.ErrIO, "IO-SPLIT-05")
			if _, err := f.Read(other); err != nil {
				return err
			}
			if _, err := completed(f.IReadAt(other, 1)); err != nil {
				return err
			}
			_, err = f.ReadAllEnd(buf)
			return err
		})
	})
	t.Run("IO-SPLIT-06 one buffer for both halves", func(t *testing.T) {
		onInts(t, 1, "aaaabbbb", func(f *iofile.File, _ *comm.Comm) error {
			xs := make([]int32, 2)
			if err := f.ReadAllBegin(intsIn(xs[:1])); err != nil {
				return err
			}
			for _, wrong := range []types.Buffer{intsIn(xs[1:]), intsIn(xs), types.Of(xs[:1]), intsIn(make([]int32, 1))} {
				_, err := f.ReadAllEnd(wrong)
				refused(t, err, iofile.ErrBuffer, "IO-SPLIT-06")
			}
			_, err := f.ReadAllEnd(intsIn(xs[:1]))
			assert.Equal(t, []int32{0x61616161, 0}, xs)
			return err
		})
	})
	t.Run("IO-SPLIT-07 each rank ends what it began itself", func(t *testing.T) {
		// Rank 1 has begun nothing through this handle, even if rank 0 has begun an access
		// through its own.
		onInts(t, 2, "aaaabbbb", func(f *iofile.File, c *comm.Comm) error {
			mine, err := iofile.Open(c.Self(), iofile.NewMem(), "mine", create)
			if err != nil {
				return err
			}
			xs := make([]int32, 2)
			buf := intsIn(xs[c.Rank() : c.Rank()+1])
			if c.Rank() == 0 {
				err = mine.WriteAllBegin(buf)
			} else {
				_, err := mine.WriteAllEnd(buf)
				refused(t, err, iofile.ErrIO, "IO-SPLIT-02")
			}
			if err != nil {
				return err
			}
			if err := c.Barrier(); err != nil { // rank 0 is between its halves
				return err
			}
			if c.Rank() == 1 {
				_, err := mine.WriteAllEnd(buf)
				refused(t, err, iofile.ErrIO, "IO-SPLIT-02")
			}
			if err := c.Barrier(); err != nil {
				return err
			}
			if c.Rank() == 0 {
				if _, err := mine.WriteAllEnd(buf); err != nil {
					return err
				}
			}
			if err := f.ReadAllBegin(buf); err != nil {
				return err
			}
			_, err = f.ReadAllEnd(buf)
			assert.Equal(t, int32(0x61616161), xs[c.Rank()], "both are at the first int")
			return errors.Join(err, mine.Close())
		})
	})
	t.Run("IO-SPLIT-07 the rank counts, not the goroutine", func(t *testing.T) {
		onInts(t, 1, "aaaa", func(f *iofile.File, _ *comm.Comm) error {
			buf := intsIn(make([]int32, 1))
			failed := make(chan error)
			go func() { failed <- f.ReadAllBegin(buf) }()
			if err := <-failed; err != nil {
				return err
			}
			_, err := f.ReadAllEnd(buf)
			return err
		})
	})
	t.Run("IO-SPLIT-09 IO-IND-04 IO-SHP-06 results and pointers are those of the plain call", func(t *testing.T) {
		onInts(t, 2, "aaaabbbbccccdddd", func(f *iofile.File, c *comm.Comm) error {
			got := make([]int32, 1)
			buf := intsIn(got)
			if err := f.ReadAtAllBegin(buf, iofile.Offset(c.Rank())); err != nil {
				return err
			}
			pos, _ := f.Position()
			assert.Zero(t, pos)
			if _, err := f.ReadAtAllEnd(buf); err != nil {
				return err
			}
			assert.Equal(t, []int32{int32(c.Rank()+'a') * 0x01010101}, got)
			if err := f.ReadAllBegin(buf); err != nil {
				return err
			}
			pos, _ = f.Position()
			assert.EqualValues(t, 1, pos)
			if _, err := f.ReadAllEnd(buf); err != nil {
				return err
			}
			if err := f.ReadOrderedBegin(buf); err != nil {
				return err
			}
			pos, _ = f.PositionShared()
			assert.EqualValues(t, 2, pos)
			if _, err := f.ReadOrderedEnd(buf); err != nil {
				return err
			}
			assert.Equal(t, []int32{int32(c.Rank()+'a') * 0x01010101}, got)
			if err := f.WriteOrderedBegin(buf); err != nil {
				return err
			}
			if _, err := f.WriteOrderedEnd(buf); err != nil {
				return err
			}
			out := ints(5)
			if err := syncBarrierSync(f, c); err != nil {
				return err
			}
			if err := f.WriteAtAllBegin(out, iofile.Offset(c.Rank())); err != nil {
				return err
			}
			_, err := f.WriteAtAllEnd(out)
			return err
		})
	})
	t.Run("IO-SPLIT-08 LIT-18 an access between the halves is under way together with them", func(t *testing.T) {
		races(t, 1, "aaaa", func(f *iofile.File, _ *comm.Comm) error {
			out, got := ints(4), make([]int32, 1)
			if err := f.WriteAtAllBegin(out, 0); err != nil {
				return err
			}
			if _, err := completed(f.IReadAt(intsIn(got), 0)); err != nil {
				return err
			}
			assert.Contains(t, []int32{0x61616161, 4}, got[0])
			_, err := f.WriteAtAllEnd(out)
			return err
		})
	})
}

// intsIn returns the memory of xs with type int.
func intsIn(xs []int32) types.Buffer { return types.Of(xs).As(types.Int) }

// bytesOf returns the bytes of xs, on any host.
func bytesOf(xs []int32) []byte {
	var b []byte
	for _, x := range xs {
		b = binary.NativeEndian.AppendUint32(b, uint32(x))
	}
	return b
}
