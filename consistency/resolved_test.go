package consistency_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
)

// TestResolved: if it fails, explorations are compared with results that differ from those
// of whole writes.
func TestResolved(t *testing.T) {
	open := func(id int) consistency.Step { return consistency.Step{Do: consistency.DoOpen, Handle: 1, ID: id} }
	write := func(off int64, data ...byte) consistency.Step {
		return consistency.Step{Do: consistency.DoWrite, Handle: 1, Runs: []consistency.Run{{Off: off, Len: int64(len(data))}}, Data: data}
	}
	read := func(off, n int64) consistency.Step {
		return consistency.Step{Do: consistency.DoRead, Handle: 1, Runs: []consistency.Run{{Off: off, Len: n}}, Name: "x"}
	}
	do := func(d consistency.Do, id int) consistency.Step { return consistency.Step{Do: d, Handle: 1, ID: id} }
	for name, c := range map[string]struct {
		h    consistency.History
		want string
	}{
		"CONS-C4 a write is seen as a whole or not": {
			consistency.History{Init: []byte{0, 0}, Ranks: [][]consistency.Step{{open(1), write(0, 1, 2)}, {open(1), read(0, 2)}}},
			"1.x=0000 file=0102\n1.x=0102 file=0102",
		},
		"CONS-C4 of two that write either wins": {
			consistency.History{Ranks: [][]consistency.Step{{open(1), write(0, 1)}, {open(1), write(0, 2)}}},
			"file=01\nfile=02",
		},
		"CONS-C1 what is written later through one handle wins": {
			consistency.History{Ranks: [][]consistency.Step{{open(1), write(0, 1), write(0, 2), read(0, 1)}}},
			"0.x=02 file=02",
		},
		"CONS-C2 what is published and fetched is seen": {
			consistency.History{Ranks: [][]consistency.Step{
				{open(1), write(0, 1), do(consistency.DoSync, 0), do(consistency.DoBarrier, 5)},
				{open(1), do(consistency.DoBarrier, 5), do(consistency.DoSync, 0), read(0, 1)},
			}},
			"1.x=01 file=01",
		},
		"CONS-SYNC-03 a meeting publishes nothing, but what comes after it is not seen before": {
			consistency.History{Init: []byte{7}, Ranks: [][]consistency.Step{
				{open(1), read(0, 1), do(consistency.DoArrive, 5), do(consistency.DoLeave, 5)},
				{open(1), do(consistency.DoArrive, 5), do(consistency.DoLeave, 5), write(0, 1)},
			}},
			"0.x=07 file=01",
		},
		"CONS-D08 with a write goes how long it makes the file": {
			consistency.History{Ranks: [][]consistency.Step{
				{open(1), write(1, 1)},
				{open(1), {Do: consistency.DoSize, Handle: 1, Name: "n"}},
			}},
			"1.n=0 file=..01\n1.n=2 file=..01",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := consistency.Resolved(c.h)
			require.NoError(t, err)
			assert.Equal(t, c.want, got.String())
			rules, err := consistency.Allowed(c.h)
			require.NoError(t, err)
			for _, o := range got {
				assert.True(t, rules.Allows(o), "%v", o)
			}
		})
	}
}
