package views

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/iofile"
)

// A Note is a remark about views that are legal, but probably not what you meant.
type Note struct {
	Ranks []int  `json:"ranks"`
	Rule  string `json:"rule"`
	Text  string `json:"text"`
}

// note adds the lints of package iofile about the views themselves, and the filetypes
// whose copies overlap.
func (m *ByteMap) note(lints []iofile.Lint) {
	for _, l := range lints {
		if l.Rule == "IO-VIEW-06" { // other lints are about other calls of a program
			m.addNote(l.Rank, l.Rule, l.Text)
		}
	}
	for _, r := range m.shown {
		if text := m.views[r].copiesOverlap(); text != "" && !m.ReadOnly {
			m.addNote(r, "IO-VIEW-08", text)
		}
	}
}

// addNote puts ranks with the same note together.
func (m *ByteMap) addNote(rank int, rule, text string) {
	i := slices.IndexFunc(m.notes, func(n Note) bool { return n.Rule == rule && n.Text == text })
	if i < 0 {
		i = len(m.notes)
		m.notes = append(m.notes, Note{Rule: rule, Text: text})
	}
	m.notes[i].Ranks = append(m.notes[i].Ranks, rank)
}

// copiesOverlap describes where a copy of the filetype shows a byte that an earlier copy
// shows, and the consequence for writes; "" if no copies overlap.
func (v *rankView) copiesOverlap() string {
	l := v.Tiles.L
	reach := l.TrueUB - l.TrueLB
	if l.Size == 0 || reach <= l.Extent {
		return ""
	}
	o := v.Overlap(v.filetype)
	if o == nil {
		return ""
	}
	return fmt.Sprintf("copies of the filetype overlap: from its origin on, %s. A write call that covers both is refused (MPI_ERR_ARG); others, and reads, are not. "+
		"With an extent of %d instead of %d no copies would overlap", o.Text, (reach+v.Unit.Extent-1)/v.Unit.Extent*v.Unit.Extent, l.Extent)
}
