package comm

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/types"
)

// A transfer in the pool that still points to its last data would keep them in memory: 400
// messages of 1 MiB did.
func TestIdleTransfersHoldNoData(t *testing.T) {
	s := sched.New(1, sched.Options{})
	u := launch(s, commport.LaunchOptions{Eager: 1 << 20})
	body := func(c *Comm) error {
		for _, size := range []int{0, 8, smallest, smallest + 1, 1 << largest, 1<<largest + 1, 1 << 20} {
			for range 3 {
				if err := c.Send(types.Of(make([]byte, size)), 0, 1); err != nil {
					return err
				}
			}
			for range 3 {
				if _, err := c.Recv(types.Of(make([]byte, size)), 0, 1); err != nil {
					return err
				}
			}
			c.proc.collect()
			n := 0
			for x := c.proc.idle; x != nil; x = x.next {
				assert.LessOrEqual(t, len(x.data.flat), smallest, "%d bytes", size) // of its own
				assert.Nil(t, x.space, "%d bytes", size)
				n++
			}
			assert.Positive(t, n)
		}
		return nil
	}
	s.Run(func(*sched.Rank) error { return body(u.World(0)) })
	assert.Empty(t, s.Failures())
}
