package sched

// A Deferred is an operation that a rank has started and that takes place when the explorer
// chooses: at any time until the rank waits for it. The rank carries it out while it waits for
// something, in the middle of its other calls, and these do not depend on it before the rank
// joins it.
type Deferred struct {
	d    *Decision
	ways Ways
	do   func(pick int)
	deps *history // of the choice, then of all that the operation has done
	done bool
}

// Defer starts an operation in an exploring world. ways has its possible results and what it
// touches; do carries it out.
func Defer(r *Rank, ways Ways, do func(pick int)) *Deferred {
	o := &Deferred{ways: ways, do: do}
	o.d = &Decision{r: r, q: o, take: o.chosen, held: ways.On, reports: true}
	r.s.run.open(o.d)
	r.AddTask(o)
	return o
}

// String returns the name of the operation.
func (o *Deferred) String() string { return o.ways.String() }

// Answers appends the ways of the operation. There are none while its rank is in the middle of
// another one or of a task, or when it has ended.
func (o *Deferred) Answers(to []Answer) []Answer {
	if r := o.d.r; r.tasks == nil || r.tasks.busy || r.state.Load() == ended {
		return to
	}
	return o.ways.Answers(to)
}

// chosen makes the rank, which waits for something, carry out the operation.
func (o *Deferred) chosen(pick int64, after Clock) {
	o.d.pick, o.deps = pick, after.deps
	o.d.r.tasks.called = o
	o.d.r.Wake()
}

// Due is false: only the explorer calls for the operation.
func (o *Deferred) Due() bool { return false }

// Do carries out the operation. What its rank does afterwards does not depend on it yet.
func (o *Deferred) Do() {
	r := o.d.r
	own := r.deps
	r.deps = o.deps
	o.do(int(o.d.pick))
	o.deps, r.deps = r.deps, own
	o.done = true
	r.RemoveTask(o)
	r.NoteProgress()
}

// Done reports whether the operation has been carried out.
func (o *Deferred) Done() bool { return o.done }

// Since returns the clock of the operation, which is done.
func (o *Deferred) Since() Clock { return Clock{deps: o.deps} }

// Join makes what the rank does from now on depend on the operation, if it is done. If not, it
// does not take place any more.
func (o *Deferred) Join() {
	r := o.d.r
	if o.done {
		r.deps = r.deps.union(o.deps)
		return
	}
	o.d.Close()
	r.RemoveTask(o)
}
