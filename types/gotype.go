package types

import (
	"fmt"
	"reflect"
	"sync"
)

// TypeOf returns the datatype of a Go type as it lies in the host's memory:
//
//	int8 .. int64, uint16 .. uint64, float32, float64, complex64, complex128
//	bool      Bool; any byte but 0 that arrives is stored as 1
//	uint8     Byte
//	arrays and structs of these, padding left out
//
// A struct field tagged `mpi:"-"`, or named _, is no data. Types whose size is
// not the same everywhere (int, uint, uintptr) or whose bytes mean nothing
// elsewhere (pointers, strings, slices, maps, interfaces) give a type that holds
// an error, with the path of the field and what to use instead. (P2P-MATCH-11)
func TypeOf[T any]() *Type { return goTypeOf[T]().typ }

// A goType is a Go type as memory: its datatype and what is needed to check and
// protect memory of it.
type goType struct {
	name  string
	typ   *Type
	size  int64
	bools []int64 // offsets of bool bytes in one element
}

// simple holds the Go types that Of meets most; they need no reflection.
var simple = map[reflect.Kind]*goType{}

func addSimple[T any](t *Type) *goType {
	g := reflect.TypeFor[T]()
	s := &goType{name: g.String(), typ: t, size: int64(g.Size())}
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

var goTypes sync.Map // reflect.Type to *goType: as many as the program has types

func reflectType(g reflect.Type) *goType {
	if t, ok := goTypes.Load(g); ok {
		return t.(*goType)
	}
	r := goReader{}
	t, err := r.read(g, g.String(), 0)
	if err != nil {
		t = &Type{recipe: basic{}, err: err}
	}
	made, _ := goTypes.LoadOrStore(g, &goType{g.String(), t, int64(g.Size()), r.bools})
	return made.(*goType)
}

// goReader turns a Go type into a datatype and notes where its bools are.
type goReader struct{ bools []int64 }

// mostBools bounds the offsets noted; a struct of more has them in a slice.
const mostBools = 1 << 16

func (r *goReader) read(g reflect.Type, path string, off int64) (*Type, *Error) {
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
	return nil, fault("TypeOf", ErrType, "P2P-MATCH-11", "%s is %s: %s", path, describe(g), remedy(g.Kind()))
}

func describe(g reflect.Type) string {
	if g.Name() != "" && g.Name() != g.Kind().String() {
		return fmt.Sprintf("%s (%s)", g, g.Kind())
	}
	return g.String()
}

func remedy(k reflect.Kind) string {
	switch k {
	case reflect.Int:
		return "its size differs between machines; use int32 or int64"
	case reflect.Uint, reflect.Uintptr:
		return "its size differs between machines; use uint32 or uint64"
	case reflect.String:
		return "a string is a pointer; use an array of byte, or []byte as a buffer of its own"
	case reflect.Slice:
		return "a slice is a pointer; use an array, or the slice as a buffer of its own"
	case reflect.Pointer, reflect.UnsafePointer:
		return `a pointer means nothing elsewhere; use the value, or leave the field out with the tag mpi:"-"`
	}
	return `it has no datatype; leave the field out with the tag mpi:"-"`
}

func (r *goReader) array(g reflect.Type, path string, off int64) (*Type, *Error) {
	first := len(r.bools)
	elem, err := r.read(g.Elem(), path+"[0]", off)
	if err != nil {
		return nil, err
	}
	inElem := r.bools[first:len(r.bools):len(r.bools)]
	if g.Len() == 0 {
		r.bools = r.bools[:first]
	}
	if len(inElem)*g.Len() > mostBools {
		return nil, fault("TypeOf", ErrType, "P2P-MATCH-11", "%s holds more than %d bools; use uint8", path, mostBools)
	}
	for i := 1; i < g.Len(); i++ {
		for _, b := range inElem {
			r.bools = append(r.bools, b+int64(i)*int64(g.Elem().Size()))
		}
	}
	return Contiguous(int64(g.Len()), elem), nil
}

func (r *goReader) structure(g reflect.Type, path string, off int64) (*Type, *Error) {
	var fields []Field
	for i := range g.NumField() {
		f := g.Field(i)
		if f.Name == "_" || f.Tag.Get("mpi") == "-" {
			continue
		}
		elem, err := r.read(f.Type, path+"."+f.Name, off+int64(f.Offset))
		if err != nil {
			return nil, err
		}
		count := int64(1)
		if c, ok := elem.recipe.(contiguous); ok {
			count, elem = c.n, c.elem
		}
		fields = append(fields, Field{count, int64(f.Offset), elem})
	}
	return Resized(Struct(fields...), 0, int64(g.Size())), nil
}

// fits reports whether an item of kind k, size bytes long, describes a Go value
// of kind native (P2P-MATCH-11): the same reading of the bits, the same size.
// Characters are small integers in Go.
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

// checkNative is the first phase of type matching: each item of b must lie on a
// Go value that it describes. Bytes may lie anywhere (P2P-MATCH-05).
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

// vetted remembers the last Go type a layout was found to fit, so that a loop
// over one buffer checks it once.
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
				return b.misfit(k, size, off, native)
			}
		}
	}
	return nil
}

// kindAt returns the kind of the item that begins at off in one copy of l, a
// layout of a Go type; KindNone if none does.
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

func (b *Buffer) misfit(k Kind, size, off int64, native Kind) error {
	what := "no value begins there"
	if native != KindNone {
		what = fmt.Sprintf("there is a %s of %d bytes", native, native.info().size)
	}
	return fault("Buffer", ErrType, "P2P-MATCH-11",
		"%s has %s (%d bytes) at byte %d of memory that is []%s: %s; describe what the memory holds, or use Raw for memory of no certain type",
		b.typ, k, size, off, b.native.name, what)
}

// Mend makes true of every bool in b that is neither false nor true, for those
// who fill memory by other means than [Buffer.Unpack].
func (b Buffer) Mend(s Sizes) {
	if b.native == nil || b.native.bools == nil {
		return
	}
	if w, ok := b.tiling(s); ok {
		b.mendBools(w, 0, b.Packed(s))
	}
}

// mendBools makes true of every bool that packed bytes [from, from+n) of b may
// have left neither 0 nor 1: to Go such a value is no bool at all.
func (b Buffer) mendBools(w Tiling, from, n int64) {
	for off, k := range w.Runs(from, n) {
		b.mendRun(off, off+k)
	}
}

func (b Buffer) mendRun(lo, hi int64) {
	size := b.native.size
	for elem := lo - lo%size; elem < hi; elem += size {
		for _, o := range b.native.bools {
			if at := elem + o; at >= lo && at < hi && b.mem[at] > 1 {
				b.mem[at] = 1
			}
		}
	}
}
