package world

import (
	"cmp"
	"context"
	"errors"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/careenv"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
)

// port has the functions that package comm gives to packages of this module.
var port = comm.Internal(commport.Key{})

// Run runs body on n ranks, each a goroutine with its own handle on the communicator of
// all, and waits until every rank has ended.
//
// The context of the ranks ends when the world does: when a rank fails, when all ranks
// wait for each other, or with ctx. Every wait for another rank then returns an error. A
// rank that computes for long without calls of this module should check its context:
// nothing else can stop it.
//
// Run returns nil if every rank returned nil and the world was not aborted. Otherwise
// it returns a [RunError], which holds the errors of all ranks that failed by
// themselves, or that left a file open. Run returns races on files in any case, see
// [consistency.RaceError]. If n is not positive, an option is invalid, or ctx is nil,
// no rank starts and the error has class [ErrArg]. If ctx has ended already, no rank
// starts either. On an [Engine] n may be 0, which accepts the number that the launcher
// has started.
//
// MPI_Init, MPI_Finalize
func Run(ctx context.Context, n int, body func(ctx context.Context, c *comm.Comm) error, opts ...Option) (err error) {
	o, err := begin(ctx, n, body, opts)
	ctx, end := o.env.attend(ctx, n, &o, err)
	s := (*sched.Sched)(nil)
	defer func() { end(s, err) }()
	if err != nil {
		return err
	}
	s, err = run(ctx, o, body)
	return err
}

// begin checks the arguments of Run.
func begin(ctx context.Context, n int, body func(context.Context, *comm.Comm) error, opts []Option) (options, error) {
	env, err := parseCare(careenv.Value())
	if env != nil {
		n, opts = cmp.Or(env.ranks, n), append([]Option{env.option}, opts...)
	}
	o := options{}
	if err == nil {
		o, err = gather(n, opts)
	}
	switch {
	case err != nil:
	case ctx == nil:
		err = errors.New("the context is nil")
	case body == nil:
		err = errors.New("the ranks have no program")
	case ctx.Err() != nil:
		return o, &RunError{Cause: cancelled(ctx)}
	}
	if err != nil {
		return o, argument("Run", err)
	}
	if o.env != nil && o.env.markers != nil {
		o.setMarkers(*o.env.markers)
	}
	if o.env != nil && o.order.Free() && o.engine == "" {
		o.order = o.env.order
	}
	if o.outputs != nil && (o.outputs.calls != nil || o.outputs.files != nil) && o.order.Free() {
		o.order = sched.Random(0)
	}
	return o, nil
}

// run runs the world. The scheduler that it returns is nil if no rank was started.
func run(outer context.Context, o options, body func(context.Context, *comm.Comm) error) (*sched.Sched, error) {
	if engine.Possible && o.engine != "" {
		return runEngine(outer, o, body)
	}
	inner, end := context.WithCancelCause(outer)
	defer end(nil)
	s := sched.New(o.ranks, sched.Options{
		Schedule: o.order, Explorer: o.explorer, Polls: o.limits.Polls, NoClocks: o.bare,
		Ended: func() error { return over(outer) }, OnAbort: end, Idle: o.idle,
	})
	l := o.launch()
	l.Trace = o.watch(s)
	u := port.Launch(s, l)

	defer watch(outer, s)()
	body = o.strategic(body)
	if s.Rank(0).Exploring() {
		body = concluding(body)
	}
	if o.wrap != nil {
		body = o.wrap(body)
	}
	if o.outputs != nil && o.outputs.files != nil {
		body = recorded(body, o.outputs.files)
	}
	s.Run(func(r *sched.Rank) error { return body(inner, handle(u, r.ID())) })
	err := verdict(s, outer, inner)
	lost := leaks(s, u)
	if err == nil {
		err = verdict(s, outer, inner) // a delete function of COMM_SELF may call Abort
	}
	if lost != nil {
		err = join(err, lost)
	}
	if found := o.care.findings(s, err, racing(lost)); found != nil {
		err = join(err, found)
	}
	if unwritten := o.outputs.end(s, lost); unwritten != nil {
		err = join(err, unwritten)
	}
	return s, err
}

// concluding returns body with the last step of a rank in an exploring world: it waits for
// collectives that the rank left early.
func concluding(body func(context.Context, *comm.Comm) error) func(context.Context, *comm.Comm) error {
	return func(ctx context.Context, c *comm.Comm) error {
		if err := body(ctx, c); err != nil {
			return err
		}
		late, stop := port.Conclude(c)
		if len(late) > 0 {
			return late[0].Err
		}
		return stop
	}
}

// leaks gives up the objects that ranks left open, and returns the errors, unless the world
// was aborted: then the ranks could not have closed them.
func leaks(s *sched.Sched, u commport.Universe[*comm.Comm]) error {
	var e RunError
	var races consistency.Races
	well := s.Cause() == nil
	u.End(func(rank int, err error) {
		if found, ok := err.(consistency.Races); ok {
			races = append(races, found...)
			return
		}
		e.Ranks = append(e.Ranks, &RankError{Rank: rank, Err: err})
	})
	var left error
	if len(e.Ranks) > 0 && well {
		e.Schedule = token(s)
		e.Left = true
		left = &e
	}
	if len(races) == 0 {
		return left
	}
	for _, r := range races {
		r.Replay = token(s)
	}
	return join(races, left) // a race may be the reason why a program fails
}

// handle returns a rank's handle on the world. It is not inlined: it would double the frame
// below the rank's program, and whether a waiting rank fits into two kilobytes of stack
// decides how many ranks a machine can hold.
//
//go:noinline
func handle(u commport.Universe[*comm.Comm], rank int) *comm.Comm { return u.World(rank) }

// watch aborts s when ctx ends. The returned function ends the watch, and every goroutine
// that it may have started.
func watch(ctx context.Context, s *sched.Sched) (stop func()) {
	done := make(chan struct{})
	unhook := context.AfterFunc(ctx, func() {
		defer close(done)
		s.Abort(cancelled(ctx))
	})
	return func() {
		if !unhook() {
			<-done
		}
	}
}
