package proptest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/types"
)

// throughView writes and reads an array by one collective access through a view.
func throughView(elem *types.Type, reps ...string) proptest.Pattern {
	open := func(p *proptest.Part) (*iofile.File, error) {
		f, err := p.Open(iofile.Create | iofile.ReadWrite)
		if err != nil {
			return nil, err
		}
		return f, f.SetView(p.View(4))
	}
	return proptest.Pattern{
		Elem: elem, Reps: reps,
		Write: func(p *proptest.Part) error {
			f, err := open(p)
			if err != nil {
				return err
			}
			if _, err := f.WriteAtAll(p.Buffer(), 0); err != nil {
				return err
			}
			return f.Close()
		},
		Read: func(p *proptest.Part) error {
			f, err := open(p)
			if err != nil {
				return err
			}
			if _, err := f.ReadAtAll(p.Buffer(), 0); err != nil {
				return err
			}
			return f.Close()
		},
	}
}

// TestAnyProcessCount: if it fails, a file depends on how many ranks wrote it.
func TestAnyProcessCount(t *testing.T) {
	t.Run("IO-VIEW-20 doubles, native", func(t *testing.T) {
		proptest.AnyProcessCount(t, throughView(types.Double))
	})
	t.Run("REP-X32-09 REP-MATCH-01 longs between unlike ranks", func(t *testing.T) {
		proptest.AnyProcessCount(t, throughView(types.Long, "external32", "native"))
	})
}

// TestPatternsCaught: if it fails, patterns that are right for few ranks only
// pass.
func TestPatternsCaught(t *testing.T) {
	withFlags(t, map[string]string{"rapid.nofailfile": "true", "rapid.checks": "500", "rapid.shrinktime": untilSmallest, "rapid.seed": "1"})
	for _, c := range []struct {
		name, says string
		spoil      func(*proptest.Pattern)
	}{
		{"the last rank writes nothing", "2 writers", func(p *proptest.Pattern) {
			write := p.Write
			p.Write = func(part *proptest.Part) error {
				if part.Comm.Rank() > 0 && part.Comm.Rank() == part.Comm.Size()-1 {
					part.Blocks, part.Mem = nil, nil
				}
				return write(part)
			}
		}},
		{"one block is read", "cyclic", func(p *proptest.Pattern) {
			read := p.Read
			p.Read = func(part *proptest.Part) error {
				if len(part.Blocks) > 1 {
					part.Blocks = part.Blocks[:1]
				}
				return read(part)
			}
		}},
		{"two ranks write element 0", "race", func(p *proptest.Pattern) {
			write := p.Write
			p.Write = func(part *proptest.Part) error {
				if part.Comm.Rank() > 0 && len(part.Blocks) > 0 {
					part.Blocks = []types.Block{{Disp: 0, Len: part.Count()}}
				}
				return write(part)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := throughView(types.Double)
			c.spoil(&p)
			r := &recorder{name: t.Name()}
			combinations := proptest.Combinations(p)
			rapid.Check(r, func(rt *rapid.T) {
				if err := proptest.Combine(p, combinations.Draw(rt, "combination")); err != nil {
					rt.Fatal(err)
				}
			})
			assert.True(t, r.failed)
			text := r.said.String()
			assert.Contains(t, text, c.says)
			assert.Contains(t, text, "-rapid.seed=")
			assert.Less(t, strings.Count(text, "\n"), 60)
			t.Log(text)
		})
	}
	t.Run("elements that hold no number", func(t *testing.T) {
		p := throughView(types.DoubleInt)
		assert.ErrorContains(t, proptest.Combine(p, proptest.Combinations(p).Example(1)), "integers or floats")
	})
}
