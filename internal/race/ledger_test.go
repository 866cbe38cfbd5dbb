package race

import (
	"fmt"
	"testing"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// If this fails, a user who looks for the writer of a wrong byte is sent to another line: the
// ledger joined two writes, or overlaid them in another order than the file. The definition
// keeps each write apart and looks at each byte.
func TestLedgerEqualsDefinition(t *testing.T) {
	const end = 100
	type write struct {
		handle, line int
		bytes        map[int64]bool
		synced       bool
	}
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SampledFrom([]int64{0, 10, 40}).Draw(t, "before")
		l := NewLedger(before)
		var file, late []*write    // in the file in this order; not yet there
		cuts := map[*write]int64{} // entries of file that are cuts
		handle := func() int { return rapid.IntRange(0, 2).Draw(t, "handle") }
		publish := func(h int, sync bool, without []extent.Run) {
			for _, w := range file {
				if w.handle == h && !w.synced {
					w.synced = sync
				}
			}
			var rest []*write
			for _, w := range late {
				if w.handle != h {
					rest = append(rest, w)
					continue
				}
				for _, r := range without {
					for off := r.Off; off < r.Off+r.Len; off++ {
						delete(w.bytes, off)
					}
				}
				w.synced = sync
				file = append(file, w)
			}
			late = rest
		}
		kept := func() []extent.Run {
			if rapid.Bool().Draw(t, "kept") {
				return nil
			}
			return []extent.Run{{Off: rapid.Int64Range(0, 60).Draw(t, "from"), Len: rapid.Int64Range(1, 5).Draw(t, "n")}}
		}
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				h, line, now := handle(), rapid.IntRange(1, 2).Draw(t, "line"), rapid.IntRange(0, 5).Draw(t, "now") == 0
				p := rapid.SampledFrom(raceFiletypes).Draw(t, "pattern")
				tile := tileOf(p.Block, max(p.Stride, p.Block), rapid.Int64Range(0, 60).Draw(t, "lo"))
				from := int64(0)
				for range rapid.IntRange(1, 3).Draw(t, "calls") { // each goes on where the last one ended
					bytes := types.Part{At: tile, From: from, N: rapid.Int64Range(1, 4).Draw(t, "bytes")}
					from += bytes.N
					w := &write{handle: h, line: line, bytes: map[int64]bool{}}
					for _, q := range extent.Patterns(&bytes, nil) {
						for off := range offsetsOf(&q) {
							w.bytes[off] = true
						}
					}
					l.Write(h, h, &Access{Op: "WriteAt", Bytes: bytes, Line: sched.Place{File: "f", Line: line}}, "byte", "native", now)
					if now {
						file = append(file, w)
					} else {
						late = append(late, w)
					}
				}
			},
			"publish": func(t *rapid.T) {
				h, k := handle(), kept()
				l.Publish(h, k...)
				publish(h, false, k)
			},
			"sync": func(t *rapid.T) {
				h, k := handle(), kept()
				l.Sync(h, k...)
				publish(h, true, k)
			},
			"lose": func(t *rapid.T) {
				h := handle()
				l.Lose(h)
				var rest []*write
				for _, w := range late {
					if w.handle != h {
						rest = append(rest, w)
					}
				}
				late = rest
			},
			"resize": func(t *rapid.T) {
				size, not := rapid.Int64Range(0, 80).Draw(t, "size"), handle()
				l.Resize(size, func(h any) bool { return h != not })
				for _, w := range late {
					for off := range w.bytes {
						if w.handle != not && off >= size {
							delete(w.bytes, off)
						}
					}
				}
				cut := &write{handle: -1}
				cuts[cut] = size
				file = append(file, cut)
			},
			"": func(t *rapid.T) {
				var want, got [end]string
				for off := range want {
					want[off] = "hole"
					if int64(off) < before {
						want[off] = "before"
					}
				}
				for _, w := range append(file[:len(file):len(file)], late...) {
					size, isCut := cuts[w]
					for off := range want {
						if isCut && int64(off) >= size {
							want[off] = "hole"
						} else if w.bytes[int64(off)] {
							want[off] = fmt.Sprint(w.handle, w.line, w.synced)
						}
					}
				}
				all, err := l.Origins(0, end)
				assert.NoError(t, err)
				at := int64(0)
				for _, o := range all {
					assert.Equal(t, at, o.Lo)
					for ; at < o.Hi; at++ {
						switch o.From {
						case consistency.FromHole:
							got[at] = "hole"
						case consistency.FromBefore:
							got[at] = "before"
						default:
							got[at] = fmt.Sprint(o.Rank, o.Place.Line, o.Synced)
						}
					}
				}
				assert.Equal(t, want, got)
			},
		})
	})
}

// IO-SIZE-06: a write that was under way when the file was cut is behind the new end afterwards: its bytes are
// no hole, and overlay what was written meanwhile.
func TestLedgerOfMovedWrites(t *testing.T) {
	l := NewLedger(4)
	access := func(off int64) *Access { return &Access{Op: "IWriteAt", Bytes: extent.Between(off, off+2)} }
	e := l.Write(1, 0, access(4), "byte", "native", true)
	l.Resize(2, func(any) bool { return false })
	l.Write(2, 1, access(5), "byte", "native", true)
	l.Moved(e)
	found, err := l.Origins(0, 7)
	require.NoError(t, err)
	var ranks []int
	for _, o := range found {
		switch o.From {
		case consistency.FromWrite:
			ranks = append(ranks, o.Rank)
		case consistency.FromHole:
			ranks = append(ranks, -1)
		default:
			ranks = append(ranks, -2)
		}
	}
	assert.Equal(t, []int{-2, -1, 0, 1}, ranks)
}
