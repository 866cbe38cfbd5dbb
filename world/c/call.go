//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"fmt"
	"math"
	"os"
	"strings"
	"unsafe"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// A handler carries out a function of MPI. The error handler of an object has already
// handled the error that it returns; see [call.local].
type handler func(k *call) error

type function struct {
	name    string
	do      handler
	anytime bool // may be called before MPI_Init and after MPI_Finalize

	writes       bool // it writes a file, or sets its size
	communicates bool // it communicates, so functions of operations and data representations must not call it
}

// handlers has the handlers by name, without MPI_; both forms of counts share one.
var handlers = merge(environmentCalls, errorCalls, messageCalls, requestCalls, collectiveCalls, commCalls, groupCalls,
	topologyCalls, attributeCalls, infoCalls, opCalls, datatypeCalls, oldCalls, integerCalls, packCalls, statusCalls, fileCalls, toolCalls)

func merge(tables ...map[string]handler) map[string]handler {
	all := map[string]handler{}
	for _, t := range tables {
		for name, h := range t {
			if all[name] != nil {
				panic("two handlers of " + name)
			}
			all[name] = h
		}
	}
	return all
}

// A call is a call of MPI by the program. Its methods read the arguments one by one, in
// the order of the prototype.
type call struct {
	r      *rank
	name   string
	large  bool // the form with counts of 64 bits
	writes bool // it writes a file, or sets its size
	args   []int64
	next   int
	result int64 // returned instead of MPI_SUCCESS

	comm *comm.Comm   // its handler handles errors of arguments
	file *iofile.File // its handler handles errors of arguments

	deletes string // the path of the file that MPI_File_delete deletes
}

// A bad is the panic of methods that find a wrong argument, so that handlers need no
// error checks; [call.carryOut] turns it into an error.
type bad struct{ err error }

// A fault is the panic of an access to unmapped memory, see debug.SetPanicOnFault.
type fault interface {
	error
	Addr() uintptr
}

func (k *call) fail(class errclass.Class, format string, args ...any) {
	panic(bad{k.errorOf(class, format, args...)})
}

func (k *call) errorOf(class errclass.Class, format string, args ...any) error {
	return &errclass.Error{Pkg: "c", Op: k.name, Rank: k.r.world.Rank(), Class: class, Err: fmt.Errorf(format, args...)}
}

// carryOut performs the call. The error that it returns was handled by a handler.
func (k *call) carryOut(f *function) (err error) {
	returned := false
	defer func() {
		if returned {
			return // recover would take as long as the rest of a short call
		}
		if x := recover(); x != nil {
			switch x := x.(type) {
			case bad:
				err = k.local(x.err)
			case handled:
				err = x.err
			case fault:
				err = k.local(k.errorOf(errclass.Buffer, "there is no memory at address %#x, which an argument leads to", x.Addr()))
			default:
				panic(x)
			}
		}
	}()
	if k.r.phase != initialized && !f.anytime {
		k.fail(errclass.Other, "it was called %v", k.r.phase)
	}
	if k.r.inside != "" && f.communicates {
		err := k.errorOf(errclass.Other, "%s called it, which must not communicate", k.r.inside)
		k.r.end(err) // no handler runs inside a collective
		return err
	}
	err = f.do(k)
	returned = true
	return err
}

// local handles an error of a call without communicator or file: by the handler of the
// call's object, or else of MPI_COMM_SELF.
func (k *call) local(err error) error {
	switch {
	case err == nil:
		return nil
	case k.file != nil:
		return k.file.CallErrhandler(err)
	case strings.HasPrefix(k.name, "MPI_File_"), k.name == "MPI_Register_datarep":
		return k.raiseFile(err)
	case k.comm != nil:
		return k.comm.CallErrhandler(err)
	}
	if k.r.program.Tolerant {
		return k.r.world.CallErrhandler(err)
	}
	return k.r.self.CallErrhandler(err)
}

func unsupported(k *call) error {
	return k.local(k.errorOf(errclass.UnsupportedOperation, "commworld does not have it: see docs/c-programs.md"))
}

func (k *call) word() int64 {
	w := k.args[k.next]
	k.next++
	return w
}

func (k *call) int() int { return int(k.word()) }

func (k *call) bool() bool { return int32(k.word()) != 0 }

func (k *call) skip() { k.next++ }

func (k *call) string() string {
	a := k.word()
	if a == 0 {
		k.fail(errclass.Arg, "a string is NULL")
	}
	return text(a)
}

// out reads the address of a result.
func (k *call) out() int64 {
	a := k.word()
	if a == 0 {
		k.fail(errclass.Arg, "argument %d is NULL, where a result goes", k.next)
	}
	return a
}

// function reads the address of a function of the program.
func (k *call) function() int64 {
	a := k.word()
	if a == 0 {
		k.fail(errclass.Arg, "argument %d is NULL, where a function goes", k.next)
	}
	return a
}

func put[T any](address int64, value T) {
	*(*T)(memory(address, int64(unsafe.Sizeof(value)))) = value
}

func peek[T any](address int64) T {
	return *(*T)(memory(address, int64(unsafe.Sizeof(*new(T)))))
}

func putInt(address int64, value int) { put(address, int32(value)) }

func putBool(address int64, value bool) {
	n := int32(0)
	if value {
		n = 1
	}
	put(address, n)
}

// putCount stores a number at the address of a count; one that does not fit becomes
// UNDEFINED.
func (k *call) putCount(address, n int64) {
	switch {
	case k.large:
		put(address, n)
	case n > math.MaxInt32 || n < math.MinInt32:
		put(address, int32(comm.Undefined))
	default:
		put(address, int32(n))
	}
}

// putString stores a string and the 0 that ends it.
func putString(address int64, s string, room int) int {
	if len(s) >= room {
		s = s[:room-1]
	}
	copy(at[byte](address, int64(len(s))), s)
	put(address+int64(len(s)), byte(0))
	return len(s)
}

// array returns the n items of an array.
func array[T any](k *call, address, n int64) []T {
	if n < 0 {
		k.fail(errclass.Count, "an array of %d items", n)
	}
	if n > 0 && address == 0 {
		k.fail(errclass.Arg, "an array of %d items is NULL", n)
	}
	if n > reach/int64(unsafe.Sizeof(*new(T))) {
		k.fail(errclass.Count, "an array of %d items", n)
	}
	return at[T](address, n)
}

// ints reads an array of int.
func (k *call) ints(n int64) []int {
	xs := array[int32](k, k.word(), n)
	all := make([]int, len(xs))
	for i, x := range xs {
		all[i] = int(x)
	}
	return all
}

// counts reads an array of counts or displacements, which are int or have 64 bits.
func (k *call) counts(n int64) []int64 { return k.countsAt(k.word(), n) }

func (k *call) countsAt(address, n int64) []int64 {
	if k.large {
		return append([]int64{}, array[int64](k, address, n)...)
	}
	xs := array[int32](k, address, n)
	all := make([]int64, len(xs))
	for i, x := range xs {
		all[i] = int64(x)
	}
	return all
}

// addresses reads an array of MPI_Aint.
func (k *call) addresses(n int64) []int64 { return append([]int64{}, array[int64](k, k.word(), n)...) }

// onComm reads a communicator; its handler handles errors of other arguments.
func (k *call) onComm() *comm.Comm {
	c := k.anyComm()
	k.comm = c
	return c
}

func (k *call) anyComm() *comm.Comm {
	h := k.word()
	c, err := k.r.comms.get(h)
	if err != nil {
		if h == commNull {
			k.fail(errclass.Comm, "the communicator is MPI_COMM_NULL")
		}
		k.fail(errclass.Comm, "%w", err)
	}
	if k.r.madeLater(c) != nil {
		k.fail(errclass.Comm, "the communicator is used before the request of its MPI_Comm_idup is complete: wait for the request first (COMM-01)")
	}
	return c
}

// lookComm finds a communicator among later arguments.
func (k *call) lookComm(index int) *comm.Comm {
	at := k.next
	k.next = index
	c := k.onComm()
	k.next = at
	return c
}

// newComm stores the handle of a new communicator, or the null handle.
func (k *call) newComm(address int64, c *comm.Comm, err error) error {
	h := int64(commNull)
	if err == nil && c != nil {
		h = k.r.commHandle(c)
	}
	put(address, h)
	return err
}

func (r *rank) commHandle(c *comm.Comm) int64 {
	if h, ok := r.commOf[c]; ok {
		return h
	}
	h := r.comms.add(c)
	r.commOf[c] = h
	return h
}

// reach bounds the distance in bytes between addresses of the program: datatypes of
// absolute addresses have parts on the stack and in the heap.
const reach = 1 << 48

// buffer reads the address, the count and the datatype of a buffer.
func (k *call) buffer() types.Buffer {
	address, n := k.ownMemory(), k.word()
	return k.r.memory(k, address, n, k.datatype())
}

// received is buffer for a receive.
func (k *call) received() (b types.Buffer) {
	address, n := k.ownMemory(), k.word()
	k.r.receiveMemory(&b, k, address, n, k.datatype())
	return b
}

// ownMemory reads the address of a buffer that cannot be MPI_IN_PLACE: the other buffer,
// where the data would be, does not exist.
func (k *call) ownMemory() int64 {
	a := k.word()
	if a == inPlace {
		k.fail(errclass.Buffer, "argument %d is MPI_IN_PLACE, which is for collectives that have two buffers", k.next)
	}
	return a
}

// memory returns the buffer of n copies of a datatype at an address.
func (r *rank) memory(k *call, address, n int64, t *types.Type) (b types.Buffer) {
	r.setMemory(&b, k, address, n, t)
	return b
}

// setMemory makes b the buffer of n copies of a datatype at an address. It spares calls
// with small messages the time to copy the result.
func (r *rank) setMemory(b *types.Buffer, k *call, address, n int64, t *types.Type) {
	if address == inPlace {
		*b = comm.InPlace
		return
	}
	if t != r.lastType {
		l, err := t.Layout(r.sizes)
		if err != nil {
			*b = types.Raw(nil, n, t)
			return
		}
		r.lastType, r.lastLayout = t, l
	}
	l := r.lastLayout
	if n <= 0 || l.Size == 0 {
		*b = types.Raw(nil, n, t)
		return
	}
	s := r.span(k, address, l, n)
	if v := r.remote(); v != nil && !s.dense {
		*b = v.scattered(k, s, l, n, t)
		return
	}
	*b = types.Raw(s.bytes(), n, t)
	if s.lo != 0 {
		*b = b.At(-s.lo)
	}
}

// receiveMemory makes b the buffer of a receive. Its count may be more than there is memory
// for, as long as the message is not: then b ends where the mapped memory ends. (P2P-09)
func (r *rank) receiveMemory(b *types.Buffer, k *call, address, n int64, t *types.Type) {
	defer func() {
		x := recover()
		if x == nil {
			return
		}
		if _, unmapped := x.(fault); !unmapped {
			panic(x)
		}
		s := r.span(k, address, r.lastLayout, n)
		mapped := s.mapped()
		if mapped == nil {
			panic(x) // not even the first byte
		}
		*b = types.Raw(mapped, n, t).At(-s.lo)
	}()
	r.setMemory(b, k, address, n, t)
}

// A stretch is memory of C, with the address of displacement 0.
type stretch struct {
	address, lo, hi int64
	r               *rank
	dense           bool // all of its bytes are data
}

// first returns the address of the memory. Of a process it is never one of this process, also if
// the program has computed it.
func (s stretch) first() int64 {
	if s.r != nil && s.r.process != nil {
		return s.r.process.memory.own(s.address + s.lo)
	}
	return s.address + s.lo
}

// mem returns the buffer.
func (s stretch) mem(n int64, t *types.Type) types.Buffer {
	return types.Raw(s.bytes(), n, t).At(-s.lo)
}

// bytes returns the memory. It touches both ends, so that a bad address is an error of this
// call and not of the rank that moves the data.
func (s stretch) bytes() []byte {
	b := buffer(s.first(), s.hi-s.lo, s.dense, s.address)
	touch(&b[0], &b[len(b)-1])
	return b
}

// mapped returns the beginning of the memory, up to the first page that is not mapped.
func (s stretch) mapped() []byte {
	page := int64(os.Getpagesize())
	first := s.first()
	end := first + s.hi - s.lo
	next := first
	for next < end && readable(next) {
		next = (next/page + 1) * page
	}
	return buffer(first, min(next, end)-first, s.dense, s.address)
}

// readable reports whether there is memory at an address.
func readable(address int64) (ok bool) {
	defer func() {
		if x := recover(); x != nil {
			if _, unmapped := x.(fault); !unmapped {
				panic(x)
			}
		}
	}()
	b := at[byte](address, 1)
	touch(&b[0], &b[0])
	return true
}

//go:noinline
func touch(first, last *byte) byte { return *first ^ *last }

// span returns the memory that n copies of a layout touch.
func (r *rank) span(k *call, address int64, l *types.Layout, n int64) stretch {
	s := stretch{address: address, lo: l.TrueLB, hi: l.TrueUB, r: r, dense: l.Size == l.TrueUB-l.TrueLB && (n == 1 || l.Extent == l.Size)}
	if x := l.Extent; x != 0 && n-1 > reach/max(x, -x) {
		k.fail(errclass.Count, "%d copies of a datatype of extent %d are more than any memory holds", n, x)
	}
	if last := (n - 1) * l.Extent; last < 0 {
		s.lo += last
	} else {
		s.hi += last
	}
	if a := address + s.lo; a < predefined || s.hi-s.lo > reach {
		switch address {
		case sectionBuffer:
			k.fail(errclass.Buffer, "the buffer is a section of a Fortran array whose elements are not contiguous; pass a contiguous array, because the call uses the buffer after it returns, or its datatype does not have the size of the elements")
		case 0:
			k.fail(errclass.Buffer, "the buffer is NULL, and displacements of the datatype are not addresses")
		}
		k.fail(errclass.Buffer, "the data begin at address %#x, %d bytes before the buffer, which is outside of the program's memory", uint64(plain(a)), -s.lo)
	}
	return s
}

// bytes reads the address and the size of plain memory.
func (k *call) bytes() []byte {
	address, n := k.word(), k.word()
	return array[byte](k, address, n)
}
