package measure

import (
	"fmt"
	"io"
	"math"
)

// A Table prints rows of cells under a header.
type Table struct {
	w      io.Writer
	first  int
	widths []int
}

// Table prints a header and returns the table. The first column, of names, is so many
// characters wide.
func (s *Session) Table(title string, first int, columns ...string) *Table {
	t := &Table{w: s.W, first: first}
	for _, c := range columns {
		t.widths = append(t.widths, max(8, len(c)))
	}
	fmt.Fprintln(s.W)
	t.Row(title, columns...)
	return t
}

// Row prints one row.
func (t *Table) Row(name string, cells ...string) {
	line := fmt.Sprintf("%-*s", t.first, name)
	for i, c := range cells {
		line += fmt.Sprintf(" %*s", t.widths[i], c)
	}
	fmt.Fprintln(t.w, line)
}

// Goal returns a lower bound for got, marked if got does not reach it; "" if there is no
// goal.
func Goal(goal, got float64) string {
	switch {
	case goal == 0:
		return ""
	case got < goal:
		return fmt.Sprintf(">= %g !", goal)
	}
	return fmt.Sprintf(">= %g", goal)
}

// Limit is [Goal] for an upper bound.
func Limit(limit, got float64) string {
	switch {
	case limit == 0:
		return ""
	case got > limit:
		return fmt.Sprintf("<= %g !", limit)
	}
	return fmt.Sprintf("<= %g", limit)
}

// Short returns three digits, or a dash for NaN.
func Short(m float64) string {
	switch {
	case math.IsNaN(m):
		return "-"
	case m < 10:
		return fmt.Sprintf("%.2f", m)
	case m < 100:
		return fmt.Sprintf("%.1f", m)
	}
	return Whole(m)
}

// Whole returns a number without decimals, or a dash for NaN.
func Whole(m float64) string {
	if math.IsNaN(m) {
		return "-"
	}
	return fmt.Sprintf("%.0f", m)
}
