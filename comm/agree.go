package comm

import (
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/sched"
)

// agree finds what is wrong with a collective call: ranks in different calls,
// the arguments of one rank, different roots, data that do not fit together.
// (GEN-05, GEN-06, COLL-01)
func agree(first *call, ks []*call) any {
	wrong := -1
	for i, k := range ks {
		if k.routine != first.routine || k.form != first.form || k.made != nil && k.made.call != first.made.call {
			return mixed(ks)
		}
		if k.err != nil && wrong < 0 {
			wrong = i
		}
	}
	if wrong >= 0 {
		return &verdict{fault: ks[wrong].err, rank: wrong}
	}
	if first.comm.core.inter != nil {
		if f := agreeAcross(ks); f != nil {
			return &verdict{fault: f, rank: everybody}
		}
		return nil
	}
	if first.rooted {
		if f := oneRoot(ks); f != nil {
			return &verdict{fault: f, rank: everybody}
		}
	}
	if first.agree != nil {
		if f := first.agree(ks); f != nil {
			return &verdict{fault: f, rank: everybody}
		}
	}
	return nil
}

func oneRoot(ks []*call) *fault {
	for i, k := range ks {
		if k.root != ks[0].root {
			return broken(ErrNotSame, "GEN-05", "roots differ: rank 0 gave %d, rank %d gave %d", ks[0].root, i, k.root)
		}
	}
	return nil
}

// mixed has the ranks that wait in different calls say first which line of the
// program they are at: only they themselves can. Calls that do not wait have
// noted it.
func mixed(ks []*call) *verdict {
	waiters := 0
	for _, k := range ks {
		if k.line == nil {
			waiters++
		}
	}
	if waiters == 0 {
		return &verdict{fault: compareCalls(ks), rank: everybody}
	}
	j := newJob(ks, waiters)
	j.mixed, j.job = true, j
	return &j.verdict
}

// testify says where k's rank is, once.
func (j *job) testify(k *call) {
	if k.line == nil && k.place.Line == 0 && j.left.Load() > 0 {
		k.place = k.comm.proc.thread.Place()
		if k.place.Line == 0 {
			k.place.Line = -1 // unknown, but asked for
		}
		j.finish()
	}
}

// compareCalls names who called what.
func compareCalls(ks []*call) *fault {
	var order []string
	ranks := map[string][]int{}
	for i, k := range ks {
		what, at := k.title(), k.place
		if k.line != nil {
			at = k.line.Place()
		}
		if at.Line > 0 {
			what += " at " + at.String()
		}
		if ranks[what] == nil {
			order = append(order, what)
		}
		ranks[what] = append(ranks[what], ks[0].comm.hub().called(i))
	}
	said := make([]string, len(order))
	for i, what := range order {
		slices.Sort(ranks[what])
		said[i] = sched.RankList(ranks[what]) + " called " + what
	}
	k := ks[0]
	if k.comm.core.inter != nil {
		said[0] = "(by their ranks in the world) " + said[0]
	}
	return broken(ErrNotSame, "GEN-06",
		"as the %s collective on %s %s; all ranks make the same calls in the same order",
		ordinal(k.round), k.comm.core.name, strings.Join(said, ", "))
}
