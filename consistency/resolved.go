package consistency

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/commworld/commworld/internal/overlay"
)

// ErrBeyond reports that a program has more outcomes than are tried.
var ErrBeyond = errors.New("more writes race with one access than are tried in all combinations")

// Resolved returns the outcomes of [Allowed] that remain if undefined bytes cannot have
// any value, but only those of whole writes that are delayed, reordered or not seen: all
// outcomes that an exploration shows. Two dots again represent a byte that no rank wrote.
// Errors: as Allowed, and [ErrBeyond].
func Resolved(h History) (Outcomes, error) {
	s, err := newSearch(h)
	if err != nil {
		return nil, err
	}
	r := &resolver{search: s, origin: make([]int, len(s.actions))}
	for i, a := range s.actions {
		for j, b := range s.actions {
			// Writes through one handle are overlaid in the order in which they take place.
			// A call that leaves the size as it is may still have an effect if an earlier
			// write is not seen.
			s.loose[i][j] = (a.writes() || b.writes()) && a.handle != b.handle && a.unordered(b)
			if i != j && b.end.time > 0 && b.end.time <= a.after[b.rank] {
				s.prev[i] = append(s.prev[i], j)
			}
		}
	}
	r.group()
	if err := r.explore(0, nil, make([]string, len(s.results))); err != nil {
		return nil, err
	}
	sort.Slice(s.found, func(i, j int) bool { return s.found[i].String() < s.found[j].String() })
	return s.found, nil
}

// A resolver is a search that remembers which write overlays which, instead of the
// resulting bytes.
type resolver struct {
	*search
	origin []int // for each change of size, the call of one rank that represents those of all
}

// group finds, for each change of size, the first of the ranks that make it; its call
// represents all. It races with each access that races with the call of one of them.
func (r *resolver) group() {
	type call struct{ open, number int }
	first := map[call]int{}
	numbers := map[[2]int]int{}
	for i, a := range r.actions {
		r.origin[i] = i
		if !a.sizes() {
			continue
		}
		k := [2]int{a.open, a.rank}
		c := call{a.open, numbers[k]}
		numbers[k]++
		j, ok := first[c]
		if !ok || a.rank < r.actions[j].rank {
			first[c] = i
		}
	}
	clear(numbers)
	for i, a := range r.actions {
		if !a.sizes() {
			continue
		}
		k := [2]int{a.open, a.rank}
		j := first[call{a.open, numbers[k]}]
		numbers[k]++
		r.origin[i] = j
		for o, loose := range r.loose[i] {
			if loose {
				r.loose[j][o], r.loose[o][j] = true, true
			}
		}
	}
}

// layers returns the writes done so far, as access i sees them.
func (r *resolver) layers(i int, chain []int) []overlay.Layer {
	layers := make([]overlay.Layer, len(chain))
	for k, j := range chain {
		layers[k] = overlay.Layer{Write: r.actions[j].effect, Races: r.loose[i][j]}
	}
	return layers
}

func (r *resolver) explore(done uint64, chain []int, values []string) error {
	if !r.fresh(done, chain, values) {
		return nil
	}
	if len(r.seen) > mostStates {
		return fmt.Errorf("consistency: the program has more than %d states", mostStates)
	}
	if done == 1<<len(r.actions)-1 {
		r.end(chain, values)
		return nil
	}
	for i, a := range r.actions {
		if !r.may(i, done) {
			continue
		}
		var err error
		if a.writes() {
			err = r.write(i, done|1<<i, chain, values)
		} else {
			err = r.look(i, done|1<<i, chain, values)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write continues the search with write i on top and, if other writes race with it, at its
// other positions.
func (r *resolver) write(i int, done uint64, chain []int, values []string) error {
	if r.origin[i] != i {
		return r.explore(done, chain, values)
	}
	marked, all := overlay.Positions(r.layers(i, chain), r.actions[i].effect)
	if !all {
		return fmt.Errorf("consistency: %w", ErrBeyond)
	}
	for _, on := range marked {
		if err := r.explore(done, overlay.InsertBelow(chain, on, i), values); err != nil {
			return err
		}
	}
	return nil
}

// look continues the search with each possible result of read i.
func (r *resolver) look(i int, done uint64, chain []int, values []string) error {
	a := r.actions[i]
	layers := r.layers(i, chain)
	for j, b := range r.actions { // a write that is under way may be seen before it has its position
		if b.Do == DoWrite && b.Request != 0 && !b.atomic && r.loose[i][j] && r.may(j, done&^(1<<i)) {
			layers = append(layers, overlay.Layer{Write: b.effect, Races: true})
		}
	}
	found, all := overlay.Outcomes(r.init, layers, a.effect.Runs)
	if !all {
		return fmt.Errorf("consistency: %w", ErrBeyond)
	}
	for _, s := range found {
		next := slices.Clone(values)
		next[a.result] = fmt.Sprint(s.Size)
		if a.Do == DoRead {
			next[a.result] = r.text(s.Bytes)
		}
		if err := r.explore(done, chain, next); err != nil {
			return err
		}
	}
	return nil
}

func (r *resolver) text(mem []int16) string {
	var b strings.Builder
	for _, v := range mem {
		b.WriteString(r.digit(v, false))
	}
	return b.String()
}

// fresh reports whether the search reaches this state for the first time.
func (r *resolver) fresh(done uint64, chain []int, values []string) bool {
	b := binary.LittleEndian.AppendUint64(nil, done)
	for _, j := range chain {
		b = append(b, byte(j))
	}
	for _, v := range values {
		b = append(append(b, v...), 0)
	}
	if r.seen[string(b)] {
		return false
	}
	r.seen[string(b)] = true
	return true
}

func (r *resolver) end(chain []int, values []string) {
	s := overlay.NewState(r.init, 0, r.width)
	for _, j := range chain {
		s.Apply(r.actions[j].effect)
	}
	o := Outcome{Vars: map[string]string{}, File: r.text(s.Mem[:s.Size])}
	for i, name := range r.results {
		o.Vars[name] = values[i]
	}
	if key := o.String(); !r.keys[key] {
		r.keys[key] = true
		r.found = append(r.found, o)
	}
}
