package sched

// A coroutinePool holds the goroutines of ranks that run by turns, and the slots in which
// they are suspended.
//
// Each call of [iter.Pull] creates a goroutine and a slot. A goroutine that calls the
// slot's resume, or its yield (the two alternate), is suspended in the slot, and the
// goroutine that was suspended there continues. Such a switch takes a quarter of the time
// of a channel operation. Any goroutine may use any slot, so one switch is enough from any
// rank to any other: n ranks and the loop that gives out turns have n slots, and one of
// these goroutines runs. If instead each rank resumed the next one and waited for its
// yield, which is how iter.Pull is meant to be used, a barrier of 64 ranks would take 120
// switches rather than 64.
type coroutinePool struct {
	all             []coroutine // first that of the loop, which has a goroutine but no slot, then those of ranks
	keepsGoroutines bool        // goroutines are kept for further runs
	exiting         *coroutine  // the coroutine whose goroutine is to end
}

// A coroutine is the goroutine of a rank, and the slot that was created with it.
//
// Between two runs of an exploration it is kept: a new goroutine begins with a small stack,
// and growing that takes longer than most ranks run.
type coroutine struct {
	parkedIn *coroutine          // slot in which the goroutine is or was last suspended; nil: the goroutine has ended
	rank     *Rank               // the rank to run when the goroutine continues
	body     func(r *Rank) error // the body of that rank
	exited   bool                // it ended by runtime.Goexit
	bridge   *bridge             // to the locked goroutine for which it switches, nil: it runs the rank itself

	// The two functions of the slot.
	resume func() (struct{}, bool)
	yield  func(struct{}) bool
	yields bool // the next switch through this slot is yield; resume was called last
}

// switchTo suspends the calling goroutine, which is co's, in the slot of other.
func (co *coroutine) switchTo(other *coroutine) {
	place := co.prepareSwitch(other)
	if co.bridge != nil {
		co.bridge.enter(place)
		return
	}
	place.enter()
}

// enter suspends the calling goroutine in the slot of co, after prepareSwitch.
func (co *coroutine) enter() {
	if co.yields {
		co.resume()
	} else {
		co.yield(struct{}{})
	}
}

// prepareSwitch does all of switchTo but the switch itself. The caller then calls the
// returned slot's yield if yields is true, otherwise its resume.
func (co *coroutine) prepareSwitch(other *coroutine) *coroutine {
	place := other.parkedIn
	co.parkedIn = place
	place.yields = !place.yields
	return place
}

// fill creates the missing goroutines for n ranks.
func (c *coroutinePool) fill(n int) {
	if len(c.all) != n+1 {
		c.endGoroutines(true)
		c.all = make([]coroutine, n+1)
	}
	for i := range c.all[1:] {
		if co := &c.all[1+i]; co.parkedIn == nil {
			c.begin(co)
		}
	}
}

func (c *coroutinePool) begin(co *coroutine) {
	*co = coroutine{parkedIn: co}
	co.resume = pull(func(yield func(struct{}) bool) {
		co.yield = yield
		defer func() {
			if co.exited { // and would end the goroutine suspended in its slot, too: only the loop can bear that
				c.waitForRun(co, co.rank.s.turns)
			}
			co.parkedIn = nil
		}()
		if c.keepsGoroutines {
			growStack()
		}
		for c.exiting == nil {
			t := co.rank.s.turns
			co.exited = true
			co.rank.live(co.body)
			co.exited, co.rank, co.body = false, nil, nil
			c.waitForRun(co, t)
		}
	})
}

// waitForRun suspends the goroutine of co in its own slot until there is another run, or
// until the goroutine is to end.
func (c *coroutinePool) waitForRun(co *coroutine, t *turns) {
	co.switchTo(t.holder())
	for c.exiting != nil && c.exiting != co {
		co.switchTo(c.exiting)
	}
}

// endGoroutines ends all goroutines if all is true, otherwise those whose ranks left by
// runtime.Goexit. Ending one may end the calling goroutine, too. All of them are suspended
// in waitForRun.
func (c *coroutinePool) endGoroutines(all bool) {
	for i := range c.all {
		if co := &c.all[i]; i > 0 && co.parkedIn != nil && (all || co.exited) {
			c.exiting = co
			c.all[0].switchTo(&coroutine{parkedIn: co}) // continue whichever goroutine is suspended in co's slot
		}
	}
	c.exiting = nil
}

// end ends all goroutines, from a goroutine that is not locked to a thread.
func (c *coroutinePool) end() {
	done := make(chan struct{})
	go func() {
		c.endGoroutines(true)
		close(done)
	}()
	<-done
}

// growStack makes the stack of the goroutine grow once, while it is almost empty: growing
// it in steps under deep calls took a tenth of the time of explorations that end after two
// or three runs.
//
//go:noinline
func growStack() {
	var room [8 << 10]byte
	touch(&room)
}

//go:noinline
func touch(room *[8 << 10]byte) { room[0] = 1 }
