package sched

// A crew is the goroutines of ranks that run by turns, and the places in which
// they lie while they do not run.
//
// [iter.Pull] makes a goroutine and a place with it: whoever calls resume, and
// then yield, and so on in turns, lies down in that place, and the goroutine that
// lay there gets up. That takes a quarter of what a channel takes. Which goroutine
// a place was made with does not matter for that, so any rank gets to any other in
// one switch: n ranks and the loop that gives out turns have n places, and one of
// them runs. Were each to resume the next one and to be yielded to by it, which is
// what iter.Pull is meant for, a barrier of 64 ranks would take 120 switches
// rather than 64.
type crew struct {
	all     []coroutine // first the loop's, which has a goroutine but no place of its own, then by rank
	kept    bool        // for further runs
	leaving *coroutine  // is to end
}

// A coroutine is the goroutine of a rank, and the place made with it.
//
// Between two runs of an exploration it is kept: a new one would begin with a
// small stack, and growing that takes longer than many a rank lives.
type coroutine struct {
	at   *coroutine          // in whose place the goroutine lies, or lay last; nil: there is none any more
	rank *Rank               // that lives when it gets up next
	body func(r *Rank) error // of it
	left bool                // by runtime.Goexit

	// Of the place.
	resume func() (struct{}, bool)
	yield  func(struct{}) bool
	yields bool // next, since resume was called last
}

// change lays the calling goroutine, which is co's, down where that of another lies.
func (co *coroutine) change(other *coroutine) {
	if place := co.goTo(other); place.yields {
		place.resume()
	} else {
		place.yield(struct{}{})
	}
}

// goTo is change up to the switch: the place's resume, if it yields next, or yield.
func (co *coroutine) goTo(other *coroutine) *coroutine {
	place := other.at
	co.at = place
	place.yields = !place.yields
	return place
}

// fill sees to it that there are goroutines for n ranks.
func (c *crew) fill(n int) {
	if len(c.all) != n+1 {
		c.dismiss(true)
		c.all = make([]coroutine, n+1)
	}
	for i := range c.all[1:] {
		if co := &c.all[1+i]; co.at == nil {
			c.begin(co)
		}
	}
}

func (c *crew) begin(co *coroutine) {
	*co = coroutine{at: co}
	co.resume = pull(func(yield func(struct{}) bool) {
		co.yield = yield
		defer func() {
			if co.left { // and would take along whoever lies in its place: only the loop can bear that
				c.rest(co, co.rank.s.turns)
			}
			co.at = nil
		}()
		if c.kept {
			makeRoom()
		}
		for c.leaving == nil {
			t := co.rank.s.turns
			co.left = true
			co.rank.live(co.body)
			co.left, co.rank, co.body = false, nil, nil
			c.rest(co, t)
		}
	})
}

// rest lies down until there is another run, or the goroutine is to end. It does
// so in its own place, from which the one that ended it gets up.
func (c *crew) rest(co *coroutine, t *turns) {
	co.change(t.holder())
	for c.leaving != nil && c.leaving != co {
		co.change(c.leaving)
	}
}

// dismiss ends all goroutines, or those whose ranks have left by runtime.Goexit,
// each of which may take the calling goroutine along. All are at rest.
func (c *crew) dismiss(all bool) {
	for i := range c.all {
		if co := &c.all[i]; i > 0 && co.at != nil && (all || co.left) {
			c.leaving = co
			c.all[0].change(&coroutine{at: co}) // into co's place, whoever lies there
		}
	}
	c.leaving = nil
}

// end dismisses all, from a goroutine that is not locked to a thread.
func (c *crew) end() {
	done := make(chan struct{})
	go func() {
		c.dismiss(true)
		close(done)
	}()
	<-done
}

// makeRoom lets the stack grow once, while there is next to nothing on it:
// growing from step to step under deep calls took a tenth of the time of
// explorations that end after two or three runs.
//
//go:noinline
func makeRoom() {
	var room [8 << 10]byte
	touch(&room)
}

//go:noinline
func touch(room *[8 << 10]byte) { room[0] = 1 }
