package sched

import "slices"

// A Task is work that a rank has started and that other ranks may wait for. The rank
// continues it also while it waits for something else. So ranks that complete such work in
// different orders, or between other calls, do not wait for each other for ever.
//
// A rank does its due tasks before it parks, and parks only if none is due; also after a
// poll that found nothing, and now and then when it steps. The event that makes a task due
// must wake the rank, as the completion of a meeting does for a rank that joined it by
// [Meeting.Arrive].
//
// In an exploring world, whether a rank finds a task due before it parks depends on the
// order in which ranks ran, which is not a choice. There a task is done when no rank can
// run and no choice is left except a poll that finds nothing: the state is then a function
// of the choices. So tasks run late, and results that need an earlier task are not
// explored; for those that may take place at any time there is [Defer].
type Task interface {
	// Due reports whether the task can continue. In an exploring world it is also called
	// while no rank runs.
	Due() bool

	// Do continues the task; it is not due afterwards. The rank calls it and holds no lock.
	Do()
}

// tasks are those of one rank. Only that rank uses them while it runs.
type tasks struct {
	list   []Task // oldest first
	called Task   // the task to do now; see [exploration.callForTasks]
	busy   bool   // a task is being done, and may wait itself
	from   int32  // the number of the first question that it may ask; those before have to wait
	steps  int    // steps since the last task was done
}

// stepsBeforeTasks is the number of steps after which a rank does its tasks. So a rank that
// polls by other means, such as reading a file again and again, keeps no rank waiting for
// ever, and one that does not poll does its own work first.
const stepsBeforeTasks = 64

// AddTask adds a task to r. Only r's own goroutine may call it.
func (r *Rank) AddTask(c Task) {
	if r.tasks == nil {
		r.tasks = new(tasks)
		r.chooseDriver()
	}
	r.tasks.list = append(r.tasks.list, c)
}

// RemoveTask removes c from the tasks of r, if it is one.
func (r *Rank) RemoveTask(c Task) {
	cs := r.tasks
	if cs == nil {
		return
	}
	cs.list = slices.DeleteFunc(cs.list, func(o Task) bool { return o == c })
	if len(cs.list) == 0 && !cs.busy {
		r.tasks = nil
		r.chooseDriver()
	}
}

// due returns the oldest task that is due, nil if there is none.
func (cs *tasks) due() Task {
	for _, c := range cs.list {
		if c.Due() {
			return c
		}
	}
	return nil
}

// do does a task. Other tasks wait until it is done, even if it waits: two halves of one
// file's work must not mix.
func (r *Rank) do(c Task) {
	cs := r.tasks
	cs.busy = true
	if run := r.s.run; run != nil {
		cs.from = run.ranks[r.id].ops
	}
	defer func() {
		cs.busy, cs.steps = false, 0
		if len(cs.list) == 0 {
			r.tasks = nil
			r.chooseDriver()
		}
	}()
	c.Do()
}

// catchUp does the tasks that are due, and reports whether there were any.
//
//go:noinline
func (r *Rank) catchUp() bool {
	if r.s.run != nil || r.s.Cause() != nil || r.parkError() != nil || r.CheckTurn(nil) != nil {
		return false
	}
	found := false
	for r.tasks != nil && !r.tasks.busy {
		c := r.tasks.due()
		if c == nil {
			break
		}
		r.do(c)
		found = true
	}
	return found
}

// doLateTasks is catchUp for a rank that does not wait.
//
//go:noinline
func (r *Rank) doLateTasks() {
	if r.tasks.steps++; r.tasks.steps >= stepsBeforeTasks {
		r.tasks.steps = 0
		r.catchUp()
	}
}

// callForTasks makes every parked rank with a due task do it, and reports whether there is
// one. No rank runs.
func (x *exploration) callForTasks() bool {
	found := false
	for i := range x.s.ranks {
		r := &x.s.ranks[i]
		if cs := r.tasks; cs != nil && !cs.busy && r.state.Load() == parked {
			if cs.called = cs.due(); cs.called != nil {
				r.Wake()
				found = true
			}
		}
	}
	return found
}

// answer does the task that callForTasks gave the rank.
func (r *Rank) answer() {
	if cs := r.tasks; cs.called != nil {
		c := cs.called
		cs.called = nil
		r.do(c)
	}
}
