package site

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

var (
	hrefs  = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	ids    = regexp.MustCompile(`id="([^"]*)"`)
	states = regexp.MustCompile(`lab/index\.html#([A-Za-z0-9_-]+)"`)
)

// make returns the site of this module.
func makeSite(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := Make(os.DirFS("../.."), "# Cheat sheet\n")
	require.NoError(t, err)
	return files
}

// If a link led nowhere, readers would find out.
func TestLinks(t *testing.T) {
	files := makeSite(t)
	for _, name := range Pages(files) {
		for _, m := range hrefs.FindAllStringSubmatch(string(files[name]), -1) {
			to := html.UnescapeString(m[1])
			if strings.Contains(to, ":") {
				continue
			}
			target, part, _ := strings.Cut(to, "#")
			at := name
			if target != "" {
				at = path.Join(path.Dir(name), target)
			}
			if strings.HasPrefix(at, "lab/") { // written by the command; see TestSite there
				continue
			}
			text, ok := files[at]
			if assert.True(t, ok, "%s: %s", name, to) && part != "" && strings.HasSuffix(at, ".html") {
				assert.True(t, containsID(text, part), "%s: %s", name, to)
			}
		}
	}
}

func containsID(text []byte, id string) bool {
	for _, m := range ids.FindAllSubmatch(text, -1) {
		if html.UnescapeString(string(m[1])) == id {
			return true
		}
	}
	return false
}

// Scripts on pages open in the lab as they are there.
func TestScriptsOpenInTheLab(t *testing.T) {
	files, n := makeSite(t), 0
	for _, name := range Pages(files) {
		for _, m := range states.FindAllSubmatch(files[name], -1) {
			text, err := base64.RawURLEncoding.DecodeString(string(m[1]))
			require.NoError(t, err, name)
			var state struct{ Script, Model, Tab string }
			require.NoError(t, json.Unmarshal(text, &state))
			_, err = script.Parse(state.Script)
			require.NoError(t, err, name)
			n++
		}
	}
	assert.Greater(t, n, 30)
	assert.Contains(t, string(files["litmus.html"]), "Open in the lab")
}

// Each page is alone: it loads nothing from elsewhere, and says so to the browser.
func TestPages(t *testing.T) {
	files := makeSite(t)
	pages := Pages(files)
	assert.GreaterOrEqual(t, len(pages), 40)
	for _, name := range pages {
		text := string(files[name])
		assert.Equal(t, 1, strings.Count(text, "Content-Security-Policy"), name)
		assert.Equal(t, 1, strings.Count(text, ` aria-current="page"`), name)
		assert.Equal(t, 1, strings.Count(text, "<h1"), name)
		for _, m := range regexp.MustCompile(`<(?:script|link|img)[^>]*"(https?:[^"]*)"`).FindAllString(text, -1) {
			t.Errorf("%s loads %s", name, m)
		}
	}
}

// Each lesson has its question, a program to change, its exercise and the next lesson, on the site and in the pages
// for the server of the lab, which link to nothing else.
func TestLessons(t *testing.T) {
	alone, err := Course()
	require.NoError(t, err)
	for _, files := range []map[string][]byte{makeSite(t), alone} {
		n := 0
		for _, name := range Pages(files) {
			if !strings.HasPrefix(name, "course/") || name == "course/index.html" {
				continue
			}
			n++
			text := string(files[name])
			assert.Equal(t, 1, strings.Count(text, `<form class="question">`), name)
			assert.Equal(t, 1, strings.Count(text, `<section class="exercise"`), name)
			assert.GreaterOrEqual(t, strings.Count(text, `<section class="pane"`), 1, name)
			assert.Contains(t, text, "'wasm-unsafe-eval'", name)
			assert.Equal(t, !strings.Contains(name, "/24-"), strings.Contains(text, `<p class="next">`), name)
			assert.Less(t, strings.Index(text, `<form class="question">`), strings.Index(text, `<div class="later">`), name)
		}
		assert.Equal(t, 24, n)
	}
	for _, name := range Pages(alone) {
		for _, m := range hrefs.FindAllStringSubmatch(string(alone[name]), -1) {
			to, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
			if to == "" || strings.Contains(to, ":") {
				continue
			}
			at := path.Join(path.Dir(name), to)
			_, ok := alone[at]
			ofLab := slices.Contains([]string{"index.html", "icon.svg", "vote.html", "picture.css", "pane.css", "lesson.css", "lesson.js", "language.txt"}, at)
			assert.True(t, ok || ofLab, "%s: %s", name, to)
		}
	}
}

// The search finds sections by their words.
func TestSearchIndex(t *testing.T) {
	files := makeSite(t)
	packed, err := gzip.NewReader(bytes.NewReader(files["search.json.gz"]))
	require.NoError(t, err)
	text, err := io.ReadAll(packed)
	require.NoError(t, err)
	var index []section
	require.NoError(t, json.Unmarshal(text, &index))
	var found []string
	for _, s := range index {
		_, ok := files[strings.Split(s.At, "#")[0]]
		assert.True(t, ok, s.At)
		if strings.Contains(s.Text, "sync-barrier-sync") || strings.Contains(s.Text, "sync, barrier, sync") {
			found = append(found, s.At)
		}
	}
	assert.NotEmpty(t, found)
}

// A link that leads nowhere is an error of the source.
func TestBrokenLink(t *testing.T) {
	s := &maker{src: os.DirFS("../.."), files: map[string][]byte{}, names: map[string]string{}}
	_, err := s.linked(&chapter{name: "docs/x.html", source: "docs/x.md"}, "nothing.md")
	assert.ErrorContains(t, err, "the link nothing.md leads nowhere")
	to, err := s.linked(&chapter{name: "docs/x.html", source: "docs/x.md"}, "../iofile")
	require.NoError(t, err)
	assert.Equal(t, "https://pkg.go.dev/github.com/commworld/commworld/iofile", to)
}
