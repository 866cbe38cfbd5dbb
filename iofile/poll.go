package iofile

import "github.com/commworld/commworld/internal/journal"

// A poll is a series of reads of the same bytes.
type poll struct {
	view   *fileView
	off    Offset
	asked  int64 // bytes
	others int64 // calls of the rank other than reads, up to the first read
	times  int
}

// mostPolls is how often a careful world lets a rank read the same bytes while no call of
// the rank can have changed what it sees.
const mostPolls = 1 << 17

// polls is the listener that finds ranks of careful worlds which read the same bytes again
// and again to wait for another value. Without its own sync such a rank sees no new value
// (CONS-C2).
type polls struct{}

func (polls) Wants(handle any) journal.Kind {
	if !handle.(*File).log.Careful() {
		return 0
	}
	return journal.Moved
}

func (polls) Record(e *journal.Event) {
	f := e.Handle.(*File)
	p := &f.poll
	if e.Write || e.All || f.atomic || f.strongModel {
		p.times = 0
		return
	}
	if others := f.log.Others(); p.view != f.view || p.off != Offset(e.Offset) || p.asked != e.Asked || p.others != others {
		*p = poll{f.view, Offset(e.Offset), e.Asked, others, 0}
	}
	if p.times++; p.times < mostPolls {
		return
	}
	lo, hi := e.Bytes.At.Span(e.Bytes.From, max(e.Moved, 1))
	e.Err = broken(ErrOther, "CONS-C2", "the rank has read %s %d times in a row and waits for another value, which it never sees: what other ranks write shows only after "+
		"a Sync of the writer, then a Barrier or a message, then a Sync of this rank; receive a message instead of reading in a loop", bytesText(lo, hi), p.times)
}
