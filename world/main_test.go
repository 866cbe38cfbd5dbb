package world_test

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/world"
)

func init() { thorough.Fewer() }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A program is the function that a rank runs.
type program = func(ctx context.Context, c *comm.Comm) error

// eachMode runs a subtest in a free world and in a seeded one.
func eachMode(t *testing.T, name string, test func(t *testing.T, opts ...world.Option)) {
	t.Run(name, func(t *testing.T) {
		t.Run("free", func(t *testing.T) { test(t) })
		t.Run("seeded", func(t *testing.T) { test(t, world.Seed(1)) })
	})
}

// here returns the line that calls it.
func here() string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", path.Base(file), line)
}

// says compares the text of an error, but for the schedule that it may end with.
func says(t *testing.T, err error, want string) {
	t.Helper()
	if assert.Error(t, err) {
		text, _, _ := strings.Cut(err.Error(), "\nto see it again: ")
		assert.Equal(t, want, text)
	}
}
