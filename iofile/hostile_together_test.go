package iofile_test

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/hostile"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// together are the calls that all ranks make; the second half of a split
// collective is missing, as it need not meet anybody.
var together = regexp.MustCompile(`(All|Ordered)(Begin)?$|^(Sync|Close|SetSize|Preallocate|SetView|SetInfo|SetAtomicity|SeekShared)$`)

// methods are those of a file whose names match.
func methods(names *regexp.Regexp) []hostile.Func {
	var all []hostile.Func
	for _, f := range hostile.Methods(reflect.TypeFor[*iofile.File]()) {
		if names.MatchString(f.Name) {
			all = append(all, f)
		}
	}
	return all
}

// complete makes a call on a stage and brings what it began to its end.
func complete(t *testing.T, k hostile.Call[*stage], s *stage) error {
	q, err := result(k, s)
	if q != nil {
		_, failed := q.Wait()
		err = errors.Join(err, failed)
	}
	if err == nil {
		return nil
	}
	var e *iofile.Error
	if errors.As(err, &e) {
		err = e
	}
	told(t, k.String(), k, err)
	return err
}

// cleared ends what is under way on a stage and closes its file.
func (s *stage) cleared() {
	for _, settle := range s.settle {
		_ = settle()
	}
	if s.file != nil {
		_ = s.file.Close()
	}
}

// panics reports a world that ended with one.
func panics(t *testing.T, name string, err error) {
	t.Helper()
	var panicked *world.PanicError
	if errors.As(err, &panicked) {
		t.Errorf("%s: %v", name, err)
	}
}

// lively reports a world in which ranks waited for ever, or panicked.
func lively(t *testing.T, name string, err error) {
	t.Helper()
	panics(t, name, err)
	var dead *world.DeadlockError
	if errors.As(err, &dead) {
		t.Errorf("%s: %v", name, err)
	}
}

// pairOf makes a call of each of two ranks, and returns what they returned and what
// becomes of "f".
func pairOf(t *testing.T, name string, calls [2]hostile.Call[*stage], opts ...world.Option) (got [2]error, after string) {
	t.Helper()
	fsys := theatre(t)
	err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
		s := &stage{c: c, fsys: fsys}
		got[c.Rank()] = complete(t, calls[c.Rank()], s)
		s.cleared()
		return c.Barrier() // nothing is left of it
	}, append(opts, world.Unchecked())...)
	lively(t, name, err)
	text, err := fs.ReadFile(fsys, "f")
	if err != nil {
		return got, err.Error()
	}
	return got, string(text)
}

// If this fails, a wrong argument of one rank leaves the others waiting, or going
// on with what is not there.
func TestHostileCallsOfOneRank(t *testing.T) {
	for _, f := range methods(together) {
		t.Run("ERR-09 GEN-05 LIT-X3 "+f.Name, func(t *testing.T) {
			quiet := map[string]string{} // what becomes of a file without the call
			arguments.Each(f, func(k hostile.Call[*stage]) {
				if k.Wrong() && !telling[k.On.Name] {
					return
				}
				if _, ok := quiet[k.On.Name]; !ok {
					quiet[k.On.Name] = untouched(t, k.On)
				}
				for who := range 3 { // one of the ranks, or both
					calls, opts := [2]hostile.Call[*stage]{k, k}, []world.Option{world.Seed(uint64(who))}
					if who < 2 {
						calls[who], opts = k.Right(), nil
					}
					got, after := pairOf(t, k.String(), calls, opts...)
					switch {
					case (got[0] == nil) != (got[1] == nil):
						t.Errorf("%v, right on rank %d: an error of one rank only: %v", k, who, got)
					case got[0] == nil || f.Name == "Close":
					case f.Name[0] != 'I' && !errors.Is(got[0], iofile.ClassOf(got[1])): // a nonblocking call tells of its own error at once
						t.Errorf("%v, right on rank %d: errors that differ: %v", k, who, got)
					case after != quiet[k.On.Name]:
						t.Errorf("%v: refused (%v), and the file changed to %q", k, got, after)
					}
				}
			})
		})
	}
}

// telling are the handles on which wrong arguments take ways of their own.
var telling = map[string]bool{
	"a file": true, "a stream to write": true, "one in two phases": true, "one of ints": true, "one that shows nothing": true,
	"one whose functions fail": true, "one with a collective under way": true, "one in the middle of a write": true,
}

// untouched is what becomes of "f" when two ranks make a handle and close it.
func untouched(t *testing.T, on value) string {
	nothing := hostile.Named("nothing", func(*iofile.File) {})
	after := ""
	arguments.Each(nothing, func(k hostile.Call[*stage]) {
		if k.On.Name == on.Name {
			_, after = pairOf(t, "nothing", [2]hostile.Call[*stage]{k, k})
		}
	})
	return after
}

// If this fails, ranks that lose each other wait for ever, or change the file each
// in its own way.
func TestHostilePairs(t *testing.T) {
	right := map[string]hostile.Call[*stage]{}
	for _, f := range methods(together) {
		arguments.Each(f, func(k hostile.Call[*stage]) {
			if k.On.Name == "a file" {
				right[f.Name] = k.Right()
			}
		})
	}
	for a, one := range right {
		t.Run("GEN-06 IO-NBC-03 IO-SPLIT-04 "+a+" of one rank, another call of the other", func(t *testing.T) {
			for b, other := range right {
				if a == b {
					continue
				}
				for seed := range uint64(3) {
					got, after := pairOf(t, a+" and "+b, [2]hostile.Call[*stage]{one, other}, world.Seed(seed))
					for _, err := range got {
						refused(t, err, iofile.ErrNotSame, "GEN-06")
					}
					assert.Equal(t, letters, after, "%s and %s", a, b)
				}
			}
		})
	}
}

// inside are the places where this package calls a function of the program's, each
// with a way to have f run there on a file, and what it is told as.
var inside = map[string]func(s *stage, f func(file *iofile.File)) error{
	"a conversion function": func(s *stage, f func(*iofile.File)) error {
		conv := func(reps.Memory, *types.Type, int64, []byte, int64, any) error { f(s.file); return nil }
		err := iofile.RegisterDatarep(s.c, "mine", reps.Conversion{Read: conv, Write: conv, Extent: func(*types.Type, any) (int64, error) { return 4, nil }})
		return errors.Join(err, s.file.SetView(iofile.View{Etype: types.Int32, Filetype: types.Int32, Rep: "mine"}), second(s.file.WriteAt(types.Of([]int32{1}), 0)))
	},
	"an extent function": func(s *stage, f func(*iofile.File)) error {
		err := iofile.RegisterDatarep(s.c, "mine", reps.Conversion{Extent: func(*types.Type, any) (int64, error) { f(s.file); return 4, nil }})
		return errors.Join(err, s.file.SetView(iofile.View{Etype: types.Int32, Filetype: types.Int32, Rep: "mine"}))
	},
	"an error handler": func(s *stage, f func(*iofile.File)) error {
		err := s.file.SetErrhandler(iofile.NewErrhandler(func(file *iofile.File, _ error) { f(file) }))
		_ = second(s.file.ReadAt(types.Of([]byte{1}), -1))
		return err
	},
	"an observer": func(s *stage, _ func(*iofile.File)) error { return second(s.file.WriteAt(types.Of([]byte{1}), 0)) },
	"a progress function": func(s *stage, _ func(*iofile.File)) error {
		return second(s.file.WriteAt(types.Of([]byte{1}), 0))
	},
	"a store": func(s *stage, _ func(*iofile.File)) error {
		return errors.Join(second(s.file.WriteAt(types.Of([]byte{1}), 0)), s.file.Sync())
	},
	"a query of a request": func(s *stage, f func(*iofile.File)) error {
		q, err := s.c.GRequestStart(comm.GRequest{Query: func(*comm.Status) error { f(s.file); return nil }})
		return errors.Join(err, q.GRequestComplete(), second(q.Wait()))
	},
}

// If this fails, a function of the program's that uses the file it is called for
// hangs its rank, or spoils the call that it is part of.
func TestHostileCallsInside(t *testing.T) {
	every := regexp.MustCompile(``)
	for where, run := range inside {
		t.Run("REP-USR-10 ERR-04 WORLD-01 every call inside "+where, func(t *testing.T) {
			for _, f := range methods(every) {
				arguments.Each(f, func(k hostile.Call[*stage]) {
					if k.On.Name != "a file" || k.Wrong() {
						return
					}
					called, busy := 0, false
					var do func(file *iofile.File)
					store := &callingStore{Store: iofile.NewMemStore(), call: func() {
						if do != nil && where == "a store" {
							do(nil)
						}
					}}
					fsys := iofile.NewFS(store, iofile.WithObserver(func(o *iofile.Observed) {
						if do != nil && where == "an observer" {
							do(o.File)
						}
					}), iofile.WithModel(consistency.POSIX))
					put(t, fsys, "f", letters)
					err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
						s := &stage{c: c, fsys: fsys}
						tell := func(iofile.Progress) {
							if do != nil && where == "a progress function" {
								do(s.file)
							}
						}
						var err error
						if s.file, err = iofile.Open(c, fsys, "f", rw, iofile.WithProgress(tell)); err != nil {
							return err
						}
						do = func(*iofile.File) {
							called++
							if busy {
								return // what it calls may lead here again
							}
							busy = true
							_ = complete(t, k.With(is("a file", s.file)), s)
							busy = false
						}
						err = run(s, do)
						do = nil
						told(t, where+", "+k.String(), k, err)
						s.cleared()
						return nil
					}, world.Unchecked())
					lively(t, k.String()+" in "+where, err)
					assert.Positive(t, called, "%s in %s", k, where)
				})
			}
		})
	}
}

// A callingStore calls a function in each call that moves bytes.
type callingStore struct {
	iofile.Store
	call func()
}

func (s *callingStore) Open(name string, flag iofile.OpenFlag) (consistency.Backing, error) {
	b, err := s.Store.Open(name, flag)
	return &callingFile{b, s}, err
}

type callingFile struct {
	consistency.Backing
	s *callingStore
}

func (f *callingFile) WriteAt(p []byte, off int64) (int, error) {
	f.s.call()
	return f.Backing.WriteAt(p, off)
}

func (f *callingFile) Sync() error {
	f.s.call()
	return f.Backing.Sync()
}

// If this fails, a store that looks at what it is for waits for itself.
func TestStoreThatUsesItsFiles(t *testing.T) {
	t.Run("REP-USR-10 WORLD-01 every way back from a store is refused", func(t *testing.T) {
		var fsys *iofile.FS
		var q *comm.Request
		var outside fs.File
		store := &callingStore{Store: iofile.NewMemStore(), call: func() {}}
		fsys = iofile.NewFS(store, iofile.WithModel(consistency.POSIX))
		put(t, fsys, "f", letters)
		calls := map[string]func() error{
			"Stat": func() error { return second(fsys.Stat("f")) }, "ReadFile": func() error { return second(fsys.ReadFile("f")) },
			"Close": fsys.Close, "Delete": func() error { return iofile.Delete(fsys, "f") }, "Wait": func() error { return second(q.Wait()) },
			"a file of package io/fs": func() error { return second(outside.Read(make([]byte, 1))) }, "its end": func() error { return outside.Close() },
		}
		for name, call := range calls {
			ranks(t, 1, func(c *comm.Comm) (err error) {
				f, err := iofile.Open(c, fsys, "f", rw)
				if err != nil {
					return err
				}
				if outside, err = fsys.Open("f"); err != nil {
					return err
				}
				if q, err = f.IWriteAt(types.Of([]byte("x")), 3); err != nil {
					return err
				}
				said := errors.New("the store was not called")
				store.call = func() { said = call() }
				_, err = f.WriteAt(types.Of([]byte("y")), 4)
				store.call = func() {}
				assert.ErrorIs(t, said, iofile.ErrOther, name)
				_ = second(q.Wait())
				return errors.Join(err, outside.Close(), f.Close())
			}, world.Unchecked())
		}
		assert.NoError(t, fsys.Close())
	})
}

// If this fails, a handle that went to the wrong rank, or outlives the end of the
// world, brings the program down or hangs it.
func TestHostileHandles(t *testing.T) {
	every := regexp.MustCompile(``)
	t.Run("WORLD-01 every call on a handle of another rank", func(t *testing.T) {
		for _, f := range methods(every) {
			arguments.Each(f, func(k hostile.Call[*stage]) {
				if k.Wrong() && !telling[k.On.Name] {
					return
				}
				fsys := theatre(t)
				files := make([]*iofile.File, 2)
				err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
					s := &stage{c: c, fsys: fsys}
					k.On.Make(s)
					files[c.Rank()] = s.file
					if err := c.Barrier(); err != nil {
						return err
					}
					if c.Rank() == 0 && files[1] != nil {
						if err := complete(t, k.With(is(k.On.Name, files[1])), s); err != nil {
							return err
						}
					}
					return c.Barrier()
				}, world.Unchecked(), world.Seed(1))
				panics(t, k.String(), err)
			})
		}
	})
	t.Run("WORLD-01 every call after the end of the context", func(t *testing.T) {
		for _, f := range methods(every) {
			arguments.Each(f, func(k hostile.Call[*stage]) {
				if k.Wrong() && !telling[k.On.Name] {
					return
				}
				fsys := theatre(t)
				ctx, cancel := context.WithCancel(t.Context())
				err := world.Run(ctx, 1, func(ctx context.Context, c *comm.Comm) error {
					s := &stage{c: c, fsys: fsys}
					f, _ := k.On.Make(s).(*iofile.File)
					cancel()
					<-ctx.Done()
					return complete(t, k.With(is(k.On.Name, f)), s)
				}, world.Unchecked())
				cancel()
				panics(t, k.String(), err)
				assert.NoError(t, fsys.Close(), "%v", k)
			})
		}
	})
}
