package export

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

// stmt writes one statement for the ranks of a branch.
func (p *goProgram) stmt(b branch, c *script.Stmt) error {
	return p.program.stmt(p.writer, b, c, func(s statement) error {
		w := &goStmt{p: p, statement: s}
		w.buffers()
		return w.write()
	})
}

// A goStmt is the state of writing a statement.
type goStmt struct {
	p *goProgram
	statement

	out, in string // buffers
}

// buffers sets the buffer arguments of the call.
func (w *goStmt) buffers() {
	p, c := w.p, w.c
	if v := p.kept[c]; v != nil {
		if late(c.Routine) && v.mem.len > 0 {
			w.out = p.buffer(&v.mem, v.ident)
		} else {
			w.out = p.buffer(&v.mem, p.slice(&v.mem, v.data, v.text))
		}
	}
	if v := p.results[c]; v != nil && v.num == "" {
		w.in = p.resultBuffer(v)
	}
}

// resultBuffer returns the buffer of a result.
func (p *goProgram) resultBuffer(v *variable) string {
	if v.mem.len == 0 {
		return p.buffer(&v.mem, fmt.Sprintf("[]%s{}", goMemoryOf(&v.mem).elem))
	}
	return p.buffer(&v.mem, v.ident)
}

// call writes a call that returns an error, and perhaps results before it.
func (w *goStmt) call(results, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	left := "err = "
	if results != "" {
		left = results + ", err = "
	}
	classes, names, some := w.classes("")
	line := w.c.Line
	if !some {
		w.p.open("if %s%s; err != nil { // line %d", left, text, line)
		w.p.line("return at(%d, err)", line)
		w.p.close("}")
		return
	}
	w.p.uses["refused"] = true
	w.p.line("%s%s // line %d", left, text, line)
	for _, name := range names {
		cond := ""
		if len(classes) > 1 {
			cond = condition("c.Rank()", classes[name]) + " {"
		}
		if cond != "" {
			w.p.open("if %s", cond)
		}
		if name == "" {
			w.p.open("if err != nil {")
			w.p.line("return at(%d, err)", line)
		} else {
			w.p.open("if err = refused(%d, %s, err); err != nil {", line, goClass(name))
			w.p.line("return err")
		}
		w.p.close("}")
		if cond != "" {
			w.p.close("}")
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
	name := b.String()
	for _, pair := range [][2]string{{"Nomem", "NoMem"}, {"InStatus", "InStatus"}, {"Locktype", "LockType"}} {
		name = strings.Replace(name, pair[0], pair[1], 1)
	}
	return name
}

// method returns the method of a handle for a routine, without _at, _all and so on.
func method(routine string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(routine, "_") {
		switch word {
		case "iread":
			b.WriteString("IRead")
		case "iwrite":
			b.WriteString("IWrite")
		default:
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// status returns the variable for the status of a result.
func (w *goStmt) status(v *variable) string {
	if v == nil || !v.status() {
		return "_"
	}
	return v.ident + "_status"
}

// number returns the variable for a number.
func (w *goStmt) number() string {
	if v := w.p.results[w.c]; v.need.value {
		return v.ident
	}
	return "_"
}

// position writes a query of the file pointer after a read, if a check needs it.
func (w *goStmt) position(begun *script.Stmt) {
	v := w.p.results[begun]
	if v == nil || !v.need.pos {
		return
	}
	name := "Position"
	if shared(begun.Routine) {
		name = "PositionShared"
	}
	w.p.open("if %s_pos, err = %s.%s(); err != nil {", v.ident, w.p.idents["handle "+begun.Handle], name)
	w.p.line("return at(%d, err)", w.c.Line)
	w.p.close("}")
}

var goWhences = map[iofile.Whence]string{iofile.SeekSet: "iofile.SeekSet", iofile.SeekCur: "iofile.SeekCur", iofile.SeekEnd: "iofile.SeekEnd"}

var goPolicies = map[types.Policy]string{types.MatchFinal: "types.MatchFinal", types.MatchSource000: "types.MatchSource000", types.MatchSize: "types.MatchSize"}

func (w *goStmt) write() error {
	p, c := w.p, w.c
	switch c.Routine {
	case "open":
		over := "c"
		if c.Self {
			over = "c.Self()"
		}
		hints, info := "", 0
		for _, h := range c.Hints {
			if policy, ok := h.Match(); ok {
				hints += fmt.Sprintf(", iofile.WithMatch(%s)", goPolicies[policy])
			} else if h.Typed() {
				hints += ", iofile.WithWrittenTypes()"
			} else {
				info++
			}
		}
		if info > 0 {
			hints += ", iofile.WithInfo(openHints)"
			p.open("{")
			p.line("openHints := comm.NewInfo()")
			for _, h := range c.Hints {
				if _, ok := h.Match(); ok || h.Typed() {
					continue
				}
				p.open("if err = openHints.Set(%q, %q); err != nil {", h.Key, h.Value)
				p.line("return at(%d, err)", c.Line)
				p.close("}")
			}
		}
		w.call(w.file, "iofile.Open(%s, fsys, %q, %s%s)", over, c.File, p.mode(c.Mode), hints)
		if info > 0 {
			p.close("}")
		}
	case "close":
		w.call("", "%s.Close()", w.file)
	case "delete":
		w.call("", "iofile.DeleteFor(c, fsys, %q, nil)", c.File)
	case "view":
		w.view()
	case "seek", "seek_shared":
		w.call("", "%s.%s(%d, %s)", w.file, method(c.Routine), c.Offset, goWhences[c.Whence])
	case "set_size", "preallocate":
		w.call("", "%s.%s(%d)", w.file, method(c.Routine), c.Bytes)
	case "sync":
		w.call("", "%s.Sync()", w.file)
	case "atomic":
		w.call("", "%s.SetAtomicity(%t)", w.file, c.On)
	case "get_size", "get_position", "get_position_shared":
		w.call(w.number(), "%s.%s()", w.file, method(strings.TrimPrefix(c.Routine, "get_")))
	case "get_byte_offset":
		w.call(w.number(), "%s.ByteOffset(%d)", w.file, c.Offset)
	case "type_extent":
		w.call(w.number(), "%s.TypeExtent(%s)", w.file, p.goType(c.Type))
	case "look": // no call: only this module can answer it
	case "wait", "waitall", "test":
		w.completion()
	default:
		if c.Handle != "" {
			w.access()
			return nil
		}
		return w.message()
	}
	return nil
}

func (w *goStmt) view() {
	v := w.c.View
	disp := ""
	switch v.Disp {
	case 0:
	case iofile.DisplacementCurrent:
		disp = "Disp: iofile.DisplacementCurrent, "
	default:
		disp = fmt.Sprintf("Disp: %d, ", v.Disp)
	}
	rep := ""
	if v.Rep != "native" {
		rep = fmt.Sprintf(", Rep: %q", v.Rep)
	}
	w.call("", "%s.SetView(iofile.View{%sEtype: %s, Filetype: %s%s})", w.file, disp, w.p.goType(v.Etype), w.p.goType(v.Filetype), rep)
}

// access writes a read or write of a file.
func (w *goStmt) access() {
	p, c := w.p, w.c
	buf := w.out
	if c.Want != nil {
		buf = w.in
	}
	if strings.Contains(c.Routine, "_at") {
		buf += fmt.Sprintf(", %d", c.Offset)
	}
	name := method(c.Routine)
	switch {
	case strings.HasSuffix(c.Routine, "_end"):
		w.end(name)
	case strings.HasSuffix(c.Routine, "_begin"):
		w.call("", "%s.%s(%s)", w.file, name, buf)
	case c.As != "":
		w.call(p.idents["request "+c.As], "%s.%s(%s)", w.file, name, buf)
	default:
		w.call(w.status(p.results[c]), "%s.%s(%s)", w.file, name, buf)
		w.position(c)
	}
}

// end writes the second half of a split collective call.
func (w *goStmt) end(name string) {
	buf, status := "types.Buffer{}", "_"
	begun := w.p.completes[w.at]
	if len(begun) > 0 {
		if v := w.p.results[begun[0]]; begun[0].Want != nil {
			buf, status = w.p.resultBuffer(v), w.status(v)
		} else {
			v := w.p.kept[begun[0]]
			buf = w.p.buffer(&v.mem, v.ident)
			if v.mem.len == 0 {
				buf = w.p.buffer(&v.mem, w.p.slice(&v.mem, v.data, false))
			}
		}
	}
	w.call(status, "%s.%s(%s)", w.file, name, buf)
	if len(begun) > 0 {
		w.position(begun[0])
	}
}

// completion writes a wait or a test.
func (w *goStmt) completion() {
	p, c := w.p, w.c
	names, idents, tested := w.waits()
	brings := p.brings(w.at)
	status := "_"
	if len(brings) > 0 {
		status = w.status(brings[0])
	}
	switch {
	case c.Routine == "test":
		w.test(idents[0], status)
	case len(idents) == 1 && !tested:
		w.call(status, "%s.Wait()", idents[0])
	case tested && len(brings) > 0:
		for i, n := range names { // a request that a test has completed has no status any more
			p.open("if %s != nil {", idents[i])
			w.call(w.status(w.resultOf(n)), "%s.Wait()", idents[i])
			p.close("}")
		}
	case len(brings) == 0:
		w.call("_", "comm.WaitAll(%s)", strings.Join(idents, ", "))
	default:
		list := fmt.Sprintf("statuses%d", c.Line)
		p.line("var %s []comm.Status", list)
		w.call(list, "comm.WaitAll(%s)", strings.Join(idents, ", "))
		for i, n := range names {
			if v := w.resultOf(n); v != nil && v.status() {
				p.line("%s_status = %s[%d]", v.ident, list, i)
			}
		}
	}
	for _, begun := range p.completes[w.at] {
		if begun.Want != nil && begun.Handle != "" {
			w.position(begun)
		}
	}
}

// test writes a test; it keeps the status only if the test completes the request.
func (w *goStmt) test(ident, status string) {
	if status == "_" {
		w.call("_, "+w.number(), "%s.Test()", ident)
		return
	}
	v := w.p.results[w.c]
	flag := v.ident
	if !v.need.value {
		flag = fmt.Sprintf("done%d", w.c.Line)
		w.p.line("var %s bool", flag)
	}
	w.p.line("var status%d comm.Status", w.c.Line)
	w.call(fmt.Sprintf("status%d, %s", w.c.Line, flag), "%s.Test()", ident)
	w.p.open("if %s {", flag)
	w.p.line("%s, %s = status%d, nil", status, ident, w.c.Line)
	w.p.close("}")
}

var goOps = map[string]string{
	"sum": "Sum", "prod": "Prod", "max": "Max", "min": "Min", "land": "LAnd", "lor": "LOr", "lxor": "LXor", "band": "BAnd", "bor": "BOr", "bxor": "BXor",
}

// message writes a send, a receive or a collective call.
func (w *goStmt) message() error {
	p, c := w.p, w.c
	in := w.in
	if in == "" {
		in = "types.Buffer{}"
	}
	switch c.Routine {
	case "send":
		w.call("", "c.Send(%s, %d, %d)", w.out, c.Peer, c.Tag)
	case "ssend":
		w.call("", "c.SSend(%s, %d, %d)", w.out, c.Peer, c.Tag)
	case "isend":
		w.call(p.idents["request "+c.As], "c.ISend(%s, %d, %d)", w.out, c.Peer, c.Tag)
	case "recv":
		w.call(w.status(p.results[c]), "c.Recv(%s, %s, %s)", in, p.source(c.Peer), p.tag(c.Tag))
	case "irecv":
		w.call(p.idents["request "+c.As], "c.IRecv(%s, %s, %s)", in, p.source(c.Peer), p.tag(c.Tag))
	case "probe":
		if !p.results[c].need.value {
			w.call("_", "c.Probe(%s, %s)", p.source(c.Peer), p.tag(c.Tag))
			break
		}
		p.line("var status%d comm.Status", c.Line)
		w.call(fmt.Sprintf("status%d", c.Line), "c.Probe(%s, %s)", p.source(c.Peer), p.tag(c.Tag))
		p.line("%s = status%d.Source", p.results[c].ident, c.Line)
	case "barrier":
		w.call("", "c.Barrier()")
	case "bcast":
		w.call("", "c.Bcast(%s, %d)", w.out+w.in, c.Peer)
	case "scatter":
		if c.Want != nil {
			w.call("", "c.Scatter(types.Buffer{}, %s, %d)", in, c.Peer)
		} else {
			w.call("", "c.Scatter(%s, comm.InPlace, %d)", w.out, c.Peer)
		}
	case "gather":
		w.call("", "c.Gather(%s, %s, %d)", w.out, in, c.Peer)
	case "allgather":
		w.call("", "c.AllGather(%s, %s)", w.out, in)
	case "reduce":
		w.call("", "c.Reduce(%s, %s, comm.%s, %d)", w.out, in, goOps[c.Op], c.Peer)
	case "allreduce":
		w.call("", "c.AllReduce(%s, %s, comm.%s)", w.out, in, goOps[c.Op])
	default:
		return refuse(c.Line, "%s has no form in Go", c.Routine)
	}
	return nil
}
