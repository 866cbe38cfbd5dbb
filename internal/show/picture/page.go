package picture

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed page.html
var pageText string

// A Page is a self-contained HTML page: a diagram, and a slider that shows the state after
// each of its steps.
type Page struct {
	Title   string
	Steps   []PageStep // the first is before the first step
	Diagram *Drawing
	End     string // how the run ended
	Source  string // text of the program; empty: none
}

// A PageStep is one position of the slider.
type PageStep struct {
	Text     string // what has happened last
	Drawings []*Drawing
	Note     string // instead of drawings, or below them
}

// HTML returns the text of the page.
func (p *Page) HTML() string {
	var steps strings.Builder
	for i, s := range p.Steps {
		fmt.Fprintf(&steps, "<section class=\"step\" data-step=\"%d\"><p class=\"now\">step %[1]d of %d: %s</p>\n", i, len(p.Steps)-1, Escape(s.Text))
		for _, d := range s.Drawings {
			steps.WriteString(d.Fragment())
		}
		if s.Note != "" {
			fmt.Fprintf(&steps, "<p>%s</p>\n", Escape(s.Note))
		}
		steps.WriteString("</section>\n")
	}
	source := ""
	if p.Source != "" {
		source = "<details><summary>The script</summary><pre>" + Escape(p.Source) + "</pre></details>"
	}
	return strings.NewReplacer(
		"{{title}}", Escape(p.Title), "{{style}}", Style(), "{{defs}}", Defs(),
		"{{steps}}", steps.String(), "{{last}}", fmt.Sprint(len(p.Steps)-1),
		"{{diagram}}", p.Diagram.Fragment(), "{{script}}", source, "{{end}}", Escape(p.End),
	).Replace(pageText)
}
