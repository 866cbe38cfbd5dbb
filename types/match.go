package types

import (
	"fmt"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/internal/callsite"
)

// A Policy says which datatypes may be used in an access through a view.
type Policy uint8

// The policies (IO-TM-S1, IO-TM-S2, IO-TM-S3, IO-TM-04).
const (
	MatchFinal     Policy = iota // the standard: the datatype is a whole number of etypes; etype BYTE accepts all datatypes
	MatchSource000               // the proposal before it: one etype or more, BYTE is a type like others
	MatchSize                    // what common libraries check: sizes only
	MatchWritten                 // MatchFinal, and files check that data is read with the etype that it was written with
)

// String returns the name of p.
func (p Policy) String() string {
	switch p {
	case MatchFinal:
		return "final"
	case MatchSource000:
		return "source000"
	case MatchSize:
		return "size"
	case MatchWritten:
		return "written"
	}
	return "?"
}

// ParsePolicy returns the policy that [Policy.String] calls name: final, source000, size or
// written.
// Errors: ErrArg.
func ParsePolicy(name string) (Policy, error) {
	for p := MatchFinal; p <= MatchWritten; p++ {
		if p.String() == name {
			return p, nil
		}
	}
	return 0, fault("ParsePolicy", ErrArg, "IO-TM-S1", "no matching policy %.40q; use final, source000, size or written", name)
}

// MatchAccess returns nil if count of datatype may be read or written through a view of
// etype under policy p, and otherwise an error that shows both signatures and their first
// difference. Under MatchSize, and for PACKED, sizes are those of s.
func MatchAccess(p Policy, etype, datatype *Type, count int64, s Sizes) error {
	if err := etype.Err(); err != nil {
		return err
	}
	if err := datatype.Err(); err != nil {
		return err
	}
	if p == MatchSize {
		return matchSizes(etype, datatype, count, s, "IO-TM-S3")
	}
	if p == MatchWritten { // what the file contains is not known here
		p = MatchFinal
	}
	if etype == datatype && p == MatchFinal {
		return nil
	}
	e, d := etype.Signature(), datatype.Signature()
	if p == MatchFinal {
		switch {
		case e.isOne(KindByte):
			return nil
		case d.isAll(KindPacked) && !e.isAll(KindPacked):
			return matchSizes(etype, datatype, count, s, "IO-TM-08")
		}
	}
	n, ok := d.Repeats(e)
	if ok && (n > 0 || p == MatchFinal) {
		return nil
	}
	return accessMismatch(p, etype, datatype)
}

func (s Signature) isOne(k Kind) bool { return s.isAll(k) && s.nd.len == 1 }

func (s Signature) isAll(k Kind) bool { return s.nd != nil && s.nd.isRun() && s.nd.atom == atom(k) }

func matchSizes(etype, datatype *Type, count int64, s Sizes, rule string) error {
	var c calc
	size, total := etype.Size(s), c.mul(count, datatype.Size(s))
	if !c.over && (total == 0 || (size > 0 && total%size == 0)) {
		return nil
	}
	class := ErrIO
	if rule == "IO-TM-08" {
		class = ErrType
	}
	return fault("Match", class, rule, "%d of %s are %d bytes, not a multiple of the etype's %d (%s)",
		count, datatype, total, size, etype)
}

func accessMismatch(p Policy, etype, datatype *Type) error {
	rule := "IO-TM-03"
	switch d := datatype.Signature(); {
	case p == MatchSource000:
		rule = "IO-TM-S2"
	case d.isAll(KindByte):
		rule = "IO-TM-06"
	}
	return &Error{Pkg: "types", Op: "Match", Rank: errclass.NoRank, Class: ErrType, Rule: rule, Place: errclass.PlaceOf(callsite.Program()), Err: &Mismatch{Etype: etype, Datatype: datatype}}
}

// A Mismatch is the cause of an error of [MatchAccess]: Datatype is not a whole number of
// Etype. Verb is "write" or "read", the direction of the access; without it the text names
// no direction.
type Mismatch struct {
	Etype, Datatype *Type
	Verb            string
}

// Error returns what does not match, and how to change the access or the view.
func (m *Mismatch) Error() string {
	head := brief.Sprintf("datatype %s through a view whose etype is %s", m.Datatype, m.Etype)
	use := "use"
	switch m.Verb {
	case "":
	case "read":
		head, use = brief.Sprintf("you read %s through a view whose etype is %s", m.Datatype, m.Etype), "read into"
	default:
		head, use = brief.Sprintf("you %s %s through a view whose etype is %s", m.Verb, m.Datatype, m.Etype), m.Verb
	}
	d, e := m.Datatype.Signature(), m.Etype.Signature()
	have, plain := d.only()
	want, single := e.only()
	slice := goSlice(want)
	if k, ok := e.Repeats(d); ok && k > 1 {
		return head + brief.Sprintf(": the datatype has to be a whole number of etypes, however many copies of it there are, and one %s is less than one; "+
			"describe the memory by the view's etype: types.Of(x).As(etype)", m.Datatype)
	}
	if !plain || !single || e.Len() != 1 || slice == "" {
		return head + ": it is not a whole number of etypes: " + difference("datatype", "etypes", d, e)
	}
	set := fmt.Sprintf("set Etype: %#v", named[have])
	switch {
	case have == KindByte:
		return fmt.Sprintf("%s; BYTE as a datatype matches etype BYTE only: %s %s, or %s", head, use, slice, set)
	case d.alike(e):
		return fmt.Sprintf("%s; to MPI %s and %s are different types, though both have %d bytes: %s, or describe the memory with types.Of(x).As(%#v)",
			head, have, want, have.info().size, set, named[want])
	}
	return fmt.Sprintf("%s; %s %s, or %s", head, use, slice, set)
}

// only returns the kind of all items of s, if all have one plain kind.
func (s Signature) only() (Kind, bool) {
	if s.nd == nil || !s.nd.isRun() {
		return KindNone, false
	}
	k := s.nd.atom.kind()
	return k, s.nd.atom == atom(k)
}

// goSlice returns the Go slice type, as source, whose memory has kind k; "" if there is
// none.
func goSlice(k Kind) string {
	info := k.info()
	for _, g := range simple {
		if own := g.typ.Kind(); own == k {
			return "[]" + g.name
		}
	}
	for _, g := range simple {
		if own := g.typ.Kind().info(); own.family == info.family && own.size == info.size && info.family != FamilyOpaque {
			return fmt.Sprintf("types.Of([]%s).As(%#v)", g.name, named[k])
		}
	}
	return ""
}

// alike reports whether s and o are two single kinds that a machine stores alike under
// different names, such as INT and INT32_T.
func (s Signature) alike(o Signature) bool {
	if s.nd == nil || o.nd == nil || !s.nd.isRun() || !o.nd.isRun() {
		return false
	}
	a, b := s.nd.atom.kind().info(), o.nd.atom.kind().info()
	return a.family == b.family && a.size == b.size
}

// difference returns the text that says where d differs from a repetition of e.
func difference(dName, eName string, d, e Signature) string {
	head := fmt.Sprintf("signature [%s] against [%s]", d, e)
	switch {
	case d.Len() == 0:
		return head + ", the " + dName + " has no items"
	case e.Len() == 0:
		return head + ", the " + eName + " has no items"
	}
	n := (d.Len()-1)/e.Len() + 1
	at, differ := d.Difference(e.Repeat(n))
	if !differ || at >= d.Len() {
		return fmt.Sprintf("%s, the %s ends after %d items, inside one of the %s", head, dName, d.Len(), eName)
	}
	return fmt.Sprintf("%s, first difference at item %d: %s against %s",
		head, at, d.atomAt(at), e.atomAt(at%e.Len()))
}

// MatchMessage returns nil if n of sent may be received as m of recv: the sent items must
// equal the first of the received ones, name by name (P2P-MATCH-02, P2P-MATCH-03); PACKED
// on either side matches anything of no more bytes under s (P2P-MATCH-07). A message that
// matches but is longer than the receive is ErrTruncate, any other difference ErrType
// (P2P-MATCH-10). Common types are compared without allocation.
func MatchMessage(sent *Type, n int64, recv *Type, m int64, s Sizes) error {
	if sent == recv && n <= m && sent.Err() == nil {
		return nil
	}
	if err := sent.Err(); err != nil {
		return err
	}
	if err := recv.Err(); err != nil {
		return err
	}
	a, b := sent.Signature(), recv.Signature()
	if a.nd == nil || n == 0 {
		return nil
	}
	if a.isAll(KindPacked) != b.isAll(KindPacked) {
		if have, room := sent.Size(s)*n, recv.Size(s)*m; have > room {
			return truncated(fmt.Sprintf("%d bytes for room of %d", have, room))
		}
		return nil
	}
	if b.nd != nil && a.nd.isRun() && b.nd.isRun() && a.nd.atom == b.nd.atom && a.nd.len*n <= b.nd.len*m {
		return nil
	}
	return matchLong(a.Repeat(n), b.Repeat(m))
}

func truncated(what string) error {
	return fault("Match", ErrTruncate, "P2P-MATCH-03", "the message is longer than the receive: %s", what)
}

func matchLong(a, b Signature) error {
	if a.Prefix(b) {
		return nil
	}
	at, _ := a.Difference(b)
	if at >= b.Len() {
		return truncated(fmt.Sprintf("%d items [%s] for room of %d", a.Len(), a, b.Len()))
	}
	rule, advice := "P2P-MATCH-02", ""
	if x, y := a.At(at), b.At(at); (x == KindByte) != (y == KindByte) {
		rule, advice = "P2P-MATCH-06", "; BYTE matches BYTE only"
	}
	return fault("Match", ErrType, rule, "sent [%s], received as [%s], first difference at item %d: %s against %s%s",
		a, b, at, a.atomAt(at), b.atomAt(at), advice)
}

// A TypeClass is one of the classes of [BySize]; its values are those of the ABI
// of MPI-5.0.
//
// MPI_TYPECLASS_INTEGER
type TypeClass int

// The classes of numeric types.
const (
	ClassInteger TypeClass = iota + 192
	ClassReal
	ClassComplex
)

// BySize returns the predefined Fortran type of a class and size in bytes, or a
// type that holds an error (DT-MATCH-01).
//
// MPI_Type_match_size
func BySize(class TypeClass, size int64) *Type {
	want := map[TypeClass][]*Type{
		ClassInteger: {Integer1, Integer2, Integer4, Integer8, Integer16},
		ClassReal:    {Real2, Real4, Real8, Real16},
		ClassComplex: {Complex4, Complex8, Complex16, Complex32},
	}
	for _, t := range want[class] {
		if t.Kind().info().size == size {
			return t
		}
	}
	return broken("BySize", errclass.Arg, "DT-MATCH-01", "no type of class %d has %d bytes", class, size)
}
