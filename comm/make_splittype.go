package comm

// A SplitKind is the property by which [Comm.SplitType] groups ranks; its values are those
// of the ABI of MPI-5.0.
type SplitKind int

// The kinds of SplitType. Undefined is also allowed.
const (
	Shared         SplitKind = 221 // ranks that can share memory
	HWGuided       SplitKind = 223 // ranks on one piece of hardware, named by a hint
	HWUnguided     SplitKind = 222 // ranks on one piece of the next smaller hardware
	ResourceGuided SplitKind = 224 // ranks on one resource, named by a hint (MPI-4.1)
)

// ResourceHint is the hint that names the hardware to [Comm.SplitType].
const ResourceHint = "mpi_hw_resource_type"

// SharedMemory is the only known value of ResourceHint.
const SharedMemory = "mpi_shared_memory"

var splitType = &routine{name: "SplitType", agree: agreeSplitType}

// SplitType is [Comm.Split] by the hardware that the ranks run on, ordered by key. All
// ranks are goroutines of one process, which the system moves between processors, so the
// only hardware that counts is the memory that all share. Shared therefore gives all ranks
// one communicator; in a world of nodes (world.Nodes, world.On), one for each node.
// HWGuided and ResourceGuided do the same if the hint [ResourceHint] is [SharedMemory], and
// otherwise give nil, as the standard asks for unknown hardware. HWUnguided gives nil,
// because there is no smaller hardware. A rank that gives [Undefined] gets nil. Collective.
// Errors: ErrComm, ErrArg for an unknown kind, ErrNotSame. (COMM-01)
//
// MPI_Comm_split_type
func (c *Comm) SplitType(kind SplitKind, key int, info *Info) (*Comm, error) {
	m := communicator{key: key, kind: kind, color: Undefined}
	switch kind {
	case Shared:
		m.color = c.node()
	case HWGuided, ResourceGuided:
		if v, _ := info.Get(ResourceHint); v == SharedMemory {
			m.color = c.node()
		}
	case HWUnguided, Undefined:
	default:
		m.fault = broken(ErrArg, "COMM-01", "invalid kind %d of SplitType", kind)
	}
	d, err := c.make(splitType, &m)
	if d != nil {
		d.hint(info)
	}
	return d, err
}

func agreeSplitType(ks []*call) *fault {
	first := -1
	for i, k := range ks {
		switch {
		case k.made.kind == Undefined:
		case first < 0:
			first = i
		case k.made.kind != ks[first].made.kind:
			return broken(ErrNotSame, "COMM-01", "rank %d splits by kind %d, rank %d by kind %d",
				first, ks[first].made.kind, i, k.made.kind)
		}
	}
	return agreeSplit(ks)
}
