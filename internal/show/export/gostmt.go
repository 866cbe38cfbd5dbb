package export

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

func (p *goProgram) invoke(s *statement, i invocation) {
	args := i.args
	if i.offset != "" {
		args = append(args, i.offset)
	}
	text := fmt.Sprintf("%s.%s(%s)", cmp.Or(i.object, "c"), method(strings.TrimPrefix(i.routine, "get_")), strings.Join(args, ", "))
	if !i.checks {
		p.checked(s, i.result, text)
		return
	}
	p.open("if %s, err = %s; err != nil {", i.result, text)
	p.line("return at(%d, err)", s.c.Line)
	p.close("}")
}

// checked writes a call that returns an error, and perhaps results before it, with the check
// that the script asks for.
func (p *goProgram) checked(s *statement, results, text string) {
	left := "err = "
	if results != "" {
		left = results + ", err = "
	}
	classes, names, some := s.classes("")
	line := s.c.Line
	if !some {
		p.open("if %s%s; err != nil { // line %d", left, text, line)
		p.line("return at(%d, err)", line)
		p.close("}")
		return
	}
	p.uses["refused"] = true
	p.line("%s%s // line %d", left, text, line)
	for _, name := range names {
		if len(classes) > 1 {
			p.open("if %s {", condition("c.Rank()", classes[name]))
		}
		if name == "" {
			p.open("if err != nil {")
			p.line("return at(%d, err)", line)
		} else {
			p.open("if err = refused(%d, %s, err); err != nil {", line, goClass(name))
			p.line("return err")
		}
		p.close("}")
		if len(classes) > 1 {
			p.close("}")
		}
	}
}

// goClass writes a class by its name in the standard.
func goClass(mpi string) string {
	var b strings.Builder
	b.WriteString("errclass.")
	for word := range strings.SplitSeq(strings.TrimPrefix(mpi, "MPI_ERR_"), "_") {
		switch word {
		case "IO", "RMA", "ABI":
			b.WriteString(word)
		default:
			b.WriteString(word[:1] + strings.ToLower(word[1:]))
		}
	}
	return strings.NewReplacer("Nomem", "NoMem", "Locktype", "LockType").Replace(b.String())
}

// goNames has the words of MPI names that Go does not spell with one capital.
var goNames = map[string]string{
	"iread": "IRead", "iwrite": "IWrite", "ssend": "SSend", "isend": "ISend", "irecv": "IRecv", "allgather": "AllGather", "allreduce": "AllReduce",
	"sum": "Sum", "prod": "Prod", "max": "Max", "min": "Min", "land": "LAnd", "lor": "LOr", "lxor": "LXor", "band": "BAnd", "bor": "BOr", "bxor": "BXor",
}

// method returns the method for a routine.
func method(routine string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(routine, "_") {
		b.WriteString(cmp.Or(goNames[word], title(word)))
	}
	return b.String()
}

func (p *goProgram) buffers(s *statement) error {
	if v := p.kept[s.c]; v != nil {
		s.out = p.keptBuffer(s.c, v.text)
	}
	if v := p.results[s.c]; v != nil && v.num == "" {
		s.in = p.resultBuffer(v)
	}
	return nil
}

// keptBuffer returns the buffer of the data of an access; text allows writing it as a string.
func (p *goProgram) keptBuffer(c *script.Stmt, text bool) string {
	v := p.kept[c]
	if late(c.Routine) && v.mem.len > 0 {
		return p.buffer(&v.mem, v.ident)
	}
	return p.buffer(&v.mem, p.slice(&v.mem, v.data, text))
}

// resultBuffer returns the buffer of a result.
func (p *goProgram) resultBuffer(v *variable) string {
	if v.mem.len == 0 {
		return p.buffer(&v.mem, fmt.Sprintf("[]%s{}", goMemoryOf(&v.mem).elem))
	}
	return p.buffer(&v.mem, v.ident)
}

func (p *goProgram) splitBuffer(begun *script.Stmt) string {
	switch {
	case begun == nil:
		return p.noBuffer
	case begun.Want != nil:
		return p.resultBuffer(p.results[begun])
	}
	return p.keptBuffer(begun, false)
}

func (p *goProgram) datatype(t *types.Type, _ int) (string, error) { return p.goType(t), nil }

var goPolicies = map[types.Policy]string{types.MatchFinal: "types.MatchFinal", types.MatchSource000: "types.MatchSource000", types.MatchSize: "types.MatchSize", types.MatchWritten: "types.MatchWritten"}

func (p *goProgram) openFile(s *statement) error {
	c, over, options := s.c, "c", ""
	if c.Self {
		over = "c.Self()"
	}
	var info []script.Hint
	for _, h := range c.Hints {
		if policy, ok := h.Match(); ok {
			options += fmt.Sprintf(", iofile.WithMatch(%s)", goPolicies[policy])
		} else {
			info = append(info, h)
		}
	}
	if len(info) > 0 {
		options += ", iofile.WithInfo(openHints)"
		p.open("{")
		p.line("openHints := comm.NewInfo()")
	}
	for _, h := range info {
		p.open("if err = openHints.Set(%q, %q); err != nil {", h.Key, h.Value)
		p.line("return at(%d, err)", c.Line)
		p.close("}")
	}
	p.checked(s, s.file, fmt.Sprintf("iofile.Open(%s, fsys, %q, %s%s)", over, c.File, p.mode(c.Mode), options))
	if len(info) > 0 {
		p.close("}")
	}
	return nil
}

func (p *goProgram) deleteFile(s *statement) {
	p.checked(s, "", fmt.Sprintf("iofile.DeleteFor(c, fsys, %q, nil)", s.c.File))
}

func (p *goProgram) setView(s *statement, etype, filetype string) {
	v, disp, rep := s.c.View, "", ""
	switch v.Disp {
	case 0:
	case iofile.DisplacementCurrent:
		disp = "Disp: iofile.DisplacementCurrent, "
	default:
		disp = fmt.Sprintf("Disp: %d, ", v.Disp)
	}
	if v.Rep != "native" {
		rep = fmt.Sprintf(", Rep: %q", v.Rep)
	}
	s.onFile("set_view", "", fmt.Sprintf("iofile.View{%sEtype: %s, Filetype: %s%s}", disp, etype, filetype, rep))
}

// test writes a test; it keeps the status only if the test completes the request.
func (p *goProgram) test(s *statement, request, status string) {
	i := invocation{object: request, routine: "test"}
	if status == p.ignored {
		i.result = "_, " + s.number()
		p.invoke(s, i)
		return
	}
	v := p.results[s.c]
	flag := v.ident
	if !v.need.value {
		flag = fmt.Sprintf("done%d", s.c.Line)
		p.line("var %s bool", flag)
	}
	kept := fmt.Sprintf("status%d", s.c.Line)
	p.line(p.declareStatus, kept)
	i.result = kept + ", " + flag
	p.invoke(s, i)
	p.open("if %s {", flag)
	p.line("%s, %s = %s, nil", status, request, kept)
	p.close("}")
}

func (p *goProgram) waitAll(s *statement, requests []string, results []*variable) {
	list := "_"
	if len(p.brings(s.at)) > 0 {
		list = fmt.Sprintf("statuses%d", s.c.Line)
		p.line("var %s []comm.Status", list)
	}
	p.checked(s, list, fmt.Sprintf("comm.WaitAll(%s)", strings.Join(requests, ", ")))
	for i, v := range results {
		if v != nil && v.status() {
			p.line("%s_status = %s[%d]", v.ident, list, i)
		}
	}
}
