package iofile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// everyCall calls each method of a handle that can fail, with right arguments.
func everyCall(f *iofile.File) map[string]error {
	b := types.Of(make([]byte, 24))
	calls := map[string]error{
		"Sync": f.Sync(), "SetSize": f.SetSize(9), "Preallocate": f.Preallocate(9), "Seek": f.Seek(0, iofile.SeekEnd),
		"SeekShared": f.SeekShared(0, iofile.SeekSet), "SetAtomicity": f.SetAtomicity(true),
		"SetView": f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte}), "Size": second(f.Size()),
		"Position": second(f.Position()), "PositionShared": second(f.PositionShared()), "ByteOffset": second(f.ByteOffset(1)),
		"TypeExtent": second(f.TypeExtent(types.Int)), "View": second(f.View()), "Amode": second(f.Amode()), "Info": second(f.Info()),
		"SetInfo": f.SetInfo(nil), "Group": second(f.Group()), "Atomicity": second(f.Atomicity()),
		"Bytes.ReadAt": second(f.Bytes().ReadAt(make([]byte, 1), 0)), "Bytes.WriteAt": second(f.Bytes().WriteAt(make([]byte, 1), 0)),
		"ReadSlice": second(iofile.ReadSlice[byte](f, 0, 1)), "WriteSliceAll": second(iofile.WriteSliceAll(f, 0, []byte{1})),
		"Provenance": second(f.Provenance(0, 1)), "Errhandler": second(f.Errhandler()), "SetErrhandler": f.SetErrhandler(iofile.ErrorsReturn),
	}
	for _, w := range ways {
		calls["Write"+w.name] = second(w.write(f, b))
		calls["Read"+w.name] = second(w.read(f, b))
	}
	calls["Close"] = f.Close()
	_, _, _ = f.Plan(), f.Counts(), f.Name()
	return calls
}

// If this fails, a mistake that programs make crashes them or leaves them
// hanging, instead of returning an error.
func TestHostile(t *testing.T) {
	t.Run("IO-CLOSE-04 handles after the end of their world, closed ones, nil", func(t *testing.T) {
		fsys := iofile.NewMem()
		var open, closed *iofile.File
		err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
			var err error
			if open, err = iofile.Open(c, fsys, "open", create); err != nil {
				return err
			}
			if closed, err = iofile.Open(c, fsys, "closed", create); err != nil {
				return err
			}
			return closed.Close()
		})
		assert.ErrorContains(t, err, "never closed")
		for name, f := range map[string]*iofile.File{"open": open, "closed": closed, "nil": nil, "zero": new(iofile.File)} {
			for call, err := range everyCall(f) {
				assert.ErrorIs(t, err, iofile.ErrFile, "%s of a handle that is %s", call, name)
			}
		}
		assert.NoError(t, fsys.Close())
	})
	t.Run("WORLD-01 a handle of another world, while that lives", func(t *testing.T) {
		fsys := iofile.NewMem()
		err := world.Run(t.Context(), 1, func(ctx context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			err = world.Run(ctx, 2, func(_ context.Context, other *comm.Comm) error {
				if other.Rank() == 1 {
					return other.Barrier()
				}
				everyCall(f) // with any result; it must end
				return other.Barrier()
			}, world.Unchecked())
			_ = f.Close()
			return err
		}, world.Unchecked())
		assert.NoError(t, err)
	})
	t.Run("WORLD-01 a handle of another rank: an error or an end, never a hang", func(t *testing.T) {
		for _, w := range ways {
			for seed := range uint64(4) {
				fsys := iofile.NewMem()
				handles := make([]*iofile.File, 2)
				_ = world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
					f, err := iofile.Open(c, fsys, "f", create)
					if err != nil {
						return err
					}
					handles[c.Rank()] = f
					if err := c.Barrier(); err != nil {
						return err
					}
					_, err = w.write(handles[1-c.Rank()], types.Of(make([]byte, 24)))
					return errors.Join(err, f.Close())
				}, world.Unchecked(), world.Seed(seed))
				assert.NoError(t, fsys.Close(), "every handle was given up")
			}
		}
	})
	t.Run("WORLD-01 IO-DA-14 a context that ends in the middle of a call", func(t *testing.T) {
		calls := map[string]func(f *iofile.File) error{
			"Sync": (*iofile.File).Sync, "Close": (*iofile.File).Close,
			"SetSize":    func(f *iofile.File) error { return f.SetSize(5) },
			"SetView":    func(f *iofile.File) error { return f.SetView(iofile.ViewOf[byte](0)) },
			"SeekShared": func(f *iofile.File) error { return f.SeekShared(1, iofile.SeekSet) },
		}
		for _, w := range ways {
			if w.collective {
				calls["Write"+w.name] = func(f *iofile.File) error { return second(w.write(f, chars("abcdefgh"))) }
				calls["Read"+w.name] = func(f *iofile.File) error { return second(w.read(f, chars("abcdefgh"))) }
			}
		}
		for name, call := range calls {
			for _, two := range []bool{false, true} {
				var opts []iofile.OpenOption
				if two {
					opts = append(opts, iofile.WithStrategy(strategy.TwoPhase{Nodes: 2, Read: strategy.Enable, Write: strategy.Enable}))
				}
				fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
				put(t, fsys, "g", "synced")
				ctx, cancel := context.WithCancel(t.Context())
				err := world.Run(ctx, 3, func(ctx context.Context, c *comm.Comm) error {
					f, err := iofile.Open(c, fsys, "f", create, opts...)
					if err != nil {
						return err
					}
					if c.Rank() == 0 { // does not come
						cancel()
						<-ctx.Done()
						return ctx.Err()
					}
					err = call(f)
					if !strings.Contains(name, "/") { // the first half need not wait
						assert.Error(t, err, name)
					}
					return err
				}, world.Unchecked())
				assert.ErrorIs(t, err, context.Canceled, name)
				assert.Equal(t, "synced", get(t, fsys, "g"))
				assert.NoError(t, fsys.Close(), name)
				cancel()
			}
		}
	})
	t.Run("IO-DA-16 IO-SIZE-03 numbers of any size", func(t *testing.T) {
		numbers := []int64{math.MinInt64, -1, 0, 1, 1 << 31, 1 << 61, 1<<62 - 1, 1 << 62, math.MaxInt64 - 1, math.MaxInt64}
		fsys := iofile.NewMem()
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			for _, disp := range numbers {
				for _, ft := range []*types.Type{types.Byte, types.Resized(types.Byte, 0, 1<<40), types.Resized(types.Byte, 0, math.MaxInt64), types.Vector(1<<40, 1, 3, types.Byte)} {
					if err := f.SetView(iofile.View{Disp: disp, Etype: types.Byte, Filetype: ft}); err != nil {
						continue
					}
					for _, off := range numbers {
						b := types.Of(make([]byte, 2))
						_ = second(f.ReadAt(b, iofile.Offset(off)))
						_ = second(f.ByteOffset(iofile.Offset(off)))
						for _, whence := range []iofile.Whence{iofile.SeekSet, iofile.SeekCur, iofile.SeekEnd, 7} {
							if f.Seek(iofile.Offset(off), whence) == nil {
								_ = second(f.Read(b))
								_ = second(f.Write(b.Times(0)))
							}
							if f.SeekShared(iofile.Offset(off), whence) == nil {
								_ = second(f.ReadShared(b))
								_ = second(f.ReadOrdered(b))
							}
						}
						_ = second(f.ReadAt(b.Times(off), 0))
						_ = second(f.ReadAtAll(types.Raw(nil, off, types.Contiguous(0, types.Int)), 0))
						_ = second(f.WriteAt(types.Raw(make([]byte, 8), off, types.Resized(types.Byte, 0, 0)), 1<<62-1))
					}
				}
			}
			for _, n := range numbers {
				if n < 1<<40 || n > 1<<62 {
					_ = f.Preallocate(n)
				}
				if err := f.SetSize(n); err == nil {
					size, _ := f.Size()
					assert.Equal(t, n, size)
				}
			}
			return f.SetSize(0)
		}, world.Unchecked())
	})
	t.Run("IO-VIEW-18 views and etypes of nothing", func(t *testing.T) {
		fsys := iofile.NewMem()
		none := types.Contiguous(0, types.Byte)
		with(t, 2, fsys, "f", create, func(f *iofile.File, _ int) error {
			for _, v := range []iofile.View{
				{Etype: types.Byte, Filetype: none},
				{Etype: none, Filetype: none},
				{Etype: none, Filetype: types.Byte},
				{Etype: types.Byte, Filetype: types.Resized(none, 0, 8)},
				{},
				{Etype: types.Byte},
			} {
				_ = f.SetView(v)
				for _, w := range ways {
					for _, b := range []types.Buffer{types.Of([]byte{1, 2}), types.Of([]byte(nil)), types.Raw(nil, 3, none), {}} {
						_ = second(w.write(f, b))
						_ = second(w.read(f, b))
					}
				}
				for _, whence := range []iofile.Whence{iofile.SeekSet, iofile.SeekCur, iofile.SeekEnd} {
					_ = f.Seek(0, whence)
					_ = f.SeekShared(0, whence)
				}
				_, _ = f.ByteOffset(0)
			}
			return nil
		}, world.Unchecked())
	})
	t.Run("IO-CLOSE-02 closing with accesses under way", func(t *testing.T) {
		fsys := iofile.NewMem()
		with(t, 2, fsys, "f", create, func(f *iofile.File, r int) error {
			q, err := f.IWriteAt(chars("ab"), iofile.Offset(2*r))
			if err != nil {
				return err
			}
			p, err := f.IWriteAtAll(chars("ab"), iofile.Offset(4+2*r))
			if err != nil {
				return err
			}
			refused(t, f.Close(), iofile.ErrOther, "IO-CLOSE-02")
			refused(t, f.Sync(), iofile.ErrOther, "CONS-SYNC-02")
			assert.NoError(t, errors.Join(second(p.Wait()), second(q.Wait())))
			return nil
		})
		assert.Equal(t, "abababab", get(t, fsys, "f"))
	})
	t.Run("IO-OPEN-08 a world that ends with accesses under way", func(t *testing.T) {
		fsys := iofile.NewMem()
		err := world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", create)
			if err != nil {
				return err
			}
			return errors.Join(second(f.IWriteAt(chars("ab"), 0)), second(f.IWriteAtAll(chars("ab"), 9)), f.WriteAllBegin(chars("x")))
		})
		assert.Error(t, err)
		assert.NoError(t, fsys.Close(), "nothing is open")
	})
	t.Run("IO-OPEN-07 a thousand ranks", func(t *testing.T) {
		const n = 1000
		fsys := iofile.NewMem()
		ranks(t, n, func(c *comm.Comm) error {
			for range 2 {
				f, err := iofile.Open(c, fsys, "f", create)
				if err != nil {
					return err
				}
				r := int64(c.Rank())
				if err := f.SetView(iofile.View{Disp: 8 * r, Etype: types.Int64, Filetype: types.Resized(types.Int64, 0, 8*n)}); err != nil {
					return err
				}
				err = errors.Join(second(f.WriteAll(types.Of([]int64{r, -r}))), f.Sync(), c.Barrier(), f.Sync())
				if err != nil {
					return err
				}
				next := (r + 1) % n
				if err := f.SetView(iofile.View{Disp: 8 * next, Etype: types.Int64, Filetype: types.Resized(types.Int64, 0, 8*n)}); err != nil {
					return err
				}
				xs := make([]int64, 2)
				if _, err := f.ReadAll(types.Of(xs)); err != nil || !slices.Equal(xs, []int64{next, -next}) {
					return fmt.Errorf("rank %d reads %v: %w", r, xs, err)
				}
				if err := errors.Join(f.Close(), c.Barrier()); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// If this fails, a panic in a function that the program passes to this package also ends
// other ranks, or leaves the file unusable.
func TestHostileFunctions(t *testing.T) {
	boom := errors.New("boom")
	cases := map[string]func(do func()) ([]iofile.Option, func(c *comm.Comm) ([]iofile.OpenOption, error), iofile.View){
		"observer": func(do func()) ([]iofile.Option, func(c *comm.Comm) ([]iofile.OpenOption, error), iofile.View) {
			return []iofile.Option{iofile.WithCallbacks(iofile.Callbacks{Access: func(o *iofile.Observed) {
				if o.File.Name() == "f" {
					do()
				}
			}})}, nil, iofile.ViewOf[int32](0)
		},
		"progress": func(do func()) ([]iofile.Option, func(c *comm.Comm) ([]iofile.OpenOption, error), iofile.View) {
			return nil, func(*comm.Comm) ([]iofile.OpenOption, error) {
				return []iofile.OpenOption{iofile.WithCallbacks(iofile.Callbacks{Progress: func(iofile.Progress) { do() }})}, nil
			}, iofile.ViewOf[int32](0)
		},
		"conversion": func(do func()) ([]iofile.Option, func(c *comm.Comm) ([]iofile.OpenOption, error), iofile.View) {
			conv := func(reps.Memory, *types.Type, int64, []byte, int64, any) error { do(); return nil }
			return nil, func(c *comm.Comm) ([]iofile.OpenOption, error) {
				return nil, iofile.RegisterDatarep(c, "mine", reps.Conversion{Read: conv, Write: conv, Extent: func(*types.Type, any) (int64, error) { return 4, nil }})
			}, iofile.View{Etype: types.Int32, Filetype: types.Int32, Rep: "mine"}
		},
	}
	for name, prepare := range cases {
		for _, w := range ways {
			t.Run("ERR-09 WORLD-01 a panic in "+name+" Write"+w.name, func(t *testing.T) {
				var mu sync.Mutex
				armed := 1 // the first of them only
				opts, before, view := prepare(func() {
					mu.Lock()
					armed--
					now := armed == 0
					mu.Unlock()
					if now {
						panic(boom)
					}
				})
				fsys := iofile.NewMem(opts...)
				failed := 0
				ranks(t, 3, func(c *comm.Comm) error {
					var open []iofile.OpenOption
					var err error
					if before != nil {
						if open, err = before(c); err != nil {
							return err
						}
					}
					f, err := iofile.Open(c, fsys, "f", create, open...)
					if err != nil {
						return err
					}
					if err := f.SetView(view); err != nil {
						return err
					}
					_, err = w.write(f, types.Of([]int32{1, 2, 3, 4, 5, 6}))
					if mu.Lock(); err != nil {
						failed++
						assert.ErrorContains(t, err, "boom")
					}
					mu.Unlock()
					assert.NoError(t, second(w.write(f, types.Of([]int32{1, 2, 3, 4, 5, 6}))), "the handle works")
					return f.Close()
				}, world.Unchecked())
				assert.Equal(t, map[bool]int{true: 3, false: 1}[w.collective], failed, "ranks that report it")
			})
			t.Run("WORLD-01 a Goexit in "+name+" Write"+w.name, func(t *testing.T) {
				opts, before, view := prepare(runtime.Goexit)
				fsys := iofile.NewMem(opts...)
				err := world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
					var open []iofile.OpenOption
					var err error
					if before != nil {
						if open, err = before(c); err != nil {
							return err
						}
					}
					f, err := iofile.Open(c, fsys, "f", create, open...)
					if err == nil {
						err = f.SetView(view)
					}
					if err == nil {
						_, err = w.write(f, types.Of([]int32{1, 2, 3, 4, 5, 6}))
					}
					return err
				}, world.Unchecked())
				assert.Error(t, err)
				assert.NoError(t, fsys.Close())
			})
		}
	}
}

// If this fails, an observer that uses the handle changes the access that it observes.
func TestObserverUsesFile(t *testing.T) {
	t.Run("REP-USR-10 questions are answered, accesses refused", func(t *testing.T) {
		var f *iofile.File
		calls := 0
		fsys := iofile.NewMem(iofile.WithCallbacks(iofile.Callbacks{Access: func(o *iofile.Observed) {
			calls++
			v, err := o.File.View()
			assert.NoError(t, err)
			assert.Equal(t, types.Byte, v.Etype)
			assert.NoError(t, second(o.File.Position()))
			refused(t, second(o.File.WriteAt(chars("x"), 0)), iofile.ErrOther, "REP-USR-10")
			refused(t, o.File.Sync(), iofile.ErrOther, "REP-USR-10")
		}}))
		ranks(t, 1, func(c *comm.Comm) (err error) {
			if f, err = iofile.Open(c, fsys, "f", create); err != nil {
				return err
			}
			return errors.Join(second(f.Write(chars("abc"))), f.Close())
		})
		assert.Equal(t, 1, calls)
		assert.Equal(t, "abc", get(t, fsys, "f"))
	})
}

// A wildStore is a store of the user's own that goes wrong at its n-th call.
type wildStore struct {
	iofile.Store
	mu    sync.Mutex
	calls int
	at    int
	how   string
	last  string
}

// turn counts a call and reports whether it goes wrong.
func (s *wildStore) turn(call string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.calls != s.at {
		return false
	}
	s.last = call
	return true
}

var errWild = errors.New("wild")

func (s *wildStore) wild(call string) error {
	if !s.turn(call) {
		return nil
	}
	switch s.how {
	case "panic":
		panic(errWild)
	case "goexit":
		runtime.Goexit()
	case "full":
		return errclass.NoSpace
	}
	return errWild
}

func (s *wildStore) Open(name string, flag iofile.OpenFlag) (iofile.Backing, error) {
	if err := s.wild("Open"); err != nil {
		return nil, err
	}
	b, err := s.Store.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return &wildFile{b, s}, nil
}

func (s *wildStore) Stat(name string) (fs.FileInfo, error) {
	if err := s.wild("Stat"); err != nil {
		return nil, err
	}
	return s.Store.Stat(name)
}

type wildFile struct {
	b iofile.Backing
	s *wildStore
}

// moved makes a call that moves bytes go wrong, or not.
func (f *wildFile) moved(call string, move func(p []byte, off int64) (int, error), p []byte, off int64) (int, error) {
	if !strings.Contains("negative large nothing", f.s.how) { // it fails before it does anything
		if err := f.s.wild(call); err != nil {
			return 0, err
		}
		return move(p, off)
	}
	n, err := move(p, off)
	if !f.s.turn(call) {
		return n, err
	}
	switch f.s.how {
	case "negative":
		return -5, err
	case "large":
		return n + math.MaxInt/2, err
	}
	return 0, nil
}

func (f *wildFile) ReadAt(p []byte, off int64) (int, error) {
	return f.moved("ReadAt", f.b.ReadAt, p, off)
}

func (f *wildFile) WriteAt(p []byte, off int64) (int, error) {
	return f.moved("WriteAt", f.b.WriteAt, p, off)
}

func (f *wildFile) Size() int64 {
	if f.s.turn("Size") {
		switch f.s.how {
		case "panic":
			panic(errWild)
		case "goexit":
			runtime.Goexit()
		case "negative":
			return -1
		case "large":
			return math.MaxInt64
		}
	}
	return f.b.Size()
}

func (f *wildFile) SetSize(n int64) error { return errors.Join(f.s.wild("SetSize"), f.b.SetSize(n)) }
func (f *wildFile) Sync() error           { return errors.Join(f.s.wild("Sync"), f.b.Sync()) }
func (f *wildFile) Close() error          { return errors.Join(f.s.wild("Close"), f.b.Close()) }

// If this fails, a user's store that fails in one of its calls crashes the program, leaves
// ranks waiting or loses synced bytes.
func TestHostileStores(t *testing.T) {
	for _, model := range []consistency.Model{consistency.Weakest, consistency.POSIX} {
		for _, how := range []string{"error", "full", "panic", "goexit", "negative", "large", "nothing"} {
			t.Run(fmt.Sprintf("IO-NAME-01 ERR-09 CONS-SYNC-01 %v %s at every call", model, how), func(t *testing.T) {
				for at := 1; ; at++ {
					store := &wildStore{Store: iofile.NewMemStore(), how: how, at: math.MaxInt}
					fsys := iofile.NewFS(store, iofile.WithModel(model))
					put(t, fsys, "f", strings.Repeat("s", 64))
					store.calls, store.at = 0, at
					apart(func() error { // a store may end the goroutine that closes its last file
						return world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
							f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
							if err != nil {
								return err
							}
							defer f.Close()
							r := iofile.Offset(c.Rank())
							_ = second(f.WriteAtAll(chars("abcd"), 8*r)) // over synced bytes
							_ = second(f.ReadAtAll(chars("xxxxxxxx"), 8*r))
							_ = second(f.WriteShared(chars("zz")))
							_ = second(f.IWriteAtAll(chars("ef"), 100+2*r))
							_ = f.Sync()
							_ = f.SetSize(90)
							_ = second(f.Size())
							return nil
						}, world.Unchecked())
					})
					done := store.last == ""
					store.at = math.MaxInt
					text, err := fs.ReadFile(store.asFS(), "f")
					if assert.NoError(t, err) && assert.GreaterOrEqual(t, len(text), 64, "at call %d, %s", at, store.last) {
						assert.Equal(t, strings.Repeat("s", 34), string(text[30:64]), "at call %d, %s", at, store.last)
					}
					if done {
						assert.Greater(t, at, 5)
						return
					}
					if at > 200 {
						t.Fatal("it never ends")
					}
				}
			})
		}
	}
	t.Run("IO-NAME-01 a store that gives nothing, and one that is nil", func(t *testing.T) {
		fsys := iofile.NewFS(nothingStore{})
		ranks(t, 2, func(c *comm.Comm) error {
			_, err := iofile.Open(c, fsys, "f", create)
			assert.ErrorIs(t, err, iofile.ErrOther)
			_, err = iofile.Open(c, iofile.NewFS(nil), "f", create)
			assert.Error(t, err)
			return nil
		})
		_, err := fsys.Stat("f")
		assert.ErrorContains(t, err, "described a file by nil")
		_, err = fsys.ReadDir(".")
		assert.ErrorContains(t, err, "described a file by nil")
		assert.Error(t, fsys.Import("f", bytes.NewReader(nil)))
		_, err = fsys.Export("f", io.Discard)
		assert.Error(t, err)
	})
}

// apart runs f in a goroutine of its own, until it has ended.
func apart(f func() error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = f()
	}()
	<-done
}

// asFS returns another file system over the same store.
func (s *wildStore) asFS() *iofile.FS { return iofile.NewFS(s.Store) }

type nothingStore struct{}

func (nothingStore) Open(string, iofile.OpenFlag) (iofile.Backing, error) { return nil, nil }
func (nothingStore) Remove(string) error                                  { return nil }
func (nothingStore) Stat(string) (fs.FileInfo, error)                     { return nil, nil }
func (nothingStore) List(string) ([]fs.FileInfo, error)                   { return []fs.FileInfo{nil}, nil }
func (nothingStore) Mkdir(string) error                                   { return nil }
func (nothingStore) Close() error                                         { return nil }
