package site

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/course"
	"github.com/commworld/commworld/teach/lab"
)

// A codeRenderer renders code. A block that is a whole rank script has a link to the lab. It leaves out HTML,
// of which the texts have comments alone.
type codeRenderer struct {
	lab    string         // address of the files of the lab
	lesson *course.Lesson // whose page it is; nil: of none
	placed []string       // programs that stand in the text
}

// scripts is the option of a renderer of code.
func scripts(code *codeRenderer) renderer.Option {
	return renderer.WithNodeRenderers(util.Prioritized(code, 100))
}

// RegisterFuncs takes over blocks of code.
func (r *codeRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindFencedCodeBlock, r.render)
	reg.Register(ast.KindCodeBlock, r.render)
	reg.Register(ast.KindHTMLBlock, r.place)
	reg.Register(ast.KindRawHTML, omit)
}

func (r *codeRenderer) render(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	code := string(n.Lines().Value(source))
	// What is wider than the page scrolls, and a keyboard has to reach it.
	block := fmt.Sprintf("<pre tabindex=\"0\"><code>%s</code></pre>\n", html.EscapeString(code))
	live, err := r.live(code)
	if err != nil {
		return ast.WalkStop, err
	}
	if live != "" {
		block = fmt.Sprintf("%s<details><summary>As a terminal prints it</summary>%s</details>\n", live, block)
	}
	if isScript(code) {
		block += fmt.Sprintf("<p class=\"open\"><a href=\"%sindex.html#%s\">Open in the lab</a></p>\n", r.lab, lab.State(code))
	}
	_, err = w.WriteString(block)
	return ast.WalkSkipChildren, err
}

// place renders the program that a comment names, and leaves out other comments.
func (r *codeRenderer) place(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	comment := strings.TrimSpace(string(n.Lines().Value(source)))
	of, ok := strings.CutPrefix(comment, "<!-- program ")
	if r.lesson == nil || !ok || !entering {
		return ast.WalkSkipChildren, nil
	}
	name, show, _ := strings.Cut(strings.TrimSuffix(of, " -->"), ": ")
	programs, err := lab.Of(r.lesson.Number)
	if err != nil {
		return ast.WalkStop, err
	}
	i := slices.IndexFunc(programs, func(p lab.Program) bool { return p.Name == name })
	if i < 0 {
		return ast.WalkStop, fmt.Errorf("%s: lesson %d has no such program", comment, r.lesson.Number)
	}
	p := programs[i]
	r.placed = append(r.placed, name)
	text, err := r.paneOf(p.Title, p.Text, p.Script, show)
	if err != nil {
		return ast.WalkStop, err
	}
	_, err = w.WriteString(text)
	return ast.WalkSkipChildren, err
}

func omit(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkSkipChildren, nil
}

// isScript reports whether code is a rank script that the lab can run.
func isScript(code string) bool {
	if !strings.Contains(code, "ranks ") {
		return false
	}
	_, err := script.Parse(code)
	return err == nil
}
