package script

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
)

// fileModels are the models that file systems have.
var fileModels = []consistency.Model{consistency.Session, consistency.Commit, consistency.POSIX}

// A read under a model returns one of the choices of the moment before it for that model, in
// every litmus test and twin, under several schedules; the standard allows it, too.
func TestUnderModels(t *testing.T) {
	for _, model := range fileModels {
		t.Run("CONS-D01 "+model.String(), func(t *testing.T) {
			c := &underCheck{TB: t, model: model}
			for _, all := range []fs.FS{consistency.Litmus(), consistency.Twins()} {
				names, err := fs.Glob(all, "*.mpio")
				require.NoError(t, err)
				for _, name := range names {
					text, err := fs.ReadFile(all, name)
					require.NoError(t, err)
					c.script, err = Parse(string(text))
					require.NoError(t, err)
					for seed := range 6 {
						c.name = fmt.Sprint(name, ", seed ", seed)
						c.run(fmt.Sprint("random:", seed))
					}
				}
			}
			t.Log(c.bytes, "bytes read,", c.several, "with several choices")
			assert.Greater(t, c.bytes, 1000)
			assert.Less(t, c.several, c.bytes/50)
		})
	}
}

// An underCheck holds moments against the reads that follow them.
type underCheck struct {
	testing.TB
	model  consistency.Model
	script *Script
	name   string

	bytes, several int
}

func (c *underCheck) run(schedule string) {
	rep, err := Run(context.Background(), c.script, Options{Replay: schedule, Moments: true, Model: c.model})
	require.NoError(c, err)
	shown := map[*Stmt]bool{}
	for i, e := range rep.Log {
		shown[e.Stmt] = true
		c.onlyShown(rep.Moments[i+1], shown)
		for _, x := range e.did {
			if x.access != nil && x.Do == consistency.DoRead && x.Request == 0 && !x.stmt.together() {
				c.read(rep.Moments[i:i+2], e, x)
			}
		}
	}
}

// onlyShown checks that no handle reads bytes of a write that is shown later than the moment,
// collective writes aside.
func (c *underCheck) onlyShown(m *Moment, shown map[*Stmt]bool) {
	for _, file := range m.FileNames() {
		all, err := m.Under(context.Background(), c.model, file)
		require.NoError(c, err)
		for _, h := range all {
			for _, x := range h.May {
				for _, from := range x.Choices {
					assert.True(c, from.Stmt == nil || shown[from.Stmt] || from.Stmt.together(), "%s, %v: rank %d may read %v already", c.name, m, h.Rank, from.Stmt)
				}
			}
		}
	}
}

// read checks a read against the moments before and after it: between them another rank may
// have come as far as a meeting.
func (c *underCheck) read(around []*Moment, e *Event, x step) {
	var may [][]Readable
	for _, m := range around {
		all, err := m.Under(context.Background(), c.model, x.file)
		require.NoError(c, err)
		h := all[slices.IndexFunc(all, func(h *HandleMoment) bool { return h.Rank == e.Rank && h.Handle == x.stmt.Handle })]
		if h.Unknown != "" {
			return
		}
		may = append(may, h.May)
	}
	pos := int64(0)
	for _, run := range x.Runs {
		for off := run.Off; off < run.Off+run.Len; off++ {
			values := map[string]bool{}
			for _, all := range may {
				i := slices.IndexFunc(all, func(r Readable) bool { return r.Lo <= off && off < r.Hi })
				require.GreaterOrEqual(c, i, 0)
				maps.Copy(values, choicesAt(all[i], off))
			}
			got := ""
			if pos < int64(len(x.read)) {
				got = fmt.Sprintf("%02x", x.read[pos])
			}
			c.bytes++
			if len(values) > 1 {
				c.several++
			}
			assert.True(c, values[got] || got != "" && values[".."], "%s, line %d of rank %d: byte %d was read as %q, want one of %v", c.name, e.Stmt.Line, e.Rank, off, got, values)
			pos++
		}
	}
}
