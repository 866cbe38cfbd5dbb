package comm_test

import (
	"errors"
	"testing"

	"github.com/commworld/commworld/comm"
)

// If ranks saw each other's values, or a duplicate saw none, the default error
// handler of files would be that of another rank.
func TestKeep(t *testing.T) {
	type key struct{}
	ranks(t, 3, func(c *comm.Comm) error {
		d, err := c.Dup()
		if err != nil {
			return err
		}
		before := port.Kept(c, key{})
		port.Keep(c, key{}, c.Rank())
		kept := port.Kept(d, key{})
		port.Keep(d, key{}, nil)
		var none *comm.Comm
		port.Keep(none, key{}, 1)
		return errors.Join(
			equal(nil, before), equal(c.Rank(), kept), equal(nil, port.Kept(c, key{})),
			equal(nil, port.Kept(none, key{})), d.Free())
	})
}
