package callsite

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A probe is a call of a library that finds the lines that led to it, counted from those of
// their functions.
type probe struct{ lines [][]int }

//go:noinline
func (p *probe) Close() error {
	isProbe := func(f runtime.Frame) bool { return !strings.Contains(f.Function, "callsite.defers") }
	var lines []int
	for _, f := range Deferred(Find(isProbe)) {
		if !isProbe(f) {
			_, first := runtime.FuncForPC(f.Entry).FileLine(f.Entry)
			lines = append(lines, f.Line-first)
		}
	}
	p.lines = append(p.lines, lines)
	return nil
}

func defersOnce(p *probe, early bool) error {
	defer p.Close()
	if early {
		return nil
	}
	return errors.Join(p.Close(), p.Close())
}

func defersInLoop(p *probe) error {
	for range 2 {
		defer p.Close()
	}
	return p.Close()
}

func defersLiteral(p *probe) error {
	defer func() {
		_ = p.Close()
	}()
	return p.Close()
}

func defersHelper(p *probe) error {
	defer defersOnce(p, true)
	return defersOnce(p, true)
}

func defersAgain(p *probe, n int) error {
	defer p.Close()
	if n > 0 {
		return defersAgain(p, n-1)
	}
	return p.Close()
}

func defersPanic(p *probe) {
	defer func() { recover() }()
	defer p.Close()
	panic("it ends here")
}

// If this fails, a report has an error that the program returns, or lacks one that its defer
// statement drops.
func TestDeferred(t *testing.T) {
	if !Fast {
		t.Skip("only with frame pointers")
	}
	for name, c := range map[string]struct {
		call func(p *probe)
		want [][]int
		or   [][]int // Go's race detector has functions return at their end
	}{
		"in the line of a return": {func(p *probe) { _ = defersOnce(p, false) }, [][]int{{5}, {5}, {1}}, nil},
		"alone":                   {func(p *probe) { _ = defersOnce(p, true) }, [][]int{{1}}, nil},
		"in a loop":               {func(p *probe) { _ = defersInLoop(p) }, [][]int{{4}, {2}, {2}}, nil},
		"in a literal":            {func(p *probe) { _ = defersLiteral(p) }, [][]int{{4}, {1, 4}}, [][]int{{4}, {1, 5}}},
		"by a helper":             {func(p *probe) { _ = defersHelper(p) }, [][]int{{1, 2}, {1, 1}}, nil},
		"recursive":               {func(p *probe) { _ = defersAgain(p, 1) }, [][]int{{5, 3}, {1, 3}, {1}}, nil},
		"after a panic":           {defersPanic, [][]int{{3}}, nil},
	} {
		t.Run("WORLD-01 "+name, func(t *testing.T) {
			p := new(probe)
			c.call(p)
			if c.or != nil && !assert.ObjectsAreEqual(c.want, p.lines) {
				c.want = c.or
			}
			assert.Equal(t, c.want, p.lines)
		})
	}
}
