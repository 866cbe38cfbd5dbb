// Package sched runs the ranks of a world: every wait, wake-up and end of a rank goes
// through it. So a deadlock is noticed when it happens, and the same program can run freely
// or under a seed.
//
// Start here: [Sched.Run] runs ranks; ranks wait by [Rank.Park] and wake each other by
// [Rank.Wake]; [Rank.Step] lets other ranks run; ranks meet in a [Meeting].
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
// # Borders
//
// The package imports internal/callsite and errclass of this module only, and knows neither
// messages nor files. A rank is one thread of control: if two goroutines wait as one rank
// at the same time, the second gets [ErrTwoWaits].
//
// # Map
//
//   - sched.go: a world of ranks, run and abort
//   - rank.go: one rank: Park, Wake, YieldTurn, Step
//   - driver.go: which rank may run when; the interface for further ways to run a world
//   - free.go: all ranks at once, as goroutines
//   - turns.go: one rank at a time; coroutine.go, pull.go: switching from one rank to another;
//     thread.go: ranks on threads of their own
//   - schedule.go: choosing the next rank: seeds, round robin, priorities; tokens
//   - choice.go: questions of ranks: decisions with more than one possible answer
//   - exploring.go: one run of an exploring world
//   - explorer.go: all runs of an exploration
//   - early.go: ranks that leave a collective call before others have come to it
//   - uncontrolled.go: finding programs that depend on more than the choices
//   - history.go: which choices were made before an event
//   - deadlock.go: the report of a deadlock
//   - failure.go: ranks that returned an error, panicked or left; echo.go: errors that only repeat
//     others; public.go: errors as programs know them
//   - place.go: the line of the program that called into the library
//   - lines.go: lines that were noted, remembered from run to run
//   - linecache.go: lines of short calls, remembered by return addresses
//   - twowaits.go: two goroutines that use one rank at the same time
//   - inside.go: whether a goroutine is in a call of the library; visits.go: whether it is in a function of the program
//   - meet.go: the meeting point of the members of a communicator
//   - arrive.go: joining a meeting without waiting, any number of rounds ahead
//   - record.go: calls of a rank with their clocks, for judging a run again
//   - clock.go, clocktimes.go: vector clocks: which events happened before which; floor.go: what several cover
//   - watch.go: counting the waits of a rank
//   - task.go: work that a rank continues while it waits
//   - deferred.go: operations under way that take place when an exploration chooses
//   - mutex.go: leaf locks
package sched
