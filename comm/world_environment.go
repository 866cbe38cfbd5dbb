package comm

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/commworld/commworld/internal/commport"
)

// The version of the standard that this module follows. (WORLD-02)
//
// MPI_Get_version
const (
	Version    = 4 // MPI_VERSION
	Subversion = 1 // MPI_SUBVERSION
)

// Attributes of COMM_WORLD in the standard that are the same in every world. See also
// [MaxTag] and, for those that differ, the methods of [Comm].
const (
	Host          = ProcNull  // MPI_HOST: no rank is the host
	IO            = AnySource // MPI_IO: every rank can do I/O
	WTimeIsGlobal = true      // MPI_WTIME_IS_GLOBAL
	AppNum        = 0         // MPI_APPNUM: there is one program
)

// LibraryVersion returns the version of this module and of Go. (WORLD-02)
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

// ProcessorName returns the name of the machine. All ranks run on it, unless their world
// has nodes, see [Comm.ProcessorName].
// (WORLD-02)
//
// MPI_Get_processor_name
func ProcessorName() string {
	if name, err := os.Hostname(); err == nil {
		return name
	}
	return "localhost"
}

// ProcessorName returns the name of the machine that the rank runs on: that of
// [ProcessorName], or, in a world of nodes (world.Nodes, world.On), "node0" and so on. Empty on nil.
// Local. (WORLD-02)
//
// MPI_Get_processor_name
func (c *Comm) ProcessorName() string {
	if c.null() {
		return ""
	}
	if c.cluster() == nil {
		return ProcessorName()
	}
	return "node" + strconv.Itoa(c.node())
}

// cluster returns the nodes that the world pretends to run on, nil if it has none.
func (c *Comm) cluster() *commport.Cluster {
	m, _ := c.kept(commport.ClusterKey{}).(*commport.Cluster)
	return m
}

// node returns the number of the node that the rank is on.
func (c *Comm) node() int {
	m := c.cluster()
	if m == nil {
		return 0
	}
	return c.proc.thread.ID() / m.RanksPerNode
}

// UniverseSize returns how many ranks the world can have: as many as it has, because none
// can be added. 0 on nil. (COMM-01)
//
// MPI_UNIVERSE_SIZE
func (c *Comm) UniverseSize() int {
	if c.null() {
		return 0
	}
	return c.proc.univ.world.members.n
}
