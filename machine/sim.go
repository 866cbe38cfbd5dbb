package machine

import (
	"container/heap"
	"context"
	"strings"

	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/iofile/strategy"
)

// Options say how the model runs a program.
type Options struct {
	Strategy strategy.Strategy // of accesses without their own; nil: [strategy.ROMIO]
	Hints    strategy.Hints    // used if the strategy has no values; striping_unit and the ranks of a node come from the machine

	// Follow makes the report record the work of the servers and of these ranks over time.
	Follow []int
	Chart  bool

	// Progress is called before each run that [Advise] makes, with what is run.
	Progress func(what string)

	// Observe is called with each request and each access of the run when it is done.
	Observe func(Access)
}

// An Access is a request to the file system, or the call of a rank that caused requests,
// with the model's times.
type Access struct {
	Rank       int
	File       string
	Write      bool
	Off, Len   int64 // the first byte, and the number of bytes; they need not be contiguous
	Begin, End float64
	Call       bool // a call of MPI-IO; else a request
	First      int  // the server of the file's first stripe
}

// A sim is one run of the model.
type sim struct {
	ctx context.Context
	m   *Machine
	p   *Program
	s   strategy.Strategy

	now   []float64 // of each rank
	next  []int32   // call of each rank
	ranks []Parts   // the time of each rank, by part
	since []Parts   // the same since the last meeting
	works []*work   // accesses under way
	queue queue     // ranks that can continue, the earliest first
	ended int
	wrong error // of a strategy of the program; it ends the run

	rooms    map[roomKey]*room   // collective calls under way
	messages map[int64]*message  // that were sent or are waited for
	groups   map[*Group]*members // and nil: all ranks
	blocked  []*Call             // by rank: the call in which it waits for others

	files      map[string]*file
	nextServer int
	servers    []server
	in, out    []float64 // when each node's link is free
	meta       float64
	metaOps    int64
	caches     []cache // of nodes

	pieces  []piece
	pieceAt []int32

	lastEnd map[fileRank]int64        // of a rank's last request
	pipes   map[fileRank]float64      // by node: when it can move the next bytes of a shared file
	objects map[fileRank]users        // by server: which ranks write the file there
	extents map[objectRank]lockExtent // of files that several ranks write

	counts    strategy.Counts
	sizes     [len(trace.SizeNames)]int64
	lockMoves int64
	runs      int64               // of all accesses
	used      []strategy.Strategy // by accesses
	end       float64
	labels    map[string]*LabelTime
	paths     []*stride // by rank: the critical path to its last meeting
	charts    map[int]*timeline
	tracer    *tracer // nil: no trace is written
	observe   func(Access)
	under     []under // by rank, if observe is set: its present access
}

// An under is an access that is under way, for the observer.
type under struct {
	Access
	some bool
}

// A work is an access under way, in the form of its requests.
type work struct {
	file     *file
	call     Call
	requests []strategy.Request
	runs     []run // the contiguous pieces of the present request
	part     strategy.Part
	done     int64 // packed bytes of the part that requests have covered
	locked   bool
	waiting  bool
	copied   float64 // time for moving bytes through buffers, per request
	each     bool    // each request has its own lock, at the metadata server
}

// A run is a contiguous piece of a file.
type run struct{ off, n int64 }

// Run runs p on m. The same arguments give the same report. Errors: ErrArg for an invalid
// machine, strategy or program, and the error of ctx if it ends.
func Run(ctx context.Context, m Machine, p Program, o Options) (*Report, error) {
	if err := check(&m, &p, &o); err != nil {
		return nil, err
	}
	s := newSim(ctx, &m, &p, o)
	if err := s.run(); err != nil {
		return nil, err
	}
	return s.report(), nil
}

// maxRanks is the largest number of ranks of the model.
const maxRanks = 1 << 24

func newSim(ctx context.Context, m *Machine, p *Program, o Options) *sim {
	n := p.Ranks
	h := m.hints(o.Hints, o.Strategy, n)
	s := &sim{
		ctx: ctx, m: m, p: p, s: o.Strategy.With(h),
		now: make([]float64, n), next: make([]int32, n), ranks: make([]Parts, n), since: make([]Parts, n), works: make([]*work, n),
		rooms: map[roomKey]*room{}, messages: map[int64]*message{}, groups: map[*Group]*members{}, blocked: make([]*Call, n), paths: make([]*stride, n),
		queue: queue{list: make([]int32, n)}, files: map[string]*file{}, servers: make([]server, m.Servers), pieceAt: make([]int32, m.Servers),
		labels: map[string]*LabelTime{},
	}
	nodes := s.node(n-1) + 1
	s.in, s.out = make([]float64, nodes), make([]float64, nodes)
	if m.Cache > 0 {
		s.caches = make([]cache, nodes)
	}
	s.queue.now = s.now
	for r := range n {
		s.queue.list[r] = int32(r)
	}
	if s.observe = o.Observe; s.observe != nil {
		s.under = make([]under, n)
	}
	if o.Chart {
		for i := range s.servers {
			s.servers[i].timeline = new(timeline)
		}
		s.charts = map[int]*timeline{}
		for _, r := range o.Follow {
			s.charts[r] = new(timeline)
		}
	}
	return s
}

func (s *sim) node(rank int) int { return rank / s.m.RanksPerNode }

// run repeats the next step of the earliest rank until all ranks have ended.
func (s *sim) run() error {
	for steps := 0; len(s.queue.list) > 0; steps++ {
		if steps%4096 == 0 {
			if err := context.Cause(s.ctx); err != nil {
				return err
			}
		}
		if err := s.turn(); err != nil {
			return err
		}
	}
	return s.stuck()
}

// turn makes the earliest rank do its next step.
func (s *sim) turn() error {
	rank := int(heap.Pop(&s.queue).(int32))
	goes, err := s.step(rank)
	if err == nil {
		err = s.wrong
	}
	if goes && err == nil {
		heap.Push(&s.queue, int32(rank))
	}
	return err
}

// stuck returns an error for a rank that waits forever.
func (s *sim) stuck() error {
	for rank, c := range s.blocked {
		switch {
		case c == nil:
		case c.Op == Receive:
			return fault("rank %d waits in %s for message %d, which no rank sends", rank, c.label(), c.Number)
		default:
			return fault("rank %d waits in %s for the other ranks of it, but %d ranks have ended", rank, c.label(), s.ended)
		}
	}
	return nil
}

// resume lets rank continue at t.
func (s *sim) resume(rank int, t float64) {
	s.blocked[rank] = nil
	s.now[rank] = t
	heap.Push(&s.queue, int32(rank))
}

// step makes rank, the earliest, do its next request or call, and reports whether it can
// continue then.
func (s *sim) step(rank int) (goes bool, err error) {
	if w := s.works[rank]; w != nil {
		s.advance(rank, w)
		return true, nil
	}
	if s.observe != nil {
		s.reportDone(rank)
	}
	i := int(s.next[rank])
	if i >= s.p.Calls(rank) {
		s.ended++
		s.end = max(s.end, s.now[rank])
		return false, nil
	}
	s.next[rank]++
	c := s.p.Call(rank, i)
	if err := s.check(rank, &c); err != nil {
		return false, err
	}
	if s.observe != nil && (c.Op == Write || c.Op == Read) && c.Part.N > 0 {
		s.under[rank] = under{Access{
			Rank: rank, File: c.File, Write: c.Op == Write, Off: c.Part.At.At(c.Part.From), Len: c.Part.N, Begin: s.now[rank], Call: true, First: s.file(c.File).first,
		}, true}
	}
	switch {
	case c.Op == Send:
		return true, s.send(rank, &c)
	case c.Op == Receive:
		return s.receive(rank, &c)
	case c.Op == Collective || c.Op == Start || c.Op == Finish:
		return s.collective(rank, &c)
	case c.meets(s.rounds(&c)) && !s.isSingle(&c):
		return false, s.arrive(rank, &c)
	}
	return s.alone(rank, &c), nil
}

// reportDone reports the access of rank, if it has made one, to the observer.
func (s *sim) reportDone(rank int) {
	if u := &s.under[rank]; u.some {
		u.some, u.End = false, s.now[rank]
		s.observe(u.Access)
	}
}

// isSingle reports whether c is a call without data of a single rank, which costs the same
// whether or not it is collective.
func (s *sim) isSingle(c *Call) bool {
	n := s.p.Ranks
	if c.Group != nil {
		n = len(c.Group.Ranks)
	}
	return n == 1 && c.Op != Write && c.Op != Read
}

// strategyOf returns the strategy that moves the bytes of an access.
func (s *sim) strategyOf(c *Call) strategy.Strategy {
	if c.Strategy == nil {
		return s.s
	}
	return c.Strategy
}

// strategies returns the strategies that moved bytes, or that of the options if none did.
func (s *sim) strategies() string {
	if s.used == nil {
		return s.s.String()
	}
	names := make([]string, len(s.used))
	for i, u := range s.used {
		names[i] = u.String()
	}
	return strings.Join(names, ", ")
}

// rounds reports whether collective calls on c's file meet to move their bytes.
func (s *sim) rounds(c *Call) bool {
	return strategy.Joint(s.strategyOf(c))
}

// check returns an error for an invalid call.
func (s *sim) check(rank int, c *Call) error {
	switch {
	case c.Op > Finish:
		return fault("rank %d makes call %d, which does not exist", rank, c.Op)
	case c.Op >= Send:
		return s.checkMessage(rank, c)
	case c.Op == Write || c.Op == Read:
		return checkAccess(rank, c)
	case c.Op == Work && !(c.Seconds >= 0 && c.Seconds <= maxTime):
		return fault("rank %d computes for %v seconds; it needs 0 to %v", rank, c.Seconds, float64(maxTime))
	}
	return nil
}

func (s *sim) checkMessage(rank int, c *Call) error {
	switch {
	case c.Bytes < 0:
		return fault("rank %d makes %s of %d bytes", rank, c.label(), c.Bytes)
	case c.Op == Send && (c.To < 0 || c.To >= s.p.Ranks):
		return fault("rank %d sends to rank %d, of %d ranks", rank, c.To, s.p.Ranks)
	case c.Kind > Allreduce:
		return fault("rank %d makes a collective call of kind %d, which does not exist", rank, c.Kind)
	}
	return nil
}

func checkAccess(rank int, c *Call) error {
	switch {
	case c.Pointer > Ordered:
		return fault("rank %d makes an access with pointer %d; there are Explicit, Shared and Ordered", rank, c.Pointer)
	case c.Pointer == Ordered && !c.Together:
		return fault("rank %d makes an ordered access that is not collective", rank)
	}
	if c.Strategy != nil {
		if err := c.Strategy.Check(); err != nil {
			return err
		}
	}
	return strategy.CheckPart(&c.Part, rank)
}

// spend charges a rank's time, and the time of the call's label, to parts.
func (s *sim) spend(rank int, label string, until float64, spent *Parts) {
	if t := s.charts[rank]; t != nil {
		if whole := until - s.now[rank]; whole > 0 {
			t.add(s.now[rank], until, 1-spent[InPeers]/whole)
		}
	}
	s.tracer.spent(rank, label, s.now[rank], until, spent)
	s.now[rank] = until
	s.end = max(s.end, until)
	s.ranks[rank].add(spent)
	s.since[rank].add(spent)
	l := s.labels[label]
	if l == nil {
		l = &LabelTime{Label: label}
		s.labels[label] = l
	}
	l.Parts.add(spent)
}

// A queue is a heap of ranks: the earliest first, among equals the lowest rank.
type queue struct {
	list []int32
	now  []float64
}

func (q *queue) Len() int { return len(q.list) }

func (q *queue) Less(i, j int) bool {
	a, b := q.list[i], q.list[j]
	return q.now[a] < q.now[b] || q.now[a] == q.now[b] && a < b
}

func (q *queue) Swap(i, j int) { q.list[i], q.list[j] = q.list[j], q.list[i] }

func (q *queue) Push(x any) { q.list = append(q.list, x.(int32)) }

func (q *queue) Pop() any {
	last := len(q.list) - 1
	x := q.list[last]
	q.list = q.list[:last]
	return x
}
