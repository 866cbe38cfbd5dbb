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
		before := c.Kept(key{})
		c.Keep(key{}, c.Rank())
		kept := d.Kept(key{})
		d.Keep(key{}, nil)
		var none *comm.Comm
		none.Keep(key{}, 1)
		return errors.Join(
			equal(nil, before), equal(c.Rank(), kept), equal(nil, c.Kept(key{})),
			equal(nil, none.Kept(key{})), d.Free())
	})
}
