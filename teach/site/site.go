package site

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/teach/course"
	"github.com/commworld/commworld/teach/exercise"
)

//go:embed page
var page embed.FS

// A chapter is a page of the site.
type chapter struct {
	name   string // of the file, such as docs/testing.html
	source string // of the text, such as docs/testing.md; empty: it is made here
	title  string
	text   []byte // Markdown

	of       *course.Lesson     // whose page it is; nil: of none
	exercise *exercise.Exercise // of the lesson
}

// guides are the first pages of the navigation, after the course. Other documents follow in the order of names.
var guides = []struct{ name, source, title string }{
	{"docs/teaching.html", "docs/teaching.md", "Teaching"},
	{"docs/testing.html", "docs/testing.md", "Testing"},
	{"docs/prototyping.html", "docs/prototyping.md", "Prototyping"},
	{"docs/mistakes.html", "docs/mistakes.md", "Mistakes"},
	{"docs/ordering.html", "docs/ordering.md", "Ordering"},
	{"docs/c-programs.html", "docs/c-programs.md", "C programs"},
	{"docs/traces.html", "docs/traces.md", "Recordings"},
	{"docs/machine.html", "docs/machine.md", "Machine model"},
	{"docs/cluster.html", "docs/cluster.md", "Clusters"},
	{"docs/CONFORMANCE.html", "docs/CONFORMANCE.md", "Conformance"},
	{"docs/source-texts.html", "docs/source-texts.md", "Source texts"},
	{"architecture.html", "ARCHITECTURE.md", "Architecture"},
	{"changelog.html", "CHANGELOG.md", "Changes"},
}

// Make returns the files of the site by name. src is the source of this module; sheet is the cheat sheet as
// Markdown. Errors: those of reading src, and of a relative link that leads nowhere.
func Make(src fs.FS, sheet string) (map[string][]byte, error) {
	s := &maker{src: src, files: map[string][]byte{}, names: map[string]string{}, lab: "lab/"}
	if err := s.add("index.html", "README.md", "Read me"); err != nil {
		return nil, err
	}
	if err := s.addCourse(); err != nil {
		return nil, err
	}
	if err := s.addLitmus(); err != nil {
		return nil, err
	}
	s.chapters = append(s.chapters, chapter{name: "cheatsheet.html", title: "Cheat sheet", text: []byte(sheet)})
	for _, g := range guides {
		if err := s.add(g.name, g.source, g.title); err != nil {
			return nil, err
		}
	}
	others, err := fs.Glob(src, "docs/*.md")
	if err != nil {
		return nil, err
	}
	for _, name := range others {
		if s.names[name] == "" {
			if err := s.add(strings.TrimSuffix(name, ".md")+".html", name, ""); err != nil {
				return nil, err
			}
		}
	}
	if err := s.write(); err != nil {
		return nil, err
	}
	return s.files, nil
}

// A maker makes the site.
type maker struct {
	src      fs.FS  // nil: there are no pages but those of the course
	lab      string // folder of the files of the lab
	chapters []chapter
	names    map[string]string // of pages, by source
	files    map[string][]byte
	index    []section
}

// add adds the page name of a text. Without a title it has that of its first heading.
func (s *maker) add(name, source, title string) error {
	markdown, err := fs.ReadFile(s.src, source)
	if err != nil {
		return err
	}
	if title == "" {
		title = heading(markdown)
	}
	s.names[source] = name
	s.chapters = append(s.chapters, chapter{name: name, source: source, title: title, text: markdown})
	return nil
}

// heading returns the text of the first heading.
func heading(markdown []byte) string {
	for line := range strings.Lines(string(markdown)) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(title)
		}
	}
	return ""
}

// addLitmus adds the page of the litmus tests.
func (s *maker) addLitmus() error {
	list := "# Litmus tests\n\nSmall programs that tell consistency models apart. `commworld litmus` runs them all.\n\n"
	names, err := fs.Glob(consistency.Litmus(), "*.mpio")
	if err != nil {
		return err
	}
	for _, name := range names {
		script, err := fs.ReadFile(consistency.Litmus(), name)
		if err != nil {
			return err
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(string(script), "# "), "\n")
		list += fmt.Sprintf("## %s\n\n```\n%s\n```\n\n", title, strings.TrimRight(string(script), "\n"))
	}
	s.chapters = append(s.chapters, chapter{name: "litmus.html", title: "Litmus tests", text: []byte(list)})
	return nil
}

// A section is what the search finds.
type section struct {
	Page    string `json:"page"`
	At      string `json:"at"` // address
	Heading string `json:"heading"`
	Text    string `json:"text"`
}

// frame is the page around a text.
var frame = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'{{if .Live}} 'wasm-unsafe-eval'{{end}}; style-src 'self'; img-src 'self'; connect-src 'self'; {{if .Live}}worker-src 'self'; {{end}}base-uri 'none'; form-action 'none'">
<meta name="color-scheme" content="light dark">
<title>{{.Title}}</title>
<link rel="icon" href="{{.Lab}}icon.svg">
<link rel="stylesheet" href="{{.Root}}site.css">
{{if .Course}}<link rel="stylesheet" href="{{.Lab}}picture.css">
<link rel="stylesheet" href="{{.Lab}}pane.css">
<link rel="stylesheet" href="{{.Lab}}lesson.css">
<script type="module" src="{{.Lab}}lesson.js"></script>
{{end}}<script type="module" src="{{.Root}}search.js"></script>
</head>
<body data-root="{{.Root}}"{{if .Live}} data-lesson="{{.Lesson}}"{{end}}>
<a class="skip" href="#text">Skip to the text</a>
<header><a class="home" href="{{.Root}}index.html">commworld</a>
<div class="search"><label for="search">Search</label><input id="search" type="search" autocomplete="off" spellcheck="false"><ul id="found" hidden></ul></div></header>
<div class="columns">
<nav aria-label="Pages"><ul>{{range .Links}}
<li{{if .Sub}} class="sub"{{end}}><a href="{{.At}}"{{if .Here}} aria-current="page"{{end}}>{{.Title}}</a></li>{{end}}
</ul></nav>
<main id="text" tabindex="-1">
{{.Body}}{{if .Next}}<p class="next">Next: <a href="{{.Next}}">{{.NextTitle}}</a></p>
{{end}}</main>
</div>
</body>
</html>
`))

// A navLink is a line of the navigation.
type navLink struct {
	At, Title string
	Sub, Here bool
}

// write makes the files of all pages, the index of the search, and what pages load.
func (s *maker) write() error {
	for i := range s.chapters {
		if err := s.render(i); err != nil {
			return fmt.Errorf("%s: %w", s.chapters[i].name, err)
		}
	}
	index, err := json.Marshal(s.index)
	if err != nil {
		return err
	}
	if s.files["search.json.gz"], err = Pack(index); err != nil {
		return err
	}
	for _, name := range []string{"site.css", "search.js"} {
		if s.files[name], err = page.ReadFile("page/" + name); err != nil {
			return err
		}
	}
	return nil
}

// Pack returns a file compressed by gzip. The script of a page unpacks it, whatever the server does.
func Pack(text []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(text)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// lesson reports whether a page is a lesson of the course.
func (c *chapter) lesson() bool { return c.of != nil }

// render makes the file of page i.
func (s *maker) render(i int) error {
	c := &s.chapters[i]
	code := &codeRenderer{lab: c.root() + s.lab, lesson: c.of}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(scripts(code)))
	doc := md.Parser().Parse(gmtext.NewReader(c.text))
	if err := s.relink(c, doc); err != nil {
		return err
	}
	s.list(c, doc)
	var body bytes.Buffer
	if err := md.Renderer().Render(&body, c.text, doc); err != nil {
		return err
	}
	text := body.String()
	if c.lesson() {
		var err error
		if text, err = code.enliven(c, text); err != nil {
			return err
		}
	}
	around := struct {
		Title, Root, Lab, Lesson, Next, NextTitle string
		Live, Course                              bool
		Links                                     []navLink
		Body                                      template.HTML
	}{Title: c.title, Root: c.root(), Lab: code.lab, Live: c.lesson(), Course: strings.HasPrefix(c.name, "course/"), Body: template.HTML(text)}
	if c.lesson() {
		around.Lesson = c.of.Name
	}
	if around.Title += " · commworld"; c.name == "index.html" {
		around.Title = "commworld"
	}
	for k := range s.chapters {
		o := &s.chapters[k]
		if o.lesson() && !around.Course {
			continue // only pages of the course list its lessons
		}
		around.Links = append(around.Links, navLink{c.root() + o.name, o.title, o.lesson(), k == i})
		if o.name == "index.html" || s.src == nil && o.name == "course/index.html" {
			around.Links = append(around.Links, navLink{code.lab + "index.html", "Lab", false, false})
		}
	}
	if k := i + 1; c.lesson() && k < len(s.chapters) && s.chapters[k].lesson() {
		around.Next, around.NextTitle = c.root()+s.chapters[k].name, s.chapters[k].title
	}
	var file bytes.Buffer
	if err := frame.Execute(&file, around); err != nil {
		return err
	}
	s.files[c.name] = file.Bytes()
	return nil
}

// root is the address of the site as pages of this folder write it.
func (c *chapter) root() string { return strings.Repeat("../", strings.Count(c.name, "/")) }

// relink makes relative links lead to pages and files of the site, and those to folders of packages to their
// documentation. It makes tables reachable.
func (s *maker) relink(c *chapter, doc ast.Node) error {
	var dead []*ast.Link
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if _, ok := n.(*extast.Table); ok && entering {
			n.SetAttributeString("tabindex", []byte("0")) // a wide one scrolls, and a keyboard has to reach it
		}
		link, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		to, err := s.linked(c, string(link.Destination))
		if link.Destination = []byte(to); to == "" {
			dead = append(dead, link)
		}
		return ast.WalkContinue, err
	})
	for _, link := range dead {
		for n := link.FirstChild(); n != nil; n = link.FirstChild() {
			link.Parent().InsertBefore(link.Parent(), link, n)
		}
		link.Parent().RemoveChild(link.Parent(), link)
	}
	return err
}

// linked returns the address on the site of what a text of the module links to; empty if the site has the
// course alone, and the text is not in it.
func (s *maker) linked(c *chapter, to string) (string, error) {
	if file, ok := strings.CutPrefix(to, "lab:"); ok {
		return c.root() + s.lab + file, nil
	}
	target, part, _ := strings.Cut(to, "#")
	if target == "" || strings.Contains(target, ":") {
		return to, nil
	}
	if part != "" {
		part = "#" + part
	}
	if c.source == "" {
		return to, nil // made here, for the site
	}
	source := path.Join(path.Dir(c.source), target)
	for _, text := range []string{source, path.Join(source, "lesson.md"), path.Join(source, "README.md")} {
		if name := s.names[text]; name != "" {
			return c.root() + name + part, nil
		}
	}
	if s.src == nil {
		return "", nil
	}
	info, err := fs.Stat(s.src, source)
	switch {
	case err != nil:
		return "", fmt.Errorf("the link %s leads nowhere: %w", to, err)
	case info.IsDir():
		return "https://pkg.go.dev/github.com/commworld/commworld/" + source, nil
	}
	name := "files/" + source + ".txt" // a browser shows it, whatever it is
	if s.files[name], err = fs.ReadFile(s.src, source); err != nil {
		return "", err
	}
	return c.root() + name + part, nil
}

// list adds the sections of a page to the index of the search.
func (s *maker) list(c *chapter, doc ast.Node) {
	in := section{Page: c.title, At: c.name, Heading: c.title}
	var words strings.Builder
	end := func() {
		if in.Text = strings.Join(strings.Fields(words.String()), " "); in.Text != "" {
			s.index = append(s.index, in)
		}
		words.Reset()
	}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			end()
			in.Heading, in.At = plain(h, c.text), c.name
			if id, ok := h.AttributeString("id"); ok && h.Level > 1 {
				in.At += "#" + string(id.([]byte))
			}
			continue
		}
		words.WriteString(plain(n, c.text) + " ")
	}
	end()
}

// plain returns the text of a node without its marks.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return html.UnescapeString(b.String())
}

// Pages returns the names of the pages, sorted.
func Pages(files map[string][]byte) (names []string) {
	for name := range files {
		if strings.HasSuffix(name, ".html") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
