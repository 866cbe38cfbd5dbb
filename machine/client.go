package machine

import "github.com/commworld/commworld/iofile/strategy"

// What the clients of a file system do: they keep locks, limit what a node moves, and move small requests that continue
// each other at once.

// users says who uses a file: nobody (0), one rank (rank+1) or several (several).
type users int32

const several users = -1

func (u *users) add(rank int) {
	switch *u {
	case 0:
		*u = users(rank) + 1
	case users(rank) + 1:
	default:
		*u = several
	}
}

// A fileRank is a rank that uses a file, or a node or server.
type fileRank struct{ file, rank int32 }

// An objectRank is a rank that has locked part of a file on one server.
type objectRank struct{ file, server, rank int32 }

// A lockExtent is the bytes [lo, hi) of a file's part on a server that a rank has locked.
type lockExtent struct {
	lo, hi int64
	write  bool
}

// client notes that rank makes request r. It reports whether the request continues the one before it of the rank within
// the client's window, so that the servers need not be asked for it apart.
func (s *sim) client(f *file, rank int, r *strategy.Request) (continues bool) {
	if r.Write {
		f.writers.add(rank)
	} else {
		f.readers.add(rank)
	}
	window := s.m.Client.Window
	if window == 0 || r.Runs > 1 {
		return false
	}
	if r.Len >= window { // it needs no other
		return false
	}
	key := fileRank{f.number, int32(rank)}
	last, known := s.lastEnd[key]
	if s.lastEnd == nil {
		s.lastEnd = map[fileRank]int64{}
	}
	s.lastEnd[key] = r.Off + r.Len
	alone := r.Write && f.writers != several || !r.Write && f.writers >= 0
	return known && alone && last == r.Off && last%window != 0 && last/window == (r.Off+r.Len-1)/window
}

// othersWrite reports whether another rank writes f on a server with some of these bytes.
func (s *sim) othersWrite(f *file, rank int, runs []run) bool {
	s.pieces = s.pieces[:0]
	for _, x := range runs {
		s.cut(f, x.off, x.n)
	}
	for i := range s.pieces {
		u := s.objects[fileRank{f.number, int32(s.pieces[i].server)}]
		if u.add(rank); u == several {
			return true
		}
	}
	return false
}

// ahead carries out a read of bytes that the client has read ahead: the rank waits only if the servers have not sent
// them yet.
func (s *sim) ahead(rank int, t float64, f *file, r *strategy.Request, runs []run, bandwidth float64) (done float64, spent Parts) {
	spent[InCopy] = localCall + float64(r.Len)/s.m.Copy
	there := t + spent[InCopy]
	done = there
	for i := range s.pieces {
		p := &s.pieces[i]
		v := &s.servers[p.server]
		begin := max(v.free, t)
		v.free = begin + float64(p.bytes)/bandwidth
		v.busy += float64(p.bytes) / bandwidth
		v.requests++
		v.bytes += p.bytes
		v.file, v.next = f, p.end
		v.timeline.add(begin, v.free, 1)
		if s.tracer != nil {
			s.tracer.served(row{ofServer, p.server}, false, p.bytes, f, rank, begin, v.free, map[string]any{"read_ahead": true})
		}
		done = max(done, v.free)
	}
	spent[InServer] = done - there
	s.end = max(s.end, done)
	s.tracer.addFlight(t, done, r.Len, 0)
	if s.observe != nil {
		s.observe(Access{Rank: rank, File: f.name, Off: runs[0].off, Len: r.Len, Begin: t, End: done, First: f.first})
	}
	return done, spent
}

// localCall is the time of a call that only this node's kernel serves.
const localCall = 1e-6

// throttle returns when a request that begins at t is over if that is at end without limits of the client.
func (s *sim) throttle(f *file, rank int, t, end float64, r *strategy.Request) float64 {
	c, bytes := &s.m.Client, float64(r.Len)
	if c.Process > 0 {
		end = max(end, t+bytes/c.Process)
	}
	shared, users := c.SharedRead, f.readers
	if r.Write {
		shared, users = c.SharedWrite, f.writers
	}
	if shared == 0 || users != several {
		return end
	}
	key := fileRank{f.number, int32(s.node(rank))}
	if s.pipes == nil {
		s.pipes = map[fileRank]float64{}
	}
	free := max(s.pipes[key], t) + bytes/shared
	s.pipes[key] = free
	return max(end, free)
}

// lockTime returns the time of the locks that rank needs for a piece of a request.
func (s *sim) lockTime(f *file, rank int, write bool, p *piece) float64 {
	if s.m.Lock.Extent == 0 {
		return float64(p.moves) * s.m.Lock.Move
	}
	object := fileRank{f.number, int32(p.server)}
	writers := s.objects[object]
	if write {
		writers.add(rank)
		if s.objects == nil {
			s.objects = map[fileRank]users{}
		}
		s.objects[object] = writers
	}
	if writers != several { // no other rank has locks that matter
		s.lockMoves -= max(0, p.moves-1)
		return float64(min(p.moves, 1)) * s.m.Lock.Move
	}
	key := objectRank{f.number, int32(p.server), int32(rank)}
	if s.extents == nil {
		s.extents = map[objectRank]lockExtent{}
	}
	own, has := s.extents[key]
	fresh := !has || p.off < own.lo || p.off > own.hi || write && !own.write
	if fresh {
		own = lockExtent{lo: p.off, write: write}
	}
	own.hi = max(own.hi, p.end)
	s.extents[key] = own
	moved := min(p.moves, 1)
	s.lockMoves -= p.moves - moved
	switch {
	case !write:
		if !fresh {
			s.lockMoves -= moved
			return 0
		}
		return float64(moved) * s.m.Lock.Move
	case fresh:
		s.lockMoves++
		return float64(moved)*s.m.Lock.Move + s.m.Lock.Extent
	}
	return float64(moved) * s.m.Lock.Move
}
