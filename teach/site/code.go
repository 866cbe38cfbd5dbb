package site

import (
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/lab"
)

// A codeRenderer renders code. A block that is a whole rank script has a link to the lab. It leaves out HTML,
// of which the texts have comments alone.
type codeRenderer struct{ root string }

// scripts is the option of a renderer for pages below root.
func scripts(root string) renderer.Option {
	return renderer.WithNodeRenderers(util.Prioritized(codeRenderer{root}, 100))
}

// RegisterFuncs takes over blocks of code.
func (r codeRenderer) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindFencedCodeBlock, r.render)
	reg.Register(ast.KindCodeBlock, r.render)
	reg.Register(ast.KindHTMLBlock, omit)
	reg.Register(ast.KindRawHTML, omit)
}

func (r codeRenderer) render(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	code := string(n.Lines().Value(source))
	// What is wider than the page scrolls, and a keyboard has to reach it.
	_, err := fmt.Fprintf(w, "<pre tabindex=\"0\"><code>%s</code></pre>\n", html.EscapeString(code))
	if err == nil && isScript(code) {
		_, err = fmt.Fprintf(w, "<p class=\"open\"><a href=\"%slab/index.html#%s\">Open in the lab</a></p>\n", r.root, lab.State(code))
	}
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
