package course

import (
	"fmt"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/commworld/commworld/teach/exercise"
)

// Wrong returns the names of the lesson's typical wrong submissions.
func (l *Lesson) Wrong() []string {
	var names []string
	for _, f := range txtar.Parse([]byte(l.read("wrong.txtar"))).Files {
		names = append(names, path.Dir(f.Name))
	}
	if e, err := exercise.Find(l.Name); err == nil {
		for _, name := range e.Mistakes() {
			names = append(names, wrongScript+name)
		}
	}
	return names
}

// wrongScript begins the names of wrong submissions that are rank scripts.
const wrongScript = "script-"

// WrongSubmission returns a wrong submission of the lesson and its file name: main.go, or
// NN.mpio for a rank script.
func (l *Lesson) WrongSubmission(name string) (file, text string, err error) {
	if e, err := exercise.Find(l.Name); err == nil {
		if text, _, ok := e.Mistake(strings.TrimPrefix(name, wrongScript)); ok && strings.HasPrefix(name, wrongScript) {
			return l.scriptFile(), text, nil
		}
	}
	for _, f := range txtar.Parse([]byte(l.read("wrong.txtar"))).Files {
		if path.Dir(f.Name) != name {
			continue
		}
		file = path.Base(f.Name)
		text, err = exercise.Patch(l.read("solution/"+file), string(f.Data))
		if err != nil {
			return "", "", fmt.Errorf("lesson %d: wrong submission %s: %w", l.Number, name, err)
		}
		return file, text, nil
	}
	return "", "", fmt.Errorf("lesson %d has no wrong submission %q: commworld course show %d --wrong lists them", l.Number, name, l.Number)
}
