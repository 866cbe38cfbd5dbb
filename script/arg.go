package script

import (
	"strconv"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// An arg is one kind of argument: how a statement's text is read into a Stmt, and how it
// is written.
type arg struct {
	what  string // how the documentation writes it
	about string // in a few words
	read  func(p *parser, s *Stmt)
	write func(s *Stmt) string
}

var (
	newHandle = &arg{
		"HANDLE",
		"a name for the open file",
		func(p *parser, s *Stmt) { s.Handle = p.name("a handle") },
		func(s *Stmt) string { return s.Handle },
	}
	handle = &arg{
		"HANDLE",
		"a name for the open file",
		func(p *parser, s *Stmt) { s.Handle = p.name("a handle"); p.opened(s.Handle) },
		func(s *Stmt) string { return s.Handle },
	}
	fileName = &arg{
		"FILE",
		"the name of the file in the store",
		func(p *parser, s *Stmt) { s.File = p.fileName() },
		func(s *Stmt) string { return s.File },
	}
	amode = &arg{
		"MODE",
		"the access mode: rdonly, rdwr or wronly, with create, excl and others, joined by |",
		func(p *parser, s *Stmt) { s.Mode = p.mode() },
		func(s *Stmt) string { return s.Mode.String() },
	}
	hints = &arg{
		"[HINT=VALUE ...]",
		"hints to the open, such as cb_nodes=2",
		func(p *parser, s *Stmt) { s.Hints = p.hints() },
		func(s *Stmt) string {
			words := make([]string, len(s.Hints))
			for i, h := range s.Hints {
				words[i] = h.Key + "=" + h.Value
			}
			return strings.Join(words, " ")
		},
	}
	offset = &arg{
		"OFFSET",
		"counts etypes of the view from its beginning",
		func(p *parser, s *Stmt) { s.Offset = p.integer("an offset in etypes") },
		func(s *Stmt) string { return strconv.FormatInt(s.Offset, 10) },
	}
	bytes = &arg{
		"BYTES",
		"counts bytes",
		func(p *parser, s *Stmt) { s.Bytes = p.integer("a size in bytes") },
		func(s *Stmt) string { return strconv.FormatInt(s.Bytes, 10) },
	}
	disp = &arg{
		"DISP",
		"the displacement: the byte of the file where the view begins",
		func(p *parser, s *Stmt) {
			if p.line.acceptWord("current") {
				s.View.Disp = iofile.DisplacementCurrent
			} else {
				s.View.Disp = p.integer("a displacement in bytes, or current")
			}
		},
		func(s *Stmt) string {
			if s.View.Disp == iofile.DisplacementCurrent {
				return "current"
			}
			return strconv.FormatInt(s.View.Disp, 10)
		},
	}
	etype = &arg{
		"ETYPE",
		"the etype: the unit in which offsets count",
		func(p *parser, s *Stmt) { s.View.Etype = p.typ() },
		func(s *Stmt) string { return s.View.Etype.String() },
	}
	filetype = &arg{
		"FILETYPE",
		"the filetype: which etypes of the file belong to the view; it repeats up to the end of the file",
		func(p *parser, s *Stmt) { s.View.Filetype = p.typ() },
		func(s *Stmt) string { return s.View.Filetype.String() },
	}
	rep = &arg{
		"REP",
		"the data representation: native, internal or external32",
		func(p *parser, s *Stmt) { s.View.Rep = p.name("a data representation") },
		func(s *Stmt) string { return s.View.Rep },
	}
	anyType = &arg{
		"TYPE",
		"a datatype",
		func(p *parser, s *Stmt) { s.Type = p.typ() },
		func(s *Stmt) string { return s.Type.String() },
	}
	whence = &arg{
		"set|cur|end",
		"where the offset counts from: the beginning, the pointer or the end of the view",
		func(p *parser, s *Stmt) { s.Whence = choose(p, "set, cur or end", whences) },
		func(s *Stmt) string { return key(whences, s.Whence) },
	}
	onOff = &arg{
		"on|off",
		"on or off",
		func(p *parser, s *Stmt) { s.On = choose(p, "on or off", switches) },
		func(s *Stmt) string { return key(switches, s.On) },
	}
	data = &arg{
		"DATA",
		"a datatype and the values of its items: int 1 2, or int 5*10 for ten of them",
		func(p *parser, s *Stmt) { s.Data = p.data() },
		func(s *Stmt) string { return s.Data.String() },
	}
	want = &arg{
		"WANT",
		"what is read or received: a datatype, and how many copies of it fit the buffer",
		func(p *parser, s *Stmt) { s.Want = p.want() },
		func(s *Stmt) string { return s.Want.String() },
	}
	amount = &arg{
		"TYPE*N",
		"how much to look at: a datatype, and how many copies of it",
		func(p *parser, s *Stmt) { s.Want = p.want() },
		func(s *Stmt) string { return s.Want.String() },
	}
	into = &arg{
		"-> NAME",
		"a name for the result, which allow lines give as RANK:NAME",
		func(p *parser, s *Stmt) { p.arrow(s) },
		func(s *Stmt) string { return "-> " + s.Into },
	}
	// collected is the result of a gather; it counts the memory for the blocks of all ranks.
	collected = &arg{
		"-> NAME",
		"a name for the result, which allow lines give as RANK:NAME",
		func(p *parser, s *Stmt) {
			p.arrow(s)
			if !p.failed() && s.Data != nil {
				p.collects(s.Data)
			}
		},
		func(s *Stmt) string { return "-> " + s.Into },
	}
	as = &arg{
		"as REQUEST",
		"a name for the request, which wait and test complete",
		func(p *parser, s *Stmt) { p.as(s) },
		func(s *Stmt) string { return "as " + s.As },
	}
	req = &arg{
		"REQUEST",
		"the name of a request that is under way",
		func(p *parser, s *Stmt) { s.Reqs = []string{p.request()} },
		func(s *Stmt) string { return s.Reqs[0] },
	}
	reqs = &arg{
		"[REQUEST ...]",
		"names of requests that are under way; none: all of them",
		func(p *parser, s *Stmt) {
			for !p.failed() && !p.line.done() {
				s.Reqs = append(s.Reqs, p.request())
			}
		},
		func(s *Stmt) string { return strings.Join(s.Reqs, " ") },
	}
	peer = &arg{
		"RANK",
		"a rank, from 0 on",
		func(p *parser, s *Stmt) { s.Peer = p.peer() },
		func(s *Stmt) string { return strconv.Itoa(s.Peer) },
	}
	root = peer
	tag  = &arg{
		"TAG",
		"the tag of the message",
		func(p *parser, s *Stmt) { s.Tag = p.small("a tag") },
		func(s *Stmt) string { return strconv.Itoa(s.Tag) },
	}
	source = &arg{
		"RANK|any",
		"the rank that sends, or any",
		func(p *parser, s *Stmt) {
			if p.line.acceptWord("any") {
				s.Peer = comm.AnySource
			} else {
				s.Peer = p.peer()
			}
		},
		func(s *Stmt) string { return orAny(s.Peer, comm.AnySource) },
	}
	anyTag = &arg{
		"TAG|any",
		"the tag of the message, or any",
		func(p *parser, s *Stmt) {
			if p.line.acceptWord("any") {
				s.Tag = comm.AnyTag
			} else {
				s.Tag = p.small("a tag or any")
			}
		},
		func(s *Stmt) string { return orAny(s.Tag, comm.AnyTag) },
	}
	reduceOp = &arg{
		"sum|prod|max|min|land|lor|lxor|band|bor|bxor",
		"the operation that combines the values",
		func(p *parser, s *Stmt) { s.Op = p.op() },
		func(s *Stmt) string { return s.Op },
	}
	dataOrWant = &arg{
		"DATA or WANT -> NAME",
		"data on the rank that gives them; elsewhere what arrives, and its name",
		func(p *parser, s *Stmt) {
			at := p.line.pos
			if p.typ(); p.line.accept("*") {
				p.line.pos = at
				s.Want = p.want()
				p.arrow(s)
				return
			}
			p.line.pos = at
			s.Data = p.data()
		},
		func(s *Stmt) string {
			if s.Want != nil {
				return s.Want.String() + " -> " + s.Into
			}
			return s.Data.String()
		},
	}
)

var (
	whences  = []named[iofile.Whence]{{"set", iofile.SeekSet}, {"cur", iofile.SeekCur}, {"end", iofile.SeekEnd}}
	switches = []named[bool]{{"on", true}, {"off", false}}
	ops      = []named[*comm.Op]{
		{"sum", comm.Sum},
		{"prod", comm.Prod},
		{"max", comm.Max},
		{"min", comm.Min},
		{"land", comm.LAnd},
		{"lor", comm.LOr},
		{"lxor", comm.LXor},
		{"band", comm.BAnd},
		{"bor", comm.BOr},
		{"bxor", comm.BXor},
	}
)

// The names that expectations of races use.
var (
	lacks = []named[consistency.Missing]{
		{string(consistency.WriterSync), consistency.WriterSync},
		{string(consistency.Order), consistency.Order},
		{string(consistency.ReaderSync), consistency.ReaderSync},
	}
	cases = []named[string]{{"CONS-C1", "CONS-C1"}, {"CONS-C2", "CONS-C2"}, {"CONS-C3", "CONS-C3"}}
)

// A named is a value and the name that scripts use for it.
type named[T comparable] struct {
	name  string
	value T
}

func choose[T comparable](p *parser, what string, from []named[T]) T {
	at := p.line.pos
	w := p.line.take(func(c byte) bool { return isWord(c) || c == '-' })
	for _, n := range from {
		if n.name == w {
			return n.value
		}
	}
	p.line.pos = at
	p.expected(what)
	var none T
	return none
}

func key[T comparable](from []named[T], v T) string {
	for _, n := range from {
		if n.value == v {
			return n.name
		}
	}
	return "?"
}

func orAny(n, wildcard int) string {
	if n == wildcard {
		return "any"
	}
	return strconv.Itoa(n)
}

// modes are the names that [iofile.Mode.String] writes.
var modes = func() []named[iofile.Mode] {
	var all []named[iofile.Mode]
	for m := iofile.Append; m <= iofile.WriteOnly; m <<= 1 {
		all = append(all, named[iofile.Mode]{m.String(), m})
	}
	return all
}()

// items is the number of basic items of one copy of t.
func items(t *types.Type) int64 { return t.Signature().Len() }
