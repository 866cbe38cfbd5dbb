package mutants

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
)

// An ArrayMutant is a library of arrays with one bug, or with none.
type ArrayMutant struct {
	Over   string
	Bug    string
	filled bool // elements have a value before a rank writes them
}

// Maker returns a maker of such libraries. Their files, if any, are below dir.
func (m ArrayMutant) Maker(dir string) proptest.ArrayMaker {
	l := slabLayer{b: m.Bug, filled: m.filled}
	if m.Over == "os.File" {
		return func() (proptest.ArrayLayer, error) {
			dir, err := os.MkdirTemp(dir, "arrays")
			l := l
			l.dir = dir
			return &slabFolder{&l}, err
		}
	}
	return func() (proptest.ArrayLayer, error) {
		l := l
		l.power = new(proptest.Power)
		l.disk = proptest.NewCrashingDisk(l.power)
		return &l, nil
	}
}

// Arrays lists the broken libraries of arrays.
func Arrays() (all []ArrayMutant) {
	for _, b := range slabBugs {
		m := ArrayMutant{"crashing disk", b, false}
		if b == "elements that no rank wrote are zeros" || b == "a new record removes the fill of its neighbours" {
			m.Over, m.filled = "os.File", true // a power cut could leave a part of an element
		}
		all = append(all, m)
	}
	for _, b := range largeBugs {
		all = append(all, ArrayMutant{"os.File", b, false})
	}
	return all
}

// CorrectArrays lists the libraries without bugs.
func CorrectArrays() []ArrayMutant {
	return []ArrayMutant{{"crashing disk", "", false}, {"os.File", "", true}, {"os.File", "", false}}
}

// A slabLayer keeps a data set in a file as NetCDF does: the number of records, the variables
// that do not grow, one after the other, and then the records, each with its part of all
// variables that grow. If it is filled, a byte before each element says whether it was written.
type slabLayer struct {
	b      bug
	filled bool
	power  *proptest.Power
	disk   *proptest.CrashingDisk
	dir    string
}

// A slabFolder is a slabLayer over files of the operating system, which keep their bytes.
type slabFolder struct{ l *slabLayer }

func (f *slabFolder) OpenArrays(c *comm.Comm, name string, vars []proptest.Variable) (proptest.ArrayHandle, error) {
	return f.l.OpenArrays(c, name, vars)
}

func (f *slabFolder) Fill(v proptest.Variable) []byte { return f.l.Fill(v) }

func (f *slabFolder) ArrayOperations() []proptest.ArrayOperation { return f.l.ArrayOperations() }

func (f *slabFolder) Close() error { return os.RemoveAll(f.l.dir) }

var slabBugs = []bug{
	"the last record is lost",
	"strides are ignored",
	"a strided write ends early",
	"strides of all dimensions are that of the last",
	"collective accesses have the dimensions in the wrong order",
	"the number of records is kept over a sync",
	"each rank stores the number of records that it knows",
	"records of others are not counted at an open",
	"elements that no rank wrote are zeros",
	"a new record removes the fill of its neighbours",
	"variables overlap by an element",
	"records of the second variable are in those of the first",
	"a collective access without elements is skipped",
	"a collective write loses the last rank",
	"a collective write has the counts of rank 0",
	"collective reads begin where rank 0 begins",
	"what was read is kept over a sync",
	"what was read is kept over an own write",
	"writes wait for the sync without a copy",
	"single elements are written by rank 0 only",
	"a sync is not durable",
	"a sync does not wait",
	"a close does not publish",
	"two data sets are one",
	"a new layout moves no records",
	"a count of zero is a count of one",
	"rows are read and written back whole",
}

var largeBugs = []bug{
	"offsets have 32 bits",
	"the number of an element has 32 bits",
	"the size of a variable has 32 bits",
	"a row has at most 2 GiB",
}

func (l *slabLayer) Power() *proptest.Power { return l.power }

func (l *slabLayer) Restart() (proptest.ArrayLayer, error) { return l, nil }

// fillByte is each byte of an element before a rank writes it.
const fillByte = 0x5c

func (l *slabLayer) Fill(v proptest.Variable) []byte {
	if !l.filled {
		return nil
	}
	return bytes.Repeat([]byte{fillByte}, int(v.Elem.Size(types.Host)))
}

func (l *slabLayer) ArrayOperations() []proptest.ArrayOperation {
	on := func(do func(*slabs) error) func(*comm.Comm, proptest.ArrayHandle) error {
		return func(_ *comm.Comm, h proptest.ArrayHandle) error { return do(h.(*slabs)) }
	}
	return []proptest.ArrayOperation{
		{Name: "redefine", Effect: gen.Syncs, Call: on((*slabs).redefine)},
		{Name: "inquire", Effect: gen.ChangesNothing, Alone: true, Call: on(func(h *slabs) error { return h.c.Yield() })},
	}
}

func (l *slabLayer) OpenArrays(c *comm.Comm, name string, vars []proptest.Variable) (proptest.ArrayHandle, error) {
	if l.b == "two data sets are one" {
		name = "s"
	}
	h := &slabs{l: l, c: c, b: l.b, vars: vars, seen: map[int64][]byte{}, late: map[int64][]byte{}}
	var err error
	if l.disk != nil {
		h.d, err = l.disk.Open(c, name)
	} else {
		var f *os.File
		f, err = os.OpenFile(filepath.Join(l.dir, name), os.O_RDWR|os.O_CREATE, 0o666)
		h.d = proptest.YieldingDisk(c, f)
	}
	if err != nil {
		return nil, err
	}
	err = h.header()
	return h, errors.Join(err, c.Barrier())
}

// A slabs is one rank's handle of a data set.
type slabs struct {
	l       *slabLayer
	c       *comm.Comm
	b       bug
	d       proptest.Disk
	vars    []proptest.Variable
	shift   int64 // where the variables begin
	records int64
	seen    map[int64][]byte // elements that were read, by offset
	late    map[int64][]byte // elements to write at a sync
}

// The header has the number of records and where the variables begin.
const slabHeader = 16

func (h *slabs) header() error {
	var p [slabHeader]byte
	if _, err := h.d.ReadAt(p[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	h.records, h.shift = int64(binary.LittleEndian.Uint64(p[:])), int64(binary.LittleEndian.Uint64(p[8:]))
	if h.b == "records of others are not counted at an open" && h.c.Rank() > 0 && h.records > 1 {
		h.records--
	}
	return nil
}

func (h *slabs) store() error {
	n := h.records
	if h.b == "the last record is lost" && n > 1 {
		n--
	}
	var p [slabHeader]byte
	binary.LittleEndian.PutUint64(p[:], uint64(n))
	binary.LittleEndian.PutUint64(p[8:], uint64(h.shift))
	_, err := h.d.WriteAt(p[:], 0)
	return err
}

// item returns the bytes of an element in the file.
func (h *slabs) item(v *proptest.Variable) int64 {
	n := v.Elem.Size(types.Host)
	if h.l.filled {
		n++
	}
	return n
}

// inRecord returns the bytes of a variable in a record, or of all of it if it does not grow.
func (h *slabs) inRecord(v *proptest.Variable) int64 {
	n := h.item(v)
	for d, count := range v.Most {
		if d > 0 || !v.Grows {
			n *= count
		}
	}
	if h.b == "the size of a variable has 32 bits" {
		n = int64(uint32(n))
	}
	if h.b == "variables overlap by an element" && len(v.Most) > 1 {
		n -= h.item(v)
	}
	return n
}

// layout returns where a variable begins, and how far its records are apart.
func (h *slabs) layout(name string) (v *proptest.Variable, at, apart int64) {
	at = slabHeader + h.shift
	for i := range h.vars {
		if x := &h.vars[i]; !x.Grows {
			if x.Name == name {
				v = x
				break
			}
			at += h.inRecord(x)
		}
	}
	if v != nil {
		return v, at, 0
	}
	inRecord := int64(0)
	for i := range h.vars {
		x := &h.vars[i]
		if !x.Grows {
			continue
		}
		if x.Name == name {
			v = x
			if h.b != "records of the second variable are in those of the first" || i == 0 {
				at += inRecord
			}
		}
		inRecord += h.inRecord(x)
	}
	return v, at, inRecord
}

// offsets returns where the elements of a slab are in the file.
func (h *slabs) offsets(s *proptest.Slab, together, write bool) (all []int64) {
	v, begin, apart := h.layout(s.Name)
	for i := range h.places(s, together, write) {
		index := i
		at := begin
		if v.Grows {
			row := h.inRecord(v) / h.item(v)
			at += index / max(1, row) * apart
			index %= max(1, row)
		}
		if h.b == "the number of an element has 32 bits" {
			index = int64(int32(index))
		}
		at += index * h.item(v)
		if h.b == "offsets have 32 bits" {
			at = int64(uint32(at))
		}
		if h.b == "a row has at most 2 GiB" && at > begin+1<<31 && len(v.Most) == 2 {
			at -= 1 << 31
		}
		all = append(all, at)
	}
	return all
}

// places returns the numbers of the elements of a slab.
func (h *slabs) places(s *proptest.Slab, together, write bool) func(func(int64) bool) {
	c := *s
	c.Start, c.Count, c.Stride = slices.Clone(s.Start), slices.Clone(s.Count), slices.Clone(s.Stride)
	c.Shape = slices.Clone(s.Shape)
	n := len(c.Start)
	switch h.b {
	case "strides are ignored":
		for d := range c.Stride {
			c.Stride[d] = 1
		}
	case "strides of all dimensions are that of the last":
		for d := range c.Stride {
			c.Stride[d] = c.Stride[n-1]
		}
	case "a strided write ends early":
		if write && n > 0 && c.Stride[n-1] > 1 {
			c.Count[n-1] = max(1, c.Count[n-1]-1)
		}
	case "a count of zero is a count of one":
		for d := range c.Count {
			c.Count[d] = max(1, c.Count[d])
		}
	case "collective accesses have the dimensions in the wrong order":
		if together {
			for _, list := range [][]int64{c.Start, c.Count, c.Stride, c.Shape} {
				slices.Reverse(list)
			}
		}
	}
	return func(yield func(int64) bool) {
		for _, i := range c.Indices() {
			if !yield(i) {
				return
			}
		}
	}
}

// grow counts the records of a slab.
func (h *slabs) grow(s *proptest.Slab) {
	if s.Grows && s.Items() > 0 {
		h.records = max(h.records, s.Start[0]+(s.Count[0]-1)*s.Stride[0]+1)
	}
}

// A piece is an element to write.
type piece struct {
	at int64
	p  []byte
}

// pieces returns the elements of a slab as they are in the file.
func (h *slabs) pieces(s *proptest.Slab, together bool) (all []piece) {
	size := s.Elem.Size(types.Host)
	for j, at := range h.offsets(s, together, true) {
		p := make([]byte, size) // what is behind the memory
		if int64(j+1)*size <= int64(len(s.Mem)) {
			p = s.Mem[int64(j)*size : int64(j+1)*size]
		}
		if h.l.filled {
			p = append([]byte{1}, p...)
		}
		all = append(all, piece{at, p})
	}
	return all
}

func (h *slabs) WriteSlab(s *proptest.Slab) error {
	if h.b == "single elements are written by rank 0 only" && len(s.Start) == 0 && h.c.Rank() > 0 {
		return nil
	}
	h.grow(s)
	all := h.pieces(s, false)
	switch {
	case h.b == "writes wait for the sync without a copy" || h.b == "a close does not publish":
		for _, x := range all {
			if h.b == "a close does not publish" {
				x.p = bytes.Clone(x.p)
			}
			h.late[x.at] = x.p
		}
		return nil
	case h.b == "rows are read and written back whole" && len(all) > 1:
		all = h.joined(all)
	case h.b == "a new record removes the fill of its neighbours" && s.Grows && len(all) > 0:
		if err := h.write([]piece{{all[0].at - h.item(&s.Variable), []byte{0}}}); err != nil {
			return err
		}
	}
	return h.write(all)
}

// joined returns one piece from the first byte of all to the last, with what the file has
// between them.
func (h *slabs) joined(all []piece) []piece {
	lo, hi := all[0].at, int64(0)
	for _, x := range all {
		lo, hi = min(lo, x.at), max(hi, x.at+int64(len(x.p)))
	}
	row := piece{lo, make([]byte, hi-lo)}
	_, _ = h.d.ReadAt(row.p, lo)
	for _, x := range all {
		copy(row.p[x.at-lo:], x.p)
	}
	return []piece{row}
}

func (h *slabs) write(all []piece) error {
	for _, x := range all {
		if x.at < 0 {
			continue
		}
		if h.b != "what was read is kept over an own write" {
			delete(h.seen, x.at)
		}
		if _, err := h.d.WriteAt(x.p, x.at); err != nil {
			return err
		}
	}
	return nil
}

func (h *slabs) ReadSlab(s *proptest.Slab) error { return h.read(s, h.offsets(s, false, false)) }

func (h *slabs) read(s *proptest.Slab, offsets []int64) error {
	size := s.Elem.Size(types.Host)
	for j, at := range offsets {
		if int64(j+1)*size > int64(len(s.Mem)) {
			break
		}
		p, ok := h.seen[at]
		if late := h.late[at]; late != nil {
			p, ok = late, true
		}
		if !ok {
			p = make([]byte, h.item(&s.Variable))
			if _, err := h.d.ReadAt(p, max(0, at)); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if h.b == "what was read is kept over a sync" || h.b == "what was read is kept over an own write" {
				h.seen[at] = p
			}
		}
		if h.l.filled {
			if p[0] == 0 && h.b != "elements that no rank wrote are zeros" {
				p = bytes.Repeat([]byte{fillByte}, len(p))
			}
			p = p[1:]
		}
		copy(s.Mem[int64(j)*size:], p)
	}
	return nil
}

// WriteSlabAll has rank 0 write the elements of all ranks.
func (h *slabs) WriteSlabAll(s *proptest.Slab) error {
	if h.b == "a collective access without elements is skipped" && s.Items() == 0 {
		return nil
	}
	if h.b == "a collective write has the counts of rank 0" && len(s.Count) > 0 {
		c := *s
		c.Count = slices.Clone(s.Count)
		if err := h.c.Bcast(types.Of(c.Count), 0); err != nil {
			return err
		}
		s = &c
	}
	h.grow(s)
	var packed []byte
	all := h.pieces(s, true)
	if h.b == "a collective write loses the last rank" && h.c.Rank() > 0 && h.c.Rank() == h.c.Size()-1 {
		all = nil
	}
	for _, x := range all {
		packed = binary.LittleEndian.AppendUint64(packed, uint64(x.at))
		packed = append(packed, x.p...)
	}
	parts, err := gather(h.c, packed, 0)
	if err != nil {
		return err
	}
	each := 8 + int(h.item(&s.Variable))
	for _, part := range parts {
		for p := part.p; len(p) > 0; p = p[each:] {
			if err := h.write([]piece{{int64(binary.LittleEndian.Uint64(p)), p[8:each]}}); err != nil {
				return err
			}
		}
	}
	for _, x := range all {
		delete(h.seen, x.at)
	}
	return h.c.Barrier()
}

func (h *slabs) ReadSlabAll(s *proptest.Slab) error {
	switch {
	case h.b == "a collective access without elements is skipped" && s.Items() == 0:
		return nil
	case h.b == "collective reads begin where rank 0 begins" && len(s.Start) > 0:
		c := *s
		c.Start = slices.Clone(s.Start)
		if err := h.c.Bcast(types.Of(c.Start), 0); err != nil {
			return err
		}
		s = &c
	}
	return errors.Join(h.read(s, h.offsets(s, true, false)), h.c.Barrier())
}

func (h *slabs) Records() (int64, error) { return h.records, h.c.Yield() }

// publish writes what waits, agrees on the number of records, and makes all durable.
func (h *slabs) publish() error {
	for _, at := range slices.Sorted(maps.Keys(h.late)) {
		if err := h.write([]piece{{at, h.late[at]}}); err != nil {
			return err
		}
	}
	clear(h.late)
	most := []int64{h.records}
	if h.b != "each rank stores the number of records that it knows" {
		if err := h.c.AllReduce(types.Of([]int64{h.records}), types.Of(most), comm.Max); err != nil {
			return err
		}
	}
	if h.b != "the number of records is kept over a sync" || h.c.Rank() == 0 {
		h.records = most[0]
	}
	if h.c.Rank() == 0 || h.b == "each rank stores the number of records that it knows" {
		if err := h.store(); err != nil {
			return err
		}
	}
	if h.b == "a sync is not durable" {
		return nil
	}
	return h.d.Sync()
}

func (h *slabs) Sync() error {
	if err := h.publish(); err != nil {
		return err
	}
	if h.b != "what was read is kept over a sync" {
		clear(h.seen)
	}
	if h.b == "a sync does not wait" {
		return nil
	}
	return h.c.Barrier()
}

func (h *slabs) Close() error {
	if h.b == "a close does not publish" {
		clear(h.late)
	}
	return errors.Join(h.Sync(), h.d.Close())
}

// redefine makes the header longer by 8 bytes, as for a new attribute, and moves all data.
func (h *slabs) redefine() error {
	if err := h.Sync(); err != nil {
		return err
	}
	const more = 8
	if h.c.Rank() == 0 {
		info, err := h.d.Stat()
		if err != nil {
			return err
		}
		end := info.Size()
		if h.b == "a new layout moves no records" {
			end = slabHeader + h.shift
			for i := range h.vars {
				if !h.vars[i].Grows {
					end += h.inRecord(&h.vars[i])
				}
			}
			end = min(end, info.Size())
		}
		if info.Size() < 1<<20 && end > slabHeader {
			p := make([]byte, end-slabHeader)
			if _, err := h.d.ReadAt(p, slabHeader); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if _, err := h.d.WriteAt(p, slabHeader+more); err != nil {
				return err
			}
		}
	}
	h.shift += more
	clear(h.seen)
	if err := h.c.Barrier(); err != nil {
		return err
	}
	return h.Sync()
}
