package iofile

import "github.com/commworld/commworld/internal/trace"

// told tells the log that the call of an access returns which began at m.
func (f *File) told(a *access, m trace.Mark) {
	if f.log.Keeps() {
		f.toldCall(a.op, m, int64(a.off), a.moved)
	}
}

// returns tells the log of a call without data, at its end.
func (f *File) returns(op string, m trace.Mark) {
	if op == "Sync" {
		f.log.CountSync(f.name)
	}
	if f.log.Keeps() {
		f.toldCall(op, m, trace.None, 0)
	}
}

// opened tells the log that Open returns.
func (f *File) opened(m trace.Mark) {
	f.log.CountOpen(f.name)
	f.returns("Open", m)
}

func (f *File) toldCall(op string, m trace.Mark, off, bytes int64) {
	e := trace.Plain("file", op, f.name)
	e.Offset, e.Bytes = off, bytes
	if f.thread.Sched().Cause() != nil {
		e.Failed = trace.Ended
	}
	f.log.End(m, e)
}
