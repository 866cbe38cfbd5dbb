package iofile

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/extent"
)

// If this fails, an exploration forgets what earlier runs of an operation touched, and leaves out orders that matter.
func TestFootprintJoin(t *testing.T) {
	at := func(lo int64) []extent.Pattern { return []extent.Pattern{{Lo: lo, Block: 4, N: 1}} }
	one := &footprint{reads: at(0), writes: at(0), ends: at(0), reaches: 4, adopts: true}
	for name, more := range map[string]*footprint{
		"reads":   {reads: at(8), adopts: true},
		"writes":  {writes: at(8), adopts: true},
		"ends":    {ends: at(8), adopts: true},
		"reaches": {reaches: 12, adopts: true},
	} {
		all := one.Join(more).(*footprint)
		assert.Equal(t, &footprint{
			reads: append(at(0), more.reads...), writes: append(at(0), more.writes...), ends: append(at(0), more.ends...),
			reaches: max(4, more.reaches), adopts: true,
		}, all, name)
		assert.Same(t, all, all.Join(more), "%s: all of both is there", name)
		assert.Same(t, all, all.Join(one), "%s: all of both is there", name)
	}
}
