package iofile_test

import (
	"context"
	"errors"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// A ringingStore calls the program in each of its methods and those of its files.
// Its files lend pages or do not.
type ringingStore struct {
	iofile.Store
	pages bool
	ring  func(method string)
}

func (s *ringingStore) Open(name string, flag iofile.OpenFlag) (iofile.Backing, error) {
	s.ring("Open")
	b, err := s.Store.Open(name, flag)
	if err != nil {
		return nil, err
	}
	if s.pages {
		return &ringingPager{image.NewMemory(0), s}, nil
	}
	return &ringingFile{b, s}, nil
}

func (s *ringingStore) Remove(name string) error {
	s.ring("Remove")
	return s.Store.Remove(name)
}

type ringingFile struct {
	iofile.Backing
	s *ringingStore
}

func (f *ringingFile) ReadAt(p []byte, off int64) (int, error) {
	f.s.ring("ReadAt")
	return f.Backing.ReadAt(p, off)
}

func (f *ringingFile) WriteAt(p []byte, off int64) (int, error) {
	f.s.ring("WriteAt")
	return f.Backing.WriteAt(p, off)
}

func (f *ringingFile) Size() int64 {
	f.s.ring("Size")
	return f.Backing.Size()
}

func (f *ringingFile) SetSize(n int64) error {
	f.s.ring("SetSize")
	return f.Backing.SetSize(n)
}

func (f *ringingFile) Sync() error {
	f.s.ring("Sync")
	return f.Backing.Sync()
}

func (f *ringingFile) Close() error {
	f.s.ring("Close")
	return f.Backing.Close()
}

type ringingPager struct {
	*image.Memory
	s *ringingStore
}

func (f *ringingPager) Page(i int64) []byte {
	f.s.ring("Page")
	return f.Memory.Page(i)
}

func (f *ringingPager) Make(i, n int64, whole bool) ([]byte, error) {
	f.s.ring("Make")
	return f.Memory.Make(i, n, whole)
}

func (f *ringingPager) Renew(i int64, page []byte) ([]byte, error) {
	f.s.ring("Renew")
	return f.Memory.Renew(i, page)
}

func (f *ringingPager) Sync() error {
	f.s.ring("Sync")
	return f.Memory.Sync()
}

func (f *ringingPager) Close() error {
	f.s.ring("Close")
	return f.Memory.Close()
}

// A ringer is what a rank has whose store calls out.
type ringer struct {
	c     *comm.Comm
	other *iofile.File  // of another file system
	q     *comm.Request // under way
}

// ringing is a program of two ranks. Rank 0 has a file whose store runs call in the
// method of that name, and passes its result to said.
func ringing(method string, pages bool, call func(r ringer) error, said func(error)) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error {
		r, busy := ringer{c: c}, c.Rank() != 0
		store := &ringingStore{Store: iofile.NewMemStore(), pages: pages, ring: func(m string) {
			if m == method && !busy {
				busy = true // what it calls may lead here again
				said(call(r))
				busy = false
			}
		}}
		var err error
		if r.other, err = iofile.Open(c.Self(), iofile.NewMem(), "other", rw|iofile.Create); err != nil {
			return err
		}
		if r.q, err = c.IRecv(types.Of([]byte{1}), 1-c.Rank(), 9); err != nil {
			return err
		}
		fsys := iofile.NewFS(store)
		f, err := iofile.Open(c.Self(), fsys, "f", rw|iofile.Create)
		if err != nil {
			return err
		}
		page, buf := types.Of(make([]byte, image.PageSize)), types.Of([]byte{1})
		for _, err := range []error{
			second(f.WriteAt(page, 0)), f.Sync(), second(f.WriteAt(page, 0)), f.Sync(), second(f.WriteAt(buf, 1<<20)), f.Sync(), second(f.ReadAt(page, 0)), f.SetSize(10), f.Sync(),
			f.Close(), iofile.Delete(fsys, "f"), fsys.Close(), r.other.Close(), c.Send(types.Of([]byte{1}), 1-c.Rank(), 9), second(r.q.Wait()),
		} {
			if err != nil {
				return err
			}
		}
		return c.Barrier()
	}
}

// If this fails, a store that waits for another rank hangs the world, and no context can
// end a world whose ranks run by turns.
func TestStoreThatCallsItsRank(t *testing.T) {
	buf := types.Of([]byte{1})
	calls := map[string]func(r ringer) error{
		"Recv":     func(r ringer) error { return second(r.c.Recv(buf, 1, 0)) },
		"Send":     func(r ringer) error { return r.c.Send(buf, 1, 0) },
		"Barrier":  func(r ringer) error { return r.c.Barrier() },
		"Probe":    func(r ringer) error { return second(r.c.Probe(1, 0)) },
		"IRecv":    func(r ringer) error { return second(r.c.IRecv(buf, 1, 0)) },
		"IBarrier": func(r ringer) error { return second(r.c.IBarrier()) },
		"Dup":      func(r ringer) error { return second(r.c.Dup()) },
		"Wait":     func(r ringer) error { return second(r.q.Wait()) },
		"WaitAll":  func(r ringer) error { return second(comm.WaitAll(r.q)) },
		"Test": func(r ringer) error {
			_, _, err := r.q.Test()
			return err
		},
		"WriteAt":   func(r ringer) error { return second(r.other.WriteAt(buf, 0)) },
		"File.Sync": func(r ringer) error { return r.other.Sync() },
		"Open": func(r ringer) error {
			return second(iofile.Open(r.c, iofile.NewMem(), "third", rw|iofile.Create))
		},
	}
	methods := map[bool][]string{
		false: {"Open", "ReadAt", "WriteAt", "Size", "SetSize", "Sync", "Close", "Remove"},
		true:  {"Page", "Make", "Renew", "Sync", "Close"},
	}
	run := func(opts ...world.Option) func(*testing.T, func(context.Context, *comm.Comm) error) error {
		return func(t *testing.T, body func(context.Context, *comm.Comm) error) error {
			return world.Run(t.Context(), 2, body, append(opts, world.Unchecked())...)
		}
	}
	ways := map[string]func(*testing.T, func(context.Context, *comm.Comm) error) error{
		"free": run(), "seed": run(world.Seed(1)), "pct": run(world.Replay("pct:2:1")),
		"explore": func(t *testing.T, body func(context.Context, *comm.Comm) error) error {
			setup := func() (func(context.Context, *comm.Comm) error, func() any) { return body, func() any { return "" } }
			x, err := world.Explore(t.Context(), 2, setup, world.Limit(world.Limits{Schedules: 5}), world.Unchecked())
			for _, o := range x.Outcomes {
				err = errors.Join(err, o.Err)
			}
			return err
		},
	}
	if !thorough.All() {
		delete(ways, "pct")
		delete(ways, "explore")
	}
	for name, call := range calls {
		t.Run("REP-USR-10 WORLD-01 "+name, func(t *testing.T) {
			for way, run := range ways {
				for pages, methods := range methods {
					for _, method := range methods {
						called := 0
						assert.NoError(t, run(t, ringing(method, pages, call, func(err error) {
							called++
							refused(t, err, iofile.ErrOther, "REP-USR-10")
						})), "%s, %s", way, method)
						assert.Positive(t, called, "%s, %s is not called", way, method)
					}
				}
			}
		})
	}
}
