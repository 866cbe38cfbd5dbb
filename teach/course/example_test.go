package course_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/commworld/commworld/teach/course"
)

// A submission is marked by what it does under every schedule that makes a difference.
func Example() {
	l, err := course.Find("17")
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "course")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file, text, err := l.WrongSubmission("script-barrier-only")
	if err != nil {
		fmt.Println(err)
		return
	}
	name := filepath.Join(dir, file)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	m, err := l.Mark(context.Background(), name, course.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Title, "-", m.Verdict, m.Findings[0].Kind, m.Findings[0].Rule)
	// Output: The missing sync - wrong race CONS-C2
}
