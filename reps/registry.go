package reps

import (
	"fmt"

	"github.com/commworld/commworld/internal/fault"
	"github.com/commworld/commworld/types"
)

// A ConversionFunc converts between the user's memory and a representation that the user
// defines. It converts count items of user, beginning with item number position. The typemap
// of user is that of t, tiled as often as needed. In file the items follow each other, each
// with the number of bytes that the extent function returned for its kind. count and
// position count items, not datatypes or bytes.
//
// One access may take several calls: position begins at 0 and each call continues where the
// last one ended, always with the same user and t. user.Items returns the items. file
// contains zeros when it is to be filled. A returned error, and a panic, make the access
// fail with ErrConversion, and nothing is written then. The function runs in the calling
// rank's goroutine and must not use the file of the access. (REP-USR-05..11, REP-USR-13,
// REP-USR-14)
//
// MPI_Datarep_conversion_function
type ConversionFunc func(user Memory, t *types.Type, count int64, file []byte, position int64, state any) error

// An ExtentFunc returns how many bytes one t takes in the file. It is called for the
// predefined types that the program uses, once for each. (REP-USR-04)
//
// MPI_Datarep_extent_function
type ExtentFunc func(t *types.Type, state any) (int64, error)

// A Conversion is a data representation that the user defines.
type Conversion struct {
	// Read fills user from file, Write fills file from user. If one is nil, the items move
	// as in a native file, each at the beginning of its place in the file; the rest of a
	// longer place is filled with zeros. (REP-USR-12)
	Read, Write ConversionFunc

	// Extent must not be nil.
	Extent ExtentFunc

	// State is passed to every call.
	State any
}

const (
	// DefaultChunk is how many bytes of a file a conversion function gets in one
	// call, unless one item has more.
	DefaultChunk = 64 << 10

	mostExtent = 1 << 20 // of one item in a user-defined representation
)

// A Registry holds the representations that one rank knows by name: "native", "internal",
// "external32" and those it registered. Only that rank uses it; the rank's communicators
// refer to it.
type Registry struct {
	arch *Arch
	user map[string]*registered
}

// NewRegistry returns the registry of a rank of architecture a.
func NewRegistry(a *Arch) *Registry { return &Registry{arch: a} }

// Register adds a representation under a name of 1 to [MaxName] bytes. Local: each rank
// that shares a file registers it. It cannot be removed. Errors: ErrDupDatarep for a name
// that exists, ErrArg for a bad name or a nil extent function. (REP-USR-01, REP-USR-02)
//
// MPI_Register_datarep
func (g *Registry) Register(name string, c Conversion) error {
	if err := g.Admit(name, c); err != nil {
		return err
	}
	if g.user == nil {
		g.user = map[string]*registered{}
	}
	g.user[name] = &registered{name: name, conv: c}
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

// Lookup returns the representation with the given name. Errors: ErrUnsupportedDatarep.
func (g *Registry) Lookup(name string) (Rep, error) {
	if g == nil {
		return Lookup(name, nil)
	}
	if r := g.user[name]; r != nil {
		return userRep{r, DefaultChunk, g.arch.markers}, nil
	}
	return Lookup(name, g.arch)
}

// Chunked returns rep with another limit for the bytes of a file that one call of a
// conversion function gets; one item always fits. The predefined representations have no
// such limit.
func Chunked(rep Rep, bytes int64) Rep {
	if u, ok := rep.(userRep); ok {
		u.chunk = bytes
		return u
	}
	return rep
}

// A registered is an entry of a registry, and the sizes of items in its files. The result
// or failure of an extent function for a kind is kept.
type registered struct {
	name   string
	conv   Conversion
	extent [256]int64 // by kind; 0: not asked yet
	failed [256]error
}

// Sizeof calls the extent function, once for each kind. A kind for which it failed counts
// as one byte; Prepare reports the failure before that matters.
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

// guard runs a function of the user, and returns its error or panic as an error.
func (r *registered) guard(what, rule string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panicked: %v", p)
		}
		if err != nil {
			err = fault.OfCall("reps", what, r.name, ErrConversion, rule, "the %s function of representation %q: %w", what, r.name, err)
		}
	}()
	return f()
}

// A userRep is a registered representation with a limit to one call.
type userRep struct {
	*registered
	chunk   int64
	markers types.Markers
}

func (r userRep) Name() string       { return r.name }
func (r userRep) Sizes() types.Sizes { return r.markers.Under(r.registered) }
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
	if m.Reordered(m.Arch) {
		m = m.inBytes(n, true)
	}
	clear(dst)
	return r.inChunks(dst, m, n, "write", r.conv.Write, func(p []byte, at, k int64) error {
		return r.unconverted(p, m, at, k, true)
	})
}

func (r userRep) Unpack(m Memory, src []byte, n int64) error {
	if m.Reordered(m.Arch) {
		packed := m.inBytes(n, false)
		err := r.Unpack(packed, src, n)
		if err == nil {
			m.Buffer.Unpack(packed.Mem()[:m.Type().Signature().BytesBefore(n, m.Arch)], 0, m.Arch)
		}
		return err
	}
	return r.inChunks(src, m, n, "read", r.conv.Read, func(p []byte, at, k int64) error {
		return r.unconverted(p, m, at, k, false)
	})
}

// inBytes returns memory for n packed items of m, filled if fill is set, for memory whose
// bytes the functions must not use in place.
func (m Memory) inBytes(n int64, fill bool) Memory {
	sig := m.Type().Signature()
	unit := max(sig.Unit().Len(), 1)
	p := make([]byte, sig.Repeat(m.Count()).Unit().Size(m.Arch)*((n+unit-1)/unit))
	if fill {
		m.Buffer.Pack(p[:sig.BytesBefore(n, m.Arch)], 0, m.Arch)
	}
	return packedMemory(p, m.Arch, sig, n)
}

// inChunks calls f for n items, in parts of at most the limit.
func (r userRep) inChunks(file []byte, m Memory, n int64, what string, f ConversionFunc, raw func([]byte, int64, int64) error) error {
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
			m.fixBools(sig, at, end)
		}
		if err != nil {
			return err
		}
		at, lo = end, hi
	}
	return nil
}

// fixBools lets package types correct truth values that a function of the user has stored:
// a Go bool must be 0 or 1.
func (m Memory) fixBools(sig types.Signature, from, end int64) {
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

// unconverted moves items between memory and their places in the file, as for a native
// file.
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
