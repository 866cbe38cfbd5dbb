package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/teach/course"
)

// gradeFlags are the flags of course mark for points and for a whole class.
type gradeFlags struct {
	All     bool    `help:"Mark a class: DIR has a folder, or a script, for each student."`
	CSV     string  `type:"output" name:"csv" placeholder:"FILE" help:"With --all, write a line for each student; - is standard output."`
	Points  float64 `default:"1" placeholder:"N" help:"Points of a right submission, ${default}; others get 0."`
	Results string  `placeholder:"WHERE" enum:",gradescope,classroom" default:"" help:"Print the result for gradescope (results.json) or for GitHub classroom (an output of a step)."`
}

// fit returns an error if the flags contradict each other.
func (g *gradeFlags) fit(machine bool) error {
	switch {
	case !(g.Points >= 0 && g.Points <= 1e6):
		return fmt.Errorf("--points %v: 0 to 1000000", g.Points)
	case g.CSV != "" && !g.All:
		return errors.New("--csv has a line for each student; it needs --all")
	case g.All && (machine || g.Results != ""):
		return errors.New("--all prints a table, or writes --csv; --format, --json and --results are about one submission")
	case machine && g.Results != "":
		return errors.New("--results and --format both say what is printed")
	}
	return nil
}

// points returns the points of a submission.
func (g *gradeFlags) points(m *course.Marking) float64 {
	if m.Verdict == course.Right {
		return g.Points
	}
	return 0
}

// gradescope prints a marking as results.json of Gradescope's autograders.
func (g *gradeFlags) gradescope(w io.Writer, m *course.Marking, took time.Duration) error {
	type test struct {
		Name   string  `json:"name"`
		Score  float64 `json:"score"`
		Max    float64 `json:"max_score"`
		Status string  `json:"status"`
		Output string  `json:"output"`
	}
	status := map[bool]string{true: "passed", false: "failed"}[m.Verdict == course.Right]
	var text bytes.Buffer
	if err := printMarking(&text, m); err != nil {
		return err
	}
	return inJSON(w, struct {
		Output string  `json:"output"`
		Took   float64 `json:"execution_time"` // seconds
		Tests  []test  `json:"tests"`
	}{m.Summary, took.Seconds(), []test{{m.Lesson, g.points(m), g.Points, status, text.String()}}})
}

// classroom prints a marking as the line by which a step of a workflow hands its result to the
// reporter of GitHub Classroom.
func (g *gradeFlags) classroom(w io.Writer, m *course.Marking, took time.Duration) error {
	type test struct {
		Name    string `json:"name"`
		Status  string `json:"status"`
		Message string `json:"message,omitempty"`
		Took    string `json:"execution_time"`
	}
	status := map[course.Verdict]string{course.Right: "pass", course.Wrong: "fail", course.Unmarked: "error"}[m.Verdict]
	one := test{Name: m.Lesson, Status: status, Took: fmt.Sprintf("%.1fs", took.Seconds())}
	if m.Verdict != course.Right {
		var text bytes.Buffer
		if err := printMarking(&text, m); err != nil {
			return err
		}
		one.Message = text.String()
	}
	result, err := json.Marshal(struct {
		Version int     `json:"version"`
		Status  string  `json:"status"`
		Max     float64 `json:"max_score"`
		Tests   []test  `json:"tests"`
	}{1, status, g.Points, []test{one}})
	if err == nil {
		_, err = fmt.Fprintf(w, "result=%s\n", base64.StdEncoding.EncodeToString(result))
	}
	return err
}

// A graded is the submission of one student.
type graded struct {
	student string
	marking *course.Marking
}

// markAll marks the submissions of a class, and prints them.
func (c *courseMark) markAll(ctx context.Context, l *course.Lesson, limits course.Limits, stdout, stderr io.Writer) error {
	students, err := submissions(c.Dir, l)
	if err != nil {
		return err
	}
	tick := ticking(stderr, "marking "+c.Dir)
	defer tick.end()
	var all []graded
	var stopped error
	for i, s := range students {
		tick.say("marking %s, %d of %d", s.name, i+1, len(students))
		m, err := l.Mark(ctx, s.dir, limits)
		if ctx.Err() != nil {
			stopped = fmt.Errorf("%s and those after it were not marked: %w", s.name, context.Cause(ctx))
			break
		}
		if err != nil {
			m = l.Unmarked(err)
		}
		all = append(all, graded{s.name, m})
	}
	tick.end()
	if stopped != nil && len(all) == 0 {
		return stopped
	}
	if c.CSV == "-" || c.CSV != "" && stopped == nil { // a part does not replace a file
		var failed error
		if err := writeFile(c.CSV, stdout, func(w *bufio.Writer) { failed = c.writeCSV(w, all) }); err != nil || failed != nil {
			return errors.Join(err, failed, stopped)
		}
	}
	if c.CSV == "-" {
		return stopped
	}
	return errors.Join(c.printClass(stdout, all), stopped)
}

// A submission is the folder or the script of one student.
type submission struct{ name, dir string }

// submissions returns the submissions in dir. A student's folder is one, or has it in a folder such
// as lesson17.
func submissions(dir string, l *course.Lesson) (all []submission, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("--all: %w", err)
	}
	own := fmt.Sprintf("lesson%02d", l.Number)
	for _, e := range entries {
		name, full := e.Name(), filepath.Join(dir, e.Name())
		info, err := os.Stat(full)
		switch script := strings.HasSuffix(name, ".mpio"); {
		case strings.HasPrefix(name, ".") || err != nil || !info.IsDir() && !script:
			continue
		case script:
			name = strings.TrimSuffix(name, ".mpio")
		default:
			if _, err := os.Stat(filepath.Join(full, own)); err == nil {
				full = filepath.Join(full, own)
			}
		}
		all = append(all, submission{name, full})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("--all: %s has no folders and no scripts of students", dir)
	}
	return all, nil
}

// writeCSV writes a line for each student.
func (c *courseMark) writeCSV(w io.Writer, all []graded) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"student", "lesson", "verdict", "points", "of", "summary", "rule", "what to do", "reason given"}}
	for _, g := range all {
		rule, fix := "", ""
		if len(g.marking.Findings) > 0 {
			rule, fix = g.marking.Findings[0].Rule, g.marking.Findings[0].Fix
		}
		line := []string{g.student, g.marking.Lesson, string(g.marking.Verdict), decimal(c.points(g.marking)), decimal(c.Points), g.marking.Summary, rule, fix, g.marking.Reason}
		for i := range line {
			line[i] = cellText(line[i])
		}
		lines = append(lines, line)
	}
	return out.WriteAll(lines)
}

// cellText makes a text safe for spreadsheets, which carry out a cell that begins like a formula. Names
// of folders and texts of findings come from students.
func cellText(text string) string {
	text = strings.ToValidUTF8(text, "?")
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// printClass prints a table of the class.
func (c *courseMark) printClass(w io.Writer, all []graded) error {
	wide, counts := len("student"), map[course.Verdict]int{}
	for _, g := range all {
		wide = max(wide, cells(g.student))
		counts[g.marking.Verdict]++
	}
	var b strings.Builder
	for _, g := range all {
		fmt.Fprintf(&b, "%s  %-10s  %6s  %s\n", pad(g.student, wide), g.marking.Verdict, decimal(c.points(g.marking)), g.marking.Summary)
	}
	fmt.Fprintf(&b, "\n%s: %d right, %d wrong, %d not marked\n", plain.Count(len(all), "submission"), counts[course.Right], counts[course.Wrong], counts[course.Unmarked])
	_, err := io.WriteString(w, b.String())
	return err
}
