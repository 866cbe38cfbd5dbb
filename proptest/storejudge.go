package proptest

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/proptest/gen"
)

// A storeValue is a value of a key, or none.
type storeValue struct {
	is   bool
	data string
}

func valueOf(p []byte) storeValue { return storeValue{p != nil, string(p)} }

// String returns the value for a report.
func (v storeValue) String() string {
	switch {
	case !v.is:
		return "no value"
	case len(v.data) > 24:
		return fmt.Sprintf("%d bytes, %q...", len(v.data), v.data[:24])
	}
	return fmt.Sprintf("%d bytes, %q", len(v.data), v.data)
}

// A storeKey is a key of one of the stores.
type storeKey struct {
	second bool
	key    string
}

// A storeModel is a store by its definition: the values that a key may have had at the last
// sync, and what each rank puts until the next one, in order. Until then ranks are in no
// order, so a rank may find what another puts later in the program.
type storeModel struct {
	base  map[storeKey][]storeValue
	since map[storeKey]map[int][]storeValue
	own   map[storeKey]map[int]int // how many of them the rank has put so far
}

func newStoreModel() *storeModel {
	return &storeModel{map[storeKey][]storeValue{}, map[storeKey]map[int][]storeValue{}, map[storeKey]map[int]int{}}
}

func (m *storeModel) put(k storeKey, rank int, v storeValue) {
	if m.since[k] == nil {
		m.since[k] = map[int][]storeValue{}
	}
	m.since[k][rank] = append(m.since[k][rank], v)
}

// atSync returns the values of a key at the last sync.
func (m *storeModel) atSync(k storeKey) []storeValue {
	if all, ok := m.base[k]; ok {
		return all
	}
	return []storeValue{{}}
}

// may returns the values of a key that a rank may find.
func (m *storeModel) may(k storeKey, rank int) (all []storeValue) {
	if n := m.own[k][rank]; n > 0 {
		all = append(all, m.since[k][rank][n-1])
	} else {
		all = append(all, m.atSync(k)...)
	}
	for r, list := range m.since[k] {
		if r != rank {
			all = append(all, list...)
		}
	}
	return all
}

// get judges the value that a rank found. If several were possible since the last sync, all
// ranks find this one from now on.
func (m *storeModel) get(k storeKey, rank int, v storeValue) error {
	may := m.may(k, rank)
	if !slices.Contains(may, v) {
		return fmt.Errorf("found %v, want %v", v, anyOf(may))
	}
	if len(m.since[k]) == 0 {
		m.base[k] = []storeValue{v}
	}
	return nil
}

// anyOf returns a text for some values.
func anyOf(may []storeValue) string {
	s := may[0].String()
	for _, v := range may[1:min(len(may), 4)] {
		s += " or " + v.String()
	}
	return s
}

// list judges the keys that a rank found in a store.
func (m *storeModel) list(second bool, rank int, found [][]byte) error {
	got := map[string]bool{}
	for _, key := range found {
		if got[string(key)] {
			return fmt.Errorf("the list has key %s twice", quotedKey(string(key)))
		}
		got[string(key)] = true
	}
	known := map[storeKey]bool{}
	for k := range m.base {
		known[k] = true
	}
	for k := range m.since {
		known[k] = true
	}
	for k := range known {
		if k.second != second {
			continue
		}
		may := m.may(k, rank)
		is := slices.ContainsFunc(may, func(v storeValue) bool { return v.is })
		not := slices.ContainsFunc(may, func(v storeValue) bool { return !v.is })
		switch {
		case got[k.key] && !is:
			return fmt.Errorf("the list has key %s, which has no value", quotedKey(k.key))
		case !got[k.key] && !not:
			return fmt.Errorf("the list lacks key %s, which has %v", quotedKey(k.key), may[0])
		}
		delete(got, k.key)
	}
	for key := range got {
		return fmt.Errorf("the list has key %s, which no rank has put", quotedKey(key))
	}
	return nil
}

// sync publishes what ranks have put in a store.
func (m *storeModel) sync(second bool) {
	for k, by := range m.since {
		if k.second != second {
			continue
		}
		var last []storeValue
		for _, list := range by {
			last = append(last, list[len(list)-1])
		}
		m.base[k] = last
		delete(m.since, k)
		delete(m.own, k)
	}
}

// crash makes what ranks have put since the last sync possible, and no more.
func (m *storeModel) crash() {
	for k, by := range m.since {
		all := slices.Clone(m.atSync(k))
		for _, list := range by {
			all = append(all, list...)
		}
		m.base[k] = all
	}
	clear(m.since)
	clear(m.own)
}

// empty removes all keys of a store.
func (m *storeModel) empty(second bool) {
	m.sync(second)
	for k := range m.base {
		if k.second == second {
			m.base[k] = []storeValue{{}}
		}
	}
}

// A storeSeen is the result of one operation on one rank.
type storeSeen struct {
	begun, done bool
	value       storeValue
	keys        [][]byte
}

// judge judges operations [from, to) of a life. Results are those of the ranks that had
// begun them.
func (m *storeModel) judge(p *StoreProgram, seen [][]storeSeen, from, to int) error {
	for _, second := range []bool{false, true} {
		for k := from; k < to; {
			next := p.nextOrder(seen, second, k, to)
			if err := m.between(p, seen, second, k, next); err != nil {
				return err
			}
			if next < to {
				m.ordered(&p.Ops[next])
			}
			k = next + 1
		}
	}
	return nil
}

// nextOrder returns the next operation from k on that orders the ranks in their use of a
// store: one that some rank has completed.
func (p *StoreProgram) nextOrder(seen [][]storeSeen, second bool, k, to int) int {
	for ; k < to; k++ {
		o := &p.Ops[k]
		orders := o.Do == StoreSync || o.Do == StoreReopen || o.Do == StoreOwn && o.Effect != gen.ChangesNothing
		if orders && o.Second == second && slices.ContainsFunc(seen[k], func(s storeSeen) bool { return s.done }) {
			return k
		}
	}
	return to
}

// between judges what ranks do with a store between two syncs.
func (m *storeModel) between(p *StoreProgram, seen [][]storeSeen, second bool, from, to int) error {
	each := func(do func(o *StoreOp, k, rank int, see *storeSeen) error) error {
		for k := from; k < to; k++ {
			o := &p.Ops[k]
			for r := range p.Ranks {
				if !seen[k][r].begun || o.Second != second || !o.all() && o.Rank != r {
					continue
				}
				if err := do(o, k, r, &seen[k][r]); err != nil {
					return fmt.Errorf("rank %d, operation %d, %v: %w", r, k, o, err)
				}
			}
		}
		return nil
	}
	_ = each(func(o *StoreOp, k, r int, _ *storeSeen) error {
		if v, ok := o.puts(r, k); ok {
			m.put(storeKey{second, string(o.key(r))}, r, v)
		}
		return nil
	})
	return each(m.judgeRank)
}

// puts returns the value that an operation of a rank puts.
func (o *StoreOp) puts(rank, k int) (v storeValue, ok bool) {
	switch o.Do {
	case StorePut, StorePutAll:
		return valueOf(o.value(rank, k)), true
	case StoreDelete:
		return v, true
	}
	return v, false
}

func (m *storeModel) judgeRank(o *StoreOp, k, r int, see *storeSeen) error {
	key := storeKey{o.Second, string(o.key(r))}
	switch _, puts := o.puts(r, k); {
	case puts:
		if m.own[key] == nil {
			m.own[key] = map[int]int{}
		}
		m.own[key][r]++
	case o.Do == StoreGet && see.done:
		return m.get(key, r, see.value)
	case o.Do == StoreKeys && see.done:
		return m.list(o.Second, r, see.keys)
	}
	return nil
}

// ordered applies an operation that orders ranks.
func (m *storeModel) ordered(o *StoreOp) {
	switch {
	case o.Do == StoreSync, o.Do == StoreReopen, o.Do == StoreOwn && o.Effect == gen.Syncs:
		m.sync(o.Second)
	case o.Do == StoreOwn && o.Effect == gen.Empties:
		m.empty(o.Second)
	}
}
