//go:build linux && cgo && (amd64 || arm64)

package c

// Numbers of mpi.h for tools.
const (
	toolNotInitialized = 1003 + iota
	_
	_
	toolInvalid
	toolInvalidIndex
	_
	toolInvalidSession
	toolInvalidHandle
	toolInvalidName
	_
	_
	_
	toolNeverSet
	toolNoWrite
	toolNoStartStop
)

const (
	toolUserBasic   = 0x09
	toolNoObject    = 1
	toolConstant    = 1
	toolLevel       = 2
	toolCounter     = 7
	toolAllHandles  = 1
	toolTextBytes   = 4096 // of a control variable that is text
	toolVariablesIn = 2    // number of categories
)

// A tools is the state of the tools' interface on a rank.
type tools struct {
	users         int // calls of MPI_T_init_thread without MPI_T_finalize
	calls, errors uint64

	cvars    handles[int]
	sessions handles[*session]
	pvars    handles[*reading]
}

// A session is a session of performance variables.
type session struct{ readings map[int64]*reading }

// A reading is a handle of a performance variable.
type reading struct {
	session  *session
	variable *pvar
	zero     uint64 // value at the last reset
}

// A cvar is a control variable: an option of the program, which cannot change.
type cvar struct {
	name, about string
	text        func(r *rank) string // nil for a flag
	flag        func(r *rank) bool
}

var cvars = []cvar{
	{"commworld_tolerant", "1 if the program runs with --tolerant, else 0", nil, func(r *rank) bool { return r.program.Tolerant }},
	{"commworld_dir", "directory of files with relative names; empty for the working directory", func(r *rank) string { return r.program.Dir }, nil},
}

func (v *cvar) items() int {
	if v.flag != nil {
		return 1
	}
	return toolTextBytes
}

// A pvar is a performance variable, an MPI_UNSIGNED_LONG_LONG that is always counted.
type pvar struct {
	name, about string
	class       int
	value       func(r *rank) uint64
}

var pvars = []pvar{
	{"commworld_calls", "calls of MPI that the rank has made", toolCounter, func(r *rank) uint64 { return r.tools.calls }},
	{"commworld_errors", "calls of MPI that have failed", toolCounter, func(r *rank) uint64 { return r.tools.errors }},
	{"commworld_handles", "communicators, groups, datatypes, files, infos, requests, operations and error handlers that the rank has made and not freed", toolLevel, func(r *rank) uint64 {
		return r.comms.live() + r.groups.live() + r.datatypes.live() + r.files.live() + r.infos.live() + r.requests.live() + r.ops.live() + r.errs.live()
	}},
}

// live returns the number of objects with a handle that the program has.
func (h *handles[T]) live() uint64 { return uint64(len(h.slots) - len(h.free)) }

func (r *rank) prepareTools() {
	r.tools.cvars, r.tools.sessions, r.tools.pvars = handles[int]{kind: kindCvar}, handles[*session]{kind: kindSession}, handles[*reading]{kind: kindPvar}
}

// A toolError is a code that a function for tools returns; no handler gets it.
type toolError int64

// toolCalls never raise errors: a tool gets only the code that they return.
var toolCalls = func() map[string]handler {
	all := map[string]handler{}
	for name, do := range toolFunctions {
		all[name] = func(k *call) error {
			k.tool(name, do)
			return nil
		}
		anytime[name] = true
	}
	return all
}()

// tool carries out a function for tools.
func (k *call) tool(name string, do func(k *call)) {
	defer func() {
		if x := recover(); x != nil {
			switch x := x.(type) {
			case toolError:
				k.result = int64(x)
			case bad, fault:
				k.result = toolInvalid
			default:
				panic(x)
			}
		}
	}()
	if k.r.tools.users == 0 && name != "T_init_thread" {
		panic(toolError(toolNotInitialized))
	}
	do(k)
}

var toolFunctions = map[string]func(k *call){
	"T_init_thread": func(k *call) {
		provided := min(k.int(), threadFunneled)
		if a := k.word(); a != 0 {
			putInt(a, provided)
		}
		k.r.tools.users++
	},
	"T_finalize": func(k *call) { k.r.tools.users-- },

	"T_cvar_get_num":   func(k *call) { putInt(k.out(), len(cvars)) },
	"T_cvar_get_index": func(k *call) { k.named(len(cvars), func(i int) string { return cvars[i].name }) },
	"T_cvar_get_info": func(k *call) {
		v := &cvars[k.index(len(cvars))]
		k.optionalText(v.name)
		k.optional(toolUserBasic)
		datatype := "MPI_CHAR"
		if v.flag != nil {
			datatype = "MPI_INT"
		}
		k.optionalHandle(named()[datatype])
		k.optionalHandle(0)
		k.optionalText(v.about)
		k.optional(toolNoObject)
		k.optional(toolConstant)
	},
	"T_cvar_handle_alloc": func(k *call) {
		i := k.index(len(cvars))
		k.skip()
		put(k.out(), k.r.tools.cvars.add(i))
		putInt(k.out(), cvars[i].items())
	},
	"T_cvar_handle_free": func(k *call) {
		a := k.out()
		toolHandle(&k.r.tools.cvars, peek[int64](a))
		k.r.tools.cvars.remove(peek[int64](a))
		put(a, int64(0))
	},
	"T_cvar_read": func(k *call) {
		v := &cvars[toolHandle(&k.r.tools.cvars, k.word())]
		if v.flag != nil {
			putBool(k.out(), v.flag(k.r))
		} else {
			putString(k.out(), v.text(k.r), toolTextBytes)
		}
	},
	"T_cvar_write": func(k *call) {
		toolHandle(&k.r.tools.cvars, k.word())
		panic(toolError(toolNeverSet))
	},

	"T_pvar_get_num": func(k *call) { putInt(k.out(), len(pvars)) },
	"T_pvar_get_index": func(k *call) {
		name, class := k.string(), k.int()
		for i, v := range pvars {
			if v.name == name && v.class == class {
				putInt(k.out(), i)
				return
			}
		}
		panic(toolError(toolInvalidName))
	},
	"T_pvar_get_info": func(k *call) {
		v := &pvars[k.index(len(pvars))]
		k.optionalText(v.name)
		k.optional(toolUserBasic)
		k.optional(v.class)
		k.optionalHandle(named()["MPI_UNSIGNED_LONG_LONG"])
		k.optionalHandle(0)
		k.optionalText(v.about)
		k.optional(toolNoObject)
		readonly := 0
		if v.class == toolLevel {
			readonly = 1
		}
		k.optional(readonly)
		k.optional(1) // continuous
		k.optional(0) // atomic
	},
	"T_pvar_session_create": func(k *call) {
		put(k.out(), k.r.tools.sessions.add(&session{readings: map[int64]*reading{}}))
	},
	"T_pvar_session_free": func(k *call) {
		a := k.out()
		s := k.session(peek[int64](a))
		for h := range s.readings {
			k.r.tools.pvars.remove(h)
		}
		k.r.tools.sessions.remove(peek[int64](a))
		put(a, int64(0))
	},
	"T_pvar_handle_alloc": func(k *call) {
		s := k.session(k.word())
		p := &reading{session: s, variable: &pvars[k.index(len(pvars))]}
		k.skip()
		a, n := k.out(), k.out()
		h := k.r.tools.pvars.add(p)
		s.readings[h] = p
		if p.variable.class == toolCounter {
			p.zero = p.variable.value(k.r)
		}
		put(a, h)
		putInt(n, 1)
	},
	"T_pvar_handle_free": func(k *call) {
		s, a := k.session(k.word()), k.out()
		h := peek[int64](a)
		k.reading(s, h)
		delete(s.readings, h)
		k.r.tools.pvars.remove(h)
		put(a, int64(0))
	},
	"T_pvar_start": startStop,
	"T_pvar_stop":  startStop,
	"T_pvar_read": func(k *call) {
		p := k.reading(k.session(k.word()), k.word())
		put(k.out(), p.variable.value(k.r)-p.zero)
	},
	"T_pvar_write": func(k *call) {
		p := k.reading(k.session(k.word()), k.word())
		p.writable()
		p.zero = p.variable.value(k.r) - peek[uint64](k.out())
	},
	"T_pvar_reset": func(k *call) {
		s, h := k.session(k.word()), k.word()
		if h != toolAllHandles {
			p := k.reading(s, h)
			p.writable()
			p.zero = p.variable.value(k.r)
			return
		}
		for _, p := range s.readings {
			if p.variable.class == toolCounter {
				p.zero = p.variable.value(k.r)
			}
		}
	},
	"T_pvar_readreset": func(k *call) {
		p := k.reading(k.session(k.word()), k.word())
		p.writable()
		now := p.variable.value(k.r)
		put(k.out(), now-p.zero)
		p.zero = now
	},

	"T_category_get_num": func(k *call) { putInt(k.out(), toolVariablesIn) },
	"T_category_get_index": func(k *call) {
		k.named(toolVariablesIn, func(i int) string { return categories[i].name })
	},
	"T_category_get_info": func(k *call) {
		i := k.index(toolVariablesIn)
		k.optionalText(categories[i].name)
		k.optionalText(categories[i].about)
		k.optional(categories[i].cvars)
		k.optional(categories[i].pvars)
		k.optional(0) // categories
	},
	"T_category_get_cvars":      func(k *call) { k.indices(func(i int) int { return categories[i].cvars }) },
	"T_category_get_pvars":      func(k *call) { k.indices(func(i int) int { return categories[i].pvars }) },
	"T_category_get_categories": func(k *call) { k.indices(func(int) int { return 0 }) },
	"T_category_get_events":     func(k *call) { k.indices(func(int) int { return 0 }) },
	"T_category_get_num_events": func(k *call) {
		k.index(toolVariablesIn)
		putInt(k.out(), 0)
	},
	"T_category_changed": func(k *call) { putInt(k.out(), 0) },

	// There are no enumerations, events or event sources.
	"T_enum_get_info":             noHandle,
	"T_enum_get_item":             noHandle,
	"T_event_get_num":             func(k *call) { putInt(k.out(), 0) },
	"T_event_get_index":           func(*call) { panic(toolError(toolInvalidName)) },
	"T_event_get_info":            noIndex,
	"T_event_handle_alloc":        noIndex,
	"T_event_handle_free":         noHandle,
	"T_event_handle_get_info":     noHandle,
	"T_event_handle_set_info":     noHandle,
	"T_event_callback_get_info":   noHandle,
	"T_event_callback_set_info":   noHandle,
	"T_event_register_callback":   noHandle,
	"T_event_set_dropped_handler": noHandle,
	"T_event_read":                noHandle,
	"T_event_copy":                noHandle,
	"T_event_get_source":          noHandle,
	"T_event_get_timestamp":       noHandle,
	"T_source_get_num":            func(k *call) { putInt(k.out(), 0) },
	"T_source_get_info":           noIndex,
	"T_source_get_timestamp":      noIndex,
}

var categories = [toolVariablesIn]struct {
	name, about  string
	cvars, pvars int // all of them, or none
}{
	{"commworld_options", "how the program runs", len(cvars), 0},
	{"commworld_counts", "what the rank has done", 0, len(pvars)},
}

func noHandle(*call) { panic(toolError(toolInvalidHandle)) }

func noIndex(*call) { panic(toolError(toolInvalidIndex)) }

// startStop starts or stops variables. All are continuous, so none can be started or
// stopped; a call for all handles of a session ignores them.
func startStop(k *call) {
	s, h := k.session(k.word()), k.word()
	if h != toolAllHandles {
		k.reading(s, h)
		panic(toolError(toolNoStartStop))
	}
}

func (p *reading) writable() {
	if p.variable.class != toolCounter {
		panic(toolError(toolNoWrite))
	}
}

func (k *call) session(h int64) *session {
	s, err := k.r.tools.sessions.get(h)
	if err != nil {
		panic(toolError(toolInvalidSession))
	}
	return s
}

func (k *call) reading(s *session, h int64) *reading {
	if s.readings[h] == nil {
		panic(toolError(toolInvalidHandle))
	}
	return s.readings[h]
}

func toolHandle[T any](h *handles[T], handle int64) T {
	object, err := h.get(handle)
	if err != nil {
		panic(toolError(toolInvalidHandle))
	}
	return object
}

// index reads an index below n.
func (k *call) index(n int) int {
	i := k.int()
	if i < 0 || i >= n {
		panic(toolError(toolInvalidIndex))
	}
	return i
}

// named reads a name and stores its index.
func (k *call) named(n int, name func(i int) string) {
	wanted := k.string()
	for i := range n {
		if name(i) == wanted {
			putInt(k.out(), i)
			return
		}
	}
	panic(toolError(toolInvalidName))
}

// indices reads a category and an array, and stores as many indices as fit.
func (k *call) indices(of func(category int) int) {
	n := of(k.index(toolVariablesIn))
	to := array[int32](k, 0, 0)
	if length, a := k.word(), k.word(); n > 0 {
		to = array[int32](k, a, min(length, int64(n)))
	}
	for i := range to {
		to[i] = int32(i)
	}
}

// optional stores a number if the program passed an address for it.
func (k *call) optional(n int) {
	if a := k.word(); a != 0 {
		putInt(a, n)
	}
}

func (k *call) optionalHandle(h int64) {
	if a := k.word(); a != 0 {
		put(a, h)
	}
}

// optionalText reads a string and its length, and stores as much of s as fits, or the
// length that it needs.
func (k *call) optionalText(s string) {
	a, length := k.word(), k.word()
	if length == 0 {
		return
	}
	room := int(peek[int32](length))
	if a == 0 || room <= 0 {
		putInt(length, len(s)+1)
		return
	}
	putInt(length, putString(a, s, room)+1)
}
