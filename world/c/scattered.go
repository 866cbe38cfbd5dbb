//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"cmp"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// Buffers in the memory of a process whose data are not one piece. Only their data are copied, to
// a range of the size of the whole; where that is too large for the addresses that there are, as
// with absolute addresses on the stack and in the heap, to ranges for the parts, and the datatype
// gets the displacements of these.

// Bounds of buffers with gaps: of the gaps that are copied with the data, of a range, and of the
// parts that get ranges of their own.
const (
	mostGap   = 256
	mostSpan  = 1 << 36
	mostPlace = 1 << 20
)

// scattered returns the buffer of n copies of a datatype that have gaps.
func (v *view) scattered(k *call, s stretch, l *types.Layout, n int64, t *types.Type) types.Buffer {
	if s.hi-s.lo > mostSpan {
		return v.relocated(k, plain(s.address), n, t)
	}
	if n*l.Size >= (s.hi-s.lo)/8 {
		return s.mem(n, t)
	}
	first := plain(s.first())
	return types.Raw(v.parts(first, s.hi-s.lo, v.writes(s.address), types.Tiling{L: l, Disp: -s.lo}, n*l.Size), n, t).At(-s.lo)
}

// writes reports whether the call may write what an argument leads to.
func (v *view) writes(argument int64) bool { return v.writable == nil || v.writable(argument) }

// parts returns a range for size bytes at an address with a copy of the data of a layout.
func (v *view) parts(address, size int64, writes bool, w types.Tiling, data int64) []byte {
	all := v.place(address, size)
	v.partsIn(all, address, writes, w, data)
	return all
}

// partsIn copies the data of a layout to a range for what is at an address.
func (v *view) partsIn(all []byte, address int64, writes bool, w types.Tiling, data int64) {
	var list []*fetched
	var last *fetched
	for off, n := range w.Runs(0, data) {
		if last != nil {
			end := last.address - address + int64(len(last.local))
			if gap := off - end; gap >= 0 && gap <= mostGap {
				last.local = all[last.address-address : off+n]
				continue
			}
		}
		last = &fetched{address: address + off, local: all[off : off+n], buffer: true}
		list = append(list, last)
	}
	var alone []*fetched
	for _, f := range list {
		open := v.opened(f)
		if len(open) == 0 {
			alone = append(alone, f)
			continue
		}
		there := make([]byte, len(f.local))
		if err := v.process.readMapped(f.address, there); err != nil {
			panic(err)
		}
		v.adopt(f, there, open, writes)
	}
	if err := v.readAll(alone); err != nil {
		panic(err)
	}
	for _, f := range alone {
		v.adopt(f, f.local, nil, writes)
	}
	v.ranges = append(v.ranges, list...)
}

// readAll copies parts.
func (v *view) readAll(list []*fetched) error {
	for part := range slices.Chunk(list, mostParts) {
		local, remote := make([]unix.Iovec, len(part)), make([]unix.RemoteIovec, len(part))
		total := 0
		for i, f := range part {
			local[i].Base = &f.local[0]
			local[i].SetLen(len(f.local))
			remote[i] = unix.RemoteIovec{Base: uintptr(f.address), Len: len(f.local)}
			total += len(f.local)
		}
		if n, err := unix.ProcessVMReadv(v.process.pid, local, remote, 0); err == nil && n == total {
			continue
		}
		for _, f := range part { // one of them is not mapped, or has gaps that are not
			if err := v.process.readMapped(f.address, f.local); err != nil {
				return err
			}
		}
	}
	return nil
}

// readMapped is read for memory whose data may have gaps that are not mapped. Its first and its
// last byte are data.
func (p *process) readMapped(address int64, to []byte) error {
	err := p.read(address, to)
	if err == nil {
		return nil
	}
	if err := p.read(address, to[:1]); err != nil {
		return err
	}
	if err := p.read(address+int64(len(to))-1, to[len(to)-1:]); err != nil {
		return err
	}
	p.readObjects()
	for _, o := range p.objects {
		low, high := max(int64(o.low), address), min(int64(o.high), address+int64(len(to)))
		if low < high {
			_ = p.read(low, to[low-address:high-address]) // what may not be read has no data
		}
	}
	return nil
}

// relocated returns the buffer of n copies of a datatype whose data are far apart: that of a
// structure with the same data, each part with a displacement to its copy.
func (v *view) relocated(k *call, address, n int64, t *types.Type) types.Buffer {
	fields, ok := k.r.flatten(nil, t, address, n)
	if !ok {
		k.fail(errclass.Type, "the data of a buffer are more than %d GiB apart, and have more than %d parts or a datatype that cannot be taken apart", mostSpan>>30, mostPlace)
	}
	writes := v.writes(address)
	low, high := ^uintptr(0), uintptr(0)
	for _, group := range k.r.grouped(fields) {
		start := group.low
		all := v.place(start, group.high-start)
		for _, i := range group.fields {
			f := &fields[i]
			l, err := f.Type.Layout(k.r.sizes)
			if err != nil || l.Size == 0 {
				continue
			}
			v.partsIn(all, start, writes, types.Tiling{L: l, Disp: f.Disp - start}, f.Count*l.Size)
			f.Disp += int64(uintptr(unsafe.Pointer(unsafe.SliceData(all)))) - start
		}
		at := uintptr(unsafe.Pointer(unsafe.SliceData(all)))
		low, high = min(low, at), max(high, at+uintptr(len(all)))
	}
	if high == 0 {
		return types.Raw(nil, 0, t)
	}
	made := types.Struct(fields...)
	return types.Raw(unsafe.Slice((*byte)(pointer(int64(low))), high-low), 1, made).At(-int64(low))
}

// A group is fields whose data get one range.
type group struct {
	low, high int64
	fields    []int
}

// grouped returns fields by their addresses.
func (r *rank) grouped(fields []types.Field) (all []group) {
	for i, f := range fields {
		l, err := f.Type.Layout(r.sizes)
		if err != nil || l.Size == 0 || f.Count <= 0 {
			continue
		}
		low, high := f.Disp+l.TrueLB, f.Disp+l.TrueUB
		if last := (f.Count - 1) * l.Extent; last < 0 {
			low += last
		} else {
			high += last
		}
		all = append(all, group{low, high, []int{i}})
	}
	slices.SortFunc(all, func(a, b group) int { return cmp.Compare(a.low, b.low) })
	merged := all[:0]
	for _, g := range all {
		if n := len(merged); n > 0 && g.high-merged[n-1].low <= slotSize/16 {
			merged[n-1].high = max(merged[n-1].high, g.high)
			merged[n-1].fields = append(merged[n-1].fields, g.fields...)
			continue
		}
		merged = append(merged, g)
	}
	return merged
}

// flatten appends the parts of n copies of a datatype at an address, each of which has its data
// near each other; false if there are too many, or the datatype cannot be taken apart.
func (r *rank) flatten(all []types.Field, t *types.Type, address, n int64) ([]types.Field, bool) {
	l, err := t.Layout(r.sizes)
	if err != nil || len(all) > mostPlace || n > mostPlace {
		return nil, false
	}
	span := l.TrueUB - l.TrueLB
	if n <= 1 && span <= mostSpan || n > 1 && span+(n-1)*max(l.Extent, -l.Extent) <= mostSpan {
		return append(all, types.Field{Count: n, Disp: address, Type: t}), true
	}
	if n > 1 {
		ok := true
		for i := int64(0); i < n && ok; i++ {
			all, ok = r.flatten(all, t, address+i*l.Extent, 1)
		}
		return all, ok
	}
	c, err := t.Contents()
	if err != nil {
		return nil, false
	}
	return r.flattenParts(all, t.Envelope().Combiner, c, address)
}

// flattenParts appends the parts of what a constructor has made.
func (r *rank) flattenParts(all []types.Field, made types.Combiner, c types.Contents, address int64) ([]types.Field, bool) {
	kid := c.Types[0]
	kl, err := kid.Layout(r.sizes)
	if err != nil {
		return nil, false
	}
	ok := true
	add := func(t *types.Type, at, n int64) {
		if ok {
			all, ok = r.flatten(all, t, at, n)
		}
	}
	switch made {
	case types.CombinerStruct:
		for i, t := range c.Types {
			add(t, address+c.Addresses[i], c.Integers[1+i])
		}
	case types.CombinerHIndexed:
		for i, at := range c.Addresses {
			add(kid, address+at, c.Integers[1+i])
		}
	case types.CombinerHIndexedBlock:
		for _, at := range c.Addresses {
			add(kid, address+at, c.Integers[1])
		}
	case types.CombinerHVector:
		for i := range c.Integers[0] {
			add(kid, address+i*c.Addresses[0], c.Integers[1])
		}
	case types.CombinerVector:
		for i := range c.Integers[0] {
			add(kid, address+i*c.Integers[2]*kl.Extent, c.Integers[1])
		}
	case types.CombinerContiguous:
		add(kid, address, c.Integers[0])
	case types.CombinerResized, types.CombinerDup:
		add(kid, address, 1)
	default:
		return nil, false
	}
	return all, ok
}
