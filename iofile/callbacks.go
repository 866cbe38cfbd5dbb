package iofile

import "github.com/commworld/commworld/iofile/strategy"

// Callbacks are functions of the program that data accesses call, each in the goroutine of the
// rank that makes the access, and under no lock: ranks that run concurrently call them
// concurrently. A nil function gets no calls. A function may do anything except use the handle:
// those calls return ErrOther. If Access or Progress panics, the access fails with ErrOther.
type Callbacks struct {
	// Access is called for every completed data access, before the call that completes it
	// returns. It may query the handle's view, mode and pointer.
	Access func(*Observed)

	// Plan is called with the plan of each access, which [File.Plan] then returns too, before
	// the bytes move. In a collective access with two phases all ranks get the same plan, which
	// they must not change. On an engine the library plans by itself, and Plan is not called.
	Plan func(*strategy.Plan)

	// Progress is called while the data of a long access move, after every 4 MiB if they move
	// directly between memory and file, and once more at the end if any bytes moved; the last
	// call may be missing if an access fails. In atomic mode, where an access is indivisible,
	// and with a strategy there is only the last call. Data that need conversion are converted
	// before the first call of a write and after the last but one of a read.
	Progress func(Progress)
}

// WithCallbacks sets functions that data accesses call. For one open, all ranks give the option
// or none does, each with its own functions; where they are nil, those of the file system are
// called.
func WithCallbacks(c Callbacks) FileOption { return callbacksOption(c) }

type callbacksOption Callbacks

func (c callbacksOption) file(o *options) { o.calls = Callbacks(c).over(o.calls) }

func (c callbacksOption) open(o *opening) { o.calls, o.followed = Callbacks(c).over(o.calls), true }

// given reports whether there is a function.
func (c *Callbacks) given() bool { return c.Access != nil || c.Plan != nil || c.Progress != nil }

// over returns the functions of c, and those of d where c has none.
func (c Callbacks) over(d Callbacks) Callbacks {
	if c.Access == nil {
		c.Access = d.Access
	}
	if c.Plan == nil {
		c.Plan = d.Plan
	}
	if c.Progress == nil {
		c.Progress = d.Progress
	}
	return c
}
