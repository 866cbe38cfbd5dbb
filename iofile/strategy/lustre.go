package strategy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Driver is a library's code for a file system. It decides how aggregators divide the file.
type Driver uint8

// The drivers.
const (
	// UFS is ROMIO's driver for all file systems without their own: each aggregator has one contiguous domain.
	UFS Driver = iota

	// Lustre is ROMIO's driver for Lustre. In a write stripe k belongs to aggregator k modulo their number, which divides
	// the number of stripes or is a multiple of it, and each request is within one stripe. Collective writes are made so
	// even if the ranks' bytes do not interleave. Reads are those of UFS.
	Lustre

	// Cray is MPI-IO of Cray's MPICH on Lustre: like Lustre, also for reads, with an aggregator for each stripe.
	Cray
)

var drivers = [...]string{UFS: "ufs", Lustre: "lustre", Cray: "cray"}

// Drivers are the names that [DriverOf] knows.
var Drivers = drivers[:]

// DriverOf returns the driver with that name, UFS for "".
func DriverOf(name string) (Driver, bool) {
	i := slices.Index(drivers[:], cmp.Or(name, "ufs"))
	return Driver(max(0, i)), i >= 0
}

// String returns the name.
func (d Driver) String() string {
	if int(d) < len(drivers) {
		return drivers[d]
	}
	return fmt.Sprintf("Driver(%d)", uint8(d))
}

func (d Driver) setting() string {
	if d == UFS {
		return ""
	}
	return "driver " + d.String()
}

// defaultStripe is the size of a stripe that is unknown.
const defaultStripe = 1 << 20

// withStripes returns t with the settings about stripes, which have a meaning only with drivers that know them.
func (t TwoPhase) withStripes(s TwoPhase, h Hints) TwoPhase {
	if t.Driver == UFS {
		return t
	}
	per := h.PerServer
	if t.Driver == Cray {
		per = h.Multiplier
	}
	t.Stripe = min(cmp.Or(t.Stripe, defaultStripe), largestBuffer)
	t.Stripes = cmp.Or(s.Stripes, int(min(h.Stripes, math.MaxInt32)), 1)
	t.PerServer = cmp.Or(s.PerServer, int(min(per, math.MaxInt32)), 1)
	t.Threshold = cmp.Or(s.Threshold, h.Threshold)
	t.Holes = cmp.Or(s.Holes, h.DSTogether)
	return t
}

func (s TwoPhase) checkStripes() error {
	if s.Driver > Cray {
		return checkRange("Driver", int64(s.Driver), int64(Cray))
	}
	return cmp.Or(checkRange("Stripes", int64(s.Stripes), math.MaxInt32), checkRange("PerServer", int64(s.PerServer), math.MaxInt32),
		checkRange("Threshold", s.Threshold, largest), checkSwitch("Holes", s.Holes))
}

func (s TwoPhase) lustreHints(number func(string, int64), add func(key, value string)) {
	if s.Driver == UFS {
		return
	}
	number("striping_factor", int64(s.Stripes))
	if s.Driver == Cray {
		number("cray_cb_nodes_multiplier", int64(s.PerServer))
		return
	}
	number("romio_lustre_co_ratio", int64(s.PerServer))
	number("romio_lustre_coll_threshold", s.Threshold)
	add("romio_lustre_ds_in_coll", s.Holes.String())
}

// cyclic reports whether aggregators have stripes in turn.
func (s TwoPhase) cyclic(write bool) bool { return s.Driver == Cray || s.Driver == Lustre && write }

// turns returns the number of aggregators that have stripes in turn: as many as cb_nodes allows so that no two have
// parts of one server, or the same number of each server.
func (s TwoPhase) turns(ranks int) int {
	n, stripes := min(s.Nodes, ranks), max(1, s.Stripes)
	if n >= stripes {
		per := n / stripes
		if s.Driver == Lustre {
			per = min(per, s.PerServer)
		}
		return stripes * per
	}
	for stripes%n != 0 {
		n--
	}
	return n
}

// joins reports whether Lustre's driver moves bytes through aggregators although they do not interleave: unless they
// come in runs that are longer than the threshold.
func (s TwoPhase) joins(write bool, parts []Part) bool {
	if !s.cyclic(write) {
		return false
	}
	if s.Threshold == 0 {
		return true
	}
	var bytes, runs int64
	for r := range parts {
		if parts[r].N > 0 {
			bytes, runs = bytes+parts[r].N, runs+parts[r].Pieces()
		}
	}
	return runs == 0 || bytes/runs <= s.Threshold
}
