package filerep

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/tools/internal/measure"
)

// If the program broke, or a side wrote another file, no one would notice before
// the next measurement.
func TestRun(t *testing.T) {
	var out strings.Builder
	assert.NoError(t, measure.Run([]*measure.Command{command([]task{{"small", 64, 8, 2}, {"smaller", 16, 4, 1}})}, []string{"filerep", "-dir", t.TempDir()}, &out))
	assert.Equal(t, 4, strings.Count(out.String(), "\nsmall"), "both in native and external32: %s", out.String())
	for _, lib := range peers.All() {
		if err := lib.Missing(); err != nil {
			assert.Contains(t, out.String(), err.Error())
		}
	}
}
