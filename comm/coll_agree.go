package comm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/sched"
)

// agree checks the calls that have met and returns the first error it finds: ranks in
// different calls, bad arguments of one rank, different roots, data that do not fit
// together. (GEN-05, GEN-06, COLL-01)
func agree(first *call, ks []*call) any {
	wrong := -1
	for i, k := range ks {
		if k.routine != first.routine || k.called() != first.called() || k.made != nil && k.made.call != first.made.call {
			return withSites(ks, nil)
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
			return withSites(ks, f)
		}
		return nil
	}
	if first.rooted {
		if f := oneRoot(ks); f != nil {
			return withSites(ks, f)
		}
	}
	if first.agree != nil {
		if f := first.agree(ks); f != nil {
			return withSites(ks, f)
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

// withSites returns the verdict of a fault f that concerns all ranks; nil means that they
// are in different calls. First each waiting rank records its line of the program, which
// only that rank can find. Calls that do not wait have recorded theirs.
func withSites(ks []*call, f *fault) *verdict {
	waiters := 0
	for _, k := range ks {
		if k.line == nil {
			waiters++
		}
	}
	if waiters == 0 {
		return &verdict{fault: placed(ks, f), rank: allRanks}
	}
	j := newJob(ks, waiters)
	j.recordsSites, j.about, j.job = true, f, j
	return &j.verdict
}

// placed adds to f the lines at which the ranks made their calls.
func placed(ks []*call, f *fault) *fault {
	if f == nil {
		return compareCalls(ks)
	}
	order, ranks := sortedBy(ks, func(k *call) string { return k.at() })
	said := make([]string, len(order))
	for i, at := range order {
		if at == "" {
			at = "an unknown line"
		}
		said[i] = ranks[i] + " at " + at
	}
	title := ks[0].title()
	if len(order) == 1 {
		return &fault{Class: f.Class, Rule: f.Rule, Err: fmt.Errorf("%w; all called %s at %s", f.Err, title, cmp.Or(order[0], "an unknown line"))}
	}
	if ks[0].comm.core.inter != nil {
		title += " (by their ranks in the world)"
	}
	return &fault{Class: f.Class, Rule: f.Rule, Err: fmt.Errorf("%w; %s was called by %s", f.Err, title, strings.Join(said, ", "))}
}

// at returns the line of the program that k was called from, as text; empty if unknown.
func (k *call) at() string { return k.site().String() }

// site returns the place that k was called from, with the file's directory and the lines
// that led there.
func (k *call) site() sched.Place {
	if k.line != nil {
		return k.line.Place()
	}
	return k.place
}

// sortedBy groups the ranks by the text that say returns for them. Groups are in the order
// of first occurrence.
func sortedBy(ks []*call, say func(*call) string) (said, ranks []string) {
	members := map[string][]int{}
	for i, k := range ks {
		what := say(k)
		if members[what] == nil {
			said = append(said, what)
		}
		members[what] = append(members[what], ks[0].comm.hub().called(i))
	}
	ranks = make([]string, len(said))
	for i, what := range said {
		slices.Sort(members[what])
		ranks[i] = sched.RankList(members[what])
	}
	return said, ranks
}

// recordSite records, once, the line that k's rank is at.
func (j *job) recordSite(k *call) {
	if k.line == nil && k.place.Line == 0 && j.left.Load() > 0 {
		k.place = k.comm.proc.thread.Place()
		if k.place.Line == 0 {
			k.place.Line = -1 // looked up, but unknown
		}
		j.finish()
	}
}

// compareCalls returns a fault that names the call and the line of each rank.
func compareCalls(ks []*call) *fault {
	calls := make([]sched.RankCall, len(ks))
	for i, k := range ks {
		calls[i] = sched.RankCall{Rank: k.comm.hub().called(i), Name: k.title(), At: k.site()}
	}
	inter, as := "", ""
	if ks[0].comm.core.inter != nil {
		inter = " (by their ranks in the world)"
	}
	if i := slices.IndexFunc(ks, func(k *call) bool { return k.nth > 0 }); i >= 0 {
		as = "as the " + ordinal(ks[i].nth) + " collective "
	}
	return broken(ErrNotSame, "GEN-06", "%s%s, %son %s; all ranks make the same calls in the same order",
		sched.DifferentCalls(calls), inter, as, ks[0].comm.core.name)
}
