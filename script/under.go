package script

import (
	"context"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/readable"
)

// Under returns what reads through the open handles return at the moment on a file system
// with the given model; Version and Newest are not set. It assumes that the calls took effect
// in the order of the run, so races were decided as the run decided them. Two choices are left
// only if a write is under way. For [consistency.Weakest] and
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
	calls, stmts, ids := m.calls(file)
	found := readable.Under(model, expand(m.run.initial(file)), calls)
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
		for _, b := range found(h.Rank, ids[handleOf{h.Rank, h.Handle}]) {
			h.May = append(h.May, readableOf(&b, stmts))
		}
	}
	return all, nil
}

// calls returns the steps of the run on a file, with the effects that they have had by the
// moment, the statements of each rank's steps, and the numbers of the handles that were opened
// last under each name.
func (m *Moment) calls(file string) (calls []readable.Call, stmts [][]*Stmt, ids map[handleOf]int) {
	stmts, ids = make([][]*Stmt, len(m.steps)), map[handleOf]int{}
	now := 0
	for rank, k := range m.run.ranks {
		for _, s := range k.history.steps[:m.steps[rank]] {
			if s.access != nil {
				now = max(now, s.to)
			}
		}
	}
	for rank, k := range m.run.ranks {
		waited := map[int]bool{}
		for _, s := range k.history.steps[:m.steps[rank]] {
			if s.access != nil && s.Do == consistency.DoWait {
				waited[s.Request] = true
			}
		}
		for i, s := range k.history.steps {
			if s.access == nil || s.file != file {
				continue
			}
			c := readable.Call{Step: s.Step, Rank: rank, Index: len(stmts[rank]), From: readable.Never, To: readable.Never}
			inside := i == m.steps[rank] && s.stmt != nil && s.stmt.together() && s.to < now // the rank waits in the call for others
			if i < m.steps[rank] || inside {
				if c.From = s.from; s.Request == 0 || waited[s.Request] {
					c.To = s.to
				}
				if s.Do == consistency.DoOpen {
					ids[handleOf{rank, s.stmt.Handle}] = s.Handle
				}
			}
			calls, stmts[rank] = append(calls, c), append(stmts[rank], s.stmt)
		}
	}
	return calls, stmts, ids
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
