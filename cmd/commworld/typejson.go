package main

import (
	"encoding/json"

	"github.com/commworld/commworld/types"
)

// object prints l as JSON.
func (w *typeWriter) object(expr string, l laid) {
	typemap, runs := l.typemap(w.Limit), l.runs(w.Limit)
	cut := l.Items() > int64(len(typemap)) || int64(len(runs)) > w.Limit
	w.encode(struct {
		Expr       string     `json:"expr"`
		Sizes      string     `json:"sizes"`
		Size       int64      `json:"size"`
		LB         int64      `json:"lb"`
		Extent     int64      `json:"extent"`
		TrueLB     int64      `json:"true_lb"`
		TrueExtent int64      `json:"true_extent"`
		Signature  string     `json:"signature"`
		Portable   bool       `json:"portable"`
		Typemap    []mapItem  `json:"typemap"`
		Runs       [][2]int64 `json:"runs"`
		Truncated  bool       `json:"truncated,omitempty"`
	}{
		expr, l.name, l.Size, l.LB, l.Extent, l.TrueLB, l.TrueUB - l.TrueLB, l.typ.Signature().String(), l.typ.Portable(),
		typemap, runs[:min(int64(len(runs)), w.Limit)], cut,
	})
}

// encode prints v on one line. Only writing can fail, and Flush reports that.
func (w *typeWriter) encode(v any) {
	_ = inJSON(w.out, v)
}

// A mapItem is one item of a typemap, in JSON ["int", 8].
type mapItem struct {
	kind types.Kind
	disp int64
}

func (m mapItem) MarshalJSON() ([]byte, error) {
	return json.Marshal([2]any{m.kind.String(), m.disp})
}

// typemap returns the first items of one copy, at most limit.
func (l laid) typemap(limit int64) []mapItem {
	items := []mapItem{}
	c := types.Tiling{L: l.Layout}.Cursor(0)
	for kind, n := range l.typ.Signature().Items(0, min(limit, l.Items())) {
		for size := l.sizes.Sizeof(kind); n > 0; n-- {
			off, _ := c.Next(size)
			items = append(items, mapItem{kind, off})
		}
	}
	return items
}

// runs returns the first runs of one copy, merged in typemap order: at most one more than
// limit, to show that the list was cut.
func (l laid) runs(limit int64) [][2]int64 {
	runs := [][2]int64{}
	for off, n := range (types.Tiling{L: l.Layout}).Runs(0, l.Size) {
		if runs = append(runs, [2]int64{off, n}); int64(len(runs)) > limit {
			break
		}
	}
	return runs
}
