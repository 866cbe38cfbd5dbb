package views

import (
	"bufio"
	"encoding/json"
)

// json prints the byte map as JSON. It writes runs one by one, so the object never exists as
// a single text.
func (m *ByteMap) json(out *bufio.Writer) {
	type rank struct {
		Rank        int        `json:"rank"`
		Disp        int64      `json:"disp"`
		EtypeExtent int64      `json:"etype_extent"`
		Extent      int64      `json:"extent"`
		Runs        [][2]int64 `json:"runs"`
		Truncated   bool       `json:"truncated,omitempty"`
	}
	type overlap struct {
		Bytes [2]int64 `json:"bytes"`
		Ranks []int    `json:"ranks"`
	}
	out.WriteString(`{"ranks":[`)
	for r, v := range m.views {
		runs := m.seen[r].runs
		if runs == nil {
			runs = [][2]int64{}
		}
		separate(out, r)
		putJSON(out, rank{r, v.disp, v.Unit.Extent, v.Tiles.L.Extent, runs, m.seen[r].cut})
	}
	out.WriteString(`],"overlaps":[`)
	n := 0
	for _, p := range m.parts {
		if len(p.ranks) > 1 {
			separate(out, n)
			putJSON(out, overlap{[2]int64{p.lo, p.hi}, p.ranks})
			n++
		}
	}
	out.WriteString(`],"gaps":[`)
	n = 0
	for _, p := range m.parts {
		if len(p.ranks) == 0 {
			separate(out, n)
			putJSON(out, [2]int64{p.lo, p.hi})
			n++
		}
	}
	out.WriteString("]")
	if m.known < m.win.end {
		out.WriteString(`,"complete_to":`)
		putJSON(out, m.known)
	}
	if len(m.notes) > 0 {
		out.WriteString(`,"notes":`)
		putJSON(out, m.notes)
	}
	out.WriteString("}\n")
}

func separate(out *bufio.Writer, i int) {
	if i > 0 {
		out.WriteByte(',')
	}
}

// putJSON writes a value that has a JSON form; only writing can fail, and Flush
// reports that.
func putJSON(out *bufio.Writer, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	out.Write(text)
}
