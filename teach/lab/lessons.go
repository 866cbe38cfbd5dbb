package lab

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/teach/exercise"
)

//go:embed lessons/*.mpio
var lessonFiles embed.FS

// A collection is a group of scripts that the page offers.
type collection struct {
	kind  string
	files fs.FS
	dir   string
}

func collections() []collection {
	return []collection{{"lesson", lessonFiles, "lessons"}, {"litmus", consistency.Litmus(), "."}, {"twin", consistency.Twins(), "."}}
}

// A lessonTitle is an entry of the menu.
type lessonTitle struct {
	Kind  string `json:"kind"` // lesson, litmus or twin
	Name  string `json:"name"`
	Title string `json:"title"`

	Course int `json:"course,omitempty"` // number of the lesson of the course that it belongs to
}

// lessons lists all scripts of the page, lessons in the order of the course.
func lessons(context.Context, *Request) (any, error) {
	var all []lessonTitle
	for _, c := range collections() {
		entries, err := fs.ReadDir(c.files, c.dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), ".mpio")
			if !ok {
				continue
			}
			l, err := c.lesson(name)
			if err != nil {
				return nil, err
			}
			all = append(all, l.lessonTitle)
		}
	}
	end := len(all)
	if i := slices.IndexFunc(all, func(l lessonTitle) bool { return l.Kind != "lesson" }); i >= 0 {
		end = i // collections follow each other
	}
	sort.SliceStable(all[:end], func(i, j int) bool { return all[i].Course < all[j].Course })
	return map[string]any{"lessons": all}, nil
}

// A lessonAnswer is one script with its title and text.
type lessonAnswer struct {
	lessonTitle
	Text   string `json:"text"`
	Script string `json:"script"`
	Page   string `json:"page,omitempty"` // name of the lesson of the course
}

func lesson(_ context.Context, q *Request) (any, error) {
	for _, c := range collections() {
		if _, err := fs.Stat(c.files, path.Join(c.dir, q.Name+".mpio")); err == nil && !strings.Contains(q.Name, "/") {
			return c.lesson(q.Name)
		}
	}
	return nil, &fieldError{"name", fmt.Errorf("there is no lesson %q", q.Name)}
}

// lesson reads one script. The first line of its leading comment is the title, the
// others are the text; lessons are shown without them.
func (c collection) lesson(name string) (*lessonAnswer, error) {
	b, err := fs.ReadFile(c.files, path.Join(c.dir, name+".mpio"))
	if err != nil {
		return nil, err
	}
	var comment []string
	rest := string(b)
	for {
		line, after, _ := strings.Cut(rest, "\n")
		text, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		comment, rest = append(comment, strings.TrimSpace(text)), after
	}
	l := &lessonAnswer{lessonTitle: lessonTitle{Kind: c.kind, Name: name, Title: name}, Script: string(b)}
	if len(comment) > 0 {
		l.Title, l.Text = comment[0], strings.Join(comment[1:], " ")
	}
	if c.kind == "lesson" {
		front, _, _ := strings.Cut(l.Text, " of the course")
		at := strings.LastIndexByte(front, ' ') + 1
		l.Course, _ = strconv.Atoi(front[at:]) // 0 if it names none; a test checks that
		l.Text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(front[:at]), "Lesson"))
		l.Script = rest
		e, err := exercise.Find(strconv.Itoa(l.Course))
		if err != nil {
			return nil, err
		}
		l.Page = e.Lesson
	}
	return l, nil
}

// A Program is a script that the page offers.
type Program struct{ Name, Title, Text, Script string }

// Of returns the scripts of the page that belong to a lesson of the course.
func Of(number int) ([]Program, error) {
	c := collections()[0]
	entries, err := fs.ReadDir(c.files, c.dir)
	if err != nil {
		return nil, err
	}
	var all []Program
	for _, e := range entries {
		l, err := c.lesson(strings.TrimSuffix(e.Name(), ".mpio"))
		if err != nil {
			return nil, err
		}
		if l.Course == number {
			all = append(all, Program{l.Name, l.Title, l.Text, l.Script})
		}
	}
	return all, nil
}
