package reps

import (
	"fmt"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// A ConversionFunc converts between the user's memory and a representation of
// the user's own: count items beginning with item position of user, whose
// typemap is that of t, tiled as often as needed; in the file form they follow
// each other in file, each in the bytes that the extent function gave its kind.
// count and position count items, not datatypes and not bytes.
//
// One access may take several calls: position begins at 0 and goes on where the
// call before ended, always with the same user and t. user.Items walks the
// items. file is zeros when it is to be filled. A returned error, and a panic,
// make the access fail with ErrConversion; nothing is written then. The
// function runs in the calling rank's goroutine and must not use the file whose
// access it is part of. (REP-USR-05..11, REP-USR-13, REP-USR-14)
//
// MPI_Datarep_conversion_function
type ConversionFunc func(user Memory, t *types.Type, count int64, file []byte, position int64, state any) error

// An ExtentFunc returns how many bytes one t takes in the file. It is asked for
// predefined types that the program uses, each once. (REP-USR-04)
//
// MPI_Datarep_extent_function
type ExtentFunc func(t *types.Type, state any) (int64, error)

// A Conversion is a data representation of the user's own.
type Conversion struct {
	// Read fills user from file, Write fills file from user. Where one is nil
	// the items move as in a native file, each at the beginning of its place
	// in the file; the rest of a longer place is zeros. (REP-USR-12)
	Read, Write ConversionFunc

	// Extent must not be nil.
	Extent ExtentFunc

	// State is handed to every call.
	State any
}

const (
	// DefaultChunk is how many bytes of a file a conversion function gets in one
	// call, unless one item has more.
	DefaultChunk = 64 << 10

	mostExtent = 1 << 20 // of one item in a user-defined representation
)

// A Registry holds the representations that one rank knows by name: "native",
// "internal", "external32" and those it registered. It is for the calls of that
// rank only; communicators have it, see comm.Comm.Reps.
type Registry struct {
	arch *Arch
	user map[string]*registered
}

// NewRegistry returns the registry of a rank of architecture a.
func NewRegistry(a *Arch) *Registry { return &Registry{arch: a} }

// Register adds a representation under a name of 1 to [MaxName] bytes. Local:
// ranks that share a file each register it. There is no way to take it away.
// Errors: ErrDupDatarep for a name that exists, ErrArg for a bad name or an
// extent function that is nil. (REP-USR-01, REP-USR-02)
//
// MPI_Register_datarep
func (g *Registry) Register(name string, c Conversion) error {
	if err := g.Admit(name, c); err != nil {
		return err
	}
	if g.user == nil {
		g.user = map[string]*registered{}
	}
	g.user[name] = &registered{name: name, arch: g.arch, conv: c}
	return nil
}

// Admit returns the error that Register would return, and registers nothing.
func (g *Registry) Admit(name string, c Conversion) error {
	const op = "Register"
	if g == nil || g.arch == nil {
		return argument(op, ErrArg, "REP-USR-01", "the registry belongs to no rank; take that of a communicator")
	}
	if len(name) == 0 || len(name) > MaxName {
		return argument(op, ErrArg, "REP-USR-02", "the name %.20q has %d bytes; it must have 1 to %d", name, len(name), MaxName)
	}
	if _, err := g.Lookup(name); err == nil {
		return argument(op, ErrDupDatarep, "REP-USR-01", "representation %q exists", name)
	}
	if c.Extent == nil {
		return argument(op, ErrArg, "REP-USR-04", "the extent function is nil; only the conversion functions may be")
	}
	return nil
}

// Lookup finds a representation by name. Errors: ErrUnsupportedDatarep.
func (g *Registry) Lookup(name string) (Rep, error) {
	if g == nil {
		return Lookup(name, nil)
	}
	if r := g.user[name]; r != nil {
		return userRep{r, DefaultChunk}, nil
	}
	return Lookup(name, g.arch)
}

// Chunked returns rep with another limit to the bytes of a file that one call
// of a conversion function gets; one item always fits. The representations that
// come with the package have no such limit.
func Chunked(rep Rep, bytes int64) Rep {
	if u, ok := rep.(userRep); ok {
		u.chunk = bytes
		return u
	}
	return rep
}

// registered is an entry of a registry and the sizes of items in its files. What
// an extent function said of a kind, or its failure to, stays.
type registered struct {
	name   string
	arch   *Arch
	conv   Conversion
	extent [256]int64 // by kind; 0: not asked yet
	failed [256]error
}

// Sizeof asks the extent function, once. A kind for which it failed counts as
// one byte; Prepare has told of it before that matters.
func (r *registered) Sizeof(k types.Kind) int64 {
	if r.extent[k] == 0 {
		r.extent[k], r.failed[k] = r.ask(k)
	}
	return r.extent[k]
}

func (*registered) Alignof(types.Kind) int64 { return 1 }

func (r *registered) ask(k types.Kind) (int64, error) {
	var n int64
	err := r.guard("extent", "REP-USR-04", func() (err error) {
		n, err = r.conv.Extent(types.OfKind(k), r.conv.State)
		if err == nil && (n < 1 || n > mostExtent) {
			err = fmt.Errorf("%v takes %d bytes; it must be 1 to %d", k, n, mostExtent)
		}
		return err
	})
	if err != nil {
		n = 1
	}
	return n, err
}

// guard runs a function of the user.
func (r *registered) guard(what, rule string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panicked: %v", p)
		}
		if err != nil {
			err = &Error{
				Pkg: "reps", Op: what, Rank: errclass.NoRank, Object: r.name, Class: ErrConversion, Rule: rule,
				Err: fmt.Errorf("the %s function of representation %q: %w", what, r.name, err),
			}
		}
	}()
	return f()
}

// A userRep is a registered representation with a limit to one call.
type userRep struct {
	*registered
	chunk int64
}

func (r userRep) Name() string       { return r.name }
func (r userRep) Sizes() types.Sizes { return r.registered }
func (r userRep) Plain(*Arch) bool   { return false }

func (r userRep) Prepare(sig types.Signature) error {
	for _, k := range sig.Kinds() {
		if r.Sizeof(k); r.failed[k] != nil {
			return r.failed[k]
		}
	}
	return nil
}

func (r userRep) Pack(dst []byte, m Memory, n int64) error {
	clear(dst)
	return r.each(dst, m, n, "write", r.conv.Write, func(p []byte, at, k int64) error {
		return r.unconverted(p, m, at, k, true)
	})
}

func (r userRep) Unpack(m Memory, src []byte, n int64) error {
	return r.each(src, m, n, "read", r.conv.Read, func(p []byte, at, k int64) error {
		return r.unconverted(p, m, at, k, false)
	})
}

// each cuts n items into calls.
func (r userRep) each(file []byte, m Memory, n int64, what string, f ConversionFunc, raw func([]byte, int64, int64) error) error {
	t := m.Type()
	sig := t.Signature()
	if err := r.Prepare(sig); err != nil {
		return err
	}
	for at, lo := int64(0), int64(0); at < n; {
		end, _ := sig.ItemsIn(lo+r.chunk, r.registered)
		end = min(n, max(end, at+1))
		hi := sig.BytesBefore(end, r.registered)
		p := file[lo:hi:hi]
		err := error(nil)
		if f == nil {
			err = raw(p, at, end-at)
		} else {
			err = r.guard(what, "REP-USR-11", func() error { return f(m, t, end-at, p, at, r.conv.State) })
		}
		if what == "read" {
			m.mend(sig, at, end)
		}
		if err != nil {
			return err
		}
		at, lo = end, hi
	}
	return nil
}

// mend lets package types look at truth values that a function of the user has
// stored: in a Go bool there must be nothing but 0 and 1.
func (m Memory) mend(sig types.Signature, from, end int64) {
	for _, k := range sig.Kinds() {
		if k.Family() == types.FamilyBool {
			lo := sig.BytesBefore(from, m.Arch)
			p := make([]byte, sig.BytesBefore(end, m.Arch)-lo)
			m.Buffer.Pack(p, lo, m.Arch)
			m.Buffer.Unpack(p, lo, m.Arch)
			return
		}
	}
}

// unconverted moves items between memory and their places in the file as a
// native file would have them.
func (r userRep) unconverted(file []byte, m Memory, from, n int64, write bool) error {
	native := fixed{"native", m.Arch, m.Arch.order, m.Arch.wide}.form()
	item := from
	for k, p := range m.Items(from, n) {
		room := r.Sizeof(k)
		if room < int64(len(p)) {
			return argument("unconverted", ErrConversion, "REP-USR-12", "item %d, %v: its %d bytes do not fit in the %d of representation %q, which has no conversion function",
				item, k, len(p), room, r.name)
		}
		var bad *unfit
		if write {
			bad = convertRun(file[:len(p)], p, native, memory(m.Arch), k)
		} else {
			bad = convertRun(p, file[:len(p)], memory(m.Arch), native, k)
		}
		if bad != nil {
			return bad.error(item, k)
		}
		file, item = file[room:], item+1
	}
	return nil
}

func (r userRep) Encode(dst, src []byte, a *Arch, sig types.Signature, from, n int64) error {
	if from != 0 {
		return argument("Encode", ErrArg, "REP-USR-06", "item %d: a conversion begins with item 0", from)
	}
	return r.Pack(dst, packedMemory(src, a, sig, n), n)
}

func (r userRep) Decode(dst, src []byte, a *Arch, sig types.Signature, from, n int64) error {
	if from != 0 {
		return argument("Decode", ErrArg, "REP-USR-06", "item %d: a conversion begins with item 0", from)
	}
	return r.Unpack(packedMemory(dst, a, sig, n), src, n)
}
