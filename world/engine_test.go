package world_test

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/world"
)

// An engine that is not linked in is an error that says how to link it in. The world never
// runs ranks of this process instead.
func TestEngineMissing(t *testing.T) {
	ran := false
	body := func(context.Context, *comm.Comm) error { ran = true; return nil }
	err := world.Run(t.Context(), 2, body, world.Engine("mpi"))
	assert.ErrorIs(t, err, world.ErrArg)
	assert.ErrorContains(t, err, `import _ "github.com/commworld/commworld/world/mpi"`)
	assert.ErrorIs(t, world.Run(t.Context(), 2, body, world.Engine("")), world.ErrArg)
	t.Setenv(world.EngineVariable, "mpi")
	assert.ErrorContains(t, world.Run(t.Context(), 0, body), "no engine")
	_, err = world.Explore(t.Context(), 2, func() (func(context.Context, *comm.Comm) error, func() any) { return body, nil })
	assert.ErrorContains(t, err, "Explore")
	assert.False(t, ran)
}

// Options that need all ranks in one process are refused by name.
func TestEngineOptions(t *testing.T) {
	body := func(context.Context, *comm.Comm) error { return nil }
	for what, opt := range map[string]world.Option{
		"Seed": world.Seed(1), "Eager": world.Eager(0), "Check(Buffers)": world.Check(world.Buffers),
	} {
		err := world.Run(t.Context(), 2, body, opt, world.Engine("mpi"))
		assert.ErrorIs(t, err, world.ErrArg)
		assert.ErrorContains(t, err, what)
	}
	err := world.Run(t.Context(), 2, body, world.Trace(io.Discard, world.ShiViz), world.Engine("mpi"))
	assert.ErrorContains(t, err, "vector clock")
	_, err = world.RunReport(t.Context(), 2, body, world.Trace(io.Discard, world.Chrome), world.Engine("mpi"))
	assert.ErrorContains(t, err, "no engine") // no engine is linked in here, so the error does not depend on the option
}
