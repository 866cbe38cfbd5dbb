package script

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/readable"
)

// A Moment is the state of all files after one statement of a run, see
// [Options.Moments].
type Moment struct {
	Event *Event             // the statement that has returned last; nil before the first
	Files map[string]Content // the published bytes

	Versions map[string]int64 // of each file that a rank has opened: how often it was published

	run   *run
	steps []int              // by rank: how much of its history belongs to the moment
	seen  []map[string]int64 // by rank and handle: the version it has adopted; none where it sees each at once
}

// A HandleMoment is what one rank sees of a file through one handle.
type HandleMoment struct {
	Rank        int
	Handle      string // its name in the script
	Atomic      bool
	Unpublished []Write    // written through the handle since it last published, in order
	Adopted     *Stmt      // the statement by which the handle last adopted what others had published
	Version     int64      // the version that it took over then; -1: it sees each new one at once
	Newest      int64      // the version of the file
	May         []Readable // what a read may return now, by ascending offset, as far as any access reaches
	Unknown     string     // why May is not known; empty if it is
}

// A Write is one contiguous part of the data that a statement wrote.
type Write struct {
	Rank   int
	Stmt   *Stmt
	Lo, Hi int64 // bytes of the file
	Bytes  []byte
}

// A Readable is what a read of bytes Lo up to, not including, Hi may return.
type Readable struct {
	Lo, Hi  int64
	Choices []Choice // more than one where the standard leaves it open; writes come last, by rank and program order
}

// A Choice is one of the values that a read may return.
type Choice struct {
	From  ChoiceFrom
	Rank  int   // of the write
	Stmt  *Stmt // the statement that wrote the bytes; nil if From is not FromWrite
	Bytes []byte
}

// A ChoiceFrom says where the bytes of a [Choice] come from.
type ChoiceFrom uint8

// Where the bytes of a choice come from.
const (
	FromStart     = ChoiceFrom(readable.Start)     // the file held them before the run
	FromWrite     = ChoiceFrom(readable.Write)     // a statement wrote them
	FromHole      = ChoiceFrom(readable.Hole)      // no rank wrote them
	FromEnd       = ChoiceFrom(readable.End)       // the file may end before them
	FromAnyLength = ChoiceFrom(readable.AnyLength) // a change of size races: the file may end anywhere
)

// String returns the name.
func (f ChoiceFrom) String() string {
	return [...]string{"start", "write", "hole", "end", "any length"}[f]
}

// maxMomentBytes bounds the bytes of all files at all moments.
const maxMomentBytes = 32 << 20

// errMoments reports that the states of a run are too large to keep.
var errMoments = fmt.Errorf("script: the files of all moments of the run have more than %d bytes; shorten the script or its files", maxMomentBytes)

// remember adds the moment after e, the statement that has just returned. An error ends the
// run, and no more moments are added.
func (r *run) remember(e *Event) {
	if r.momentErr != nil {
		return
	}
	if r.momentErr = r.addMoment(e); r.momentErr != nil {
		r.stop(r.momentErr)
	}
}

func (r *run) addMoment(e *Event) (err error) {
	if r.maxSteps > 0 && len(r.moments) > r.maxSteps {
		return fmt.Errorf("script: the run has more than %d steps; shorten the script or use fewer ranks", r.maxSteps)
	}
	m := r.moment(e)
	if m.Files, err = r.contents(r.most); err != nil {
		return err
	}
	var last *Moment
	if n := len(r.moments); n > 0 {
		last = r.moments[n-1]
	}
	for name, c := range m.Files {
		var before Content
		known := false
		if last != nil {
			before, known = last.Files[name]
			c = r.published(name, c, before)
			m.Files[name] = c
		}
		r.kept += 64
		if known && c.equal(before) {
			m.Files[name] = before
		} else {
			r.kept += int64(len(c.Bytes))
		}
	}
	if r.kept > maxMomentBytes {
		return errMoments
	}
	r.moments = append(r.moments, m)
	return nil
}

// published returns the content of a file with the origins of its published bytes. If the
// newest write has not reached the file yet, the origin is that of the moment before.
func (r *run) published(name string, c, before Content) Content {
	var all []consistency.Origin
	for _, o := range c.Origins {
		lo := max(o.Lo, 0)
		for lo < o.Hi {
			hi, from := o.Hi, o
			if o.From == consistency.FromWrite && !o.Synced && !r.writesThrough(o.Rank, name) {
				from, hi = c.origin(o, before, lo)
			}
			all = consistency.Join(all, from, lo, hi)
			lo = hi
		}
	}
	c.Origins = all
	c.Blank = blanks(all, int64(len(c.Bytes)))
	return c
}

// origin returns where the byte at lo comes from, and up to which byte that holds: o if
// the byte has changed since the moment before, else its origin at that moment.
func (c Content) origin(o consistency.Origin, before Content, lo int64) (consistency.Origin, int64) {
	old := o
	end := min(o.Hi, int64(len(before.Bytes)), int64(len(c.Bytes)))
	if lo >= end {
		return o, o.Hi
	}
	for _, x := range before.Origins {
		if x.Lo <= lo && lo < x.Hi {
			old, end = x, min(end, x.Hi)
			break
		}
	}
	same := c.Bytes[lo] == before.Bytes[lo]
	hi := lo + 1
	for hi < end && (c.Bytes[hi] == before.Bytes[hi]) == same {
		hi++
	}
	if same {
		return old, hi
	}
	return o, hi
}

// writesThrough reports whether writes of a rank reach the file at once.
func (r *run) writesThrough(rank int, file string) bool {
	if rank < 0 || rank >= len(r.ranks) || r.model.PublishesEarly() {
		return true
	}
	k := r.ranks[rank]
	for name, f := range k.handles {
		if on, err := f.Atomicity(); err == nil && on && k.history.handles[name].file == file {
			return true
		}
	}
	return false
}

// moment returns the moment after e, without the files.
func (r *run) moment(e *Event) *Moment {
	m := &Moment{Event: e, run: r, steps: make([]int, len(r.ranks)), Versions: map[string]int64{}, seen: make([]map[string]int64, len(r.ranks))}
	if e != nil {
		r.ranks[e.Rank].noteVersions()
	}
	for i, k := range r.ranks {
		m.steps[i], m.seen[i] = len(k.history.steps), k.seen
		for file, n := range k.newest {
			m.Versions[file] = max(m.Versions[file], n)
		}
		r.kept += 8 + 32*int64(len(k.handles))
	}
	return m
}

// noteVersions records which versions the handles of k see. Only statements of its own
// rank change that.
func (k *rank) noteVersions() {
	k.seen, k.newest = map[string]int64{}, map[string]int64{}
	for name, f := range k.handles {
		v, err := f.Version()
		if err != nil {
			continue // the handle is closed
		}
		k.seen[name] = v.Seen
		if v.Live {
			k.seen[name] = -1
		}
		file := k.history.handles[name].file
		k.newest[file] = max(k.newest[file], v.Newest)
	}
}

// equal reports whether c and d hold the same bytes from the same places.
func (c Content) equal(d Content) bool {
	return slices.Equal(c.Bytes, d.Bytes) && slices.Equal(c.Origins, d.Origins)
}

// A prefix is the part of a run's history of one file that belongs to a moment.
type prefix struct {
	run   *run
	file  string
	init  []byte
	steps [][]step // by rank
}

// Handles returns the handles of a file that are open at the moment, by rank and in
// the order in which they were opened. It returns an error only if ctx ends first.
func (m *Moment) Handles(ctx context.Context, file string) (all []*HandleMoment, err error) {
	return m.handles(ctx, file, nil, true)
}

// handles returns the handles of a file, or only the one that l looks through, with its
// intervals cut at the edges of the bytes of l. With withMay it also finds the bytes that
// reads may return.
func (m *Moment) handles(ctx context.Context, file string, l *Look, withMay bool) (all []*HandleMoment, err error) {
	p := m.run.prefixAt(m, file)
	var may *readables
	if withMay {
		may = newReadables(p, l)
	}
	for rank, steps := range p.steps {
		if l != nil && rank != l.moment.Event.Rank {
			continue
		}
		open := m.open(file, rank, steps[:m.steps[rank]])
		for _, id := range slices.Sorted(maps.Keys(open)) {
			h := open[id]
			if l != nil && h.Handle != l.moment.Event.Stmt.Handle {
				continue
			}
			h.Version, h.Newest = m.seen[rank][h.Handle], m.Versions[file]
			if err := m.run.unknown(); err != nil {
				h.Unknown = err.Error()
			} else if withMay {
				if h.May, h.Unknown, err = may.of(ctx, rank, id); err != nil {
					return nil, err
				}
			}
			all = append(all, h)
		}
	}
	return all, nil
}

// open returns the handles of a file that a rank has open after some steps.
func (m *Moment) open(file string, rank int, steps []step) map[int]*HandleMoment {
	open := map[int]*HandleMoment{}
	for _, s := range steps {
		if s.access == nil || s.file != file {
			continue
		}
		switch h := open[s.Handle]; s.Do {
		case consistency.DoOpen:
			open[s.Handle] = &HandleMoment{Rank: rank, Handle: s.stmt.Handle, Adopted: s.stmt}
		case consistency.DoClose:
			delete(open, s.Handle)
		case consistency.DoAtomic:
			if h.Atomic = s.On; !s.On {
				h.Adopted = s.stmt
			}
		case consistency.DoSync:
			h.Unpublished, h.Adopted = nil, s.stmt
		case consistency.DoWrite:
			if !h.Atomic && m.run.model != consistency.POSIX {
				h.Unpublished = append(h.Unpublished, writesOf(rank, s)...)
			}
		}
	}
	return open
}

func writesOf(rank int, s step) (all []Write) {
	pos := int64(0)
	for _, run := range s.Runs {
		all = append(all, Write{rank, s.stmt, run.Off, run.Off + run.Len, part(s.Data, pos, run.Len)})
		pos += run.Len
	}
	return all
}

// part returns n bytes of data from pos on, fewer if data ends.
func part(data []byte, pos, n int64) []byte {
	size := int64(len(data))
	return data[min(pos, size):min(pos+n, size)]
}

// prefixAt returns the steps of all ranks up to a moment. If a rank has returned from a
// meeting, or received a message, the others have arrived or sent, even if their own
// statements have not returned yet: those steps belong to the prefix too.
func (r *run) prefixAt(m *Moment, file string) *prefix {
	p := &prefix{run: r, file: file, init: expand(r.initial(file)), steps: make([][]step, len(r.ranks))}
	needed := map[int]bool{}
	add := func(rank, upTo int) {
		all := r.ranks[rank].history.steps
		for _, s := range all[len(p.steps[rank]):upTo] {
			if s.access == nil {
				needed[r.event(s.what)] = true
			}
		}
		p.steps[rank] = all[:upTo]
	}
	for rank := range r.ranks {
		add(rank, m.steps[rank])
	}
	for more := true; more; {
		more = false
		for rank, k := range r.ranks {
			all := k.history.steps
			for i := len(p.steps[rank]); i < len(all) && all[i].access == nil; i++ {
				if needed[r.event(all[i].what)] && all[i].do != consistency.DoRecv && all[i].do != consistency.DoLeave {
					add(rank, i+1)
					more = true
				}
			}
		}
	}
	return p
}

// readables computes what reads may return at one moment.
type readables struct {
	*readable.Table
	stmts [][]*Stmt // by rank: the statements of the steps in the table
}

// unknown returns the reason why the results of reads in the run are not known, nil if they
// are.
func (r *run) unknown() error {
	for _, k := range r.ranks {
		if k.history.unknown != nil {
			return k.history.unknown
		}
	}
	return nil
}

func newReadables(p *prefix, l *Look) *readables {
	m := &readables{}
	if err := p.run.unknown(); err != nil {
		m.Table = readable.Unknown(err)
		return m
	}
	var ranks [][]readable.Step
	for _, steps := range p.steps {
		var known []readable.Step
		var stmts []*Stmt
		for _, s := range steps {
			switch {
			case s.access == nil:
				known, stmts = append(known, readable.Step{Step: consistency.Step{Do: s.do, ID: p.run.event(s.what)}}), append(stmts, nil)
			case s.file == p.file:
				known, stmts = append(known, readable.Step{Step: s.Step, Got: s.read}), append(stmts, s.stmt)
			}
		}
		ranks, m.stmts = append(ranks, known), append(m.stmts, stmts)
	}
	var cut []consistency.Run
	if l != nil {
		cut = l.runs
	}
	m.Table = readable.New(p.init, ranks, cut)
	return m
}

// of returns the choices of a rank that reads through a handle, for each interval. It fails
// only if ctx ends.
func (m *readables) of(ctx context.Context, rank, handle int) (all []Readable, unknown string, err error) {
	found, unknown, err := m.Of(ctx, rank, handle)
	for _, b := range found {
		all = append(all, readableOf(&b, m.stmts))
	}
	return all, unknown, err
}

// readableOf adds to b the statements that wrote; stmts has them by rank and step.
func readableOf(b *readable.Bytes, stmts [][]*Stmt) Readable {
	r := Readable{Lo: b.Lo, Hi: b.Hi}
	for _, c := range b.Choices {
		choice := Choice{From: ChoiceFrom(c.From), Rank: c.Rank, Bytes: c.Bytes}
		if c.From == readable.Write {
			choice.Stmt = stmts[c.Rank][c.Index]
		}
		r.Choices = append(r.Choices, choice)
	}
	return r
}

// FileNames returns the names of the files that exist at the moment, sorted.
func (m *Moment) FileNames() []string { return slices.Sorted(maps.Keys(m.Files)) }

// String returns the statement that has returned last, with its rank and line.
func (m *Moment) String() string {
	if m.Event == nil {
		return "before the first statement"
	}
	text := fmt.Sprintf("rank %d, line %d: %s", m.Event.Rank, m.Event.Stmt.Line, m.Event.Text())
	if m.Event.Err != nil {
		text += " FAILS"
	}
	return text
}
