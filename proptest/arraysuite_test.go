package proptest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
)

// The next lines are on the page.

func TestLibrary(t *testing.T) { proptest.ArrayConformance(t, newLibrary) }

func newLibrary() (proptest.ArrayLayer, error) {
	return &library{map[string][]byte{}, map[string]int64{}}, nil
}

// A library has the elements of all data sets: put yours here.
type library struct {
	elements map[string][]byte
	records  map[string]int64
}

func (l *library) OpenArrays(c *comm.Comm, name string, vars []proptest.Variable) (proptest.ArrayHandle, error) {
	return &dataset{l, c, name, l.records[name]}, c.Barrier()
}

// A dataset is one rank's handle. It makes each write visible at once.
type dataset struct {
	l       *library
	c       *comm.Comm
	name    string
	records int64
}

func (d *dataset) WriteSlab(s *proptest.Slab) error {
	for i, p := range d.elements(s) {
		d.l.elements[i] = append([]byte{}, p...)
	}
	if s.Grows && s.Items() > 0 {
		d.records = max(d.records, s.Start[0]+(s.Count[0]-1)*s.Stride[0]+1)
	}
	return d.c.Yield()
}

func (d *dataset) ReadSlab(s *proptest.Slab) error {
	for i, p := range d.elements(s) {
		copy(p, d.l.elements[i])
	}
	return d.c.Yield()
}

// elements returns the memory of each element of a slab, by its name.
func (d *dataset) elements(s *proptest.Slab) map[string][]byte {
	size, all := int(s.Elem.Size(types.Host)), map[string][]byte{}
	for j, i := range s.Indices() {
		all[fmt.Sprint(d.name, " ", s.Name, " ", i)] = s.Mem[j*size : (j+1)*size]
	}
	return all
}

func (d *dataset) Records() (int64, error) { return d.records, nil }

func (d *dataset) Sync() error {
	most := make([]int64, 1)
	if err := d.c.AllReduce(types.Of([]int64{d.records}), types.Of(most), comm.Max); err != nil {
		return err
	}
	d.records, d.l.records[d.name] = most[0], most[0]
	return d.c.Barrier()
}

func (d *dataset) Close() error { return d.Sync() }

// The page ends here.

// TestArraysPage: if it fails, TESTING.md shows another library than the one that is tested here.
func TestArraysPage(t *testing.T) {
	page, err := os.ReadFile("TESTING.md")
	require.NoError(t, err)
	code, err := os.ReadFile("arraysuite_test.go")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(code), "// The next lines are on the page.\n\n")
	want, _, _ := strings.Cut(rest, "\n// The page ends here.")
	assert.Contains(t, string(page), "```go\n"+want+"```\n")
}

// A lazyLibrary does not tell other ranks of records at a sync.
type lazyLibrary struct{ proptest.ArrayLayer }

func (l lazyLibrary) OpenArrays(c *comm.Comm, name string, vars []proptest.Variable) (proptest.ArrayHandle, error) {
	h, err := l.ArrayLayer.OpenArrays(c, name, vars)
	return lazyDataset{h.(*dataset)}, err
}

type lazyDataset struct{ *dataset }

func (d lazyDataset) Sync() error  { return d.c.Barrier() }
func (d lazyDataset) Close() error { return d.c.Barrier() }

// TestArrayPrograms: if it fails, a library is blamed for what it may do, or not for what it may
// not.
func TestArrayPrograms(t *testing.T) {
	lazy := func() (proptest.ArrayLayer, error) {
		l, err := newLibrary()
		return lazyLibrary{l}, err
	}
	p := gen.MustParse(`ranks 2, schedule random:0
		variable u int *9,2
		0: write u start 2,0 count 1,2
		all: sync
		1: read u start 0,1 count 3,1`)
	assert.NoError(t, proptest.Arrays(newLibrary, p))
	err := proptest.Arrays(lazy, p)
	assert.ErrorContains(t, err, "rank 1, operation 1, sync: found 0 records, want 3")
	late := gen.MustParse(`ranks 2, schedule random:0
		variable u int *9,2
		0: write u start 2,0 count 1,2`)
	assert.ErrorContains(t, proptest.Arrays(lazy, late), "after the last close: rank 0: found 0 records, want 3")
	_, err = gen.Parse(strings.Replace(p.String(), "all: sync", "all: own x, changes nothing", 1))
	assert.ErrorContains(t, err, "operation 2, 1: read u start 0,1 count 3,1, is illegal here", "records that the rank may not know")
	assert.Error(t, proptest.Arrays(newLibrary, gen.MustParse("ranks 1\n0: put \"a\", 4 marks")), "another suite's program")
}
