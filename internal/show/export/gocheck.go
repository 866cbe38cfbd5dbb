package export

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/script"
)

// outcomes writes the checks of each rank, and combines their results.
func (p *goProgram) outcomes() error {
	p.line("")
	p.line("// outcomes that the script allows:")
	for _, out := range p.allow {
		p.line("//")
		p.line("//\t%v", out)
	}
	p.line("//")
	p.line("// ok[i] says whether outcome i came here, found[i] whether it came on all ranks.")
	p.line("ok := []bool{%s}", strings.TrimSuffix(strings.Repeat("true, ", len(p.allow)), ", "))
	p.line("found := make([]bool, len(ok))")
	p.open("if err = c.Barrier(); err != nil {")
	p.line("return at(0, err)")
	p.close("}")
	for r := range p.s.Ranks {
		if err := p.rankChecks(p.writer, r, p.equation); err != nil {
			return err
		}
	}
	p.open("if err = c.AllReduce(types.Of(ok), types.Of(found), comm.LAnd); err != nil {")
	p.line("return at(0, err)")
	p.close("}")
	p.open("if c.Rank() == 0 && !slices.Contains(found, true) {")
	p.line(`return errors.New("the script does not allow this outcome")`)
	p.close("}")
	p.line("return nil")
	return nil
}

// equation writes one comparison.
func (p *goProgram) equation(i int, q script.Equation) error {
	holds, err := p.holds(q)
	if err == nil {
		p.line("ok[%d] = ok[%d] && %s", i, i, holds)
	}
	return err
}

// holds returns the condition of an equation.
func (p *goProgram) holds(q script.Equation) (string, error) {
	if q.File != "" {
		return p.fileHolds(q), nil
	}
	c := p.stmtOf(q.Rank, q.Name)
	v := p.results[c]
	switch {
	case v.num == "test":
		if q.Values[0].Text == "0" {
			return "!" + v.ident, nil
		}
		return v.ident, nil
	case v.num != "":
		return fmt.Sprintf("%s == %s", v.ident, q.Values[0].Text), nil
	case strings.HasSuffix(q.Name, ".pos"):
		return fmt.Sprintf("%s_pos == %s", v.ident, q.Values[0].Text), nil
	case strings.HasSuffix(q.Name, ".count"):
		if !hasStatus(c.Routine) {
			return fmt.Sprintf("%d == %s", v.mem.count, q.Values[0].Text), nil
		}
		p.uses["copies"] = true
		return fmt.Sprintf("copies(%s_status, %s) == %s", v.ident, p.goType(v.mem.typ), q.Values[0].Text), nil
	}
	return p.dataHolds(c, v, q)
}

func (p *goProgram) fileHolds(q script.Equation) string {
	p.uses["fileSize"] = true
	if q.Absent {
		return fmt.Sprintf("fileSize(fsys, %q) == -1", q.File)
	}
	at, parts := int64(0), []string{}
	for _, t := range q.Bytes {
		n := int64(len(t.Bytes)) * t.Repeat
		if !t.Blank && n > 0 {
			p.uses["fileHas"] = true
			parts = append(parts, fmt.Sprintf("fileHas(fsys, %q, %d, %s)", q.File, at, goStretch(t)))
		}
		at += n
	}
	parts = append([]string{fmt.Sprintf("fileSize(fsys, %q) == %d", q.File, at)}, parts...)
	return strings.Join(parts, " &&\n")
}

// dataHolds returns the condition that data meet an equation.
func (p *goProgram) dataHolds(c *script.Stmt, v *variable, q script.Equation) (string, error) {
	w, err := wantedOf(q.Values, v.mem.typ)
	if err != nil {
		return "", refuse(c.Line, "%v", err)
	}
	var parts []string
	if hasStatus(c.Routine) {
		p.uses["arrived"] = true
		parts = append(parts, fmt.Sprintf("arrived(%s_status, %s, %d)", v.ident, p.goType(v.mem.typ), w.items))
	}
	switch {
	case !hasStatus(c.Routine) && w.items != v.mem.items:
		return "false", nil
	case w.items > v.mem.items: // the call never brings that many
		return parts[0], nil
	}
	m, g := v.mem, goMemoryOf(&v.mem)
	for _, e := range m.pieces(w) {
		at, from, n := e.at*m.size/g.size, e.from*m.size/g.size, e.n*m.size/g.size
		got := fmt.Sprintf("%s[%d:%d]", v.ident, at, at+n)
		if at == 0 && n == m.len*m.size/g.size {
			got = v.ident
		}
		want := p.slice(&m, w.packed[from*g.size:(from+n)*g.size], false)
		parts = append(parts, fmt.Sprintf("slices.Equal(%s, %s)", got, want))
	}
	if len(parts) == 0 {
		return "true", nil
	}
	return strings.Join(parts, " &&\n"), nil
}
