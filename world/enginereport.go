package world

import (
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
)

// The report of a run on an engine: each rank logs the calls that it passes to the library,
// and at the end, before the ranks leave the job, the logs are joined.

// listen begins the log of this rank, at about the same moment on all ranks, after a
// barrier.
func (j *job) listen(s *sched.Sched) (err error) {
	if j.o.outputs == nil {
		return nil
	}
	if j.own, _, err = j.world.All().Make(&engine.Making{Routine: "Dup"}); err != nil {
		return err
	}
	if _, err := j.own.Collective(&engine.Call{Routine: "Barrier"}); err != nil {
		return err
	}
	j.logs = trace.New(s, trace.Options{Events: j.o.outputs.events})
	return nil
}

// writeReport joins the logs of all ranks and writes the output, on rank 0. Collective.
func (j *job) writeReport(s *sched.Sched, left error) error {
	out, wall := j.o.outputs, j.logs.Elapsed()
	log := j.logs.Log(0)
	events := out.events && j.world.Rank() == 0
	counted, err := log.Pack(false)
	if err != nil {
		return err
	}
	whole := counted
	if out.events {
		if whole, err = log.Pack(true); err != nil {
			return err
		}
	}
	all, err := engine.Share(j.own, counted, engine.Everywhere)
	if err == nil && out.events {
		var list [][]byte
		if list, err = engine.Share(j.own, whole, 0); events {
			all = list
		}
	}
	if err == nil {
		err = j.own.Free()
	}
	if err != nil {
		return err
	}
	if out.world, err = trace.Assemble(all); err != nil {
		return err
	}
	if !events {
		out.writers = nil
	}
	err = out.end(s, left)
	out.wall = wall
	for _, e := range out.leaks {
		e.Rank = j.world.Rank()
	}
	return err
}
