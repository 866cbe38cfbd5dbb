package proptest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// An ArrayLayer is a library of arrays under test, such as one for NetCDF or HDF5 files, which
// ranks of a communicator use together. It may also be an [ArrayTyper], an [ArrayFiller], an
// [ArrayOperator], a [RestarterOf] array layers and an io.Closer.
//
// Between two syncs, an element that one rank writes is determined for that rank alone; others
// find its old value or a new one. After a sync all ranks find the same value: the last one of
// the rank that wrote it. If several ranks wrote it, it may be a mixture of their bytes. The
// number of records is at least that of the last sync and what the rank itself has written,
// and after a sync exactly what all have.
type ArrayLayer interface {
	// OpenArrays opens the data set called name for reading and writing, and makes it with
	// these variables if there is none. Collective.
	OpenArrays(c *comm.Comm, name string, vars []Variable) (ArrayHandle, error)
}

// An ArrayHandle is one rank's handle of a data set. WriteSlab writes the elements of s.Mem, and
// ReadSlab fills it: the part of one rank, which may have no elements.
type ArrayHandle interface {
	WriteSlab(s *Slab) error
	ReadSlab(s *Slab) error

	// Sync publishes the changes of all ranks, makes them durable, orders them before what
	// any rank does next, and fetches. Collective.
	Sync() error
	// Close syncs and gives the handle up. Collective.
	Close() error
}

// An ArrayCollective is an ArrayHandle with accesses that all ranks call together, each for a
// part of its own.
type ArrayCollective interface {
	WriteSlabAll(s *Slab) error
	ReadSlabAll(s *Slab) error
}

// An ArrayRecorder is an ArrayHandle whose variables may grow. Records returns the number of
// records, which is that of the variable with the most. A read of a record that only
// another variable has finds what no rank wrote.
type ArrayRecorder interface{ Records() (int64, error) }

// An ArrayTyper is an ArrayLayer that says which types elements may have; without it: [types.Byte],
// Short, Int, Float and Double.
type ArrayTyper interface{ ArrayTypes() []*types.Type }

// An ArrayFiller is an ArrayLayer whose elements have a value before a rank writes them: its
// bytes, as in memory. Nil: they are undefined, as without the method.
type ArrayFiller interface{ Fill(v Variable) []byte }

// An ArrayOperator is an ArrayLayer with operations of its own, see [Operator].
type ArrayOperator interface{ ArrayOperations() []ArrayOperation }

// An ArrayOperation is an operation of the library's own, such as to enter and leave a define
// mode.
type ArrayOperation = OperationOn[ArrayHandle]

// An ArrayMaker makes a new library, without data sets, for one program.
type ArrayMaker func() (ArrayLayer, error)

// ArrayConformance checks a library of arrays as [Conformance] checks a file: ranks write and
// read parts of several variables, with strides, again and again, alone and together, with
// records that grow, syncs and reopens, and compare. mk makes a new library for each program.
func ArrayConformance(t *testing.T, mk ArrayMaker, opts ...Option) {
	t.Helper()
	groups, err := ArrayGroups(mk, opts...)
	if err != nil {
		t.Fatal(err)
	}
	checkGroups(t, groups, testLine())
}

// ArrayGroups returns the properties that [ArrayConformance] checks.
func ArrayGroups(mk ArrayMaker, opts ...Option) ([]Group, error) {
	s := settingsWith(16, opts)
	err := s.only("libraries of arrays", Collectives, Recording, Far, TwoFiles, Operating, Restarting)
	if err != nil {
		return nil, err
	}
	has, err := probeArrays(mk, &s)
	if err != nil {
		return nil, err
	}
	all := gen.ArrayUse{Elems: has.elems, Together: s.has(has.together, Collectives), Grows: s.has(has.records, Recording)}
	with := func(change func(u *gen.ArrayUse)) gen.ArrayUse {
		u := all
		change(&u)
		return u
	}
	var groups []Group
	for _, x := range []struct {
		name, rules string
		needs       Capability
		missing     string // why the layer is not tested; empty if it is
		use         gen.ArrayUse
		times       int
	}{
		{"slabs", "CONS-SYNC-01 parts of arrays", "", "", gen.ArrayUse{Elems: has.elems}, 4},
		{"together", "CONS-SYNC-01 accesses of all ranks", Collectives, missing(has.together, "WriteSlabAll"), with(func(u *gen.ArrayUse) { u.Grows = false }), 4},
		{"records", "CONS-SYNC-01 records that grow", Recording, missing(has.records, "Records"), all, 6},
		{"large", "CONS-SYNC-01 variables of more than 2 GiB", Far, has.small, with(func(u *gen.ArrayUse) { u.Large = true }), 2},
		{"datasets", "CONS-SYNC-01 two data sets on each rank", TwoFiles, "", with(func(u *gen.ArrayUse) { u.Two = true }), 2},
		{"operations", "CONS-SYNC-01 operations of the layer's own", Operating, missing(has.own != nil, "ArrayOperations"), with(func(u *gen.ArrayUse) { u.Own = has.own }), 6},
		{"crashes", "CONS-SYNC-01 power cuts anywhere, recovery, and on", Restarting, missing(has.restarts, "Restart"), with(func(u *gen.ArrayUse) { u.Cuts = true }), 8},
	} {
		g := programGroup(x.name, x.rules, "Arrays", x.times, func(p *gen.Program) error { return Arrays(mk, p) })
		g.draw = gen.ArrayPrograms(s.limits(), x.use)
		g.unless(&s, x.needs, x.missing)
		if x.needs == Far && g.Skipped == x.missing {
			g.short = x.missing
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// unless skips a group if options exclude what it needs, or for a reason.
func (g *Group) unless(s *settings, c Capability, reason string) {
	switch {
	case slices.Contains(s.without, c):
		g.Skipped, g.short = fmt.Sprintf("Without excludes %s", c), "Without"
	case reason != "":
		g.Skipped, g.short = reason, "no such methods"
	}
}

// missing returns why a group is skipped, if the layer lacks a method.
func missing(has bool, method string) string {
	if has {
		return ""
	}
	return "the layer has no method " + method
}

// programGroup returns a group whose programs are judged by an oracle.
func programGroup(name, rules, oracle string, times int, check func(*gen.Program) error) Group {
	g := Group{Name: name, Rules: rules, asked: new(tally), oracle: oracle, times: times, check: check}
	g.Prop = func(t *rapid.T) {
		if err := check(g.draw.Draw(t, "program")); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// arrayAbilities has what a library of arrays can do.
type arrayAbilities struct {
	elems                       []*types.Type
	together, records, restarts bool
	own                         []gen.OwnOp
	small                       string // why it has no large variables
}

// probeArrays opens a data set to find which methods a layer has.
func probeArrays(mk ArrayMaker, s *settings) (has arrayAbilities, err error) {
	l, err := mk()
	if err != nil {
		return has, err
	}
	has.elems = []*types.Type{types.Byte, types.Short, types.Int, types.Float, types.Double}
	if x, ok := l.(ArrayTyper); ok {
		has.elems = x.ArrayTypes()
	}
	_, has.restarts = l.(RestarterOf[ArrayLayer])
	has.own = ownOps(arrayOperations(l))
	one := []Variable{{Name: "u", Elem: has.elems[0]}}
	err = world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		h, err := l.OpenArrays(c, objectNames[0], one)
		if err != nil {
			return err
		}
		_, has.together = h.(ArrayCollective)
		_, has.records = h.(ArrayRecorder)
		return h.Close()
	})
	if err = errors.Join(err, closeLayer(l)); err == nil && !slices.Contains(slices.Concat(s.with, s.without), Far) {
		has.small, err = smallOnly(mk, has.elems[0])
	}
	return has, err
}

// smallOnly returns why a library has no variables of more than 2 GiB: it returns an error for
// one, or it stores elements that no rank wrote.
func smallOnly(mk ArrayMaker, elem *types.Type) (why string, err error) {
	l, err := mk()
	if err != nil {
		return "", err
	}
	v := Variable{Name: "u", Elem: elem, Most: []int64{1 << 33}}
	if f, ok := l.(ArrayFiller); ok && f.Fill(v) != nil {
		return "large variables would be filled", closeLayer(l)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	refused := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		h, err := l.OpenArrays(c, objectNames[0], []Variable{v})
		if err != nil {
			return err
		}
		s := newSlab(v, v.Most, &gen.Region{Start: []int64{hole}, Count: []int64{1}, Stride: []int64{1}})
		err = h.WriteSlab(s)
		return errors.Join(err, h.Close())
	}, world.Unchecked())
	runtime.ReadMemStats(&after)
	switch {
	case refused != nil:
		why = fmt.Sprintf("a variable of 2^33 elements fails: %v", refused)
	case after.TotalAlloc-before.TotalAlloc > mostMemory:
		why = "elements that no rank wrote take memory"
	}
	return why, closeLayer(l)
}

func arrayOperations(l ArrayLayer) []ArrayOperation {
	if o, ok := l.(ArrayOperator); ok {
		return o.ArrayOperations()
	}
	return nil
}

// Arrays runs a program, see [gen.ArrayPrograms], on a new library and compares what ranks
// find with the definition of [ArrayLayer]. If the program has power cuts, the layer must be
// a [RestarterOf] array layers.
func Arrays(mk ArrayMaker, p *gen.Program) error {
	run := &arrayRun{p: p, model: newVisibility(), access: accessArray, counts: countRecords, readAll: readArrays, own: arrayOperations}
	run.model.torn = true
	run.model.unwritten = func(at place) value { return unwritten(run.l, p, at) }
	run.openOne = func(l ArrayLayer, c *comm.Comm, name string) (ArrayHandle, error) {
		return l.OpenArrays(c, name, append([]Variable{}, p.Vars...))
	}
	return runLives(mk, p, run)
}

type arrayRun = keyed[ArrayLayer, ArrayHandle]

// unwritten returns the value of an element before a rank writes it.
func unwritten(l ArrayLayer, p *gen.Program, at place) value {
	if f, ok := l.(ArrayFiller); ok {
		for _, v := range p.Vars {
			if fill := f.Fill(v); v.Name == at.name && fill != nil {
				return valueOf(fill)
			}
		}
	}
	return value{is: true, anyOne: true}
}

// newSlab returns a region of a variable, with memory.
func newSlab(v Variable, shape []int64, r *gen.Region) *Slab {
	s := &Slab{Variable: v, Shape: shape, Start: r.Start, Count: r.Count, Stride: r.Stride}
	s.Mem = make([]byte, s.Items()*v.Elem.Size(types.Host))
	fillBytes(s.Mem, untouched)
	return s
}

// slabOf returns the slab of a rank in an operation, if so many records are known.
func slabOf(p *gen.Program, o *gen.Op, rank int, known int64) *Slab {
	v, r := p.Var(o), o.RegionOf(rank)
	return newSlab(*v, v.Shape(max(known, r.Records())), cloned(r))
}

// indexOf returns the index of an element, by its number in the whole array.
func indexOf(v *Variable, i int64) []int64 {
	index := make([]int64, len(v.Most))
	for d := len(index) - 1; d >= 0; d-- {
		index[d] = i
		if d > 0 {
			index[d], i = i%v.Most[d], i/v.Most[d]
		}
	}
	return index
}

// accessArray performs an access of an array. A read of records that a power cut may have taken
// is left out.
func accessArray(run *arrayRun, h ArrayHandle, rank, k int, see *finding) error {
	o := &run.p.Ops[k]
	if o.Do != gen.WriteSlab && o.Do != gen.ReadSlab {
		return errors.New("it is not an operation on arrays")
	}
	v, known := run.p.Var(o), run.known[k]
	if o.Do == gen.ReadSlab && v.Grows {
		for r := range run.p.Ranks {
			if o.By(r) && o.RegionOf(r).Records() > known[r] {
				return nil
			}
		}
	}
	write, read := h.WriteSlab, h.ReadSlab
	if o.All {
		all, ok := h.(ArrayCollective)
		if !ok {
			return errors.New("the handle has no WriteSlabAll and ReadSlabAll")
		}
		write, read = all.WriteSlabAll, all.ReadSlabAll
	}
	s := slabOf(run.p, o, rank, known[rank])
	if o.Do == gen.WriteSlab {
		copy(s.Mem, run.p.Values.Data(rank, k, int64(len(s.Mem))))
		err := write(s)
		fillBytes(s.Mem, 0xa5)
		return err
	}
	err := read(s)
	see.values = s.found(o.Second)
	return err
}

// found returns the elements of a slab.
func (s *Slab) found(second bool) (all []found) {
	size, at := s.Elem.Size(types.Host), int64(0)
	s.each(func(i int64) {
		all = append(all, found{place{second, s.Name, i}, value{is: true, data: string(s.Mem[at : at+size])}})
		at += size
	})
	return all
}

// countRecords asks for the number of records.
func countRecords(h ArrayHandle, see *finding) (err error) {
	if r, ok := h.(ArrayRecorder); ok {
		see.counted = true
		see.records, err = r.Records()
	}
	return err
}

// mostRead bounds the elements of a variable that is read as a whole in the end.
const mostRead = 1 << 12

// readArrays reads all elements of a data set on one rank or, of large variables, those that
// the program accesses.
func readArrays(run *arrayRun, h ArrayHandle, second bool) error {
	records := int64(0)
	if r, ok := h.(ArrayRecorder); ok {
		var err error
		if records, err = r.Records(); err != nil {
			return err
		}
		if err := run.model.records[numberOf(second)].get(noRank, records); err != nil {
			return err
		}
	}
	for i := range run.p.Vars {
		v := run.p.Vars[i]
		whole := &gen.Region{Start: make([]int64, len(v.Most)), Count: v.Shape(records)}
		for range v.Most {
			whole.Stride = append(whole.Stride, 1)
		}
		if whole.Items() <= mostRead {
			if err := readSlab(run, h, second, newSlab(v, v.Shape(records), whole)); err != nil {
				return err
			}
			continue
		}
		for k := range run.p.Ops {
			o := &run.p.Ops[k]
			for r := range o.Regions {
				if o.Name == v.Name && o.Second == second {
					if err := readSlab(run, h, second, newSlab(v, v.Shape(records), cloned(&o.Regions[r]))); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// readSlab reads a slab on one rank and judges it.
func readSlab(run *arrayRun, h ArrayHandle, second bool, s *Slab) error {
	if s.Items() == 0 {
		return nil
	}
	if err := h.ReadSlab(s); err != nil {
		return fmt.Errorf("reading %s: %w", s.Name, err)
	}
	for _, f := range s.found(second) {
		if err := run.model.get(f.at, noRank, f.v); err != nil {
			return fmt.Errorf("%s%w%s", nameOf(run.p, f.at), err, origin(run.p, f.at, f.v))
		}
	}
	return nil
}

func cloned(r *gen.Region) *gen.Region {
	c := r.Clone()
	return &c
}
