package lab

import (
	"embed"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"strings"

	"github.com/commworld/commworld/internal/show/picture"
)

//go:embed page
var page embed.FS

// Page returns the files of the page, of which index.html is the first. The page sends its
// requests to [Answer], needs no other site and obeys a strict content security policy.
func Page() fs.FS {
	files, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return files
}

// PageFile returns one file of the page.
func PageFile(name string) []byte {
	text, err := fs.ReadFile(Page(), name)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return text
}

// PictureCSS returns the style sheet of all drawings, which the page loads as
// picture.css.
func PictureCSS() string { return picture.Style() }

// Index returns the text of index.html, with the definitions that all drawings refer to.
func Index() (string, error) {
	b, err := fs.ReadFile(Page(), "index.html")
	if err != nil {
		return "", err
	}
	return strings.Replace(string(b), noDefs, Defs(), 1), nil
}

const noDefs = `<svg width="0" height="0" class="cw hidden" aria-hidden="true" id="defs"></svg>`

// Defs returns the definitions that all drawings refer to, for a page that shows some.
func Defs() string { return strings.Replace(noDefs, "></svg>", ">"+picture.Defs()+"</svg>", 1) }

// State returns what follows # in an address of the page that starts with a script.
func State(text string) string {
	state, err := json.Marshal(map[string]string{"script": text, "lesson": "", "model": "weakest", "tab": "run"})
	if err != nil {
		panic(err) // strings always become JSON
	}
	return base64.RawURLEncoding.EncodeToString(state)
}
