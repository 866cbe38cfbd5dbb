package comm

import (
	"encoding/json"
	"fmt"

	"github.com/commworld/commworld/internal/sched"
)

// An AbortError is the error of a run in which a rank called [Comm.Abort]. errors.As finds
// it in the run's error.
type AbortError struct {
	Code  int
	Rank  int         // in the world
	Comm  string      // name of the communicator
	Place sched.Place // the line that called Abort
}

// Error says who ended the world and with what code.
func (e *AbortError) Error() string {
	at := e.Place.String()
	if at != "" {
		at = "at " + at + ": "
	}
	return fmt.Sprintf("comm: rank %d of the world: Abort %q: %sthe world ends with code %d (WORLD-01)", e.Rank, e.Comm, at, e.Code)
}

// MarshalJSON writes all fields, and the text of Error as "text".
func (e *AbortError) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Code  int         `json:"code"`
		Rank  int         `json:"rank"`
		Comm  string      `json:"comm"`
		Place sched.Place `json:"place,omitzero"`
		Text  string      `json:"text"`
	}{e.Code, e.Rank, e.Comm, e.Place, e.Error()})
}

// Abort ends the world with a code, which a command may pass on to the system. Waiting ranks are
// released, and later calls fail. The standard allows ending more ranks than those of c; here all
// ranks share one process and may wait for each other, so all end. Abort itself returns, so that the
// rank can return the error, an [AbortError]. If several ranks call Abort, the first call counts. Any
// goroutine may call it. Errors: ErrComm. (WORLD-01)
//
// MPI_Abort
func (c *Comm) Abort(code int) error {
	if err := c.living("Abort"); err != nil {
		return err
	}
	e := &AbortError{code, c.proc.number(), c.label(), c.proc.thread.Place()}
	if far := c.proc.univ.far; far != nil && c.proc.univ.world.members.n > 1 {
		far.world.Abort(code, e.Error())
	}
	c.proc.univ.sched.Abort(e)
	return e
}
