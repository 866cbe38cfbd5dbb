package faults

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"sync/atomic"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/sched"
)

// ErrKilled is wrapped by the error of a rank that a rule killed.
var ErrKilled = errors.New("the rank was killed")

// NoRank is the rank of an event that belongs to no rank of a world.
const NoRank = -1

// An Event is a call or a movement of bytes into which a fault can be injected.
type Event struct {
	Op   Op  // the kind of event, in a word of this package
	Name Op  // name of the data access, for Call
	Rank int // in the world, or NoRank
	File string
	Off  int64 // of the first byte, for Read and Write
	N    int64 // bytes, for Read and Write
}

// An Outcome is the result of applying a plan to an event.
type Outcome struct {
	Move  int64 // bytes that move, at most those of the event
	Err   error // the error of the event; nil if it succeeds
	Delay int   // turns of the scheduler that pass first
}

// A Plan applies rules, and counts for them. Its methods may be called by many
// ranks at once. The zero value is a plan without rules.
type Plan struct {
	some  atomic.Bool // the plan has rules
	mu    sched.Mutex
	rules []*armed
}

// armed is a rule with its counts.
type armed struct {
	Rule
	text   string
	seen   map[int]int64 // events for which its conditions hold, by rank
	passed map[int]int64 // bytes, by the result of purse
	struck int64
}

// NewPlan returns a plan of rules. Errors: ErrArg for an invalid rule.
func NewPlan(rules ...Rule) (*Plan, error) {
	p := new(Plan)
	return p, p.Set(rules...)
}

// Set replaces the rules and resets all counts. Without rules no fault is injected. Errors:
// ErrArg, and then the plan does not change.
func (p *Plan) Set(rules ...Rule) error {
	next := make([]*armed, len(rules))
	for i, r := range rules {
		if err := r.Check(); err != nil {
			return err
		}
		r.Ranks = slices.Clone(r.Ranks)
		if r.Torn > 0 && r.Error == 0 {
			r.Error = errclass.IO
		}
		next[i] = &armed{Rule: r, text: r.String(), seen: map[int]int64{}, passed: map[int]int64{}}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = next
	p.some.Store(len(next) > 0)
	return nil
}

// Struck returns how often each rule was applied; nil for a nil plan.
func (p *Plan) Struck() []int64 {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	counts := make([]int64, len(p.rules))
	for i, a := range p.rules {
		counts[i] = a.struck
	}
	return counts
}

// String returns the rules, one on a line; empty for a nil plan.
func (p *Plan) String() string {
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var text string
	for _, a := range p.rules {
		text += a.text + "\n"
	}
	return text
}

// Meet applies the plan to e. Every rule counts it; the first that applies decides. A nil
// plan changes nothing.
func (p *Plan) Meet(e Event) Outcome {
	all := Outcome{Move: e.N}
	if p == nil || !p.some.Load() {
		return all
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	out, struck := all, false
	for _, a := range p.rules {
		if o, hit := a.meet(e); hit && !struck {
			a.struck++
			out, struck = o, true
		}
	}
	p.passed(e, out.Move)
	return out
}

// passed counts the bytes that moved, for rules with after.
func (p *Plan) passed(e Event, n int64) {
	for _, a := range p.rules {
		if a.After > 0 && a.holds(e) {
			k := a.countKey(e.Rank)
			a.passed[k] = min(a.After, a.passed[k]+n)
		}
	}
}

// countKey returns the key under which the bytes of a rank are counted: one key for all
// ranks if the rule names no rank.
func (a *armed) countKey(rank int) int {
	if len(a.Ranks) > 0 {
		return rank
	}
	return math.MinInt
}

// holds reports whether e satisfies the conditions of the rule that need no counts.
func (a *armed) holds(e Event) bool {
	switch {
	case a.Op != e.Op && (e.Op != Call || a.Op != e.Name):
		return false
	case len(a.Ranks) > 0 && !slices.Contains(a.Ranks, e.Rank):
		return false
	case a.To > 0 && (e.Off >= a.To || e.Off+e.N <= a.From):
		return false
	case a.File != "":
		ok, err := path.Match(a.File, e.File)
		return err == nil && ok
	}
	return true
}

// meet counts e and, if the rule applies, returns its outcome.
func (a *armed) meet(e Event) (Outcome, bool) {
	if !a.holds(e) {
		return Outcome{}, false
	}
	a.seen[e.Rank]++
	k := a.seen[e.Rank]
	if a.First > 0 && (k < a.First || k > a.Last) || a.Odds > 0 && mix(a.Seed, uint64(e.Rank), uint64(k))%uint64(a.Odds) != 0 {
		return Outcome{}, false
	}
	o := Outcome{Move: e.N, Delay: a.Delay}
	if a.moves() {
		room := a.After - a.passed[a.countKey(e.Rank)]
		if a.After > 0 && room >= e.N {
			return Outcome{}, false
		}
		o.Move = a.upTo(e, max(room, 0))
	} else if a.Error != 0 || a.Kill {
		o.Move = 0
	}
	switch {
	case a.Kill:
		o.Err = fmt.Errorf("rule %q: %w", a.text, ErrKilled)
	case a.Error != 0:
		o.Err = fmt.Errorf("rule %q: %w", a.text, a.Error)
	case a.Short > 0 && o.Move == e.N:
		return Outcome{}, false // the event is already that short
	}
	return o, true
}

// upTo returns how many bytes of e move before the fault.
func (a *armed) upTo(e Event, room int64) int64 {
	n := room
	if a.From > e.Off {
		n = max(n, a.From-e.Off)
	}
	n += a.Torn
	if a.Short > 0 {
		n += a.Short
	}
	return min(n, e.N)
}

// mix returns a hash of three numbers.
func mix(x, y, z uint64) uint64 {
	for _, k := range []uint64{y, z} {
		x += k + 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}
