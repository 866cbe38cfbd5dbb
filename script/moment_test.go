package script

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/world"
)

// A read returns one of the choices listed for the moment before it, and the exploration
// has an outcome for each choice.
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
			steps := m.run.ranks[rank].history.steps
			for _, x := range steps[before.steps[rank]:m.steps[rank]] {
				if x.access != nil && x.Do == consistency.DoRead && x.Request == 0 && x.stmt.Want != nil {
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

// In every litmus test, at every step and for each byte, the choices of a rank are those of
// consistency.Allowed for a read in its place. Where Allowed leaves bytes undefined, because whole
// writes may mix or the file may end anywhere, there is more than one choice.
func TestMayReadIsAllowed(t *testing.T) {
	names, err := fs.Glob(consistency.Litmus(), "*.mpio")
	require.NoError(t, err)
	for _, name := range names {
		t.Run("CONS-D01 "+name, func(t *testing.T) {
			text, err := fs.ReadFile(consistency.Litmus(), name)
			require.NoError(t, err)
			s, err := Parse(string(text))
			require.NoError(t, err)
			rep, err := Run(context.Background(), s, Options{Moments: true})
			require.NoError(t, err)
			looks := 0
			for i, m := range rep.Moments {
				for _, file := range m.FileNames() {
					all, err := m.Handles(context.Background(), file)
					require.NoError(t, err)
					for _, h := range all {
						if !assert.Empty(t, h.Unknown, "step %d", i) {
							continue
						}
						for _, r := range h.May {
							for _, at := range slices.Compact([]int64{r.Lo, r.Hi - 1}) {
								allowed := allowedAt(t, m, file, h, at)
								looks++
								if allowed["??"] || allowed["*"] {
									assert.Greater(t, len(r.Choices), 1, "step %d, rank %d, byte %d", i, h.Rank, at)
									continue
								}
								assert.Equal(t, allowed, choicesAt(r, at), "step %d, rank %d, byte %d", i, h.Rank, at)
							}
						}
					}
				}
			}
			t.Log(looks, "looks")
		})
	}
}

// choicesAt returns the possible values of a byte, in hexadecimal.
func choicesAt(r Readable, at int64) map[string]bool {
	all := map[string]bool{}
	for _, c := range r.Choices {
		switch c.From {
		case FromEnd:
			all[""] = true
		case FromHole:
			all[".."] = true
		case FromAnyLength:
			all["*"] = true
		default:
			all[fmt.Sprintf("%02x", c.Bytes[at-r.Lo])] = true
		}
	}
	return all
}

// allowedAt returns the results of consistency.Allowed for a read of one byte at a moment,
// in those outcomes in which the earlier reads have their actual results.
func allowedAt(t *testing.T, m *Moment, file string, h *HandleMoment, at int64) map[string]bool {
	t.Helper()
	p := m.run.prefixAt(m, file)
	history, got, handle := consistency.History{Init: p.init}, map[string][]byte{}, 0
	for rank, steps := range p.steps {
		var all []consistency.Step
		for i, s := range steps {
			switch {
			case s.access == nil:
				all = append(all, consistency.Step{Do: s.do, ID: m.run.event(s.what)})
			case s.file == file:
				x := s.Step
				if x.Do == consistency.DoRead {
					x.Name = fmt.Sprint("read ", i)
					if s.read != nil {
						got[fmt.Sprintf("%d.%s", rank, x.Name)] = s.read
					}
				}
				if x.Do == consistency.DoOpen && rank == h.Rank && s.stmt.Handle == h.Handle {
					handle = x.Handle
				}
				all = append(all, x)
			}
		}
		if rank == h.Rank {
			all = append(all, consistency.Step{Do: consistency.DoRead, Handle: handle, Name: "look", Runs: []consistency.Run{{Off: at, Len: 1}}})
		}
		history.Ranks = append(history.Ranks, all)
	}
	outcomes, err := consistency.Allowed(history)
	require.NoError(t, err)
	values := map[string]bool{}
	for _, o := range outcomes {
		agrees := true
		for name, read := range got {
			agrees = agrees && mayBe(o.Vars[name], read)
		}
		if agrees {
			values[o.Vars[fmt.Sprintf("%d.look", h.Rank)]] = true
		}
	}
	return values
}

// mayBe reports whether bytes that a read returned agree with a value from Allowed.
func mayBe(value string, read []byte) bool {
	if value == "*" {
		return true
	}
	if len(value) != 2*len(read) {
		return false
	}
	for i, b := range read {
		if v := value[2*i : 2*i+2]; v != "??" && v != ".." && v != fmt.Sprintf("%02x", b) {
			return false
		}
	}
	return true
}

// A run with more steps than may be kept ends at the first one beyond, and not when all is
// run and judged.
func TestMaxSteps(t *testing.T) {
	s, err := Parse("ranks 2\nall: open h f create|rdwr\n" + strings.Repeat("all: write_at h 0 byte 1\n", 50) + "all: close h\n")
	require.NoError(t, err)
	var trace strings.Builder
	_, err = Run(t.Context(), s, Options{Moments: true, MaxSteps: 10, World: []world.Option{world.Trace(&trace, world.Chrome)}})
	assert.ErrorContains(t, err, "more than 10 steps")
	assert.Less(t, strings.Count(trace.String(), "WriteAt"), 20, "of 100")

	rep, err := Run(t.Context(), s, Options{Moments: true, MaxSteps: 104})
	require.NoError(t, err)
	assert.Len(t, rep.Moments, 105, "and the one before the first")
}
