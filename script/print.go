package script

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/readable"
	"github.com/commworld/commworld/types"
)

// Source returns the text that [Parse] read. It is empty for a script that was not parsed, and for one of
// [ParseRanks], whose text states another number of ranks.
func (s *Script) Source() string { return s.source }

// String returns the script in its canonical form, which Parse reads back: the same
// statements, but on other lines, without comments, and with the aliases of types
// expanded.
func (s *Script) String() string {
	w := &strings.Builder{}
	fmt.Fprintln(w, "ranks", s.Ranks)
	for _, m := range s.Machines {
		fmt.Fprintln(w, m)
	}
	if s.Markers != types.Sticky {
		fmt.Fprintln(w, "markers", s.Markers)
	}
	for _, f := range s.Files {
		fmt.Fprintf(w, "file %s = %s\n", f.Name, stretches(f.Bytes))
	}
	at := map[int]int{} // line of each statement in the source, to the line in the output
	n := s.heads()
	for _, b := range s.Blocks {
		fmt.Fprintf(w, "\n%s:\n", b.who())
		n += 2
		for _, c := range b.Stmts {
			n++
			at[c.Line] = n
			fmt.Fprintf(w, "  %v\n", c)
		}
	}
	if len(s.Expect) > 0 {
		fmt.Fprintln(w)
	}
	for _, e := range s.Expect {
		if line, ok := at[e.At]; ok {
			e.At = line
		}
		e.Sites = slices.Clone(e.Sites)
		for i, site := range e.Sites {
			e.Sites[i].Line = at[site.Line]
		}
		fmt.Fprintln(w, e)
	}
	return w.String()
}

// heads returns the number of lines before the first block.
func (s *Script) heads() int {
	n := 1 + len(s.Machines) + len(s.Files)
	if s.Markers != types.Sticky {
		n++
	}
	return n
}

func (b *Block) who() string {
	if b.All {
		return "all"
	}
	var parts []string
	for i := 0; i < len(b.Ranks); {
		j := i
		for j+1 < len(b.Ranks) && b.Ranks[j+1] == b.Ranks[j]+1 {
			j++
		}
		if j > i+1 {
			parts = append(parts, fmt.Sprintf("%d-%d", b.Ranks[i], b.Ranks[j]))
		} else {
			for k := i; k <= j; k++ {
				parts = append(parts, strconv.Itoa(b.Ranks[k]))
			}
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// String returns the statement as scripts write it.
func (s *Stmt) String() string {
	var w []string
	if s.Self {
		w = append(w, "self")
	}
	w = append(w, s.Routine)
	if s.form != nil {
		for _, a := range s.form.args {
			if text := a.write(s); text != "" {
				w = append(w, text)
			}
		}
	}
	return strings.Join(w, " ")
}

// String returns the datatype and the values.
func (d *Data) String() string {
	if d.bare {
		return valueList(d.Values)
	}
	if len(d.Values) == 0 {
		return d.Type.String()
	}
	return d.Type.String() + " " + valueList(d.Values)
}

// String returns "TYPE*N".
func (w *Want) String() string { return fmt.Sprintf("%v*%d", w.Type, w.Count) }

func valueList(vs []Value) string {
	parts := make([]string, len(vs))
	for i, v := range vs {
		parts[i] = v.String()
	}
	return strings.Join(parts, " ")
}

// String returns the value as scripts write it.
func (v Value) String() string {
	text := v.Text
	if v.Quoted {
		text = readable.Quote(text)
	}
	if v.Repeat != 1 {
		text += "*" + strconv.FormatInt(v.Repeat, 10)
	}
	return text
}

func stretches(all []Stretch) string {
	parts := make([]string, len(all))
	for i, t := range all {
		switch {
		case t.Blank:
			parts[i] = strings.Repeat("..", len(t.Bytes))
		case t.Text:
			parts[i] = readable.Quote(string(t.Bytes))
		default:
			parts[i] = hex.EncodeToString(t.Bytes)
		}
		if t.Repeat != 1 {
			parts[i] += "*" + strconv.FormatInt(t.Repeat, 10)
		}
	}
	return strings.Join(parts, " ")
}

// String returns the expectation as scripts write it.
func (e Expectation) String() string {
	switch e.Kind {
	case Race:
		return e.race()
	case NoRace:
		return "norace"
	case Deadlock:
		return "deadlock"
	case Error:
		return fmt.Sprintf("error %s at %d:%d", strings.TrimPrefix(e.Class.Name(), "MPI_ERR_"), e.Rank, e.At)
	}
	all := make([]string, len(e.Outcomes))
	for i, o := range e.Outcomes {
		all[i] = o.String()
	}
	return "allow " + strings.Join(all, " | ")
}

func (e Expectation) race() string {
	w := []string{"race"}
	if e.Missing != "" {
		w = append(w, string(e.Missing))
	}
	if e.Rule != "" {
		w = append(w, e.Rule)
	}
	for i, s := range e.Sites {
		if i == 0 {
			w = append(w, "at")
		}
		w = append(w, fmt.Sprintf("%d:%d", s.Rank, s.Line))
	}
	return strings.Join(w, " ")
}

// String returns the equations of the outcome.
func (o Outcome) String() string {
	parts := make([]string, len(o))
	for i, e := range o {
		parts[i] = e.String()
	}
	return strings.Join(parts, ", ")
}

// String returns the equation as scripts write it.
func (e Equation) String() string {
	switch {
	case e.Absent:
		return fmt.Sprintf("file %s absent", e.File)
	case e.File != "":
		return strings.TrimRight(fmt.Sprintf("file %s = %s", e.File, stretches(e.Bytes)), " ")
	}
	return strings.TrimRight(fmt.Sprintf("%d:%s = %s", e.Rank, e.Name, valueList(e.Values)), " ")
}

var _ = types.Byte
