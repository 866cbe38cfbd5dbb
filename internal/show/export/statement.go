package export

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

// A dialect is what C and Go programs do differently: the text of a call, and the few calls
// that the two interfaces of MPI shape differently.
type dialect interface {
	buffers(*statement) error // declares the statement's data and sets its out and in
	datatype(t *types.Type, line int) (string, error)
	splitBuffer(begun *script.Stmt) string

	invoke(*statement, invocation)
	openFile(*statement) error
	deleteFile(*statement)
	setView(s *statement, etype, filetype string)
	test(s *statement, request, status string)
	waitAll(s *statement, requests []string, results []*variable)
}

// An invocation is a call of MPI, before a dialect gives it its form.
type invocation struct {
	object  string   // file or request; empty: the communicator
	routine string   // by its MPI name, without MPI_ or MPI_File_
	offset  string   // of an access; empty: none
	args    []string // other arguments
	result  string   // variable for status, number or request; empty: none
	checks  bool     // the call is only for a check: the script has no line for it
}

// A statement is a statement for ranks on which it completes the same calls.
type statement struct {
	*program
	w    *writer
	d    dialect
	b    branch
	c    *script.Stmt
	at   call // of the first rank; the calls of the other ranks are the same
	file string

	out, in string // buffers of the data sent and received
}

// stmt writes one statement for the ranks of a branch.
func (p *program) stmt(w *writer, d dialect, b branch, c *script.Stmt) error {
	if p.unopened[c] {
		return nil
	}
	groups := p.groups(b, c)
	for i, ranks := range groups {
		part := b
		if len(groups) > 1 {
			part = branch{ranks: ranks}
			w.openIf(ranks, i > 0)
		}
		s := &statement{program: p, w: w, d: d, b: part, c: c, at: call{ranks[0], c}, file: p.idents["handle "+c.Handle]}
		if err := d.buffers(s); err != nil {
			return err
		}
		if err := s.write(); err != nil {
			return err
		}
	}
	if len(groups) > 1 {
		w.close("}")
	}
	return nil
}

func (s *statement) write() error {
	c := s.c
	switch c.Routine {
	case "open":
		return s.d.openFile(s)
	case "delete":
		s.d.deleteFile(s)
	case "view":
		return s.view()
	case "seek", "seek_shared":
		s.onFile(c.Routine, "", decimal(c.Offset), s.w.whences[c.Whence])
	case "set_size", "preallocate":
		s.onFile(c.Routine, "", decimal(c.Bytes))
	case "close", "sync":
		s.onFile(c.Routine, "")
	case "atomic":
		s.onFile("set_atomicity", "", s.w.bools[c.On])
	case "get_size", "get_position", "get_position_shared":
		s.onFile(c.Routine, s.number())
	case "get_byte_offset":
		s.onFile(c.Routine, s.number(), decimal(c.Offset))
	case "type_extent":
		t, err := s.d.datatype(c.Type, c.Line)
		if err != nil {
			return err
		}
		s.onFile("get_type_extent", s.number(), t)
	case "look": // no call: only this module can answer it
	case "wait", "waitall", "test":
		s.completion()
	default:
		if c.Handle == "" {
			return s.message()
		}
		s.access()
	}
	return nil
}

// onFile writes a call on the statement's file.
func (s *statement) onFile(routine, result string, args ...string) {
	s.d.invoke(s, invocation{object: s.file, routine: routine, args: args, result: result})
}

func (s *statement) view() error {
	etype, err := s.d.datatype(s.c.View.Etype, s.c.Line)
	if err != nil {
		return err
	}
	filetype, err := s.d.datatype(s.c.View.Filetype, s.c.Line)
	if err == nil {
		s.d.setView(s, etype, filetype)
	}
	return err
}

// access writes a read or write of a file.
func (s *statement) access() {
	c := s.c
	i := invocation{object: s.file, routine: c.Routine, args: []string{s.out}}
	if c.Want != nil {
		i.args[0] = s.in
	}
	if strings.Contains(c.Routine, "_at") {
		i.offset = decimal(c.Offset)
	}
	pointer := c // the access that moves the file pointer
	switch {
	case strings.HasSuffix(c.Routine, "_end"):
		pointer, i.result = nil, s.w.ignored
		if begun := s.completes[s.at]; len(begun) > 0 {
			pointer = begun[0]
		}
		i.offset, i.args[0] = "", s.d.splitBuffer(pointer)
		if pointer != nil && pointer.Want != nil {
			i.result = s.status(s.results[pointer])
		}
	case strings.HasSuffix(c.Routine, "_begin"):
		pointer = nil
	case c.As != "":
		pointer, i.result = nil, s.request()
	default:
		i.result = s.status(s.results[c])
	}
	s.d.invoke(s, i)
	s.position(pointer)
}

// position writes a query of the file pointer after a read, if a check needs it.
func (s *statement) position(begun *script.Stmt) {
	v := s.results[begun]
	if v == nil || !v.need.pos {
		return
	}
	routine := "get_position"
	if shared(begun.Routine) {
		routine += "_shared"
	}
	s.d.invoke(s, invocation{
		object: s.idents["handle "+begun.Handle], routine: routine, result: fmt.Sprintf(s.w.ref, v.ident+"_pos"), checks: true,
	})
}

// completion writes a wait or a test.
func (s *statement) completion() {
	names, requests, tested := s.waits()
	brings := s.brings(s.at)
	results := make([]*variable, len(names))
	for i, n := range names {
		results[i] = s.resultOf(n)
	}
	status := s.w.ignored
	if len(brings) > 0 {
		status = s.status(brings[0])
	}
	switch {
	case s.c.Routine == "test":
		s.d.test(s, requests[0], status)
	case tested && len(brings) > 0:
		for i, request := range requests { // a request that a test has completed has no status any more
			s.w.open(s.w.pending, request)
			s.d.invoke(s, invocation{object: request, routine: "wait", result: s.status(results[i])})
			s.w.close("}")
		}
	case len(requests) == 1 && (!tested || s.w.waitsNone):
		s.d.invoke(s, invocation{object: requests[0], routine: "wait", result: status})
	default:
		s.d.waitAll(s, requests, results)
	}
	for _, begun := range s.completes[s.at] {
		if begun.Want != nil && begun.Handle != "" {
			s.position(begun)
		}
	}
}

// message writes a send, a receive or a collective call.
func (s *statement) message() error {
	c, w := s.c, s.w
	none, root := w.noBuffer, strconv.Itoa(c.Peer)
	args, result := []string(nil), ""
	switch c.Routine {
	case "send", "ssend":
		args = []string{s.out, root, strconv.Itoa(c.Tag)}
	case "isend":
		args, result = []string{s.out, root, strconv.Itoa(c.Tag)}, s.request()
	case "recv":
		args, result = []string{cmp.Or(s.in, none), w.source(c.Peer), w.tag(c.Tag)}, s.status(s.results[c])
	case "irecv":
		args, result = []string{cmp.Or(s.in, none), w.source(c.Peer), w.tag(c.Tag)}, s.request()
	case "probe":
		s.probe()
		return nil
	case "barrier":
	case "bcast":
		args = []string{s.out + s.in, root}
	case "scatter":
		args = []string{s.out, w.inPlace, root}
		if c.Want != nil {
			args = []string{none, cmp.Or(s.in, none), root}
		}
	case "gather":
		args = []string{s.out, cmp.Or(s.in, none), root}
	case "allgather":
		args = []string{s.out, cmp.Or(s.in, none)}
	case "reduce":
		args = []string{s.out, cmp.Or(s.in, none), w.op(c.Op), root}
	case "allreduce":
		args = []string{s.out, cmp.Or(s.in, none), w.op(c.Op)}
	default:
		return refuse(c.Line, "%s has no form in %s", c.Routine, w.name)
	}
	s.d.invoke(s, invocation{routine: c.Routine, args: args, result: result})
	return nil
}

// probe writes a probe, which keeps the source of the message if a check needs it.
func (s *statement) probe() {
	v, status := s.results[s.c], fmt.Sprintf("status%d", s.c.Line)
	i := invocation{routine: "probe", args: []string{s.w.source(s.c.Peer), s.w.tag(s.c.Tag)}, result: s.w.ignored}
	if v.need.value {
		s.w.line(s.w.declareStatus, status)
		i.result = fmt.Sprintf(s.w.ref, status)
	}
	s.d.invoke(s, i)
	if v.need.value {
		s.w.line(s.w.sourceOf, v.ident, status)
	}
}

// request returns the argument or result for the request that the statement begins.
func (s *statement) request() string { return fmt.Sprintf(s.w.ref, s.idents["request "+s.c.As]) }

// status returns the argument or variable for the status of a result.
func (s *statement) status(v *variable) string {
	if v == nil || !v.status() {
		return s.w.ignored
	}
	return fmt.Sprintf(s.w.ref, v.ident+"_status")
}

// number returns the argument or variable for the number that the statement returns.
func (s *statement) number() string {
	v := s.results[s.c]
	if s.w.unused != "" && !v.need.value {
		return s.w.unused
	}
	return fmt.Sprintf(s.w.ref, v.ident)
}

// classes returns the ranks by the name of the error class that the script expects of their
// call. Calls without one have the name success; some says that there are others. names are
// in the order in which a program tries them.
func (s *statement) classes(success string) (ranks map[string][]int, names []string, some bool) {
	ranks = map[string][]int{}
	for _, r := range s.ranksOf(s.b) {
		name := success
		if class, ok := s.failure(r, s.c); ok {
			name, some = class.Name(), true
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		ranks[name] = append(ranks[name], r)
	}
	slices.Sort(names)
	sort.SliceStable(names, func(i, j int) bool { return len(ranks[names[i]]) < len(ranks[names[j]]) })
	return ranks, names, some
}

// waits returns the requests that the call completes, by the names of the script and of the
// program, and whether a test may have completed one of them before.
func (s *statement) waits() (names, idents []string, tested bool) {
	names = s.names[s.at]
	for _, n := range names {
		idents = append(idents, s.idents["request "+n])
		tested = tested || s.tested[n]
	}
	return names, idents, tested
}

// resultOf returns the result of the access or message that a request represents.
func (s *statement) resultOf(request string) *variable {
	for _, begun := range s.completes[s.at] {
		if begun.As == request && begun.Want != nil {
			return s.results[begun]
		}
	}
	return nil
}
