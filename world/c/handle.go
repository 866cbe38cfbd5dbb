//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"fmt"
	"slices"

	"github.com/commworld/commworld/internal/sched"
)

// A kind is a kind of handles.
type kind uint8

const (
	kindComm kind = iota + 1
	kindGroup
	kindDatatype
	kindFile
	kindInfo
	kindRequest
	kindMessage
	kindOp
	kindErrhandler
	kindCvar
	kindSession
	kindPvar
)

var kindNames = [...]string{"", "MPI_Comm", "MPI_Group", "MPI_Datatype", "MPI_File", "MPI_Info", "MPI_Request", "MPI_Message", "MPI_Op", "MPI_Errhandler", "MPI_T_cvar_handle", "MPI_T_pvar_session", "MPI_T_pvar_handle"}

func (k kind) String() string { return kindNames[k] }

// A handle in C is below [predefined] for what the standard names. Others have the kind, a
// number that distinguishes a new object from a freed one in the same slot, and the slot.
const (
	predefined = 1 << 12
	slotBits   = 32
	useBits    = 24
	kindShift  = slotBits + useBits
)

// handles is a table of the objects of one kind for which a rank has handles.
type handles[T any] struct {
	kind  kind
	from  **sched.Place // the line of the program that makes handles; nil: it is not of interest
	named map[int64]T
	quick []slot[T] // predefined handles
	slots []slot[T]
	free  []uint32
}

type slot[T any] struct {
	use    uint32
	taken  bool
	object T
	made   *sched.Place
}

// newHandles returns a table with the handles that the standard names.
func newHandles[T any](k kind, named map[int64]T) handles[T] {
	h := handles[T]{kind: k, named: named}
	for n, object := range named {
		for int64(len(h.quick)) <= n {
			h.quick = append(h.quick, slot[T]{})
		}
		h.quick[n] = slot[T]{taken: true, object: object}
	}
	return h
}

// add returns a new handle.
func (h *handles[T]) add(object T) int64 {
	var i uint32
	if n := len(h.free); n > 0 {
		i = h.free[n-1]
		h.free = h.free[:n-1]
	} else {
		i = uint32(len(h.slots))
		h.slots = append(h.slots, slot[T]{})
	}
	s := &h.slots[i]
	s.use = (s.use + 1) & (1<<useBits - 1)
	s.taken, s.object = true, object
	if h.from != nil {
		s.made = *h.from
	}
	return int64(h.kind)<<kindShift | int64(s.use)<<slotBits | int64(i)
}

// get returns the object of a handle, or an error that describes what is wrong with the
// handle.
func (h *handles[T]) get(handle int64) (T, error) {
	if handle >= 0 && handle < int64(len(h.quick)) && h.quick[handle].taken {
		return h.quick[handle].object, nil
	}
	if s := h.slot(handle); s != nil {
		return s.object, nil
	}
	var none T
	return none, h.explain(handle)
}

func (h *handles[T]) slot(handle int64) *slot[T] {
	if handle < integers {
		handle = h.widen(handle)
	}
	i := handle & (1<<slotBits - 1)
	if kind(handle>>kindShift) != h.kind || handle < 0 || i >= int64(len(h.slots)) {
		return nil
	}
	s := &h.slots[i]
	if !s.taken || int64(s.use) != handle>>slotBits&(1<<useBits-1) {
		return nil
	}
	return s
}

func (h *handles[T]) explain(handle int64) error {
	k, slot := kind(handle>>kindShift), handle&(1<<slotBits-1)
	if handle >= 0 && handle < integers {
		k, slot = kind(handle>>integerKindShift), handle&(1<<integerSlotBits-1)
	}
	switch {
	case handle == 0:
		return fmt.Errorf("the handle is 0, which is no %v; it was never set", h.kind)
	case handle > 0 && handle < predefined:
		return fmt.Errorf("the handle %#x is a null handle, or none of a %v", handle, h.kind)
	case k == h.kind && slot < int64(len(h.slots)):
		return fmt.Errorf("the %v was freed", h.kind)
	case k > 0 && int(k) < len(kindNames):
		return fmt.Errorf("a %v was given for a %v", k, h.kind)
	}
	return fmt.Errorf("%#x is not a handle; the variable was never set, or was overwritten", handle)
}

// remove frees the slot of a handle, if it has one.
func (h *handles[T]) remove(handle int64) {
	handle = h.widen(handle)
	if s := h.slot(handle); s != nil {
		var none T
		s.taken, s.object = false, none
		h.free = append(h.free, uint32(handle&(1<<slotBits-1)))
	}
}

// set replaces the object of a handle.
func (h *handles[T]) set(handle int64, object T) {
	if s := h.slot(handle); s != nil {
		s.object = object
	}
}

// Integers of Fortran have the kind, the use modulo 128 and the slot of a handle, and may be
// used as one. Slots beyond have numbers in the list of converted handles.
const (
	integerSlotBits  = 20
	integerUseBits   = 7
	integerKindShift = integerSlotBits + integerUseBits
	integers         = 1 << 31
)

// integerOf returns the integer of a handle; false if it has a number in the list.
func integerOf(handle int64) (n int64, ok bool) {
	slot := handle & (1<<slotBits - 1)
	if handle < integers && handle >= 0 {
		return handle, true
	}
	if handle < 0 || slot >= 1<<integerSlotBits {
		return 0, false
	}
	use := handle >> slotBits & (1<<integerUseBits - 1)
	return handle>>kindShift<<integerKindShift | use<<integerSlotBits | slot, true
}

// widen returns the handle that has an integer; if there is none, the integer.
func (h *handles[T]) widen(n int64) int64 {
	i := n & (1<<integerSlotBits - 1)
	if kind(n>>integerKindShift) != h.kind || n < 0 || n >= integers || i >= int64(len(h.slots)) {
		return n
	}
	s := &h.slots[i]
	if !s.taken || int64(s.use)&(1<<integerUseBits-1) != n>>integerSlotBits&(1<<integerUseBits-1) {
		return n
	}
	return int64(h.kind)<<kindShift | int64(s.use)<<slotBits | i
}

// integerCalls convert handles to integers and back.
var integerCalls = func() map[string]handler {
	all := map[string]handler{"Commworld_fortran_function": func(k *call) error {
		if k.r.fortran == nil {
			k.r.fortran = map[int64]bool{}
		}
		k.r.fortran[k.function()] = true
		return nil
	}}
	for name, widen := range map[string]func(*rank, int64) int64{
		"Comm":       func(r *rank, n int64) int64 { return r.comms.widen(n) },
		"Errhandler": func(r *rank, n int64) int64 { return r.errs.widen(n) },
		"File":       func(r *rank, n int64) int64 { return r.files.widen(n) },
		"Group":      func(r *rank, n int64) int64 { return r.groups.widen(n) },
		"Info":       func(r *rank, n int64) int64 { return r.infos.widen(n) },
		"Message":    func(r *rank, n int64) int64 { return r.messages.widen(n) },
		"Op":         func(r *rank, n int64) int64 { return r.ops.widen(n) },
		"Request":    func(r *rank, n int64) int64 { return r.requests.widen(n) },
		"Type":       func(r *rank, n int64) int64 { return r.datatypes.widen(n) },
		"Session":    func(_ *rank, n int64) int64 { return n },
		"Win":        func(_ *rank, n int64) int64 { return n },
	} {
		all[name+"_c2f"], all[name+"_toint"] = toInteger, toInteger
		from := func(k *call) error {
			k.result = widen(k.r, k.r.listed(int64(int32(k.word()))))
			return nil
		}
		all[name+"_f2c"], all[name+"_fromint"] = from, from
	}
	return all
}()

// integer returns the integer of a handle.
func (r *rank) integer(h int64) int64 {
	n, ok := integerOf(h)
	if ok {
		return n
	}
	i := slices.Index(r.integers, h)
	if i < 0 {
		i = len(r.integers)
		r.integers = append(r.integers, h)
	}
	return int64(i) + predefined
}

// listed returns the handle of a number in the list of converted handles, or else the number.
func (r *rank) listed(n int64) int64 {
	if i := n - predefined; i >= 0 && i < int64(len(r.integers)) {
		return r.integers[i]
	}
	return n
}

// given returns the handle that a function of the program gets: its integer, if the function
// is one of Fortran.
func (r *rank) given(fn, handle int64) int64 {
	if r.fortran[fn] {
		return r.integer(handle)
	}
	return handle
}

func toInteger(k *call) error {
	k.result = k.r.integer(k.word())
	return nil
}
