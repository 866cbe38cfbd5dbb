package script

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If this fails, a change of size races with what every rank does after it has closed the file.
func TestResizeEndsWithTheOpen(t *testing.T) {
	for _, size := range []string{"set_size h 4", "preallocate h 4"} {
		rep := carried(t, `ranks 2
all:
  open h f rdwr|create
  `+size+`
  close h
  barrier
  open g f rdwr
0:
  write_at g 0 "ab"
  read_at g 0 byte*6 -> x
all:
  close g
`, Options{})
		require.True(t, rep.OK(), rep.Unmet)
		assert.True(t, rep.Complete)
		require.Len(t, rep.Outcomes, 1)
		assert.Equal(t, `"ab" ?*2`, rep.Outcomes[0].Ending.Results[0]["x"].Text())
		assert.Equal(t, 1, rep.Schedules)
	}
}
