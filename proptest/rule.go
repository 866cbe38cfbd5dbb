package proptest

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// ruleOf returns the id of the rule that an error of an oracle shows to be broken, empty if
// that is not known.
func ruleOf(err error) string {
	var d *Disagreement
	var op *OpError
	var stuck *world.DeadlockError
	var hung *HangError
	var race *consistency.RaceError
	switch {
	case errors.As(err, &d):
		return d.Rule
	case errors.As(err, &stuck), errors.As(err, &hung):
		return "CONS-PROG-01"
	case errors.As(err, &race):
		return "CONS-D05"
	case errors.As(err, &op):
		return legalCall(op.Program, op.Op)
	}
	return ""
}

// legalCall returns the rule that makes an operation legal, for a layer that returns an
// error for it.
func legalCall(p *gen.Program, k int) string {
	switch o := &p.Ops[k]; o.Do {
	case gen.Write, gen.Read:
		switch {
		case o.At == gen.Individual:
			return "IO-IND-01"
		case o.At == gen.Shared && o.All:
			return "IO-SHP-06"
		case o.At == gen.Shared:
			return "IO-SHP-04"
		}
		return "IO-AT-01"
	case gen.SetView:
		return "IO-VIEW-01"
	case gen.Seek:
		return "IO-SEEK-01"
	case gen.SeekShared:
		return "IO-SHP-08"
	case gen.SetSize:
		return "IO-SIZE-01"
	case gen.Preallocate:
		return "IO-SIZE-04"
	case gen.Atomic:
		return "CONS-ATOM-01"
	case gen.Reopen:
		return "IO-CLOSE-01"
	case gen.Own:
		return "" // the layer's own promise
	}
	return "CONS-SYNC-01"
}

// ruleOfByte returns the rule that determines a byte which a rank read in an operation, or
// which the file had at the end, and which cell c should have given.
func (ref *reference) ruleOfByte(m *move, c *cell) string {
	switch {
	case m.rank < 0:
		return "CONS-SYNC-01"
	case m.v.unit.swapped:
		return "REP-X32-03"
	case int(c.rank) != m.rank:
		return "CONS-SYNC-01"
	}
	for k := int(c.op); k < m.op; k++ {
		if o := &ref.p.Ops[k]; o.Do != gen.Write && o.Do != gen.Read && o.Do != gen.Seek && o.Do != gen.Finish {
			return "CONS-SYNC-01"
		}
	}
	return "CONS-C1"
}

// testLine returns the line of the test that called the suite.
func testLine() string {
	const self = "github.com/commworld/commworld/proptest."
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, self) && !strings.HasPrefix(f.Function, "testing.") && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}
