//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"fmt"
	"slices"
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
	named map[int64]T
	quick []slot[T] // predefined handles
	slots []slot[T]
	free  []uint32
}

type slot[T any] struct {
	use    uint32
	taken  bool
	object T
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
	k := kind(handle >> kindShift)
	switch {
	case handle == 0:
		return fmt.Errorf("the handle is 0, which is no %v; it was never set", h.kind)
	case handle > 0 && handle < predefined:
		return fmt.Errorf("the handle %#x is a null handle, or none of a %v", handle, h.kind)
	case k == h.kind && handle&(1<<slotBits-1) < int64(len(h.slots)):
		return fmt.Errorf("the %v was freed", h.kind)
	case k > 0 && int(k) < len(kindNames):
		return fmt.Errorf("a %v was given for a %v", k, h.kind)
	}
	return fmt.Errorf("%#x is not a handle; the variable was never set, or was overwritten", handle)
}

// remove frees the slot of a handle, if it has one.
func (h *handles[T]) remove(handle int64) {
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

// integerCalls convert handles to integers and back.
var integerCalls = func() map[string]handler {
	all := map[string]handler{}
	for _, k := range []string{"Comm", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Type", "Win"} {
		all[k+"_c2f"], all[k+"_toint"] = toInteger, toInteger
		all[k+"_f2c"], all[k+"_fromint"] = fromInteger, fromInteger
	}
	return all
}()

// toInteger returns the number of a handle: the handle itself, if it is predefined, or
// else its index in the list of converted handles.
func toInteger(k *call) error {
	h := k.word()
	if h >= 0 && h < predefined {
		k.result = h
		return nil
	}
	i := slices.Index(k.r.integers, h)
	if i < 0 {
		i = len(k.r.integers)
		k.r.integers = append(k.r.integers, h)
	}
	k.result = int64(i) + predefined
	return nil
}

func fromInteger(k *call) error {
	n := int64(int32(k.word()))
	k.result = n
	if i := n - predefined; i >= 0 && i < int64(len(k.r.integers)) {
		k.result = k.r.integers[i]
	}
	return nil
}
