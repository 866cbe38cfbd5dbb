package rerun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/recording"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

var port = comm.Internal(commport.Key{})

// A rank carries out the calls of one rank.
type rank struct {
	job    *job
	world  *comm.Comm
	ctx    context.Context
	thread *sched.Rank
	reader *recording.Reader
	places []*errclass.Place // by site

	comms    objects[*comm.Comm]
	files    objects[*file]
	requests objects[*request]
	messages objects[*comm.Message]

	matches  []match // of the receives that are still to start
	errs     []error // of calls that broke a rule
	goneOn   []error // of those that failed in the job, too, after which the rank went on to MPI_Finalize
	told     map[int]bool
	noLines  bool    // a place has no line
	diverged bool    // a call has failed that succeeded in the job
	open     []*file // files whose close failed here, and not in the job
	skipped  []string
	missed   []error // calls that failed in the job and were not carried out to their end here
	broken   error   // why the recording cannot be carried out
}

// A file is an open file.
type file struct {
	f      *iofile.File
	opened string       // where
	split  types.Buffer // of the split collective under way
	lost   bool         // its view, its mode or its split collective is not that of the job
}

// A request is an operation under way.
type request struct {
	q          *comm.Request
	persistent bool
	wild       bool // a persistent receive from any source: each start has a match of its own
	again      func() (*comm.Request, error)
}

// objects are the objects of one kind by their numbers in the recording.
type objects[T any] struct{ all []T }

// mostObjects bounds the numbers of objects.
const mostObjects = 1 << 22

func (o *objects[T]) set(id int64, x T) {
	if id < 0 || id > mostObjects {
		return
	}
	for int64(len(o.all)) <= id {
		o.all = append(o.all, *new(T))
	}
	o.all[id] = x
}

func (o *objects[T]) get(id int64) (x T) {
	if id >= 0 && id < int64(len(o.all)) {
		x = o.all[id]
	}
	return x
}

// rank is the body of a rank of the world.
func (j *job) rank(ctx context.Context, c *comm.Comm) error {
	k := &rank{job: j, world: c, ctx: ctx, thread: port.Thread(c), matches: j.surveys[c.Rank()].matches, told: map[int]bool{}}
	j.ranks[c.Rank()] = k
	if k.reader, k.broken = j.trace.Rank(c.Rank()); k.broken != nil {
		return k.broken
	}
	k.comms.set(0, c)
	k.comms.set(1, c.Self())
	err := k.run()
	k.thread.SetPlace(nil)
	if k.broken != nil {
		return k.broken
	}
	return err
}

// run carries out all calls. It returns the error of a world that has ended.
func (k *rank) run() error {
	const often = 1 << 12
	for n := int64(1); ; n++ {
		call, err := k.reader.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			k.broken = err
			return err
		}
		if n%often == 0 {
			if k.ctx.Err() != nil {
				return k.ctx.Err()
			}
			if done := k.job.options.Done; done != nil {
				done(k.job.done.Add(often), k.job.calls)
			}
		}
		at := k.place(call.Site)
		k.thread.SetPlace(at)
		if err := k.call(call); err != nil {
			err = placed(err, at)
			if k.ctx.Err() != nil || k.broken != nil {
				k.miss(call, *at)
				return err
			}
			k.failed(call, err)
		} else if failedInJob(call) && !k.told[call.Site] {
			k.told[call.Site] = true
			_ = k.skip("MPI_%s at %v failed in the job and not here: its library or file system refused what the standard allows", call.Name, *at)
		}
	}
}

// place returns the line of a site.
func (k *rank) place(site int) *errclass.Place {
	for len(k.places) <= site {
		k.places = append(k.places, nil)
	}
	if k.places[site] == nil {
		p := k.job.trace.Place(k.reader, site)
		k.noLines = k.noLines || !recording.HasLine(p)
		k.places[site] = &p
	}
	return k.places[site]
}

// failed records the error of a call, once for each line.
func (k *rank) failed(call *recording.Call, err error) {
	inJob := failedInJob(call)
	k.diverged = k.diverged || !inJob
	if k.told[call.Site] {
		return
	}
	k.told[call.Site] = true
	if inJob && k.job.surveys[k.world.Rank()].end == recording.Finalized {
		k.goneOn = append(k.goneOn, err)
	} else {
		k.errs = append(k.errs, err)
	}
}

// failedInJob reports whether a call returned an error in the job.
func failedInJob(call *recording.Call) bool {
	return call.Returned && call.Args[len(call.Args)-1] != 0
}

// miss records a call that failed in the job, and that other ranks did not reach.
func (k *rank) miss(call *recording.Call, at errclass.Place) {
	if failedInJob(call) {
		k.missed = append(k.missed, &errclass.Error{
			Op: call.Name, Place: at, Class: errclass.Other,
			Err: errors.New("the call failed in the job; why is not known, because other ranks were ended before they made it"),
		})
	}
}

// skip notes that something is not carried out.
func (k *rank) skip(format string, args ...any) error {
	const most = 20
	if text := fmt.Sprintf(format, args...); len(k.skipped) < most {
		k.skipped = append(k.skipped, text)
	}
	return nil
}

// closeAgain closes files that the job has closed and this world has not. If it cannot, that is no
// news.
func (k *rank) closeAgain() {
	for _, f := range k.open {
		_ = f.f.Close()
	}
}

// errMissing is the panic of an argument whose object does not exist here: the call that makes it
// has failed, or the recorder has not seen it.
var errMissing = errors.New("an object is missing")

// A broken is the panic of a field that the recording does not have.
type broken struct{ err error }

// call carries out a call.
func (k *rank) call(call *recording.Call) (err error) {
	name := strings.TrimSuffix(call.Name, "_c")
	do, ok := handlers[name]
	if !ok {
		if name == "Finalize" {
			k.closeAgain()
			return nil
		}
		return k.skip("MPI_%s is not carried out", name)
	}
	a := &args{k: k, call: call}
	defer func() {
		switch x := recover().(type) {
		case nil:
		case broken:
			k.broken, err = x.err, x.err
		case error:
			if x != errMissing {
				panic(x)
			}
			err = k.skip("MPI_%s at %v is not carried out, because the call that made its object failed or was not recorded", name, *k.place(call.Site))
		default:
			panic(x)
		}
	}()
	return do(a)
}
