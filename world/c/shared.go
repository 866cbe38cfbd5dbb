//go:build linux && cgo && (amd64 || arm64)

package c

/*
#include "process/mailbox.h"
*/
import "C"

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/commworld/commworld/world/c/internal/table"
)

// With MPI_THREAD_MULTIPLE, a call of one thread that waits for other ranks must not keep the other
// threads of its process from theirs. The library of the process makes such a call of others that
// do not wait; it learns from here of which. See process/threads.h.

// completing lists the calls on requests and the probes, each with the number of the flag among the
// arguments of the function that does the same without waiting: MPI_Test for MPI_Wait.
var completing = map[string]struct {
	twin string
	flag int
}{
	"Wait": {"Test", 1}, "Waitall": {"Testall", 2}, "Waitany": {"Testany", 3}, "Waitsome": {"Testsome", -1},
	"Probe": {"Iprobe", 3}, "Mprobe": {"Improbe", 3},
}

// starting lists the other calls that wait for another rank and have a form that returns a request.
var starting = []string{"Send", "Ssend", "Rsend", "Recv", "Mrecv", "Sendrecv", "Sendrecv_replace", "Comm_dup", "Comm_dup_with_info"}

// ways has the way of each function, by its number.
var ways = sync.OnceValue(func() (all [C.BOX_FUNCTIONS]C.struct_way) {
	list, err := table.All()
	if err != nil {
		panic(err) // the generator has parsed the same text
	}
	names := map[string]int{}
	for i, f := range list {
		names[f.Name] = i
	}
	for i, f := range list {
		w := &all[i]
		if c, ok := completing[f.Name]; ok {
			w.how, w.look, w.flag = C.WAY_LOOK, C.int16_t(names[c.twin]), C.int8_t(c.flag)
			switch c.twin {
			case "Testall":
				w.requests = 2
			case "Test", "Testany", "Testsome":
				w.requests = 1
			default:
				w.probes = 1
			}
			continue
		}
		twin, ok := names[strings.Replace(started(f.Name), "Icomm_dup", "Comm_idup", 1)]
		switch message := slices.Contains(starting, f.Name); {
		case !ok || !message && (collectiveCalls[f.Name] == nil || strings.HasPrefix(f.Name, "I")):
			continue
		case f.Params[len(f.Params)-1].Name == "status":
			w.how = C.WAY_STATUS
		default:
			w.how = C.WAY_START
		}
		w.look = C.int16_t(twin)
	}
	return all
})

// completes matches the functions that complete requests.
var completes = regexp.MustCompile(`^(Wait|Test)(all|any|some)?$`)

// usesOf has what functions do that threads must not do at one time, by their numbers. (MPI 4.1, 11.6.2)
var usesOf = sync.OnceValue(func() (all [C.BOX_FUNCTIONS]C.struct_use) {
	list, err := table.All()
	if err != nil {
		panic(err) // the generator has parsed the same text
	}
	for i, f := range list {
		u := &all[i]
		plain := strings.TrimSuffix(f.Name, "_init")
		u.collective = flag(collectiveCalls[plain] != nil || makers.MatchString(f.Name))
		u.frees = flag(f.Name == "Comm_free" || f.Name == "Comm_disconnect")
		for j, p := range f.Params {
			switch n := C.int8_t(j + 1); {
			case p.Name == "comm" && (u.frees != 0) == strings.Contains(p.Type, "*"), p.Name == "comm_old", p.Name == "old_comm":
				u.comm = n
			case completes.MatchString(f.Name) && strings.HasPrefix(p.Type, "MPI_Request"):
				u.request = n
			case completes.MatchString(f.Name) && (p.Name == "count" || p.Name == "incount"):
				u.requests = n
			}
		}
	}
	return all
})

// makers matches the other functions that are collective on a communicator.
var makers = regexp.MustCompile(`^(Comm_(i?dup(_with_info)?|split(_type)?|create)|(Cart|Graph|Dist_graph)_create.*|Cart_sub|Intercomm_create|Intercomm_merge)$`)

func flag(on bool) C.int8_t {
	if on {
		return 1
	}
	return 0
}

// shareCalls lets the threads of the process make calls while one of them waits.
func (p *process) shareCalls() {
	number := func(name string) C.int32_t {
		return C.int32_t(slices.IndexFunc(functions, func(f function) bool { return f.name == name }))
	}
	p.box.ways, p.box.uses = ways(), usesOf()
	p.box.test, p.box.wait, p.box.await = number("MPI_Test"), number("MPI_Wait"), number("MPI_Request_get_status_any")
	p.box.multiple = 1
}
