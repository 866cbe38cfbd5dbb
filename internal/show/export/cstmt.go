package export

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/script"
)

// stmt writes one statement for the ranks of a branch.
func (p *cProgram) stmt(b branch, c *script.Stmt) error {
	return p.program.stmt(p.writer, b, c, func(s statement) error {
		w := &cStmt{p: p, statement: s}
		if err := w.buffers(); err != nil {
			return err
		}
		return w.write()
	})
}

// A cStmt is the state of writing a statement.
type cStmt struct {
	p *cProgram
	statement

	out, in string // address, count and datatype of the data sent and received
}

// call writes the call, with the check that the script asks for.
func (w *cStmt) call(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	classes, names, some := w.classes("MPI_SUCCESS")
	if !some {
		w.p.call(w.c.Line, text)
		return
	}
	w.p.uses["refused"] = true
	expected := ""
	for i, name := range names {
		if i < len(names)-1 {
			expected += fmt.Sprintf("%s ? %s : ", condition("rank", classes[name]), name)
		} else {
			expected += name
		}
	}
	w.p.wrapped(fmt.Sprintf("refused(%d, %s, ", w.c.Line, expected), text, ");")
}

// buffers declares data that are not declared yet, and sets the arguments for the call.
func (w *cStmt) buffers() error {
	p, c := w.p, w.c
	if v := p.kept[c]; v != nil {
		if err := checkType(c.Data.Type, c.Line); err != nil {
			return err
		}
		if err := small(c.Line, v.mem.count); err != nil {
			return err
		}
		text := v.text && v.mem.packed && v.mem.size == 1 && v.mem.len > 0 && v.mem.len <= 200 && p.constant(c.Routine)
		if !text && !late(c.Routine) && v.mem.len > 0 {
			p.array(v.ident, &v.mem, v.data)
		}
		w.out = p.address(v)
		if text {
			w.out = cString(string(v.data))
		}
		w.out += fmt.Sprintf(", %d, %s", v.mem.count, p.cType(c.Data.Type))
	}
	if v := p.results[c]; v != nil && v.num == "" {
		t, n := p.shape(c)
		if err := checkType(t, c.Line); err != nil {
			return err
		}
		if err := small(c.Line, n); err != nil {
			return err
		}
		w.in = fmt.Sprintf("%s, %d, %s", p.address(v), n, p.cType(t))
	}
	return nil
}

func small(line int, count int64) error {
	if int64(int32(count)) != count {
		return refuse(line, "%d copies do not fit C's int", count)
	}
	return nil
}

// constant reports whether a routine takes its data as const, and does not use them after
// it returns.
func (p *cProgram) constant(routine string) bool {
	return !late(routine) && routine != "bcast" && routine != "scatter"
}

// address returns the buffer of a variable.
func (p *cProgram) address(v *variable) string {
	switch {
	case v.mem.len == 0:
		return "NULL"
	case v.mem.origin != 0:
		return fmt.Sprintf("%s + %d", v.ident, v.mem.origin)
	}
	return v.ident
}

// status returns the argument for the status of a result.
func (w *cStmt) status(v *variable) string {
	if v == nil || !v.status() {
		return "MPI_STATUS_IGNORE"
	}
	return "&" + v.ident + "_status"
}

// position writes a query of the file pointer after a read, if a check needs it.
func (w *cStmt) position(begun *script.Stmt) {
	v := w.p.results[begun]
	if v == nil || !v.need.pos {
		return
	}
	routine := "MPI_File_get_position"
	if shared(begun.Routine) {
		routine += "_shared"
	}
	w.p.call(w.c.Line, fmt.Sprintf("%s(%s, &%s_pos)", routine, w.p.idents["handle "+begun.Handle], v.ident))
}

func (w *cStmt) write() error {
	p, c := w.p, w.c
	switch c.Routine {
	case "open":
		over := "MPI_COMM_WORLD"
		if c.Self {
			over = "MPI_COMM_SELF"
		}
		info := "MPI_INFO_NULL"
		if len(c.Hints) > 0 {
			info = "hints_of_open"
			p.open("{")
			p.line("MPI_Info hints_of_open;")
			p.line("MPI_Info_create(&hints_of_open);")
			for _, h := range c.Hints {
				if _, ok := h.Match(); ok {
					return refuse(c.Line, "a C program cannot choose a matching policy: leave match=%s out, and run the program with commworldrun --match %[1]s", h.Value)
				}
				if h.Typed() {
					return refuse(c.Line, "a C program cannot ask for the types that data was written with: leave types=written out")
				}
				p.line("MPI_Info_set(hints_of_open, %q, %q);", h.Key, h.Value)
			}
		}
		w.call("MPI_File_open(%s, %s, %s, %s, &%s)", over, cPath(c.File), p.mode(c.Mode), info, w.file)
		if len(c.Hints) > 0 {
			p.line("MPI_Info_free(&hints_of_open);")
			p.close("}")
		}
	case "close":
		w.call("MPI_File_close(&%s)", w.file)
	case "delete":
		w.call("MPI_File_delete(%s, MPI_INFO_NULL)", cPath(c.File))
	case "view":
		return w.view()
	case "seek", "seek_shared":
		w.call("MPI_File_%s(%s, %d, %s)", c.Routine, w.file, c.Offset, cWhences[c.Whence])
	case "set_size", "preallocate":
		w.call("MPI_File_%s(%s, %d)", c.Routine, w.file, c.Bytes)
	case "sync":
		w.call("MPI_File_sync(%s)", w.file)
	case "atomic":
		on := 0
		if c.On {
			on = 1
		}
		w.call("MPI_File_set_atomicity(%s, %d)", w.file, on)
	case "get_size", "get_position", "get_position_shared":
		w.call("MPI_File_%s(%s, &%s)", c.Routine, w.file, p.results[c].ident)
	case "get_byte_offset":
		w.call("MPI_File_get_byte_offset(%s, %d, &%s)", w.file, c.Offset, p.results[c].ident)
	case "type_extent":
		if err := checkType(c.Type, c.Line); err != nil {
			return err
		}
		w.call("MPI_File_get_type_extent(%s, %s, &%s)", w.file, p.cType(c.Type), p.results[c].ident)
	case "look": // no call: only this module can answer it
	case "wait", "waitall", "test":
		return w.completion()
	default:
		if c.Handle != "" {
			return w.access()
		}
		return w.message()
	}
	return nil
}

var cWhences = map[iofile.Whence]string{iofile.SeekSet: "MPI_SEEK_SET", iofile.SeekCur: "MPI_SEEK_CUR", iofile.SeekEnd: "MPI_SEEK_END"}

func (w *cStmt) view() error {
	v := w.c.View
	for _, t := range []error{checkType(v.Etype, w.c.Line), checkType(v.Filetype, w.c.Line)} {
		if t != nil {
			return t
		}
	}
	disp := decimal(v.Disp)
	if v.Disp == iofile.DisplacementCurrent {
		disp = "MPI_DISPLACEMENT_CURRENT"
	}
	w.call("MPI_File_set_view(%s, %s, %s, %s, %s, MPI_INFO_NULL)", w.file, disp, w.p.cType(v.Etype), w.p.cType(v.Filetype), cString(v.Rep))
	return nil
}

// access writes a read or write of a file.
func (w *cStmt) access() error {
	p, c := w.p, w.c
	buf := w.out
	if c.Want != nil {
		buf = w.in
	}
	offset := ""
	if strings.Contains(c.Routine, "_at") {
		offset = fmt.Sprintf(", %d", c.Offset)
	}
	switch {
	case strings.HasSuffix(c.Routine, "_end"):
		return w.end()
	case strings.HasSuffix(c.Routine, "_begin"):
		w.call("MPI_File_%s(%s%s, %s)", c.Routine, w.file, offset, buf)
	case c.As != "":
		w.call("MPI_File_%s(%s%s, %s, &%s)", c.Routine, w.file, offset, buf, p.idents["request "+c.As])
	default:
		w.call("MPI_File_%s(%s%s, %s, %s)", c.Routine, w.file, offset, buf, w.status(p.results[c]))
		w.position(c)
	}
	return nil
}

// end writes the second half of a split collective call.
func (w *cStmt) end() error {
	p, c := w.p, w.c
	buf, status := "NULL", "MPI_STATUS_IGNORE"
	begun := p.completes[w.at]
	if len(begun) > 0 {
		buf = p.splitBuffer(begun[0])
		if begun[0].Want != nil {
			status = w.status(p.results[begun[0]])
		}
	}
	w.call("MPI_File_%s(%s, %s, %s)", c.Routine, w.file, buf, status)
	if len(begun) > 0 {
		w.position(begun[0])
	}
	return nil
}

// splitBuffer returns the buffer of a split access.
func (p *cProgram) splitBuffer(begun *script.Stmt) string {
	if begun.Want != nil {
		return p.address(p.results[begun])
	}
	return p.address(p.kept[begun])
}

// completion writes a wait or a test.
func (w *cStmt) completion() error {
	p, c := w.p, w.c
	names, idents, tested := w.waits()
	brings := p.brings(w.at)
	switch {
	case c.Routine == "test":
		w.call("MPI_Test(&%s, &%s, %s)", idents[0], p.results[c].ident, w.one(brings))
	case len(idents) == 0:
		p.line("/* line %d: waitall, and nothing is under way */", c.Line)
	case len(idents) > 1 || tested && len(brings) > 0:
		w.waitall(names, idents, brings, tested)
	default:
		w.call("MPI_Wait(&%s, %s)", idents[0], w.one(brings))
	}
	for _, begun := range p.completes[w.at] {
		if begun.Want != nil && begun.Handle != "" {
			w.position(begun)
		}
	}
	return nil
}

// one returns the status of the single result that a call completes.
func (w *cStmt) one(brings []*variable) string {
	if len(brings) == 0 {
		return "MPI_STATUS_IGNORE"
	}
	return w.status(brings[0])
}

// waitall waits for several requests.
func (w *cStmt) waitall(names, idents []string, brings []*variable, tested bool) {
	p, c := w.p, w.c
	if tested && len(brings) > 0 { // a request that a test has completed has no status any more
		for i, n := range names {
			v := w.resultOf(n)
			p.open("if (%s != MPI_REQUEST_NULL) {", idents[i])
			w.call("MPI_Wait(&%s, %s)", idents[i], w.status(v))
			p.close("}")
		}
		return
	}
	list := fmt.Sprintf("pending%d", c.Line)
	p.line("MPI_Request %s[] = {%s};", list, strings.Join(idents, ", "))
	statuses := fmt.Sprintf("status%d", c.Line) // with MPI_STATUSES_IGNORE, gcc warns about MPICH's header
	p.line("MPI_Status %s[%d];", statuses, len(idents))
	w.call("MPI_Waitall(%d, %s, %s)", len(idents), list, statuses)
	for i, n := range names {
		p.line("%s = MPI_REQUEST_NULL;", idents[i])
		if v := w.resultOf(n); v != nil && v.status() {
			p.line("%s_status = %s[%d];", v.ident, statuses, i)
		}
	}
}

// message writes a send, a receive or a collective call.
func (w *cStmt) message() error {
	p, c := w.p, w.c
	switch c.Routine {
	case "send", "ssend":
		w.call("MPI_%s(%s, %d, %d, MPI_COMM_WORLD)", title(c.Routine), w.out, c.Peer, c.Tag)
	case "isend":
		w.call("MPI_Isend(%s, %d, %d, MPI_COMM_WORLD, &%s)", w.out, c.Peer, c.Tag, p.idents["request "+c.As])
	case "recv":
		w.call("MPI_Recv(%s, %s, %s, MPI_COMM_WORLD, %s)", w.in, p.source(c.Peer), p.tag(c.Tag), w.status(p.results[c]))
	case "irecv":
		w.call("MPI_Irecv(%s, %s, %s, MPI_COMM_WORLD, &%s)", w.in, p.source(c.Peer), p.tag(c.Tag), p.idents["request "+c.As])
	case "probe":
		v := p.results[c]
		if !v.need.value {
			w.call("MPI_Probe(%s, %s, MPI_COMM_WORLD, MPI_STATUS_IGNORE)", p.source(c.Peer), p.tag(c.Tag))
			break
		}
		p.line("MPI_Status status%d;", c.Line)
		w.call("MPI_Probe(%s, %s, MPI_COMM_WORLD, &status%d)", p.source(c.Peer), p.tag(c.Tag), c.Line)
		p.line("%s = status%d.MPI_SOURCE;", v.ident, c.Line)
	case "barrier":
		w.call("MPI_Barrier(MPI_COMM_WORLD)")
	case "bcast":
		w.call("MPI_Bcast(%s, %d, MPI_COMM_WORLD)", w.out+w.in, c.Peer)
	case "scatter":
		return w.scatter()
	case "gather":
		w.call("MPI_Gather(%s, %s, %d, MPI_COMM_WORLD)", w.out, w.block(), c.Peer)
	case "allgather":
		w.call("MPI_Allgather(%s, %s, MPI_COMM_WORLD)", w.out, w.block())
	case "reduce", "allreduce":
		w.reduce()
	default:
		return refuse(c.Line, "%s has no form in C", c.Routine)
	}
	return nil
}

// block returns the arguments for a buffer with the blocks of all ranks: address, items
// of one block, type.
func (w *cStmt) block() string {
	return fmt.Sprintf("%s, %d, %s", w.p.address(w.p.results[w.c]), w.c.Data.Count(), w.p.cType(w.c.Data.Type))
}

func (w *cStmt) reduce() {
	p, c := w.p, w.c
	v := p.kept[c]
	rest := fmt.Sprintf("%s, %s, %d, %s, MPI_%s", p.address(v), p.address(p.results[c]), v.mem.count, p.cType(c.Data.Type), strings.ToUpper(c.Op))
	if c.Routine == "allreduce" {
		w.call("MPI_Allreduce(%s, MPI_COMM_WORLD)", rest)
		return
	}
	w.call("MPI_Reduce(%s, %d, MPI_COMM_WORLD)", rest, c.Peer)
}

func (w *cStmt) scatter() error {
	p, c := w.p, w.c
	if c.Want != nil {
		w.call("MPI_Scatter(NULL, 0, MPI_BYTE, %s, %d, MPI_COMM_WORLD)", w.in, c.Peer)
		return nil
	}
	n, ranks := c.Data.Count(), int64(p.s.Ranks)
	if n%ranks != 0 {
		return refuse(c.Line, "%d copies are no whole number of blocks for %d ranks", n, ranks)
	}
	w.call("MPI_Scatter(%s, %d, %s, MPI_IN_PLACE, 0, MPI_BYTE, %d, MPI_COMM_WORLD)", p.address(p.kept[c]), n/ranks, p.cType(c.Data.Type), c.Peer)
	return nil
}

// title returns the name of a routine as MPI capitalizes it.
func title(routine string) string { return strings.ToUpper(routine[:1]) + routine[1:] }
