package lab

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/commworld/commworld/internal/picture"
	"github.com/commworld/commworld/script"
)

// maxHTMLSteps bounds the moments that a page of its own holds.
const maxHTMLSteps = 1000

//go:embed static.html
var staticPage string

// HTML returns one run as a page of its own, which needs nothing else: the space-time
// diagram, and with a slider what each rank may read after each statement. The report is of
// a script.Run with Moments. It ends with ctx.
func HTML(ctx context.Context, rep *script.Report) (string, error) {
	switch n := len(rep.Moments); {
	case n == 0:
		return "", errors.New("lab: the report has no moments; run the script with script.Options.Moments")
	case n > maxHTMLSteps:
		return "", fmt.Errorf("lab: the run has %d steps; a page holds at most %d", n-1, maxHTMLSteps-1)
	}
	var steps strings.Builder
	for i, m := range rep.Moments {
		strips, err := stripsOf(ctx, m)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&steps, "<section class=\"step\" data-step=\"%d\"><p class=\"now\">step %[1]d of %d: %s</p>\n", i, len(rep.Moments)-1, picture.Escape(m.String()))
		for _, s := range strips {
			steps.WriteString(s.Draw().Fragment())
		}
		steps.WriteString("</section>\n")
	}
	d := spaceTime(rep)
	return strings.NewReplacer(
		"{{title}}", picture.Escape(d.Title), "{{style}}", picture.Style(), "{{defs}}", picture.Defs(),
		"{{steps}}", steps.String(), "{{last}}", fmt.Sprint(len(rep.Moments)-1),
		"{{diagram}}", d.Draw().Fragment(), "{{script}}", picture.Escape(rep.Script.String()), "{{end}}", picture.Escape(endOf(rep)),
	).Replace(staticPage), nil
}

// Steps returns one run as text: after each statement the published bytes of each file
// and what each rank may read of them. The report is of a script.Run with Moments. It ends
// with ctx.
func Steps(ctx context.Context, rep *script.Report) (string, error) {
	var b strings.Builder
	for i, m := range rep.Moments {
		fmt.Fprintf(&b, "step %d  %v\n", i, m)
		strips, err := stripsOf(ctx, m)
		if err != nil {
			return "", err
		}
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
