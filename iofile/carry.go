package iofile

import (
	"cmp"

	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
)

// Strategies act between the checks of an access and the handle of package image. What a
// plan says is done: bytes go through the buffers it names, and reads request the ranges it
// names. Two things a plan does not decide.
//
// Whose handle writes. Under a model in which a write stays private until it is published,
// the rank that wrote must find its bytes again, after its own earlier writes and before
// its own later ones; in the log of an aggregator they would have no place in that order.
// So under such models each rank keeps its bytes in its own log, the exchange is only
// simulated, and the requests are those that a file system without logs would get. Under
// [consistency.POSIX] bytes are in the file when the call returns, so aggregators carry
// them, and read and write with their own handles.
//
// Which bytes are written. Sieving, and holes in a round, lead to requests that write more
// bytes than the access has. They are counted, but the access writes only the bytes of the
// typemap, because those in between may belong to another rank. The image may write them
// back when it publishes, while no rank can change them ([image.Image.Request]).
//
// In atomic mode an access is indivisible, so it is planned and counted but moves at once.

// Plan returns the plan of the last access through this handle. For a collective access in
// two phases it is the plan of all ranks, which they share and must not change; otherwise
// it is the plan of this rank. Before the first access it is empty, and so is the plan of an
// access that failed before it moved a byte. Local.
func (f *File) Plan() *strategy.Plan { return f.to().plan() }

func (f *File) plan() *strategy.Plan {
	p, _ := f.laid() // the access itself has returned the error
	return p
}

// laid returns the plan of the recent access, and an error if it must not be carried out.
func (f *File) laid() (*strategy.Plan, error) {
	if f.c == nil {
		return &strategy.Plan{Strategy: strategy.Direct{}}, nil
	}
	f.used()
	a := f.recent
	if a.plan == nil {
		var part types.Part
		if a.view != nil {
			part = a.view.part(a)
		}
		inside := f.inside
		f.inside = "the strategy"
		p, err := strategy.Lay(f.strategy(), a.write, false, []types.Part{part})
		f.inside = inside
		if p.Op = a.op; err != nil {
			return p, err
		}
		a.plan = p
		for i := range a.plan.Requests {
			a.plan.Requests[i].Rank = f.rank
		}
		for i := range a.plan.Moves {
			a.plan.Moves[i].Rank, a.plan.Moves[i].Carrier = f.rank, f.rank
		}
	}
	return a.plan, nil
}

// setPlan makes a the access that [File.Plan] describes, with that plan.
func (f *File) setPlan(a *access, p *strategy.Plan) {
	f.recent, a.view, a.plan = a, f.view, p
}

// Counts returns the sum of the plans of all accesses through this handle, for this rank:
// the requests it makes, and the bytes it sends to others or, when reading, receives from
// them. Nothing is counted unless the file was opened [WithStrategy]. Local.
func (f *File) Counts() strategy.Counts { return f.to().counts() }

func (f *File) counts() strategy.Counts {
	if f.traffic == nil {
		return strategy.Counts{}
	}
	return f.sums
}

// strategy returns the strategy that moves the bytes of this handle.
func (f *File) strategy() strategy.Strategy {
	if f.how.moves == nil {
		return strategy.Direct{}
	}
	h := f.tuning().Hints
	_, each := f.nodes()
	h.PerNode = int64(each) // every node gets an aggregator before any gets a second one
	return f.how.moves.With(h)
}

// exchanges reports whether the ranks of collective accesses meet to exchange their parts.
func (f *File) exchanges() bool {
	return strategy.Joint(f.how.moves)
}

// room returns memory for n packed bytes of a write. It is the handle's own memory only if
// no strategy is used: a strategy uses the handle before it writes the bytes, and other
// ranks may read them.
func (f *File) room(n int64) []byte {
	if f.how.moves == nil {
		return f.bytes.Space(n)
	}
	return make([]byte, n)
}

// send moves the packed bytes of a write into the file and returns how many of them got
// there.
func (f *File) send(a *access, packed []byte) (int64, error) {
	part := f.view.part(a)
	if f.how.moves == nil {
		if f.log != nil || f.how.calls.Plan != nil {
			f.countDirect(&part, true)
		}
		return f.give(part.At, part.From, packed)
	}
	return f.sendAlone(part, packed)
}

// receive fills mem from the file and returns how many bytes there were.
func (f *File) receive(a *access, mem []byte) (int64, error) {
	part := f.view.part(a)
	switch {
	case f.inPieces(a):
		return f.receivePieces(a, part, mem)
	case f.how.moves == nil:
		if f.log != nil || f.how.calls.Plan != nil {
			f.countDirect(&part, false)
		}
		return f.bytes.Read(part.At, part.From, mem)
	}
	return f.receiveAlone(part, mem)
}

// planned returns the plan of an access that this rank moves by itself, and counts it.
func (f *File) planned() (*strategy.Plan, error) {
	p, err := f.laid()
	if err != nil {
		return nil, err
	}
	f.count(p.Counts())
	f.look(p)
	return p, nil
}

// look counts the requests of a plan that this rank makes, one by one, and shows the plan.
// Bytes that wait until they are published then reach the store by the plan's requests.
func (f *File) look(p *strategy.Plan) {
	var c *trace.Counters
	if f.log != nil {
		c = f.log.Counters(f.name, f.alignment())
	}
	waits := f.bytes.Waits()
	for i := range p.Requests {
		r := &p.Requests[i]
		if r.Rank != f.rank {
			continue
		}
		if c != nil {
			c.Request(r.Write, r.Off, r.Len)
		}
		if r.Write && waits && r.Runs == 1 { // a list's request has no end
			f.set.file.image.Request(r.Off, r.Len)
		}
	}
	if f.log.Keeps() {
		f.logPlan(p)
	}
	f.showPlan(p)
}

// showPlan calls the program's function for plans.
func (f *File) showPlan(p *strategy.Plan) {
	if f.how.calls.Plan == nil {
		return
	}
	f.inside = "the function Callbacks.Plan"
	defer func() { f.inside = "" }()
	f.how.calls.Plan(p)
}

// alignment returns the preferred alignment of requests, in bytes: the stripe that hints or the
// machine name, else the block of usual file systems.
func (f *File) alignment() int64 {
	if unit := f.tuning().Hints.Unit; unit > 1 {
		return unit
	}
	return cmp.Or(f.cluster().Stripe, usualBlock)
}

const usualBlock = 4096

// count counts this rank's part of a plan. The rounds of a plan belong to all its ranks; a
// report adds them up.
func (f *File) count(n strategy.Counts) {
	f.sums.Add(n)
	if f.log != nil {
		if f.rank != 0 {
			n.Rounds = 0
		}
		f.log.CountRequests(f.name, trace.Requests(n))
	}
}

// countDirect counts an access that no strategy plans, for a report.
func (f *File) countDirect(part *types.Part, write bool) {
	if f.how.calls.Plan != nil {
		f.showPlan(f.plan())
	}
	if f.log == nil {
		return
	}
	if part.N > 0 {
		c := f.log.Counters(f.name, f.alignment())
		for off, n := range part.Runs() {
			c.Request(write, off, n)
		}
	}
	n := trace.Requests{Useful: part.N}
	if write {
		n.Writes, n.WriteBytes = part.Pieces(), part.N
	} else {
		n.Reads, n.ReadBytes = part.Pieces(), part.N
	}
	f.log.CountRequests(f.name, n)
}

func (f *File) sendAlone(part types.Part, packed []byte) (int64, error) {
	p, err := f.planned()
	if err != nil {
		return 0, err
	}
	if !f.atomic && len(p.Moves) == 0 {
		return inRounds(p, func(pos, n int64) (int64, error) { return f.give(part.At, part.From+pos, packed[pos:pos+n]) })
	}
	if !f.atomic {
		if err := f.patch(p, packed); err != nil {
			return 0, err
		}
	}
	return f.give(part.At, part.From, packed)
}

// inRounds moves the bytes of a plan without buffers, those of one round at once, and
// returns how many have moved.
func inRounds(p *strategy.Plan, move func(pos, n int64) (int64, error)) (done int64, err error) {
	for i := 0; i < len(p.Requests); {
		n, round := int64(0), p.Requests[i].Round
		for ; i < len(p.Requests) && p.Requests[i].Round == round; i++ {
			n += p.Requests[i].Len
		}
		k, err := move(done, n)
		if done += k; err != nil || k < n {
			return done, err
		}
	}
	return done, nil
}

// patch moves the bytes of a sieving write through the windows of its plan.
func (f *File) patch(p *strategy.Plan, packed []byte) error {
	for i := range p.Requests {
		r := &p.Requests[i]
		if r.Write {
			continue
		}
		window, err := f.stretch(r)
		if err != nil {
			return err
		}
		moves := p.MovesOf(r)
		for _, m := range moves {
			copy(window[m.Off-r.Off:], packed[m.Pos:m.Pos+m.Len])
		}
		for _, m := range moves {
			copy(packed[m.Pos:m.Pos+m.Len], window[m.Off-r.Off:])
		}
	}
	return nil
}

// stretch makes the read request r of a plan and returns its bytes. Bytes behind the end of
// the file are 0.
func (f *File) stretch(r *strategy.Request) ([]byte, error) {
	window := make([]byte, r.Len)
	n, err := f.bytes.Read(everyByte, r.Off, window)
	clear(window[n:])
	return window, err
}

// everyByte shows all bytes of a file.
var everyByte = extent.Flat()

func (f *File) receiveAlone(part types.Part, mem []byte) (int64, error) {
	p, err := f.planned()
	switch {
	case err != nil:
		return 0, err
	case f.atomic:
		return f.bytes.Read(part.At, part.From, mem)
	case len(p.Moves) == 0:
		return inRounds(p, func(pos, n int64) (int64, error) { return f.bytes.Read(part.At, part.From+pos, mem[pos:pos+n]) })
	}
	return f.sift(p, part, mem)
}

// sift reads windows and copies the bytes of the access out of them.
func (f *File) sift(p *strategy.Plan, part types.Part, mem []byte) (int64, error) {
	there, done := part.At.Until(f.bytes.Size(), part.From, part.N), int64(0)
	for i := range p.Requests {
		r := &p.Requests[i]
		window, err := f.stretch(r)
		if err != nil {
			return min(done, there), err
		}
		for _, m := range p.MovesOf(r) {
			deliver(&m, mem, window, r.Off, there)
			done = m.Pos + m.Len
		}
	}
	return there, nil
}

// deliver copies the bytes of m from the window, which begins at off, up to the end of the
// file as the requesting rank sees it.
func deliver(m *strategy.Move, mem, window []byte, off, there int64) {
	if n := min(m.Len, there-m.Pos); n > 0 {
		copy(mem[m.Pos:m.Pos+n], window[m.Off-off:])
	}
}

// carries reports whether aggregators access the file for other ranks.
func (f *File) carries() bool {
	return f.model().PublishesEarly() && f.model().ReadsFresh() && !f.atomic
}

// carry does this rank's part of an exchange as an aggregator, round by round.
func (f *File) carry(j *jointPlan) error {
	var window []byte
	for i := range j.Requests {
		r := &j.Requests[i]
		if r.Rank != f.rank {
			continue
		}
		moves := j.MovesOf(r)
		var err error
		switch {
		case !r.Write:
			if window, err = f.stretch(r); err == nil && !j.Write {
				for _, m := range moves {
					deliver(&m, j.from[m.Rank].data, window, r.Off, j.there[m.Rank])
				}
			}
		default:
			if i == 0 || j.Requests[i-1] != r.Reading() { // no hole in this round
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

// assemble puts the ranks' bytes into the window of a round and writes the bytes that they
// cover.
func (f *File) assemble(j *jointPlan, r *strategy.Request, moves []strategy.Move, window []byte) error {
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
