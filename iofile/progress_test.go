package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// If this fails, a progress bar is wrong or stops early, or reporting progress changes the
// contents of a file.
func TestProgress(t *testing.T) {
	const pieces = 3 << 20 // integers of a rank: three pieces
	value := func(r, i int) int32 { return int32(r*pieces + i) }
	block := func(rep string) func(int) iofile.View {
		return func(r int) iofile.View {
			return iofile.View{Disp: int64(4 * r), Etype: types.Int32, Filetype: types.Resized(types.Int32, 0, 8), Rep: rep}
		}
	}
	flat := func(r int) iofile.View {
		return iofile.View{Disp: int64(4 * pieces * r), Etype: types.Int32, Filetype: types.Int32}
	}
	last := []iofile.OpenOption{iofile.WithStrategy(strategy.TwoPhase{Write: strategy.Enable, Read: strategy.Enable})}
	for _, c := range []struct {
		name  string
		view  func(r int) iofile.View
		model consistency.Model
		opts  []iofile.OpenOption
		calls int
	}{
		{"contiguous", flat, consistency.Weakest, nil, 3},
		{"contiguous, POSIX", flat, consistency.POSIX, nil, 3},
		{"view", block(""), consistency.Weakest, nil, 3},
		{"external32", block("external32"), consistency.Weakest, nil, 3},
		{"external32, POSIX", block("external32"), consistency.POSIX, nil, 3},
		{"external32, session", block("external32"), consistency.Session, nil, 3},
		{"external32, chaos", block("external32"), consistency.Chaos(1), nil, 3},
		{"two phases", block(""), consistency.POSIX, last, 1},
	} {
		for _, w := range ways {
			if w.pointer != "own" || c.name != "contiguous" && w.name != "All" && w.name != "IAll" {
				continue
			}
			n := pieces
			if c.calls == 1 { // a plan lists each integer of the view: gigabytes under the race detector
				n = 1 << 18
			}
			t.Run("IO-DA-01 IO-DA-09 "+c.name+" "+w.name, func(t *testing.T) {
				fsys := iofile.NewMem(iofile.WithModel(c.model))
				ranks(t, 2, func(wd *comm.Comm) error {
					var reports []iofile.Progress
					r := wd.Rank()
					opts := append(c.opts, iofile.WithCallbacks(iofile.Callbacks{Progress: func(p iofile.Progress) { reports = append(reports, p) }}))
					f, err := iofile.Open(wd, fsys, "f", create, opts...)
					if err != nil {
						return err
					}
					xs, ys := make([]int32, n), make([]int32, n+1)
					for i := range xs {
						xs[i] = value(r, i)
					}
					check := func(write bool) {
						if assert.Len(t, reports, c.calls) {
							end := reports[c.calls-1]
							assert.EqualValues(t, 4*n, end.Done)
							assert.Equal(t, end.Done, end.Total)
						}
						done := int64(0)
						for _, p := range reports {
							assert.Greater(t, p.Done, done)
							done = p.Done
							assert.EqualValues(t, 4*n, p.Total)
							assert.Equal(t, r, p.Rank)
							assert.Equal(t, "f", p.File)
							assert.Equal(t, write, p.Write)
						}
						reports = nil
					}
					err = f.SetView(c.view(r))
					if err == nil {
						err = second(w.write(f, types.Of(xs)))
						check(true)
					}
					err = errors.Join(err, f.Sync(), wd.Barrier(), f.Sync(), f.Seek(0, iofile.SeekSet))
					if err != nil {
						return err
					}
					if c.name == "view" { // beyond the end of the file
						ys = ys[:n+r]
					} else {
						ys = ys[:n]
					}
					st, err := w.read(f, types.Of(ys))
					check(false)
					got, _ := st.Count(types.Int32)
					assert.EqualValues(t, n, got)
					for i := range xs {
						if xs[i] != ys[i] {
							return fmt.Errorf("item %d is %d", i, ys[i])
						}
					}
					return errors.Join(err, f.Close())
				})
			})
		}
	}
	t.Run("IO-DA-01 a report counts the same requests", func(t *testing.T) {
		counted := func(opts ...iofile.OpenOption) world.FileReport {
			fsys := iofile.NewMem()
			rep, err := world.RunReport(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", create, opts...)
				if err != nil {
					return err
				}
				block := types.Contiguous(1<<18, types.Int32)
				err = f.SetView(iofile.View{Etype: types.Int32, Filetype: types.Resized(block, 0, 1<<21)})
				xs := make([]int32, 9<<18)
				return errors.Join(err, second(f.WriteAt(types.Of(xs), 0)), second(f.ReadAt(types.Of(xs), 0)), f.Close())
			})
			assert.NoError(t, err)
			return rep.Files[0]
		}
		want := counted()
		assert.EqualValues(t, 9, want.Requests.Writes)
		assert.Equal(t, want, counted(iofile.WithCallbacks(iofile.Callbacks{Progress: func(iofile.Progress) {}})))
	})
	t.Run("IO-DA-11 REP-USR-10 what the function may do", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(wd *comm.Comm) error {
			var f *iofile.File
			var calls int
			f, err := iofile.Open(wd, fsys, "f", create, iofile.WithCallbacks(iofile.Callbacks{Progress: func(iofile.Progress) {
				calls++
				_, err := f.WriteAt(types.Of([]byte{1}), 0)
				refused(t, err, iofile.ErrOther, "REP-USR-10")
				refused(t, f.Close(), iofile.ErrOther, "REP-USR-10")
				if calls == 1 {
					assert.NoError(t, wd.Barrier(), "other calls are free")
				}
			}}))
			if err != nil {
				return err
			}
			assert.NoError(t, second(f.WriteAtAll(types.Of(make([]byte, 9<<20)), iofile.Offset(wd.Rank()*9<<20))))
			assert.Equal(t, 3, calls)
			assert.NoError(t, second(f.WriteAtAll(types.Of([]byte{}), 0)))
			assert.Equal(t, 3, calls, "nothing moved")
			assert.NoError(t, f.SetAtomicity(true))
			assert.NoError(t, second(f.WriteAtAll(types.Of(make([]byte, 9<<20)), iofile.Offset(wd.Rank()*9<<20))))
			assert.Equal(t, 4, calls, "one whole")
			return f.Close()
		})
	})
	t.Run("ERR-09 a panic of one function is an error on all ranks", func(t *testing.T) {
		boom := errors.New("boom")
		for _, w := range ways {
			if !w.collective {
				continue
			}
			fsys := iofile.NewMem()
			ranks(t, 3, func(wd *comm.Comm) error {
				follow := func(p iofile.Progress) {
					if p.Done == 4<<20 {
						panic(boom)
					}
				}
				if wd.Rank() != 1 {
					follow = nil
				}
				f, err := iofile.Open(wd, fsys, "f", create, iofile.WithCallbacks(iofile.Callbacks{Progress: follow}))
				if err != nil {
					return err
				}
				n := int64(0)
				st, err := w.write(f, types.Of(make([]byte, 9<<20)))
				refused(t, err, iofile.ErrOther, "IO-DA-01")
				assert.ErrorIs(t, err, boom)
				if n, _ = st.Count(types.Byte); wd.Rank() == 1 {
					assert.EqualValues(t, 4<<20, n, "what had moved")
				}
				assert.NoError(t, second(w.write(f, types.Of(make([]byte, 9)))), "the handle works")
				return f.Close()
			}, world.Unchecked())
		}
	})
	t.Run("GEN-05 all ranks give it or none", func(t *testing.T) {
		fsys := iofile.NewMem()
		ranks(t, 2, func(wd *comm.Comm) error {
			var opts []iofile.OpenOption
			if wd.Rank() == 1 {
				opts = append(opts, iofile.WithCallbacks(iofile.Callbacks{}))
			}
			_, err := iofile.Open(wd, fsys, "f", create, opts...)
			refused(t, err, iofile.ErrNotSame, "GEN-05")
			return nil
		})
	})
}

// BenchmarkProgress measures the cost of progress reports for a write: 32 MiB in eight
// pieces.
func BenchmarkProgress(b *testing.B) {
	for _, m := range []consistency.Model{consistency.Weakest, consistency.POSIX} {
		for _, rep := range []string{"native", "external32"} {
			for _, follow := range []bool{false, true} {
				b.Run(fmt.Sprintf("%v %s progress %v", m, rep, follow), func(b *testing.B) {
					fsys := iofile.NewMem(iofile.WithModel(m))
					var opts []iofile.OpenOption
					if follow {
						opts = append(opts, iofile.WithCallbacks(iofile.Callbacks{Progress: func(iofile.Progress) {}}))
					}
					err := world.Run(b.Context(), 1, func(_ context.Context, c *comm.Comm) error {
						f, err := iofile.Open(c, fsys, "f", create, opts...)
						if err != nil {
							return err
						}
						if err := f.SetView(iofile.View{Etype: types.Double, Filetype: types.Double, Rep: rep}); err != nil {
							return err
						}
						x := make([]float64, 4<<20)
						b.SetBytes(int64(8 * len(x)))
						for b.Loop() {
							if _, err := f.WriteAt(types.Of(x), 0); err != nil {
								return err
							}
							if err := f.Sync(); err != nil {
								return err
							}
						}
						return f.Close()
					})
					if err != nil {
						b.Fatal(err)
					}
				})
			}
		}
	}
}
