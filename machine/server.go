package machine

import (
	"math/rand/v2"

	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/iofile/strategy"
)

// A server is a queue with the time from which on it is free.
type server struct {
	free     float64
	file     *file // file of the last request
	next     int64 // end of the last request, in the server's part of that file
	busy     float64
	requests int64
	bytes    int64
	lock     float64 // part of busy: moving tokens
	timeline *timeline
}

// A file is striped over some of the servers.
type file struct {
	name   string
	first  int // server of its first stripe
	stripe int64
	count  int   // servers that hold it
	unit   int64 // of its tokens; 0: none
	tokens map[int64]*[tokenPage]int32
	held   []held
	shared float64 // when the shared pointer is free

	number           int32
	writers, readers users
}

// tokenPage is the number of tokens in one page of the table.
const tokenPage = 4096

// The holder of the token of a unit of a file: no rank, several ranks that read, one rank
// that has only read (-2 and below), or one rank that has written (1 and above).
const (
	free    = 0
	readers = -1
)

// token makes rank use the unit, and reports whether a token had to move.
func (f *file) token(unit int64, rank int, write bool) (moved bool) {
	page := f.tokens[unit/tokenPage]
	if page == nil {
		page = new([tokenPage]int32)
		if f.tokens == nil {
			f.tokens = map[int64]*[tokenPage]int32{}
		}
		f.tokens[unit/tokenPage] = page
	}
	owner, writer, reader := &page[unit%tokenPage], int32(rank)+1, -int32(rank)-2
	switch {
	case *owner == writer, *owner == reader && !write:
		return false
	case write:
		moved = *owner != free && *owner != reader
		*owner = writer
	case *owner == free:
		*owner = reader
	case *owner < free:
		*owner = readers
	default:
		moved = true
		*owner = readers
	}
	return moved
}

// A piece is the part of one request that goes to one server.
type piece struct {
	server int
	off    int64 // in the server's part of the file
	end    int64
	bytes  int64
	gaps   int64 // number of jumps between contiguous parts
	moves  int64 // of tokens
}

// cut adds bytes [off, off+n) of f to the pieces of a request.
func (s *sim) cut(f *file, off, n int64) {
	stripe, count := f.stripe, int64(f.count)
	for end := off + n; off < end; {
		index := off / stripe
		if count == 1 { // the whole run is on one server
			s.add(f.first, off, end-off)
			break
		}
		k := min(end, (index+1)*stripe) - off
		at := (f.first + int(index%count)) % s.m.Servers
		s.add(at, index/count*stripe+off%stripe, k)
		off += k
	}
}

// add adds bytes to the piece of one server.
func (s *sim) add(at int, off, n int64) {
	p := s.pieceOf(at)
	switch {
	case p.bytes == 0:
		p.off, p.end = off, off+n
	case p.end == off:
		p.end += n
	default:
		p.gaps++
		p.end = off + n
	}
	p.bytes += n
}

func (s *sim) pieceOf(at int) *piece {
	if i := s.pieceAt[at]; int(i) < len(s.pieces) && s.pieces[i].server == at {
		return &s.pieces[i]
	}
	s.pieceAt[at] = int32(len(s.pieces))
	s.pieces = append(s.pieces, piece{server: at})
	return &s.pieces[len(s.pieces)-1]
}

// takeTokens makes rank take the tokens of bytes [off, off+n). Each token that moves does
// so at the server that holds the unit's first byte of that range.
func (s *sim) takeTokens(f *file, off, n int64, rank int, write bool) {
	unit := f.unit
	if unit == 0 {
		return
	}
	for u := off / unit; u*unit < off+n; u++ {
		if !f.token(u, rank, write) {
			continue
		}
		at := f.first
		if count := int64(f.count); count > 1 {
			at = (f.first + int(max(off, u*unit)/f.stripe%count)) % s.m.Servers
		}
		s.pieceOf(at).moves++
		s.lockMoves++
	}
}

// request carries out one request of rank, which begins at t. It returns when the request
// is done and how its time divides into parts. Time in a server's queue divides like the
// server's work so far: into moving tokens and serving.
func (s *sim) request(rank int, t float64, f *file, r *strategy.Request, runs []run) (done float64, spent Parts) {
	s.pieces = s.pieces[:0]
	for _, x := range runs {
		s.cut(f, x.off, x.n)
		s.takeTokens(f, x.off, x.n, rank, r.Write)
	}
	s.count(r)
	link, node := &s.m.Network, s.node(rank)
	bandwidth := s.m.Server.Read
	if r.Write {
		bandwidth = s.m.Server.Write
	}
	continues := s.client(f, rank, r)
	if continues && !r.Write { // read-ahead has the bytes
		return s.ahead(rank, t, f, r, runs, bandwidth)
	}
	sent := t + link.Overhead
	if r.Write { // the bytes leave the node one after the other
		sent = max(sent, s.out[node]) + float64(r.Len)/link.Bandwidth
		s.out[node] = sent
		sent = s.throttle(f, rank, t, sent, r)
	}
	arrived := sent + link.Latency
	var last *piece
	var ends, locks, serves float64
	for i := range s.pieces {
		p := &s.pieces[i]
		v := &s.servers[p.server]
		begin := max(arrived, v.free)
		service := float64(p.bytes)/bandwidth + float64(p.gaps)*s.m.Server.Seek
		if !continues {
			service += s.m.Server.Request
			if v.file != nil && (v.file != f || v.next != p.off) {
				service += s.m.Server.Seek
			}
		}
		lock := s.lockTime(f, rank, r.Write, p)
		v.free = begin + lock + service
		v.file, v.next = f, p.end
		v.busy += lock + service
		v.lock += lock
		v.requests++
		v.bytes += p.bytes
		v.timeline.add(begin, v.free, 1)
		if s.tracer != nil {
			s.tracer.served(row{ofServer, p.server}, r.Write, p.bytes, f, rank, begin, v.free, map[string]any{"tokens_moved": p.moves, "not_adjacent": p.gaps})
		}
		if last == nil || v.free > ends {
			last, ends = p, v.free
			locks = lock + (begin-arrived)*v.lock/v.busy // the wait in the queue divides like the server's work so far
			serves = v.free - arrived - locks
		}
	}
	if last == nil {
		ends = arrived
	}
	done = ends + link.Latency
	if !r.Write {
		done = max(done, s.in[node]) + float64(r.Len)/link.Bandwidth
		s.in[node] = done
		done = s.throttle(f, rank, t, done, r)
	}
	spent[InLock], spent[InServer] = locks, serves
	spent[InNetwork] = done - t - locks - serves
	s.end = max(s.end, done)
	s.tracer.addFlight(t, done, r.Len, 0)
	if s.observe != nil {
		s.observe(Access{Rank: rank, File: f.name, Write: r.Write, Off: runs[0].off, Len: r.Len, Begin: t, End: done, First: f.first})
	}
	return done, spent
}

// count counts a request.
func (s *sim) count(r *strategy.Request) {
	c := &s.counts
	if r.Write {
		c.Writes++
		c.WriteBytes += r.Len
	} else {
		c.Reads++
		c.ReadBytes += r.Len
	}
	s.sizes[trace.SizeClass(r.Len)]++
}

// metadata makes the metadata server do one operation.
func (s *sim) metadata(t float64) (done float64) {
	arrived := t + s.m.Network.Overhead + s.m.Network.Latency
	s.meta = max(s.meta, arrived) + s.m.Metadata
	s.metaOps++
	return s.meta + s.m.Network.Latency
}

// file returns the file with that name, and creates it if it is new: its first stripe is
// on the server after the last stripe of the file created before it.
func (s *sim) file(name string) *file {
	if f := s.files[name]; f != nil {
		return f
	}
	return s.create(name, 0, 0)
}

// open does the work of file for an Open, which has the stripes of a new file.
func (s *sim) open(c *Call) {
	if s.files[c.File] == nil {
		s.create(c.File, c.StripeSize, c.StripeCount)
	}
}

// create makes a file in stripes of the given size on the given number of servers, or with
// the machine's own values if it cannot do that.
func (s *sim) create(name string, stripe int64, count int) *file {
	f := &file{name: name, number: int32(len(s.files)), first: s.nextServer, stripe: s.m.StripeSize, count: s.m.stripes(), unit: s.m.Lock.Unit}
	if stripe >= minStripe && stripe <= maxStripe {
		if f.unit == f.stripe { // each token covers a stripe
			f.unit = stripe
		}
		f.stripe = stripe
	}
	if count > 0 {
		f.count = min(count, s.m.Servers)
	}
	if s.nextServer = (s.nextServer + f.count) % s.m.Servers; s.m.Scatter {
		random := rand.New(rand.NewPCG(uint64(len(s.files)), 0)) // the same in each run
		s.nextServer = random.IntN(s.m.Servers)
	}
	s.files[name] = f
	return f
}

// A held is the bytes that a rank locks for a whole call.
type held struct {
	lo, hi int64
	rank   int
	since  bool // the rank has the lock; else it waits
}

// lock asks for bytes of f, and reports whether the rank has them at once.
func (f *file) lock(rank int, lo, hi int64) bool {
	got := true
	for _, h := range f.held {
		if h.lo < hi && lo < h.hi {
			got = false
			break
		}
	}
	f.held = append(f.held, held{lo, hi, rank, got})
	return got
}

// unlock releases the bytes of rank, and returns the ranks that get their lock now, in the
// order in which they asked.
func (f *file) unlock(rank int) (next []int) {
	for i, h := range f.held {
		if h.rank == rank {
			f.held = append(f.held[:i], f.held[i+1:]...)
			break
		}
	}
	for i := range f.held {
		h := &f.held[i]
		if h.since {
			continue
		}
		blocked := false
		for _, o := range f.held[:i] {
			if o.lo < h.hi && h.lo < o.hi {
				blocked = true
				break
			}
		}
		if !blocked {
			h.since = true
			next = append(next, h.rank)
		}
	}
	return next
}
