package proptest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A Pattern is a way to write and read an array that any number of ranks share in a file.
// Both bodies run on every rank, open the file (see [Part.Open]) and close it. Any number
// of ranks must be able to read what another number has written, and all must write the
// same file: [AnyProcessCount] checks that.
type Pattern struct {
	Elem  *types.Type // predefined, an integer or a float; nil: Double
	Most  int64       // elements of the array, at most; 0: 40
	Ranks int         // at most; 0: 8

	// Reps are the data representations that the pattern is for; nil: native.
	// Under all but native, ranks have unlike architectures.
	Reps []string

	// Arrays are the variables of a file with several arrays, or with arrays of more
	// than one dimension: see Part.Arrays. Elem and Most are then not used. Where the
	// first dimension of one grows, Write is called several times; only the call with
	// Step 0 makes the file.
	Arrays []Variable

	Write func(p *Part) error
	Read  func(p *Part) error
}

// A Part is one rank's part of an array, or of several arrays.
type Part struct {
	Comm *comm.Comm
	FS   *iofile.FS
	Name string // of the file
	Rep  string // data representation of the file

	Elem   *types.Type
	Len    int64         // elements of the whole array
	Blocks []types.Block // those of this rank, in ascending order

	// Mem has the elements of the rank, one after the other, as in its memory. Write has to
	// write them and Read has to fill them.
	Mem []byte

	// Arrays are the rank's parts of the variables of the pattern, if it has any; Collective
	// says whether to write and read them by collective calls, and Step is the number of
	// this call of Write, from 0.
	Arrays     []*Slab
	Collective bool
	Step       int

	run *combined
}

// Open opens the file, on all ranks, with the strategy of the combination. If a body
// opens the file without it, the body chooses the strategy.
func (p *Part) Open(amode iofile.Mode) (*iofile.File, error) {
	return iofile.Open(p.Comm, p.FS, p.Name, amode, p.Options()...)
}

// Options returns the strategy and hints of the combination, for a library that opens the
// file itself. A report names the strategy and hints only if a body has asked for them.
func (p *Part) Options() []iofile.OpenOption {
	p.run.opened.Store(true)
	info := comm.NewInfo()
	for key, v := range p.run.c.Hints {
		_ = info.Set(key, v) // cannot fail: keys and values are short enough
	}
	return []iofile.OpenOption{iofile.WithStrategy(p.run.c.Strategy), iofile.WithInfo(info)}
}

// View returns a view of the rank's elements, in order, of an array that begins at byte
// disp of the file. An access of Count elements at offset 0 covers all of them.
func (p *Part) View(disp int64) iofile.View {
	ft := types.Indexed(p.Blocks, p.Elem)
	if len(p.Blocks) == 0 {
		ft = types.Contiguous(0, p.Elem)
	}
	return iofile.View{Disp: disp, Etype: p.Elem, Filetype: ft, Rep: p.Rep}
}

// Count returns the number of elements of the rank.
func (p *Part) Count() (n int64) {
	for _, b := range p.Blocks {
		n += b.Len
	}
	return n
}

// Buffer returns Mem with its type.
func (p *Part) Buffer() types.Buffer { return types.Raw(p.Mem, p.Count(), p.Elem) }

// A Combination is one way to run a pattern.
type Combination struct {
	Len              int64
	Writers, Readers int
	WriteCut         gen.Cut
	ReadCut          gen.Cut
	Rep              string
	Archs            []*reps.Arch // the ranks use them in turn
	Model            string
	model            iofile.Option
	Strategy         strategy.Strategy
	Hints            map[string]string
	Schedule         string

	// For patterns with arrays:
	Shapes              [][]int64
	WriteGrid, ReadGrid Grid
	Collective          bool
	Steps               []int64 // number of records after each call of Write, ascending
}

// String returns the combination on one line.
func (c *Combination) String() string { return c.text(true) }

func (c *Combination) text(opened bool) string {
	if c.Shapes != nil {
		return fmt.Sprintf("%s; %d writers, %v; %d readers, %v; %s, %v; model %s%s, schedule %s",
			c.arrays(), c.Writers, c.WriteGrid, c.Readers, c.ReadGrid, c.Rep, c.Archs, c.Model, c.used(opened), c.Schedule)
	}
	return fmt.Sprintf("%d elements; %d writers, %v; %d readers, %v; %s, %v; model %s%s, schedule %s",
		c.Len, c.Writers, c.WriteCut, c.Readers, c.ReadCut, c.Rep, c.Archs, c.Model, c.used(opened), c.Schedule)
}

// GoString returns String, because rapid prints drawn values by GoString.
func (c *Combination) GoString() string { return c.String() }

// Combinations draws ways to run a pattern, the simplest first.
func Combinations(p Pattern) *rapid.Generator[*Combination] {
	p = p.withDefaults()
	return rapid.Custom(func(t *rapid.T) *Combination {
		c := &Combination{
			Len:     rapid.Int64Range(0, p.Most).Draw(t, "elements"),
			Writers: gen.Ranks(p.Ranks).Draw(t, "writers"), Readers: gen.Ranks(p.Ranks).Draw(t, "readers"),
			WriteCut: gen.Cuts().Draw(t, "write cut"), ReadCut: gen.Cuts().Draw(t, "read cut"),
			Rep:   rapid.SampledFrom(p.Reps).Draw(t, "representation"),
			Archs: []*reps.Arch{reps.LP64LE},
		}
		if c.Rep != "native" && c.Rep != "internal" {
			c.Archs = rapid.SliceOfN(gen.Arch(), 1, 3).Draw(t, "architectures")
		}
		m := gen.Model().Draw(t, "model")
		c.Model, c.model = m.String(), iofile.WithModel(m)
		c.Strategy = strategies[rapid.IntRange(0, len(strategies)-1).Draw(t, "strategy")]
		c.Schedule = gen.Schedule().Draw(t, "schedule")
		if len(p.Arrays) > 0 {
			c.drawArrays(t, p)
		}
		c.Hints = gen.Hints().Draw(t, "hints")
		return c
	})
}

func (p Pattern) withDefaults() Pattern {
	if p.Elem == nil {
		p.Elem = types.Double
	}
	if p.Most == 0 {
		p.Most = 40
	}
	if p.Ranks == 0 {
		p.Ranks = 8
	}
	if p.Reps == nil {
		p.Reps = []string{"native"}
	}
	return p
}

// AnyProcessCount checks that a pattern writes the same file with any number of ranks,
// and that any number of ranks can read it: under every distribution of the array,
// schedule, consistency model, strategy and, where the representation is portable,
// architecture. Races count as failures. It reports the smallest combination that fails,
// with the flags that run it again.
func AnyProcessCount(t *testing.T, p Pattern) {
	t.Helper()
	combinations := Combinations(p)
	var last error
	r := &recorder{name: t.Name()}
	rapid.Check(r, func(rt *rapid.T) {
		if err := Combine(p, combinations.Draw(rt, "combination")); err != nil {
			last = err
			rt.Fatal(err)
		}
	})
	switch {
	case !r.failed:
	case last == nil:
		t.Fatal(strings.TrimSpace(r.said.String()))
	default:
		t.Fatalf("%v\nAgain: %s", last, replayCommand(t.Name(), r.said.String()))
	}
}

// FuzzAnyProcessCount is [AnyProcessCount] as a fuzz target.
func FuzzAnyProcessCount(f *testing.F, p Pattern) {
	f.Helper()
	f.Fuzz(rapid.MakeFuzz(anyProcessCount(p)))
}

func anyProcessCount(p Pattern) func(*rapid.T) {
	combinations := Combinations(p)
	return func(t *rapid.T) {
		if err := Combine(p, combinations.Draw(t, "combination")); err != nil {
			t.Fatal(err)
		}
	}
}

// Combine runs a pattern in one way: c.Writers ranks write the array, one rank
// writes it again into another file, both files are compared, and c.Readers
// ranks read the first. A combination comes from [Combinations].
func Combine(p Pattern, c *Combination) error {
	p = p.withDefaults()
	if valuesOf(p.Elem) == nil {
		return fmt.Errorf("proptest: a pattern has elements that are integers or floats, not %v", p.Elem)
	}
	for _, v := range p.Arrays {
		if v.Elem != nil && valuesOf(v.Elem) == nil {
			return fmt.Errorf("proptest: variable %s has elements that are integers or floats, not %v", v.Name, v.Elem)
		}
		if v.Grows && len(v.Most) == 0 {
			return fmt.Errorf("proptest: variable %s grows and has no dimension", v.Name)
		}
	}
	run := &combined{p: p, c: c, fsys: iofile.NewMem(c.model)}
	if err := run.ranks(c.Writers, c.WriteCut, "many", true); err != nil {
		return run.fail("writing", err)
	}
	if err := run.ranks(1, gen.Cut{}, "one", true); err != nil {
		return run.fail("writing with one rank", err)
	}
	if err := run.compare(); err != nil {
		return run.fail("comparing files", err)
	}
	if err := run.ranks(c.Readers, c.ReadCut, "many", false); err != nil {
		return run.fail("reading", err)
	}
	return nil
}

type combined struct {
	p    Pattern
	c    *Combination
	fsys *iofile.FS

	opened atomic.Bool // a body asked for the options
}

func (run *combined) fail(what string, err error) error {
	return fmt.Errorf("%s: %w\ncombination: %v", what, err, run.c.text(run.opened.Load()))
}

// ranks runs one body on n ranks.
func (run *combined) ranks(n int, cut gen.Cut, name string, write bool) error {
	opts := []world.Option{world.Replay(run.c.Schedule)}
	for r := range n {
		opts = append(opts, world.Arch(r, run.arch(r)))
	}
	grid := run.c.WriteGrid
	if !write {
		grid = run.c.ReadGrid
	}
	for step := range run.steps(write) {
		if err := run.once(n, cut, grid, step, name, write, opts); err != nil {
			return err
		}
	}
	return nil
}

// once runs a body once.
func (run *combined) once(n int, cut gen.Cut, grid Grid, step int, name string, write bool, opts []world.Option) error {
	return world.Run(context.Background(), n, func(_ context.Context, w *comm.Comm) error {
		part := &Part{
			Comm: w, FS: run.fsys, Name: name, Rep: run.c.Rep,
			Elem: run.p.Elem, Len: run.c.Len, Blocks: cut.Part(run.c.Len, w.Rank(), n),
			Collective: run.c.Collective, Step: step, run: run,
		}
		if run.p.Arrays != nil {
			return run.slabbed(part, grid, write)
		}
		want := run.values(part, run.arch(w.Rank()))
		if write {
			part.Mem = append([]byte(nil), want...)
			return run.p.Write(part)
		}
		part.Mem = make([]byte, len(want))
		for i := range part.Mem {
			part.Mem[i] = 0xee
		}
		if err := run.p.Read(part); err != nil {
			return err
		}
		return run.check(part, want)
	}, opts...)
}

// slabbed runs a body on a rank's parts of arrays.
func (run *combined) slabbed(part *Part, grid Grid, write bool) error {
	rank, ranks := part.Comm.Rank(), part.Comm.Size()
	if write {
		part.Arrays = run.slabs(grid, part.Step, rank, ranks, run.arch(rank), true)
		return run.p.Write(part)
	}
	part.Arrays = run.slabs(grid, -1, rank, ranks, run.arch(rank), false)
	if err := run.p.Read(part); err != nil {
		return err
	}
	return run.checkSlabs(part)
}

func (run *combined) arch(rank int) *reps.Arch { return run.c.Archs[rank%len(run.c.Archs)] }

// mostCompared bounds the bytes of a pattern's file. Its arrays have some thousands, so a
// longer file has a wrong offset.
const mostCompared = 1 << 28

// compare compares the files of many writers and of one, piece by piece, because a wrong
// offset can make them very long.
func (run *combined) compare() error {
	many, size, err := run.written("many")
	if err != nil {
		return err
	}
	defer many.Close()
	one, alone, err := run.written("one")
	if err != nil {
		return err
	}
	defer one.Close()
	switch {
	case size != alone:
		return fmt.Errorf("%d ranks wrote %d bytes, one rank wrote %d", run.c.Writers, size, alone)
	case size > mostCompared:
		return fmt.Errorf("the file has %d bytes: an offset is wrong, or more is reserved than the %d bytes that are compared", size, mostCompared)
	}
	var want, got [1 << 16]byte
	for at := int64(0); at < size; {
		n := min(size-at, int64(len(want)))
		if _, err := io.ReadFull(one, want[:n]); err != nil {
			return err
		}
		if _, err := io.ReadFull(many, got[:n]); err != nil {
			return err
		}
		if err := firstDifference(want[:n], got[:n], at, func(at int64) string { return fmt.Sprintf("byte %d of the file", at) }); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// written opens a file that a pattern has written, and returns its size.
func (run *combined) written(name string) (fs.File, int64, error) {
	f, err := run.fsys.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// check compares the elements that a rank read with those it should have read.
func (run *combined) check(part *Part, want []byte) error {
	size := sizeIn(part.Elem, run.arch(part.Comm.Rank()))
	return firstDifference(want, part.Mem, 0, func(at int64) string {
		return fmt.Sprintf("element %d of the array, number %d of rank %d", part.element(at/size), at/size, part.Comm.Rank())
	})
}

// element returns the index in the array of the rank's element i.
func (p *Part) element(i int64) int64 {
	for _, b := range p.Blocks {
		if i < b.Len {
			return b.Disp + i
		}
		i -= b.Len
	}
	return p.Len
}

// firstDifference compares bytes; the first of them has number from.
func firstDifference(want, got []byte, from int64, where func(at int64) string) error {
	for i := range want {
		if want[i] == got[i] {
			continue
		}
		n := i
		for n < len(want) && want[n] != got[n] {
			n++
		}
		at := from + int64(i)
		return fmt.Errorf("%s differs\n  want\n%s  got\n%s", where(at), dump(at, want[i:n]), dump(at, got[i:n]))
	}
	return nil
}

// values returns the elements of a part in the memory of an architecture.
func (run *combined) values(p *Part, a *reps.Arch) []byte {
	put := valuesOf(p.Elem)
	size := sizeIn(p.Elem, a)
	mem := make([]byte, 0, p.Count()*size)
	for _, b := range p.Blocks {
		for i := range b.Len {
			one := make([]byte, size)
			put(one, b.Disp+i+1)
			mem = append(mem, one...)
		}
	}
	return mem
}

func sizeIn(t *types.Type, a *reps.Arch) int64 { return t.Size(a) }

// valuesOf returns a function that puts a small positive number into memory of a kind, or
// nil if the kind holds no numbers. Memory has the byte order of the host, for any
// architecture.
func valuesOf(t *types.Type) func(mem []byte, v int64) {
	switch t {
	case types.Double, types.Float:
		return func(mem []byte, v int64) {
			if len(mem) == 4 {
				binary.NativeEndian.PutUint32(mem, math.Float32bits(float32(v)))
				return
			}
			binary.NativeEndian.PutUint64(mem, math.Float64bits(float64(v)))
		}
	case types.Byte, types.Char, types.Short, types.Int, types.Long, types.LongLong, types.Int8, types.Int16, types.Int32, types.Int64, types.UInt8, types.UInt16, types.UInt32, types.UInt64:
		return func(mem []byte, v int64) {
			if len(mem) == 1 {
				v = 1 + v%126
			}
			var all [8]byte
			binary.LittleEndian.PutUint64(all[:], uint64(v))
			copy(mem, all[:])
			if !hostIsLittle {
				reverse(mem)
			}
		}
	}
	return nil
}

func reverse(p []byte) {
	for i, j := 0, len(p)-1; i < j; i, j = i+1, j-1 {
		p[i], p[j] = p[j], p[i]
	}
}
