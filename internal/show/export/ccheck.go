package export

import (
	"cmp"
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
	if err := p.checkRanks(p.writer, p, p.equation); err != nil {
		return err
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

// equation writes the condition of an equation of outcome i.
func (p *cProgram) equation(i int, q script.Equation, holds string) {
	if len(p.allow) > 1 {
		p.line("ok[%d] = ok[%d] && %s;", i, i, holds)
		return
	}
	p.uses["expect"] = true
	text := cString(short(q.String()))
	if !strings.Contains(holds, "\n") && len(holds)+len(text) < 75 {
		p.line("ok[0] &= expect(%s, %s);", holds, text)
		return
	}
	p.line("ok[0] &= expect(%s,", holds)
	p.line("%s%s);", strings.Repeat(p.indent, 4), text)
}

// short shortens a text that is too long for a message.
func short(text string) string {
	if len(text) > 60 {
		return text[:57] + "..."
	}
	return text
}

func (p *cProgram) number(v *variable, value string) string { return v.ident + " == " + value }

func (p *cProgram) arrived(helper string, v *variable, more string) string {
	p.uses[helper] = true
	return fmt.Sprintf("%s(&%s_status, %s%s)", helper, v.ident, p.cType(v.mem.typ), more)
}

func (p *cProgram) fileSize(name string) string {
	p.uses["file_size"] = true
	return fmt.Sprintf("file_size(%s)", cPath(name))
}

func (p *cProgram) fileHas(name string, at int64, t script.Stretch) string {
	p.uses["file_has"] = true
	return fmt.Sprintf("file_has(%s, %d, %s, %d, %d)", cPath(name), at, cString(string(t.Bytes)), len(t.Bytes), t.Repeat)
}

func (p *cProgram) equal(v *variable, w wanted) (parts []string) {
	pieces := v.mem.pieces(w)
	if len(pieces) == 0 {
		return nil
	}
	want := &memory{typ: types.Byte, kind: v.mem.kind, size: v.mem.size, len: int64(len(w.packed)) / v.mem.size, packed: true}
	p.wanted++
	name := fmt.Sprintf("wanted%d", p.wanted)
	p.array(name, want, w.packed)
	for _, e := range pieces {
		parts = append(parts, fmt.Sprintf("memcmp(%s, %s, %s) == 0", plus(v.ident, e.at), plus(name, e.from), bytesOf(name, e.n, want)))
	}
	return parts
}

func (p *cProgram) never(v *variable) string {
	return fmt.Sprintf("0 /* the call brings %d items */", v.mem.items)
}

func (p *cProgram) all(conditions []string) string {
	return cmp.Or(strings.Join(conditions, "\n"+strings.Repeat(p.indent, p.depth+3)+"&& "), "1")
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
