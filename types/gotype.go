package types

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// TypeOf returns the datatype of a Go type as it is in the host's memory:
//
//	int8 .. int64, uint16 .. uint64, float32, float64, complex64, complex128
//	bool      Bool; any byte but 0 that arrives is stored as 1
//	uint8     Byte
//	arrays and structs of these, padding left out
//
// A struct field tagged `mpi:"-"`, or named _, is not data. Types whose size is
// not the same everywhere (int, uint, uintptr) or whose bytes mean nothing
// elsewhere (pointers, strings, slices, maps, interfaces) give a type that holds
// an error, with the path of the field and what to use instead. (P2P-MATCH-11)
func TypeOf[T any]() *Type {
	t := goTypeOf[T]().typ
	if t.err != nil {
		return &Type{recipe: basic{}, err: here(t.err)}
	}
	return t
}

// A goType describes the memory of a Go type: its datatype, and the facts needed to check
// and protect such memory.
type goType struct {
	name  string
	typ   *Type
	size  int64
	bools []int64 // offsets of bool bytes in one element
	bytes bool    // all values have one byte
	slice *Error  // why a slice of it has no datatype; nil if it has one
}

// simple holds the most common Go types; they need no reflection.
var simple = map[reflect.Kind]*goType{}

func addSimple[T any](t *Type) *goType {
	g := reflect.TypeFor[T]()
	s := &goType{name: g.String(), typ: t, size: int64(g.Size()), bytes: g.Size() == 1}
	simple[g.Kind()] = s
	return s
}

var (
	goUint8      = addSimple[uint8](Byte)
	goInt8       = addSimple[int8](Int8)
	goInt16      = addSimple[int16](Int16)
	goInt32      = addSimple[int32](Int32)
	goInt64      = addSimple[int64](Int64)
	goUint16     = addSimple[uint16](UInt16)
	goUint32     = addSimple[uint32](UInt32)
	goUint64     = addSimple[uint64](UInt64)
	goFloat32    = addSimple[float32](Float)
	goFloat64    = addSimple[float64](Double)
	goComplex64  = addSimple[complex64](FloatComplex)
	goComplex128 = addSimple[complex128](DoubleComplex)
	goBool       = func() *goType {
		b := addSimple[bool](Bool)
		b.bools = []int64{0}
		return b
	}()
)

func goTypeOf[T any]() *goType {
	var v T
	switch any(v).(type) {
	case uint8:
		return goUint8
	case int8:
		return goInt8
	case int16:
		return goInt16
	case int32:
		return goInt32
	case int64:
		return goInt64
	case uint16:
		return goUint16
	case uint32:
		return goUint32
	case uint64:
		return goUint64
	case float32:
		return goFloat32
	case float64:
		return goFloat64
	case complex64:
		return goComplex64
	case complex128:
		return goComplex128
	case bool:
		return goBool
	}
	return reflectType(reflect.TypeFor[T]())
}

var goTypes sync.Map // from reflect.Type to *goType: as many as the program has types

func reflectType(g reflect.Type) *goType {
	if t, ok := goTypes.Load(g); ok {
		return t.(*goType)
	}
	r := goReader{}
	t, bad := r.read(g, g.String(), 0)
	made := &goType{name: g.String(), typ: t, size: int64(g.Size()), bools: r.bools, bytes: bad == nil && onlyBytes(t)}
	if bad != nil {
		made.typ = &Type{recipe: basic{}, err: bad.of(g, "")}
		made.slice = bad.of(g, "[]")
	}
	kept, _ := goTypes.LoadOrStore(g, made)
	return kept.(*goType)
}

// onlyBytes reports whether all items of t have one byte.
func onlyBytes(t *Type) bool {
	for _, k := range t.Signature().Kinds() {
		if Host.Sizeof(k) > 1 {
			return false
		}
	}
	return true
}

// A goReader makes a datatype from a Go type and records where its bools are.
type goReader struct{ bools []int64 }

// mostBools bounds the recorded offsets; a struct with more bools should have them in a
// slice.
const mostBools = 1 << 16

func (r *goReader) read(g reflect.Type, path string, off int64) (*Type, *unusable) {
	if s := simple[g.Kind()]; s != nil {
		if g.Kind() == reflect.Bool {
			r.bools = append(r.bools, off)
		}
		return s.typ, nil
	}
	switch g.Kind() {
	case reflect.Array:
		return r.array(g, path, off)
	case reflect.Struct:
		return r.structure(g, path, off)
	}
	return nil, &unusable{path: path, part: g}
}

// An unusable is the part of a Go type that has no datatype.
type unusable struct {
	path string
	part reflect.Type
	why  string // the reason, if it is the number of parts and not their type
}

// of returns the error for whole, the type with the unusable part, or with prefix "[]" for
// a slice of it: which part has no datatype, why, and what to use instead.
func (u *unusable) of(whole reflect.Type, prefix string) *Error {
	what, because := prefix+whole.String(), ""
	use := instead{prefix, u.path != whole.String()}
	switch {
	case u.why != "":
		return fault("TypeOf", ErrType, "P2P-MATCH-11", "%s has no MPI type, because %s", what, u.why)
	case use.part:
		use.slice, because = "", fmt.Sprintf("%s is %s, and ", u.path, described(u.part))
	case hasName(u.part):
		because = fmt.Sprintf("it is %s, and ", described(u.part))
	}
	why, advice := use.of(u.part)
	if use.part {
		advice += `, or leave the field out with the tag mpi:"-"`
	}
	return fault("TypeOf", ErrType, "P2P-MATCH-11", "%s has no MPI type, because %s%s: use %s", what, because, why, advice)
}

// hasName reports whether the program has given a type a name.
func hasName(g reflect.Type) bool {
	return g.Name() != "" && g.PkgPath() != "" && g.Kind() != reflect.UnsafePointer
}

// described returns the name of a type with its article; after a name of the program, the
// kind follows in parentheses.
func described(g reflect.Type) string {
	name, article := g.String(), "a"
	if hasName(g) {
		name = g.Kind().String() + " (" + name + ")"
	}
	if strings.ContainsRune("aeio", rune(name[0])) { // "uint" begins with a consonant sound
		article = "an"
	}
	return article + " " + name
}

// An instead describes the place in which another Go type is needed: a slice if slice is
// "[]", the type itself if it is "", or, if part is true, a part of another type.
type instead struct {
	slice string
	part  bool
}

// of returns the reason why g has no datatype, and the type to use in its place.
func (i instead) of(g reflect.Type) (why, use string) {
	either := func(a, b string) string { return i.slice + a + " or " + i.slice + b }
	switch g.Kind() {
	case reflect.Int:
		return "Go's int differs in size between machines", either("int32", "int64")
	case reflect.Uint:
		return "Go's uint differs in size between machines", either("uint32", "uint64")
	case reflect.Uintptr:
		return "an address is not valid on another rank", either("uint32", "uint64")
	case reflect.String:
		if i.slice != "" {
			return "each string is a pointer to its text", "[]byte(s) for one string, or [][16]byte for strings of up to 16 bytes"
		}
		return "a string is a pointer to its text", "an array of byte, such as [16]byte"
	case reflect.Slice:
		elem := g.Elem().String()
		if i.slice != "" {
			return "each of its slices has memory of its own", fmt.Sprintf("one []%s with all rows one behind the other, or [][8]%s for rows of 8", elem, elem)
		}
		return "a slice is a pointer to its items", fmt.Sprintf("an array, such as [8]%s, or the slice as a buffer of its own", elem)
	case reflect.Pointer:
		return "a pointer is not valid on another rank", i.slice + g.Elem().String()
	case reflect.UnsafePointer:
		return "a pointer is not valid on another rank", "the values that it points to"
	case reflect.Map:
		return "a map is a pointer to a table of this process", "a slice of its keys and a slice of its values"
	case reflect.Interface:
		return "an interface may hold a value of any type", "one type, such as float64 or a struct"
	case reflect.Chan:
		return "a channel leads nowhere on another rank", "messages between ranks"
	case reflect.Func:
		return "a function is not valid on another rank", "a number in place of it"
	}
	return "no datatype describes it", "another type"
}

func (r *goReader) array(g reflect.Type, path string, off int64) (*Type, *unusable) {
	first := len(r.bools)
	elem, bad := r.read(g.Elem(), path+"[0]", off)
	if bad != nil {
		return nil, bad
	}
	inElem := r.bools[first:len(r.bools):len(r.bools)]
	if g.Len() == 0 {
		r.bools = r.bools[:first]
	}
	if len(inElem)*g.Len() > mostBools {
		return nil, &unusable{path: path, part: g, why: fmt.Sprintf("%s has more than %d bools: use uint8", path, mostBools)}
	}
	for i := 1; i < g.Len(); i++ {
		for _, b := range inElem {
			r.bools = append(r.bools, b+int64(i)*int64(g.Elem().Size()))
		}
	}
	return Contiguous(int64(g.Len()), elem), nil
}

func (r *goReader) structure(g reflect.Type, path string, off int64) (*Type, *unusable) {
	var fields []Field
	for i := range g.NumField() {
		f := g.Field(i)
		if f.Name == "_" || f.Tag.Get("mpi") == "-" {
			continue
		}
		elem, bad := r.read(f.Type, path+"."+f.Name, off+int64(f.Offset))
		if bad != nil {
			return nil, bad
		}
		count := int64(1)
		if c, ok := elem.recipe.(contiguous); ok {
			count, elem = c.n, c.elem
		}
		fields = append(fields, Field{count, int64(f.Offset), elem})
	}
	return Resized(Struct(fields...), 0, int64(g.Size())), nil
}

// fits reports whether an item of kind k, size bytes long, describes a Go value of kind
// native (P2P-MATCH-11): the bits have the same meaning and number. Characters are small
// integers in Go.
func fits(k Kind, size int64, native Kind) bool {
	info := native.info()
	if size != info.size {
		return false
	}
	have := info.family
	if native == KindByte {
		have = FamilyUnsigned
	}
	want := k.Family()
	if want == FamilyCharacter {
		return have == FamilySigned || have == FamilyUnsigned
	}
	return want == have
}

// checkNative is the first phase of type matching: each item of b must be at a Go value
// that it describes. Bytes may be anywhere (P2P-MATCH-05).
func (b *Buffer) checkNative(s Sizes, l *Layout) error {
	g := b.native
	if g.typ == b.typ || onlyOpaque(b.typ.Signature()) {
		return nil
	}
	at := ((b.origin % g.size) + g.size) % g.size
	if v := l.vetted.Load(); v != nil && v.native == g && v.at == at && v.count >= b.count {
		return nil
	}
	copies := min(b.count, g.size/gcd(l.Extent, g.size))
	if err := b.vet(s, l, copies); err != nil {
		return err
	}
	l.vetted.Store(&vetted{g, at, b.count})
	return nil
}

// vetted remembers the last Go type that a layout was found to fit, so that a loop over one
// buffer checks it once.
type vetted struct {
	native *goType
	at     int64
	count  int64
}

func onlyOpaque(s Signature) bool {
	return s.nd == nil || (s.nd.isRun() && s.nd.atom.kind().Family() == FamilyOpaque)
}

func (b *Buffer) vet(s Sizes, l *Layout, copies int64) error {
	g, sig := b.native, b.typ.Signature()
	have, err := g.typ.Layout(Host)
	if err != nil {
		return err
	}
	if nd := sig.nd; nd.isRun() && have.Items() == 1 {
		k := nd.atom.kind()
		size := s.Sizeof(k)
		even := (b.origin+l.shape.first)%size == 0 && l.shape.step%size == 0 && (copies == 1 || l.Extent%size == 0)
		if even && fits(k, size, g.typ.Kind()) {
			return nil
		}
	}
	w, packed := Tiling{l, b.origin}, int64(0)
	for k, n := range sig.Items(0, copies*sig.Len()) {
		size := s.Sizeof(k)
		for range n {
			off := w.At(packed)
			packed += size
			if k.Family() == FamilyOpaque {
				continue
			}
			if native := have.kindAt(((off%g.size)+g.size)%g.size, g.typ.Signature()); !fits(k, size, native) {
				return b.sizeMismatch(k, size, off, native)
			}
		}
	}
	return nil
}

// kindAt returns the kind of the item that begins at off in one copy of l, the layout of a
// Go type; KindNone if none begins there.
func (l *Layout) kindAt(off int64, sig Signature) Kind {
	w := Tiling{L: l}
	pos := w.Below(off)
	if pos >= l.Size || w.At(pos) != off {
		return KindNone
	}
	item, whole := sig.ItemsIn(pos, Host)
	if !whole {
		return KindNone
	}
	return sig.At(item)
}

func (b *Buffer) sizeMismatch(k Kind, size, off int64, native Kind) error {
	what := "no value begins there"
	if native != KindNone {
		what = fmt.Sprintf("there is a %s of %d bytes", native, native.info().size)
	}
	return fault("Buffer", ErrType, "P2P-MATCH-11",
		"%s has %s (%d bytes) at byte %d of memory that is []%s: %s; describe the contents of the memory, or use Raw for memory without a type",
		b.typ, k, size, off, b.native.name, what)
}

// FixBools sets every bool in b that is neither false nor true to true, for callers that
// fill memory by other means than [Buffer.Unpack].
func (b Buffer) FixBools(s Sizes) {
	if b.native == nil || b.native.bools == nil {
		return
	}
	if w, ok := b.tiling(s); ok {
		b.fixBoolsOf(w, 0, b.Room(b.Packed(s), s))
	}
}

// fixBoolsOf sets every bool that packed bytes [from, from+n) of b may have left with
// another value than 0 or 1 to true: in Go such a value is not a valid bool.
func (b Buffer) fixBoolsOf(w Tiling, from, n int64) {
	for off, k := range w.Runs(from, n) {
		b.fixBoolsIn(off, off+k)
	}
}

func (b Buffer) fixBoolsIn(lo, hi int64) {
	size := b.native.size
	for elem := lo - lo%size; elem < hi; elem += size {
		for _, o := range b.native.bools {
			if at := elem + o; at >= lo && at < hi && b.mem[at] > 1 {
				b.mem[at] = 1
			}
		}
	}
}
