package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/machine/replay/darshan"
)

// A job collects what Darshan recorded of a job, from text or a binary log.
type job struct {
	trace  *Trace
	files  map[string]*jobFile
	mounts []darshan.Mount // the longest path first
	total  int             // accesses
	hosts  map[string]map[int]bool
	seen   map[int]bool // ranks with a host
}

// A jobFile is a file with the accesses of both modules and its counters.
type jobFile struct {
	File
	requests, calls []Access
	unplaced        int // calls without offset
	counts          map[string]*Counts
}

func newJob() *job {
	return &job{trace: &Trace{}, files: map[string]*jobFile{}, hosts: map[string]map[int]bool{}, seen: map[int]bool{}}
}

// host notes that a rank ran on a node.
func (j *job) host(name string, rank int) {
	if name == "" {
		return
	}
	if j.hosts[name] == nil {
		j.hosts[strings.Clone(name)] = map[int]bool{}
	}
	j.hosts[name][rank], j.seen[rank] = true, true
}

// ranksPerNode returns the most ranks of a node, 0 if the node of some rank is unknown.
func (j *job) ranksPerNode() (most int) {
	if len(j.seen) < j.trace.Ranks {
		return 0
	}
	for _, ranks := range j.hosts {
		most = max(most, len(ranks))
	}
	return most
}

// file returns the file with that name.
func (j *job) file(name string) *jobFile {
	f := j.files[name]
	if f == nil {
		f = &jobFile{File: File{Name: strings.Clone(name)}}
		j.files[f.Name] = f
	}
	return f
}

// add adds an access of a module of DXT to a file.
func (j *job) add(f *jobFile, module string, a Access, placed bool) error {
	if err := a.check(); err != nil {
		return err
	}
	if j.trace.Ranks > 0 && a.Rank >= j.trace.Ranks {
		return fmt.Errorf("rank %d of %d ranks (nprocs)", a.Rank, j.trace.Ranks)
	}
	if j.total++; j.total > mostAccesses {
		return fmt.Errorf("more than %d accesses", mostAccesses)
	}
	switch {
	case module == "X_POSIX" && !placed:
		return fmt.Errorf("a request without an offset")
	case module == "X_POSIX":
		f.requests = append(f.requests, a)
	case placed:
		f.calls = append(f.calls, a)
	default:
		f.unplaced++
	}
	return nil
}

// count adds the counters of a record to those of its file.
func (j *job) count(f *jobFile, c *darshan.Counters) {
	if f.counts == nil {
		f.counts = map[string]*Counts{}
	}
	n := f.counts[c.Module]
	if n == nil {
		n = &Counts{Module: c.Module, File: f.Name}
		f.counts[c.Module] = n
	}
	n.add(c, j.trace.Ranks)
}

// end makes the trace.
func (j *job) end(name string) (*Trace, error) {
	t := j.trace
	t.RanksPerNode = j.ranksPerNode()
	darshan.SortMounts(j.mounts)
	for _, key := range sortedKeys(j.files) {
		f := j.files[key]
		if f.FS == "" && len(j.mounts) > 0 {
			f.FS = darshan.MountOf(j.mounts, f.Name).Type
		}
		f.choose(t)
		for _, module := range sortedKeys(f.counts) {
			c := f.counts[module]
			c.FS = f.FS
			t.Counts = append(t.Counts, c)
		}
		t.Files = append(t.Files, &f.File)
	}
	slices.SortStableFunc(t.Counts, func(a, b *Counts) int { return cmp.Compare(b.Bytes(), a.Bytes()) })
	if len(t.Counts) > 0 && t.Accesses() == 0 {
		t.Files, t.Notes = nil, t.general
		return t, nil
	}
	if len(j.files) == 0 {
		return nil, fault("%s: no access: this is not what darshan-dxt-parser prints, or the job ran without DXT (DXT_ENABLE_IO_TRACE)", name)
	}
	if err := t.finish(); err != nil {
		return nil, err
	}
	return t, nil
}

// choose makes the requests of a file its accesses, or its calls if it has no requests.
func (f *jobFile) choose(t *Trace) {
	n := len(f.calls) + f.unplaced
	f.madeBy, f.unplacedCalls = f.calls, f.unplaced
	if c := f.counts["MPI-IO"]; c != nil {
		f.collective = [2]int64{c.Reads.Collective, c.Writes.Collective}
		f.independent = [2]int64{c.Reads.Independent, c.Writes.Independent}
	}
	switch {
	case len(f.requests) > 0:
		f.Accesses = f.requests
		if n > 0 {
			t.note(fmt.Sprintf("%q: its %d requests (X_POSIX) are replayed, not the %d calls (X_MPIIO) that made them", brief.String(f.Name), len(f.requests), n))
		}
	case f.unplaced > 0:
		t.note(fmt.Sprintf("%q is left out: it has %d calls (X_MPIIO) without offsets, and no requests (X_POSIX) that say where its bytes are", brief.String(f.Name), f.unplaced))
	default:
		f.Accesses, f.Calls = f.calls, true
	}
}
