package script_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/script"
)

var errNoTime = errors.New("no time is left")

// An endingContext ends when it is asked for the n-th time whether it has ended, as a deadline
// would on a machine that gets there no faster.
type endingContext struct {
	context.Context
	end  context.CancelCauseFunc
	left *atomic.Int64
	due  time.Time
}

func endingAfter(t *testing.T, n int, due time.Time) (ctx context.Context, left *atomic.Int64) {
	left = new(atomic.Int64)
	left.Store(int64(n))
	base, end := context.WithCancelCause(t.Context())
	t.Cleanup(func() { end(nil) })
	return endingContext{base, end, left, due}, left
}

func (c endingContext) Err() error {
	if c.left.Add(-1) == 0 {
		c.end(errNoTime)
	}
	return c.Context.Err()
}

func (c endingContext) Deadline() (time.Time, bool) { return c.due, !c.due.IsZero() }

// TestSearchEndsAnywhere: wherever the time of a search ends, it says that its time has ended,
// in the words of its caller, and nothing about the program that a longer search would not say.
func TestSearchEndsAnywhere(t *testing.T) {
	fine := 5
	if thorough.All() {
		fine = 150
	}
	for _, text := range []string{
		"ranks 2\nfile f = 00000000\nall: open h f rdwr\nall: write_at h 0 int r\nall: read_at h 0 int -> x\nall: close h\n",
		"ranks 2\nall:\n  open h f rdwr|create\n  write_at h r*2 int r\n  close h\n",
		"ranks 2\nall:\n  open h f rdwr|create\n  write_at h 0 int r\n  close h\n",
		"ranks 2\nall: self open h f rdwr|create\nall: write_at h 0 int {r}\nall: close h\n",
		"ranks 2\nfile f = 01*4\nall: self open h f wronly|append\nall: write h byte {r}\nall: close h\n",
		"ranks 2\nall: open h f rdwr|create\n0: write_at h 0 byte 1\n1: read_at h 0 byte -> x\n0: recv 1 9 byte -> y\n1: recv 0 9 byte -> y\nall: close h\n",
		"ranks 2\nall:\n  open h f rdwr|create\n  write_at h r byte 1\n  barrier\n  read_at h 0 byte -> x\n  close h\n",
		"ranks 2\nall: open h f rdwr|create\n0: write_at h 0 byte 1\n0: send 1 9 byte 1\n1: recv 0 9 byte -> y\n1: read_at h 0 byte -> x\nall: close h\n",
	} {
		s, err := script.Parse(text)
		require.NoError(t, err)
		whole, err := script.Explore(t.Context(), s, script.Options{})
		require.NoError(t, err)
		require.NotEmpty(t, whole.Races)
		said := map[string]bool{}
		for _, f := range script.Fixes(t.Context(), whole, script.Options{}) {
			said[f.First()] = true
		}
		fixed, never := script.Repair(t.Context(), whole, script.Options{})
		for _, due := range []time.Time{{}, time.Now()} { // now: the half that is tried first has no time
			for n, ended := 1, true; ended; n += 1 + n/fine {
				ctx, left := endingAfter(t, n, due)
				for _, f := range script.Fixes(ctx, whole, script.Options{}) {
					if first := f.First(); !said[first] && !strings.Contains(first, errNoTime.Error()) {
						assert.Fail(t, "another fix", "%s%d: %s", text, n, first)
					}
				}
				ended = left.Load() <= 0

				ctx, left = endingAfter(t, n, due)
				got, err := script.Repair(ctx, whole, script.Options{})
				switch {
				case err == nil:
					require.NoError(t, never)
					assert.Len(t, got.Left, len(fixed.Left))
				case never != nil && err.Error() == never.Error():
				default:
					assert.Contains(t, err.Error(), errNoTime.Error(), "%s%d: fixed %v, %v", text, n, fixed, never)
					assert.NotContains(t, err.Error(), context.Canceled.Error())
					assert.NotContains(t, err.Error(), context.DeadlineExceeded.Error())
				}
				ended = ended || left.Load() <= 0
			}
		}
	}
}
