package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/commworld/commworld/internal/show/plain"
)

// header returns the text that says how FILE is interpreted.
func header(in *input) string {
	name := in.elem.name + "s"
	part := ""
	if in.of > 0 {
		part = fmt.Sprintf("the first %d of ", in.size())
	}
	text := fmt.Sprintf("%s: %s%d bytes as %d rows of %d %s", in.name, part, max(in.of, in.size()), in.shape.rows, in.shape.width, name)
	if n := len(in.tail); n > 0 {
		text += fmt.Sprintf("\nand a tail of %d bytes, written and read through a byte view", n)
	}
	return text + "\n"
}

// announcement returns a text about the comparisons that a run of e is going to make.
func announcement(e *engine) string {
	files := len(representations) * len(decompositions) * len(e.ranks)
	reads := files * 2 * len(e.ranks)
	return fmt.Sprintf("to compare: %s, %s, %d bytes\n", plain.Count(files, "file"), plain.Count(reads, "read"), int64(files+reads)*e.in.size())
}

// table prints the comparisons for each representation and decomposition.
func table(w io.Writer, rows []tableRow) {
	const numbers = "  %5v  %5v  %14v  %s\n"
	fmt.Fprintf(w, "%-14s  %-13s"+numbers, "representation", "decomposition", "files", "reads", "bytes compared", "sha-256 of each file")
	last := ""
	for _, r := range rows {
		name := r.Representation
		if name == last {
			name = ""
		}
		last = r.Representation
		fmt.Fprintf(w, "%-14s  %-13s"+numbers, name, r.Decomposition, r.Files, r.Reads, r.Bytes, short(r.SHA256))
	}
}

// short returns the beginning of a digest.
func short(sum string) string {
	const enough = 16
	if len(sum) > enough {
		return sum[:enough]
	}
	return sum
}

// conclusion returns the last line and, if there is a difference, its description before
// that line.
func conclusion(r *result) string {
	d := r.Difference
	if d == nil {
		return fmt.Sprintf("identical: %d files, %d reads, %d bytes\n", r.Files, r.Reads, r.Bytes)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n", what(d), d.Representation)
	fmt.Fprintf(&b, "  expected    %s\n  found       %s\n", d.Expected, d.Found)
	if d.Writer.Rank >= 0 {
		fmt.Fprintf(&b, "  written by  %s\n              %s\n", who(&d.Writer), d.Writer.View)
	}
	if d.Reader != nil {
		fmt.Fprintf(&b, "  read by     %s\n              %s\n", who(d.Reader), d.Reader.View)
	}
	fmt.Fprintf(&b, "\ndifferent: byte %d%s: expected %s, found %s%s\n", d.Byte, place(d), d.Expected, d.Found, parties(d))
	return b.String()
}

func what(d *difference) string {
	if d.Reader == nil {
		return fmt.Sprintf("The file that %d ranks wrote is wrong", d.Writer.Ranks)
	}
	return fmt.Sprintf("A %s got something else than FILE", d.How)
}

func who(p *party) string {
	return fmt.Sprintf("rank %d of %d (%s)", p.Rank, p.Ranks, p.Decomposition)
}

func place(d *difference) string {
	if d.Row < 0 {
		return " (in the tail)"
	}
	return fmt.Sprintf(" (row %d, column %d)", d.Row, d.Column)
}

func parties(d *difference) string {
	text := ""
	if d.Writer.Rank >= 0 {
		text += fmt.Sprintf("; written by rank %d of %d", d.Writer.Rank, d.Writer.Ranks)
	}
	if d.Reader != nil {
		text += fmt.Sprintf("; read by rank %d of %d", d.Reader.Rank, d.Reader.Ranks)
	}
	return text
}

// printJSON prints one object for machines.
func printJSON(w io.Writer, in *input, ranks []int, r *result) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Identical bool   `json:"identical"`
		File      string `json:"file"`
		Size      int64  `json:"size"`
		Type      string `json:"type"`
		Rows      int64  `json:"rows"`
		Width     int64  `json:"width"`
		Tail      int    `json:"tail"` // bytes
		Ranks     []int  `json:"ranks"`
		*result
	}{r.Difference == nil, in.name, in.size(), in.elem.name, in.shape.rows, in.shape.width, len(in.tail), ranks, r})
}
