package iofile

// A poll is reads of the same bytes in a row.
type poll struct {
	view   *view
	off    Offset
	etypes int64
	others int64 // calls of the rank besides reads, until the first of them
	times  int
}

// mostPolls is how often a careful world lets a rank read the same bytes when nothing
// that the rank did meanwhile can have changed what it sees.
const mostPolls = 1 << 17

// polled reports a rank that reads the same bytes again and again and waits for
// another value. Without a sync of its own it sees none (CONS-C2).
func (f *File) polled(a *access) error {
	p := &f.poll
	if a.write || a.with == all || f.atomic || f.strong {
		p.times = 0
		return nil
	}
	if others := f.log.Others(); p.view != f.view || p.off != a.off || p.etypes != a.etypes || p.others != others {
		*p = poll{f.view, a.off, a.etypes, others, 0}
	}
	if p.times++; p.times < mostPolls {
		return nil
	}
	lo, hi := f.view.tiles.Span(f.view.packed(a.off), max(a.moved, 1))
	return broken(ErrOther, "CONS-C2", "the rank has read %s %d times in a row and waits for another value, which it never sees: what other ranks write shows only after "+
		"a Sync of the writer, then a Barrier or a message, then a Sync of this rank; receive a message instead of reading in a loop", bytesText(lo, hi), p.times)
}
