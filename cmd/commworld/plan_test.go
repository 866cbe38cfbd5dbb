package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlanSharesTypes: ranks share a type that does not depend on them, so that a plan of a million
// ranks has one; if this fails, its memory triples.
func TestPlanSharesTypes(t *testing.T) {
	c := &planCommand{Ranks: 3, Disp: "r*4", Offset: "0", Etype: "int", Filetype: "resized(int, 0, n*4)"}
	parts, err := c.parts(t.Context())
	require.NoError(t, err)
	assert.Same(t, parts[0].At.L, parts[2].At.L)
	assert.Equal(t, int64(12), parts[0].At.L.Extent)
	assert.Equal(t, int64(8), parts[2].At.Disp)
	c = &planCommand{Ranks: 3, Disp: "0", Offset: "0", Etype: "int", Filetype: "contiguous(r+1, int)"}
	parts, err = c.parts(t.Context())
	require.NoError(t, err)
	assert.Equal(t, int64(4), parts[0].At.L.Size)
	assert.Equal(t, int64(12), parts[2].At.L.Size)
}
