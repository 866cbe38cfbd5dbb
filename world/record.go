package world

import (
	"errors"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
)

// Record stores the calls of the ranks in p when the world has ended: messages,
// collectives and accesses to files, without their bytes. [machine.Run] then computes
// what the same calls cost on a machine, possibly with other strategies and stripes.
// Calls that failed are left out. A nonblocking call is recorded where it starts and
// where it is completed, an access to a file where its bytes move. Setting a view or a
// size, seeking and probing are free, and so are the computations of a rank.
//
// One rank runs at a time, as under [Seed](0) unless another option says otherwise, so the
// same program gives the same calls. Error of [Run]: ErrArg together with an [Engine].
func Record(p *machine.Program) Option {
	return func(o *options) error {
		if p == nil {
			return errors.New("Record: the program is nil")
		}
		out, r := o.needOutputs(), o.recorder()
		out.writers = append(out.writers, writer{"the record of calls", func(*sched.Sched) error {
			*p = r.program()
			return nil
		}})
		return nil
	}
}

// recorder returns the recorder of a run, and makes it at the first use.
func (o *options) recorder() *recorder {
	out := o.needOutputs()
	r, ok := out.calls.(*recorder)
	if !ok {
		r = &recorder{calls: make([][]machine.Call, o.ranks), groups: map[any]*machine.Group{}, numbers: map[any]int64{}, labels: map[label]string{}}
		out.calls = r
	}
	return r
}

// A recorder keeps the calls of all ranks of a world, one of which runs at a time.
type recorder struct {
	calls   [][]machine.Call
	groups  map[any]*machine.Group // by the key that ranks give
	numbers map[any]int64          // of messages and collective calls
	last    int64                  // the last number
	labels  map[label]string
	clock   *modelClock // of a world in a machine's time; else nil
}

// A label is a call at a line.
type label struct {
	op    string
	place sched.Place
}

// program returns the recorded calls.
func (r *recorder) program() machine.Program {
	return machine.Program{
		Ranks: len(r.calls),
		Calls: func(rank int) int { return len(r.calls[rank]) },
		Call:  func(rank, i int) machine.Call { return r.calls[rank][i] },
	}
}

func (r *recorder) add(rank int, c machine.Call, op string, at sched.Place) {
	l := label{op, at}
	text, ok := r.labels[l]
	if !ok {
		if text = op; l.place.File != "" {
			text += " " + l.place.String()
		}
		r.labels[l] = text
	}
	c.Label = text
	r.calls[rank] = append(r.calls[rank], c)
	if r.clock != nil && r.clock.sim != nil {
		r.clock.sim.Add(rank, c)
	}
}

// number returns the number of a message or of a collective call.
func (r *recorder) number(key any) int64 {
	n, ok := r.numbers[key]
	if !ok {
		r.last++
		n = r.last
		r.numbers[key] = n
	}
	return n
}

// group returns the group of a party.
func (r *recorder) group(p *trace.Party) *machine.Group {
	g := r.groups[p.Key]
	if g == nil {
		g = &machine.Group{Ranks: p.Ranks()}
		r.groups[p.Key] = g
	}
	return g
}

// Send records that a rank sends a message.
func (r *recorder) Send(rank, to int, bytes int64, message any, at sched.Place) {
	r.add(rank, machine.Call{Op: machine.Send, To: to, Bytes: bytes, Number: r.number(message)}, "Send", at)
}

// Receive records that a rank has received a message.
func (r *recorder) Receive(rank int, message any, at sched.Place) {
	r.add(rank, machine.Call{Op: machine.Receive, Number: r.number(message)}, "Recv", at)
	delete(r.numbers, message)
}

// Compute records that a rank computes.
func (r *recorder) Compute(rank int, seconds float64, at sched.Place) {
	r.add(rank, machine.Call{Op: machine.Work, Seconds: seconds}, "Compute", at)
}

// kinds maps routines to how they move data. Other routines only meet.
var kinds = map[string]machine.Kind{
	"Bcast": machine.Broadcast, "Scatter": machine.Scatter, "ScatterV": machine.Scatter, "Gather": machine.Gather, "GatherV": machine.Gather, "Reduce": machine.Reduce,
	"AllGather": machine.Allgather, "AllGatherV": machine.Allgather, "AllToAll": machine.Alltoall, "AllToAllV": machine.Alltoall, "AllToAllW": machine.Alltoall,
	"AllReduce": machine.Allreduce, "Scan": machine.Allreduce, "ExScan": machine.Allreduce, "ReduceScatter": machine.Allreduce, "ReduceScatterBlock": machine.Allreduce,
	"NeighborAllGather": machine.Alltoall, "NeighborAllGatherV": machine.Alltoall,
	"NeighborAllToAll": machine.Alltoall, "NeighborAllToAllV": machine.Alltoall, "NeighborAllToAllW": machine.Alltoall,
}

// Meet records a collective call, or one half of it.
func (r *recorder) Meet(rank int, m *trace.Meeting, at sched.Place) {
	kind := kinds[m.Name]
	if m.Across && kind != machine.Synchronize {
		kind = machine.Allgather
	}
	op := [...]machine.Op{trace.Both: machine.Collective, trace.Started: machine.Start, trace.Finished: machine.Finish}[m.Half]
	r.add(rank, machine.Call{Op: op, Group: r.group(&m.Party), Number: r.number(m.Round), Kind: kind, Bytes: m.Bytes, Root: m.Root}, m.Name, at)
}

// File records a call on a file.
func (r *recorder) File(rank int, f *trace.FileCall, at sched.Place) {
	c := machine.Call{File: f.Name, Group: r.group(&f.Party), Together: true}
	switch f.Kind {
	case trace.FileOpened:
		c.Op, c.StripeSize, c.StripeCount = machine.Open, f.StripeSize, f.StripeCount
	case trace.FileSynced:
		c.Op = machine.Sync
	case trace.FileClosed:
		c.Op = machine.Close
	case trace.FileMoved:
		if c.Op = machine.Read; f.Write {
			c.Op = machine.Write
		}
		if f.Shared {
			if c.Pointer = machine.Shared; f.All {
				c.Pointer = machine.Ordered
			}
		}
		c.Together = f.All
		c.Part = f.Part
		c.Strategy, _ = f.Strategy.(strategy.Strategy)
	}
	r.add(rank, c, f.Op, at)
}
