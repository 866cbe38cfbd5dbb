// Package sched is a rank's thread of control: every wait, every wake-up and
// every end of a rank passes here, so that a deadlock is noticed the moment it
// happens and the same program can run free or under a seed.
//
//	s := sched.New(2, sched.Options{})
//	s.Run(func(r *sched.Rank) error {
//		for !arrived() { // the caller's condition, under the caller's leaf lock
//			if err := r.Park(why); err != nil {
//				return err // the world has been aborted
//			}
//		}
//		return nil
//	})
//
// # Map
//
//   - sched.go: a world of ranks, run and abort
//   - rank.go: one rank: Park, Wake, Step
//   - driver.go: who may run when; the seam for further ways to run
//   - free.go: all ranks at once, as goroutines do
//   - turns.go: one rank at a time; coroutine.go, pull.go: how one makes way for another
//   - schedule.go: who is next: seeds, round robin, priorities; tokens
//   - choice.go: what may go one way or another: questions that ranks put
//   - exploring.go: one run of a world that explores
//   - explorer.go: every run that makes a difference
//   - uncontrolled.go: programs that are not a function of the choices
//   - history.go: which choices had to be made before something
//   - deadlock.go: the report that a deadlocked world writes about itself
//   - failure.go: ranks that returned an error, panicked or left; echo.go: errors that only hand on others
//   - place.go: the line of the program that called into the library
//   - lines.go: those that were noted, remembered from run to run
//   - twowaits.go: two goroutines that use one rank at one time
//   - inside.go: whether a goroutine is in a call of the library; visits.go: in a function of the program
//   - near.go: those of short calls, remembered by return addresses
//   - meet.go: the meeting point of the members of a communicator
//   - arrive.go: coming to it without waiting, any number of rounds ahead
//   - record.go: calls of a rank with their clocks, for judging a run again
//   - clock.go, clocktimes.go: vector clocks: what has happened before what
//   - watch.go: counting the waits of a rank
//   - mutex.go: leaf locks
//
// # Borders
//
// A leaf: it imports nothing of this module but internal/callsite and knows neither messages nor
// files. A rank is one thread of control: a goroutine that waits as a rank while
// another does is refused with [ErrTwoWaits].
package sched
