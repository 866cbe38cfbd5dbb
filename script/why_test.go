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
