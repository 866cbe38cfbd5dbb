package proptest

import (
	"fmt"
	"iter"
	"slices"

	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
)

// A value is the value of a key of a store or of an element of an array, or none.
type value struct {
	is     bool
	anyOne bool // undefined
	data   string
}

func valueOf(p []byte) value { return value{is: p != nil, data: string(p)} }

// String returns the value for a report.
func (v value) String() string {
	switch {
	case v.anyOne:
		return "any value"
	case !v.is:
		return "no value"
	case len(v.data) > 24:
		return fmt.Sprintf("%d bytes, %q...", len(v.data), v.data[:24])
	}
	return fmt.Sprintf("%d bytes, %q", len(v.data), v.data)
}

// A place is a key of one of the stores, or an element of an array of one of the data sets.
type place struct {
	second bool
	name   string
	i      int64
}

// A visibility is a store, or a data set, by its definition: the values that a place may have had
// at the last sync, and what each rank puts until the next one, in order. Until then ranks
// are in no order, so a rank may find what another puts later in the program.
type visibility struct {
	base  map[place][]value
	since map[place]map[int][]value
	own   map[place]map[int]int // how many of them the rank has put so far

	unwritten func(at place) value // nil: no value
	torn      bool                 // a value that several ranks put may be a mixture of their bytes, which reports show
	records   [2]recordCount
}

func newVisibility() *visibility {
	return &visibility{base: map[place][]value{}, since: map[place]map[int][]value{}, own: map[place]map[int]int{}}
}

func (m *visibility) put(k place, rank int, v value) {
	if m.since[k] == nil {
		m.since[k] = map[int][]value{}
	}
	m.since[k][rank] = append(m.since[k][rank], v)
}

// atSync returns the values of a place at the last sync.
func (m *visibility) atSync(k place) []value {
	if all, ok := m.base[k]; ok {
		return all
	}
	if m.unwritten != nil {
		return []value{m.unwritten(k)}
	}
	return []value{{}}
}

// may returns the values of a place that a rank may find.
func (m *visibility) may(k place, rank int) (all []value) {
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

// allows reports whether v is one of some values or, of an array, a mixture of their bytes.
func (m *visibility) allows(may []value, v value) bool {
	if slices.ContainsFunc(may, func(x value) bool { return x.anyOne || x == v }) {
		return true
	}
	if !m.torn || len(may) < 2 {
		return false
	}
	for i := range len(v.data) {
		if !slices.ContainsFunc(may, func(x value) bool { return i < len(x.data) && x.data[i] == v.data[i] }) {
			return false
		}
	}
	return true
}

// get judges the value that a rank found. If several were possible since the last sync, all
// ranks find this one from now on.
func (m *visibility) get(k place, rank int, v value) error {
	may := m.may(k, rank)
	if !m.allows(may, v) {
		return fmt.Errorf("found %s, want %s", m.text(v), m.anyOf(may))
	}
	if len(m.since[k]) == 0 && !may[0].anyOne {
		m.base[k] = []value{v}
	}
	return nil
}

// anyOf returns a text for some values.
func (m *visibility) anyOf(may []value) string {
	s := m.text(may[0])
	for _, v := range may[1:min(len(may), 4)] {
		s += " or " + m.text(v)
	}
	return s
}

// text returns a value for a report: an element as its bytes.
func (m *visibility) text(v value) string {
	if m.torn && v.is && !v.anyOne {
		return fmt.Sprintf("% x", v.data)
	}
	return v.String()
}

// list judges the keys that a rank found in a store.
func (m *visibility) list(second bool, rank int, found [][]byte) error {
	got := map[string]bool{}
	for _, key := range found {
		if got[string(key)] {
			return fmt.Errorf("the list has key %s twice", gen.QuotedKey(string(key)))
		}
		got[string(key)] = true
	}
	known := map[place]bool{}
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
		is := slices.ContainsFunc(may, func(v value) bool { return v.is })
		not := slices.ContainsFunc(may, func(v value) bool { return !v.is })
		switch {
		case got[k.name] && !is:
			return fmt.Errorf("the list has key %s, which has no value", gen.QuotedKey(k.name))
		case !got[k.name] && !not:
			return fmt.Errorf("the list lacks key %s, which has %v", gen.QuotedKey(k.name), may[0])
		}
		delete(got, k.name)
	}
	for key := range got {
		return fmt.Errorf("the list has key %s, which no rank has put", gen.QuotedKey(key))
	}
	return nil
}

// sync publishes what ranks have put.
func (m *visibility) sync(second bool) {
	for k, by := range m.since {
		if k.second != second {
			continue
		}
		var last []value
		for _, list := range by {
			last = append(last, list[len(list)-1])
		}
		m.base[k] = last
		delete(m.since, k)
		delete(m.own, k)
	}
	m.records[numberOf(second)].sync()
}

// crash makes what ranks have put since the last sync possible, and no more.
func (m *visibility) crash() {
	for k, by := range m.since {
		all := slices.Clone(m.atSync(k))
		for _, list := range by {
			all = append(all, list...)
		}
		m.base[k] = all
	}
	clear(m.since)
	clear(m.own)
	for i := range m.records {
		m.records[i].crash()
	}
}

// empty removes all values.
func (m *visibility) empty(second bool) {
	m.sync(second)
	for k := range m.base {
		if k.second == second {
			delete(m.base, k)
			m.base[k] = m.atSync(k)
		}
	}
	m.records[numberOf(second)] = recordCount{}
}

func numberOf(second bool) int {
	if second {
		return 1
	}
	return 0
}

// A recordCount is how many records a data set has: from least to most at the last sync, and
// what ranks have written since.
type recordCount struct {
	least, most int64
	since, own  map[int]int64
}

func (c *recordCount) put(rank int, n int64) {
	if c.since == nil {
		c.since, c.own = map[int]int64{}, map[int]int64{}
	}
	c.since[rank] = max(c.since[rank], n)
}

// counts records that a rank's write has extended the data set.
func (c *recordCount) counts(rank int, n int64) { c.own[rank] = max(c.own[rank], n) }

// bounds returns the counts that a rank may find.
func (c *recordCount) bounds(rank int) (least, most int64) {
	least, most = max(c.least, c.own[rank]), c.most
	for _, n := range c.since {
		most = max(most, n)
	}
	return least, most
}

// get judges the count that a rank found.
func (c *recordCount) get(rank int, n int64) error {
	least, most := c.bounds(rank)
	switch {
	case least == most && n != least:
		return fmt.Errorf("found %d records, want %d", n, least)
	case n < least || n > most:
		return fmt.Errorf("found %d records, want %d to %d", n, least, most)
	case len(c.since) == 0:
		c.least, c.most = n, n
	}
	return nil
}

func (c *recordCount) sync() {
	for _, n := range c.since {
		c.least, c.most = max(c.least, n), max(c.most, n)
	}
	c.since, c.own = nil, nil
}

func (c *recordCount) crash() {
	_, c.most = c.bounds(noRank)
	c.since, c.own = nil, nil
}

// noRank is the rank of a reader that has put nothing.
const noRank = -1

// A finding is the result of one operation on one rank.
type finding struct {
	begun, done bool
	values      []found
	keys        [][]byte
	listed      bool
	records     int64
	counted     bool
}

type found struct {
	at place
	v  value
}

// judge judges operations [from, to) of a life. Results are those of the ranks that had
// begun them.
func (m *visibility) judge(p *gen.Program, seen [][]finding, from, to int) error {
	for _, second := range []bool{false, true} {
		for k, last := from, -1; k <= to; {
			next := nextOrder(p, seen, second, k, to)
			if err := m.between(p, seen, second, k, next, last); err != nil {
				return err
			}
			if next < to {
				m.ordered(&p.Ops[next])
			}
			k, last = next+1, next
		}
	}
	return nil
}

// nextOrder returns the next operation from k on that orders the ranks in their use of a
// store or data set: one that some rank has completed.
func nextOrder(p *gen.Program, seen [][]finding, second bool, k, to int) int {
	for ; k < to; k++ {
		o := &p.Ops[k]
		orders := o.Do == gen.Sync || o.Do == gen.Reopen || o.Do == gen.Own && o.Effect != gen.ChangesNothing
		if orders && o.Second == second && slices.ContainsFunc(seen[k], func(s finding) bool { return s.done }) {
			return k
		}
	}
	return to
}

// between judges what ranks do between two syncs, and how many records they found behind the
// operation last that ordered them, if it is not negative: other ranks may have written since.
func (m *visibility) between(p *gen.Program, seen [][]finding, second bool, from, to, last int) error {
	differs := func(k, r int, err error) error {
		return &Disagreement{Program: p, Op: k, Rank: r, Rule: "CONS-SYNC-01", What: err.Error()}
	}
	each := func(do func(k, rank int, see *finding) error) error {
		for k := from; k < to; k++ {
			o := &p.Ops[k]
			for r := range p.Ranks {
				if !seen[k][r].begun || o.Second != second || !o.By(r) {
					continue
				}
				if err := do(k, r, &seen[k][r]); err != nil {
					return differs(k, r, err)
				}
			}
		}
		return nil
	}
	count := &m.records[numberOf(second)]
	_ = each(func(k, r int, _ *finding) error {
		for at, v := range puts(p, k, r) {
			m.put(at, r, v)
		}
		if n := recordsOf(p, k, r); n > 0 {
			count.put(r, n)
		}
		return nil
	})
	for r := range p.Ranks {
		if last >= 0 && seen[last][r].counted {
			if err := count.get(r, seen[last][r].records); err != nil {
				return differs(last, r, err)
			}
		}
	}
	return each(func(k, r int, see *finding) error {
		for at := range puts(p, k, r) {
			if m.own[at] == nil {
				m.own[at] = map[int]int{}
			}
			m.own[at][r]++
		}
		if n := recordsOf(p, k, r); n > 0 {
			count.counts(r, n)
		}
		return m.judgeRank(p, k, r, see)
	})
}

func (m *visibility) judgeRank(p *gen.Program, k, r int, see *finding) error {
	if !see.done {
		return nil
	}
	second := p.Ops[k].Second
	for _, f := range see.values {
		if err := m.get(f.at, r, f.v); err != nil {
			return fmt.Errorf("%s%w%s", nameOf(p, f.at), err, origin(p, f.at, f.v))
		}
	}
	if see.listed {
		return m.list(second, r, see.keys)
	}
	if see.counted {
		return m.records[numberOf(second)].get(r, see.records)
	}
	return nil
}

// ordered applies an operation that orders ranks.
func (m *visibility) ordered(o *gen.Op) {
	switch {
	case o.Do == gen.Sync, o.Do == gen.Reopen, o.Do == gen.Own && o.Effect == gen.Syncs:
		m.sync(o.Second)
	case o.Do == gen.Own && o.Effect == gen.Empties:
		m.empty(o.Second)
	}
}

// puts returns what an operation of a rank puts, and where.
func puts(p *gen.Program, k, rank int) iter.Seq2[place, value] {
	o := &p.Ops[k]
	return func(yield func(place, value) bool) {
		switch o.Do {
		case gen.Put, gen.PutAll:
			yield(place{o.Second, string(o.KeyBytes(rank)), 0}, value{is: true, data: string(o.Values.Data(rank, k, o.N))})
		case gen.Delete:
			yield(place{o.Second, o.Key, 0}, value{})
		case gen.WriteSlab:
			s := slabOf(p, o, rank, 0)
			size := s.Elem.Size(types.Host)
			mem, j := p.Values.Data(rank, k, s.Items()*size), int64(0)
			s.each(func(i int64) {
				if j >= 0 && !yield(place{o.Second, o.Name, i}, value{is: true, data: string(mem[j : j+size])}) {
					j = -1
					return
				}
				if j >= 0 {
					j += size
				}
			})
		}
	}
}

// recordsOf returns how many records a data set has at least after an operation of a rank.
func recordsOf(p *gen.Program, k, rank int) int64 {
	o := &p.Ops[k]
	if o.Do != gen.WriteSlab || !p.Var(o).Grows {
		return 0
	}
	return o.RegionOf(rank).Records()
}

// nameOf names a place of an array; a report shows keys of stores elsewhere.
func nameOf(p *gen.Program, at place) string {
	for i := range p.Vars {
		if v := &p.Vars[i]; v.Name == at.name {
			return fmt.Sprintf("%s%v: ", v.Name, indexOf(v, at.i))
		}
	}
	return ""
}

// origin says which operation put a value that a rank found at a place, if one did.
func origin(p *gen.Program, at place, v value) string {
	for k := range p.Ops {
		for r := range p.Ranks {
			if !p.Ops[k].By(r) {
				continue
			}
			for x, put := range puts(p, k, r) {
				if x == at && put == v && v.is {
					return fmt.Sprintf("; rank %d wrote the value found in operation %d, %v", r, k, &p.Ops[k])
				}
			}
		}
	}
	return ""
}
