package proptest_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
)

// A locked layer holds a lock while it waits for the other ranks.
type locked struct {
	proptest.Layer
	mu *giving
}

// A giving lock lets a test release it for another goroutine, so that no goroutine is
// left behind.
type giving struct {
	sync.Mutex
	given atomic.Bool
}

func (l locked) Open(c *comm.Comm, name string) (proptest.File, error) {
	f, err := l.Layer.Open(c, name)
	return &lockedFile{f, c, l.mu}, err
}

type lockedFile struct {
	proptest.File
	c  *comm.Comm
	mu *giving
}

func (f *lockedFile) Sync() error {
	f.mu.Lock()
	if f.mu.given.Load() {
		return errors.New("the test is over")
	}
	defer f.mu.Unlock()
	return f.c.Barrier()
}

// TestWatchdog: if it fails, a layer that waits by a lock stops the tests for ten minutes.
func TestWatchdog(t *testing.T) {
	proptest.SetPatience(t, 400*time.Millisecond)
	mu := new(giving)
	mk := func() (proptest.Layer, error) {
		l, err := proptest.Ours(nil)()
		return locked{l, mu}, err
	}
	p := &gen.Program{Ranks: 2, Ops: []gen.Op{{Do: gen.Write, N: 1}, {Do: gen.Sync, All: true}}}
	err := proptest.Reference(mk, p)
	var hung *proptest.HangError
	require.ErrorAs(t, err, &hung)
	assert.Len(t, hung.Ranks, 2)
	assert.ErrorContains(t, err, "is in operation 1, sync")
	assert.ErrorContains(t, err, "sync.(*Mutex).Lock")
	assert.ErrorContains(t, err, "watchdog_test.go")
	t.Log(err)
	mu.given.Store(true)
	mu.Unlock() // of rank 0, so that rank 1 continues and aborts the world
}
