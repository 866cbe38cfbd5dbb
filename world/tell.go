package world

import (
	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
)

// What is told of a run under an engine: each rank keeps the log of what it hands
// to the library, and at the end, before the job is left, the logs are put
// together.

// listen begins the log of this rank, at the same moment on all ranks as far as a
// barrier makes it one.
func (j *job) listen(s *sched.Sched) (err error) {
	if j.o.tell == nil {
		return nil
	}
	if j.own, _, err = j.world.All().Make(&engine.Making{Routine: "Dup"}); err != nil {
		return err
	}
	if _, err := j.own.Collective(&engine.Call{Routine: "Barrier"}); err != nil {
		return err
	}
	j.logs = trace.New(s, trace.Options{Events: j.o.tell.chrome != nil})
	return nil
}

// tell puts the logs of all ranks together and writes what is to be written, on
// rank 0. Collective.
func (j *job) tell(s *sched.Sched, left error) error {
	t, wall := j.o.tell, j.logs.Elapsed()
	log := j.logs.Log(0)
	events := t.chrome != nil && j.world.Rank() == 0
	counted, err := log.Pack(false)
	if err != nil {
		return err
	}
	whole := counted
	if t.chrome != nil {
		if whole, err = log.Pack(true); err != nil {
			return err
		}
	}
	all, err := comm.Share(j.own, counted, comm.Everywhere)
	if err == nil && t.chrome != nil {
		var list [][]byte
		if list, err = comm.Share(j.own, whole, 0); events {
			all = list
		}
	}
	if err == nil {
		err = j.own.Free()
	}
	if err != nil {
		return err
	}
	if t.world, err = trace.Assemble(all); err != nil {
		return err
	}
	if !events {
		t.chrome = nil
	}
	err = t.end(s, left)
	t.wall = wall
	for _, e := range t.leaks {
		e.Rank = j.world.Rank()
	}
	return err
}
