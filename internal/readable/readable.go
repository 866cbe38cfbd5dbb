// Package readable finds the possible results of a read at a moment of a run.
//
// Start here: [New] takes the steps of all ranks on a file up to the moment; [Table.Of]
// returns the bytes that one of them may read now, stretch by stretch. [Under] returns those
// that it reads on a file system with a model.
package readable

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/commworld/commworld/consistency"
)

// A Step is a step of a rank up to the moment.
type Step struct {
	consistency.Step

	Got []byte // the result of a completed read, in the form of the file; else nil
}

// A Bytes has the possible results of a read of bytes Lo up to, not including, Hi.
type Bytes struct {
	Lo, Hi  int64
	Choices []Choice // more than one where the standard leaves it open; writes come last, by rank and program order
}

// A Choice is one of the values that a read may return.
type Choice struct {
	From  From
	Rank  int // of the write, else -1
	Index int // of the write among the steps of its rank
	Bytes []byte
}

// A From says where the bytes of a [Choice] come from.
type From uint8

// Where the bytes of a choice come from.
const (
	Start     From = iota // the file held them before the run
	Write                 // a step wrote them
	Hole                  // no rank wrote them
	End                   // the file may end before them
	AnyLength             // a change of size races: the file may end anywhere
)

// maxWrites is the largest number of writes that a Table can follow.
const maxWrites = 250

// A Table finds the possible results of reads at one moment. Only the origins of bytes
// matter, so the file of its history has one byte for each interval between the ends of all
// accesses, and the value of a byte is the number of its write.
type Table struct {
	init    []byte
	ranks   [][]Step
	ends    []int64  // ends of intervals, ascending; the first interval begins at 0
	writes  [][2]int // by number from 1: rank and index
	history consistency.History
	reads   map[string]*Step // that are complete, by the names of their results in history
	err     error
}

// New returns the table of a file that began with init, after the steps of all ranks.
// Intervals end at the edges of cut, too.
func New(init []byte, ranks [][]Step, cut []consistency.Run) *Table {
	t := &Table{init: init, ranks: ranks, reads: map[string]*Step{}}
	n := 0
	for _, steps := range ranks {
		for i := range steps {
			if steps[i].Do == consistency.DoWrite && steps[i].Runs != nil {
				n++
			}
		}
	}
	if n > maxWrites { // a write is a byte's value in the history
		t.err = fmt.Errorf("more than %d writes are not followed", maxWrites)
		return t
	}
	t.cut(cut)
	t.history.Init = make([]byte, t.at(int64(len(init))))
	for rank := range ranks {
		t.history.Ranks = append(t.history.Ranks, t.rank(rank))
	}
	return t
}

// Unknown returns a table without answers, for a reason.
func Unknown(err error) *Table { return &Table{err: err} }

// cut finds the intervals.
func (t *Table) cut(more []consistency.Run) {
	ends := map[int64]bool{int64(len(t.init)): true}
	add := func(runs []consistency.Run) {
		for _, run := range runs {
			ends[run.Off], ends[run.Off+run.Len] = true, true
		}
	}
	add(more)
	for _, steps := range t.ranks {
		for i := range steps {
			if s := &steps[i]; !meets(s.Do) {
				add(s.Runs)
				ends[s.Bytes] = true
			}
		}
	}
	delete(ends, 0)
	t.ends = slices.Sorted(maps.Keys(ends))
}

// meets reports whether a step concerns other ranks and no file.
func meets(do consistency.Do) bool {
	switch do {
	case consistency.DoSend, consistency.DoRecv, consistency.DoArrive, consistency.DoLeave:
		return true
	}
	return false
}

// at returns the number of the interval that begins at a byte.
func (t *Table) at(byte int64) int64 {
	if byte == 0 {
		return 0
	}
	i, _ := slices.BinarySearch(t.ends, byte)
	return int64(i + 1)
}

// runs returns runs of bytes as runs of intervals.
func (t *Table) runs(all []consistency.Run) (short []consistency.Run, n int) {
	for _, r := range all {
		lo, hi := t.at(r.Off), t.at(r.Off+r.Len)
		short = append(short, consistency.Run{Off: lo, Len: hi - lo})
		n += int(hi - lo)
	}
	return short, n
}

// rank returns the history of one rank.
func (t *Table) rank(rank int) (all []consistency.Step) {
	empty := map[int]bool{}
	steps := t.ranks[rank]
	for i := range steps {
		s := &steps[i]
		switch {
		case meets(s.Do):
			all = append(all, s.Step)
			continue
		case s.Do == consistency.DoSize:
			continue
		case (s.Do == consistency.DoRead || s.Do == consistency.DoWrite) && s.Runs == nil:
			empty[s.Request] = true
			continue
		case s.Do == consistency.DoWait && empty[s.Request]:
			continue
		}
		x, n := s.Step, 0
		x.Bytes = t.at(x.Bytes)
		x.Runs, n = t.runs(x.Runs)
		switch x.Do {
		case consistency.DoWrite:
			t.writes = append(t.writes, [2]int{rank, i})
			x.Data = slices.Repeat([]byte{byte(len(t.writes))}, n)
		case consistency.DoRead:
			x.Name = fmt.Sprintf("read %d", i)
			if s.Got != nil {
				t.reads[fmt.Sprintf("%d.%s", rank, x.Name)] = s
			}
		}
		all = append(all, x)
	}
	return all
}

// Of returns the bytes that a rank may read through a handle, interval by interval, or the
// reason why they are not known. It fails only if ctx ends.
func (t *Table) Of(ctx context.Context, rank, handle int) (all []Bytes, unknown string, err error) {
	if t.err != nil {
		return nil, t.err.Error(), nil
	}
	h := consistency.History{Init: t.history.Init, Ranks: slices.Clone(t.history.Ranks)}
	steps := h.Ranks[rank]
	lo := int64(0)
	for i, hi := range t.ends {
		if ctx.Err() != nil {
			return nil, "", context.Cause(ctx)
		}
		look := consistency.Step{Do: consistency.DoRead, Handle: handle, Name: "look", Runs: []consistency.Run{{Off: int64(i), Len: 1}}}
		h.Ranks[rank] = append(slices.Clip(steps), look)
		values, err := t.values(h, fmt.Sprintf("%d.look", rank))
		if err != nil {
			return nil, err.Error(), nil
		}
		b := Bytes{Lo: lo, Hi: hi}
		for _, v := range slices.Sorted(maps.Keys(values)) {
			b.Choices = append(b.Choices, t.choice(v, lo, hi))
		}
		all = append(all, b)
		lo = hi
	}
	return all, "", nil
}

// Values of outcomes that stand for several.
const (
	undefined = "??" // the results of whole writes in any order
	hole      = ".."
	anyLength = "*"
)

// values returns the values that the standard allows for a read after all other steps.
// Undefined bytes have the results of whole writes in any order, independent of the results of
// earlier reads.
func (t *Table) values(h consistency.History, name string) (map[string]bool, error) {
	allowed, err := consistency.Allowed(h)
	if err != nil {
		return nil, err
	}
	values := map[string]bool{}
	for _, o := range allowed {
		if t.agrees(o) {
			values[o.Vars[name]] = true
		}
	}
	if !values[undefined] && !values[anyLength] {
		return values, nil
	}
	resolved, err := consistency.Resolved(h)
	if err != nil {
		return nil, err
	}
	delete(values, undefined)
	for _, o := range resolved {
		values[o.Vars[name]] = true
	}
	if len(values) > 2 { // more is known than that the file may end anywhere
		delete(values, anyLength)
	}
	return values, nil
}

// choice returns the meaning of a value of an interval.
func (t *Table) choice(value string, lo, hi int64) Choice {
	switch value {
	case "":
		return Choice{From: End, Rank: -1}
	case hole:
		return Choice{From: Hole, Rank: -1}
	}
	bs, err := hex.DecodeString(value)
	switch {
	case err != nil:
		return Choice{From: AnyLength, Rank: -1}
	case bs[0] == 0:
		return Choice{From: Start, Rank: -1, Bytes: part(t.init, lo, hi-lo)}
	}
	w := t.writes[bs[0]-1]
	return Choice{From: Write, Rank: w[0], Index: w[1], Bytes: t.ranks[w[0]][w[1]].at(lo, hi)}
}

// at returns the bytes of an access from lo up to, not including, hi.
func (s *Step) at(lo, hi int64) []byte {
	pos := int64(0)
	for _, r := range s.Runs {
		if r.Off <= lo && hi <= r.Off+r.Len {
			return part(s.Data, pos+lo-r.Off, hi-lo)
		}
		pos += r.Len
	}
	return nil
}

// part returns n bytes of data from pos on, fewer if data ends.
func part(data []byte, pos, n int64) []byte {
	size := int64(len(data))
	return data[min(pos, size):min(pos+n, size)]
}

// agrees reports whether the reads that have returned got, in this run, the values that an
// outcome has for them.
func (t *Table) agrees(o consistency.Outcome) bool {
	for name, s := range t.reads {
		if !t.returned(s, o.Vars[name]) {
			return false
		}
	}
	return true
}

// returned reports whether the actual result of a read agrees with its value in an outcome.
func (t *Table) returned(s *Step, value string) bool {
	pos := int64(0)
	for _, run := range s.Runs {
		for lo := run.Off; lo < run.Off+run.Len; {
			hi := t.ends[t.at(lo)]
			got := part(s.Got, pos, hi-lo)
			if len(value) < 2 {
				return value == anyLength || len(got) == 0 && value == ""
			}
			if value[:2] != undefined && !t.choice(value[:2], lo, hi).is(got) {
				return false
			}
			value, pos, lo = value[2:], pos+hi-lo, hi
		}
	}
	return true
}

// is reports whether bytes that were read may be those of a choice.
func (c Choice) is(got []byte) bool {
	if c.From != Start && c.From != Write {
		return true
	}
	n := min(len(c.Bytes), len(got))
	return slices.Equal(c.Bytes[:n], got[:n])
}
