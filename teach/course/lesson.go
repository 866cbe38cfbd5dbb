package course

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/teach/exercise"
)

//go:embed *-*
var files embed.FS

// A Lesson is one lesson of the course.
type Lesson struct {
	Number int
	Name   string // the folder, such as 17-missing-sync
	Title  string
	task   *task
}

// Lessons returns all lessons, by number.
func Lessons() []*Lesson {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // there is always a root
	}
	var all []*Lesson
	for _, e := range entries {
		digits, _, _ := strings.Cut(e.Name(), "-")
		n, err := strconv.Atoi(digits)
		if err != nil || !e.IsDir() {
			continue
		}
		l := &Lesson{Number: n, Name: e.Name(), task: tasks[n]}
		first, _, _ := strings.Cut(l.Text(), "\n")
		_, l.Title, _ = strings.Cut(strings.TrimPrefix(first, "# "), ". ")
		all = append(all, l)
	}
	return all
}

// Find returns the lesson with that number, folder name, or folder name without the number.
func Find(name string) (*Lesson, error) {
	n, err := strconv.Atoi(name)
	var names []string
	for _, l := range Lessons() {
		_, short, _ := strings.Cut(l.Name, "-")
		names = append(names, l.Name, short)
		if err == nil && n == l.Number || name == l.Name || name == short {
			return l, nil
		}
	}
	return nil, fmt.Errorf("there is no lesson %q: commworld course list shows all%s", brief.String(name), brief.Meant(name, names))
}

// Text returns the page of the lesson, as Markdown.
func (l *Lesson) Text() string { return places.ReplaceAllString(l.Page(), "") }

// Page returns the page of the lesson with comments, <!-- program NAME: SHOW -->, which say where a program of package
// lab stands in it, and what it shows first: run, outcomes, models or requests.
func (l *Lesson) Page() string { return l.read("lesson.md") }

var places = regexp.MustCompile(`<!-- program .* -->\n\n`)

// Task returns the part of the page that describes the exercise.
func (l *Lesson) Task() string {
	_, text, _ := strings.Cut(l.Text(), "\n## Exercise\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return strings.TrimSpace(text)
}

// Files returns the files of the lesson: "skeleton/main.go" and the like.
func (l *Lesson) Files() fs.FS {
	sub, err := fs.Sub(files, l.Name)
	if err != nil {
		return embed.FS{} // a folder's name is always valid
	}
	return sub
}

// read returns a file of the lesson, empty if there is none.
func (l *Lesson) read(name string) string {
	b, err := files.ReadFile(path.Join(l.Name, name))
	if err != nil {
		return ""
	}
	return string(b)
}

// Script returns the lesson's exercise for a rank script: what to do, as comments, and the script
// to complete.
func (l *Lesson) Script() (string, error) {
	e, err := exercise.Find(l.Name)
	if err != nil {
		return "", err
	}
	return "# " + strings.ReplaceAll(e.Task, "\n", "\n# ") + "\n" + e.Start, nil
}

// scriptFile returns the name that a submitted rank script has.
func (l *Lesson) scriptFile() string { return fmt.Sprintf("%02d.mpio", l.Number) }
