package machine

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/commport"
)

// port gives access to the part of package comm that only this module uses.
var port = comm.Internal(commport.Key{})

// Compute makes the caller compute for this many seconds of the machine's time, in a
// world that has a machine (world.On) or records calls (world.Record); in other worlds it
// does nothing. Error: ErrArg if seconds is negative, not a number, or more than 1e6.
func Compute(c *comm.Comm, seconds float64) error {
	if !(seconds >= 0 && seconds <= maxTime) {
		return fault("computing for %v seconds; it needs 0 to %v", seconds, float64(maxTime))
	}
	if l := port.Log(c); l.Recorder() != nil {
		l.Recorder().Compute(l.Rank(), seconds, l.Place())
	}
	return nil
}
