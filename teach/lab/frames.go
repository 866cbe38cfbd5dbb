package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/script"
)

// Frames returns one run as slides of 16 by 9 in SVG: for each step the program with the lines that the ranks
// have reached, beside the bytes that each rank may read; at the end the diagram of the run and how it
// ended. The report comes from a script.Run with Moments. It ends with ctx.
func Frames(ctx context.Context, rep *script.Report) ([]string, error) {
	switch n := len(rep.Moments) - 1; {
	case n < 0:
		return nil, errors.New("lab: the report has no moments; run the script with script.Options.Moments")
	case n > MaxSteps:
		return nil, fmt.Errorf("lab: the ranks make %d statements; at most %d are drawn", n, MaxSteps)
	}
	if err := drawable(rep); err != nil {
		return nil, err
	}
	program, first := programOf(rep.Script)
	reached := map[int]int{} // by rank: the line
	var all []*picture.Frame
	steps := keptSteps(rep)
	for i, k := range steps {
		f := &picture.Frame{Title: titleOf(rep), Text: k.text, Step: i, Of: len(steps) - 1, Program: program, First: first, Ranks: rep.Script.Ranks}
		now := map[int]bool{}
		for _, e := range k.events {
			reached[e.Rank], now[e.Rank] = e.Stmt.Line, true
		}
		for _, r := range slices.Sorted(maps.Keys(reached)) {
			f.Marks = append(f.Marks, picture.Mark{Rank: r, Line: reached[r], Now: now[r]})
		}
		strips, err := stripsOf(ctx, k.moment)
		if err != nil {
			return nil, fmt.Errorf("steps %d to %d cannot be drawn: %w", i, len(steps)-1, err)
		}
		for _, s := range strips {
			f.Drawings = append(f.Drawings, s.Draw())
		}
		all = append(all, f)
	}
	diagram := spaceTime(rep)
	diagram.Title = "Who does what after whom" // the slide has the title of the run
	end := &picture.Frame{Title: titleOf(rep), Text: firstLine(endOf(rep)), Drawings: []*picture.Drawing{diagram.Draw()}}
	var slides []string
	for _, d := range append(picture.DrawFrames(all), picture.DrawFrames([]*picture.Frame{end})...) {
		slides = append(slides, d.SVG())
	}
	return slides, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// programOf returns the lines of a script without the comments before them and the expectations behind
// them, which tell how it ends, and the number of the first line.
func programOf(s *script.Script) (lines []string, first int) {
	last := 0
	for _, b := range s.Blocks {
		for _, c := range b.Stmts {
			last = max(last, c.Line)
		}
	}
	lines = strings.Split(s.Source(), "\n")
	lines = lines[:min(last, len(lines))]
	for len(lines) > 0 && (strings.TrimSpace(lines[0]) == "" || strings.HasPrefix(strings.TrimSpace(lines[0]), "#")) {
		lines, first = lines[1:], first+1
	}
	for i, l := range lines {
		lines[i] = strings.ReplaceAll(l, "\t", "  ")
	}
	return lines, first + 1
}
