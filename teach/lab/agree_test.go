package lab_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/lab"
)

// The pane of outcomes shows the results of run --explore --json: the same outcomes with the
// same final bytes, and the same races.
func TestOutcomesAgreeWithTheCommand(t *testing.T) {
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			text := ask(t, map[string]any{"do": "lesson", "name": name})["script"].(string)
			s, err := script.Parse(text)
			require.NoError(t, err)
			rep, err := script.Explore(t.Context(), s, script.Options{MaxSchedules: 100_000, Reasons: true})
			require.NoError(t, err)
			printed, err := json.Marshal(lab.NewResult(rep, script.Fixes(t.Context(), rep, script.Options{MaxSchedules: 100_000})))
			require.NoError(t, err)
			command, page := decode(t, printed), ask(t, map[string]any{"do": "explore", "script": text})
			for _, field := range []string{"outcomes", "errors", "deadlock", "schedules", "complete", "unmet"} {
				assert.Equal(t, command[field], page[field], field)
			}
			assert.Equal(t, sites(command), sites(page))
		})
	}
}

// sites returns the races of a result without their fixes, for which time may run out.
func sites(result map[string]any) (all []any) {
	for _, r := range result["races"].([]any) {
		r := r.(map[string]any)
		all = append(all, []any{r["file"], r["bytes"], r["a"], r["b"], r["missing"], r["rule"], r["replay"]})
	}
	return all
}

// In each lesson, litmus test and twin a read returns, under every model, one of the values
// that the page says the rank may read: a model shows fewer of them than the standard
// allows, never another one.
func TestMayReadUnderEveryModel(t *testing.T) {
	for _, m := range []consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX, consistency.Chaos(1)} {
		t.Run("CONS-D01 "+m.String(), func(t *testing.T) {
			reads := 0
			for _, name := range names(t) {
				text := ask(t, map[string]any{"do": "lesson", "name": name})["script"].(string)
				s, err := script.Parse(text)
				require.NoError(t, err)
				if displaced(s) {
					continue // the first byte of the view is not that of the file
				}
				rep, err := script.Run(t.Context(), s, script.Options{Moments: true, Model: m})
				require.NoError(t, err)
				for i, e := range rep.Log {
					res, ok := e.Result()
					if !ok || e.Stmt.Routine != "read_at" || !res.IsData || m == consistency.Chaos(1) && len(rep.Mixing()) > 0 {
						continue
					}
					reads += inMay(t, name, rep.Moments[i], e, res)
				}
			}
			assert.Greater(t, reads, 50)
		})
	}
}

func displaced(s *script.Script) bool {
	return slices.ContainsFunc(s.Blocks, func(b script.Block) bool {
		return slices.ContainsFunc(b.Stmts, func(c *script.Stmt) bool { return c.View.Disp != 0 })
	})
}

// inMay fails if a read returned bytes that the moment before it does not allow. It
// returns 1 if it could be judged.
func inMay(t *testing.T, name string, before *script.Moment, e *script.Event, res script.Result) int {
	t.Helper()
	for _, file := range before.FileNames() {
		handles, err := before.Handles(context.Background(), file)
		require.NoError(t, err)
		i := slices.IndexFunc(handles, func(h *script.HandleMoment) bool { return h.Rank == e.Rank && h.Handle == e.Stmt.Handle })
		if i < 0 || handles[i].Unknown != "" || e.Stmt.Offset != 0 {
			continue
		}
		h := handles[i]
		if len(h.May) == 0 || h.May[0].Lo != 0 || len(res.InFile) == 0 {
			continue
		}
		found := slices.ContainsFunc(h.May[0].Choices, func(c script.Choice) bool {
			return c.From != script.FromStart && c.From != script.FromWrite || len(c.Bytes) > 0 && c.Bytes[0] == res.InFile[0]
		})
		assert.True(t, found, "%s: rank %d, line %d read %x, want one of %+v", name, e.Rank, e.Stmt.Line, res.InFile, h.May[0].Choices)
		return 1
	}
	return 0
}
