package mpi

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"math"
	"os"
	"runtime"
	"strconv"
	"sync"
	"unsafe"
	"weak"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A cache holds the library's datatype for each of ours, made by replaying how ours was
// constructed. An entry becomes stale when our type is garbage; the next conversion frees
// it, because only a rank's own calls may free.
type cache struct {
	made map[weak.Pointer[types.Type]]replayed

	last   *types.Type // most calls use the type of the call before
	lastly handle

	mu   sync.Mutex
	dead []weak.Pointer[types.Type]
}

// A replayed is the library's datatype for one of ours. Predefined datatypes and those
// for Fortran's numbers are not owned and never freed.
type replayed struct {
	h     handle
	owned bool
}

// typeOf returns the library's datatype of t.
func (w *world) typeOf(t *types.Type) (handle, error) {
	if t == nil {
		return 0, nil
	}
	c := &w.types
	if t == c.last {
		return c.lastly, nil
	}
	if r, ok := c.made[weak.Make(t)]; ok {
		c.last, c.lastly = t, r.h
		return r.h, nil
	}
	c.sweep()
	h, owned, err := w.replay(t)
	if err != nil {
		return 0, err
	}
	if c.made == nil {
		c.made = map[weak.Pointer[types.Type]]replayed{}
	}
	key := weak.Make(t)
	c.made[key] = replayed{h, owned}
	runtime.AddCleanup(t, func(key weak.Pointer[types.Type]) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.dead = append(c.dead, key)
	}, key)
	return h, nil
}

// sweep frees the datatypes of types that are garbage.
func (c *cache) sweep() {
	c.mu.Lock()
	dead := c.dead
	c.dead = nil
	c.mu.Unlock()
	for _, key := range dead {
		c.made[key].free()
		delete(c.made, key)
	}
}

func (r replayed) free() {
	if r.owned {
		C.cw_type_free(r.h)
	}
}

// free frees the remaining datatypes when the process leaves the job.
func (c *cache) free() {
	for _, r := range c.made {
		r.free()
	}
	c.made, c.last = nil, nil
}

// predefinedName returns t's name in the standard, even if the program has given t another
// name.
func predefinedName(t *types.Type) string {
	if k := t.Kind(); k != types.KindNone {
		return k.MPI()
	}
	for _, p := range types.Pairs() {
		if t.Equal(p) {
			return p.Name()
		}
	}
	return t.Name()
}

// replay makes t by the library's constructors.
func (w *world) replay(t *types.Type) (h handle, owned bool, err error) {
	if err := t.Err(); err != nil {
		return 0, false, err
	}
	e := t.Envelope()
	if e.Combiner == types.CombinerNamed {
		h, err = w.named(predefinedName(t))
		return h, false, err
	}
	args, err := t.Contents()
	if err != nil {
		return 0, false, err
	}
	if e.Combiner == types.CombinerValueIndex {
		return w.pair(t, args)
	}
	ints, err := w.ints(args.Integers)
	if err != nil {
		return 0, false, err
	}
	addrs := make([]C.cw_int, len(args.Addresses))
	for i, a := range args.Addresses {
		addrs[i] = C.cw_int(a)
	}
	list := make([]handle, len(args.Types))
	for i, x := range args.Types {
		if list[i], err = w.typeOf(x); err != nil {
			return 0, false, err
		}
	}
	code := C.cw_type(C.int(e.Combiner), C.int(len(ints)), first(ints), C.int(len(addrs)), first(addrs), C.int(len(list)), first(list), w.out)
	if err := w.check(e.Combiner.String(), code); err != nil {
		return 0, false, err
	}
	runtime.KeepAlive(args)
	h = *w.out
	owned = e.Combiner < types.CombinerF90Real || e.Combiner > types.CombinerF90Integer
	if owned {
		h, err = w.fixBounds(t, h)
	}
	return h, owned, err
}

// fixBounds gives a datatype the bounds that the standard defines: libraries differ from
// it, and from each other, in the extents of some nested types, and memory is laid out by
// ours.
func (w *world) fixBounds(t *types.Type, h handle) (handle, error) {
	l, err := t.Layout(reps.LP64LE)
	if err != nil {
		return h, err
	}
	var lb, extent, size C.cw_int
	if err := w.check("MPI_Type_get_extent_x", C.cw_type_extent(h, &lb, &extent, &size)); err != nil {
		return h, err
	}
	if w.raw() || int64(lb) == l.LB && int64(extent) == l.Extent {
		return h, nil
	}
	addrs := []C.cw_int{C.cw_int(l.LB), C.cw_int(l.Extent)}
	code := C.cw_type(C.int(types.CombinerResized), 0, nil, 2, first(addrs), 1, &h, w.out)
	C.cw_type_free(h)
	return *w.out, w.check("MPI_Type_create_resized", code)
}

// raw reports whether datatypes keep the library's own bounds; the judge of libraries
// asks for that.
func (w *world) raw() bool { return rawTypes }

var rawTypes = os.Getenv("COMMWORLD_MPI_RAW") != ""

func (w *world) named(name string) (handle, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	if C.cw_named(text, w.out) != 0 {
		return 0, &engine.Error{Library: w.library, Call: name, Class: errclass.Type, Text: "the library has no such datatype"}
	}
	return *w.out, nil
}

// pair returns the predefined pair of the same two types: libraries before MPI-4.1 have no
// other pairs.
func (w *world) pair(t *types.Type, args types.Contents) (handle, bool, error) {
	if len(args.Types) == 2 {
		for _, p := range types.Pairs() {
			if p.Signature().Equal(t.Signature()) {
				h, err := w.named(p.Name())
				return h, false, err
			}
		}
	}
	return 0, false, &engine.Error{Library: w.library, Call: "MPI_Type_get_value_index", Class: errclass.Type, Text: "the library has no pair like " + t.String()}
}

// ints returns numbers as an array of C.
func (w *world) ints(list []int64) ([]C.int, error) {
	out := make([]C.int, len(list))
	for i, v := range list {
		if v < math.MinInt32 || v > math.MaxInt32 {
			return nil, w.tooLarge(v)
		}
		out[i] = C.int(v)
	}
	return out, nil
}

func (w *world) tooLarge(v int64) error {
	return &engine.Error{Library: w.library, Call: "a count", Class: errclass.Count, Text: "it takes numbers of 32 bits; this is larger: " + strconv.FormatInt(v, 10)}
}

func first[T any](list []T) *T {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// A piece is a buffer in the form of a call's arguments.
type piece struct {
	base unsafe.Pointer
	off  C.cw_int
	n    C.int
	t    handle
	big  handle // of a count that is not an int: the datatype of all of it, to be freed
}

// piece makes b ready for a call.
func (w *world) piece(b types.Buffer) (p piece, err error) {
	if w.funneled && C.cw_foreign() != 0 {
		return piece{}, w.check("a call", C.CW_WRONG_THREAD)
	}
	if b.Type() == nil {
		return piece{}, nil
	}
	if mem := b.Mem(); len(mem) > 0 {
		p.base = unsafe.Pointer(unsafe.SliceData(mem))
	}
	p.off = C.cw_int(b.Origin())
	if p.t, err = w.typeOf(b.Type()); err != nil {
		return p, err
	}
	if b.Count() > math.MaxInt32 {
		return w.bigPiece(p, b.Count())
	}
	p.n = C.int(b.Count())
	return p, nil
}

// bigPiece describes a buffer by one item of a larger datatype, because an int cannot hold
// the count.
func (w *world) bigPiece(p piece, n int64) (piece, error) {
	const chunk = 1 << 30
	one := func(combiner types.Combiner, ints []C.int, addrs []C.cw_int, list []handle) (handle, error) {
		code := C.cw_type(C.int(combiner), C.int(len(ints)), first(ints), C.int(len(addrs)), first(addrs), C.int(len(list)), first(list), w.out)
		return *w.out, w.check("MPI_Type_contiguous", code)
	}
	if n/chunk > math.MaxInt32 {
		return p, w.tooLarge(n)
	}
	var lb, extent, size C.cw_int
	C.cw_type_extent(p.t, &lb, &extent, &size)
	part, err := one(types.CombinerContiguous, []C.int{chunk}, nil, []handle{p.t})
	if err != nil {
		return p, err
	}
	defer C.cw_type_free(part)
	p.big, err = one(types.CombinerStruct, []C.int{2, C.int(n / chunk), C.int(n % chunk)}, []C.cw_int{0, C.cw_int(n/chunk) * chunk * extent}, []handle{part, p.t})
	p.t, p.n = p.big, 1
	return p, err
}

// done frees the datatypes of a piece.
func (p *piece) done() {
	if p.big != 0 {
		C.cw_type_free(p.big)
		p.big = 0
	}
}
