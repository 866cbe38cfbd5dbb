package image_test

import (
	"fmt"
	"testing"

	"github.com/commworld/commworld/internal/image"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// plain hides the pages of a backing, so that it is used as a real file is.
type plain struct{ image.Backing }

func (p plain) Poison() byte { return image.Poison }

var backings = map[string]func() image.Backing{
	"memory": func() image.Backing { return image.NewMemory(image.Poison) },
	"plain":  func() image.Backing { return plain{image.NewMemory(image.Poison)} },
}

// shapes are filetypes: dense, with holes, nested, irregular, wider than a
// page; the last two are not in ascending order when tiled (IO-VIEW-21).
var shapes = []*types.Type{
	types.Byte,
	types.Contiguous(5, types.Byte),
	types.Resized(types.Int, 0, 12),
	types.Vector(3, 2, 4, types.Short),
	types.Resized(types.Contiguous(3, types.Byte), -2, 7),
	types.HVector(3, 4, 40_000, types.Byte),
	types.HIndexed([]types.Block{{Len: 3, Disp: 1}, {Len: 1, Disp: 9}, {Len: 7, Disp: 20}}, types.Byte),
	types.HVector(3, 1, 70, types.Vector(4, 3, 5, types.Byte)),
	types.Resized(types.Vector(2, 1, 4, types.Short), 0, 4),
	types.HIndexed([]types.Block{{Len: 4, Disp: 16}, {Len: 4, Disp: 0}}, types.Byte),
}

// drawPlace draws a tiling, often across a page border, and a position in it.
func drawPlace(t *rapid.T) (types.Tiling, int64) {
	shape := rapid.SampledFrom(shapes).Draw(t, "type")
	l, err := shape.Layout(types.Host)
	if err != nil {
		t.Fatal(err)
	}
	disp := rapid.SampledFrom([]int64{2, image.PageHead - 20, image.PageSize - 20, 3*image.PageSize - 9}).Draw(t, "near")
	disp += rapid.Int64Range(0, 24).Draw(t, "disp")
	return types.Tiling{L: l, Disp: disp}, rapid.Int64Range(0, 20).Draw(t, "from")
}

// pair is a handle and its reference.
type pair struct {
	h   *image.Handle
	ref *refHandle

	last types.Tiling // of the last write
	next int64        // the position after it
}

// program drives the model and its definition through the same random calls.
type program struct {
	im    *image.Image
	ref   *refFile
	pairs []*pair
	count byte
	at    types.Tiling // of the last write by any rank
	from  int64
}

// place draws where to access: often where the last write was, or close by.
func (p *program) place(t *rapid.T, q *pair) (types.Tiling, int64) {
	switch rapid.IntRange(0, 3).Draw(t, "where") {
	case 0:
		if q.last.L != nil {
			return q.last, q.next
		}
	case 1, 2:
		if p.at.L != nil {
			return p.at, max(0, p.from+rapid.Int64Range(-5, 5).Draw(t, "aside"))
		}
	}
	return drawPlace(t)
}

func (p *program) pick(t *rapid.T) *pair {
	if len(p.pairs) == 0 {
		p.open(t) // rapid might otherwise draw a hundred steps in a row that cannot be done
	}
	return rapid.SampledFrom(p.pairs).Draw(t, "handle")
}

func (p *program) open(t *rapid.T) {
	if len(p.pairs) == 4 {
		t.Skip("enough handles")
	}
	ref := p.ref.open()
	model := rapid.SampledFrom([]image.Rules{
		image.Weakest, image.Weakest, image.Weakest, image.Session, image.Commit, image.POSIX,
	}).Draw(t, "model")
	ref.early = model == image.Session || model == image.POSIX
	ref.fresh = model == image.Commit || model == image.POSIX
	p.pairs = append(p.pairs, &pair{h: p.im.OpenAs(model), ref: ref})
}

func (p *program) write(t *rapid.T) {
	q := p.pick(t)
	at, from := p.place(t, q)
	data := make([]byte, rapid.IntRange(0, 60).Draw(t, "bytes"))
	p.at, p.from, q.last, q.next = at, from, at, from+int64(len(data))
	p.count++
	for i := range data {
		data[i] = p.count
	}
	q.ref.write(at, from, data)
	own := data
	if rapid.Bool().Draw(t, "in place") {
		own = q.h.Space(int64(len(data)))
		copy(own, data)
	}
	assert.NoError(t, q.h.Write(at, from, own))
	for i := range data { // they are ours again
		data[i] = 0xEE
	}
}

func (p *program) read(t *rapid.T) {
	q := p.pick(t)
	at, from := p.place(t, q)
	n := rapid.IntRange(0, 80).Draw(t, "bytes")
	compareRead(t, q, at, from, n)
}

func compareRead(t assert.TestingT, q *pair, at types.Tiling, from int64, n int) {
	got, want := make([]byte, n), make([]byte, n)
	k, err := q.h.Read(at, from, got)
	assert.NoError(t, err)
	assert.Equal(t, q.ref.read(at, from, want), k, "bytes read")
	assert.Equal(t, want, got)
}

func (p *program) publish(t *rapid.T) {
	q := p.pick(t)
	q.ref.publish()
	assert.NoError(t, q.h.Publish())
}

func (p *program) exchange(t *rapid.T) {
	q := p.pick(t)
	q.ref.publish()
	q.ref.adopt()
	assert.NoError(t, q.h.Exchange())
}

func (p *program) adopt(t *rapid.T) {
	q := p.pick(t)
	q.ref.adopt()
	q.h.Adopt()
}

// resize is a collective set_size of some of the handles.
func (p *program) resize(t *rapid.T) {
	n := rapid.SampledFrom([]int64{0, 7, 30, image.PageHead - 5, image.PageSize, 2*image.PageSize + 11, 4 * image.PageSize}).Draw(t, "size")
	for i, q := range p.pairs {
		if i%2 == int(n%2) {
			q.ref.resize(n)
			q.h.Resize(n)
		}
	}
	p.ref.setSize(n)
	assert.NoError(t, p.im.SetSize(n))
}

func (p *program) atomic(t *rapid.T) {
	q := p.pick(t)
	on := rapid.Bool().Draw(t, "on")
	if q.ref.atomic != on {
		assert.NoError(t, q.h.Publish())
	}
	q.ref.setAtomic(on)
	q.h.SetAtomic(on)
}

func (p *program) close(t *rapid.T) {
	q := p.pick(t)
	for i := range p.pairs {
		if p.pairs[i] == q {
			p.pairs = append(p.pairs[:i:i], p.pairs[i+1:]...)
			break
		}
	}
	q.ref.publish()
	if rapid.Bool().Draw(t, "retire") {
		q.h.Retire()
	}
	assert.NoError(t, q.h.Close())
}

// check compares sizes and some bytes after each step.
func (p *program) check(t *rapid.T) {
	for _, q := range p.pairs {
		assert.Equal(t, q.ref.size(), q.h.Size(), "size")
	}
	v := p.ref.newest()
	assert.Equal(t, v.size, p.im.Size(), "published size")
	if len(p.pairs) == 0 {
		assert.Zero(t, p.im.Remembered(), "no one can ask for old versions")
	}
	buf := make([]byte, 60)
	for _, off := range []int64{0, image.PageHead - 30, image.PageSize - 30, 3*image.PageSize - 5} {
		n, _ := p.im.ReadAt(buf, off)
		for i := range n {
			want, ok := v.bytes[off+int64(i)]
			if !ok {
				want = image.Poison
			}
			if buf[i] != want {
				t.Fatalf("published byte %d is %#x, want %#x", off+int64(i), buf[i], want)
			}
		}
	}
}

// If this fails, a program is shown bytes that it must not see, or is denied
// bytes that it must: every promise about shared files rests on it.
func TestModelEqualsDefinition(t *testing.T) {
	for name, backing := range backings {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := &program{im: image.NewImage(backing()), ref: newRefFile()}
				p.open(t)
				t.Repeat(map[string]func(*rapid.T){
					"":         p.check,
					"open":     p.open,
					"write":    p.write,
					"write2":   p.write,
					"read":     p.read,
					"read2":    p.read,
					"publish":  p.publish,
					"exchange": p.exchange,
					"adopt":    p.adopt,
					"resize":   p.resize,
					"atomic":   p.atomic,
					"close":    p.close,
				})
			})
		})
	}
}

// If this fails, a long log answers reads with the wrong one of several writes
// to a byte, which no short program would show.
func TestLongLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &program{im: image.NewImage(image.NewMemory(image.Poison)), ref: newRefFile()}
		p.open(t)
		for range rapid.IntRange(10, 100).Draw(t, "writes") {
			p.write(t)
			if p.count%8 == 7 {
				p.read(t)
			}
		}
		for range 5 {
			p.read(t)
		}
	})
}

// If this fails, a handle remembers old versions for ever and a long run of
// syncs fills memory.
func TestOldVersionsAreFreed(t *testing.T) {
	for name, backing := range backings {
		t.Run(name, func(t *testing.T) {
			im := image.NewImage(backing())
			a, b := im.Open(), im.Open()
			for i := range 20 {
				for _, h := range []*image.Handle{a, b} {
					assert.NoError(t, h.Write(bytesAt(0), 0, make([]byte, 200_000)))
					assert.NoError(t, h.Publish())
				}
				assert.Equal(t, i > 0, im.Remembered() > 0, "b saw the file as it was, while a has overwritten it")
				a.Adopt()
				b.Adopt()
				assert.Zero(t, im.Remembered())
				assert.Zero(t, a.Records()+b.Records())
			}
		})
	}
}

// bytesAt is the view of bytes from disp on.
func bytesAt(disp int64) types.Tiling {
	l, err := types.Byte.Layout(types.Host)
	if err != nil {
		panic(fmt.Sprint("bytes have a layout: ", err))
	}
	return types.Tiling{L: l, Disp: disp}
}
