package iofile

import (
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
)

// logEnd records the end of the access that began at m.
func (f *File) logEnd(a *access, m trace.Mark) {
	if f.log.Keeps() {
		f.logCall(a.op, m, int64(a.off), a.moved)
	}
}

// keepCopies records an access through several copies of a derived type.
//
//go:noinline
func (f *File) keepCopies(a *access) {
	if n := a.buf.Count(); n > 1 && tiledByHand(a.buf.Type()) {
		f.log.KeepCopies(trace.Copies{Place: f.thread.Place(), Type: a.buf.Type().Brief(), Count: n})
	}
}

// countGathered counts a write whose data have gaps in memory.
//
//go:noinline
func (f *File) countGathered(a *access) {
	if _, whole := a.buf.Contiguous(f.c.Arch()); a.write && !whole {
		f.log.CountGathered(f.name, a.buf.Packed(f.c.Arch()))
	}
}

// tiledByHand reports whether copies of a type begin where the last block of the copy before
// ends, which is seldom where the program wants the next copy.
func tiledByHand(t *types.Type) bool {
	switch t.Envelope().Combiner {
	case types.CombinerVector, types.CombinerHVector, types.CombinerIndexed, types.CombinerHIndexed, types.CombinerIndexedBlock, types.CombinerHIndexedBlock:
		return true
	}
	return false
}

// returns logs a call without data, at its end.
func (f *File) returns(op string, m trace.Mark) {
	if op == "Sync" {
		f.log.CountSync(f.name)
	}
	if f.log.Keeps() {
		f.logCall(op, m, trace.None, 0)
	}
}

// opened logs the end of Open.
func (f *File) opened(m trace.Mark) {
	f.log.CountOpen(f.name)
	if f.log.KeepsFiles() {
		f.log.KeepFile(trace.KeptFile{Name: f.name, Open: f.fsys.opens(f.name), Writes: f.fsys.writers(f.name), Hints: f.givenHints})
	}
	f.returns("Open", m)
}

// givenHints returns the known hints that the program gave, by key.
func (f *File) givenHints() map[string]string { return maps.Collect(f.hints.All()) }

// writers returns a function that says who wrote the first bytes of a file.
func (s *FS) writers(name string) func(bytes int64, limit int) []trace.KeptWrite {
	return func(bytes int64, limit int) (all []trace.KeptWrite) {
		if s.lock() != nil {
			return nil
		}
		l := s.whos[name]
		s.mu.Unlock()
		if l == nil {
			return nil
		}
		origins, err := l.Origins(0, bytes)
		if err != nil {
			return nil
		}
		for _, o := range origins {
			if o.From == consistency.FromWrite && len(all) < limit {
				all = append(all, trace.KeptWrite{Lo: o.Lo, Hi: o.Hi, Rank: o.Rank, Op: o.Op, Type: o.Type, Rep: o.Rep, Place: o.Place})
			}
		}
		return all
	}
}

// opens returns a function that opens a file for reading and returns its size.
func (s *FS) opens(name string) func() (io.ReadCloser, int64, error) {
	return func() (io.ReadCloser, int64, error) {
		file, err := s.Open(name)
		if err != nil {
			return nil, 0, err
		}
		info, err := file.Stat()
		if err != nil {
			return nil, 0, errors.Join(err, file.Close())
		}
		return file, info.Size(), nil
	}
}

// logPlan logs the requests of a plan that this rank makes, with the bytes of each rank.
func (f *File) logPlan(p *strategy.Plan) {
	asked := trace.Asked{Access: p, File: f.name, Together: p.Rounds > 0}
	for i := range p.Requests {
		r := &p.Requests[i]
		if r.Rank != f.rank {
			continue
		}
		q := trace.Request{Round: r.Round, Write: r.Write, Off: r.Off, Len: r.Len}
		if asked.Together && r.Write == p.Write {
			shares := map[int]int64{}
			for _, m := range p.MovesOf(r) {
				shares[m.Rank] += m.Len
			}
			for _, rank := range slices.Sorted(maps.Keys(shares)) {
				q.Shares = append(q.Shares, trace.Share{Rank: f.inWorld(rank), Bytes: shares[rank]})
			}
		}
		asked.Requests = append(asked.Requests, q)
	}
	f.log.Ask(asked)
}

func (f *File) logCall(op string, m trace.Mark, off, bytes int64) {
	e := trace.Plain("file", op, f.name)
	e.Offset, e.Bytes = off, bytes
	if f.thread.Sched().Cause() != nil {
		e.Failed = trace.Ended
	}
	f.log.End(m, e)
}
