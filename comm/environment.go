package comm

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
)

// The version of the standard that this module follows. (WORLD-02)
//
// MPI_Get_version
const (
	Version    = 4 // MPI_VERSION
	Subversion = 1 // MPI_SUBVERSION
)

// What the standard keeps as attributes of COMM_WORLD and is the same in every
// world; see also [MaxTag] and, for what is not the same, the methods of
// [Comm].
const (
	Host          = ProcNull  // MPI_HOST: no rank is the host
	IO            = AnySource // MPI_IO: every rank can do I/O
	WTimeIsGlobal = true      // MPI_WTIME_IS_GLOBAL
	AppNum        = 0         // MPI_APPNUM: there is one program
)

// LibraryVersion says which version of this module and of Go runs. (WORLD-02)
//
// MPI_Get_library_version
func LibraryVersion() string {
	const path = "github.com/commworld/commworld"
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Path == path && info.Main.Version != "" {
			version = info.Main.Version
		}
		if i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == path }); i >= 0 {
			version = info.Deps[i].Version
		}
	}
	return "commworld " + version + ", " + runtime.Version()
}

// ProcessorName returns the name of the machine. All ranks run on it.
// (WORLD-02)
//
// MPI_Get_processor_name
func ProcessorName() string {
	if name, err := os.Hostname(); err == nil {
		return name
	}
	return "localhost"
}

// UniverseSize returns how many ranks the world can have: as many as it has,
// for none can be added. 0 on nil. (COMM-01)
//
// MPI_UNIVERSE_SIZE
func (c *Comm) UniverseSize() int {
	if c.null() {
		return 0
	}
	return c.proc.univ.world.members.n
}
