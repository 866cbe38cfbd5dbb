package proptest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// A durable layer is a file on a disk that loses its power; a sync makes it durable, unless
// it is lazy. A long one leaves a byte too much after a restart.
type durable struct {
	power      *proptest.Power
	disk       *proptest.CrashingDisk
	lazy, long bool
}

func durables(lazy, long bool) proptest.Maker {
	return func() (proptest.Layer, error) {
		p := new(proptest.Power)
		return &durable{p, proptest.NewCrashingDisk(p), lazy, long}, nil
	}
}

func (l *durable) Power() *proptest.Power { return l.power }

func (l *durable) Restart() (proptest.Layer, error) {
	if !l.long {
		return l, nil
	}
	d, err := l.disk.Open(nil, "f")
	if err != nil {
		return nil, err
	}
	info, err := d.Stat()
	if err != nil {
		return nil, err
	}
	return l, d.Truncate(info.Size() + 100)
}

func (l *durable) Open(c *comm.Comm, name string) (proptest.File, error) {
	d, err := l.disk.Open(c, name)
	return &durableFile{file{c, d}, l.lazy}, err
}

type durableFile struct {
	file
	lazy bool
}

func (f *durableFile) Sync() error {
	if f.lazy {
		return nil
	}
	return f.d.Sync()
}

func (f *durableFile) Close() error {
	if err := f.Sync(); err != nil {
		return err
	}
	return f.d.Close()
}

// TestPowerCuts: if it fails, the suite does not see what a power cut may not take, or blames
// a layer for what it may.
func TestPowerCuts(t *testing.T) {
	lost := gen.MustParse(`ranks 2, schedule random:0
		power cut: operation 2, call 1
		0: write_at at 0 n 4
		all: sync
		1: write_at at 2 n 4
		0: read_at at 0 n 4`)
	t.Run("CONS-SYNC-01 synced bytes survive", func(t *testing.T) {
		var err error
		for lost.Seed = 0; lost.Seed < 20 && err == nil; lost.Seed++ { // each seed loses other bytes
			assert.NoError(t, proptest.PowerCuts(durables(false, false), lost))
			err = proptest.PowerCuts(durables(true, false), lost)
		}
		assert.ErrorContains(t, err, "after power cut 1 of 1, in operation 2, call 1: ")
		var d *proptest.Disagreement
		require.ErrorAs(t, err, &d)
		assert.Equal(t, "CONS-SYNC-01", d.Rule)
	})
	t.Run("a file that is too long", func(t *testing.T) {
		assert.ErrorContains(t, proptest.PowerCuts(durables(false, true), lost), "no rank ever wrote a byte beyond")
	})
	t.Run("in the open, and again", func(t *testing.T) {
		p := gen.MustParse(`ranks 2, schedule random:0
			power cut: operation -1, call 0
			power cut: operation 1, call 0
			power cut: operation 1, call 99
			0: write_at at 0 n 4
			all: sync
			1: write_at at 2 n 4`)
		assert.NoError(t, proptest.PowerCuts(durables(false, false), p))
	})
	t.Run("the group", func(t *testing.T) {
		assert.Nil(t, find(t, "crashes", durables(false, false)))
		f := find(t, "crashes", durables(true, false))
		require.NotNil(t, f)
		assert.LessOrEqual(t, len(f.Program.Ops), 2, f)
		assert.LessOrEqual(t, len(f.Program.Cuts), 2, f) // each may fail alone no more
		assert.NotEmpty(t, groupOf(t, "crashes", proptest.Ours(nil)).Skipped)
		assert.ErrorContains(t, proptest.PowerCuts(proptest.Ours(nil), lost), "not a Restarter")
	})
}

// TestCrashingStores: if it fails, the storages under a layer do not fail as they say.
func TestCrashingStores(t *testing.T) {
	alone(t, func(c *comm.Comm) error {
		p := new(proptest.Power)
		disk, store := proptest.NewCrashingDisk(p), proptest.NewCrashingKeyValue(p, true)
		d, err := disk.Open(c, "a")
		require.NoError(t, err)
		_, err = d.WriteAt([]byte("abc"), 1)
		require.NoError(t, err)
		p2, err := disk.ReadFile("a")
		assert.Equal(t, "\x00abc", string(p2), "%v", err)
		require.NoError(t, disk.Rename(c, "a", "b"))
		assert.ErrorContains(t, disk.Rename(c, "a", "b"), "not exist")
		require.NoError(t, disk.Remove(c, "b"))
		_, err = disk.ReadFile("b")
		assert.ErrorContains(t, err, "not exist")
		kv := store.For(c)
		require.NoError(t, kv.Put([]byte("k"), nil))
		v, err := kv.Get([]byte("k"))
		assert.Equal(t, []byte{}, v, "a value of no bytes is one: %v", err)
		require.NoError(t, kv.Delete([]byte("k")))
		assert.Empty(t, store.Keys())
		return kv.Flush()
	})
}

// TestFaultyDisk: if it fails, a layer over plain files cannot be tested with faults.
func TestFaultyDisk(t *testing.T) {
	alone(t, func(c *comm.Comm) error {
		power := new(proptest.Power)
		under, err := proptest.NewCrashingDisk(power).Open(c, "a")
		require.NoError(t, err)
		plan, err := faults.NewPlan(faults.Must("write short=2 call=1\nwrite error=nospace after=4\nsync error=io\nopen error=io call=2")...)
		require.NoError(t, err)
		d, err := proptest.FaultyDisk(c, under, "a", plan)
		require.NoError(t, err)
		n, err := d.WriteAt([]byte("abcd"), 0)
		assert.Equal(t, 2, n)
		assert.ErrorContains(t, err, "short")
		n, err = d.WriteAt([]byte("abcd"), 0)
		assert.Equal(t, 2, n)
		assert.Error(t, err, "the disk is full")
		assert.Error(t, d.Sync())
		_, err = proptest.FaultyDisk(c, under, "a", plan)
		assert.Error(t, err)
		return nil
	})
}

func alone(t *testing.T, do func(c *comm.Comm) error) {
	t.Helper()
	require.NoError(t, world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error { return do(c) }))
}

func ExamplePowerCuts() {
	p := gen.MustParse(`ranks 1, schedule random:0
		power cut: operation 1, call 1
		0: write_at at 0 n 4
		all: sync`)
	fmt.Println(proptest.PowerCuts(durables(false, false), p))
	// Output: <nil>
}
