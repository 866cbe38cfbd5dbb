package comm_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

func init() { thorough.Fewer() }

// port has the functions that package comm gives only to this module.
var port = comm.Internal(commport.Key{})

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A setting is a way to run a world.
type setting struct {
	sched sched.Options
	comm  commport.LaunchOptions
}

func seeded(seed uint64) setting {
	return setting{sched: sched.Options{Seeded: true, Seed: seed}}
}

// start runs body on n ranks and returns what each returned.
func start(n int, s setting, body func(c *comm.Comm) error) []error {
	w := sched.New(n, s.sched)
	u := port.Launch(w, s.comm)
	errs := make([]error, n)
	w.Run(func(r *sched.Rank) error {
		errs[r.ID()] = body(u.World(r.ID()))
		return errs[r.ID()]
	})
	for _, f := range w.Failures() {
		errs[f.Rank] = f.Err // also of ranks that did not return
	}
	return errs
}

// ranks runs body on n ranks, free and under two seeds, and fails the test
// with what they return.
func ranks(t *testing.T, n int, body func(c *comm.Comm) error) {
	t.Helper()
	for _, s := range []setting{{}, seeded(1), seeded(2)} {
		require.NoError(t, errors.Join(start(n, s, body)...))
	}
}

// unlike gives even ranks one architecture and odd ranks another.
func unlike(even, uneven *reps.Arch) setting {
	return setting{comm: commport.LaunchOptions{Arch: func(r int) *reps.Arch {
		if r%2 == 0 {
			return even
		}
		return uneven
	}}}
}

// refused checks class and rule of an error of this package.
func refused(t assert.TestingT, err error, class errclass.Class, rule string) {
	var e *comm.Error
	if assert.ErrorAs(t, err, &e) {
		assert.Equal(t, class.Name(), e.Class.Name(), "%v", err)
		assert.Equal(t, rule, e.Rule, "%v", err)
	}
}

// equal is an error if got is not want.
func equal(want, got any) error {
	if !assert.ObjectsAreEqual(want, got) {
		return fmt.Errorf("want %v, got %v", want, got)
	}
	return nil
}

// count returns how many items of t a status reports, -1 if no whole number.
func count(st comm.Status, t *types.Type) int64 {
	if n, ok := st.Count(t); ok {
		return n
	}
	return -1
}

func ints(xs ...int32) types.Buffer { return types.Of(xs) }

var native = binary.NativeEndian

// linesOfErrors matches the line of the call in the text of an error.
var linesOfErrors = regexp.MustCompile(`: at \w+\.go:\d+( < \w+\.go:\d+)*: `)

// unplaced is the text of err without the lines of calls.
func unplaced(err error) string { return linesOfErrors.ReplaceAllString(fmt.Sprint(err), ": ") }
