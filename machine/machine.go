package machine

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/iofile/strategy"
)

// A Machine is the parameters of the model: nodes that hold ranks, links between
// them, and file servers. Times are seconds, sizes bytes, bandwidths bytes a second.
// Machines are comparable values.
type Machine struct {
	Name   string `toml:"name" json:"name"`
	Fitted string `toml:"fitted,omitempty" json:"fitted,omitempty"` // to what its values were fitted; "": they are general ones

	RanksPerNode int     `toml:"ranks_per_node" json:"ranks_per_node"`
	Copy         float64 `toml:"copy" json:"copy"` // bandwidth of copying memory, to pack and to fill buffers
	Network      Link    `toml:"network" json:"network"`
	Node         Link    `toml:"node" json:"node"` // between ranks of the same node

	Servers     int     `toml:"servers" json:"servers"`
	Server      Server  `toml:"server" json:"server"`
	StripeSize  int64   `toml:"stripe_size" json:"stripe_size"`
	StripeCount int     `toml:"stripe_count" json:"stripe_count"` // servers that hold a new file; 0: all
	Scatter     bool    `toml:"scatter" json:"scatter"`           // a new file begins on a random server, not on the one after the file before
	Driver      string  `toml:"driver" json:"driver"`             // of ROMIO: ufs, lustre or cray, see [strategy.Driver]; "": ufs
	Lock        Lock    `toml:"lock" json:"lock"`
	Metadata    float64 `toml:"metadata" json:"metadata"` // time of the metadata server for one open, close or size
	Cache       int64   `toml:"cache" json:"cache"`       // bytes of a node's write cache; 0: writes go to the servers at once
	Client      Client  `toml:"client" json:"client"`
}

// A Client has the limits of the file system's client on a node: bandwidths and sizes; 0: no limit.
type Client struct {
	Process     float64 `toml:"process" json:"process"`           // bandwidth of one rank
	SharedWrite float64 `toml:"shared_write" json:"shared_write"` // bandwidth of a node for a file that several ranks write
	SharedRead  float64 `toml:"shared_read" json:"shared_read"`   // the same for a file that several ranks read
	Window      int64   `toml:"window" json:"window"`             // bytes that read-ahead and write-behind move at a time: requests that continue each other within it cost the server once
}

// A Link is the LogGP parameters of messages: overhead o at both ends, latency L, and
// the bandwidth 1/G. A node sends one message at a time, and receives one at a time.
type Link struct {
	Latency   float64 `toml:"latency" json:"latency"`
	Overhead  float64 `toml:"overhead" json:"overhead"`
	Bandwidth float64 `toml:"bandwidth" json:"bandwidth"`
}

// A Server serves one request at a time, in the order in which they arrive.
type Server struct {
	Request float64 `toml:"request" json:"request"` // time for each request
	Seek    float64 `toml:"seek" json:"seek"`       // added if the request does not continue the one before it
	Read    float64 `toml:"read" json:"read"`       // bandwidth
	Write   float64 `toml:"write" json:"write"`     // bandwidth
}

// Lock has the parameters of the tokens by which servers keep files consistent: a rank that
// accesses a unit of a file holds a token for it; a token held by another rank moves first,
// which takes Move at the server. Ranks may share a token to read. Unit 0 has no tokens. A
// rank that sieves a write locks the bytes of the call against other such calls.
//
// If Extent is not 0, servers grant extents, as Lustre does: a rank that continues its own bytes on a server keeps its
// lock, and one that begins elsewhere on a server with bytes of a file that other ranks write, too, needs a new one.
// Then a write cache holds only bytes of servers on which one rank writes the file, and the locks of sieved writes are
// those of the metadata server.
type Lock struct {
	Unit   int64   `toml:"unit" json:"unit"`     // bytes
	Move   float64 `toml:"move" json:"move"`     // time
	Extent float64 `toml:"extent" json:"extent"` // time of a lock for bytes that continue no others
}

// Laptop is one node with one disk.
func Laptop() Machine {
	return Machine{
		Name: "laptop", RanksPerNode: math.MaxInt32, Copy: 5e9,
		Network: Link{1e-6, 0.5e-6, 5e9}, Node: Link{0.5e-6, 0.2e-6, 5e9},
		Servers: 1, Server: Server{Request: 10e-6, Seek: 20e-6, Read: 2e9, Write: 1e9}, StripeSize: 1 << 20,
		Metadata: 20e-6,
	}
}

// Lustre is a cluster with object servers, over which files are striped: new files have one
// stripe, as is usual. A token covers one stripe. Aggregators write stripes in turn, by ROMIO's driver. Servers, locks
// and clients are fitted to Polaris (docs/machine-data.md).
func Lustre(servers int, stripe int64) Machine {
	return Machine{
		Name: "lustre", RanksPerNode: 16, Copy: 5e9,
		Network: Link{2e-6, 1e-6, 5e9}, Node: Link{0.5e-6, 0.2e-6, 5e9},
		Servers: servers, Server: Server{Request: 0.05e-3, Seek: 0.1e-3, Read: 5.5e9, Write: 5.5e9},
		StripeSize: stripe, StripeCount: 1, Scatter: true, Driver: "lustre", Lock: Lock{Unit: stripe, Move: 1.5e-3, Extent: 1.5e-3},
		Metadata: 0.05e-3, Cache: 1 << 30, Client: Client{Process: 1.4e9, SharedWrite: 550e6, SharedRead: 950e6, Window: 1 << 20},
	}
}

// GPFS is a cluster whose files are spread in large blocks over all servers; a token covers
// one block.
func GPFS(servers int, block int64) Machine {
	m := Lustre(servers, block)
	m.Name, m.StripeCount, m.Driver, m.Lock = "gpfs", 0, "", Lock{Unit: block, Move: 1e-3}
	m.Scatter, m.Server.Read, m.Server.Write, m.Cache, m.Client = false, 700e6, 700e6, 0, Client{}
	return m
}

// BurstBuffer is a cluster with fast servers that keep no tokens.
func BurstBuffer(servers int) Machine {
	m := Lustre(servers, 1<<20)
	m.Name, m.StripeCount, m.Driver, m.Lock, m.Metadata = "burstbuffer", 0, "", Lock{}, 50e-6
	m.Scatter, m.Cache, m.Client = false, 0, Client{}
	m.Server = Server{Request: 20e-6, Seek: 0, Read: 4e9, Write: 2.5e9}
	return m
}

// NFS is a cluster with a single file server.
func NFS() Machine {
	m := Lustre(1, 1<<20)
	m.Name, m.StripeCount, m.Driver, m.Lock, m.Cache, m.Client = "nfs", 1, "", Lock{}, 0, Client{}
	m.Scatter = false
	m.Server = Server{Request: 0.3e-3, Seek: 2e-3, Read: 120e6, Write: 100e6}
	m.Metadata = 1e-3
	return m
}

// Named returns the predefined machine with that name: laptop, lustre, gpfs, burstbuffer or
// nfs. If its servers can be several, it has 64.
func Named(name string) (Machine, bool) {
	switch strings.ToLower(name) {
	case "laptop":
		return Laptop(), true
	case "lustre":
		return Lustre(64, 1<<20), true
	case "gpfs":
		return GPFS(64, 8<<20), true
	case "burstbuffer":
		return BurstBuffer(64), true
	case "nfs":
		return NFS(), true
	}
	return Machine{}, false
}

// Names are the names that [Named] accepts.
var Names = []string{"laptop", "lustre", "gpfs", "burstbuffer", "nfs"}

// Check reports invalid values: ErrArg.
func (m Machine) Check() error {
	bandwidths := []struct {
		name  string
		value float64
	}{
		{"copy", m.Copy},
		{"network.bandwidth", m.Network.Bandwidth},
		{"node.bandwidth", m.Node.Bandwidth},
		{"server.read", m.Server.Read},
		{"server.write", m.Server.Write},
	}
	for _, b := range bandwidths {
		if !(b.value > 0) || math.IsInf(b.value, 0) {
			return fault("%s is %v; a bandwidth is bytes a second, more than 0", b.name, b.value)
		}
	}
	for _, b := range []struct {
		name  string
		value float64
	}{{"process", m.Client.Process}, {"shared_write", m.Client.SharedWrite}, {"shared_read", m.Client.SharedRead}} {
		if !(b.value >= 0) || math.IsInf(b.value, 0) {
			return fault("client.%s is %v; it needs bytes a second, or 0 for no limit", b.name, b.value)
		}
	}
	times := []struct {
		name  string
		value float64
	}{
		{"network.latency", m.Network.Latency},
		{"network.overhead", m.Network.Overhead},
		{"node.latency", m.Node.Latency},
		{"node.overhead", m.Node.Overhead},
		{"server.request", m.Server.Request},
		{"server.seek", m.Server.Seek},
		{"lock.move", m.Lock.Move},
		{"lock.extent", m.Lock.Extent},
		{"metadata", m.Metadata},
	}
	for _, t := range times {
		if !(t.value >= 0 && t.value <= maxTime) {
			return fault("%s is %v; a time is seconds, from 0 to %v", t.name, t.value, float64(maxTime))
		}
	}
	switch {
	case m.RanksPerNode < 1:
		return fault("ranks_per_node is %d; it needs 1 or more", m.RanksPerNode)
	case m.Servers < 1 || m.Servers > maxServers:
		return fault("servers is %d; it needs 1 to %d", m.Servers, maxServers)
	case m.StripeSize < minStripe || m.StripeSize > maxStripe:
		return fault("stripe_size is %d; it needs %d to %d bytes", m.StripeSize, minStripe, int64(maxStripe))
	case m.StripeCount < 0 || m.StripeCount > m.Servers:
		return fault("stripe_count is %d; it needs 1 to the number of servers, %d, or 0 for all of them", m.StripeCount, m.Servers)
	case m.Lock.Unit != 0 && (m.Lock.Unit < minStripe || m.Lock.Unit > maxStripe):
		return fault("lock.unit is %d; it needs %d to %d bytes, or 0 for no tokens", m.Lock.Unit, minStripe, int64(maxStripe))
	case m.driver() > strategy.Cray:
		return fault("driver is %q; there are %s", m.Driver, strings.Join(strategy.Drivers, ", "))
	case m.Client.Window < 0:
		return fault("client.window is %d bytes; it needs 0 or more", m.Client.Window)
	case m.Cache < 0:
		return fault("cache is %d bytes; it needs 0 or more", m.Cache)
	}
	return nil
}

const (
	maxTime    = 1e6 // seconds
	maxServers = 1 << 20
	minStripe  = 512
	maxStripe  = 1 << 40
)

// stripes returns the number of servers that hold a file.
func (m *Machine) stripes() int {
	if m.StripeCount == 0 {
		return m.Servers
	}
	return m.StripeCount
}

// driver returns the driver of the machine's file system, an invalid one if its name is unknown.
func (m *Machine) driver() strategy.Driver {
	d, ok := strategy.DriverOf(m.Driver)
	if !ok {
		return strategy.Cray + 1
	}
	return d
}

// hints returns h for files of the machine that ranks open together with strategy s: aggregators and stripes as its
// driver has them. A stripe size that is not the machine's is for the generic driver.
func (m *Machine) hints(h strategy.Hints, s strategy.Strategy, ranks int) strategy.Hints {
	if h.Unit == 0 || h.Unit == m.StripeSize {
		h.Unit, h.Driver = m.StripeSize, cmp.Or(h.Driver, m.driver())
	}
	if two, ok := s.(strategy.TwoPhase); h.Driver != strategy.UFS || ok && two.Driver != strategy.UFS {
		h.Unit, h.Stripes = m.StripeSize, int64(m.stripes())
	}
	if h.PerNode == 0 {
		h.PerNode = int64(min(m.RanksPerNode, ranks))
	}
	return h.On(s, ranks, (ranks-1)/m.RanksPerNode+1, m.RanksPerNode)
}

// link returns the link between two nodes.
func (m *Machine) link(a, b int) *Link {
	if a == b {
		return &m.Node
	}
	return &m.Network
}

func fault(format string, args ...any) error {
	return &errclass.Error{Pkg: "machine", Rank: errclass.NoRank, Class: errclass.Arg, Err: brief.Errorf(format, args...)}
}

// seconds returns a time as text.
func seconds(t float64) string {
	switch {
	case t >= 100:
		return fmt.Sprintf("%.0f s", t)
	case t >= 1:
		return fmt.Sprintf("%.3g s", t)
	case t >= 1e-3:
		return fmt.Sprintf("%.3g ms", t*1e3)
	}
	return fmt.Sprintf("%.3g us", t*1e6)
}
