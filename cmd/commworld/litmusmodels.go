package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/lab"
)

// matrix prints which results of a test were shown under which consistency model.
func (c *litmusCommand) matrix(ctx context.Context, w io.Writer, name, title string, s *script.Script) error {
	m, err := lab.NewMatrix(ctx, s, script.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	name = strings.TrimSuffix(name, ".mpio")
	if c.JSON {
		line, err := json.Marshal(struct {
			Name  string `json:"name"`
			Title string `json:"title"`
			*lab.Matrix
		}{name, title, m})
		if err == nil {
			_, err = fmt.Fprintf(w, "%s\n", line)
		}
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", name, title)
	for _, model := range m.Models {
		fmt.Fprintf(&b, "%9s", model)
	}
	b.WriteString("  outcome\n")
	for i, row := range m.Rows {
		for column := range m.Models {
			fmt.Fprintf(&b, "%9s", m.Verdict(i, column))
		}
		fmt.Fprintf(&b, "  %s\n", row.Text)
	}
	for _, missing := range m.Races {
		fmt.Fprintf(&b, "%9s", yesOrNo(len(missing) > 0))
	}
	fmt.Fprintf(&b, "  race%s\n", missingByModel(m))
	if note := m.Note(); note != "" {
		fmt.Fprintf(&b, "  %s\n", strings.Join(plain.Fold(note, 78), "\n  "))
	}
	b.WriteByte('\n')
	_, err = io.WriteString(w, b.String())
	return err
}

// missingByModel returns the missing calls of the races: once, if they are the same under
// all models.
func missingByModel(m *lab.Matrix) string {
	by := make([]string, len(m.Models))
	for i, missing := range m.Races {
		by[i] = cmp.Or(strings.Join(missing, ", "), "nothing")
	}
	switch {
	case len(slices.Compact(slices.Clone(by))) > 1:
		for i := range by {
			by[i] = fmt.Sprint(by[i], " (", m.Models[i], ")")
		}
		return ", missing: " + strings.Join(by, "; ")
	case by[0] == "nothing":
		return ""
	default:
		return ", missing: " + by[0]
	}
}

func yesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "-"
}
