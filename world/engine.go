package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
)

// EngineVariable is the environment variable that names an engine for a program
// that gives no option: COMMWORLD_ENGINE=mpi is [Engine]("mpi").
const EngineVariable = "COMMWORLD_ENGINE"

// Engine runs the world on an engine other than the ranks of this process. "mpi" is a real
// MPI library; it has to be linked in, by
//
//	import _ "github.com/commworld/commworld/world/mpi"
//
// The process is then one rank of the job that a launcher such as mpirun has started, or
// the only rank of a world of one. The number of ranks given to [Run] must be that of the
// job, or 0, which accepts any. The environment variable COMMWORLD_ENGINE also selects an
// engine.
//
// Each call makes the checks that one rank can make by itself and is then passed to the library. The
// checks of all ranks together and the special features of this module's world (races, deadlocks,
// seeds, exploration, different machines) are not available, and options that ask for them are
// errors. [RunReport] returns the whole report in every process, [Trace] of [Chrome] writes the
// picture in that of rank 0; neither does so if the job is aborted. The job aborts if the body of a
// rank returns an error, panics, or leaves something open, or if the context ends. It writes the text
// to standard error, and all processes, including this one, end with code 1 or that of
// [comm.Comm.Abort]. A world of one returns the error. With [Unchecked] this module does not check
// files either.
func Engine(name string) Option {
	return func(o *options) error {
		if name == "" {
			return errors.New("Engine: no name; \"mpi\" is one")
		}
		o.engine = name
		return nil
	}
}

// place decides where the world runs, and checks the number of its ranks.
func (o *options) place() error {
	o.engine = cmp.Or(o.engine, os.Getenv(EngineVariable))
	switch {
	case o.engine != "":
		return o.fitEngine()
	case o.ranks == 0:
		return fmt.Errorf("0 ranks: 0 is the number of processes that a launcher has started, and only an engine has a launcher: "+
			"give a number from 1 to %d, or an engine, by world.Engine(\"mpi\") or %s=mpi", math.MaxInt32, EngineVariable)
	case o.ranks < 1 || o.ranks > math.MaxInt32:
		return fmt.Errorf("%d ranks: a world has 1 to %d", o.ranks, math.MaxInt32)
	}
	return nil
}

// fitEngine returns an error if an option cannot be had on the engine.
func (o *options) fitEngine() error {
	what, why := "", ""
	switch {
	case !engine.Possible:
		return fmt.Errorf("engine %q: a program in a browser cannot run on an engine", o.engine)
	case o.care != nil:
		what, why = "Careful", "no rank can see what the others do"
	case o.ranks < 0 || o.ranks > math.MaxInt32:
		return fmt.Errorf("%d ranks: an engine has 1 to %d; 0 is the size of the job", o.ranks, math.MaxInt32)
	case !o.order.Free():
		what, why = "Seed or Replay", "the order in which they run is the machines'"
	case o.archs != nil:
		what, why = "Arch", "it has the architecture of its machine"
	case o.faults != nil:
		what, why = "Faults", "files are the library's"
	case o.outputs != nil && o.outputs.files != nil:
		what, why = "Trace(w, HTML)", "no rank can see what the others do"
	case o.outputs != nil && o.outputs.vectors:
		what, why = "Trace(w, ShiViz)", "a message of the library brings no vector clock along; Trace(w, Chrome) draws messages too"
	case o.checks&Buffers != 0:
		what, why = "Check(Buffers)", "the library has the buffers"
	case o.eager != 0:
		what, why = "Eager", "the library decides when a send is complete"
	}
	if what != "" {
		return fmt.Errorf("%s needs the ranks in one process; engine %q runs each in its own, where %s", what, o.engine, why)
	}
	return nil
}

// A job is a world of which one rank is in this process.
type job struct {
	o     options
	world engine.World // nil until the job has been joined
	// The same world while it can be aborted: a context ends on another goroutine.
	under atomic.Pointer[engine.World]

	logs *trace.World // of this rank; nil if they are not needed
	own  engine.Comm  // for the report of the run, separate from messages of the program
}

// runEngine is run for a world on an engine. The returned scheduler is nil if the job was
// not joined.
func runEngine(outer context.Context, o options, body func(context.Context, *comm.Comm) error) (*sched.Sched, error) {
	driver, err := engine.Lookup(o.engine)
	if err != nil {
		return nil, argument("Run", err)
	}
	inner, end := context.WithCancelCause(outer)
	defer end(nil)
	body = o.strategic(body)
	j := &job{o: o}
	s := sched.New(1, sched.Options{NoClocks: true, Ended: func() error { return over(outer) }, OnAbort: func(cause error) {
		end(cause)
		if _, failed := cause.(*sched.RankError); !failed { // nothing else can end a call of the library
			j.abort(1, "world: "+cause.Error())
		}
	}})
	defer watch(outer, s)()
	ended := false
	var left, unwritten error
	s.Run(func(r *sched.Rank) error {
		u, err := j.join(driver, s)
		if err != nil {
			return err
		}
		if err = body(inner, handle(u, j.world.Rank())); err == nil {
			left = leaks(s, u)
			err = left
		}
		if j.o.outputs != nil && (err == nil || j.world.Size() == 1) { // an aborted job has no report
			unwritten = j.writeReport(s, left)
		}
		if err == nil { // the goroutine that joined the job must leave it: the library may require that
			ended, err = true, j.end()
		}
		return err
	})
	err = verdict(s, outer, inner)
	if j.world == nil {
		return nil, err
	}
	err = j.number(err)
	if err != nil {
		j.abort(codeOf(err), err.Error())
	}
	if !ended {
		err = join(err, j.end())
	}
	return s, join(err, unwritten)
}

// join starts the engine and makes its world a world of package comm.
func (j *job) join(driver engine.Driver, s *sched.Sched) (commport.Universe[*comm.Comm], error) {
	w, err := driver.Start()
	if err != nil {
		return nil, err
	}
	if n := w.Size(); j.o.ranks != 0 && j.o.ranks != n {
		return nil, join(argument("Run", fmt.Errorf("the world has %d ranks, but the job has %d processes: start it by mpirun -n %d, or give 0 ranks, which is the size of the job",
			j.o.ranks, n, j.o.ranks)), w.End())
	}
	j.world = w
	j.under.Store(&w)
	l := j.o.launch()
	l.Engine = w
	if err := j.listen(s); err != nil {
		return nil, err
	}
	l.Trace = j.logs
	return port.Launch(s, l), nil
}

// abort ends all processes of a job. It returns only in a world of one.
func (j *job) abort(code int, text string) {
	if w := j.under.Load(); w != nil && (*w).Size() > 1 {
		(*w).Abort(code, fmt.Sprintf("commworld: rank %d of %d: %s", (*w).Rank(), (*w).Size(), text))
	}
}

// end leaves the job; no rank can abort it afterwards.
func (j *job) end() error {
	err := j.world.End()
	if err == nil {
		j.under.Store(nil)
	}
	return err
}

// number sets the rank in errors of this process to its number in the job.
func (j *job) number(err error) error {
	var e *RunError
	if errors.As(err, &e) {
		for _, r := range e.Ranks {
			r.Rank = j.world.Rank()
		}
	}
	return err
}

func codeOf(err error) int {
	var a *AbortError
	if errors.As(err, &a) && a.Code != 0 {
		return a.Code
	}
	return 1
}
