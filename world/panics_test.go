package world_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

type panickyWriter struct{}

func (panickyWriter) Write([]byte) (int, error) { panic("no ink") }

// TestPanicsOutsideRanks: a function of the program that no rank runs
// may panic, too, and the error says which and where.
func TestPanicsOutsideRanks(t *testing.T) {
	nothing := func(context.Context, *comm.Comm) error { return nil }
	for name, picture := range map[string]world.Picture{"Chrome": world.Chrome, "ShiViz": world.ShiViz, "HTML": world.HTML} {
		err := world.Run(t.Context(), 2, nothing, world.Trace(panickyWriter{}, picture))
		var p *world.PanicError
		if assert.ErrorAs(t, err, &p, name) {
			assert.Equal(t, "no ink", p.Value)
			assert.Regexp(t, `^world: writing the .*: panic: no ink at panics_test.go:\d+$`, err.Error())
		}
	}

	var none []int
	_, err := world.Explore(t.Context(), 2, func() (program, func() any) {
		none[len(none)]++
		return nothing, nil
	})
	assert.Regexp(t, `^world: Explore: the setup of a run failed: panic: .*out of range \[0\].* at panics_test.go:\d+$`, err.Error())

	bad := errors.New("bad")
	_, err = world.Explore(t.Context(), 2, func() (program, func() any) {
		return nothing, func() any { panic(bad) }
	})
	assert.ErrorIs(t, err, bad)
	assert.Regexp(t, `(?s)^world: Explore: the outcome of a run could not be had: panic: bad at panics_test.go:\d+\nto see it again: world.Replay\("choices:"\)$`, err.Error())
}
