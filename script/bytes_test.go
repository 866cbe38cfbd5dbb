package script

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The memory for outcomes is limited: an exploration stops and says so, a file that is too
// large is an error.
func TestMaxBytes(t *testing.T) {
	s, err := Parse("ranks 3\nall:\n  open h f rdwr|create\n  write_at h 0 byte r*100\n  read_at h 0 byte*100 -> x\n  close h\nrace\n")
	require.NoError(t, err)
	all, err := Explore(context.Background(), s, Options{})
	require.NoError(t, err)
	require.True(t, all.Complete)
	bytes := int64(0)
	for _, o := range all.Outcomes {
		bytes += int64(len(o.text))
	}
	some, err := Explore(context.Background(), s, Options{MaxBytes: bytes / 2})
	require.NoError(t, err)
	assert.False(t, some.Complete)
	assert.EqualError(t, some.Stopped, fmt.Sprintf("the outcomes have more than %d bytes together", bytes/2))
	assert.Less(t, len(some.Outcomes), len(all.Outcomes))
	assert.NotEmpty(t, some.Races)
	same, err := Explore(context.Background(), s, Options{MaxBytes: bytes})
	require.NoError(t, err)
	assert.True(t, same.Complete)
	assert.Len(t, same.Outcomes, len(all.Outcomes))

	big, err := Parse("ranks 1\nall:\n  open h f rdwr|create\n  set_size h 1001\n  close h\n")
	require.NoError(t, err)
	for _, o := range []Options{{MaxBytes: 1000}, {MaxBytes: 1000, Moments: true}} {
		_, err = Run(context.Background(), big, o)
		assert.EqualError(t, err, "file f has 1001 bytes: at most 1000 are looked at")
	}
	_, err = Explore(context.Background(), big, Options{MaxBytes: 1000})
	assert.ErrorContains(t, err, "file f has 1001 bytes")
	_, err = Run(context.Background(), big, Options{MaxBytes: 1001})
	assert.NoError(t, err)
}
