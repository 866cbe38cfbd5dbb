package strategy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/extent"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/types"
)

// A Part is one rank's part of an access: packed bytes of its view. A rank that moves no
// bytes has the zero Part.
type Part = types.Part

// A Plan is the plan of a strategy for an access: a pure value with the bytes that ranks
// send to each other and the requests that the file system gets, as a trace of system calls
// would show them.
type Plan struct {
	Op       string   // the call
	Strategy Strategy // with its defaults and hints filled in
	Write    bool
	Ranks    int // that the plan is about
	Rounds   int // rounds of exchanging and moving bytes; 0: every rank moves its own
	Useful   int64
	Requests []Request
	Moves    []Move
}

// A Request is one call of the file system. Rounds count from 0.
type Request struct {
	Rank, Round int
	Write       bool
	Off, Len    int64 // bytes
	Runs        int   // runs of adjacent bytes in it; more than 1 only in lists
	Lock        bool  // first the rank locks all bytes of the access, or with the drivers for Lustre of the request, against other writers
}

// A Move is a run of bytes that passes through the buffer of a rank. In a write it goes from
// the packed bytes of Rank into the buffer of Carrier, in a read the other way.
type Move struct {
	Rank, Carrier, Round int
	Off                  int64 // in the file
	Pos                  int64 // in the packed bytes of the rank's part
	Len                  int64
}

// Counts has the sums of one or more plans.
type Counts struct {
	Reads, Writes         int64
	ReadBytes, WriteBytes int64
	Sent                  int64 // bytes that ranks sent to other ranks
	Useful                int64 // bytes of the accesses themselves
	Rounds, Locks         int64
}

// Counts returns the counts of the plan, over all its ranks.
func (p *Plan) Counts() Counts {
	if p == nil { // NewPlan returned it with an error
		return Counts{}
	}
	n := Counts{Useful: p.Useful, Rounds: int64(p.Rounds)}
	for i := range p.Requests {
		n.request(&p.Requests[i])
	}
	for i := range p.Moves {
		n.move(&p.Moves[i])
	}
	return n
}

// Shares returns the counts of each rank in an access of all ranks: its requests, and the
// bytes that it sent or, in a read, received. Useful is 0.
func (p *Plan) Shares() []Counts {
	if p == nil {
		return nil
	}
	all := make([]Counts, p.Ranks)
	for r := range all {
		all[r].Rounds = int64(p.Rounds)
	}
	for i := range p.Requests {
		all[p.Requests[i].Rank].request(&p.Requests[i])
	}
	for i := range p.Moves {
		all[p.Moves[i].Rank].move(&p.Moves[i])
	}
	return all
}

// MovesOf returns the moves of the carrier and round of r. The moves of a plan in rounds are
// in the order of carriers and rounds.
func (p *Plan) MovesOf(r *Request) []Move {
	if p == nil || r == nil {
		return nil
	}
	lo, hi := 0, len(p.Moves)
	for lo < hi {
		mid := (lo + hi) / 2
		if m := &p.Moves[mid]; m.Carrier < r.Rank || m.Carrier == r.Rank && m.Round < r.Round {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(p.Moves) || p.Moves[lo].Carrier != r.Rank || p.Moves[lo].Round != r.Round {
		return nil
	}
	return p.Moves[lo : lo+SameRound(p.Moves[lo:])]
}

// Reading returns the request that reads the bytes which r writes back.
func (r *Request) Reading() Request {
	o := *r
	o.Write = false
	return o
}

func (n *Counts) request(r *Request) {
	if r.Lock {
		n.Locks++
	}
	if r.Write {
		n.Writes++
		n.WriteBytes += r.Len
	} else {
		n.Reads++
		n.ReadBytes += r.Len
	}
}

func (n *Counts) move(m *Move) {
	if m.Rank != m.Carrier {
		n.Sent += m.Len
	}
}

// Add adds other counts. Rounds belong to accesses: do not add the rounds of ranks that took
// part in the same access.
func (n *Counts) Add(o Counts) {
	(*trace.Requests)(n).Add(trace.Requests(o))
}

// String returns the counts as a table for people.
func (n Counts) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%19s %14s\n", "requests", "bytes")
	fmt.Fprintf(&b, "read    %11d %14d\n", n.Reads, n.ReadBytes)
	fmt.Fprintf(&b, "written %11d %14d\n", n.Writes, n.WriteBytes)
	fmt.Fprintf(&b, "sent    %26d\n", n.Sent)
	fmt.Fprintf(&b, "useful  %26d\n", n.Useful)
	switch moved := trace.Requests(n).Moved(); {
	case moved == 0:
		b.WriteString("nothing was read or written")
	case moved < n.Useful:
		b.WriteString("ranks ask for the same bytes, which were read and written once")
	default:
		fmt.Fprintf(&b, "%.1f %% of the bytes read and written were useful", 100*float64(n.Useful)/float64(moved))
	}
	fmt.Fprintf(&b, "; %d rounds, %d locks\n", n.Rounds, n.Locks)
	return b.String()
}

// String returns a line about the access and a table of its counts.
func (p *Plan) String() string {
	if p == nil {
		return "no plan"
	}
	who := "1 rank"
	if p.Ranks != 1 {
		who = fmt.Sprintf("%d ranks", p.Ranks)
	}
	how := "each by itself"
	if p.Rounds > 0 {
		how = fmt.Sprintf("through %d aggregators", p.carriers())
	}
	op := p.Op
	if op == "" {
		op = "access"
	}
	return fmt.Sprintf("%s of %s, %s, %v\n%v", op, who, how, p.Strategy, p.Counts())
}

func (p *Plan) carriers() int {
	seen := map[int]bool{}
	for i := range p.Requests {
		seen[p.Requests[i].Rank] = true
	}
	return len(seen)
}

// NewPlan plans by strategy s an access in which rank r moves parts[r]: one call of all
// ranks if together is set, else a call of each. It moves no bytes. Errors: ErrArg for
// invalid settings or parts, and if a strategy of the program does not plan to move each byte
// once (IO-OPEN-04).
func NewPlan(s Strategy, write, together bool, parts []Part) (*Plan, error) {
	if s == nil {
		s = Direct{}
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := checkParts(parts); err != nil {
		return nil, err
	}
	return Lay(s.With(Hints{}), write, together, parts)
}

// CheckPart returns an error for a part that no access can have: ErrArg. The text names its
// rank.
func CheckPart(p *Part, rank int) error {
	switch {
	case p.N < 0 || p.From < 0:
		return invalid(errclass.Arg, "IO-DA-03", "part %d has %d bytes from position %d", rank, p.N, p.From)
	case p.N == 0:
		return nil
	case p.At.L == nil || p.At.L.Size == 0:
		return invalid(errclass.Arg, "IO-VIEW-18", "part %d has bytes in a tiling that shows none", rank)
	case p.From > math.MaxInt64-p.N || !extent.Holds(p.At, p.From+p.N):
		return invalid(errclass.Arg, "IO-DA-16", "part %d ends beyond what a file can hold", rank)
	}
	return nil
}

func checkParts(parts []Part) error {
	for r := range parts {
		if err := CheckPart(&parts[r], r); err != nil {
			return err
		}
	}
	return nil
}

// Lay does the same as [NewPlan], for parts that are known to be valid and a strategy whose
// settings are filled in (see [Strategy.With]). With an error it returns what was planned
// before it.
func Lay(s Strategy, write, together bool, parts []Part) (*Plan, error) {
	p := &Plan{Strategy: s, Write: write, Ranks: len(parts)}
	for r := range parts {
		p.Useful += parts[r].N
	}
	if together {
		if ok, err := p.layTogether(parts); ok || err != nil {
			return p, err
		}
	}
	for r := range parts {
		if parts[r].N == 0 {
			continue
		}
		requests, moves := len(p.Requests), len(p.Moves)
		if err := p.layAlone(&parts[r]); err != nil {
			return p, err
		}
		for i := requests; i < len(p.Requests); i++ {
			p.Requests[i].Rank = r
		}
		for i := moves; i < len(p.Moves); i++ {
			p.Moves[i].Rank, p.Moves[i].Carrier = r, r
		}
	}
	return p, nil
}

// empty returns a plan for the same access without requests. A strategy of the program gets
// it in place of p, and may change it as it likes.
func (p *Plan) empty() *Plan {
	return &Plan{Op: p.Op, Strategy: p.Strategy, Write: p.Write, Ranks: p.Ranks, Useful: p.Useful}
}

// layAlone adds what one rank does to access part, which has bytes.
func (p *Plan) layAlone(part *Part) error {
	switch s := p.Strategy.(type) {
	case Planner:
		own, given := p.empty(), *part
		s.Independent(own, &given)
		alone := p.empty()
		alone.Requests, alone.Moves = own.Requests, own.Moves
		if err := alone.checkAlone(part); err != nil {
			return err
		}
		p.Requests, p.Moves = append(p.Requests, own.Requests...), append(p.Moves, own.Moves...)
	case interface{ alone(p *Plan, part *Part) }:
		s.alone(p, part)
	default:
		Direct{}.alone(p, part)
	}
	return nil
}

// layTogether plans a collective access by a strategy for all ranks together. It returns
// false if the strategy leaves each rank to itself.
func (p *Plan) layTogether(parts []Part) (bool, error) {
	switch s := p.Strategy.(type) {
	case TwoPhase:
		return s.together(p, parts), nil
	case JointPlanner:
		if own := p.empty(); s.Together(own, slices.Clone(parts)) && len(own.Moves) > 0 {
			p.Requests, p.Moves = own.Requests, own.Moves
			return true, p.checkTogether(parts)
		}
	}
	return false, nil
}

// span returns the first byte of the part and the byte after its last.
func span(p *Part) (lo, hi int64) {
	if extent.Ascending(p.At) { // the first byte is the lowest, the last the highest
		return p.At.At(p.From), p.At.At(p.From+p.N-1) + 1
	}
	lo = math.MaxInt64
	for off, n := range p.Runs() {
		lo, hi = min(lo, off), max(hi, off+n)
	}
	return lo, hi
}

func (Direct) alone(p *Plan, part *Part) {
	for off, n := range part.At.Runs(part.From, part.N) {
		p.Requests = append(p.Requests, Request{Write: p.Write, Off: off, Len: n, Runs: 1})
	}
}

func (s List) alone(p *Plan, part *Part) {
	var r *Request
	for off, n := range part.At.Runs(part.From, part.N) {
		if r == nil || r.Runs == s.most() {
			p.Requests = append(p.Requests, Request{Write: p.Write, Off: off, Round: len(p.Requests)})
			r = &p.Requests[len(p.Requests)-1]
		}
		r.Runs++
		r.Len += n
	}
}

func (s List) most() int {
	if s.Most == 0 {
		return defaultMost
	}
	return s.Most
}

func (s Sieve) alone(p *Plan, part *Part) {
	w := window{p: p, buffer: s.ReadBuffer}
	direct := s.Read == Disable
	if p.Write {
		direct, w.buffer = s.Write == Disable, s.WriteBuffer
	}
	_, w.end = span(part)
	requests, lock := len(p.Requests), p.Write && !direct && !part.At.L.Gapless()
	pos := int64(0)
	for off, n := range part.Runs() {
		if direct || n == part.N { // one run needs no sieve
			p.Requests = append(p.Requests, Request{Round: w.round, Write: p.Write, Off: off, Len: n, Runs: 1})
			p.Moves = append(p.Moves, Move{Round: w.round, Off: off, Pos: pos, Len: n})
			w.round++
		} else {
			w.take(off, pos, n)
		}
		pos += n
		if lock { // once, not for each window; ROMIO also does it for one run
			p.Requests[requests].Lock, lock = true, false
		}
	}
	w.close()
}

func (s TwoPhase) alone(p *Plan, part *Part) {
	first := len(p.Requests)
	s.Sieve.alone(p, part)
	if s.Driver == UFS || !p.Write || s.Sieve.Write == Disable {
		return
	}
	for i := first; i < len(p.Requests); i++ { // a lock for each window
		p.Requests[i].Lock = !p.Requests[i].Write
	}
}

// A window is the part of the file in the buffer of a sieve.
type window struct {
	p      *Plan
	buffer int64
	end    int64 // of the access
	off, n int64
	round  int
}

// take moves a run through the window, which moves on as necessary.
//
// A new window begins at the first run outside of the old one, and not at the old one's end,
// so that large gaps cost nothing. A run that crosses the end of a window continues in the
// next one, which then begins at that end.
func (w *window) take(off, pos, n int64) {
	if off < w.off || off >= w.off+w.n {
		w.open(off, min(w.buffer, w.end-off))
	}
	for start := off; ; {
		k := min(n, w.off+w.n-off)
		w.p.Moves = append(w.p.Moves, Move{Round: w.round - 1, Off: off, Pos: pos, Len: k})
		if n -= k; n == 0 {
			return
		}
		off, pos = off+k, pos+k
		if w.p.Write {
			start = off
		} // else the window's length is computed from the begin of the run: a read may go beyond the end
		w.open(off, min(w.buffer, w.end-start))
	}
}

func (w *window) open(off, n int64) {
	w.close()
	w.off, w.n = off, n
	w.p.Requests = append(w.p.Requests, Request{Round: w.round, Off: off, Len: n, Runs: 1})
	w.round++
}

// close writes back the changed bytes.
func (w *window) close() {
	if w.p.Write && w.n > 0 {
		w.p.Requests = append(w.p.Requests, Request{Round: w.round - 1, Write: true, Off: w.off, Len: w.n, Runs: 1})
	}
	w.n = 0
}
