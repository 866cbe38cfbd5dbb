package records

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/types"
)

// ErrEdge is in errors of reads beyond the number of records, and of regions beyond
// a fixed dimension.
var ErrEdge = errors.New("region beyond the edge of the variable")

// A Region is a part of a variable: in each dimension Count elements from Start on,
// Stride apart. A nil Stride is 1 in each dimension.
type Region struct{ Start, Count, Stride []int64 }

// Items returns how many elements a region has.
func (r Region) Items() int64 {
	n := int64(1)
	for _, c := range r.Count {
		n *= c
	}
	return n
}

func (r Region) stride(d int) int64 {
	if r.Stride == nil {
		return 1
	}
	return r.Stride[d]
}

// last is the index of the last element in a dimension.
func (r Region) last(d int) int64 { return r.Start[d] + (r.Count[d]-1)*r.stride(d) }

// check returns an error if a region does not fit its variable. Writes may be beyond
// the existing records.
func (d *Dataset) check(v int, r Region, writing bool) error {
	if d.defining {
		return errors.New("records: the dataset is in define mode: call EndDef first")
	}
	if v < 0 || v >= len(d.Vars) {
		return fmt.Errorf("records: variable %d of %d", v, len(d.Vars))
	}
	x := d.Vars[v]
	n := len(x.Dims)
	if len(r.Start) != n || len(r.Count) != n || r.Stride != nil && len(r.Stride) != n {
		return fmt.Errorf("records: variable %q has %d dimensions, the region has %d, %d, %d (start, count, stride)", x.Name, n, len(r.Start), len(r.Count), len(r.Stride))
	}
	shape := d.Shape(x)
	for k := range n {
		if r.Start[k] < 0 || r.Count[k] < 0 || r.stride(k) < 1 {
			return fmt.Errorf("records: variable %q, dimension %d: start %d, count %d, stride %d", x.Name, k, r.Start[k], r.Count[k], r.stride(k))
		}
		if r.Items() == 0 || writing && k == 0 && d.IsRecord(x) {
			continue
		}
		if r.last(k) >= shape[k] {
			return fmt.Errorf("records: variable %q, dimension %d: element %d of %d: %w", x.Name, k, r.last(k), shape[k], ErrEdge)
		}
	}
	return nil
}

// runs returns the bytes of the file of a region, in the order of its elements.
// Neighbours are joined.
func (d *Dataset) runs(x *Var, r Region) []types.Block {
	size := itemSize(x.Type)
	if r.Items() == 0 {
		return nil
	}
	steps := d.steps(x)
	var all []types.Block
	at := make([]int64, len(r.Count))
	for {
		off := x.Begin
		for k := range at {
			off += (r.Start[k] + at[k]*d.strideOf(r, k)) * steps[k]
		}
		off = d.wrapped(off)
		if k := len(all) - 1; k >= 0 && all[k].Disp+all[k].Len == off {
			all[k].Len += size
		} else {
			all = append(all, types.Block{Len: size, Disp: off})
		}
		if !advance(at, r.Count) {
			return all
		}
	}
}

// steps returns how many bytes of the file neighbours are apart in each dimension.
func (d *Dataset) steps(x *Var) []int64 {
	steps := make([]int64, len(x.Dims))
	step := itemSize(x.Type)
	for k := len(x.Dims) - 1; k >= 0; k-- {
		steps[k] = step
		step *= d.Dims[x.Dims[k]].Len
	}
	if d.IsRecord(x) {
		steps[0] = d.RecordSize
	}
	return steps
}

// advance moves to the next element, the last dimension first; false after the last one.
func advance(at, count []int64) bool {
	for k := len(at) - 1; k >= 0; k-- {
		if at[k]++; at[k] < count[k] {
			return true
		}
		at[k] = 0
	}
	return false
}

// after returns the number of records after a write of a region.
func (d *Dataset) after(x *Var, r Region) int64 {
	if r.Items() == 0 || !d.IsRecord(x) {
		return d.Records
	}
	return max(d.Records, r.last(0)+1)
}
