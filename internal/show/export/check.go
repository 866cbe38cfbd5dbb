package export

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/script"
)

// A checker is what the conditions of checks in C and Go do differently.
type checker interface {
	number(v *variable, value string) string
	arrived(helper string, v *variable, more string) string // a helper's call with status and datatype of what arrived
	fileSize(name string) string
	fileHas(name string, at int64, t script.Stretch) string
	equal(v *variable, w wanted) []string // the conditions that a buffer has the data
	never(v *variable) string             // the condition of a call that never brings so many items
	all(conditions []string) string
}

// checkRanks writes the equations that each rank checks; rank 0 also checks the files. write
// writes the condition of an equation of outcome i.
func (p *program) checkRanks(w *writer, d checker, write func(i int, q script.Equation, holds string)) error {
	for r := range p.s.Ranks {
		some := false
		for i, out := range p.allow {
			for _, q := range out {
				if q.File == "" && q.Rank != r || q.File != "" && r != 0 {
					continue
				}
				if !some {
					w.openIf([]int{r}, false)
					some = true
				}
				holds, err := p.holds(d, q)
				if err != nil {
					return err
				}
				write(i, q, holds)
			}
		}
		if some {
			w.close("}")
		}
	}
	return nil
}

// holds returns the condition of an equation.
func (p *program) holds(d checker, q script.Equation) (string, error) {
	if q.File != "" {
		return fileHolds(d, q), nil
	}
	c := p.stmtOf(q.Rank, q.Name)
	v := p.results[c]
	have := ""
	switch {
	case v.num != "":
		return d.number(v, q.Values[0].Text), nil
	case strings.HasSuffix(q.Name, ".pos"):
		have = v.ident + "_pos"
	case !strings.HasSuffix(q.Name, ".count"):
		return dataHolds(d, c, v, q)
	case hasStatus(c.Routine):
		have = d.arrived("copies", v, "")
	default:
		have = decimal(v.mem.count)
	}
	return have + " == " + q.Values[0].Text, nil
}

// fileHolds returns the condition that a file meets an equation.
func fileHolds(d checker, q script.Equation) string {
	size := d.fileSize(q.File)
	if q.Absent {
		return size + " == -1"
	}
	at, parts := int64(0), []string{""}
	for _, t := range q.Bytes {
		n := int64(len(t.Bytes)) * t.Repeat
		if !t.Blank && n > 0 {
			parts = append(parts, d.fileHas(q.File, at, t))
		}
		at += n
	}
	parts[0] = fmt.Sprintf("%s == %d", size, at)
	return d.all(parts)
}

// dataHolds returns the condition that data meet an equation.
func dataHolds(d checker, c *script.Stmt, v *variable, q script.Equation) (string, error) {
	w, err := wantedOf(q.Values, v.mem.typ)
	if err != nil {
		return "", refuse(c.Line, "%v", err)
	}
	var parts []string
	if hasStatus(c.Routine) {
		parts = append(parts, d.arrived("arrived", v, ", "+decimal(w.items)))
	} else if w.items != v.mem.items {
		return d.never(v), nil
	}
	if w.items <= v.mem.items { // else the call never brings that many
		parts = append(parts, d.equal(v, w)...)
	}
	return d.all(parts), nil
}

// hasStatus reports whether a routine has a status that counts what arrived.
func hasStatus(routine string) bool {
	switch routine {
	case "bcast", "scatter", "gather", "allgather", "reduce", "allreduce":
		return false
	}
	return true
}
