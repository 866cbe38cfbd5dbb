package exercise

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/commworld/commworld/internal/brief"
)

//go:embed lessons/*.txtar
var files embed.FS

// An Exercise is what a lesson of the course asks.
type Exercise struct {
	Lesson   string // the folder of the lesson, such as 17-missing-sync
	Question Question
	Task     string // Markdown
	Start    string // the script to complete
	Solution string // a right one, with the outcomes that the task requires

	conditions []condition
	mistakes   []mistake
}

// A Question is asked before a lesson gives the answer.
type Question struct {
	Text    string
	Answers []Answer
}

// An Answer is one of the answers to choose from.
type Answer struct {
	Text   string
	Right  bool
	Remark string // the sentence that judges it
}

// A mistake is a typical wrong script.
type mistake struct{ name, sentence, text string }

// All returns the exercises of all lessons, in order. Callers do not change them.
func All() []*Exercise { return all() }

var all = sync.OnceValue(func() []*Exercise {
	entries, err := files.ReadDir("lessons")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	var all []*Exercise
	for _, entry := range entries {
		text, err := files.ReadFile(path.Join("lessons", entry.Name()))
		if err == nil {
			var e *Exercise
			if e, err = parse(strings.TrimSuffix(entry.Name(), ".txtar"), text); err == nil {
				all = append(all, e)
			}
		}
		if err != nil {
			panic(fmt.Errorf("%s: %w", entry.Name(), err)) // a test reads all
		}
	}
	return all
})

// Find returns the exercise of a lesson by its number or its folder, such as 17 or
// 17-missing-sync.
func Find(name string) (*Exercise, error) {
	n, err := strconv.Atoi(name)
	var names []string
	for _, e := range All() {
		if e.Lesson == name || err == nil && strings.HasPrefix(e.Lesson, fmt.Sprintf("%02d-", n)) {
			return e, nil
		}
		names = append(names, e.Lesson)
	}
	return nil, fmt.Errorf("there is no lesson %q%s", brief.String(name), brief.Meant(name, names))
}

// Mistakes returns the names of the typical wrong scripts.
func (e *Exercise) Mistakes() (names []string) {
	for _, m := range e.mistakes {
		names = append(names, m.name)
	}
	return names
}

// Mistake returns a typical wrong script, and the sentence by which marking recognises it;
// ok is false if there is none of that name.
func (e *Exercise) Mistake(name string) (text, sentence string, ok bool) {
	i := slices.IndexFunc(e.mistakes, func(m mistake) bool { return m.name == name })
	if i < 0 {
		return "", "", false
	}
	return e.mistakes[i].text, e.mistakes[i].sentence, true
}

// parse reads an exercise; see doc.go for its form.
func parse(lesson string, text []byte) (*Exercise, error) {
	archive := txtar.Parse(text)
	e := &Exercise{Lesson: lesson}
	var err error
	if e.Question, err = parseQuestion(string(archive.Comment)); err != nil {
		return nil, err
	}
	for _, f := range archive.Files {
		part := string(f.Data)
		switch name, wrong := strings.CutPrefix(f.Name, "wrong/"); {
		case wrong:
			var m mistake
			if m, err = e.parseMistake(name, part); err == nil {
				e.mistakes = append(e.mistakes, m)
			}
		case f.Name == "task.md":
			e.Task = strings.TrimSpace(part)
		case f.Name == "start.mpio":
			e.Start = part
		case f.Name == "solution.mpio":
			e.Solution = part
		case f.Name == "conditions":
			e.conditions, err = parseConditions(part)
		default:
			err = errors.New("unknown part")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return e, nil
}

// parseQuestion reads a question: a paragraph, then answers, which begin with "- " or, if
// right, with "+ "; a colon ends each, and the remark follows.
func parseQuestion(text string) (q Question, err error) {
	ask, rest, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
	q.Text = strings.Join(strings.Fields(ask), " ")
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		mark, answer, _ := strings.Cut(line, " ")
		switch {
		case line == "":
		case mark == "-" || mark == "+":
			said, remark, ok := strings.Cut(answer, ": ")
			if !ok {
				return q, fmt.Errorf("the answer %q has no remark", answer)
			}
			q.Answers = append(q.Answers, Answer{said, mark == "+", remark})
		case len(q.Answers) == 0:
			return q, fmt.Errorf("%q is not an answer", line)
		default:
			q.Answers[len(q.Answers)-1].Remark += " " + line
		}
	}
	return q, nil
}

// parseMistake reads a wrong script: its sentence, then the edits of the
// solution that make it.
func (e *Exercise) parseMistake(name, part string) (mistake, error) {
	sentence, diff, _ := strings.Cut(part, "\n@@")
	text, err := Patch(withoutExpectations(e.Solution), "@@"+strings.TrimRight(diff, "\n")+"\n")
	return mistake{name, strings.Join(strings.Fields(sentence), " "), text}, err
}

// withoutExpectations returns a script without its expectations, which are its last lines.
func withoutExpectations(text string) string {
	for _, word := range []string{"\nallow ", "\nnorace", "\nrace"} {
		if i := strings.Index(text, word); i >= 0 {
			text = text[:i+1]
		}
	}
	return text
}
