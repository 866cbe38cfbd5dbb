package export

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

func (p *cProgram) invoke(s *statement, i invocation) {
	name, args := "MPI_"+title(i.routine), i.args
	switch {
	case i.object == "":
		args = append(args, "MPI_COMM_WORLD")
	case i.routine == "wait" || i.routine == "test":
		args = append([]string{"&" + i.object}, args...)
	default:
		name = "MPI_File_" + i.routine
		first := []string{i.object}
		if i.routine == "close" {
			first[0] = "&" + i.object
		}
		if i.offset != "" {
			first = append(first, i.offset)
		}
		args = append(first, args...)
	}
	if i.result != "" {
		args = append(args, i.result)
	}
	text := fmt.Sprintf("%s(%s)", name, strings.Join(args, ", "))
	if i.checks {
		p.call(s.c.Line, text)
		return
	}
	p.checked(s, text)
}

// checked writes a call with the check that the script asks for.
func (p *cProgram) checked(s *statement, text string) {
	classes, names, some := s.classes("MPI_SUCCESS")
	if !some {
		p.call(s.c.Line, text)
		return
	}
	p.uses["refused"] = true
	expected := ""
	for i, name := range names {
		if i < len(names)-1 {
			expected += fmt.Sprintf("%s ? %s : ", condition("rank", classes[name]), name)
		} else {
			expected += name
		}
	}
	p.wrapped(fmt.Sprintf("refused(%d, %s, ", s.c.Line, expected), text, ");")
}

func (p *cProgram) buffers(s *statement) error {
	c := s.c
	if v := p.kept[c]; v != nil {
		t, err := p.datatype(c.Data.Type, c.Line)
		if err != nil {
			return err
		}
		if err := small(c.Line, v.mem.count); err != nil {
			return err
		}
		text := v.text && v.mem.packed && v.mem.size == 1 && v.mem.len > 0 && v.mem.len <= 200 && p.constant(c.Routine)
		if !text && !late(c.Routine) && v.mem.len > 0 {
			p.array(v.ident, &v.mem, v.data)
		}
		s.out = p.address(v)
		if text {
			s.out = cString(string(v.data))
		}
		n, ranks := v.mem.count, int64(p.s.Ranks)
		if c.Routine == "scatter" {
			if n%ranks != 0 {
				return refuse(c.Line, "%d copies are not a whole number of blocks for %d ranks", n, ranks)
			}
			n /= ranks
		}
		if c.Op == "" { // a reduction has one count and type for both buffers
			s.out += fmt.Sprintf(", %d, %s", n, t)
		}
	}
	if v := p.results[c]; v != nil && v.num == "" {
		shape, n := p.shape(c)
		t, err := p.datatype(shape, c.Line)
		if err != nil {
			return err
		}
		if err := small(c.Line, n); err != nil {
			return err
		}
		if c.Data != nil {
			n = c.Data.Count() // of one block, in a gather
		}
		s.in = fmt.Sprintf("%s, %d, %s", p.address(v), n, t)
	}
	return nil
}

func (p *cProgram) datatype(t *types.Type, line int) (string, error) {
	return p.cType(t), checkType(t, line)
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

// splitBuffer returns the buffer of a split access.
func (p *cProgram) splitBuffer(begun *script.Stmt) string {
	switch {
	case begun == nil:
		return "NULL"
	case begun.Want != nil:
		return p.address(p.results[begun])
	}
	return p.address(p.kept[begun])
}

func (p *cProgram) openFile(s *statement) error {
	c, over, info := s.c, "MPI_COMM_WORLD", "MPI_INFO_NULL"
	if c.Self {
		over = "MPI_COMM_SELF"
	}
	if len(c.Hints) > 0 {
		info = "hints_of_open"
		p.open("{")
		p.line("MPI_Info hints_of_open;")
		p.line("MPI_Info_create(&hints_of_open);")
	}
	for _, h := range c.Hints {
		if _, ok := h.Match(); ok {
			return refuse(c.Line, "a C program cannot choose a matching policy: leave match=%s out, and run the program with commworldrun --match %[1]s", h.Value)
		}
		p.line("MPI_Info_set(hints_of_open, %q, %q);", h.Key, h.Value)
	}
	p.checked(s, fmt.Sprintf("MPI_File_open(%s, %s, %s, %s, &%s)", over, cPath(c.File), p.mode(c.Mode), info, s.file))
	if len(c.Hints) > 0 {
		p.line("MPI_Info_free(&hints_of_open);")
		p.close("}")
	}
	return nil
}

func (p *cProgram) deleteFile(s *statement) {
	p.checked(s, fmt.Sprintf("MPI_File_delete(%s, MPI_INFO_NULL)", cPath(s.c.File)))
}

func (p *cProgram) setView(s *statement, etype, filetype string) {
	disp := decimal(s.c.View.Disp)
	if s.c.View.Disp == iofile.DisplacementCurrent {
		disp = "MPI_DISPLACEMENT_CURRENT"
	}
	s.onFile("set_view", "", disp, etype, filetype, cString(s.c.View.Rep), "MPI_INFO_NULL")
}

func (p *cProgram) test(s *statement, request, status string) {
	p.invoke(s, invocation{object: request, routine: "test", args: []string{s.number()}, result: status})
}

func (p *cProgram) waitAll(s *statement, requests []string, results []*variable) {
	if len(requests) == 0 {
		p.line("/* line %d: waitall, and nothing is under way */", s.c.Line)
		return
	}
	list := fmt.Sprintf("pending%d", s.c.Line)
	p.line("MPI_Request %s[] = {%s};", list, strings.Join(requests, ", "))
	statuses := fmt.Sprintf("status%d", s.c.Line) // with MPI_STATUSES_IGNORE, gcc warns about MPICH's header
	p.line("MPI_Status %s[%d];", statuses, len(requests))
	p.checked(s, fmt.Sprintf("MPI_Waitall(%d, %s, %s)", len(requests), list, statuses))
	for i, v := range results {
		p.line("%s = MPI_REQUEST_NULL;", requests[i])
		if v != nil && v.status() {
			p.line("%s_status = %s[%d];", v.ident, statuses, i)
		}
	}
}

// title returns the name of a routine as MPI capitalizes it.
func title(routine string) string { return strings.ToUpper(routine[:1]) + routine[1:] }
