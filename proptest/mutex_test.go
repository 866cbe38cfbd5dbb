package proptest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// A paged layer has one file in memory, of whole pages that ranks read, change and write back; with
// a lock, or without one.
type paged struct {
	locked bool
	lock   proptest.Mutex
	pages  map[int64][]byte
	size   int64
}

func newPaged(locked bool) proptest.Maker {
	return func() (proptest.Layer, error) {
		return &paged{locked: locked, pages: map[int64][]byte{}}, nil
	}
}

func (l *paged) Open(c *comm.Comm, _ string) (proptest.File, error) { return &pagedFile{l, c}, nil }

type pagedFile struct {
	l *paged
	c *comm.Comm
}

const lockedPage = 4

// on changes or reads the page of each byte.
func (f *pagedFile) on(p []byte, off int64, do func(page []byte, at, i int64)) error {
	if f.l.locked {
		if err := f.l.lock.Lock(f.c); err != nil {
			return err
		}
		defer f.l.lock.Unlock(f.c)
	}
	for i := range int64(len(p)) {
		n := (off + i) / lockedPage
		page := append(append([]byte{}, f.l.pages[n]...), make([]byte, lockedPage)...)[:lockedPage]
		if err := f.c.Yield(); err != nil {
			return err
		}
		do(page, (off+i)%lockedPage, i)
		f.l.pages[n] = page
	}
	return nil
}

func (f *pagedFile) WriteAt(p []byte, off int64) (int, error) {
	err := f.on(p, off, func(page []byte, at, i int64) { page[at] = p[i] })
	if len(p) > 0 {
		f.l.size = max(f.l.size, off+int64(len(p)))
	}
	return len(p), err
}

func (f *pagedFile) ReadAt(p []byte, off int64) (int, error) {
	p = p[:max(0, min(int64(len(p)), f.l.size-off))]
	for i := range p {
		if page := f.l.pages[(off+int64(i))/lockedPage]; page != nil {
			p[i] = page[(off+int64(i))%lockedPage]
		}
	}
	return len(p), f.c.Yield()
}

func (f *pagedFile) Sync() error  { return f.c.Yield() }
func (f *pagedFile) Close() error { return f.c.Yield() }

// TestExhaustiveOverMemory: if it fails, no schedule loses an update of a layer without a lock, or one
// with a proptest.Mutex is blamed.
func TestExhaustiveOverMemory(t *testing.T) {
	p := gen.MustParse(`ranks 2, schedule random:0, no conflicts
		0: write_at at 0 n 1
		1: write_at at 1 n 1
		all: sync
		1: read_at at 0 n 2`)
	_, err := proptest.Explored(newPaged(false), p)
	assert.ErrorContains(t, err, "under the schedule ")
	x, err := proptest.Explored(newPaged(true), p)
	require.NoError(t, err)
	assert.True(t, x.Complete)
	assert.Greater(t, x.Schedules, 1)
	proptest.Exhaustive(t, newPaged(true), 2)
}

// TestMutex: if it fails, ranks that wait for each other's locks are not reported, or a lock lets two
// ranks in.
func TestMutex(t *testing.T) {
	t.Run("a cycle", func(t *testing.T) {
		var locks [2]proptest.Mutex
		err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
			if err := locks[c.Rank()].Lock(c); err != nil {
				return err
			}
			if err := c.Barrier(); err != nil {
				return err
			}
			return locks[1-c.Rank()].Lock(c)
		})
		var stuck *world.DeadlockError
		require.ErrorAs(t, err, &stuck)
		assert.Contains(t, err.Error(), "Lock of a proptest.Mutex that rank 1 locked at mutex_test.go:")
	})
	t.Run("twice by one rank", func(t *testing.T) {
		var lock proptest.Mutex
		err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
			return errors.Join(lock.Lock(c), lock.Lock(c))
		})
		assert.ErrorContains(t, err, "rank 0 locks a mutex that it has locked at mutex_test.go:")
		err = world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
			lock.Unlock(c)
			return nil
		})
		assert.ErrorContains(t, err, "unlocks a mutex that it has not locked")
	})
	for _, schedule := range []string{"free", "random:1", "pct:3:1"} {
		t.Run(schedule, func(t *testing.T) {
			var lock proptest.Mutex
			inside, sum := 0, 0
			err := world.Run(context.Background(), 4, func(_ context.Context, c *comm.Comm) error {
				for range 50 {
					if err := lock.Lock(c); err != nil {
						return err
					}
					if inside++; inside > 1 {
						return errors.New("two ranks have the lock")
					}
					if err := c.Yield(); err != nil {
						return err
					}
					sum++
					inside--
					lock.Unlock(c)
				}
				return nil
			}, world.Replay(schedule))
			require.NoError(t, err)
			assert.Equal(t, 200, sum)
		})
	}
}

func ExampleMutex() {
	var lock proptest.Mutex
	n := 0
	err := world.Run(context.Background(), 3, func(_ context.Context, c *comm.Comm) error {
		if err := lock.Lock(c); err != nil {
			return err
		}
		defer lock.Unlock(c)
		n++
		return nil
	})
	fmt.Println(n, err)
	// Output: 3 <nil>
}
