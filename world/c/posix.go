//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include "frame.h"
*/
import "C"

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/commworld/commworld/errclass"
)

// fileUses records which files ranks open through MPI and change by POSIX or stdio, and which
// of these calls get in each other's way.
type fileUses struct {
	mu      sync.Mutex
	started map[int]bool // ranks of this run
	paths   map[string]*pathUse
	writers map[int]*change // open for writing by POSIX, by [rank.descriptor]
	found   []*PosixCall
	full    bool // calls were not recorded, because they were too many
}

// mostPaths bounds for how many files calls of the past are recorded. What ranks have open is
// recorded in any case.
const mostPaths = 1 << 16

// A pathUse is what ranks did to the file of a path.
type pathUse struct {
	spans   []*openSpan       // open through MPI, or being opened
	closed  map[int]*openSpan // the last one of each rank that it has closed
	wrote   map[int]*openSpan // the last one of each rank that wrote and that it has closed
	changes map[int]*change   // the last one of each rank, by POSIX
}

// A moment is an event of a rank whose order to events of other ranks is asked for.
type moment struct {
	rank     int
	time     uint64 // 0 if the order is not known
	function string
	place    errclass.Place
}

// An openSpan is the time during which a rank has a file open through MPI.
type openSpan struct {
	path, name     string
	rank           int
	shared         bool // other ranks take part in the open
	done           bool // the open has returned
	opened, closed moment
	writes         atomic.Pointer[written] // the last ones, nil before the first
}

// A written is what a rank wrote through MPI since it opened the file or synced it last.
type written struct {
	first  moment
	synced *moment // the sync that brought it to the file; nil: none yet
}

// A change is a call of POSIX that opens a file for writing, until its close, or sets its size.
type change struct {
	moment
	path string
	link string  // to what is open, in /proc
	end  *moment // nil: not closed
}

// now returns the moment of a call that the rank makes.
func (r *rank) now(function string, place errclass.Place) moment {
	return moment{rank: r.world.Rank(), time: r.thread.Tick(), function: function, place: place}
}

// after reports whether everything that the rank does from now on is ordered after m: by
// messages and collectives of communicators, for calls on files order nothing.
func (r *rank) after(m moment) bool {
	return m.rank == r.world.Rank() || m.time == 0 || r.thread.Clock().Covers(m.rank, m.time)
}

// join records that a rank begins. One that has begun before is that of a new run.
func (u *fileUses) join(rank int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.started[rank] || u.started == nil {
		u.started, u.paths, u.writers = map[int]bool{}, map[string]*pathUse{}, map[int]*change{}
	}
	u.started[rank] = true
}

// of returns what is known of a path.
func (u *fileUses) of(path string) *pathUse {
	p := u.paths[path]
	if p == nil {
		p = &pathUse{closed: map[int]*openSpan{}, wrote: map[int]*openSpan{}, changes: map[int]*change{}}
		u.paths[path] = p
	}
	return p
}

// room reports whether calls of the past may be recorded for one more path, or for one that
// has some.
func (u *fileUses) room(path string) bool {
	if p := u.paths[path]; len(u.paths) < mostPaths || p != nil && len(p.closed)+len(p.changes) > 0 {
		return true
	}
	u.full = true
	return false
}

// forget gives up what is known of a path if that is nothing.
func (u *fileUses) forget(path string) {
	if p := u.paths[path]; p != nil && len(p.spans)+len(p.closed)+len(p.wrote)+len(p.changes) == 0 {
		delete(u.paths, path)
	}
}

// opening records that the rank is about to open a file through MPI.
func (r *rank) opening(dir, base string, shared bool) *openSpan {
	r.watchFiles()
	path := filepath.Join(dir, base)
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		if full, err := filepath.EvalSymlinks(path); err == nil {
			path = full
		}
	}
	s := &openSpan{path: path, name: base, rank: r.world.Rank(), shared: shared}
	u := &r.program.uses
	u.mu.Lock()
	defer u.mu.Unlock()
	p := u.of(path)
	p.spans = append(p.spans, s)
	return s
}

// opened records how the open of a span has ended, and compares the span with what
// ranks have done by POSIX before.
func (r *rank) opened(s *openSpan, err error) {
	u := &r.program.uses
	u.mu.Lock()
	defer u.mu.Unlock()
	p := u.of(s.path)
	if err != nil {
		p.remove(s)
		u.forget(s.path)
		return
	}
	s.done, s.opened = true, r.now("MPI_File_open", *r.lastPlace)
	for _, c := range byRank(p.changes) {
		c.check()
		switch {
		case c.end != nil && r.after(*c.end):
		case r.after(c.moment):
			u.add(c.moment, untilOpen, false, s.name, s.opened)
		default:
			u.add(c.moment, beforeOpen, !s.shared || !p.shares(c.rank), s.name, s.opened)
		}
	}
}

// check corrects what is known of a descriptor that was closed in a way that is not seen.
func (c *change) check() {
	if c.end != nil {
		return
	}
	if now, err := os.Readlink(c.link); err != nil || now != c.path {
		c.end = &c.moment
	}
}

// openFor reports whether a file is open through MPI when a rank calls POSIX. A close that has
// begun together with ranks that have it open ends when they close it.
func (p *pathUse) openFor(s *openSpan, rank int) bool {
	return s.done && (s.closed.function == "" || s.shared && slices.ContainsFunc(p.spans, func(t *openSpan) bool {
		return t.rank == rank && t.shared && t.done && t.closed.function == ""
	}))
}

// shares reports whether a rank takes part in opening the file with others.
func (p *pathUse) shares(rank int) bool {
	for _, s := range p.spans {
		if s.rank == rank && s.shared {
			return true
		}
	}
	return false
}

func (p *pathUse) remove(s *openSpan) {
	p.spans = slices.DeleteFunc(p.spans, func(t *openSpan) bool { return s == t })
}

// closing records that the rank begins to close a file of MPI.
func (r *rank) closing(s *openSpan) {
	u := &r.program.uses
	u.mu.Lock()
	defer u.mu.Unlock()
	s.closed = r.now("MPI_File_close", *r.lastPlace)
}

// closed records how the close has ended.
func (r *rank) closed(s *openSpan, err error) {
	u := &r.program.uses
	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil {
		s.closed = moment{}
		return
	}
	p := u.of(s.path)
	p.remove(s)
	if u.room(s.path) {
		p.closed[s.rank] = s
		if s.writes.Load() != nil {
			p.wrote[s.rank] = s
		}
	}
	u.forget(s.path)
}

// wrote records that the rank writes through MPI.
func (r *rank) wrote(s *openSpan, function string) {
	if w := s.writes.Load(); w == nil || w.synced != nil {
		s.writes.Store(&written{first: moment{rank: s.rank, function: function, place: *r.lastPlace}})
	}
}

// syncs records that a sync has succeeded.
func (r *rank) syncs(s *openSpan) {
	if w := s.writes.Load(); w != nil && w.synced == nil {
		now := r.now("MPI_File_sync", *r.lastPlace)
		s.writes.Store(&written{w.first, &now})
	}
}

// gone records that a file is no longer there: what was done to it before is of no interest.
func (u *fileUses) gone(path string) {
	if p := u.paths[path]; p != nil {
		clear(p.closed)
		clear(p.wrote)
		clear(p.changes)
		u.forget(path)
	}
}

// deleted records that MPI has deleted a file.
func (u *fileUses) deleted(path string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.gone(path)
}

func (u *fileUses) overflowed() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.full
}

// posixCalls takes the calls of POSIX and stdio since the last call of MPI.
func (r *rank) posixCalls() {
	first := r.owner.file_calls
	lost := r.owner.lost_file_calls != 0
	r.owner.file_calls, r.owner.last_file_call, r.owner.kept_file_calls, r.owner.lost_file_calls = nil, nil, 0, 0
	defer C.commworld_free_file_calls(first)
	u := &r.program.uses
	u.mu.Lock()
	defer u.mu.Unlock()
	u.full = u.full || lost
	for c := first; c != nil; c = c.next {
		m := r.now(C.GoString(c.function), *r.chain(c.lines))
		switch path := C.GoString(c.path); c.kind {
		case C.FILE_CLOSE:
			if w := u.writers[r.descriptor(int(c.fd))]; w != nil {
				w.end = &m
				delete(u.writers, r.descriptor(int(c.fd)))
			}
		case C.FILE_READ:
			r.reads(u, path, m)
		case C.FILE_REMOVE, C.FILE_RENAME:
			if p := u.paths[path]; p != nil {
				for _, s := range p.spans {
					if p.openFor(s, m.rank) {
						u.add(m, unnamed, false, s.name, s.opened)
					}
				}
				u.gone(path)
			}
		default:
			r.changes(u, path, int(c.fd), m)
		}
	}
}

// reads compares the opening of a file for reading with what ranks have written through MPI.
func (r *rank) reads(u *fileUses, path string, m moment) {
	p := u.paths[path]
	if p == nil {
		return
	}
	for _, s := range slices.Concat(p.spans, byRank(p.wrote)) {
		w := s.writes.Load()
		closed := s.closed.function != "" && r.after(s.closed)
		if w != nil && !closed && (w.synced == nil || !r.after(*w.synced)) {
			u.add(m, unsynced, false, s.name, w.first)
		}
	}
}

// changes compares a call of POSIX that may write a file with its spans, and records it.
func (r *rank) changes(u *fileUses, path string, fd int, m moment) {
	if p := u.paths[path]; p != nil {
		for _, s := range p.spans {
			if p.openFor(s, m.rank) {
				u.add(m, whileOpen, true, s.name, s.opened)
			}
		}
		mine := p.closed[m.rank]
		for _, s := range slices.Concat(p.spans, byRank(p.closed)) {
			if s.closed.function != "" && !p.openFor(s, m.rank) && !r.after(s.closed) {
				u.add(m, afterClose, mine == nil || !mine.shared || !s.shared, s.name, s.closed)
			}
		}
	}
	if !u.room(path) {
		return
	}
	c := &change{moment: m, path: path, link: r.link(fd)}
	if fd >= 0 {
		u.writers[r.descriptor(fd)] = c
	} else {
		c.end = &c.moment
	}
	u.of(path).changes[m.rank] = c
}

// byRank returns the values of a map in the order of ranks.
func byRank[T any](m map[int]T) (all []T) {
	for _, rank := range slices.Sorted(maps.Keys(m)) {
		all = append(all, m[rank])
	}
	return all
}

// add records that a call of POSIX and one of MPI get in each other's way.
func (u *fileUses) add(m moment, how meeting, wrong bool, file string, other moment) {
	u.found = addPosix(u.found, &PosixCall{
		Ranks: []int{m.rank}, Function: m.function, Place: m.place, File: file, Wrong: wrong,
		Others: []int{other.rank}, Other: other.function, At: other.place, how: how,
	})
}

// PosixCalls returns the calls of POSIX and stdio in the runs so far that get in the way of
// what ranks do to the same file through MPI.
func (p *Program) PosixCalls() []*PosixCall {
	p.uses.mu.Lock()
	defer p.uses.mu.Unlock()
	return append([]*PosixCall(nil), p.uses.found...)
}
