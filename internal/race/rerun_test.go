package race

import (
	"reflect"
	"slices"
	"testing"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// If a record gave back another access than it got, fixes would be tried on a run that never
// was. Every field that a rerun uses must come back, in the order of the calls.
func TestRecord(t *testing.T) {
	layouts := []*types.Layout{nil}
	for _, n := range []int64{1, 4, 12} {
		l, err := types.Contiguous(n, types.Int).Layout(types.Host)
		assert.NoError(t, err)
		layouts = append(layouts, l)
	}
	small := rapid.Int64Range(0, 3)
	rapid.Check(t, func(t *rapid.T) {
		rank := rapid.IntRange(0, 3).Draw(t, "rank")
		d := NewDetector(DetectorOptions{Ranks: 4, Record: true})
		h := d.Open("open", rank, 1, nil)
		rows := []*row{nil, {}, {}, {}}
		keys := map[*row]siteKey{}
		var want []recorded
		for i := range rapid.IntRange(0, 200).Draw(t, "events") {
			e := recorded{
				kind: rapid.SampledFrom([]eventKind{anAccess, aBegin, anEnd, aCancel, aSync, aSwitch, aSameMode}).Draw(t, "kind"),
				time: uint64(2 * i), number: rapid.Int32().Draw(t, "number"),
			}
			if e.kind == anAccess || e.kind == aBegin {
				a := &Access{
					Op:    rapid.SampledFrom([]string{"ReadAt", "WriteAt", ""}).Draw(t, "op"),
					Write: rapid.Bool().Draw(t, "write"), Atomic: rapid.Bool().Draw(t, "atomic"), Resize: rapid.Bool().Draw(t, "resize"),
					Where: PCs{uintptr(small.Draw(t, "pc"))}, Line: sched.Place{File: "f.go", Line: int(small.Draw(t, "line"))},
				}
				e.row = rapid.SampledFrom(rows).Draw(t, "row")
				if k, ok := keys[e.row]; ok && e.row != nil { // all accesses of a row have its site
					a.Op, a.Where, a.Line, a.Write, a.Atomic, a.Resize = k.op, k.where, k.line, k.write, k.atomic, k.resize
				}
				keys[e.row] = a.key(rank)
				a.Bytes = types.Part{At: types.Tiling{L: rapid.SampledFrom(layouts).Draw(t, "layout"), Disp: small.Draw(t, "disp")}, From: small.Draw(t, "from"), N: small.Draw(t, "n")}
				a.Short, a.EndsAt, a.Asked, a.Call, a.Time = rapid.Bool().Draw(t, "short"), small.Draw(t, "end"), small.Draw(t, "asked"), uint64(small.Draw(t, "call")), e.time
				e.a = a
			}
			h.keep(e)
			e.row = nil
			want = append(want, e)
		}
		h.Close(1000, nil)
		var got []recorded
		for e := range h.record.all {
			got = append(got, *e)
		}
		assert.Equal(t, want, got)
		assert.Equal(t, record{open: "open", rank: rank, opened: 1, closed: 1000},
			record{open: h.record.open, rank: h.record.rank, opened: h.record.opened, closed: h.record.closed})
		for e := range h.record.all {
			assert.Equal(t, want[0], *e)
			break
		}
	})

	t.Run("no more than the first events of each handle", func(t *testing.T) {
		d := NewDetector(DetectorOptions{Ranks: 256, Record: true})
		h := d.Open(1, 0, 1, nil)
		for i := range uint64(1000) {
			h.keep(recorded{kind: aSync, time: i})
		}
		n := slices.Collect(h.record.all)
		assert.Len(t, n, MostMarks(256))
		assert.True(t, h.record.cut)
		assert.Equal(t, uint64(MostMarks(256)-1), h.record.last)
		for _, ranks := range []int{0, 257} {
			assert.False(t, NewDetector(DetectorOptions{Ranks: ranks, Record: true}).Records())
		}
	})
}

// A world keeps events whether or not a race occurs. If they had pointers, the garbage
// collector would look at all of them each time, which once took as long as the calls.
func TestKeptEventsAreSmall(t *testing.T) {
	e := reflect.TypeFor[keptEvent]()
	assert.LessOrEqual(t, e.Size(), uintptr(80))
	for i := range e.NumField() {
		assert.LessOrEqual(t, e.Field(i).Type.Kind(), reflect.Uint64, e.Field(i).Name)
	}
}
