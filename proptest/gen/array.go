package gen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/types"
)

// A Variable is an array of a data set, of any number of dimensions.
type Variable struct {
	Name string
	Elem *types.Type // predefined; nil in a pattern of proptest: Double
	Most []int64     // elements in each dimension; in a pattern, at most; nil: one element, without dimensions

	// Grows says that the first dimension is the record dimension, which all variables that
	// grow have in common. In programs it begins with no records, and Most[0] bounds them.
	Grows bool
}

// Shape returns the number of elements in each dimension, with so many records.
func (v *Variable) Shape(records int64) []int64 {
	shape := slices.Clone(v.Most)
	if v.Grows && len(shape) > 0 {
		shape[0] = records
	}
	return shape
}

// String returns the variable as a program text has it, such as "u double 3,4"; the length of
// a record dimension is "*" and its bound.
func (v *Variable) String() string {
	s := fmt.Sprintf("%s %v", v.Name, v.Elem)
	if len(v.Most) > 0 {
		s += " "
		if v.Grows {
			s += "*"
		}
		s += list(v.Most)
	}
	return s
}

// A Region is a part of an array: in each dimension Count elements from Start on, Stride
// apart.
type Region struct{ Start, Count, Stride []int64 }

// Items returns the number of elements.
func (r *Region) Items() int64 {
	n := int64(1)
	for _, c := range r.Count {
		n *= c
	}
	return n
}

// end returns the index behind the last one of dimension d.
func (r *Region) end(d int) int64 {
	if d >= len(r.Start) || r.Items() == 0 {
		return 0
	}
	return r.Start[d] + (r.Count[d]-1)*r.Stride[d] + 1
}

// Records returns how many records an array that grows must have for the region.
func (r *Region) Records() int64 { return r.end(0) }

// within reports whether a region is in a variable.
func (r *Region) within(v *Variable) bool {
	n := len(v.Most)
	if len(r.Start) != n || len(r.Count) != n || len(r.Stride) != n {
		return false
	}
	for d, most := range v.Most {
		if r.Start[d] < 0 || r.Count[d] < 0 || r.Stride[d] < 1 || r.Count[d] > 1<<20 || r.Stride[d] > most || r.end(d) > most || r.Start[d] >= max(1, most) {
			return false
		}
	}
	return r.Items() <= 1<<20
}

// RegionOf returns a rank's region of an operation on an array.
func (o *Op) RegionOf(rank int) *Region {
	if !o.All {
		return &o.Regions[0]
	}
	return &o.Regions[rank]
}

// Var returns the variable of an operation, nil if there is none of its name.
func (p *Program) Var(o *Op) *Variable {
	if i := slices.IndexFunc(p.Vars, func(v Variable) bool { return v.Name == o.Name }); i >= 0 {
		return &p.Vars[i]
	}
	return nil
}

// Known returns, for each operation from number from on and each rank, how many records the
// data set of the operation has for certain before the operation, as the rank knows: those of
// base at first, those that it has written itself, and all before the last sync.
func (p *Program) Known(from int, base [2]int64) [][]int64 {
	var known [2][]int64
	for h := range known {
		known[h] = slices.Repeat([]int64{base[h]}, p.Ranks)
	}
	all := make([][]int64, len(p.Ops))
	for k := from; k < len(p.Ops); k++ {
		o := &p.Ops[k]
		of := known[o.handle()]
		all[k] = slices.Clone(of)
		switch {
		case o.Do == WriteSlab && p.Var(o) != nil && p.Var(o).Grows:
			for r := range of {
				if o.By(r) {
					of[r] = max(of[r], o.RegionOf(r).Records())
				}
			}
		case o.Do == Own && o.Effect == Empties:
			clear(of)
		case o.Do == Sync, o.Do == Reopen, o.Do == Own && o.Effect == Syncs:
			most := slices.Max(of)
			for r := range of {
				of[r] = most
			}
		}
	}
	return all
}

// illegalSlab returns the first operation on an array that a library need not carry out, -1 if
// there is none.
func (p *Program) illegalSlab() int {
	if !slices.ContainsFunc(p.Ops, func(o Op) bool { return o.onArray() }) {
		return -1
	}
	known := p.Known(0, [2]int64{})
	for k := range p.Ops {
		if o := &p.Ops[k]; o.onArray() && !p.allowsSlab(o, known[k]) {
			return k
		}
	}
	return -1
}

func (o *Op) onArray() bool { return o.Do == WriteSlab || o.Do == ReadSlab }

func (p *Program) allowsSlab(o *Op, known []int64) bool {
	v := p.Var(o)
	if v == nil || len(o.Regions) != map[bool]int{true: p.Ranks, false: 1}[o.All] {
		return false
	}
	for r := range p.Ranks {
		if !o.By(r) {
			continue
		}
		region := o.RegionOf(r)
		if !region.within(v) || o.Do == ReadSlab && v.Grows && region.Records() > known[r] {
			return false
		}
	}
	return true
}

// slabCalls are the calls on arrays.
var slabCalls = map[string]Op{
	"write": {Do: WriteSlab}, "write_all": {Do: WriteSlab, All: true},
	"read": {Do: ReadSlab}, "read_all": {Do: ReadSlab, All: true},
}

// slabCall returns the call of an operation on an array.
func (o *Op) slabCall() string {
	s := "write"
	if o.Do == ReadSlab {
		s = "read"
	}
	if o.All {
		s += "_all"
	}
	s += " " + o.Name
	if len(o.Regions) == 0 || len(o.Regions[0].Start) == 0 {
		return s
	}
	parts := func(name string, of func(*Region) []int64) {
		all := make([]string, len(o.Regions))
		for i := range o.Regions {
			all[i] = list(of(&o.Regions[i]))
		}
		s += " " + name + " " + strings.Join(all, "|")
	}
	parts("start", func(r *Region) []int64 { return r.Start })
	parts("count", func(r *Region) []int64 { return r.Count })
	if slices.ContainsFunc(o.Regions, func(r Region) bool { return slices.Max(r.Stride) > 1 }) {
		parts("stride", func(r *Region) []int64 { return r.Stride })
	}
	return s
}

func list(all []int64) string {
	parts := make([]string, len(all))
	for i, n := range all {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, ",")
}

func readList(text string) (all []int64, err error) {
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// slab reads "NAME [start S count C [stride T]]", each with one list for each rank.
func (r *reader) slab(o *Op, do Do, rest string) error {
	o.Do = do
	words := strings.Fields(rest)
	if len(words) == 0 || len(words)%2 == 0 {
		return fmt.Errorf("want %q", "VARIABLE start S,S count C,C stride T,T")
	}
	o.Name = words[0]
	n := 1
	if o.All {
		n = r.p.Ranks
	}
	o.Regions = make([]Region, n)
	for i := 1; i < len(words); i += 2 {
		for k, text := range strings.Split(words[i+1], "|") {
			if k >= n {
				return fmt.Errorf("%q has parts for more than %d ranks", words[i+1], n)
			}
			nums, err := readList(text)
			if err != nil {
				return err
			}
			switch of := &o.Regions[k]; words[i] {
			case "start":
				of.Start = nums
			case "count":
				of.Count = nums
			case "stride":
				of.Stride = nums
			default:
				return fmt.Errorf("%q is not start, count or stride", words[i])
			}
		}
	}
	for k := range o.Regions {
		if of := &o.Regions[k]; of.Stride == nil {
			of.Stride = slices.Repeat([]int64{1}, len(of.Start))
		}
	}
	return nil
}

// variable reads "NAME TYPE DIMENSIONS".
func (r *reader) variable(text string) error {
	words := strings.Fields(text)
	if len(words) < 2 {
		return fmt.Errorf("want %q", "variable NAME TYPE N,N")
	}
	v := Variable{Name: words[0]}
	if last := words[len(words)-1]; len(words) > 2 && strings.Trim(last, "*0123456789,") == "" {
		text, v.Grows = strings.CutPrefix(last, "*")
		var err error
		if v.Most, err = readList(text); err != nil {
			return err
		}
		words = words[:len(words)-1]
	}
	var err error
	v.Elem, err = r.typ(strings.Join(words[1:], " "))
	r.p.Vars = append(r.p.Vars, v)
	return err
}

// An ArrayUse has the features that programs for a library of arrays may use.
type ArrayUse struct {
	Elems    []*types.Type
	Together bool // accesses of all ranks
	Grows    bool // variables that grow
	Large    bool // the first variable has more than 2 GiB, and few of its elements are used
	Two      bool // ranks have a second data set open
	Cuts     bool // of the power
	Own      []OwnOp
}

// mostRecords bounds the records of programs.
const mostRecords = 9

// ArrayPrograms draws programs for a library of arrays: ranks write and read parts of the
// variables of a data set, alone or together, and sync. Of l, they use the numbers of ranks and
// operations.
func ArrayPrograms(l Limits, use ArrayUse) *rapid.Generator[*Program] {
	return rapid.Custom(func(t *rapid.T) *Program {
		p := &Program{Ranks: l.drawRanks(t)}
		if use.Two {
			p.Second = OtherFile
		}
		m := &arrayMaker{T: t, use: use, p: p}
		for i := range rapid.IntRange(1, 3).Draw(t, "variables") {
			p.Vars = append(p.Vars, m.variable(i))
		}
		for len(p.Ops) < max(1, l.Ops) {
			p.Ops = append(p.Ops, m.ops()...)
			if !l.Exact && rapid.IntRange(0, 9).Draw(t, "enough") == 9 {
				break
			}
		}
		p.Ops = p.Ops[:min(len(p.Ops), max(1, l.Ops))]
		if rapid.Bool().Draw(t, "other values") {
			p.Values = Values(uniform(t, "values", int(values)))
		}
		p.Seed = rapid.Uint64().Draw(t, "schedule")
		if p.Schedule = drawSchedule(t); p.Schedule == Free { // as stores, arrays are used by ranks in turn
			p.Schedule = ""
		}
		if use.Cuts {
			p.Schedule = ""
			p.drawCuts(t)
		}
		p.removeIllegal()
		return p
	})
}

// An arrayMaker draws one program for arrays.
type arrayMaker struct {
	*rapid.T
	use     ArrayUse
	p       *Program
	records [2]int64 // of each data set, at most
}

// int draws a number from lo to hi.
func (m *arrayMaker) int(name string, lo, hi int64) int64 {
	return rapid.Int64Range(lo, max(lo, hi)).Draw(m.T, name)
}

// large are shapes of more than 2^31, 2^32 and 2^33 bytes, whatever the type.
var large = [][]int64{{1 << 16, 1 << 15, 3}, {3, 1 << 31}, {1 << 33}, {1 << 11, 1 << 11, 1 << 11}, {1<<32 + 1}, {70000, 70000}}

func (m *arrayMaker) variable(i int) Variable {
	v := Variable{Name: string("uvw"[i]), Elem: m.use.Elems[uniform(m.T, "type", len(m.use.Elems))]}
	if m.use.Large && i == 0 {
		v.Most = large[uniform(m.T, "large", len(large))]
		return v
	}
	for range m.int("dimensions", 0, 3) {
		v.Most = append(v.Most, m.int("elements", 1, 5))
	}
	if m.use.Grows && len(v.Most) > 0 && m.int("grows", 0, 2) > 0 {
		v.Grows = true
		v.Most[0] = mostRecords
	}
	return v
}

// ops draws one operation, or a few in an order that bugs need.
func (m *arrayMaker) ops() []Op {
	second := m.use.Two && rapid.Bool().Draw(m.T, "second")
	through := func(ops ...Op) []Op {
		for i := range ops {
			ops[i].Second = second
		}
		return ops
	}
	sync := Op{Do: Sync, All: true}
	switch m.int("what", 0, 11) {
	case 0, 1, 2:
		return through(m.access(WriteSlab, second))
	case 3, 4:
		return through(m.access(ReadSlab, second))
	case 5, 6:
		return through(sync)
	case 7:
		return through(Op{Do: Reopen, All: true})
	case 8: // all ranks have their part, and read it all
		w := m.access(WriteSlab, second)
		return through(w, sync, m.whole(&w, second))
	case 9: // read, written by another rank, and read again
		w := m.access(WriteSlab, second)
		before, after := m.whole(&w, second), m.whole(&w, second)
		return through(before, sync, w, sync, after)
	}
	if len(m.use.Own) > 0 {
		x := m.use.Own[uniform(m.T, "operation", len(m.use.Own))]
		o := Op{Do: Own, All: !x.Alone, Name: x.Name, Effect: x.Effect}
		if x.Alone {
			o.Rank = int(m.int("rank", 0, int64(m.p.Ranks-1)))
		}
		if x.Effect == Empties {
			m.records[0] = 0
		}
		return []Op{o}
	}
	return through(m.access(WriteSlab, second), sync, m.access(ReadSlab, second))
}

// access draws an access of a rank, or of all.
func (m *arrayMaker) access(do Do, second bool) Op {
	v := &m.p.Vars[uniform(m.T, "variable", len(m.p.Vars))]
	o := Op{Do: do, Name: v.Name, All: m.use.Together && rapid.Bool().Draw(m.T, "all"), Second: second}
	records := m.records[o.handle()]
	if do == WriteSlab {
		records = min(mostRecords, records+m.int("new records", 0, 2))
	}
	shape := v.Shape(records)
	switch {
	case !o.All:
		o.Rank = int(m.int("rank", 0, int64(m.p.Ranks-1)))
		o.Regions = []Region{m.region(shape)}
	case len(shape) > 0 && m.int("parts", 0, 1) == 0:
		o.Regions = m.parts(shape)
	default:
		only := m.int("only", -int64(m.p.Ranks), int64(m.p.Ranks-1))
		for r := range int64(m.p.Ranks) {
			one := m.region(shape)
			if only >= 0 && r != only && len(shape) > 0 {
				one.Count[0] = 0
			}
			o.Regions = append(o.Regions, one)
		}
	}
	if v.Grows && do == WriteSlab {
		for i := range o.Regions {
			m.records[o.handle()] = max(m.records[o.handle()], o.Regions[i].Records())
		}
	}
	return o
}

// whole draws a read of all of the variable of an access, or of what it wrote.
func (m *arrayMaker) whole(w *Op, second bool) Op {
	v := m.p.Var(w)
	o := Op{Do: ReadSlab, Name: v.Name, All: m.use.Together && rapid.Bool().Draw(m.T, "all read"), Second: second}
	n := 1
	if o.All {
		n = m.p.Ranks
	} else {
		o.Rank = int(m.int("reader", 0, int64(m.p.Ranks-1)))
	}
	for range n {
		r := Region{Stride: slices.Repeat([]int64{1}, len(v.Most))}
		r.Start = make([]int64, len(v.Most))
		r.Count = v.Shape(m.records[o.handle()])
		if r.Items() > 1<<12 || m.int("the same", 0, 2) == 0 {
			r = w.Regions[int(m.int("of rank", 0, int64(len(w.Regions)-1)))].Clone()
		}
		o.Regions = append(o.Regions, r)
	}
	return o
}

// region draws a part of a shape.
func (m *arrayMaker) region(shape []int64) Region {
	var r Region
	for _, n := range shape {
		start, count, stride := int64(0), n, int64(1)
		if m.int("part", 0, 3) > 0 {
			start = m.place(n)
			count = m.int("count", 0, min(n-start, 4))
			if count > 1 && m.int("stride", 0, 1) > 0 {
				stride = m.int("apart", 1, min(3, max(1, (n-start-1)/(count-1))))
			}
		} else if n > 16 {
			start, count = n-1, 1
		}
		r.Start, r.Count, r.Stride = append(r.Start, start), append(r.Count, count), append(r.Stride, stride)
	}
	return r
}

// place draws an index: of a large dimension, one about its ends or half-way.
func (m *arrayMaker) place(n int64) int64 {
	if n <= 16 {
		return m.int("start", 0, max(0, n-1))
	}
	from := []int64{0, n - 4, n / 2}[m.int("about", 0, 2)]
	return from + m.int("start", 0, 3)
}

// parts divides a dimension of a shape among the ranks, in blocks or in turn.
func (m *arrayMaker) parts(shape []int64) (all []Region) {
	d := int(m.int("divided", 0, int64(len(shape)-1)))
	cyclic := m.int("cyclic", 0, 1) == 1
	ranks := int64(m.p.Ranks)
	for rank := range ranks {
		var r Region
		for e, n := range shape {
			start, count, stride := int64(0), n, int64(1)
			if n > 16 {
				start, count = m.place(n), 2
				count = min(count, n-start)
			}
			if e == d && n <= 16 {
				start, count = n*rank/ranks, n*(rank+1)/ranks-n*rank/ranks
				if cyclic && ranks <= n {
					start, count, stride = rank, (n-rank+ranks-1)/ranks, ranks
				}
				start = min(start, max(0, n-1))
			}
			r.Start, r.Count, r.Stride = append(r.Start, start), append(r.Count, count), append(r.Stride, stride)
		}
		all = append(all, r)
	}
	return all
}

// Clone returns a copy with lists of its own.
func (r Region) Clone() Region {
	return Region{slices.Clone(r.Start), slices.Clone(r.Count), slices.Clone(r.Stride)}
}

// changeRegions lets change work on copies of the regions of an operation.
func (o *Op) changeRegions(change func(r *Region) bool) (changed bool) {
	all := slices.Clone(o.Regions)
	for i := range all {
		all[i] = all[i].Clone()
		changed = change(&all[i]) || changed
	}
	o.Regions = all
	return changed
}

// simplerArrays makes variables and regions simpler.
func (s *shrinker) simplerArrays() (improved bool) {
	for i := len(s.best.Vars) - 1; i >= 0; i-- {
		improved = s.try(func(p *Program) bool { p.Vars = slices.Delete(p.Vars, i, i+1); return true }) || improved
	}
	for i := range s.best.Vars {
		improved = s.try(func(p *Program) bool { was := p.Vars[i].Grows; p.Vars[i].Grows = false; return was }) || improved
		improved = s.simplerShape(i) || improved
	}
	for k := range s.best.Ops {
		for i := range s.best.Ops[k].Regions {
			for d := range s.best.Ops[k].Regions[i].Start {
				improved = s.simplerRegion(k, i, d) || improved
			}
		}
	}
	return improved
}

// simplerShape drops dimensions of a variable, and makes them shorter.
func (s *shrinker) simplerShape(i int) (improved bool) {
	for d := len(s.best.Vars[i].Most) - 1; d >= 0; d-- {
		improved = s.try(func(p *Program) bool {
			v := &p.Vars[i]
			if d == 0 && v.Grows {
				return false
			}
			v.Most = slices.Delete(slices.Clone(v.Most), d, d+1)
			for k := range p.Ops {
				if p.Ops[k].onArray() && p.Ops[k].Name == v.Name {
					p.Ops[k].changeRegions(func(r *Region) bool {
						r.Start, r.Count, r.Stride = slices.Delete(r.Start, d, d+1), slices.Delete(r.Count, d, d+1), slices.Delete(r.Stride, d, d+1)
						return true
					})
				}
			}
			return true
		}) || improved
	}
	for d := range s.best.Vars[i].Most {
		for s.try(func(p *Program) bool {
			v := &p.Vars[i]
			v.Most = slices.Clone(v.Most)
			v.Most[d] -= max(1, v.Most[d]/4)
			return v.Most[d] > 0 && !v.Grows
		}) {
			improved = true
		}
	}
	return improved
}

// simplerRegion makes the numbers of one dimension of a region smaller.
func (s *shrinker) simplerRegion(k, i, d int) (improved bool) {
	for _, change := range []func(r *Region) bool{
		func(r *Region) bool { was := r.Count[d]; r.Count[d] = 0; return was > 0 },
		func(r *Region) bool { was := r.Count[d]; r.Count[d] = 1; return was > 1 },
		func(r *Region) bool { r.Count[d]--; return r.Count[d] > 0 },
		func(r *Region) bool { was := r.Stride[d]; r.Stride[d] = 1; return was > 1 },
		func(r *Region) bool { was := r.Start[d]; r.Start[d] = 0; return was > 0 },
		func(r *Region) bool { r.Start[d] /= 2; return r.Start[d] > 0 },
		func(r *Region) bool { r.Start[d]--; return r.Start[d] >= 0 },
	} {
		improved = s.try(func(p *Program) bool {
			o := &p.Ops[k]
			at := -1
			return o.changeRegions(func(r *Region) bool { at++; return at == i && d < len(r.Start) && change(r) })
		}) || improved
	}
	return improved
}

// aloneOnArray has one rank do what the first of all ranks does that has elements.
func (o *Op) aloneOnArray() bool {
	if !o.onArray() || !o.All {
		return false
	}
	r := max(0, slices.IndexFunc(o.Regions, func(r Region) bool { return r.Items() > 0 }))
	o.All, o.Rank, o.Regions = false, r, []Region{o.Regions[r]}
	return true
}
