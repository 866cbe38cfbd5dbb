package course

import (
	"context"
	"os"

	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/exercise"
)

// markScript marks a rank script.
func (l *Lesson) markScript(ctx context.Context, name string) (*Marking, error) {
	e, err := exercise.Find(l.Name)
	if err != nil {
		return nil, err
	}
	file, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	text, err := script.Decode(file)
	if err != nil {
		return l.unmarked("The script cannot be read.", err.Error()), nil
	}
	return e.Mark(ctx, text)
}
