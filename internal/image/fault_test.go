package image_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func init() { thorough.Fewer() }

// faulty is a backing that fails on demand.
type faulty struct {
	image.Backing
	room    int64 // bytes that may still be written; negative: no limit
	piece   int   // most bytes of one call; 0: no limit
	reads   error
	sizes   error
	syncs   error
	synced  int
	written [][2]int64
	silent  bool   // a failed write counts no bytes
	during  func() // called in the middle of a write
}

var errFull = fmt.Errorf("disk: %w", errclass.NoSpace)

func newFaulty() *faulty {
	return &faulty{Backing: image.NewMemory(image.Poison), room: -1}
}

func (f *faulty) WriteAt(p []byte, off int64) (int, error) {
	var err error
	if f.piece > 0 && len(p) > f.piece {
		p = p[:f.piece]
	}
	if f.room >= 0 && int64(len(p)) > f.room {
		p, err = p[:f.room], errFull
	}
	f.written = append(f.written, [2]int64{off, int64(len(p))})
	if f.during != nil {
		f.during()
	}
	n, e := f.Backing.WriteAt(p, off)
	if f.room >= 0 {
		f.room -= int64(n)
	}
	if err != nil && f.silent {
		n = 0
	}
	return n, errors.Join(err, e)
}

func (f *faulty) ReadAt(p []byte, off int64) (int, error) {
	if f.reads != nil {
		return 0, f.reads
	}
	if f.piece > 0 && len(p) > f.piece {
		p = p[:f.piece]
	}
	return f.Backing.ReadAt(p, off)
}

func (f *faulty) SetSize(n int64) error {
	if f.sizes != nil {
		return f.sizes
	}
	return f.Backing.SetSize(n)
}

func (f *faulty) Sync() error {
	f.synced++
	return f.syncs
}

// If this fails, a full disk takes away bytes that were safe, or bytes that
// could still be saved once there is room again.
func TestFailedPublishLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := newFaulty()
		im, ref := image.NewImage(f), newRefFile()
		a, b := &pair{h: im.Open(), ref: ref.open()}, &pair{h: im.Open(), ref: ref.open()}
		writeSome := func(q *pair, fillers string) {
			for _, c := range fillers {
				at, from := drawPlace(t)
				p := make([]byte, rapid.IntRange(1, 50).Draw(t, "bytes"))
				for i := range p {
					p[i] = byte(c)
				}
				q.ref.write(at, from, p)
				assert.NoError(t, q.h.Write(at, from, p))
			}
		}
		writeSome(a, "safe")
		a.ref.publish()
		assert.NoError(t, a.h.Publish())
		b.ref.adopt()
		b.h.Adopt()
		writeSome(a, "at risk")
		f.room = rapid.Int64Range(0, 100).Draw(t, "room")
		f.piece = rapid.IntRange(0, 20).Draw(t, "piece")
		err := a.h.Publish()
		if err != nil {
			assert.ErrorIs(t, err, errclass.NoSpace)
		}
		for range 3 { // a still reads all it wrote, b what it had adopted
			at, from := drawPlace(t)
			compareRead(t, a, at, from, 40)
			compareRead(t, b, at, from, 40)
		}
		f.room = -1
		a.ref.publish()
		assert.NoError(t, a.h.Publish())
		for range 3 {
			at, from := drawPlace(t)
			compareRead(t, a, at, from, 40)
			compareRead(t, b, at, from, 40)
			b.ref.adopt()
			b.h.Adopt()
			compareRead(t, b, at, from, 40)
		}
	})
}

// If this fails, a write changes bytes of other ranks between those of its own
// view, and ranks that share nothing overwrite each other.
func TestWritesTouchOnlyTheirBytes(t *testing.T) {
	f := newFaulty()
	h := image.NewImage(f).Open()
	at := tilingOf(t, types.Resized(types.HIndexed([]types.Block{{Len: 2, Disp: 3}, {Len: 4, Disp: 5}, {Len: 2, Disp: 20}}, types.Byte), 0, 30), 1)
	assert.NoError(t, h.Write(at, 0, make([]byte, 16)))
	assert.NoError(t, h.Publish())
	assert.Equal(t, [][2]int64{{4, 6}, {21, 2}, {34, 6}, {51, 2}}, f.written, "one call for each merged run")
}

// If this fails, errors of a device go by unseen or arrive as something else.
func TestErrorsOfTheBacking(t *testing.T) {
	broken := errors.New("broken")
	fresh := func() (*faulty, *image.Image, *image.Handle) {
		f := newFaulty()
		im := image.NewImage(f)
		h := im.Open()
		assert.NoError(t, h.Write(bytesAt(0), 0, []byte("0123456789")))
		assert.NoError(t, h.Publish())
		h.Adopt()
		return f, im, h
	}
	t.Run("read", func(t *testing.T) {
		f, im, h := fresh()
		f.reads = broken
		n, err := h.Read(bytesAt(0), 0, make([]byte, 10))
		assert.Zero(t, n)
		assert.ErrorIs(t, err, errclass.IO)
		assert.ErrorIs(t, err, broken)
		_, err = im.ReadAt(make([]byte, 3), 0)
		assert.ErrorIs(t, err, broken)
	})
	t.Run("sync fails once and is made up for", func(t *testing.T) {
		f, _, h := fresh()
		f.syncs, f.synced = broken, 0
		assert.NoError(t, h.Publish(), "nothing to sync")
		assert.Zero(t, f.synced)
		assert.NoError(t, h.Write(bytesAt(0), 0, []byte("x")))
		assert.ErrorIs(t, h.Publish(), broken)
		f.syncs = nil
		assert.NoError(t, h.Publish())
		assert.Equal(t, 2, f.synced)
	})
	t.Run("a sync of another rank before the write is not a sync of it", func(t *testing.T) {
		f, im, _ := fresh()
		h := im.OpenAs(image.POSIX) // it writes to the backing at once
		other := im.Open()
		early := 0
		f.synced = 0
		f.during = func() {
			assert.NoError(t, other.Publish())
			early = f.synced
		}
		assert.NoError(t, h.Write(bytesAt(0), 0, []byte("x")))
		assert.NoError(t, h.Publish())
		assert.Equal(t, early+1, f.synced, "by h, after it wrote")
	})
	t.Run("set size", func(t *testing.T) {
		f, im, h := fresh()
		f.sizes = fmt.Errorf("disk: %w", errclass.Quota)
		assert.ErrorIs(t, im.SetSize(3), errclass.Quota)
		assert.EqualValues(t, 10, im.Size())
		assert.Zero(t, im.Remembered())
		h.Adopt()
		p := make([]byte, 20)
		n, err := h.Read(bytesAt(0), 0, p)
		assert.NoError(t, err)
		assert.Equal(t, "0123456789", string(p[:n]))
	})
	t.Run("overwritten bytes that cannot be kept are not overwritten", func(t *testing.T) {
		f, im, h := fresh()
		im.Open()
		assert.NoError(t, h.Write(bytesAt(0), 0, []byte("x")))
		f.reads, f.written = broken, nil
		assert.ErrorIs(t, h.Publish(), broken)
		assert.Empty(t, f.written)
	})
	t.Run("a full disk that took more than it says", func(t *testing.T) {
		for _, atomic := range []bool{false, true} {
			f, im, h := fresh()
			h.SetAtomic(atomic)
			f.room, f.silent = 4, true
			err := h.Write(bytesAt(8), 0, []byte("abcdefgh"))
			if !atomic {
				assert.NoError(t, err)
				err = h.Publish()
			}
			assert.ErrorIs(t, err, errclass.NoSpace)
			assert.EqualValues(t, 12, f.Size())
			if !atomic { // the bytes are published, and wait
				assert.EqualValues(t, 16, im.Size())
				f.room = 100
				assert.NoError(t, im.Sync())
			}
			assert.Equal(t, f.Size(), im.Size(), "the file is as long as it is")
		}
	})
	t.Run("a backing that makes no progress", func(t *testing.T) {
		f, _, h := fresh()
		f.room = 0
		assert.NoError(t, h.Write(bytesAt(0), 0, []byte("x")))
		assert.ErrorIs(t, h.Publish(), errclass.NoSpace)
		assert.ErrorIs(t, h.Close(), errclass.NoSpace)
		assert.ErrorIs(t, h.Publish(), errclass.File, "closed all the same")
	})
}

// If this fails, a slip in a program becomes a crash instead of a message.
func TestBadCalls(t *testing.T) {
	im := image.NewImage(image.NewMemory(image.Poison))
	h := im.Open()
	none, backward := tilingOf(t, types.Contiguous(0, types.Byte), 0), tilingOf(t, types.Byte, -10)
	one := []byte("x")
	for name, err := range map[string]error{
		"IO-VIEW-18 no bytes":           h.Write(none, 0, one),
		"no layout":                     h.Write(types.Tiling{}, 0, one),
		"IO-DA-03 negative position":    h.Write(bytesAt(0), -1, one),
		"negative byte":                 h.Write(backward, 3, one),
		"IO-DA-16 beyond the last byte": h.Write(bytesAt(0), extent.MaxSize, one),
		"position overflows":            h.Write(bytesAt(0), 1<<63-1, one),
		"offset overflows":              h.Write(tilingOf(t, types.Resized(types.Byte, 0, 1<<40), 0), 1<<40, one),
		"negative size":                 im.SetSize(-1),
		"huge size":                     im.SetSize(extent.MaxSize + 1),
	} {
		assert.ErrorIs(t, err, errclass.Arg, name)
	}
	_, err := h.Read(bytesAt(0), -1, one)
	assert.ErrorIs(t, err, errclass.Arg)
	_, err = im.ReadAt(one, -1)
	assert.ErrorIs(t, err, errclass.Arg)
	assert.Zero(t, h.Size())
	assert.Zero(t, h.Records())
	assert.NoError(t, h.Write(none, 0, nil))
	assert.NoError(t, h.Close())
	for _, err := range []error{h.Close(), h.Publish(), h.Write(bytesAt(0), 0, one)} {
		assert.ErrorIs(t, err, errclass.File)
	}
	_, err = h.Read(bytesAt(0), 0, one)
	assert.ErrorIs(t, err, errclass.File)
	h.Adopt()
	h.Retire()
	h.SetAtomic(true)
	h.Resize(3)
}

// If this fails, a file with far-apart bytes needs memory for the bytes between, or its size
// is lost.
func TestSparse(t *testing.T) {
	t.Run("IO-SIZE-08 bytes at both ends of the largest file", func(t *testing.T) {
		im := image.NewImage(image.NewMemory(image.Poison))
		h, late := im.Open(), im.Open()
		const far = extent.MaxSize - 3
		assert.NoError(t, h.Write(bytesAt(0), 0, []byte("abc")))
		assert.NoError(t, h.Write(bytesAt(0), far, []byte("xyz")))
		assert.NoError(t, h.Write(tilingOf(t, types.Resized(types.Byte, 0, 1<<40), 0), 1, []byte("123")))
		assert.NoError(t, h.Publish())
		assert.EqualValues(t, int64(extent.MaxSize), h.Size())
		late.Adopt()
		p := make([]byte, 10)
		n, err := late.Read(bytesAt(0), far-2, p)
		assert.NoError(t, err)
		assert.Equal(t, "\xa5\xa5xyz", string(p[:n]))
		assert.NoError(t, im.SetSize(2))
		n, err = late.Read(tilingOf(t, types.Resized(types.Byte, 0, 1<<40), 0), 0, p[:4])
		assert.NoError(t, err)
		assert.Equal(t, "a123", string(p[:n]), "late has not adopted the new size")
		late.Adopt()
		assert.EqualValues(t, 2, late.Size())
	})
	t.Run("IO-SIZE-06 never-written bytes are poison", func(t *testing.T) {
		im := image.NewImage(image.NewMemory(0x77))
		h := im.Open()
		assert.NoError(t, h.Write(bytesAt(0), 10, []byte("a")))
		p := make([]byte, 11)
		for range 2 {
			n, err := h.Read(bytesAt(0), 0, p)
			assert.NoError(t, err)
			assert.Equal(t, "wwwwwwwwwwa", string(p[:n]))
			assert.NoError(t, h.Publish())
			h.Adopt()
		}
	})
}

// If this fails, bytes of a rank that died turn up later, or its death keeps old versions of
// a file in memory.
func TestAbandon(t *testing.T) {
	im := image.NewImage(image.NewMemory(image.Poison))
	assert.NoError(t, im.SetSize(4))
	h, other := im.Open(), im.Open()
	assert.NoError(t, h.Write(bytesAt(0), 0, []byte("safe")))
	assert.NoError(t, h.Publish())
	other.Adopt()
	assert.NoError(t, other.Write(bytesAt(2), 0, []byte("x")))
	assert.NoError(t, other.Publish())
	assert.NotZero(t, im.Remembered(), "h has not adopted anything yet")
	assert.NoError(t, h.Write(bytesAt(0), 0, []byte("lost")))
	h.Abandon()
	h.Abandon()
	assert.ErrorIs(t, h.Close(), errclass.File)
	other.Adopt()
	assert.Zero(t, im.Remembered())
	p := make([]byte, 4)
	_, err := other.Read(bytesAt(0), 0, p)
	assert.NoError(t, err)
	assert.Equal(t, "saxe", string(p))
}
