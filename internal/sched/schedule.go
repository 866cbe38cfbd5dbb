package sched

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A Schedule decides which rank runs when. The zero Schedule is that of a free world, in
// which all ranks run at once. String returns it as one word, a token that [ParseSchedule]
// reads: printed with a failure, it replays the failure.
type Schedule struct {
	kind    kind
	depth   int // of pct
	seed    uint64
	choices []int
	stays   []callID // with choices: see early.go
}

type kind uint8

const (
	freeRun kind = iota
	random
	roundRobin
	reverseRobin
	pct
	chosen
)

// Random returns the schedule in which a seed picks the next rank whenever one starts, ends
// or parks. In some periods, also of random length, it picks at every step that a rank
// makes while others could run.
func Random(seed uint64) Schedule { return Schedule{kind: random, seed: seed} }

// RoundRobin gives the turn to the next higher rank that can run.
func RoundRobin() Schedule { return Schedule{kind: roundRobin} }

// ReverseRobin gives the turn to the next lower rank that can run.
func ReverseRobin() Schedule { return Schedule{kind: reverseRobin} }

// PCT returns the schedule in which ranks have random priorities and the highest always
// runs, except that at depth-1 random moments the running rank falls behind all others. A
// bug that needs depth events in a certain order is found with a probability that has a
// lower bound; a plain random choice has none. A rank that looks for something and does not
// find it falls behind all others, too. depth is at least 1.
func PCT(depth int, seed uint64) Schedule { return Schedule{kind: pct, depth: depth, seed: seed} }

// Choices returns the schedule in which ranks run one at a time and each choice is given by
// its number; after the end of the list it is the first one. See [Explorer].
func Choices(list ...int) Schedule { return Schedule{kind: chosen, choices: list} }

// Free reports whether all ranks run at once.
func (s Schedule) Free() bool { return s.kind == freeRun }

// String returns the token: "random:42", "roundrobin", "roundrobin:reverse", "pct:3:42",
// "choices:0.2.1", "choices:0.2.1+5e1f0a33", "free".
func (s Schedule) String() string {
	switch s.kind {
	case random:
		return fmt.Sprintf("random:%d", s.seed)
	case roundRobin:
		return "roundrobin"
	case reverseRobin:
		return "roundrobin:reverse"
	case pct:
		return fmt.Sprintf("pct:%d:%d", s.depth, s.seed)
	case chosen:
		words := make([]string, len(s.choices))
		for i, c := range s.choices {
			words[i] = strconv.Itoa(c)
		}
		text := "choices:" + strings.Join(words, ".")
		for _, call := range s.stays {
			text += fmt.Sprintf("+%x", uint32(call))
		}
		return text
	}
	return "free"
}

// ParseSchedule returns the Schedule whose String is token.
func ParseSchedule(token string) (Schedule, error) {
	word, rest, args := strings.Cut(token, ":")
	wrong := fmt.Errorf("schedule %q: want free, random:SEED, roundrobin, roundrobin:reverse, pct:DEPTH:SEED or choices:N.N.N", token)
	switch {
	case token == "free":
		return Schedule{}, nil
	case token == "roundrobin":
		return RoundRobin(), nil
	case token == "roundrobin:reverse":
		return ReverseRobin(), nil
	case word == "random" && args:
		seed, err := strconv.ParseUint(rest, 10, 64)
		if err == nil {
			return Random(seed), nil
		}
	case word == "pct" && args:
		d, s, _ := strings.Cut(rest, ":")
		depth, err := strconv.Atoi(d)
		seed, err2 := strconv.ParseUint(s, 10, 64)
		if err == nil && err2 == nil && depth > 0 {
			return PCT(depth, seed), nil
		}
	case word == "choices" && args:
		list, calls, _ := strings.Cut(rest, "+")
		choices, ok := parseChoices(list)
		stays, ok2 := parseCalls(calls)
		if ok && ok2 {
			return Schedule{kind: chosen, choices: choices, stays: stays}, nil
		}
	}
	return Schedule{}, wrong
}

func parseChoices(text string) (list []int, ok bool) {
	if text == "" {
		return nil, true
	}
	for w := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(w)
		if err != nil || n < 0 {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}

func parseCalls(text string) (calls []callID, ok bool) {
	if text == "" {
		return nil, true
	}
	for w := range strings.SplitSeq(text, "+") {
		n, err := strconv.ParseUint(w, 16, 32)
		if err != nil {
			return nil, false
		}
		calls = append(calls, callID(n))
	}
	return calls, true
}

// picker returns the picker that carries out the schedule in a world of n ranks.
func (s Schedule) picker(n int) picker {
	switch s.kind {
	case roundRobin:
		return &inTurn{last: n - 1}
	case reverseRobin:
		return &inTurn{reverse: true}
	case pct:
		return newByPriority(n, s.depth, s.seed)
	case chosen:
		return lowest{}
	}
	return newRandomPicker(s.seed)
}

// A picker chooses the rank that runs next: pick returns an index into ready, which is not
// empty. The order of ready depends only on earlier choices and on what the ranks did, so a
// whole run is repeatable if the picker depends only on its own history. pick also returns
// how many steps the chosen rank may make before the picker is asked again, unless it waits
// or ends earlier.
type picker interface {
	pick(ready []*Rank) (i int, steps uint32)
}

// randomly picks by a seed. The generator and the way numbers are reduced to a range are
// fixed here, so that a seed means the same run under every version of Go.
//
// Two kinds of periods alternate: in one, another rank may be picked at every step; in the
// other, ranks run until they wait. Picking at every step all the time would cost a
// coroutine switch for each message and would hardly ever let one rank get far ahead of
// another, which some bugs need; other bugs need several switches in a row at certain
// steps. Every order stays possible.
type randomly struct {
	src   *rand.PCG
	left  uint32 // picks until the kind of period may change
	steps uint32 // steps that the picked rank may make until then
}

const increment = 0x9e3779b97f4a7c15

// longRun is how many steps a rank makes that runs until it waits. It is finite because a
// rank may wait by polling again and again.
const longRun = 256

func newRandomPicker(seed uint64) *randomly { return &randomly{src: rand.NewPCG(seed, increment)} }

func (p *randomly) pick(ready []*Rank) (i int, steps uint32) {
	if p.left == 0 {
		p.draw()
	}
	p.left--
	if len(ready) == 1 {
		return 0, p.steps
	}
	return below(p.src, len(ready)), p.steps
}

// draw draws the next period: its kind, and its number of picks. The number is a power of
// two, so that short and long programs both see a change.
func (p *randomly) draw() {
	x := p.src.Uint64()
	p.left = 8 << (x & 3)
	p.steps = 0
	if x>>2&1 == 1 {
		p.steps = longRun
	}
}

// below returns a random number less than n.
func below(src *rand.PCG, n int) int {
	i, _ := bits.Mul64(src.Uint64(), uint64(n))
	return int(i)
}

// lowest picks the lowest rank, for runs in which the order does not matter.
type lowest struct{}

func (lowest) pick(ready []*Rank) (int, uint32) {
	best := 0
	for i, r := range ready {
		if r.id < ready[best].id {
			best = i
		}
	}
	return best, 0
}

// highest picks the highest rank, to check that the order does not matter.
type highest struct{}

func (highest) pick(ready []*Rank) (int, uint32) {
	best := 0
	for i, r := range ready {
		if r.id > ready[best].id {
			best = i
		}
	}
	return best, 0
}

// inTurn picks the next rank in a circle.
type inTurn struct {
	last    int
	reverse bool
}

func (p *inTurn) pick(ready []*Rank) (int, uint32) {
	i := p.near(ready)
	if i < 0 {
		i = p.among(ready)
	}
	p.last = int(ready[i].id)
	return i, 0
}

// near looks at the ranks that come next, and returns the index of the first that is ready; -1 if
// as many as are ready are not.
func (p *inTurn) near(ready []*Rank) int {
	ranks := ready[0].s.ranks
	id, step := p.last, 1
	if p.reverse {
		step = -1
	}
	for range ready {
		if id += step; id >= len(ranks) {
			id = 0
		} else if id < 0 {
			id = len(ranks) - 1
		}
		if r := &ranks[id]; int(r.place) < len(ready) && ready[r.place] == r {
			return int(r.place)
		}
	}
	return -1
}

// among returns the index of the ready rank that comes next.
func (p *inTurn) among(ready []*Rank) int {
	best, after := 0, int(^uint(0)>>1)
	for i, r := range ready {
		d := int(r.id) - p.last
		if p.reverse {
			d = -d
		}
		if d <= 0 {
			d += len(r.s.ranks)
		}
		if d < after {
			best, after = i, d
		}
	}
	return best
}

// byPriority is PCT. The moments of change must be drawn before the length of the run is
// known, so a length is drawn first, from powers of two: short and long programs both get
// their share of seeds.
type byPriority struct {
	priority []int  // by rank; the highest runs
	changes  []fall // those to come, in order
	step     int
	fallen   int // times that a rank has looked in vain so far
}

// A fall is a step at which the running rank falls behind all others, then the rank that
// runs in its place, and so on, for the given number of ranks.
type fall struct{ step, ranks int }

// fallBehind puts a rank that has looked in vain behind all others: with the highest
// priority it would look for ever, and no other rank could do what it waits for.
func (p *byPriority) fallBehind(r *Rank) {
	const below = -1 << 30 // priorities of the ranks that fall at one step
	p.fallen++
	p.priority[r.id] = below - p.fallen
}

func newByPriority(n, depth int, seed uint64) *byPriority {
	const longest = 14 // logarithm of the greatest length
	src := rand.NewPCG(seed, increment)
	p := &byPriority{priority: make([]int, n)}
	for i := range p.priority { // a random permutation
		j := below(src, i+1)
		p.priority[i], p.priority[j] = p.priority[j], i+1
	}
	length := 2 << below(src, longest)
	if depth-1 > length {
		p.changes = manyFalls(src, depth-1, length, n)
	} else {
		p.changes = fewFalls(src, depth-1, length)
	}
	return p
}

// fewFalls draws the falls if there are fewer draws than steps.
func fewFalls(src *rand.PCG, draws, length int) []fall {
	steps := make([]int, draws)
	for i := range steps {
		steps[i] = 1 + below(src, length)
	}
	slices.Sort(steps)
	var falls []fall
	for i, step := range steps {
		if i > 0 && step == steps[i-1] {
			falls[len(falls)-1].ranks++
		} else {
			falls = append(falls, fall{step, 1})
		}
	}
	return falls
}

// mostDraws bounds the time that a schedule of any depth takes before its first step to
// about a second.
const mostDraws = 1 << 28

// manyFalls is fewFalls for any number of draws, which may come from an untrusted token. At
// no step more than all n ranks fall, so it stops when all do at every step.
func manyFalls(src *rand.PCG, draws, length, n int) []fall {
	ranks := make([]int, length)
	open := length // steps at which not all fall yet
	for range min(draws, mostDraws) {
		at := below(src, length)
		if ranks[at] == n {
			continue
		}
		ranks[at]++
		if ranks[at] == n {
			if open--; open == 0 {
				break
			}
		}
	}
	var falls []fall
	for i, k := range ranks {
		if k > 0 {
			falls = append(falls, fall{1 + i, k})
		}
	}
	return falls
}

func (p *byPriority) pick(ready []*Rank) (int, uint32) {
	p.step++
	if len(p.changes) > 0 && p.changes[0].step == p.step {
		p.fall(ready, p.changes[0].ranks)
		p.changes = p.changes[1:]
	}
	return p.best(ready), 0
}

// best returns the index of the rank with the highest priority, the first one of several.
func (p *byPriority) best(ready []*Rank) int {
	best := 0
	for i, r := range ready {
		if p.priority[r.id] > p.priority[ready[best].id] {
			best = i
		}
	}
	return best
}

// fall puts the best rank behind those that fell before, as many times as ranks says. When
// all ranks have fallen at this step, further falls change nothing.
func (p *byPriority) fall(ready []*Rank, ranks int) {
	behind := -p.step
	if ranks == 1 {
		p.priority[ready[p.best(ready)].id] = behind
		return
	}
	order := slices.Clone(ready)
	slices.SortStableFunc(order, func(a, b *Rank) int { return cmp.Compare(p.priority[b.id], p.priority[a.id]) })
	for i, r := range order[:min(ranks, len(order))] {
		if i == 0 || p.priority[r.id] > behind {
			p.priority[r.id] = behind
		}
	}
}
