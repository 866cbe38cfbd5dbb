package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/script"
)

// MaxSteps bounds the statements of ranks in the page that [HTML] makes.
const MaxSteps = 999

// HTML returns one run as a page that needs no other file: the space-time diagram, and a slider
// that shows the bytes that each rank may read after each step, see script.Stage. The report comes from a
// script.Run with Moments. It ends with ctx.
func HTML(ctx context.Context, rep *script.Report) (string, error) {
	switch n := len(rep.Moments); {
	case n == 0:
		return "", errors.New("lab: the report has no moments; run the script with script.Options.Moments")
	case n > MaxSteps+1:
		return "", fmt.Errorf("lab: the run has %d steps; a page holds at most %d", n-1, MaxSteps)
	}
	if err := drawable(rep); err != nil {
		return "", err
	}
	d := spaceTime(rep)
	p := &picture.Page{Title: d.Title, Diagram: d.Draw(), End: endOf(rep), Source: rep.Script.String()}
	for _, k := range keptSteps(rep) {
		strips, err := stripsOf(ctx, k.moment)
		if err != nil {
			return "", err
		}
		s := picture.PageStep{Text: k.text}
		for _, strip := range strips {
			s.Drawings = append(s.Drawings, strip.Draw())
		}
		p.Steps = append(p.Steps, s)
	}
	return p.HTML(), nil
}

// A keptStep is a step of a run and the state after it.
type keptStep struct {
	text   string
	events []*script.Event
	moment *script.Moment
}

// keptSteps returns the steps of a run with moments; the first one is its beginning.
func keptSteps(rep *script.Report) []keptStep {
	if len(rep.Moments) == 0 {
		return nil
	}
	all := []keptStep{{rep.Moments[0].String(), nil, rep.Moments[0]}}
	for _, s := range rep.Stages() {
		all = append(all, keptStep{s.String(), s.Events, rep.Moments[s.Last+1]})
	}
	return all
}

// Steps returns one run as text: after each step the published bytes of each file and the
// bytes that each rank may read of it. The report comes from a script.Run with Moments. If ctx
// ends first, it returns the steps so far and an error.
func Steps(ctx context.Context, rep *script.Report) (string, error) {
	var b strings.Builder
	all := keptSteps(rep)
	for i, k := range all {
		strips, err := stripsOf(ctx, k.moment)
		if err != nil {
			return b.String(), fmt.Errorf("steps %d to %d are not shown: %w", i, len(all)-1, err)
		}
		fmt.Fprintf(&b, "step %d  %s\n", i, k.text)
		for _, s := range strips {
			fmt.Fprintf(&b, "  %s\n", s.Title)
			for _, line := range strings.Split(strings.TrimSpace(s.Description()), "\n") {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
	}
	return b.String(), nil
}

// stripsOf returns the state of each file at a moment.
func stripsOf(ctx context.Context, m *script.Moment) (all []*picture.Strip, err error) {
	for _, name := range m.FileNames() {
		handles, err := m.Handles(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, stripOf(m, name, handles))
	}
	return all, nil
}
