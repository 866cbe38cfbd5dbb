package consistency

import "cmp"

// A Profile selects whose guarantees the race detector assumes.
type Profile struct {
	name    string
	visible bool // later accesses see a write without a sync
}

// The profiles. Strict is the standard, and the default. ROMIO and OMPIO add what these
// libraries do on one machine, where every write goes directly to a file system that all
// ranks share: syncs are not needed there, but order is. Accesses that only they forgive
// work there and are not guaranteed; a report lists them separately. Off turns the race
// detector off, for files that are meant to race.
var (
	Strict = Profile{name: "strict"}
	ROMIO  = Profile{name: "ROMIO", visible: true}
	OMPIO  = Profile{name: "OMPIO", visible: true}
	Off    = Profile{name: "off"}
)

// String returns the name.
func (p Profile) String() string { return cmp.Or(p.name, Strict.name) }

// Visible reports whether a write is seen by all accesses that come after it,
// without a sync.
func (p Profile) Visible() bool { return p.visible }
