//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
)

// Words of an MPI_Status.
const (
	statusSource = iota
	statusTag
	statusError
	statusLow  // of the number of bytes
	statusHigh // of the number of bytes
	statusCancelled
	_
	_
	statusWords
)

const statusBytes = 4 * statusWords

func words(address int64) []int32 { return at[int32](address, statusWords) }

// putStatus stores a status, including its error only if it has one. Address 0 is
// MPI_STATUS_IGNORE.
func putStatus(address int64, st comm.Status) {
	if address == 0 {
		return
	}
	w := words(address)
	w[statusSource], w[statusTag] = int32(st.Source), int32(st.Tag)
	w[statusLow], w[statusHigh] = int32(st.Bytes()), int32(st.Bytes()>>32)
	w[statusCancelled] = 0
	if st.Cancelled() {
		w[statusCancelled] = 1
	}
}

// putStatuses stores the statuses of a call on several requests. If the call failed, each
// has an error or MPI_SUCCESS.
func (k *call) putStatuses(address int64, sts []comm.Status, err error) {
	if address == 0 {
		return
	}
	for i, st := range sts {
		a := address + int64(i)*statusBytes
		putStatus(a, st)
		if err != nil {
			words(a)[statusError] = int32(k.r.codes.of(st.Err))
		}
	}
}

func (k *call) getStatus(address int64) comm.Status {
	if address == 0 {
		k.fail(errclass.Arg, "the status is MPI_STATUS_IGNORE")
	}
	w := words(address)
	st := comm.NewStatus(int64(uint32(w[statusLow]))|int64(w[statusHigh])<<32, k.r.sizes)
	st.Source, st.Tag = int(w[statusSource]), int(w[statusTag])
	st.SetCancelled(w[statusCancelled] != 0)
	return st
}

var statusCalls = map[string]handler{
	"Get_count": func(k *call) error {
		st, t := k.getStatus(k.word()), k.anyDatatype()
		n, ok := st.Count(t)
		if !ok {
			n = comm.Undefined
		}
		k.putCount(k.out(), n)
		return nil
	},
	"Get_elements":          getElements,
	"Get_elements_x":        func(k *call) error { k.large = true; return getElements(k) },
	"Status_set_elements":   setElements,
	"Status_set_elements_x": setElements,
	"Status_set_cancelled": func(k *call) error {
		w := words(k.out())
		w[statusCancelled] = 0
		if k.bool() {
			w[statusCancelled] = 1
		}
		return nil
	},
	"Test_cancelled": func(k *call) error {
		st := k.getStatus(k.word())
		putBool(k.out(), st.Cancelled())
		return nil
	},
	"Status_get_source": statusGet(statusSource),
	"Status_get_tag":    statusGet(statusTag),
	"Status_get_error":  statusGet(statusError),
	"Status_set_source": statusSet(statusSource),
	"Status_set_tag":    statusSet(statusTag),
	"Status_set_error":  statusSet(statusError),
	"Status_c2f":        copyStatus,
	"Status_c2f08":      copyStatus,
	"Status_f082c":      copyStatus,
	"Status_f082f":      copyStatus,
	"Status_f2c":        copyStatus,
	"Status_f2f08":      copyStatus,
}

// copyStatus converts a status of C to one of Fortran, or back: they have the same words.
func copyStatus(k *call) error {
	from := k.word()
	if from == 0 {
		k.fail(errclass.Arg, "the status is MPI_STATUS_IGNORE or MPI_F_STATUS_IGNORE")
	}
	copy(words(k.out()), words(from))
	return nil
}

func getElements(k *call) error {
	st, t := k.getStatus(k.word()), k.anyDatatype()
	n, ok := st.Elements(t)
	if !ok {
		n = comm.Undefined
	}
	k.putCount(k.out(), n)
	return nil
}

func statusGet(word int) handler {
	return func(k *call) error {
		w := words(k.out())
		put(k.out(), w[word])
		return nil
	}
}

func statusSet(word int) handler {
	return func(k *call) error {
		w := words(k.out())
		w[word] = int32(k.word())
		return nil
	}
}

func setElements(k *call) error {
	a := k.out()
	st, t, n := k.getStatus(a), k.anyDatatype(), k.word()
	if err := st.SetElements(t, n); err != nil {
		return k.local(err)
	}
	putStatus(a, st)
	return nil
}
