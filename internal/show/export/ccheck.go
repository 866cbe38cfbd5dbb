package export

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

// checks writes the end of main: the checks of the script's expectations, and the exit
// status.
func (p *cProgram) checks() error {
	if len(p.allow) > 0 {
		if err := p.outcomes(); err != nil {
			return err
		}
	}
	for _, id := range p.frees {
		p.line("MPI_Type_free(&%s);", id)
	}
	p.line("MPI_Finalize();")
	status := "0"
	if p.uses["refused"] {
		status = "missed ? 3 : 0"
	}
	if len(p.allow) > 0 {
		status = "ok_any ? " + status + " : 1"
		status = strings.Replace(status, "ok_any ? missed ? 3 : 0", "ok_any ? (missed ? 3 : 0)", 1)
		status = strings.ReplaceAll(status, "ok_any", p.anyOK())
	}
	p.line("return %s;", status)
	return nil
}

// anyOK returns the condition that some outcome was reached.
func (p *cProgram) anyOK() string {
	parts := make([]string, len(p.allow))
	for i := range parts {
		parts[i] = fmt.Sprintf("ok[%d]", i)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " || ") + ")"
}

// outcomes writes the checks of each rank, and combines their results.
func (p *cProgram) outcomes() error {
	p.line("/* outcomes that the script allows:")
	for _, out := range p.allow {
		for _, l := range wrap(strings.Split(comment(out.String()), ", "), ", ", 85) {
			p.line(" *     %s", l)
		}
	}
	p.line(" * ok[i] is set if outcome i came on all ranks. */")
	ones := strings.TrimSuffix(strings.Repeat("1, ", len(p.allow)), ", ")
	p.line("int ok[] = {%s};", ones)
	p.line("")
	p.line("check(0, MPI_Barrier(MPI_COMM_WORLD));")
	for r := range p.s.Ranks {
		if err := p.rankChecks(p.writer, r, p.equation); err != nil {
			return err
		}
	}
	p.line("check(0, MPI_Allreduce(MPI_IN_PLACE, ok, %d, MPI_INT, MPI_LAND, MPI_COMM_WORLD));", len(p.allow))
	if len(p.allow) > 1 {
		p.open("if (rank == 0 && !%s) {", p.anyOK())
		p.line(`fprintf(stderr, "%s\n");`, "the script does not allow this outcome")
		p.close("}")
	}
	p.line("")
	return nil
}

// equation writes one comparison.
func (p *cProgram) equation(i int, q script.Equation) error {
	holds := ""
	if q.File != "" {
		holds = p.fileHolds(q)
	} else {
		c := p.stmtOf(q.Rank, q.Name)
		v := p.results[c]
		switch {
		case v.num != "":
			holds = fmt.Sprintf("%s == %s", v.ident, q.Values[0].Text)
		case strings.HasSuffix(q.Name, ".pos"):
			holds = fmt.Sprintf("%s_pos == %s", v.ident, q.Values[0].Text)
		case strings.HasSuffix(q.Name, ".count"):
			holds = p.countHolds(c, v, q)
		default:
			var err error
			if holds, err = p.dataHolds(c, v, q); err != nil {
				return err
			}
		}
	}
	if len(p.allow) > 1 {
		p.line("ok[%d] = ok[%d] && %s;", i, i, holds)
		return nil
	}
	p.uses["expect"] = true
	text := cString(short(q.String()))
	if !strings.Contains(holds, "\n") && len(holds)+len(text) < 75 {
		p.line("ok[0] &= expect(%s, %s);", holds, text)
		return nil
	}
	p.line("ok[0] &= expect(%s,", holds)
	p.line("%s%s);", strings.Repeat(p.indent, 4), text)
	return nil
}

// short shortens a text that is too long for a message.
func short(text string) string {
	if len(text) > 60 {
		return text[:57] + "..."
	}
	return text
}

// fileHolds returns the condition that a file meets an equation.
func (p *cProgram) fileHolds(q script.Equation) string {
	p.uses["file_size"] = true
	name := cPath(q.File)
	if q.Absent {
		return fmt.Sprintf("file_size(%s) == -1", name)
	}
	at, parts := int64(0), []string{}
	for _, t := range q.Bytes {
		n := int64(len(t.Bytes)) * t.Repeat
		if !t.Blank && n > 0 {
			p.uses["file_has"] = true
			parts = append(parts, fmt.Sprintf("file_has(%s, %d, %s, %d, %d)", name, at, cString(string(t.Bytes)), len(t.Bytes), t.Repeat))
		}
		at += n
	}
	parts = append([]string{fmt.Sprintf("file_size(%s) == %d", name, at)}, parts...)
	return strings.Join(parts, "\n"+strings.Repeat(p.indent, p.depth+3)+"&& ")
}

// hasStatus reports whether a routine has a status that counts what arrived.
func hasStatus(routine string) bool {
	switch routine {
	case "bcast", "scatter", "gather", "allgather", "reduce", "allreduce":
		return false
	}
	return true
}

func (p *cProgram) countHolds(c *script.Stmt, v *variable, q script.Equation) string {
	if !hasStatus(c.Routine) {
		return fmt.Sprintf("%d == %s", v.mem.count, q.Values[0].Text)
	}
	p.uses["copies"] = true
	return fmt.Sprintf("copies(&%s_status, %s) == %s", v.ident, p.cType(v.mem.typ), q.Values[0].Text)
}

// dataHolds returns the condition that data meet an equation.
func (p *cProgram) dataHolds(c *script.Stmt, v *variable, q script.Equation) (string, error) {
	w, err := wantedOf(q.Values, v.mem.typ)
	if err != nil {
		return "", refuse(c.Line, "%v", err)
	}
	var parts []string
	if hasStatus(c.Routine) {
		p.uses["arrived"] = true
		parts = append(parts, fmt.Sprintf("arrived(&%s_status, %s, %d)", v.ident, p.cType(v.mem.typ), w.items))
	} else if w.items != v.mem.items {
		return fmt.Sprintf("0 /* the call brings %d items */", v.mem.items), nil
	}
	if w.items > v.mem.items { // the call never brings that many
		return parts[0], nil
	}
	if pieces := v.mem.pieces(w); len(pieces) > 0 {
		want := &memory{typ: types.Byte, kind: v.mem.kind, size: v.mem.size, len: int64(len(w.packed)) / v.mem.size, packed: true}
		p.wanted++
		name := fmt.Sprintf("wanted%d", p.wanted)
		p.array(name, want, w.packed)
		for _, e := range pieces {
			parts = append(parts, fmt.Sprintf("memcmp(%s, %s, %s) == 0", plus(v.ident, e.at), plus(name, e.from), bytesOf(name, e.n, want)))
		}
	}
	if len(parts) == 0 {
		return "1", nil
	}
	return strings.Join(parts, "\n"+strings.Repeat(p.indent, p.depth+3)+"&& "), nil
}

func plus(ident string, n int64) string {
	if n == 0 {
		return ident
	}
	return fmt.Sprintf("%s + %d", ident, n)
}

func bytesOf(name string, n int64, m *memory) string {
	if n == m.len {
		return "sizeof " + name
	}
	return fmt.Sprintf("%d * sizeof %s[0]", n, name)
}
