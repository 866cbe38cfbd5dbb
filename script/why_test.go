package script

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/world"
)

// answersOf runs a script once under a schedule, and adds its answers.
func (w *reasons) answersOf(t *testing.T, s *Script, m consistency.Model, how world.Option) {
	t.Helper()
	x := newCollector(s, Options{Model: m})
	r, err := x.run()
	require.NoError(t, err)
	r.effects = true
	err = world.Run(t.Context(), s.Ranks, func(ctx context.Context, c *comm.Comm) error { return r.body(ctx, c) }, append(s.world(), how)...)
	if worldFailure(err) != nil {
		return
	}
	seen, err := x.seen(r, "", 1)
	require.NoError(t, err)
	w.add(r, seen.Ending, seen.text)
}

// onceFalse are programs with a reason that was once false: of own writes, of sizes, of atomic off.
var onceFalse = [][2]uint64{{30, 1007}, {41, 1008}, {136, 1012}, {121, 1013}, {131, 1013}, {41, 1014}, {116, 1014}, {86, 1023}}

// TestLITX5Reasons: a reason holds in every run with its outcome, if it says so, and in no other
// one: without what it names, the outcome goes. The runs of seeds are not those of which the reasons
// were made.
func TestLITX5Reasons(t *testing.T) {
	n, seeds := uint64(60), uint64(25)
	if thorough.All() && !testing.Short() {
		n = 180
	}
	programs := slices.Clone(onceFalse)
	for i := range n {
		programs = append(programs, [2]uint64{i, *family + 1000})
	}
	for _, model := range []consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX} {
		t.Run(model.String(), func(t *testing.T) {
			t.Parallel()
			outcomes, explained, always := 0, 0, 0
			for _, i := range programs {
				p := &sharedFile{Rand: rand.New(rand.NewPCG(i[0], i[1]))}
				text := p.draw(exploredFamilies[i[0]%uint64(len(exploredFamilies))])
				s, err := Parse(text)
				require.NoError(t, err, text)
				w := newReasons(s, model)
				rep, err := explore(t.Context(), s, Options{Model: model, MaxSchedules: 3000}, w)
				require.NoError(t, err, text)
				if !rep.Complete || rep.Deadlock != nil || len(rep.Outcomes) < 2 {
					continue
				}
				why, by := map[string]*reason{}, w.givers()
				for _, o := range rep.Outcomes {
					outcomes++
					if r := w.of(o.text, by); r != nil {
						why[o.text] = r
						explained++
						if r.only {
							always++
						}
					}
				}
				for seed := range seeds {
					how := world.Seed(seed)
					if seed%3 == 2 {
						how = world.Replay(fmt.Sprint("pct:3:", seed))
					}
					w.answersOf(t, s, model, how)
				}
				for o, r := range why {
					for _, p := range w.patterns {
						holds, may := true, true
						for _, a := range r.answers {
							holds, may = holds && p.gives(a), may && p.mayGive(a)
						}
						if may && p.outcome != o || !holds && p.outcome == o && r.only {
							t.Errorf("program %d: outcome %s\n%s\nis the reason (always %v), and a run ends with %s\n%s", i, o, w.text(r), r.only, p.outcome, text)
							break
						}
					}
				}
			}
			t.Logf("%d outcomes, %d explained, %d always so", outcomes, explained, always)
			assert.NotZero(t, always)
		})
	}
}

// TestLITX5Sentences: each of these outcomes has a short reason.
func TestLITX5Sentences(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       map[string]string // by outcome
	}{
		{
			"a read between writes of one rank",
			"0:\n read_at h 0 byte*1 -> x\n1:\n write_at h 0 byte 1\n write_at h 0 byte 2\n write_at h 0 byte 3\n",
			map[string]string{
				"0.x = 00, file f = 03": "rank 0's read_at (line 6) ran before rank 1's write_at (line 8)",
				"0.x = 01, file f = 03": "rank 1's write_at (line 8) ran before rank 0's read_at (line 6), and rank 0's read_at (line 6) ran before rank 1's write_at (line 9)",
				"0.x = 02, file f = 03": "rank 1's write_at (line 9) ran before rank 0's read_at (line 6), and rank 0's read_at (line 6) ran before rank 1's write_at (line 10)",
				"0.x = 03, file f = 03": "rank 1's write_at (line 10) ran before rank 0's read_at (line 6)",
			},
		},
		{
			"a test",
			"0:\n iwrite_at h 0 byte 1 as q\n test q -> t\n wait q\n",
			map[string]string{
				"0.t = 1, file f = 01": "rank 0's test (line 7) found q complete",
				"0.t = 0, file f = 01": "rank 0's test (line 7) found q under way",
			},
		},
		{
			"beside a statement that fails in every run",
			"0:\n self open k g rdonly\n write_at h 0 byte 1\n1:\n read_at h 0 byte*1 -> x\n",
			map[string]string{
				"1.x = 00, file f = 01": "rank 1's read_at (line 9) ran before rank 0's write_at (line 7)",
				"1.x = 01, file f = 01": "rank 0's write_at (line 7) ran before rank 1's read_at (line 9)",
			},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := Parse("ranks 2\nfile f = 00\nall:\n open h f rdwr\n" + row.text + "all:\n close h\n")
			require.NoError(t, err)
			rep, err := Explore(t.Context(), s, Options{Model: consistency.POSIX, Reasons: true})
			require.NoError(t, err)
			got := map[string]string{}
			for _, o := range rep.Outcomes {
				got[o.text] = o.Why
			}
			assert.Equal(t, row.want, got)
		})
	}
	t.Run("one way, where no short reason is known", func(t *testing.T) {
		s, err := Parse("ranks 2\nfile f = 00\n0:\n self open h f rdwr|unique_open\n write_at h 0 byte 1\n close h\n1:\n self open h f rdwr\n read_at h 0 byte*1 -> x\n close h\n")
		require.NoError(t, err)
		rep, err := Explore(t.Context(), s, Options{Model: consistency.POSIX, Reasons: true})
		require.NoError(t, err)
		var got []string
		for _, o := range rep.Outcomes {
			assert.False(t, o.Always)
			got = append(got, o.Why)
		}
		assert.ElementsMatch(t, []string{
			"rank 0's write_at (line 5), then rank 1's read_at (line 9)", "rank 1's read_at (line 9), then rank 0's write_at (line 5)",
			"rank 0's open (line 4) failed", "rank 1's open (line 8) failed",
		}, got)
	})
	t.Run("the same value by the reader itself, later", func(t *testing.T) {
		s, err := Parse("ranks 2\nfile f = 00\nall:\n open h f rdwr\n0:\n read_at h 0 byte*1 -> x\nall:\n write_at h 0 byte 5\n close h\n")
		require.NoError(t, err)
		rep, err := Explore(t.Context(), s, Options{Reasons: true})
		require.NoError(t, err)
		require.Len(t, rep.Outcomes, 2)
		for _, o := range rep.Outcomes {
			assert.Contains(t, o.Why, "the bytes of rank 1's write_at (line 8), with which it races", o.text)
		}
	})
}
