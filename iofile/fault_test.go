package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// planned makes an empty file system that fails as a plan says.
func planned(t *testing.T, rules string, opts ...iofile.Option) (*iofile.FS, *faults.Plan) {
	t.Helper()
	plan, err := faults.NewPlan(faults.Must(rules)...)
	assert.NoError(t, err)
	return iofile.NewMem(append(opts, iofile.WithFaults(plan))...), plan
}

// If this fails, an injected fault does not happen, happens in another call, hides its
// class, or is an error on some ranks only.
func TestFaults(t *testing.T) {
	posix := iofile.WithModel(consistency.POSIX)
	data := func(r int) types.Buffer { return types.Of([]byte(fmt.Sprintf("rank%d", r))) }
	for _, c := range []struct {
		rule  string
		class errclass.Class
		call  func(f *iofile.File, r int) error
	}{
		{"sync error=io rank=1", iofile.ErrIO, func(f *iofile.File, _ int) error { return f.Sync() }},
		{"size error=quota rank=2", iofile.ErrQuota, func(f *iofile.File, _ int) error { return f.SetSize(9) }},
		{"view error=io rank=1", iofile.ErrIO, func(f *iofile.File, _ int) error {
			return f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int})
		}},
		{"seek error=io rank=1", iofile.ErrIO, func(f *iofile.File, _ int) error { return f.SeekShared(4, iofile.SeekSet) }},
		{"seek error=io", iofile.ErrIO, func(f *iofile.File, _ int) error { return f.Seek(4, iofile.SeekSet) }},
		{"info error=nospace rank=0", iofile.ErrNoSpace, func(f *iofile.File, _ int) error { return f.SetInfo(comm.NewInfo()) }},
		{"info error=io", iofile.ErrIO, func(f *iofile.File, _ int) error { return second(f.Info()) }},
		{"size error=io", iofile.ErrIO, func(f *iofile.File, _ int) error { return second(f.Size()) }},
		{"size error=nospace rank=2", iofile.ErrNoSpace, func(f *iofile.File, _ int) error { return f.Preallocate(9) }},
		{"WriteAtAll error=nospace rank=1", iofile.ErrNoSpace, func(f *iofile.File, r int) error {
			return second(f.WriteAtAll(data(r), iofile.Offset(8*r)))
		}},
		{"call error=io rank=0", iofile.ErrIO, func(f *iofile.File, r int) error { return second(f.WriteOrdered(data(r))) }},
		{"call error=io rank=0", iofile.ErrIO, func(f *iofile.File, r int) error { return second(f.ReadAll(data(r))) }},
		{"WriteAllEnd error=io rank=2", iofile.ErrIO, func(f *iofile.File, r int) error {
			buf := data(r)
			if err := f.WriteAllBegin(buf); err != nil {
				return fmt.Errorf("too early: %v", err)
			}
			return second(f.WriteAllEnd(buf))
		}},
		{"IWriteAtAll error=io rank=2", iofile.ErrIO, func(f *iofile.File, r int) error {
			q, err := f.IWriteAtAll(data(r), iofile.Offset(8*r))
			if err != nil {
				return fmt.Errorf("too early: %v", err)
			}
			return second(q.Wait())
		}},
		{"read error=io rank=1", iofile.ErrIO, func(f *iofile.File, r int) error { return second(f.ReadAtAll(data(r), 0)) }},
		{"write error=quota rank=1", iofile.ErrQuota, func(f *iofile.File, r int) error {
			if _, err := f.WriteAtAll(data(r), iofile.Offset(8*r)); err != nil {
				return fmt.Errorf("too early: %v", err)
			}
			return f.Sync()
		}},
		{"write error=nospace bytes=8-15", iofile.ErrNoSpace, func(f *iofile.File, r int) error {
			if _, err := f.WriteAtAll(data(r), iofile.Offset(8*r)); err != nil {
				return fmt.Errorf("too early: %v", err)
			}
			return f.Sync()
		}},
		{"convert error=conversion rank=1", iofile.ErrConversion, func(f *iofile.File, r int) error {
			if err := f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: "external32"}); err != nil {
				return err
			}
			return second(f.WriteAtAll(types.Of([]int32{1}).As(types.Int), iofile.Offset(r)))
		}},
	} {
		for _, form := range []string{"file system", "world"} {
			t.Run("IO-NAME-01 ERR-09 "+form+": "+c.rule, func(t *testing.T) {
				fsys, plan := planned(t, "")
				put(t, fsys, "f", "0123456789abcdefghijklmnopqrst")
				var opt []world.Option
				if form == "file system" {
					assert.NoError(t, plan.Set(faults.Must(c.rule)...))
				} else {
					fsys = iofile.NewMem()
					put(t, fsys, "f", "0123456789abcdefghijklmnopqrst")
					opt = []world.Option{world.Faults(faults.Must(c.rule)...)}
				}
				ranks(t, 3, func(w *comm.Comm) error {
					f, err := iofile.Open(w, fsys, "f", iofile.ReadWrite)
					if err != nil {
						return err
					}
					got := c.call(f, w.Rank())
					var e *iofile.Error
					if assert.ErrorAs(t, got, &e) {
						assert.ErrorIs(t, got, c.class)
						assert.Equal(t, c.class, e.Class, "%v", got)
						assert.ErrorContains(t, got, `rule "`+c.rule+`"`)
						assert.Equal(t, w.Rank(), e.Rank)
					}
					if form == "file system" { // the fault goes away
						if err := w.Barrier(); err != nil {
							return err
						}
						assert.NoError(t, plan.Set())
						if err := w.Barrier(); err != nil {
							return err
						}
						assert.NoError(t, c.call(f, w.Rank()))
						return f.Close()
					}
					_ = f.Close() // may find the same fault again
					return nil
				}, append(opt, world.Unchecked())...)
			})
		}
	}
	t.Run("IO-OPEN-09 opening fails on one rank and so on all", func(t *testing.T) {
		fsys, plan := planned(t, "open error=access rank=2 file=f")
		ranks(t, 3, func(w *comm.Comm) error {
			_, err := iofile.Open(w, fsys, "f", create)
			refused(t, err, iofile.ErrAccess, "IO-NAME-01")
			assert.ErrorIs(t, err, fs.ErrPermission)
			f, err := iofile.Open(w, fsys, "g", create)
			if err != nil {
				return err
			}
			return f.Close()
		})
		assert.Equal(t, []int64{1}, plan.Struck())
		_, err := fsys.Stat("f")
		assert.ErrorIs(t, err, fs.ErrNotExist, "nothing was made")
	})
	t.Run("IO-CLOSE-01 an error at close is returned and the handle is closed", func(t *testing.T) {
		fsys, _ := planned(t, "close error=io rank=1")
		ranks(t, 2, func(w *comm.Comm) error {
			f, err := iofile.Open(w, fsys, "f", create)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of([]byte{1}), iofile.Offset(w.Rank()))
			assert.NoError(t, err)
			refused(t, f.Close(), iofile.ErrIO, "IO-CLOSE-01")
			refused(t, f.Close(), iofile.ErrFile, "IO-CLOSE-04")
			return nil
		})
		assert.NoError(t, fsys.Close(), "nothing is open")
	})
	// If this fails, a rank whose Close has returned may find the file still open:
	// it has to be back with its store, once, before any rank goes on.
	t.Run("IO-CLOSE-01 the file goes back before Close returns on any rank, whatever it returns", func(t *testing.T) {
		for _, c := range []struct {
			name, rules string
			fails       bool // the store's Sync
		}{
			{"", "", false},
			{"a rank fails", "close error=io rank=1", false},
			{"the store fails", "", true},
			{"both", "close error=io rank=2", true},
		} {
			for seed := range uint64(30) {
				store := &heldStore{Store: iofile.NewMemStore(), fails: c.fails}
				plan, err := faults.NewPlan(faults.Must(c.rules)...)
				assert.NoError(t, err)
				fsys := iofile.NewFS(store, iofile.WithFaults(plan))
				ranks(t, 4, func(w *comm.Comm) error {
					f, err := iofile.Open(w, fsys, "f", create|iofile.DeleteOnClose)
					if err != nil {
						return err
					}
					err = second(f.WriteAt(types.Of([]byte{1}), iofile.Offset(w.Rank())))
					failed := f.Close()
					assert.Equal(t, int64(1), store.closed.Load(), "%s: given back when rank %d goes on", c.name, w.Rank())
					_, there := fsys.Stat("f")
					if c.name == "" {
						assert.ErrorIs(t, there, fs.ErrNotExist, "deleted")
						return errors.Join(err, failed)
					}
					assert.NoError(t, there, "%s: what failed deletes nothing", c.name)
					assert.ErrorIs(t, failed, iofile.ErrIO)
					refused(t, f.Close(), iofile.ErrFile, "IO-CLOSE-04")
					return err
				}, world.Seed(seed))
				assert.NoError(t, fsys.Close(), "nothing is open")
				if t.Failed() {
					return
				}
			}
		}
	})
	// If this fails, a program that closes a file gets one error and fixes it,
	// and of the other when it is too late.
	t.Run("IO-CLOSE-01 every error of a Close is returned, on all ranks", func(t *testing.T) {
		end := fmt.Errorf("the end: %w", iofile.ErrQuota)
		for _, c := range []struct {
			name, rules string
			fails       bool
			want        []error
		}{
			{"giving the file back", "", false, []error{end}},
			{"publishing, and giving the file back", "write error=nospace rank=1", false, []error{iofile.ErrNoSpace, end, iofile.ErrQuota}},
			{"syncing, and giving the file back", "", true, []error{errWild, end, iofile.ErrQuota}},
			{"a plan, and giving the file back", "close error=access rank=1", false, []error{iofile.ErrAccess, end}},
			{"publishing, a plan, and giving the file back", "write error=nospace rank=1\nclose error=access rank=1", false, []error{iofile.ErrNoSpace, iofile.ErrAccess, end}},
		} {
			plan, err := faults.NewPlan(faults.Must(c.rules)...)
			assert.NoError(t, err)
			fsys := iofile.NewFS(&heldStore{Store: iofile.NewMemStore(), fails: c.fails, end: end}, iofile.WithFaults(plan))
			ranks(t, 3, func(w *comm.Comm) error {
				f, err := iofile.Open(w, fsys, "f", create)
				if err != nil {
					return err
				}
				err = second(f.WriteAt(types.Of([]byte{1}), iofile.Offset(w.Rank())))
				failed := f.Close()
				var e *iofile.Error
				if assert.ErrorAs(t, failed, &e) {
					assert.Equal(t, w.Rank(), e.Rank)
				}
				for _, want := range c.want {
					assert.ErrorIs(t, failed, want, "%s: %v", c.name, failed)
				}
				if w.Rank() < 2 {
					t.Log(failed)
				}
				return err
			})
		}
	})
	t.Run("IO-DEL-01 deleting", func(t *testing.T) {
		fsys, _ := planned(t, "delete error=access")
		put(t, fsys, "f", "x")
		refused(t, iofile.Delete(fsys, "f"), iofile.ErrAccess, "IO-DEL-01")
		assert.Equal(t, "x", get(t, fsys, "f"))
	})
	t.Run("IO-DA-07 short transfers go on", func(t *testing.T) {
		fsys, plan := planned(t, "write short=3; read short=2", posix)
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			st, err := f.WriteAt(types.Of([]byte("0123456789")), 0)
			n, _ := st.Count(types.Byte)
			assert.EqualValues(t, 10, n)
			assert.NoError(t, err)
			p := make([]byte, 20)
			st, err = f.ReadAt(types.Of(p), 0)
			n, _ = st.Count(types.Byte)
			assert.EqualValues(t, 10, n)
			assert.Equal(t, "0123456789", string(p[:10]))
			return err
		})
		assert.Equal(t, []int64{3, 4}, plan.Struck())
	})
	t.Run("IO-IND-03 a pointer moves by what was moved before an access failed", func(t *testing.T) {
		fsys, plan := planned(t, "write error=nospace after=3; read error=io call=1 bytes=0-", posix)
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			st, err := f.Write(types.Of([]byte("0123456789")))
			assert.ErrorIs(t, err, iofile.ErrNoSpace)
			n, _ := st.Count(types.Byte)
			assert.EqualValues(t, 3, n)
			pos, _ := f.Position()
			assert.EqualValues(t, 3, pos)
			size, _ := f.Size()
			assert.EqualValues(t, 3, size, "what was written before the store was full")
			assert.NoError(t, f.Seek(0, iofile.SeekSet))
			p := make([]byte, 3)
			_, err = f.Read(types.Of(p))
			assert.ErrorIs(t, err, iofile.ErrIO)
			_, err = f.Read(types.Of(p))
			assert.NoError(t, err, "only the first read fails, and the next begins at the same place")
			assert.Equal(t, "012", string(p))
			assert.NoError(t, plan.Set())
			_, err = f.Write(types.Of([]byte("3456789")))
			assert.NoError(t, err)
			pos, _ = f.Position()
			assert.EqualValues(t, 10, pos)
			return nil
		})
		assert.Equal(t, "0123456789", get(t, fsys, "f"))
	})
	t.Run("IO-NBC-01 a delayed access is complete when it says so", func(t *testing.T) {
		for _, form := range []string{"IWriteAt", "WriteAt"} {
			fsys, plan := planned(t, form+" delay=7")
			with(t, 2, fsys, "f", create, func(f *iofile.File, r int) error {
				if form == "WriteAt" {
					return second(f.WriteAt(data(r), iofile.Offset(5*r)))
				}
				q, err := f.IWriteAt(data(r), iofile.Offset(5*r))
				if err != nil {
					return err
				}
				return second(q.Wait())
			}, world.Seed(3))
			assert.Equal(t, []int64{2}, plan.Struck())
			assert.Equal(t, "rank0rank1", get(t, fsys, "f"))
		}
	})
	t.Run("WORLD-01 a killed rank ends the world, and what was synced is there", func(t *testing.T) {
		for _, rule := range []string{
			"write kill rank=1 call=2", "sync kill rank=1 call=2", "close kill rank=1", "WriteAtAll kill rank=1 call=2",
			"view kill rank=1", "seek kill rank=1", "info kill rank=1", "size kill rank=1",
		} {
			fsys := iofile.NewMem()
			err := world.Run(t.Context(), 3, func(_ context.Context, w *comm.Comm) error {
				f, err := iofile.Open(w, fsys, "f", create)
				for i := 0; err == nil && i < 2; i++ {
					if _, err = f.WriteAtAll(data(w.Rank()), iofile.Offset(15*i+5*w.Rank())); err == nil {
						err = f.Sync()
					}
				}
				if err == nil {
					err = f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte})
				}
				if err == nil {
					err = f.Seek(3, iofile.SeekSet)
				}
				if err == nil {
					_, err = f.Info()
				}
				if err == nil {
					_, err = f.Size()
				}
				if err == nil {
					err = f.Close()
				}
				var aborted *iofile.Error
				if assert.ErrorAs(t, err, &aborted, rule) {
					assert.Equal(t, errclass.ProcAborted, aborted.Class, rule)
					assert.Equal(t, aborted.Class, iofile.ClassOf(err), "as its text says: %v", err)
				}
				return err
			}, world.Faults(faults.Must(rule)...))
			var abort *world.AbortError
			assert.ErrorAs(t, err, &abort, rule)
			assert.Equal(t, "rank0rank1rank2", get(t, fsys, "f")[:15], rule)
			assert.NoError(t, fsys.Close(), "nothing is open")
		}
	})
}
