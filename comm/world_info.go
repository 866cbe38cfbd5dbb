package comm

import (
	"iter"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/errclass"
	flt "github.com/commworld/commworld/internal/fault"
)

// The limits of an [Info] in bytes.
const (
	MaxInfoKey = 255  // MPI_MAX_INFO_KEY
	MaxInfoVal = 1024 // MPI_MAX_INFO_VAL
)

// An Info is an ordered set of hints: pairs of a key and a value, both text. It
// keeps the order in which keys were first set. A nil Info is the standard's
// MPI_INFO_NULL: it holds no hints and may be read, but not written.
//
// An Info belongs to one rank; calls on it are local. A call with an Info argument copies
// the hints: changing the Info later changes nothing elsewhere. An Info is garbage
// collected, so that there is no MPI_Info_free.
//
// MPI_Info
type Info struct {
	// Hints are few, so a list is searched faster than a table and needs no
	// second structure for the order.
	hints []hint
}

type hint struct{ key, value string }

// NewInfo returns an Info without hints.
//
// MPI_Info_create
func NewInfo() *Info { return new(Info) }

// InfoEnv returns the hints about how the program was started that the standard reserves, as
// far as they have a meaning in one process: command, argv, arch, host, wdir and
// thread_level. A hint is left out if the system does not report it or its text is too long
// for a value. (INFO-01)
//
// MPI_Info_create_env
func InfoEnv() *Info {
	in := NewInfo()
	put := func(key, value string) {
		if value != "" {
			_ = in.Set(key, value) // too long: left out, as documented
		}
	}
	if len(os.Args) > 0 {
		put("command", os.Args[0])
		put("argv", strings.Join(os.Args[1:], " "))
	}
	put("arch", runtime.GOARCH)
	if host, err := os.Hostname(); err == nil {
		put("host", host)
	}
	if dir, err := os.Getwd(); err == nil {
		put("wdir", dir)
	}
	put("thread_level", "MPI_THREAD_SERIALIZED") // one rank, one thread of control
	return in
}

// find returns the index of the hint of a key, or the index at which it would be inserted.
func (in *Info) find(key string) (at int, ok bool) {
	if in == nil {
		return 0, false
	}
	at = slices.IndexFunc(in.hints, func(h hint) bool { return h.key == key })
	if at < 0 {
		return len(in.hints), false
	}
	return at, true
}

// Set gives a key a value, and replaces the one that it has. Errors: ErrInfo on
// nil, ErrInfoKey for a key that is empty or longer than [MaxInfoKey],
// ErrInfoValue for a value that is longer than [MaxInfoVal]. (INFO-01)
//
// MPI_Info_set
func (in *Info) Set(key, value string) error {
	const op = "Info.Set"
	switch {
	case in == nil:
		return infoError(op, ErrInfo, "a nil Info cannot be changed; make one with NewInfo")
	case key == "" || len(key) > MaxInfoKey:
		return infoError(op, ErrInfoKey, "the key %s has %d bytes; 1 to %d are allowed", clip(key), len(key), MaxInfoKey)
	case len(value) > MaxInfoVal:
		return infoError(op, ErrInfoValue, "the value %s of key %q has %d bytes; at most %d are allowed", clip(value), key, len(value), MaxInfoVal)
	}
	if at, ok := in.find(key); ok {
		in.hints[at].value = value
	} else {
		in.hints = append(in.hints, hint{key, value})
	}
	return nil
}

// Get returns the value of a key; ok is false if the key is not there, which is not an error. A
// nil Info has no keys. (INFO-01)
//
// MPI_Info_get, MPI_Info_get_string, MPI_Info_get_valuelen
func (in *Info) Get(key string) (value string, ok bool) {
	at, ok := in.find(key)
	if !ok {
		return "", false
	}
	return in.hints[at].value, true
}

// Delete takes a key out. Errors: ErrInfo on nil, ErrInfoNoKey if the key is not
// there. (INFO-01)
//
// MPI_Info_delete
func (in *Info) Delete(key string) error {
	const op = "Info.Delete"
	if in == nil {
		return infoError(op, ErrInfo, "a nil Info cannot be changed; make one with NewInfo")
	}
	at, ok := in.find(key)
	if !ok {
		return infoError(op, ErrInfoNoKey, "no key %s among the %d that are set", clip(key), len(in.hints))
	}
	in.hints = slices.Delete(in.hints, at, at+1)
	return nil
}

// NKeys returns how many keys are set, 0 on nil.
//
// MPI_Info_get_nkeys
func (in *Info) NKeys() int {
	if in == nil {
		return 0
	}
	return len(in.hints)
}

// NthKey returns key n, from 0, in the order in which keys were first set.
// Errors: ErrArg if there are not so many. (INFO-01)
//
// MPI_Info_get_nthkey
func (in *Info) NthKey(n int) (string, error) {
	if n < 0 || n >= in.NKeys() {
		return "", infoError("Info.NthKey", ErrArg, "there is no key %d; %d keys are set, counted from 0", n, in.NKeys())
	}
	return in.hints[n].key, nil
}

// All yields all keys with their values, in the order in which the keys were first set. The
// Info may be changed during the iteration, which still yields the pairs from before the
// change.
func (in *Info) All() iter.Seq2[string, string] {
	var hints []hint
	if in != nil {
		hints = slices.Clone(in.hints)
	}
	return func(yield func(key, value string) bool) {
		for _, h := range hints {
			if !yield(h.key, h.value) {
				return
			}
		}
	}
}

// Dup returns a copy. A copy of nil is an Info without hints, which may be
// written.
//
// MPI_Info_dup
func (in *Info) Dup() *Info {
	if in == nil {
		return NewInfo()
	}
	return &Info{slices.Clone(in.hints)}
}

// String lists the hints: {cb_nodes="4" striping_unit="65536"}.
func (in *Info) String() string {
	if in == nil {
		return "INFO_NULL"
	}
	said := make([]string, len(in.hints))
	for i, h := range in.hints {
		said[i] = h.key + "=" + strconv.Quote(h.value)
	}
	return "{" + strings.Join(said, " ") + "}"
}

// update sets the hints of o and keeps those that o does not name.
func (in *Info) update(o *Info) {
	for key, value := range o.All() {
		_ = in.Set(key, value) // o has accepted it already
	}
}

// clip quotes a text and cuts it if it is long.
func clip(s string) string {
	const enough = 40
	if len(s) > enough {
		return strconv.Quote(s[:enough]) + "..."
	}
	return strconv.Quote(s)
}

func infoError(op string, class errclass.Class, format string, args ...any) error {
	return flt.OfCall("comm", op, "info", class, "INFO-01", format, args...)
}
