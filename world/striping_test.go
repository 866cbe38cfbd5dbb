package world_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// TestStripingHints: hints cut a file over servers as the machine's own setting would, and
// Info says over how many.
func TestStripingHints(t *testing.T) {
	run := func(t *testing.T, m machine.Machine, factor string, hints ...string) *machine.Report {
		fsys := iofile.NewMem(iofile.WithoutBytes())
		rep, err := world.RunReport(context.Background(), 8, func(_ context.Context, c *comm.Comm) error {
			info := comm.NewInfo()
			for i := 0; i < len(hints); i += 2 {
				if err := info.Set(hints[i], hints[i+1]); err != nil {
					return err
				}
			}
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly, iofile.WithInfo(info))
			if err != nil {
				return err
			}
			used, err := f.Info()
			if err != nil {
				return err
			}
			got, _ := used.Get("striping_factor")
			assert.Equal(t, factor, got)
			_, err = f.WriteAtAll(types.Fill(64<<20, types.Byte), iofile.Offset(c.Rank())<<26)
			return errors.Join(err, f.Close())
		}, world.On(m))
		require.NoError(t, err)
		return rep.Model
	}
	one := machine.Lustre(16, 1<<20)
	one.Server.Write = 1e8 // slower than what one node moves
	slow := run(t, one, "1")
	four := one
	four.StripeCount = 4
	fast := run(t, four, "4")
	assert.Greater(t, slow.Seconds, 3*fast.Seconds)
	assert.Equal(t, fast.Seconds, run(t, one, "4", "striping_factor", "4").Seconds)
	all := one
	all.StripeCount = 0
	assert.Equal(t, run(t, all, "16").Seconds, run(t, one, "16", "striping_factor", "99").Seconds, "no more than there are")
	large := machine.Lustre(16, 4<<20)
	large.Server.Write = one.Server.Write
	large.StripeCount = 4
	assert.Equal(t, run(t, large, "4").Seconds, run(t, one, "4", "striping_factor", "4", "striping_unit", "4194304").Seconds)
	assert.Equal(t, slow.Seconds, run(t, one, "1", "striping_factor", "many").Seconds, "a malformed hint is ignored")
}
