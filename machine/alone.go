package machine

import (
	"slices"

	"github.com/commworld/commworld/iofile/strategy"
)

// alone carries out a call of one rank, or begins to, and reports whether the rank can
// continue.
func (s *sim) alone(rank int, c *Call) bool {
	t := s.now[rank]
	var spent Parts
	switch c.Op {
	case Work:
		spent[InCompute] = c.Seconds
		s.spend(rank, c.label(), t+c.Seconds, &spent)
	case Open:
		s.open(c)
		done := s.metadata(t)
		spent[InMetadata] = done - t
		s.spend(rank, c.label(), done, &spent)
	case Sync, Close:
		done := s.flush(rank, t)
		spent[InServer] = done - t
		s.spend(rank, c.label(), done, &spent)
	case Write, Read:
		s.bring(c, &c.Part)
		if c.Pointer == Shared {
			s.point(rank, c)
		}
		return s.own(rank, c)
	}
	return true
}

// bring adds an access to part p to the totals of the report.
func (s *sim) bring(c *Call, p *strategy.Part) {
	if p.N == 0 {
		return
	}
	s.counts.Useful += p.N
	s.runs += p.Pieces()
	if how := s.strategyOf(c); !slices.Contains(s.used, how) {
		s.used = append(s.used, how)
	}
}

// own begins an independent access of rank, and reports whether the rank can continue.
func (s *sim) own(rank int, c *Call) bool {
	if c.Part.N == 0 {
		return true
	}
	how := s.strategyOf(c)
	plan, err := strategy.Lay(how, c.Op == Write, false, []strategy.Part{c.Part})
	if err != nil {
		s.wrong = err
		return false
	}
	buffered := len(plan.Moves) > 0 && plan.Requests[0].Len != c.Part.N
	two, _ := how.(strategy.TwoPhase)
	return s.begin(rank, c, plan.Requests, buffered, two.Driver != strategy.UFS)
}

// point makes rank ask for the shared pointer: one rank after the other locks it, reads
// it and writes it.
func (s *sim) point(rank int, c *Call) {
	t := s.now[rank]
	var spent Parts
	at := s.pointer(c, t)
	spent[InLock] = at - t
	s.spend(rank, c.label(), at, &spent)
}

// pointer moves the shared pointer for a rank that asks at t, and returns when the rank
// has it. The pointer is on the first server of the file.
func (s *sim) pointer(c *Call, t float64) float64 {
	f := s.file(c.File)
	v, l := &s.servers[f.first], &s.m.Network
	begin := max(max(f.shared, t)+l.Overhead+l.Latency, v.free)
	work := s.m.Lock.Move + 2*s.m.Server.Request
	v.free, v.busy, v.lock = begin+work, v.busy+work, v.lock+s.m.Lock.Move
	v.timeline.add(begin, v.free, 1)
	s.tracer.slice(row{ofServer, f.first}, "shared pointer", "lock", begin, v.free, map[string]any{"file": f.name})
	f.shared = v.free + l.Latency
	s.end = max(s.end, f.shared)
	return f.shared
}

// begin starts the requests of rank's access. Buffered requests copy their bytes. each says that locks are for
// requests, not for the access.
func (s *sim) begin(rank int, c *Call, requests []strategy.Request, buffered, each bool) bool {
	if len(requests) == 0 {
		return true
	}
	w := &work{file: s.file(c.File), call: *c, requests: requests, part: c.Part}
	if buffered {
		w.copied = 1
	}
	s.works[rank] = w
	if w.each = each; each || !requests[0].Lock {
		return true
	}
	lo, hi := requests[0].Off, int64(0)
	for i := range requests {
		lo, hi = min(lo, requests[i].Off), max(hi, requests[i].Off+requests[i].Len)
	}
	s.counts.Locks++
	w.locked = true
	if w.file.lock(rank, lo, hi) {
		s.locked(rank, w, s.now[rank])
		return true
	}
	w.waiting = true
	return false
}

// locked gives rank its lock at t: a message to the server and back.
func (s *sim) locked(rank int, w *work, t float64) {
	l := &s.m.Network
	got := t + 2*(l.Latency+l.Overhead)
	if w.waiting {
		got += s.m.Lock.Move
		s.lockMoves++
		w.waiting = false
	}
	var spent Parts
	spent[InLock] = got - s.now[rank]
	s.spend(rank, w.call.label(), got, &spent)
}

// advance makes the next request of an access; the last request ends the access.
func (s *sim) advance(rank int, w *work) {
	r := &w.requests[0]
	t := s.now[rank]
	if w.each && r.Lock { // locking and unlocking
		s.counts.Locks++
		s.metadata(t)
		done := s.metadata(t)
		spent := Parts{InLock: done - t}
		s.spend(rank, w.call.label(), done, &spent)
		t = done
	}
	if w.copied > 0 {
		var spent Parts
		spent[InCopy] = float64(r.Len) / s.m.Copy
		t += spent[InCopy]
		s.spend(rank, w.call.label(), t, &spent)
	}
	done, spent := s.cached(rank, t, w.file, r, w.bytesOf(r))
	s.spend(rank, w.call.label(), done, &spent)
	if w.requests = w.requests[1:]; len(w.requests) > 0 {
		return
	}
	s.works[rank] = nil
	if w.locked {
		for _, other := range w.file.unlock(rank) {
			s.locked(other, s.works[other], done)
			s.resume(other, s.now[other])
		}
	}
}

// bytesOf returns the bytes of the file that a request names.
func (w *work) bytesOf(r *strategy.Request) []run {
	w.runs = w.runs[:0]
	if r.Runs <= 1 {
		w.runs = append(w.runs, run{r.Off, r.Len})
		return w.runs
	}
	for off, n := range w.part.At.Runs(w.part.From+w.done, r.Len) {
		w.runs = append(w.runs, run{off, n})
	}
	w.done += r.Len
	return w.runs
}

// A cache has the bytes that a node has written and its servers do not have yet.
type cache struct {
	flights []flight // in order of completion
	bytes   int64
	idle    float64 // when the servers have all of it
}

// A flight is a group of bytes on their way to the servers.
type flight struct {
	done  float64
	bytes int64
}

// cached carries out a request of rank, through the node's cache if it has one: a write
// is done when the cache has room for it. Locks on extents allow the cache only bytes of servers on which no other rank
// writes the file.
func (s *sim) cached(rank int, t float64, f *file, r *strategy.Request, runs []run) (done float64, spent Parts) {
	if s.m.Cache == 0 || !r.Write || r.Len > s.m.Cache || s.m.Lock.Extent > 0 && s.othersWrite(f, rank, runs) {
		return s.request(rank, t, f, r, runs)
	}
	c := &s.caches[s.node(rank)]
	begin := t
	for len(c.flights) > 0 && (c.flights[0].done <= t || c.bytes+r.Len > s.m.Cache) {
		t = max(t, c.flights[0].done)
		c.bytes -= c.flights[0].bytes
		c.flights = c.flights[1:]
	}
	spent[InServer] = t - begin
	spent[InCopy] = float64(r.Len) / s.m.Copy
	if p := s.m.Client.Process; p > 0 {
		spent[InCopy] = max(spent[InCopy], float64(r.Len)/p)
	}
	there, _ := s.request(rank, t, f, r, runs)
	i, _ := slices.BinarySearchFunc(c.flights, there, func(f flight, t float64) int {
		if f.done <= t {
			return -1
		}
		return 1
	})
	c.flights = slices.Insert(c.flights, i, flight{there, r.Len})
	c.bytes += r.Len
	c.idle = max(c.idle, there)
	return t + spent[InCopy], spent
}

// flush waits until the servers have all bytes that the node of rank has written.
func (s *sim) flush(rank int, t float64) float64 {
	if s.caches == nil {
		return t
	}
	return max(t, s.caches[s.node(rank)].idle)
}
