package consistency

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrBeyond says that a program can end in more ways than are looked for.
var ErrBeyond = errors.New("more writes race with one access than are tried in all combinations")

// Resolved returns what is left of [Allowed] if undefined bytes are not any, but
// what whole writes leave that are delayed, reordered or not seen at all: all
// outcomes that an exploration shows. Two dots still stand for a byte that nobody
// wrote. Errors: as Allowed, and [ErrBeyond].
func Resolved(h History) (Outcomes, error) {
	s, err := newSearch(h)
	if err != nil {
		return nil, err
	}
	r := &resolver{search: s, stands: make([]int, len(s.actions))}
	for i, a := range s.actions {
		for j, b := range s.actions {
			// Through one handle they lie in the order in which they take place. A change
			// of size that changes nothing may do so where a write before it is not seen.
			s.loose[i][j] = (a.writes() || b.writes()) && a.handle != b.handle && a.loose(b)
			if i != j && b.end.time > 0 && b.end.time <= a.after[b.rank] {
				s.prev[i] = append(s.prev[i], j)
			}
		}
	}
	r.group()
	if err := r.explore(0, nil, make([]string, len(s.results))); err != nil {
		return nil, err
	}
	slices.SortFunc(s.found, func(a, b Outcome) int { return strings.Compare(a.String(), b.String()) })
	return s.found, nil
}

// A resolver is a search that remembers what lies on what instead of what follows
// from it.
type resolver struct {
	*search
	stands []int // of each change of size, the one of the same call that stands for all ranks
}

// group finds for each change of size the first of the ranks that make it, whose
// call does it. It races with what the call of any of them does.
func (r *resolver) group() {
	type call struct{ open, number int }
	first := map[call]int{}
	numbers := map[[2]int]int{}
	for i, a := range r.actions {
		r.stands[i] = i
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
		r.stands[i] = j
		for o, loose := range r.loose[i] {
			if loose {
				r.loose[j][o], r.loose[o][j] = true, true
			}
		}
	}
}

// layers is what was done, as access i finds it.
func (r *resolver) layers(i int, chain []int) []layer {
	layers := make([]layer, len(chain))
	for k, j := range chain {
		layers[k] = layer{&r.actions[j].Step, r.loose[i][j]}
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

// write goes on with the write i on top and, if others race with it, below them.
func (r *resolver) write(i int, done uint64, chain []int, values []string) error {
	if r.stands[i] != i {
		return r.explore(done, chain, values)
	}
	marked, all := places(r.layers(i, chain), &r.actions[i].Step)
	if !all {
		return fmt.Errorf("consistency: %w", ErrBeyond)
	}
	for _, on := range marked {
		if err := r.explore(done, lift(chain, on, i), values); err != nil {
			return err
		}
	}
	return nil
}

// look goes on with all that the read i may find.
func (r *resolver) look(i int, done uint64, chain []int, values []string) error {
	a := r.actions[i]
	layers := r.layers(i, chain)
	for j, b := range r.actions { // what is under way may be seen before it has its place
		if b.Do == DoWrite && b.Request != 0 && !b.atomic && r.loose[i][j] && r.may(j, done&^(1<<i)) {
			layers = append(layers, layer{&b.Step, true})
		}
	}
	found, all := sights(r.init, layers, a.Runs)
	if !all {
		return fmt.Errorf("consistency: %w", ErrBeyond)
	}
	for _, s := range found {
		next := slices.Clone(values)
		next[a.result] = fmt.Sprint(s.size)
		if a.Do == DoRead {
			next[a.result] = r.text(s.bytes)
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

// fresh reports whether the search comes here for the first time.
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
	s := newScene(r.init, 0, r.width)
	for _, j := range chain {
		s.lay(&r.actions[j].Step)
	}
	o := Outcome{Vars: map[string]string{}, File: r.text(s.mem[:s.size])}
	for i, name := range r.results {
		o.Vars[name] = values[i]
	}
	if key := o.String(); !r.keys[key] {
		r.keys[key] = true
		r.found = append(r.found, o)
	}
}
