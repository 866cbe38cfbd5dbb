package image

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/sched"
)

// A stage holds published bytes on their way to a backing without pages. Ranks publish one
// after the other, and often each rank publishes every fourth or hundredth piece of a file:
// the backing would get a call for each piece. So published bytes wait in the stage until
// the image is synced, and neighbouring bytes, even of different ranks, are then written
// with one call. Only published bytes are written, never the bytes between; but a plan's
// request is written as a whole, with the bytes of the file in its gaps, if no other program
// can have changed them (gapFiller) and no other request overlaps it.
//
// Staged bytes are part of the image: every read sees them. Bytes that go directly
// to the backing replace older staged bytes of theirs.
type stage struct {
	used atomic.Bool // there are staged bytes

	mu       sched.Mutex // a leaf; page locks are taken before
	log      privateLog
	chunks   [][]byte   // memory that only the log uses
	requests [][2]int64 // ranges that a plan writes with one call each
}

const (
	// widestWrite is the most bytes that one call writes, unless a plan has a longer
	// request.
	widestWrite = 16 << 20
	// wideRun is the length from which runs are not staged: waiting for neighbours
	// would save nothing.
	wideRun = 4 << 20
	// longestRequest bounds the memory in which the bytes of one call are put together.
	longestRequest = 1 << 30
)

// mostPieces bounds the pieces of which one call is put together.
var mostPieces = 1 << 22

// A piecesWriter is a backing that remembers each write. WritePieces is WriteAt of p, which
// consists of the given pieces.
type piecesWriter interface {
	WritePieces(p []byte, off int64, pieces []Piece) (int, error)
}

// A gapFiller is a backing that may say that no other program changes its bytes, and that
// bytes between its end and a later write are 0. So bytes may be written back as they are.
type gapFiller interface{ FillsGaps() bool }

// stages reports whether p brings n adjacent bytes to the stage.
func (p *publication) stages(n int64) bool {
	if !p.stage || p.im.stage == nil || p.via() != nil {
		return false
	}
	s := p.im.stage
	if n < wideRun {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests) > 0
}

// putStage brings r to the stage.
func (p *publication) putStage(r record) {
	s := p.im.stage
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.gives {
		s.log.accept(r)
		p.staged = true
	} else {
		s.log.add(&r, false)
	}
	s.used.Store(true)
	p.placed += int64(len(r.data))
	p.end = max(p.end, r.hi)
}

// cover updates staged bytes from offset off on to new bytes that the backing already has.
func (s *stage) cover(off int64, b []byte) {
	if s == nil || !s.used.Load() || len(b) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if hi := off + int64(len(b)); len(s.log.over(off, hi)) > 0 {
		s.log.copied(&record{at: extent.Flat(), from: off, data: b, lo: off, hi: hi})
	}
}

// overlay copies staged bytes over mem, which holds file bytes from lo on.
func (s *stage) overlay(mem []byte, lo int64) {
	if s == nil || !s.used.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.log.over(lo, lo+int64(len(mem))) {
		s.log.overlay(h, mem, lo)
	}
}

// keepChunks gives the stage memory that its records use.
func (s *stage) keepChunks(chunks [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chunks = append(s.chunks, chunks...)
}

// accept appends r, whose memory belongs to the log from here on.
func (l *privateLog) accept(r record) {
	if last := l.last(); last != nil && last.at == r.at && last.end() == r.from {
		if n, k := len(last.data), len(r.data); cap(last.data) >= n+k && &last.data[:n+1][n] == &r.data[0] {
			last.data, last.hi = last.data[:n+k], r.hi
			return
		}
	}
	l.append(&r)
}

// Request records that a plan writes n bytes from offset off on with one call. When these
// bytes go to the backing, no call crosses either end of the range, and one call writes all
// of them if the backing is a gapFiller and no other request overlaps this one.
func (im *Image) Request(off, n int64) {
	s := im.stage
	if s == nil || n <= 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, [2]int64{off, off + n})
}

// Drain writes published bytes to the backing that are not there yet. It does not sync it.
// Errors: those of the backing; a later call then writes all of them again.
func (im *Image) Drain() error { return failed("Drain", im.drain()) }

func (im *Image) drain() error {
	switch s := im.stage; {
	case s == nil:
		return nil
	case !s.used.Load():
		s.forgetRequests()
		return nil
	}
	im.lock(^lockSet(0))
	defer im.unlock(^lockSet(0)) // unlocks even if the backing ends the goroutine
	return im.drainLocked()
}

// forgetRequests drops the requests of plans whose bytes did not reach the stage.
func (s *stage) forgetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// drainLocked does the work of drain for a caller that holds the locks of all pages.
func (im *Image) drainLocked() error {
	s := im.stage
	if s == nil || !s.used.Load() {
		return nil
	}
	f, ok := im.backing.(gapFiller)
	d := s.sweep(ok && f.FillsGaps(), im.Size())
	for d.next() {
		if err := d.write(im.backing); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.chunks {
		giveBuffer(c)
	}
	s.log.arena.reset()
	s.log = privateLog{}
	s.chunks, s.requests = nil, nil
	s.used.Store(false)
	return nil
}

// A sweep goes through the staged records by ascending offset, in windows, and writes each
// window by itself. No rank can stage bytes meanwhile.
type sweep struct {
	recs    []*record // by their first byte
	seqs    []int     // the number of each in the order of writing
	open    []int     // indices of the records that have begun and not ended
	begun   int
	borders []int64    // offsets at which plans' requests begin or end, ascending
	alone   [][2]int64 // requests to be written with one call each, by offset
	size    int64      // of the file, with all staged bytes
	width   int64
	lo, hi  int64 // the window
	whole   bool  // the window is one of alone
	pieces  []Piece
	room    []byte
}

// A Piece is adjacent bytes of one write.
type Piece struct {
	Off  int64
	Data []byte
	seq  int // number of the write in the order of writing
}

func (s *stage) sweep(fills bool, size int64) *sweep {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &sweep{width: widestWrite, size: size}
	for i := range s.log.recs.n {
		d.seqs = append(d.seqs, i)
	}
	slices.SortFunc(d.seqs, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.log.recs.at(a).lo, s.log.recs.at(b).lo), a-b)
	})
	for _, i := range d.seqs {
		d.recs = append(d.recs, s.log.recs.at(i))
		d.size = max(d.size, s.log.recs.at(i).hi)
	}
	s.requests = sorted(s.requests)
	reach := int64(0) // the end of the requests before
	for i, r := range s.requests {
		d.borders = append(d.borders, r[0], r[1])
		d.width = max(d.width, min(r[1]-r[0], longestRequest))
		overlaps := r[0] < reach || i+1 < len(s.requests) && s.requests[i+1][0] < r[1]
		if fills && !overlaps && r[1]-r[0] <= longestRequest {
			d.alone = append(d.alone, r)
		}
		reach = max(reach, r[1])
	}
	slices.Sort(d.borders)
	d.borders = slices.Compact(d.borders)
	return d
}

// sorted returns each request once, by its begin and end.
func sorted(requests [][2]int64) (all [][2]int64) {
	order := make([]int, len(requests))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(requests[a][0], requests[b][0]), cmp.Compare(requests[a][1], requests[b][1]))
	})
	for i, k := range order {
		if i == 0 || requests[k] != all[len(all)-1] {
			all = append(all, requests[k])
		}
	}
	return all
}

// next goes to the next window with staged bytes, and returns false after the last.
func (d *sweep) next() bool {
	d.open = slices.DeleteFunc(d.open, func(i int) bool { return d.recs[i].hi <= d.hi })
	switch {
	case len(d.open) > 0:
		d.lo = d.hi
	case d.begun < len(d.recs):
		d.lo = max(d.hi, d.recs[d.begun].lo)
	default:
		return false
	}
	i, on := slices.BinarySearch(d.borders, d.lo)
	if on {
		i++
	}
	done := d.hi
	d.hi = d.lo + d.width
	if i < len(d.borders) {
		d.hi = min(d.hi, d.borders[i])
	}
	for len(d.alone) > 0 && d.alone[0][1] <= d.lo {
		d.alone = d.alone[1:]
	}
	if d.whole = len(d.alone) > 0 && done <= d.alone[0][0] && d.alone[0][0] <= d.lo; d.whole {
		d.lo, d.hi = d.alone[0][0], min(d.alone[0][1], d.size)
	}
	for ; d.begun < len(d.recs) && d.recs[d.begun].lo < d.hi; d.begun++ {
		d.open = append(d.open, d.begun)
	}
	for !d.collect() {
		d.hi = d.lo + (d.hi-d.lo)/2
	}
	for d.begun > 0 && d.recs[d.begun-1].lo >= d.hi { // the window is narrower now
		d.begun--
		d.open = slices.DeleteFunc(d.open, func(i int) bool { return i == d.begun })
	}
	return true
}

// collect sets the pieces in the window, in the order of their offsets. It returns false if
// they are too many.
func (d *sweep) collect() bool {
	d.pieces = d.pieces[:0]
	for _, i := range d.open {
		r := d.recs[i]
		from, to := r.within(d.lo, d.hi)
		for off, n := range r.at.Runs(from, to-from) {
			if len(d.pieces) >= mostPieces && d.hi-d.lo > 1 {
				return false
			}
			d.pieces = append(d.pieces, Piece{off, r.data[from-r.from : from-r.from+n], d.seqs[i]})
			from += n
		}
	}
	slices.SortFunc(d.pieces, func(a, b Piece) int {
		return cmp.Or(cmp.Compare(a.Off, b.Off), a.seq-b.seq)
	})
	return true
}

// write writes the bytes of the window: one call for each run of them, or for all of a
// request.
func (d *sweep) write(to Backing) error {
	for i := 0; i < len(d.pieces); {
		lo, hi, apart := d.pieces[i].Off, d.pieces[i].Off, true
		k := i
		for ; k < len(d.pieces) && d.pieces[k].Off <= hi; k++ {
			apart = apart && d.pieces[k].Off == hi
			hi = max(hi, d.pieces[k].Off+int64(len(d.pieces[k].Data)))
		}
		gaps := d.whole && (lo > d.lo || hi < d.hi)
		if gaps {
			lo, hi, k, apart = d.lo, d.hi, len(d.pieces), false
		}
		data := d.pieces[i].Data
		if group := d.pieces[i:k]; len(group) > 1 || gaps {
			if !apart { // the last write is on top
				slices.SortFunc(group, func(a, b Piece) int { return a.seq - b.seq })
			}
			if int64(cap(d.room)) < hi-lo {
				d.room = make([]byte, min(max(2*int64(cap(d.room)), hi-lo), max(d.width, hi-lo)))
			}
			data = d.room[:hi-lo]
			if gaps {
				if _, err := readFull(to, data, lo, 0); err != nil {
					return err
				}
			}
			for _, p := range group {
				copy(data[p.Off-lo:], p.Data)
			}
		}
		if _, err := writeFull(&inPieces{to, d.pieces[i:k]}, data, lo); err != nil {
			return err
		}
		i = k
	}
	return nil
}

// An inPieces is a backing whose next write consists of pieces.
type inPieces struct {
	Backing
	pieces []Piece
}

func (b *inPieces) WriteAt(p []byte, off int64) (int, error) {
	w, ok := b.Backing.(piecesWriter)
	if !ok || b.pieces == nil {
		return b.Backing.WriteAt(p, off)
	}
	pieces := b.pieces
	b.pieces = nil // the rest of a short write is one piece
	return w.WritePieces(p, off, pieces)
}
