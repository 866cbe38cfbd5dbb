package burst_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/examples/burst"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/world"
)

// tour returns one program that uses every call once, right and wrong.
func tour(s *burst.Store) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error {
		f, err := s.File(c, "tour")
		if err != nil {
			return err
		}
		t := &tourist{File: f, c: c, rank: int64(c.Rank()), ranks: int64(c.Size())}
		for i, step := range []func() error{t.write, t.nonblocking, t.split, t.shared, t.sizes} {
			if err := step(); err != nil {
				return fmt.Errorf("step %d of the tour, rank %d: %w", i, t.rank, err)
			}
		}
		return f.Close()
	}
}

type tourist struct {
	*burst.File
	c           *comm.Comm
	rank, ranks int64
}

// part is what a rank writes in a step.
func part(rank, step, n int64) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(50*step + 10*rank + int64(i)%10)
	}
	return p
}

// has checks the file that the parts of all ranks make together.
func (t *tourist) has(step, n, at int64) error {
	var want []byte
	for r := range t.ranks {
		want = append(want, part(r, step, n)...)
	}
	got := make([]byte, len(want)+3)
	k, err := t.ReadAtAll(got[:len(want)], at)
	if err == nil && !bytes.Equal(got[:k], want) {
		err = fmt.Errorf("bytes from %d on: %v, want %v", at, got[:k], want)
	}
	return err
}

func moved(n int, err error, want int) error {
	if err == nil && n != want {
		err = fmt.Errorf("%d bytes were moved, want %d", n, want)
	}
	return err
}

// write has parts of all ranks across blocks, many syncs, and a read at the end.
func (t *tourist) write() error {
	p := part(t.rank, 1, 2000)
	for range 3 {
		n, err := t.WriteAt(p, 2000*t.rank)
		if err := errors.Join(moved(n, err, len(p)), t.Sync(), t.has(1, 2000, 0)); err != nil {
			return err
		}
	}
	n, err := t.ReadAt(make([]byte, 10), 2000*t.ranks-4)
	return moved(n, err, 4)
}

// nonblocking has two accesses under way, the second of which ends first.
func (t *tourist) nonblocking() error {
	a, e1 := t.IWriteAt(part(t.rank, 2, 5), 7*t.rank)
	b, e2 := t.IWriteAt(part(t.rank, 2, 7)[5:], 7*t.rank+5)
	if err := errors.Join(e1, e2); err != nil {
		return err
	}
	n, e1 := b.Wait()
	k, e2 := a.Wait()
	return errors.Join(moved(n, e1, 2), moved(k, e2, 5), t.Sync(), t.has(2, 7, 0))
}

func (t *tourist) split() error {
	if err := t.WriteAtAllBegin(part(t.rank, 3, 4), 4*t.rank); err != nil {
		return err
	}
	if err := t.ReadAtAllBegin(nil, 0); err == nil {
		return errors.New("two split accesses are under way")
	}
	n, err := t.AtAllEnd()
	return errors.Join(moved(n, err, 4), t.Sync(), t.has(3, 4, 0))
}

// shared has ranks in turn write behind each other.
func (t *tourist) shared() error {
	if err := t.SeekShared(0); err != nil {
		return err
	}
	for r := range t.ranks {
		if r == t.rank {
			if n, err := t.WriteShared(part(r, 4, 6)); err != nil || n != 6 {
				return moved(n, err, 6)
			}
		}
		if err := t.c.Barrier(); err != nil {
			return err
		}
	}
	at, err := t.PositionShared()
	if err == nil && at != 6*t.ranks {
		err = fmt.Errorf("the shared pointer is at %d, want %d", at, 6*t.ranks)
	}
	return errors.Join(err, t.Sync(), t.has(4, 6, 0))
}

func (t *tourist) sizes() error {
	for _, n := range []int64{10, 5000, 3} {
		if err := t.SetSize(n); err != nil {
			return err
		}
		if got, err := t.Size(); err != nil || got != n {
			return errors.Join(err, fmt.Errorf("the size is %d, want %d", got, n))
		}
	}
	if err := t.Preallocate(2); err != nil {
		return err
	}
	got, err := t.Size()
	if got != 3 {
		err = errors.Join(err, fmt.Errorf("the size is %d, want 3", got))
	}
	return err
}

// careful runs the tour once with all checks, in both orders of the ranks, and drains the file.
func careful(ctx context.Context, dir string, b burst.Bug) error {
	runs := 0
	var stores []*burst.Store
	err := world.Strict(ctx, 3, func() (func(context.Context, *comm.Comm) error, func() any) {
		runs++
		s, err := burst.Open(filepath.Join(dir, fmt.Sprintf("tour%d", runs)), burst.WithBug(b), burst.WithoutForce(), burst.WithHold(4096))
		if err != nil {
			return func(context.Context, *comm.Comm) error { return err }, nil
		}
		stores = append(stores, s)
		return tour(s), nil
	}, world.Careful())
	for _, s := range stores {
		if err == nil {
			var m memory
			n, e := s.Drain("tour", &m)
			if err = e; err == nil && (n != 3 || len(m) != 3) {
				err = fmt.Errorf("draining copies %d bytes, says %d, want 3", len(m), n)
			}
		}
		err = errors.Join(err, s.Close())
	}
	return err
}

// If this fails, a call does not do what it says.
func TestTour(t *testing.T) { require.NoError(t, careful(t.Context(), t.TempDir(), "")) }

// meet is a program of one shared write, one sync and one read, for every schedule.
func meet(dir string, b burst.Bug) world.Setup {
	runs := 0
	return func() (func(context.Context, *comm.Comm) error, func() any) {
		runs++
		path := filepath.Join(dir, fmt.Sprintf("meet%d", runs))
		s, err := burst.Open(path, burst.WithBug(b), burst.WithoutForce())
		if err != nil {
			return func(context.Context, *comm.Comm) error { return err }, nil
		}
		return func(_ context.Context, c *comm.Comm) error { return exchange(s, c) }, func() any {
			var m memory
			_, e1 := s.Drain("meet", &m)
			return fmt.Sprint(m, errors.Join(e1, s.Close(), os.Remove(path)))
		}
	}
}

// exchange has each rank write a byte, and read that of the other.
func exchange(s *burst.Store, c *comm.Comm) error {
	f, err := s.File(c, "meet")
	if err != nil {
		return err
	}
	me := byte(c.Rank())
	if _, err := f.WriteAt([]byte{7 + me}, int64(me)); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	got := make([]byte, 3)
	n, err := f.ReadAt(got, 0)
	if err == nil && !bytes.Equal(got[:n], []byte{7, 8}) {
		err = fmt.Errorf("rank %d reads %v, want 7 and 8", me, got[:n])
	}
	return errors.Join(err, f.Close())
}

// If this fails, a sync is not enough under some schedule.
func TestEverySchedule(t *testing.T) {
	x, err := world.Explore(t.Context(), 2, meet(t.TempDir(), ""))
	require.NoError(t, err)
	require.True(t, x.Complete, "%v", x)
	require.Len(t, x.Outcomes, 1)
	require.NoError(t, x.Outcomes[0].Err)
}

// long has one rank write and sync so often that numbers of segments take two bytes.
func long(dir string, b burst.Bug) error {
	s, err := burst.Open(filepath.Join(dir, "long"), burst.WithBug(b), burst.WithoutForce())
	if err != nil {
		return err
	}
	err = world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := s.File(c, "long")
		if err != nil {
			return err
		}
		for i := range 600 {
			if _, err := f.WriteAt([]byte{byte(i)}, 0); err != nil {
				return err
			}
			if err := f.Sync(); err != nil {
				return err
			}
			var got [1]byte
			if n, err := f.ReadAt(got[:], 0); err != nil || n != 1 || got[0] != byte(i) {
				return errors.Join(err, fmt.Errorf("after %d syncs the byte is %d, want %d", i+1, got[0], byte(i)))
			}
		}
		return f.Close()
	})
	return errors.Join(err, s.Close())
}

// If this fails, a file does not stand many syncs.
func TestLong(t *testing.T) { require.NoError(t, long(t.TempDir(), "")) }

// If this fails, a file has changed when the database is opened again, or differs from an
// ordinary file after draining.
func TestAgain(t *testing.T) {
	path, out := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "grid")
	for run := range int64(2) {
		s, err := burst.Open(path)
		require.NoError(t, err)
		require.NoError(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := s.File(c, "grid")
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("abcdef"), 5000*run+6*int64(c.Rank()))
			return errors.Join(err, f.Close())
		}))
		_, err = s.Drain("other", new(memory))
		assert.EqualError(t, err, `burst: there is no file "other"`)
		file, err := os.Create(out)
		require.NoError(t, err)
		n, err := s.Drain("grid", file)
		require.NoError(t, err)
		assert.Equal(t, 5000*run+12, n)
		require.NoError(t, errors.Join(file.Close(), s.Close()))
	}
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Len(t, got, 5012)
	assert.Equal(t, "abcdefabcdef", string(got[:12]))
	assert.Equal(t, "abcdefabcdef", string(got[5000:]))
}

// If this fails, a full device costs more than the writes that were refused.
func TestFull(t *testing.T) {
	plan := new(faults.Plan)
	s, err := burst.Open(filepath.Join(t.TempDir(), "db"), burst.WithFaults(plan))
	require.NoError(t, err)
	require.NoError(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := s.File(c, "x")
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			err = plan.Set(faults.Must("write error=nospace rank=1")...)
		}
		_, e := f.WriteAt([]byte{1}, int64(c.Rank()))
		if err := errors.Join(err, e, c.Barrier()); err != nil {
			return err
		}
		err = f.Sync()
		if c.Rank() == 0 {
			assert.ErrorIs(t, err, burst.ErrElsewhere)
			assert.NoError(t, plan.Set())
		} else {
			assert.ErrorContains(t, err, "no space left")
		}
		return errors.Join(c.Barrier(), f.Sync(), f.Close())
	}))
	var m memory
	_, err = s.Drain("x", &m)
	assert.NoError(t, err)
	assert.Equal(t, memory{1, 1}, m)
	assert.NoError(t, s.Close())
}
