package picture_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/show/picture"
)

var update = flag.Bool("update", false, "write the golden drawings anew")

// golden compares a drawing with the one in testdata, and checks the properties of every
// drawing: it is XML, its text is inside of it, it has a title and a description.
func golden(t *testing.T, name string, d *picture.Drawing) {
	t.Helper()
	svg := d.SVG()
	file := filepath.Join("testdata", name+".svg")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(svg), 0o666))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), svg, "%s; -update writes it anew, and then it has to be looked at", name)
	wellFormed(t, svg)
	assert.NotEmpty(t, d.Description())
	assert.Contains(t, svg, `role="img" aria-label="`)
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if !assert.NoError(t, err, "%s", svg) {
			return
		}
	}
}

func TestSpaceTime(t *testing.T) {
	d := &picture.SpaceTime{
		Title: "two ranks", Lanes: []string{"rank 0", "rank 1"},
		Rows: []picture.Row{
			{Label: "line 1", Cells: []*picture.Cell{{Text: "open", Step: 1, Clock: []int{1, 0}}, {Text: "open", Step: 2, Clock: []int{0, 1}}}, Bar: picture.Collective},
			{Label: "line 2", Cells: []*picture.Cell{{Text: "write <a&b>", Class: "racy", Step: 3, Clock: []int{2, 1}}, nil}},
			{Label: "line 3", Cells: []*picture.Cell{{Text: "barrier", Step: 4, Clock: []int{3, 1}}, {Text: "barrier", Step: 5, Clock: []int{2, 2}}}, Bar: picture.Barrier},
			{Label: "line 4", Cells: []*picture.Cell{{Text: "send", Step: 6, Clock: []int{4, 2}}, nil}},
			{Label: "line 5", Cells: []*picture.Cell{nil, {Text: "recv", Class: "fails", Step: 7, Clock: []int{4, 3}}}},
		},
		Spans: []picture.Span{
			{Lane: 0, Name: "file f", From: 0, To: 4, Syncs: []int{2}},
			{Lane: 1, Name: "file f", From: 0, To: 1},
			{Lane: 1, Name: "file g", From: 1, To: -1},
			{Lane: 1, Name: "file f again", From: 3, To: 4},
		},
		Arrows: []picture.Arrow{{From: picture.Spot{Row: 3, Lane: 0}, To: picture.Spot{Row: 4, Lane: 1}, Tip: "send"}},
		Races:  []picture.Race{{A: picture.Spot{Row: 1, Lane: 0}, B: picture.Spot{Row: 4, Lane: 1}, Name: "race 1", Label: "no sync after the write"}},
		Waits:  [][2]int{{0, 1}, {1, 0}},
	}
	golden(t, "spacetime", d.Draw())
	words := d.Description()
	for _, w := range []string{
		"rank 0, line 2: write <a&b>.", "That is a barrier.", "That is one collective call.",
		"rank 0 has file f open from line 1 to line 5, syncs in line 3.", "rank 1 has file g open from line 2 on.", "Data go from rank 0 to rank 1: send.", "race 1: rank 0 and rank 1: no sync after the write.", "rank 0 waits for rank 1.",
	} {
		assert.Contains(t, words, w)
	}
	assert.NotContains(t, d.Draw().SVG(), "<a&b>")
	t.Run("of nothing", func(t *testing.T) { wellFormed(t, (&picture.SpaceTime{}).Draw().SVG()) })
}

func TestStrip(t *testing.T) {
	write := picture.Value{Rank: 0, Text: "05", Tip: "rank 0, line 7"}
	before := picture.Value{Rank: picture.Before, Text: "00", Tip: "before the run"}
	d := &picture.Strip{Title: "file f", Rows: []picture.StripRow{
		{Name: "published", Lane: -1, Note: "version 1", Parts: []picture.Part{{Lo: 0, Hi: 4, Values: []picture.Value{write}}}},
		{Name: "rank 0, h", Lane: 0, Parts: []picture.Part{{Lo: 0, Hi: 4, Values: []picture.Value{write}, Private: true}, {Lo: 4, Hi: 1 << 40, Values: []picture.Value{{Rank: picture.Hole, Text: "?"}}}}},
		{Name: "rank 1, h", Lane: 1, Parts: []picture.Part{{Lo: 0, Hi: 4, Values: []picture.Value{before, write}}, {Lo: 4, Hi: 6, Values: []picture.Value{{Rank: picture.End, Text: "end"}}, Bad: true}}},
	}}
	golden(t, "strip", d.Draw())
	words := d.Description()
	assert.Contains(t, words, "rank 1, h: bytes 0 to 3: 00 (before the run) or 05 (rank 0, line 7); bytes 4 to 5: end, which breaks the rule;")
	svg := d.Draw().SVG()
	for _, sign := range []string{"bands: a read may return any of them", "written, not yet published", "breaks the rule", "as before the run"} {
		assert.Contains(t, svg, sign, "the legend has what the drawing has")
	}
	t.Run("without parts", func(t *testing.T) {
		svg := (&picture.Strip{Title: "file f", Rows: []picture.StripRow{{Name: "published", Lane: -1, Note: "empty"}}}).Draw().SVG()
		wellFormed(t, svg)
		assert.NotContains(t, svg, "as before the run", "the legend has nothing that the drawing has not")
	})
}

func TestFrames(t *testing.T) {
	strip := &picture.Strip{Title: "file f", Rows: []picture.StripRow{{Name: "published", Lane: -1, Parts: []picture.Part{{Lo: 0, Hi: 4, Values: []picture.Value{{Rank: 1, Text: "5"}}}}}}}
	var program []string
	for i := range 40 {
		program = append(program, fmt.Sprintf("  write_at h %d int %[1]d", i))
	}
	frame := func(now int, ds ...*picture.Drawing) *picture.Frame {
		return &picture.Frame{
			Title: "stale <b>", Text: "rank 1, line 24: write_at", Step: 1, Of: 2, Program: program, First: 4, Ranks: 6, Drawings: ds,
			Marks: []picture.Mark{{Rank: 1, Line: now, Now: true}, {Rank: 0, Line: 5}, {Rank: 2, Line: 5}, {Rank: 3, Line: 5}, {Rank: 4, Line: 5}, {Rank: 5, Line: 5}},
		}
	}
	all := picture.DrawFrames([]*picture.Frame{frame(24, strip.Draw()), frame(5, strip.Draw(), strip.Draw(), strip.Draw(), strip.Draw())})
	golden(t, "frame", all[0])
	assert.Contains(t, all[0].Description(), "step 1 of 2: rank 1, line 24: write_at\nfile f\npublished: bytes 0 to 3: 5")
	assert.Contains(t, all[0].SVG(), ">24</text>", "the line that runs is among those that are shown")
	assert.NotContains(t, all[0].SVG(), ">43</text>")
	assert.Contains(t, all[1].SVG(), ">+3</text>", "ranks at one line")
	scales := regexp.MustCompile(`translate\([0-9. ]*\) (scale\([0-9.]*\))`)
	last := func(d *picture.Drawing) string {
		found := scales.FindAllStringSubmatch(d.SVG(), -1)
		return found[len(found)-1][1]
	}
	assert.Equal(t, last(all[0]), last(all[1]), "slides of a run have one scale")
}

func TestRequests(t *testing.T) {
	d := &picture.Requests{Title: "two-phase", Boxes: []picture.Box{
		{Rank: 1, Lo: 0, Hi: 64, Write: true, Lock: true}, {Rank: 0, Lo: 64, Hi: 128}, {Rank: 0, Round: 1, Lo: 64, Hi: 128, Write: true, Runs: 3},
	}}
	golden(t, "requests", d.Draw())
	assert.Equal(t, "rank 1 writes bytes 0 to 63, under a lock\nrank 0 reads bytes 64 to 127\nrank 0 writes bytes 64 to 127 in 3 runs\n", d.Description())
	wellFormed(t, (&picture.Requests{}).Draw().SVG())
	t.Run("with file domains", func(t *testing.T) {
		d := &picture.Requests{
			Title: "two-phase", Data: []picture.Owned{{0, 0, 32}, {1, 32, 64}, {2, 64, 96}, {0, 96, 120}},
			Domains: []picture.Owned{{0, 0, 64}, {2, 64, 120}},
			Boxes: []picture.Box{
				{Rank: 0, Lo: 0, Hi: 40, Write: true},
				{Rank: 0, Round: 1, Lo: 40, Hi: 64, Write: true},
				{Rank: 2, Lo: 64, Hi: 104},
				{Rank: 2, Lo: 64, Hi: 104, Write: true},
				{Rank: 2, Round: 1, Lo: 104, Hi: 120, Write: true},
			},
		}
		golden(t, "domains", d.Draw())
		words := d.Description()
		for _, w := range []string{"the file domain of rank 2 is bytes 64 to 119", "in round 2 rank 0, bytes 40 to 63", "rank 2 reads bytes 64 to 103"} {
			assert.Contains(t, words, w)
		}
	})
}

// No text gets into a drawing as markup, or as characters that XML does not allow.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "<script>", "a&b\"'", "\x00\x1b[31m", "\xff\xfe", "\u202e", "]]>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := &picture.SpaceTime{Title: s, Lanes: []string{s}, Rows: []picture.Row{{Label: s, Cells: []*picture.Cell{{Text: s}}}}}
		wellFormed(t, d.Draw().SVG())
	})
}

// Each value of a panel is drawn: in full if it fits into the widest cell, else with a mark for what is cut.
func TestPanelValues(t *testing.T) {
	for _, text := range []string{"5", "10", "100", "-1234567", "12345678.12345678"} {
		p := &picture.Panel{Title: "rank 1", Lane: 1, Grids: []picture.Grid{{Name: "memory: x", Cells: []picture.GridCell{{Lo: 0, Hi: 4, Values: []picture.Value{{Rank: 1, Text: text}}}}}}}
		svg := p.Draw().SVG()
		if len(text) < 10 {
			assert.Contains(t, svg, ">"+text+"<")
		} else {
			assert.Contains(t, svg, ">"+text[:5])
			assert.Contains(t, svg, "..<")
		}
	}
}
