package sched_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/sched"
)

// If this fails, a deferred operation is not tried in every place among the calls of other ranks, or
// a call of its own rank is decided in the middle of it, when the rank cannot act on that.
func TestDeferred(t *testing.T) {
	ends := all(t, 2, func() (func(r *sched.Rank) error, func() string) {
		order, busy := "", false
		hold := func(r *sched.Rank, name string) error {
			_, err := r.Ask(sched.Ways{Stringer: text(name), On: sched.Held{Object: 1, Write: true}, Count: func() int {
				assert.False(t, busy && r.ID() == 0, "the rank is in the middle of the deferred operation")
				return 1
			}}, nil)
			order += name
			return err
		}
		return func(r *sched.Rank) error {
			if r.ID() == 1 {
				return hold(r, "x")
			}
			o := sched.Defer(r, sched.Ways{Stringer: text("d"), On: sched.Held{Object: 1, Write: true}, Count: func() int { return 1 }}, func(int) {
				busy = true
				pick, err := choose(r, 2, "choice")
				assert.NoError(t, err)
				busy = false
				order += fmt.Sprint("d", pick)
			})
			if err := hold(r, "a"); err != nil {
				return err
			}
			for !o.Done() {
				if err := r.Park(text("Wait")); err != nil {
					return err
				}
			}
			o.Join()
			return hold(r, "b")
		}, func() string { return order }
	})
	for _, pick := range "01" { // d before and after a, x anywhere; while d chooses, x may come
		for _, p := range []string{"xd%cab", "xad%cb", "axd%cb", "d%cxab", "d%caxb", "d%cabx", "ad%cxb", "ad%cbx"} {
			assert.Contains(t, ends, fmt.Sprintf(p, pick))
		}
	}
	assert.Len(t, ends, 16)
}
