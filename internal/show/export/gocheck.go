package export

import (
	"cmp"
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
	err := p.checkRanks(p.writer, p, func(i int, _ script.Equation, holds string) { p.line("ok[%d] = ok[%d] && %s", i, i, holds) })
	if err != nil {
		return err
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

func (p *goProgram) number(v *variable, value string) string {
	switch {
	case v.num != "test":
		return v.ident + " == " + value
	case value == "0":
		return "!" + v.ident
	}
	return v.ident
}

func (p *goProgram) arrived(helper string, v *variable, more string) string {
	p.uses[helper] = true
	return fmt.Sprintf("%s(%s_status, %s%s)", helper, v.ident, p.goType(v.mem.typ), more)
}

func (p *goProgram) fileSize(name string) string {
	p.uses["fileSize"] = true
	return fmt.Sprintf("fileSize(fsys, %q)", name)
}

func (p *goProgram) fileHas(name string, at int64, t script.Stretch) string {
	p.uses["fileHas"] = true
	return fmt.Sprintf("fileHas(fsys, %q, %d, %s)", name, at, goStretch(t))
}

func (p *goProgram) equal(v *variable, w wanted) (parts []string) {
	m, g := &v.mem, goMemoryOf(&v.mem)
	for _, e := range m.pieces(w) {
		at, from, n := e.at*m.size/g.size, e.from*m.size/g.size, e.n*m.size/g.size
		got := fmt.Sprintf("%s[%d:%d]", v.ident, at, at+n)
		if at == 0 && n == m.len*m.size/g.size {
			got = v.ident
		}
		want := p.slice(m, w.packed[from*g.size:(from+n)*g.size], false)
		parts = append(parts, fmt.Sprintf("slices.Equal(%s, %s)", got, want))
	}
	return parts
}

func (p *goProgram) never(*variable) string { return "false" }

func (p *goProgram) all(conditions []string) string {
	return cmp.Or(strings.Join(conditions, " &&\n"), "true")
}
