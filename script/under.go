package script

import (
	"context"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/readable"
)

// Under returns what reads through the open handles return at the moment on a file system
// with the given model; Version and Newest are not set. It assumes that the calls came in
// the order of the run, and that races were decided as the run decided them. Several choices
// are left only if a call is under way, or if ranks meet in a call, because the run does not
// show which of them moved its bytes first. For [consistency.Weakest] and
// [consistency.Chaos], Under returns the same as [Moment.Handles]: all that the standard
// allows.
func (m *Moment) Under(ctx context.Context, model consistency.Model, file string) ([]*HandleMoment, error) {
	if _, chaos := model.Seed(); chaos || !model.PublishesEarly() && !model.ReadsFresh() {
		return m.Handles(ctx, file)
	}
	all, err := m.handles(ctx, file, nil, false)
	if err != nil {
		return nil, err
	}
	p := m.run.timedOf(file)
	history := readable.NewHistory(expand(m.run.initial(file)), p.steps)
	for _, h := range all {
		h.Version, h.Newest = 0, 0
		if model.ReadsFresh() {
			h.Adopted = nil
		}
		if model.PublishesEarly() {
			h.Unpublished = nil
		}
		if h.Unknown != "" {
			continue
		}
		done, handle := 0, 0
		for done < len(p.stmts[h.Rank]) && p.returned[h.Rank][done] <= m.last[h.Rank] {
			if s := p.steps[h.Rank][done]; s.Do == consistency.DoOpen && p.stmts[h.Rank][done].Handle == h.Handle {
				handle = s.Handle
			}
			done++
		}
		for _, b := range history.Under(model, m.at, h.Rank, done, handle) {
			h.May = append(h.May, readableOf(&b, p.stmts))
		}
	}
	return all, nil
}

// initial returns what a file held before the run.
func (r *run) initial(file string) []Stretch {
	for _, f := range r.s.Files {
		if f.Name == file {
			return f.Bytes
		}
	}
	return nil
}

// A timed has the steps of all ranks on one file, with the moments at which they took
// effect.
type timed struct {
	steps    [][]readable.Timed // by rank
	stmts    [][]*Stmt
	returned [][]int // the moment after the statement
}

// timedOf returns the steps on a file.
func (r *run) timedOf(file string) *timed {
	n, left := len(r.ranks), r.meetingsLeft()
	p := &timed{make([][]readable.Timed, n), make([][]*Stmt, n), make([][]int, n)}
	under := make([]map[int]int, n) // by request: the step that started it
	before := make([]int, n)        // the moment after the last statement of each rank
	for i, e := range r.log {
		k, now := e.Rank, i+1
		for j, s := range e.did {
			if s.access == nil || s.file != file || s.Runs == nil && (s.Do == consistency.DoRead || s.Do == consistency.DoWrite) {
				continue
			}
			one := readable.Timed{Step: s.Step, From: now, To: now}
			if s.stmt != nil && s.stmt.together() {
				one.From = before[k]
				if s.Do != consistency.DoOpen && s.Do != consistency.DoAtomic { // these two adopt the version after the meeting
					one.To = meetingEnd(e.did[j+1:], left, now)
				}
			}
			switch {
			case s.Do == consistency.DoWait:
				if at, ok := under[k][s.Request]; ok {
					p.steps[k][at].To = now
				}
			case s.Request != 0:
				one.To = readable.Never
				put(&under[k], s.Request, len(p.steps[k]))
			}
			p.steps[k], p.stmts[k], p.returned[k] = append(p.steps[k], one), append(p.stmts[k], s.stmt), append(p.returned[k], now)
		}
		before[k] = now
	}
	return p
}

// meetingsLeft returns the first moment at which a rank has left each meeting.
func (r *run) meetingsLeft() map[mark]int {
	left := map[mark]int{}
	for i, e := range r.log {
		for _, s := range e.did {
			if _, ok := left[s.what]; s.access == nil && s.do == consistency.DoLeave && !ok {
				left[s.what] = i + 1
			}
		}
	}
	return left
}

// meetingEnd returns the moment at which the first rank has left the meeting that follows a
// step in its statement. By then all members have made the step.
func meetingEnd(rest []step, left map[mark]int, otherwise int) int {
	for _, s := range rest {
		if at, ok := left[s.what]; s.access == nil && s.do == consistency.DoArrive && ok {
			return at
		}
	}
	return otherwise
}
