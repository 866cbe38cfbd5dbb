package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/commworld/commworld/teach/course"
)

// quiz prints the questions about a test, or marks answers to them.
func (c *litmusCommand) quiz(ctx context.Context, stdout io.Writer) (int, error) {
	switch {
	case !c.Quiz:
		return 0, errors.New("--mark FILE marks the answers to --quiz NAME: give --quiz and the name, too")
	case len(c.Names) != 1:
		return 0, fmt.Errorf("--quiz takes one test, such as barrier-only, not %d", len(c.Names))
	}
	q, err := course.NewQuiz(c.Names[0])
	if err != nil {
		return 0, err
	}
	if c.Mark == "" {
		text, err := q.Text(ctx)
		if err == nil {
			_, err = io.WriteString(stdout, text)
		}
		return 0, err
	}
	text, _, err := scriptText(ctx, c.Mark)
	if err != nil {
		return 0, err
	}
	m, err := q.Mark(ctx, text)
	if err != nil {
		return 0, err
	}
	f := formatFlags{JSON: c.JSON, Format: "text"}
	if err := f.AfterApply(); err != nil {
		return 0, err
	}
	return f.printMark(stdout, "litmus", c.Mark, m)
}

// verdictExit returns the exit status for a verdict.
func verdictExit(v course.Verdict) int {
	return map[course.Verdict]int{course.Right: 0, course.Wrong: 1, course.Unmarked: exitUsage}[v]
}
