package proptest

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A Pattern is a way to write and read an array that any number of ranks share
// in a file. Both bodies run on every rank, open the file (see [Part.Open]) and
// close it. What one number of ranks has written any other can read, and the file is
// the same: that is what [AnyProcessCount] checks.
type Pattern struct {
	Elem  *types.Type // predefined, an integer or a float; nil: Double
	Most  int64       // elements of the array, at most; 0: 40
	Ranks int         // at most; 0: 8

	// Reps are the data representations that the pattern is for; nil: native.
	// Under all but native, ranks have unlike architectures.
	Reps []string

	Write func(p *Part) error
	Read  func(p *Part) error
}

// A Part is one rank's part of an array.
type Part struct {
	Comm *comm.Comm
	FS   *iofile.FS
	Name string // of the file
	Rep  string // data representation of the file

	Elem   *types.Type
	Len    int64         // elements of the whole array
	Blocks []types.Block // those of this rank, in ascending order

	// Mem are the elements of the rank, one after the other, as in its memory:
	// what Write has to write and Read has to fill.
	Mem []byte

	strategy iofile.Strategy
}

// Open opens the file, on all ranks, with the strategy of the combination.
// A body that opens it by itself runs with the strategy that it chooses.
func (p *Part) Open(amode iofile.Mode) (*iofile.File, error) {
	return iofile.Open(p.Comm, p.FS, p.Name, amode, iofile.WithStrategy(p.strategy))
}

// View returns a view of the rank's elements, in order, of an array that begins
// at byte disp of the file. An access through it that begins at 0 and has
// Count elements is all of them.
func (p *Part) View(disp int64) iofile.View {
	ft := types.Indexed(p.Blocks, p.Elem)
	if len(p.Blocks) == 0 {
		ft = types.Contiguous(0, p.Elem)
	}
	return iofile.View{Disp: disp, Etype: p.Elem, Filetype: ft, Rep: p.Rep}
}

// Count returns how many elements the rank has.
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
	Archs            []*reps.Arch // of ranks, in turn
	Model            string
	model            iofile.Option
	Strategy         iofile.Strategy
	Schedule         string
}

// String is the combination on one line.
func (c *Combination) String() string {
	return fmt.Sprintf("%d elements; %d writers, %v; %d readers, %v; %s, %v; model %s, strategy %v, schedule %s",
		c.Len, c.Writers, c.WriteCut, c.Readers, c.ReadCut, c.Rep, c.Archs, c.Model, c.Strategy, c.Schedule)
}

// GoString is String too, because rapid prints what it has drawn by it.
func (c *Combination) GoString() string { return c.String() }

// Combinations draws ways to run a pattern, the plainest first.
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

// AnyProcessCount checks that a pattern writes the same file with any number of
// ranks, and that any number of ranks can read it: under every cut of the
// array, schedule, model of visibility, strategy and, where the representation
// is portable, architecture. Races count as failures. It reports the smallest
// combination that fails, with the flags that run it again.
func AnyProcessCount(t *testing.T, p Pattern) {
	t.Helper()
	rapid.Check(t, anyProcessCount(p))
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
	run := &combined{p, c, iofile.NewMem(c.model)}
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
}

func (run *combined) fail(what string, err error) error {
	return fmt.Errorf("%s: %w\ncombination: %v", what, err, run.c)
}

// ranks runs one body on n ranks.
func (run *combined) ranks(n int, cut gen.Cut, name string, write bool) error {
	opts := []world.Option{world.Replay(run.c.Schedule)}
	for r := range n {
		opts = append(opts, world.Arch(r, run.arch(r)))
	}
	return world.Run(context.Background(), n, func(_ context.Context, w *comm.Comm) error {
		part := &Part{
			Comm: w, FS: run.fsys, Name: name, Rep: run.c.Rep,
			Elem: run.p.Elem, Len: run.c.Len, Blocks: cut.Part(run.c.Len, w.Rank(), n), strategy: run.c.Strategy,
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

func (run *combined) arch(rank int) *reps.Arch { return run.c.Archs[rank%len(run.c.Archs)] }

// compare compares the files of many writers and of one.
func (run *combined) compare() error {
	many, err := fs.ReadFile(run.fsys, "many")
	if err != nil {
		return err
	}
	one, err := fs.ReadFile(run.fsys, "one")
	if err != nil {
		return err
	}
	if len(many) != len(one) {
		return fmt.Errorf("%d ranks wrote %d bytes, one rank wrote %d", run.c.Writers, len(many), len(one))
	}
	return firstDifference(one, many, func(at int64) string { return fmt.Sprintf("byte %d of the file", at) })
}

// check compares what a rank read with what it should have.
func (run *combined) check(part *Part, want []byte) error {
	size := sizeIn(part.Elem, run.arch(part.Comm.Rank()))
	return firstDifference(want, part.Mem, func(at int64) string {
		return fmt.Sprintf("element %d of the array, number %d of rank %d", part.element(at/size), at/size, part.Comm.Rank())
	})
}

// element returns which element of the array number i of the rank's is.
func (p *Part) element(i int64) int64 {
	for _, b := range p.Blocks {
		if i < b.Len {
			return b.Disp + i
		}
		i -= b.Len
	}
	return p.Len
}

func firstDifference(want, got []byte, where func(at int64) string) error {
	for i := range want {
		if want[i] == got[i] {
			continue
		}
		n := i
		for n < len(want) && want[n] != got[n] {
			n++
		}
		at := int64(i)
		return fmt.Errorf("%s differs\n  want\n%s  got\n%s", where(at), dump(at, want[i:n]), dump(at, got[i:n]))
	}
	return nil
}

// values are the elements of a part in the memory of an architecture.
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

// valuesOf returns what puts a small positive number into memory of a kind,
// or nil if the kind holds none. Memory has the byte order of the host,
// whatever the architecture.
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
