package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"regexp"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/testkit/hostile"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// together are the calls that all ranks make.
var together = regexp.MustCompile(`(All|Ordered)(Begin|End)?$|^(Sync|Close|SetSize|Preallocate|SetView|SetInfo|SetAtomicity|SeekShared)$`)

// collectives are those calls, and the functions that all ranks call.
func collectives() []hostile.Func {
	return append(methods(together), hostile.Named("Open", iofile.Open),
		hostile.Named("ReadSliceAll", iofile.ReadSliceAll[byte]), hostile.Named("WriteSliceAll", iofile.WriteSliceAll[byte]))
}

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
	checkError(t, k.String(), k, err)
	return err
}

// cleared completes the pending accesses on a stage and closes its file.
func (s *stage) cleared() {
	for _, finish := range s.finish {
		_ = finish()
	}
	if s.file != nil {
		_ = s.file.Close()
	}
}

// panics reports whether a world ended with a panic.
func panics(t *testing.T, name string, err error) {
	t.Helper()
	var panicked *world.PanicError
	if errors.As(err, &panicked) {
		t.Errorf("%s: %v", name, err)
	}
}

// lively returns an error for a world in which ranks waited for ever, or panicked.
func lively(t *testing.T, name string, err error) {
	t.Helper()
	panics(t, name, err)
	var dead *world.DeadlockError
	if errors.As(err, &dead) {
		t.Errorf("%s: %v", name, err)
	}
}

// A showing is one call by several ranks, with its results and the contents of "f"
// afterwards.
type showing struct {
	calls []hostile.Call[*stage]
	again bool // ranks that were refused make the right call then, together
	opts  []world.Option

	got   []error // by the call
	then  []error // by the right call after it
	after string
}

// all is a call of n ranks.
func all(n int, k hostile.Call[*stage]) *showing {
	sh := &showing{calls: make([]hostile.Call[*stage], n)}
	for r := range sh.calls {
		sh.calls[r] = k
	}
	return sh
}

// but has one rank make another call.
func (sh *showing) but(who int, k hostile.Call[*stage]) *showing {
	sh.calls[who] = k
	return sh
}

// run has the ranks make their calls. It reports ranks that hang or panic, errors
// that do not say enough, and handles that a refused call has changed.
func (sh *showing) run(t *testing.T, name string) *showing {
	t.Helper()
	n := len(sh.calls)
	sh.got, sh.then = make([]error, n), make([]error, n)
	fsys := theatre(t)
	err := world.Run(t.Context(), n, func(_ context.Context, c *comm.Comm) error {
		s, r, k, before := &stage{c: c, fsys: fsys}, c.Rank(), sh.calls[c.Rank()], ""
		sh.got[r] = complete(t, k.With(value{Name: k.On.Name, Make: func(s *stage) any {
			x := k.On.Make(s)
			err := c.Barrier() // shared state does not change while ranks look at it
			before = facts(s.file)
			if err = errors.Join(err, c.Barrier()); err != nil {
				panic(err)
			}
			return x
		}}), s)
		err := c.Barrier()
		if now := facts(s.file); sh.got[r] != nil && k.Name != "Close" && now != before {
			t.Errorf("%s: rank %d was refused (%v), and its handle changed from %s to %s", name, r, sh.got[r], before, now)
		}
		err = errors.Join(err, c.Barrier())
		if sh.again && sh.got[r] != nil {
			if k = k.Right(); s.file != nil {
				k = k.With(is(k.On.Name, s.file))
			}
			sh.then[r] = complete(t, k, s)
		}
		s.cleared()
		return errors.Join(err, c.Barrier()) // nothing is left of it
	}, append(sh.opts, world.Unchecked())...)
	lively(t, name, err)
	text, err := fs.ReadFile(fsys, "f")
	if sh.after = string(text); err != nil {
		sh.after = err.Error()
	}
	return sh
}

// agree reports ranks without an error, and errors whose class differs from that of rank
// who. If that rank made the mistake, the errors of all others must name it.
func (sh *showing) agree(t *testing.T, name string, errs []error, who int, guilty bool) {
	t.Helper()
	named := regexp.MustCompile(fmt.Sprintf(`\branks? (0 and )?%d\b`, who))
	for r, err := range errs {
		switch {
		case (err == nil) != (errs[0] == nil):
			t.Errorf("%s: an error of some ranks only: %v", name, errs)
			return
		case err == nil:
		case sh.calls[r].Name[0] != 'I' && !errors.Is(err, iofile.ClassOf(errs[who])): // a nonblocking call returns its own error at once
			t.Errorf("%s: errors that differ: %v", name, errs)
			return
		case guilty && who != r && !named.MatchString(err.Error()):
			t.Errorf("%s: rank %d has an error that does not name rank %d: %v", name, r, who, err)
		}
	}
}

// alike reports whether two errors are none, or of one class.
func alike(a, b error) bool {
	return (a == nil) == (b == nil) && (a == nil || errors.Is(a, iofile.ClassOf(b)))
}

// If this fails, a wrong argument of one rank leaves the others waiting, or lets them
// go on with an object that was never made, or with a handle that has changed.
func TestHostileCallsOfOneRank(t *testing.T) {
	thorough.Only(t)
	for _, f := range collectives() {
		t.Run("ERR-09 GEN-02 GEN-05 LIT-X3 IO-SPLIT-02 IO-SPLIT-06 "+f.Name, func(t *testing.T) {
			quiet := map[string]string{}   // the file after a run without the call
			usual := map[string]*showing{} // the result of the call if all ranks are right
			try := func(k hostile.Call[*stage]) {
				if k.Wrong() && !followed[k.On.Name] {
					return
				}
				if usual[k.On.Name] == nil {
					quiet[k.On.Name] = untouched(t, 3, k.On)
					usual[k.On.Name] = all(3, k.Right()).run(t, k.Right().String())
				}
				right := usual[k.On.Name]
				for who := range 4 { // one of the ranks, or all
					for _, again := range []bool{false, true} {
						other := k.On.Name != aFile.Name && firstHalves[f.Name] == nil
						if raceEnabled && (who != 1 || other && !again) {
							continue // the race detector keeps memory of every goroutine: gigabytes for all
						}
						sh, at, guilty := all(3, k), 0, false
						if who < 3 {
							sh, at, guilty = all(3, k.Right()).but(who, k), who, right.got[0] == nil
							sh.opts = []world.Option{world.Seed(uint64(who))}
						}
						if sh.again = again; again && k.On.Name == aFile.Name && who < 3 {
							sh.but((who+1)%3, k.Right().With(panicky))
						}
						name := fmt.Sprintf("%v, wrong on rank %d", k, who)
						sh.run(t, name).agree(t, name, sh.got, at, guilty)
						switch {
						case sh.got[at] == nil || f.Name == "Close":
						case !again && sh.after != quiet[k.On.Name]:
							t.Errorf("%s: refused (%v), and the file changed to %q", name, sh.got, sh.after)
						case again && (!alike(sh.then[at], right.got[at]) || right.got[at] == nil && sh.after != right.after):
							t.Errorf("%s: refused (%v), and then the right call: %v, the file is %q, not %v, %q",
								name, sh.got, sh.then, sh.after, right.got, right.after)
						case again:
							sh.agree(t, name+", then the right call", sh.then, at, false)
						}
					}
				}
			}
			arguments.Each(f, func(k hostile.Call[*stage]) {
				if try(k); k.On.Name == "a file" && firstHalves[f.Name] != nil {
					try(k.With(midst(f.Name)))
				}
			})
		})
	}
}

// firstHalves are the first firstHalves of split collectives, by the second.
var firstHalves = map[string]func(f *iofile.File, b types.Buffer) error{
	"ReadAtAllEnd":    func(f *iofile.File, b types.Buffer) error { return f.ReadAtAllBegin(b, 0) },
	"WriteAtAllEnd":   func(f *iofile.File, b types.Buffer) error { return f.WriteAtAllBegin(b, 0) },
	"ReadAllEnd":      (*iofile.File).ReadAllBegin,
	"WriteAllEnd":     (*iofile.File).WriteAllBegin,
	"ReadOrderedEnd":  (*iofile.File).ReadOrderedBegin,
	"WriteOrderedEnd": (*iofile.File).WriteOrderedBegin,
}

// midst is a handle on which a split access is under way, so that the second half of that
// name is correct.
func midst(end string) value {
	return opened("one that waits for "+end, rw, func(s *stage, f *iofile.File) error {
		s.finish = append(s.finish, func() error {
			return second(map[string]func(types.Buffer) (iofile.Status, error){
				"ReadAtAllEnd": f.ReadAtAllEnd, "WriteAtAllEnd": f.WriteAtAllEnd, "ReadAllEnd": f.ReadAllEnd,
				"WriteAllEnd": f.WriteAllEnd, "ReadOrderedEnd": f.ReadOrderedEnd, "WriteOrderedEnd": f.WriteOrderedEnd,
			}[end](s.letters()))
		})
		return firstHalves[end](f, s.letters())
	})
}

func init() {
	for end := range firstHalves {
		followed["one that waits for "+end] = true
	}
}

// followed are the handles on which wrong arguments take paths of their own.
var followed = map[string]bool{
	"its own": true, "a file": true, "a stream to write": true, "one in two phases": true, "one of ints": true, "one that shows nothing": true,
	"one whose functions fail": true, "one with a collective under way": true, "one in the middle of a write": true,
}

// untouched returns "f" after n ranks have made a handle and closed it.
func untouched(t *testing.T, n int, on value) string {
	nothing := hostile.Named("nothing", func(any) {})
	return all(n, arguments.On(nothing, on)).run(t, "nothing").after
}

// If this fails, ranks in different calls wait for ever, or each changes the file in its
// own way.
func TestHostileCallPairs(t *testing.T) {
	for _, a := range methods(together) {
		on := []value{aFile}
		if firstHalves[a.Name] != nil {
			on = append(on, midst(a.Name))
		}
		for _, on := range on {
			t.Run("GEN-06 IO-NBC-03 IO-SPLIT-02 IO-SPLIT-04 "+a.Name+" of one rank, another call of the other, on "+on.Name, func(t *testing.T) {
				quiet := untouched(t, 2, on)
				for _, b := range methods(together) {
					if a.Name == b.Name {
						continue
					}
					for seed := range uint64(3) {
						sh := all(2, arguments.On(a, on)).but(1, arguments.On(b, on))
						sh.opts = []world.Option{world.Seed(seed)}
						name := a.Name + " and " + b.Name
						got := sh.run(t, name).got
						if refused(t, got[0], iofile.ErrNotSame, "GEN-06"); b.Name[0] == 'I' && on.Name != aFile.Name {
							refused(t, got[1], iofile.ErrIO, "IO-SPLIT-05") // its own error, at once
						} else {
							refused(t, got[1], iofile.ErrNotSame, "GEN-06")
						}
						assert.Equal(t, quiet, sh.after, name)
					}
				}
			})
		}
	}
}

// If this fails, a rank that makes a call on an invalid handle makes other ranks hang or
// panic, which made the call rightly.
func TestHostileHandleOfOneRank(t *testing.T) {
	for _, f := range methods(together) {
		t.Run("IO-CLOSE-04 GEN-02 ERR-09 "+f.Name, func(t *testing.T) {
			on := aFile
			if firstHalves[f.Name] != nil {
				on = midst(f.Name)
			}
			usual := all(3, arguments.On(f, on)).run(t, f.Name)
			for _, none := range arguments[reflect.TypeFor[*iofile.File]()][1:5] {
				for who := range 3 {
					k, got, fsys := arguments.On(f, on), make([]error, 3), theatre(t)
					err := world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
						s, r := &stage{c: c, fsys: fsys}, c.Rank()
						dead := none.Make(s)
						k := k.With(is(on.Name, on.Make(s).(*iofile.File)))
						if before := facts(s.file); r == who {
							mine := s.file
							refused(t, complete(t, arguments.On(f, is[any](none.Name, dead)), s), iofile.ErrFile, "IO-CLOSE-04")
							s.file = mine
							assert.Equal(t, before, facts(s.file), "%v on %s", k, none.Name)
						}
						got[r] = complete(t, k, s)
						s.cleared()
						return nil
					}, world.Unchecked())
					name := fmt.Sprintf("%v, %s before on rank %d", k, none.Name, who)
					lively(t, name, err)
					for r := range got {
						if !alike(got[r], usual.got[r]) {
							t.Errorf("%s: rank %d got %v, not %v", name, r, got[r], usual.got[r])
						}
					}
				}
			}
		})
	}
	t.Run("IO-CLOSE-04 GEN-06 a rank that goes on to another call is named", func(t *testing.T) {
		fsys := theatre(t)
		err := world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", rw)
			if err != nil {
				return err
			}
			if c.Rank() == 1 {
				_, err = (*iofile.File)(nil).WriteAtAll(types.Of([]byte("x")), 0)
				refused(t, err, iofile.ErrFile, "IO-CLOSE-04")
				return c.Barrier()
			}
			_, err = f.WriteAtAll(types.Of([]byte("x")), 0)
			return err
		}, world.Unchecked())
		assert.ErrorContains(t, err, `ranks 0, 2: wait in WriteAtAll on file "f" at hostile_together_test.go`)
		assert.ErrorContains(t, err, ", which needs all ranks of the file: rank 1 is missing")
		assert.ErrorContains(t, err, "rank 1: waits in Barrier")
		assert.Equal(t, letters, get(t, fsys, "f"))
		assert.NoError(t, fsys.Close())
	})
}

// inside lists the places where this package calls a function of the program, each with a
// way to run f there on a file, and the name of the place in reports.
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

// If this fails, a function of the program that uses the file it is called for hangs its
// rank, or changes the result of the call that runs it.
func TestReentrantCalls(t *testing.T) {
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
					fsys := iofile.NewFS(store, iofile.WithCallbacks(iofile.Callbacks{Access: func(o *iofile.Observed) {
						if do != nil && where == "an observer" {
							do(o.File)
						}
					}}), iofile.WithModel(consistency.POSIX))
					put(t, fsys, "f", letters)
					err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
						s := &stage{c: c, fsys: fsys}
						follow := func(iofile.Progress) {
							if do != nil && where == "a progress function" {
								do(s.file)
							}
						}
						var err error
						if s.file, err = iofile.Open(c, fsys, "f", rw, iofile.WithCallbacks(iofile.Callbacks{Progress: follow})); err != nil {
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
						checkError(t, where+", "+k.String(), k, err)
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

func (s *callingStore) Open(name string, flag iofile.OpenFlag) (iofile.Backing, error) {
	b, err := s.Store.Open(name, flag)
	return &callingFile{b, s}, err
}

type callingFile struct {
	iofile.Backing
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

// If this fails, using a handle on the wrong rank, or after the end of its world, crashes
// or hangs the program.
func TestHostileHandles(t *testing.T) {
	thorough.Only(t)
	every := regexp.MustCompile(``)
	t.Run("WORLD-01 every call on a handle of another rank", func(t *testing.T) {
		for _, f := range methods(every) {
			arguments.Each(f, func(k hostile.Call[*stage]) {
				if k.Wrong() && !followed[k.On.Name] {
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
				if k.Wrong() && !followed[k.On.Name] {
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
