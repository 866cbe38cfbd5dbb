package rerun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/recording"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/world"
)

// Options say how a recording is judged.
type Options struct {
	Forgive consistency.Model     // races that this model forgives are left out; the zero value forgives none
	Done    func(calls, of int64) // called now and then while calls are carried out; may be nil
}

// A Result is what a recording has shown.
type Result struct {
	Ranks, Calls int64
	Findings     []world.Finding
	Notes        []string // what the recording cannot show, and what was not carried out
	Hung         bool     // each rank is in a call, and they wait for each other or have called what does not fit together
}

// Run reads a recording and carries its calls out again. Errors: *recording.Error, for a
// recording that cannot be read: nothing is judged then.
func Run(ctx context.Context, t *recording.Trace, o Options) (*Result, error) {
	if t.Absent > 0 {
		return nil, fmt.Errorf("%s: %s of %d have no file, such as rank.%d; copy all files of the recording",
			t.Dir, plain.Count(t.Absent, "rank"), t.Ranks, t.Missing[0])
	}
	all, err := surveys(ctx, t)
	if err != nil {
		return nil, err
	}
	j := &job{trace: t, surveys: all, options: o, ranks: make([]*rank, t.Ranks)}
	for _, s := range all {
		j.calls += s.calls
	}
	if err := j.makeFiles(ctx); err != nil {
		return nil, err
	}
	options := []world.Option{world.Replay("roundrobin"), world.Eager(j.eager()), world.Check(world.Handles)}
	report, err := world.RunReport(ctx, t.Ranks, j.rank, options...)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	for _, r := range j.ranks {
		if r != nil && r.broken != nil {
			return nil, r.broken
		}
	}
	return j.result(report, err), nil
}

// A job is a recording whose calls are carried out.
type job struct {
	trace   *recording.Trace
	surveys []*survey
	options Options
	fs      *iofile.FS
	ranks   []*rank
	calls   int64
	done    atomic.Int64
}

// eager is the largest send that does not wait for its receive: any, unless the job ended within
// a call, which may be a send that waits.
func (j *job) eager() int64 {
	if slices.ContainsFunc(j.surveys, func(s *survey) bool { return s.inCall }) {
		return comm.DefaultEager
	}
	return math.MaxInt64
}

// makeFiles makes the files that were there before the job.
func (j *job) makeFiles(ctx context.Context) error {
	j.fs = iofile.NewMem(iofile.WithoutBytes(), iofile.WithModel(j.options.Forgive))
	if err := j.makeFolders(); err != nil {
		return err
	}
	names, sizes := existing(j.surveys)
	return world.Run(ctx, 1, func(_ context.Context, c *comm.Comm) error {
		for _, name := range names {
			f, err := iofile.Open(c, j.fs, fileName(name), iofile.Create|iofile.WriteOnly)
			if err == nil {
				err = errors.Join(f.SetSize(sizes[name]), f.Close())
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// makeFolders makes the folders of all files.
func (j *job) makeFolders() error {
	made := map[string]bool{".": true, "/": true}
	var folder func(name string) error
	folder = func(name string) error {
		if made[name] {
			return nil
		}
		made[name] = true
		if err := folder(path.Dir(name)); err != nil {
			return err
		}
		return j.fs.Mkdir(name)
	}
	for _, s := range j.surveys {
		for _, name := range s.order {
			if err := folder(path.Dir(fileName(name))); err != nil {
				return err
			}
		}
	}
	return nil
}

// result puts together what was found.
func (j *job) result(report *world.Report, err error) *Result {
	r := &Result{Ranks: int64(j.trace.Ranks), Calls: j.calls}
	j.notes(r)
	failed := &world.RunError{}
	for _, k := range j.ranks {
		for _, e := range k.errs {
			failed.Ranks = append(failed.Ranks, &world.RankError{Rank: k.world.Rank(), Err: e})
		}
	}
	for _, k := range j.ranks {
		for _, e := range k.goneOn {
			r.note("rank %d went on after a call that failed in the job, too; whether it handles the error is not recorded: %v", k.world.Rank(), e)
		}
	}
	dead := slices.ContainsFunc(world.Findings(err), func(f world.Finding) bool { return f.Kind == world.KindDeadlock })
	diverged := slices.ContainsFunc(j.ranks, func(k *rank) bool { return k.diverged })
	for _, k := range j.ranks {
		for _, e := range k.missed {
			if dead && !diverged {
				failed.Ranks = append(failed.Ranks, &world.RankError{Rank: k.world.Rank(), Err: e})
			}
		}
	}
	r.Hung = (dead || diverged) && !slices.ContainsFunc(j.surveys, func(s *survey) bool { return !s.inCall })
	if len(failed.Ranks) > 0 {
		r.Findings = append(r.Findings, world.Findings(failed)...)
	}
	for _, f := range world.Findings(err) {
		if j.concerns(r, &f) {
			r.Findings = append(r.Findings, withoutReplay(f))
		}
	}
	return r
}

// withoutReplay returns a finding that does not name a schedule: a recording has one only.
func withoutReplay(f world.Finding) world.Finding {
	f.Replay = ""
	if e, ok := f.Err.(*consistency.RaceError); ok {
		own := *e
		own.Replay = ""
		f.Err, f.Text = &own, own.Report()
	}
	return f
}

// concerns reports whether a finding is one of the job, and not the effect of its end.
func (j *job) concerns(r *Result, f *world.Finding) bool {
	switch f.Kind {
	case world.KindRace:
		e, ok := f.Err.(*consistency.RaceError)
		return !ok || !j.options.Forgive.Forgives(e)
	case world.KindDeadlock:
		if i := slices.IndexFunc(j.surveys, func(s *survey) bool { return s.aborts }); i >= 0 {
			r.note("rank %d called MPI_Abort, so that other ranks wait says nothing", i)
			return false
		}
		if i := slices.IndexFunc(j.ranks, func(k *rank) bool { return k.diverged }); i >= 0 {
			r.note("a call of rank %d failed here and not in the job. What follows is not that of the job, so this is not a finding: %v", i, f.Err)
			return false
		}
		for rank, s := range j.surveys {
			if slices.ContainsFunc(s.notes, func(note string) bool { return strings.HasPrefix(note, "threads") }) {
				r.note("several threads of rank %d called MPI, so that other ranks wait for it says nothing", rank)
				return false
			}
			if s.end == recording.Cut && !s.inCall {
				r.note("the job ended while rank %d was not in a call, so that other ranks wait for it says nothing", rank)
				return false
			}
		}
	case world.KindLeak:
		f.Ranks = slices.DeleteFunc(f.Ranks, func(rank int) bool {
			return j.surveys[rank].end != recording.Finalized || j.ranks[rank].closed(f)
		})
		return len(f.Ranks) > 0
	}
	return true
}

// closed reports whether the job has closed a file that this world says is still open.
func (k *rank) closed(f *world.Finding) bool {
	return len(f.Places) > 0 && slices.ContainsFunc(k.open, func(o *file) bool { return o.opened == f.Places[0].String() })
}

func (r *Result) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// notes adds what the recording does not show.
func (j *job) notes(r *Result) {
	without := map[string]int{}
	ends := map[recording.End]int{}
	for _, s := range j.surveys {
		for name, n := range s.without {
			without[name] += n
		}
		for _, note := range s.notes {
			r.note("%s", note)
		}
		ends[s.end]++
	}
	for _, name := range slices.Sorted(maps.Keys(without)) {
		r.Findings = append(r.Findings, world.Finding{
			Kind: world.KindUnchecked, Ranks: []int{}, Places: []world.Place{},
			Text: fmt.Sprintf("%s of MPI_%s not carried out: what it orders is unknown, so races may be reported that are none", plain.Count(without[name], "call"), name),
		})
	}
	if n := ends[recording.Cut]; n > 0 {
		r.note("the recording of %s ends before MPI_Finalize: the job was ended, or still runs", plain.Count(n, "rank"))
	}
	if n := ends[recording.Exited]; n > 0 {
		r.note("%s ended without MPI_Finalize", plain.Count(n, "rank"))
	}
	if slices.ContainsFunc(j.ranks, func(k *rank) bool { return k != nil && k.noLines }) {
		r.note("calls without a line are shown as function@program:offset: compile the program with -g, and run commworldrec lines on the machine that has it")
	}
	skipped := map[string]bool{}
	for _, k := range j.ranks {
		for _, text := range k.skipped {
			if !skipped[text] {
				skipped[text] = true
				r.note("%s", text)
			}
		}
	}
}

// fileName returns the name in the world of a file of the job: each path is a file. The prefix
// of a file system, such as ufs:, is not part of it.
func fileName(name string) string {
	if i := strings.IndexByte(name, ':'); i > 1 && strings.Trim(name[:i], "abcdefghijklmnopqrstuvwxyz") == "" {
		name = name[i+1:]
	}
	return strings.TrimLeft(path.Clean(name), "/")
}

// placed returns a copy of an error with the line of the program.
func placed(err error, at *errclass.Place) error {
	var e *errclass.Error
	if errors.As(err, &e) && e.Place.Line == 0 {
		e.Place = *at
	}
	return err
}
