package iofile

import (
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/types"
)

// Strategies act between an access that was checked and packed and the handle
// of package consistency. What a plan says is done: bytes go through the
// buffers it names, and reads ask for the stretches it names. Two things are
// not the plan's to decide.
//
// Whose handle writes. Under a model in which a write stays private until it is
// published, the rank that wrote must find its bytes again, before its own
// later writes and after its own earlier ones; in the log of an aggregator they
// would have no place in that order. There each rank keeps its bytes in its own
// log, the exchange takes place on paper only, and the requests are those that
// a file system without logs would get. Under [consistency.POSIX] they are in
// the file when the call returns, so there aggregators carry them, and write
// and read with their own handles.
//
// What is written. Sieves and holes in a round make requests that write more
// than the access is about. They are counted; the file gets only the bytes of
// the typemap, because those in between may be another rank's.
//
// In atomic mode an access is one whole, so it is planned and counted but moves
// at once.

// last is the access that [File.Plan] is about.
type last struct {
	op    string
	write bool
	part  Part
	plan  *Plan // nil: nobody asked yet
}

// Plan returns the plan of the last access through this handle: for a
// collective one that two phases were planned for that of all ranks, which they
// share and must not change, else that of this rank. Before the first access
// it is empty. Local.
func (f *File) Plan() *Plan {
	if f == nil || f.c == nil {
		return &Plan{Strategy: Direct{}}
	}
	f.used()
	if f.recent.plan == nil {
		l := &f.recent
		l.plan = plan(f.strategy(), l.write, false, []Part{l.part})
		l.plan.Op = l.op
		for i := range l.plan.Requests {
			l.plan.Requests[i].Rank = f.rank
		}
		for i := range l.plan.Moves {
			l.plan.Moves[i].Rank, l.plan.Moves[i].Carrier = f.rank, f.rank
		}
	}
	return f.recent.plan
}

// Counts returns what the plans of all accesses through this handle add up to,
// as far as this rank does it: the requests it makes, and the bytes it sends to
// others or, reading, gets from them. Nothing is counted unless the file was
// opened [WithStrategy]. Local.
func (f *File) Counts() Counts {
	if f == nil || f.traffic == nil {
		return Counts{}
	}
	return f.counts
}

// strategy is what moves the bytes of this handle.
func (f *File) strategy() Strategy {
	if f.how.strategy == nil {
		return Direct{}
	}
	return f.how.strategy.under(f.tuning())
}

// exchanges reports that the ranks of collective accesses have to meet over
// what they move.
func (f *File) exchanges() bool {
	_, ok := f.how.strategy.(TwoPhase)
	return ok
}

// part is what a brings.
func (f *File) part(a *access) Part {
	return Part{f.view.tiles, f.view.packed(a.off), a.etypes * f.view.esize()}
}

// room returns memory for n packed bytes of a write. A strategy uses the handle
// before it writes them, and other ranks may read them, so it has its own.
func (f *File) room(n int64) []byte {
	if f.how.strategy == nil {
		return f.bytes.Space(n)
	}
	return make([]byte, n)
}

// send moves the packed bytes of a write into the file and returns how many of
// them are there.
func (f *File) send(a *access, packed []byte) (int64, error) {
	part := f.part(a)
	f.recent = last{op: a.op, write: true, part: part}
	switch {
	case f.how.strategy == nil:
		f.countDirect(&part, true)
		return f.give(part.At, part.From, packed)
	case a.joint:
		return f.exchange(a, part, packed, nil)
	}
	return f.sendAlone(part, packed)
}

// receive fills mem from the file and returns how much of it there was.
func (f *File) receive(a *access, mem []byte) (int64, error) {
	part := f.part(a)
	f.recent = last{op: a.op, part: part}
	switch {
	case f.inPieces(a):
		return f.receivePieces(a, part, mem)
	case f.how.strategy == nil:
		f.countDirect(&part, false)
		return f.bytes.Read(part.At, part.From, mem)
	case a.joint:
		return f.exchange(a, part, mem, nil)
	}
	return f.receiveAlone(part, mem)
}

// planned is the plan of an access that this rank moves by itself.
func (f *File) planned() *Plan {
	p := f.Plan()
	f.count(p.Counts())
	return p
}

// count counts what this rank has done of a plan. The rounds of a plan are those
// of all its ranks, which a report adds up.
func (f *File) count(n Counts) {
	f.counts.Add(n)
	if f.log != nil {
		if f.rank != 0 {
			n.Rounds = 0
		}
		f.log.CountRequests(f.name, trace.Requests(n))
	}
}

// countDirect counts for a report an access that no strategy plans.
func (f *File) countDirect(part *Part, write bool) {
	if f.log == nil {
		return
	}
	n := trace.Requests{Useful: part.N}
	if write {
		n.Writes, n.WriteBytes = part.pieces(), part.N
	} else {
		n.Reads, n.ReadBytes = part.pieces(), part.N
	}
	f.log.CountRequests(f.name, n)
}

func (f *File) sendAlone(part Part, packed []byte) (done int64, err error) {
	p := f.planned()
	if f.atomic {
		return f.give(part.At, part.From, packed)
	}
	switch p.Strategy.(type) {
	case List:
		for i := range p.Requests {
			n, err := f.give(part.At, part.From+done, packed[done:done+p.Requests[i].Len])
			if done += n; err != nil {
				return done, err
			}
		}
		return done, nil
	case Sieve, TwoPhase:
		if err := f.patch(p, packed); err != nil {
			return 0, err
		}
	}
	return f.give(part.At, part.From, packed)
}

// patch takes the bytes of a sieving write through the windows of its plan.
func (f *File) patch(p *Plan, packed []byte) error {
	moves := p.Moves
	for i := range p.Requests {
		r := &p.Requests[i]
		if r.Write {
			continue
		}
		n := thisRound(moves)
		window, err := f.stretch(r)
		if err != nil {
			return err
		}
		for _, m := range moves[:n] {
			copy(window[m.Off-r.Off:], packed[m.Pos:m.Pos+m.Len])
		}
		for _, m := range moves[:n] {
			copy(packed[m.Pos:m.Pos+m.Len], window[m.Off-r.Off:])
		}
		moves = moves[n:]
	}
	return nil
}

// stretch makes the request r of a plan, which reads. What lies behind the end
// of the file is 0.
func (f *File) stretch(r *Request) ([]byte, error) {
	window := make([]byte, r.Len)
	n, err := f.bytes.Read(everyByte, r.Off, window)
	clear(window[n:])
	return window, err
}

// everyByte shows a file as it is.
var everyByte = func() types.Tiling {
	l, _ := types.Byte.Layout(types.Host)
	return types.Tiling{L: l}
}()

func (f *File) receiveAlone(part Part, mem []byte) (int64, error) {
	p := f.planned()
	if f.atomic {
		return f.bytes.Read(part.At, part.From, mem)
	}
	switch p.Strategy.(type) {
	case List:
		return f.receiveLists(p, part, mem)
	case Sieve, TwoPhase:
		return f.sift(p, part, mem)
	}
	return f.bytes.Read(part.At, part.From, mem)
}

func (f *File) receiveLists(p *Plan, part Part, mem []byte) (done int64, err error) {
	for i := range p.Requests {
		n, err := f.bytes.Read(part.At, part.From+done, mem[done:done+p.Requests[i].Len])
		done += n
		if err != nil || n < p.Requests[i].Len {
			return done, err
		}
	}
	return done, nil
}

// sift reads windows and takes out of them what the access is about.
func (f *File) sift(p *Plan, part Part, mem []byte) (int64, error) {
	there, done := part.At.Until(f.bytes.Size(), part.From, part.N), int64(0)
	moves := p.Moves
	for i := range p.Requests {
		n := thisRound(moves)
		window, err := f.stretch(&p.Requests[i])
		if err != nil {
			return min(done, there), err
		}
		for _, m := range moves[:n] {
			m.deliver(mem, window, p.Requests[i].Off, there)
			done = m.Pos + m.Len
		}
		moves = moves[n:]
	}
	return there, nil
}

// deliver copies what was read from the window, which begins at off, as far as
// the rank that asked gets anything.
func (m *Move) deliver(mem, window []byte, off, there int64) {
	if n := min(m.Len, there-m.Pos); n > 0 {
		copy(mem[m.Pos:m.Pos+n], window[m.Off-off:])
	}
}

// carries reports that aggregators access the file for others.
func (f *File) carries() bool {
	model := f.how.model
	if model == (consistency.Model{}) {
		model = f.fsys.opts.model
	}
	return model == consistency.POSIX && !f.atomic
}

// carry does what this rank does for all in an exchange, round by round.
func (f *File) carry(j *jointPlan) error {
	var window []byte
	for i := range j.Requests {
		r := &j.Requests[i]
		if r.Rank != f.rank {
			continue
		}
		moves := j.of(r)
		var err error
		switch {
		case !r.Write:
			if window, err = f.stretch(r); err == nil && !j.Write {
				for _, m := range moves {
					m.deliver(j.from[m.Rank].data, window, r.Off, j.there[m.Rank])
				}
			}
		default:
			if i == 0 || j.Requests[i-1] != r.reading() { // no hole
				window = make([]byte, r.Len)
			}
			err = f.assemble(j, r, moves, window)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reading is the request that fetches what r writes back.
func (r *Request) reading() Request {
	o := *r
	o.Write = false
	return o
}

// of returns the moves of the carrier and round of r. They are in the order of
// carriers and rounds.
func (p *Plan) of(r *Request) []Move {
	lo, hi := 0, len(p.Moves)
	for lo < hi {
		mid := (lo + hi) / 2
		if m := &p.Moves[mid]; m.Carrier < r.Rank || m.Carrier == r.Rank && m.Round < r.Round {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return p.Moves[lo : lo+thisRound(p.Moves[lo:])]
}

// assemble puts the ranks' bytes into the window of a round and writes what
// they cover.
func (f *File) assemble(j *jointPlan, r *Request, moves []Move, window []byte) error {
	for _, m := range moves {
		copy(window[m.Off-r.Off:], j.from[m.Rank].data[m.Pos:m.Pos+m.Len])
	}
	for len(moves) > 0 {
		k, lo, hi := 1, moves[0].Off, moves[0].Off+moves[0].Len
		for ; k < len(moves) && moves[k].Off <= hi; k++ {
			hi = max(hi, moves[k].Off+moves[k].Len)
		}
		n, err := f.give(everyByte, lo, window[lo-r.Off:hi-r.Off])
		for i := range moves[:k] {
			m := &moves[i]
			j.put[m.Rank].Add(min(m.Len, max(0, lo+n-m.Off)))
		}
		if err != nil {
			return err
		}
		moves = moves[k:]
	}
	return nil
}
