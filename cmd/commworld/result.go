package main

import (
	"fmt"

	"github.com/commworld/commworld/iofile"
)

// A result has the comparisons of a run.
type result struct {
	Files      int         `json:"files"`
	Reads      int         `json:"reads"`
	Bytes      int64       `json:"bytes"` // bytes compared, in files and in readers' memory
	Table      []tableRow  `json:"table"`
	Difference *difference `json:"difference"`
}

// A tableRow is the comparison for one representation and decomposition.
type tableRow struct {
	Representation string `json:"representation"`
	Decomposition  string `json:"decomposition"`
	Files          int    `json:"files"`
	Reads          int    `json:"reads"`
	Bytes          int64  `json:"bytes"`
	SHA256         string `json:"sha256"` // of every file, or "differs"
}

func (r *tableRow) digest(sum string) {
	if r.SHA256 == "" {
		r.SHA256 = sum
	}
	if r.SHA256 != sum {
		r.SHA256 = "differs"
	}
}

func (r *result) add(line tableRow) {
	r.Files += line.Files
	r.Reads += line.Reads
	r.Bytes += line.Bytes
	r.Table = append(r.Table, line)
}

// A difference is the first wrong byte. The zero value means that there is none.
type difference struct {
	How            string `json:"how"` // file, collective read, independent read
	Representation string `json:"representation"`
	Byte           int64  `json:"byte"`   // in the written file, or in FILE as a reader got it
	Row            int64  `json:"row"`    // of the array, -1 in the tail
	Column         int64  `json:"column"` // of the array, -1 in the tail
	Expected       string `json:"expected"`
	Found          string `json:"found"`
	Writer         party  `json:"writer"`
	Reader         *party `json:"reader"` // nil if the file itself is wrong
}

// A party is a rank that wrote or read a byte.
type party struct {
	Rank          int    `json:"rank"` // -1: none
	Ranks         int    `json:"ranks"`
	Decomposition string `json:"decomposition"`
	View          string `json:"view"`
}

// earliest returns the difference at the lowest byte that the ranks found.
func earliest(all []difference) *difference {
	var first *difference
	for i := range all {
		if d := &all[i]; d.How != "" && (first == nil || d.Byte < first.Byte) {
			first = d
		}
	}
	return first
}

func (t *trial) fileDifference(m *mismatched) *difference {
	d := t.difference("file", m.at)
	d.Expected, d.Found = m.expected, m.found
	return &d
}

func (t *trial) readDifference(w way, by *deal, rank int, at int64, found byte, view iofile.View) difference {
	d := t.difference(w.name, at)
	d.Expected, d.Found = fmt.Sprintf("0x%02x", t.in.at(at)), fmt.Sprintf("0x%02x", found)
	d.Reader = &party{rank, by.ranks, decompositions[by.decomposition].name, describe(view)}
	return d
}

// difference describes the byte at offset at, without the way in which it was read.
func (t *trial) difference(how string, at int64) difference {
	size := t.in.elem.size
	d := difference{How: how, Representation: t.rep, Byte: at, Row: -1, Column: -1}
	w := party{Ranks: t.write.ranks, Decomposition: decompositions[t.write.decomposition].name}
	switch {
	case at >= t.in.size(): // no rank should have written here
		w.Rank = -1
	case at < int64(len(t.in.array)):
		e := at / size
		d.Row, d.Column = e/t.in.shape.width, e%t.in.shape.width
		w.Rank = ownerOf(decompositions[t.write.decomposition], t.in.shape, int64(w.Ranks), at, size)
		v := t.view(t.write.decomposition, w.Rank, w.Ranks, true)
		w.View = describe(iofile.View{Disp: v.first * size, Etype: t.in.elem.typ, Filetype: v.filetype, Rep: t.rep})
	default:
		w.Rank = int(share(at-int64(len(t.in.array)), int64(len(t.in.tail)), int64(w.Ranks)))
		w.View = describe(t.tailView(size))
	}
	d.Writer = w
	return d
}

// at returns byte i of FILE.
func (in *input) at(i int64) byte {
	if i < int64(len(in.array)) {
		return in.array[i]
	}
	return in.tail[i-int64(len(in.array))]
}

// describe returns a view as type expressions.
func describe(v iofile.View) string {
	text := v.Filetype.String()
	const most = 160
	if len(text) > most {
		text = text[:most] + "..."
	}
	return fmt.Sprintf("disp %d, etype %v, filetype %s, %s", v.Disp, v.Etype, text, v.Rep)
}
