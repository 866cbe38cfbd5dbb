package records

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/commworld/commworld/types"
)

// A Version says how wide the numbers of a header are.
type Version byte

// The versions of the format.
const (
	CDF1 Version = 1 // offsets of 4 bytes
	CDF2 Version = 2 // offsets of 8 bytes
	CDF5 Version = 5 // all counts of 8 bytes, and unsigned and 64-bit types
)

// Growing is the length of the record dimension.
const Growing int64 = 0

// A Dim is a dimension; one dimension of a file may be Growing.
type Dim struct {
	Name string
	Len  int64
}

// An Attr is an attribute of the file or of a variable. Data has its values in the form of
// the file: big-endian, without padding.
type Attr struct {
	Name string
	Type *types.Type
	Data []byte
}

// Text returns an attribute of characters.
func Text(name, text string) Attr { return Attr{name, types.Char, []byte(text)} }

// Doubles returns an attribute of floating-point numbers.
func Doubles(name string, xs ...float64) Attr {
	a := Attr{Name: name, Type: types.Double}
	for _, x := range xs {
		a.Data = binary.BigEndian.AppendUint64(a.Data, math.Float64bits(x))
	}
	return a
}

// A Var is an array. Dims are indices of dimensions; only the first may be the
// record dimension.
type Var struct {
	Name  string
	Type  *types.Type
	Dims  []int
	Attrs []Attr

	Begin int64 // byte of the file at which it begins
	Size  int64 // bytes of the whole, or of one record, with padding to 4
}

// A Header is the part of a file before the data.
type Header struct {
	Version Version
	Records int64
	Dims    []Dim
	Attrs   []Attr
	Vars    []*Var

	RecordSize int64 // bytes of one record of all variables
}

// An external is a type of data in files.
type external struct {
	code int64 // those from 7 on are only in CDF-5
	size int64
	name string
	typ  *types.Type
}

// Later entries with the same code are other types in memory for it.
var externals = []external{
	{1, 1, "byte", types.SChar},
	{1, 1, "byte", types.Int8},
	{2, 1, "char", types.Char},
	{3, 2, "short", types.Short},
	{3, 2, "short", types.Int16},
	{4, 4, "int", types.Int},
	{4, 4, "int", types.Int32},
	{5, 4, "float", types.Float},
	{6, 8, "double", types.Double},
	{7, 1, "ubyte", types.UChar},
	{7, 1, "ubyte", types.UInt8},
	{8, 2, "ushort", types.UShort},
	{8, 2, "ushort", types.UInt16},
	{9, 4, "uint", types.UInt},
	{9, 4, "uint", types.UInt32},
	{10, 8, "int64", types.LongLong},
	{10, 8, "int64", types.Int64},
	{11, 8, "uint64", types.ULongLong},
	{11, 8, "uint64", types.UInt64},
}

func externalOf(t *types.Type) (external, bool) {
	for _, e := range externals {
		if e.typ == t {
			return e, true
		}
	}
	return external{}, false
}

func itemSize(t *types.Type) int64 {
	e, _ := externalOf(t)
	return e.size
}

func pad(n int64) int64 { return (n + 3) &^ 3 }

// IsRecord reports whether a variable has the record dimension.
func (h *Header) IsRecord(v *Var) bool { return len(v.Dims) > 0 && h.Dims[v.Dims[0]].Len == Growing }

// Items returns how many elements a variable has, or one record of it.
func (h *Header) Items(v *Var) int64 {
	n := int64(1)
	for _, i := range v.Dims {
		if h.Dims[i].Len != Growing {
			n *= h.Dims[i].Len
		}
	}
	return n
}

// Shape returns the lengths of a variable's dimensions; of the record dimension
// the number of records.
func (h *Header) Shape(v *Var) []int64 {
	shape := make([]int64, len(v.Dims))
	for d, i := range v.Dims {
		if shape[d] = h.Dims[i].Len; shape[d] == Growing {
			shape[d] = h.Records
		}
	}
	return shape
}

// LayOut gives every variable its place: first those of fixed size, then the records,
// in which the variables take turns. A record of only one variable has no padding.
func (h *Header) LayOut() {
	var growing []*Var
	h.RecordSize = 0
	at := int64(len(h.Encode()))
	for _, v := range h.Vars {
		v.Size = pad(h.Items(v) * itemSize(v.Type))
		if h.IsRecord(v) {
			growing = append(growing, v)
			continue
		}
		v.Begin = at
		at += v.Size
	}
	for _, v := range growing {
		v.Begin = at
		at += v.Size
		h.RecordSize += v.Size
	}
	if len(growing) == 1 {
		h.RecordSize = h.Items(growing[0]) * itemSize(growing[0].Type)
	}
}

// check returns what the format does not allow.
func (h *Header) check() error {
	growing := 0
	for _, d := range h.Dims {
		if d.Len < 0 {
			return fmt.Errorf("records: dimension %q has %d elements: 0 is the record dimension, others have 1 or more", d.Name, d.Len)
		}
		if d.Len == Growing {
			growing++
		}
	}
	if growing > 1 {
		return fmt.Errorf("records: %d dimensions grow: the format has one record dimension", growing)
	}
	for _, v := range h.Vars {
		if err := h.checkVar(v); err != nil {
			return err
		}
	}
	return nil
}

func (h *Header) checkVar(v *Var) error {
	e, ok := externalOf(v.Type)
	if !ok {
		return fmt.Errorf("records: variable %q has type %v, which the format does not have", v.Name, v.Type)
	}
	if e.code > 6 && h.Version != CDF5 {
		return fmt.Errorf("records: variable %q has type %s, which only CDF-5 has", v.Name, e.name)
	}
	for k, i := range v.Dims {
		if i < 0 || i >= len(h.Dims) {
			return fmt.Errorf("records: variable %q has dimension %d of %d", v.Name, i, len(h.Dims))
		}
		if k > 0 && h.Dims[i].Len == Growing {
			return fmt.Errorf("records: variable %q grows in dimension %d: only the first may", v.Name, k)
		}
	}
	if last := v.Begin + v.Size; h.Version == CDF1 && last > math.MaxInt32 {
		return fmt.Errorf("records: variable %q ends at byte %d, which CDF-1 cannot hold: use CDF2 or CDF5", v.Name, last)
	}
	return nil
}

// countAt is the offset of the number of records in a file.
const countAt = 4

// count returns the bytes of the number of records.
func (h *Header) count() []byte {
	w := &writer{v: h.Version}
	w.count(h.Records)
	return w.p
}

// Encode returns the bytes of the header. Their number does not depend on the layout.
func (h *Header) Encode() []byte {
	w := &writer{v: h.Version, p: []byte{'C', 'D', 'F', byte(h.Version)}}
	w.count(h.Records)
	w.list(tagDims, len(h.Dims))
	for _, d := range h.Dims {
		w.name(d.Name)
		w.count(d.Len)
	}
	w.attrs(h.Attrs)
	w.list(tagVars, len(h.Vars))
	for _, v := range h.Vars {
		w.name(v.Name)
		w.count(int64(len(v.Dims)))
		for _, i := range v.Dims {
			w.count(int64(i))
		}
		w.attrs(v.Attrs)
		e, _ := externalOf(v.Type)
		w.four(e.code)
		w.count(v.Size)
		if h.Version == CDF1 {
			w.four(v.Begin)
		} else {
			w.eight(v.Begin)
		}
	}
	return w.p
}

const (
	tagDims  = 0x0a
	tagVars  = 0x0b
	tagAttrs = 0x0c
)

// A writer appends the elements of a header.
type writer struct {
	v Version
	p []byte
}

func (w *writer) four(n int64)  { w.p = binary.BigEndian.AppendUint32(w.p, uint32(n)) }
func (w *writer) eight(n int64) { w.p = binary.BigEndian.AppendUint64(w.p, uint64(n)) }

// count writes a number that is wide in CDF-5.
func (w *writer) count(n int64) {
	if w.v == CDF5 {
		w.eight(n)
	} else {
		w.four(n)
	}
}

// list begins a list of n entries; one without entries has no tag.
func (w *writer) list(tag int64, n int) {
	if n == 0 {
		tag = 0
	}
	w.four(tag)
	w.count(int64(n))
}

func (w *writer) bytes(p []byte) {
	w.p = append(w.p, p...)
	w.p = append(w.p, make([]byte, pad(int64(len(p)))-int64(len(p)))...)
}

func (w *writer) name(s string) {
	w.count(int64(len(s)))
	w.bytes([]byte(s))
}

func (w *writer) attrs(list []Attr) {
	w.list(tagAttrs, len(list))
	for _, a := range list {
		e, _ := externalOf(a.Type)
		w.name(a.Name)
		w.four(e.code)
		w.count(int64(len(a.Data)) / max(1, e.size))
		w.bytes(a.Data)
	}
}

var errShort = errors.New("records: the header is cut off")

// Decode reads a header from the beginning of a file. It returns an error if p is
// no header, or only the beginning of one.
func Decode(p []byte) (*Header, error) {
	if len(p) < 4 || string(p[:3]) != "CDF" {
		return nil, errors.New("records: not a NetCDF file of a classic format: it does not begin with CDF")
	}
	h := &Header{Version: Version(p[3])}
	if h.Version != CDF1 && h.Version != CDF2 && h.Version != CDF5 {
		return nil, fmt.Errorf("records: version %d of the format: 1, 2 and 5 are known", h.Version)
	}
	r := &reader{v: h.Version, p: p[4:]}
	h.Records = r.count()
	for range r.list(tagDims) {
		h.Dims = append(h.Dims, Dim{r.name(), r.count()})
	}
	h.Attrs = r.attrs()
	for range r.list(tagVars) {
		v := &Var{Name: r.name()}
		for range r.length(4) {
			v.Dims = append(v.Dims, int(r.count()))
		}
		v.Attrs = r.attrs()
		v.Type = r.external().typ
		v.Size = r.count()
		if v.Begin = r.wide(h.Version != CDF1); r.err != nil {
			break
		}
		h.Vars = append(h.Vars, v)
	}
	if r.err != nil {
		return nil, r.err
	}
	return h, h.placed()
}

// placed computes the size of a record, and checks the header that was read.
func (h *Header) placed() error {
	if err := h.check(); err != nil {
		return err
	}
	growing := 0
	for _, v := range h.Vars {
		if h.IsRecord(v) {
			growing++
			h.RecordSize += v.Size
		}
	}
	for _, v := range h.Vars {
		if growing == 1 && h.IsRecord(v) {
			h.RecordSize = h.Items(v) * itemSize(v.Type)
		}
	}
	return nil
}

// A reader takes the elements of a header. After an error it returns zeros.
type reader struct {
	v   Version
	p   []byte
	err error
}

func (r *reader) bytes(n int64) []byte {
	if r.err == nil && (n < 0 || n > int64(len(r.p))) {
		r.err = errShort
	}
	if r.err != nil {
		return nil
	}
	p := r.p[:n]
	r.p = r.p[n:]
	return p
}

func (r *reader) wide(eight bool) int64 {
	if eight {
		if p := r.bytes(8); p != nil {
			return int64(binary.BigEndian.Uint64(p))
		}
		return 0
	}
	if p := r.bytes(4); p != nil {
		return int64(binary.BigEndian.Uint32(p))
	}
	return 0
}

func (r *reader) count() int64 { return r.wide(r.v == CDF5) }

// length reads the number of entries of a list, each of which takes some bytes at least.
func (r *reader) length(least int) int64 {
	n := r.count()
	if r.err == nil && (n < 0 || n > int64(len(r.p)/least)) {
		r.err = errShort
		return 0
	}
	return n
}

func (r *reader) list(tag int64) int64 {
	got := r.wide(false)
	n := r.length(8)
	if r.err == nil && got != tag && (got != 0 || n != 0) {
		r.err = fmt.Errorf("records: tag %#x in the header, want %#x", got, tag)
	}
	if r.err != nil {
		return 0
	}
	return n
}

func (r *reader) padded(n int64) []byte {
	p := r.bytes(n)
	r.bytes(pad(n) - n)
	return p
}

func (r *reader) name() string { return string(r.padded(r.length(1))) }

func (r *reader) external() external {
	code := r.wide(false)
	for _, e := range externals {
		if e.code == code {
			return e
		}
	}
	if r.err == nil {
		r.err = fmt.Errorf("records: type %d in the header: 1 to 11 are known", code)
	}
	return external{}
}

func (r *reader) attrs() (list []Attr) {
	for range r.list(tagAttrs) {
		a := Attr{Name: r.name()}
		e := r.external()
		a.Type = e.typ
		if n := r.length(1); r.err == nil {
			a.Data = append([]byte(nil), r.padded(n*e.size)...)
		}
		list = append(list, a)
	}
	return list
}
