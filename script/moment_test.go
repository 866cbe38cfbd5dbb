package script

import (
	"context"
	"io/fs"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
)

// A read returns one of the choices of the moment before it, and each choice is what
// the read returns in some outcome of the exploration.
func TestMoments(t *testing.T) {
	for _, all := range []fs.FS{consistency.Litmus(), consistency.Twins()} {
		names, err := fs.Glob(all, "*.mpio")
		require.NoError(t, err)
		for _, name := range names {
			t.Run("CONS-D01 "+name, func(t *testing.T) {
				text, err := fs.ReadFile(all, name)
				require.NoError(t, err)
				s, err := Parse(string(text))
				require.NoError(t, err)
				explored, err := Explore(context.Background(), s, Options{})
				require.NoError(t, err)
				c := &momentCheck{TB: t, explored: explored, seen: map[choiceKey]bool{}}
				for _, o := range explored.Outcomes {
					c.witness(o.Witness)
				}
				t.Log(len(explored.Outcomes), "outcomes,", c.reads, "reads,", len(c.seen), "choices")
			})
		}
	}
}

// A momentCheck holds the moments of a script's runs against its outcomes.
type momentCheck struct {
	testing.TB
	explored *Report
	seen     map[choiceKey]bool
	reads    int
}

type choiceKey struct {
	rank   int
	result string
	pos    int64
	value  byte
}

// witness checks the reads of one run.
func (c *momentCheck) witness(w string) {
	s := c.explored.Script
	rep, err := Run(context.Background(), s, Options{Replay: w, Moments: true})
	require.NoError(c, err)
	for i, m := range rep.Moments[1:] {
		before := rep.Moments[i]
		for rank := range s.Ranks {
			steps := m.run.ranks[rank].tale.steps
			for _, x := range steps[before.steps[rank]:m.steps[rank]] {
				if x.told != nil && x.Do == consistency.DoRead && x.Request == 0 && x.stmt.Want != nil {
					c.read(before, rank, x)
				}
			}
		}
	}
}

// read checks a moment against the read that follows it.
func (c *momentCheck) read(before *Moment, rank int, x step) {
	all, err := before.Handles(context.Background(), x.file)
	require.NoError(c, err)
	i := slices.IndexFunc(all, func(h *HandleMoment) bool { return h.Rank == rank && h.Handle == x.stmt.Handle })
	if !assert.GreaterOrEqual(c, i, 0) || !assert.Empty(c, all[i].Unknown) {
		return
	}
	c.reads++
	pos := int64(0)
	for _, run := range x.Runs {
		for off := run.Off; off < run.Off+run.Len && pos < int64(len(x.read)); off++ {
			c.readByte(all[i], rank, x, off, pos)
			pos++
		}
	}
}

func (c *momentCheck) readByte(h *HandleMoment, rank int, x step, off, pos int64) {
	i := slices.IndexFunc(h.May, func(r Readable) bool { return r.Lo <= off && off < r.Hi })
	if !assert.GreaterOrEqual(c, i, 0) {
		return
	}
	r, found := h.May[i], false
	for _, choice := range r.Choices {
		if choice.From != FromStart && choice.From != FromWrite {
			found = true
			continue
		}
		b := choice.Bytes[off-r.Lo]
		found = found || b == x.read[pos]
		key := choiceKey{rank, x.stmt.Into, pos, b}
		if c.seen[key] {
			continue
		}
		c.seen[key] = true
		assert.True(c, slices.ContainsFunc(c.explored.Outcomes, func(o Seen) bool {
			got := o.Ending.Results[rank][x.stmt.Into].InFile
			return pos < int64(len(got)) && got[pos] == b
		}), "line %d of rank %d: no outcome has byte %d as %#x", x.stmt.Line, rank, off, b)
	}
	assert.True(c, found, "line %d of rank %d: byte %d was read as %#x, want one of %v", x.stmt.Line, rank, off, x.read[pos], r.Choices)
}
