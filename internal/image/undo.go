package image

import (
	"sync/atomic"

	"github.com/commworld/commworld/internal/extent"
)

// An undo holds the bytes of one page that one publication overwrote with a record.
type undo struct {
	pub *publication
	old record
}

// poisons holds a page for each poison byte in use.
var poisons [256]atomic.Pointer[[PageSize]byte]

// poisonPage returns a page of poison. It must not be written.
func poisonPage(b byte) []byte {
	p := poisons[b].Load()
	if p == nil {
		p = new([PageSize]byte)
		fill(p[:], b)
		poisons[b].Store(p)
	}
	return p[:]
}

// remember keeps the bytes that r, which is in one page, will overwrite: old is packed like
// r. Called with the page's lock held.
func (p *publication) remember(page int64, r record, old []byte) {
	r.data = old
	s := p.im.stripe(page)
	if s.undo == nil {
		s.undo = make(map[int64][]undo)
	}
	s.undo[page] = append(s.undo[page], undo{p, r})
	p.pages = append(p.pages, page)
}

// rememberRun does the work of remember for adjacent bytes from lo on, in any number of
// pages.
func (p *publication) rememberRun(lo int64, old []byte) {
	for len(old) > 0 {
		hi := min(lo+int64(len(old)), lo&^(PageSize-1)+PageSize)
		p.remember(lo>>pageShift, record{at: extent.Flat(), from: lo, lo: lo, hi: hi}, old[:hi-lo])
		old, lo = old[hi-lo:], hi
	}
}

// rememberFile does the work of rememberRun for bytes [lo, hi) of a backing without pages.
func (p *publication) rememberFile(lo, hi int64) error {
	old := p.undoBuffer(hi-lo, hi-lo)
	if _, err := readFull(p.im.backing, old, lo, p.im.poison[0]); err != nil {
		return err
	}
	p.im.stage.overlay(old, lo)
	p.rememberRun(lo, old)
	return nil
}

// undoBuffer returns n bytes of memory for kept bytes; more is what the caller will need soon.
func (p *publication) undoBuffer(n, more int64) []byte {
	if int64(cap(p.room)-len(p.room)) < n {
		p.room = takeBuffer(int(max(n, min(more, largest))))
		p.rooms = append(p.rooms, p.room)
	}
	at := len(p.room)
	p.room = p.room[:at+int(n)]
	return p.room[at : at+int(n) : at+int(n)]
}

// rewind restores mem, the bytes of a page from offset lo on, to their state in version
// asOf. Called with the page's lock held.
func (s *stripe) rewind(page int64, mem []byte, lo, asOf int64) {
	list := s.undo[page]
	for i := len(list) - 1; i >= 0; i-- {
		if u := &list[i]; u.pub.version.Load() > asOf {
			u.old.overlay(mem, lo)
		}
	}
}

// changed reports whether bytes [lo, hi) of a page differ from those of version asOf.
// Called with the page's lock held.
func (s *stripe) changed(page, lo, hi, asOf int64) bool {
	if s.undo == nil {
		return false
	}
	for _, u := range s.undo[page] {
		if u.pub.version.Load() > asOf && u.old.lo < hi && lo < u.old.hi {
			return true
		}
	}
	return false
}

// withdraw drops what the page keeps for p.
func (s *stripe) withdraw(page int64, p *publication) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(page, func(u *undo) bool { return u.pub == p })
}

// forget drops what the page keeps for versions up to newest.
func (s *stripe) forget(page, newest int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(page, func(u *undo) bool { return u.pub.version.Load() <= newest })
}

func (s *stripe) drop(page int64, gone func(*undo) bool) {
	list, kept := s.undo[page], 0
	for i := range list {
		if !gone(&list[i]) {
			list[kept] = list[i]
			kept++
		}
	}
	clear(list[kept:])
	if kept == 0 {
		delete(s.undo, page)
		return
	}
	s.undo[page] = list[:kept]
}
