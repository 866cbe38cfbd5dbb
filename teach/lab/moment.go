package lab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/script"
)

// stripOf returns the content of a file at a moment of a run and the bytes that each rank
// may read of it.
func stripOf(m *script.Moment, name string, handles []*script.HandleMoment) *picture.Strip {
	s := &picture.Strip{Title: "file " + name}
	row := published(m.Files[name])
	if v, ok := m.Versions[name]; ok {
		if row.Note != "" {
			row.Note += "; "
		}
		row.Note += fmt.Sprintf("version %d", v)
	}
	s.Rows = append(s.Rows, row)
	for _, h := range handles {
		s.Rows = append(s.Rows, rowOf(h, m.Files[name]))
	}
	return s
}

// published returns the published bytes, coloured by their writers.
func published(c script.Content) picture.StripRow {
	row := picture.StripRow{Name: "published", Lane: -1}
	for _, o := range c.Origins {
		lo, hi := max(o.Lo, 0), min(o.Hi, int64(len(c.Bytes)))
		if lo >= hi {
			continue
		}
		line := 0
		if o.From == consistency.FromWrite {
			line = o.Place.Line
		}
		v := picture.Value{Rank: picture.Before, Text: c.Show(lo, c.Bytes[lo:hi], line), Tip: "before the run"}
		switch o.From {
		case consistency.FromHole:
			v.Rank, v.Text, v.Tip = picture.Hole, "?", "no rank wrote them"
		case consistency.FromWrite:
			v.Rank, v.Tip = o.Rank, fmt.Sprintf("rank %d, line %d", o.Rank, o.Place.Line)
		}
		row.Parts = append(row.Parts, picture.Part{Lo: lo, Hi: hi, Values: []picture.Value{v}})
	}
	if len(c.Bytes) == 0 {
		row.Note = "empty"
	}
	return row
}

// rowOf returns the bytes that may be read through a handle of a file with this content.
func rowOf(h *script.HandleMoment, file script.Content) picture.StripRow {
	row := picture.StripRow{Name: fmt.Sprintf("rank %d, %s", h.Rank, h.Handle), Lane: h.Rank}
	var notes []string
	if h.Atomic {
		notes = append(notes, "atomic")
	}
	switch {
	case h.Version < 0:
		notes = append(notes, fmt.Sprintf("sees each version at once, now %d", h.Newest))
	case h.Adopted != nil:
		notes = append(notes, fmt.Sprintf("sees version %d of %d, taken in line %d (%s)", h.Version, h.Newest, h.Adopted.Line, h.Adopted.Routine))
	}
	if h.Unknown != "" {
		notes = append(notes, "not known: "+h.Unknown)
	}
	row.Note = strings.Join(notes, "; ")
	for _, r := range h.May {
		p := picture.Part{Lo: r.Lo, Hi: r.Hi}
		for _, c := range r.Choices {
			line := 0
			if c.Stmt != nil {
				line = c.Stmt.Line
			}
			p.Values = append(p.Values, valueOf(c, file.Show(r.Lo, c.Bytes, line)))
			p.Private = p.Private || slices.ContainsFunc(h.Unpublished, func(w script.Write) bool {
				return w.Stmt == c.Stmt && w.Lo <= r.Lo && r.Hi <= w.Hi
			})
		}
		if len(p.Values) == 1 && p.Values[0].Rank == picture.End {
			continue
		}
		row.Parts = append(row.Parts, p)
	}
	return row
}

// valueOf returns one choice of a read, whose bytes are text.
func valueOf(c script.Choice, text string) picture.Value {
	switch c.From {
	case script.FromWrite:
		return picture.Value{Rank: c.Rank, Text: text, Tip: fmt.Sprintf("rank %d, line %d", c.Rank, c.Stmt.Line)}
	case script.FromHole:
		return picture.Value{Rank: picture.Hole, Text: "?", Tip: "no rank wrote them"}
	case script.FromEnd:
		return picture.Value{Rank: picture.End, Text: "end", Tip: "the file may end before them"}
	case script.FromAnyLength:
		return picture.Value{Rank: picture.End, Text: "end?", Tip: "a change of size races: the file may end anywhere"}
	}
	return picture.Value{Rank: picture.Before, Text: text, Tip: "before the run"}
}
