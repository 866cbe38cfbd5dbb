package script

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/commworld/commworld/consistency"
)

// A Moment is the state of all files after one statement of a run, see
// [Options.Moments].
type Moment struct {
	Event *Event             // the statement that has returned last; nil before the first
	Files map[string]Content // the published bytes

	run   *run
	steps []int // by rank: how much of its history belongs to the moment
}

// A HandleMoment is what one rank sees of a file through one handle.
type HandleMoment struct {
	Rank        int
	Handle      string // its name in the script
	Atomic      bool
	Unpublished []Write    // written through the handle since it last published, in order
	Adopted     *Stmt      // the statement by which the handle last took over what others published
	May         []Readable // what a read may return now, by ascending offset, for the whole file
	Unknown     string     // why May is not known; empty if it is
}

// A Write is one contiguous part of what a statement wrote.
type Write struct {
	Rank   int
	Stmt   *Stmt
	Lo, Hi int64 // bytes of the file
	Bytes  []byte
}

// A Readable is what a read of bytes Lo up to, not including, Hi may return.
type Readable struct {
	Lo, Hi  int64
	Choices []Choice // in the order of time; more than one where the standard leaves it open
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
	FromStart     ChoiceFrom = iota // the file held them before the run
	FromWrite                       // a statement wrote them
	FromHole                        // no rank wrote them
	FromEnd                         // the file may end before them
	FromAnyLength                   // a change of size races: the file may end anywhere
)

// String returns the name.
func (f ChoiceFrom) String() string {
	return [...]string{"start", "write", "hole", "end", "any length"}[f]
}

// most of a moment that is kept: bytes of all files at all moments, and writes that
// a read may find.
const (
	maxMomentBytes  = 32 << 20
	maxMomentWrites = 250
)

// errMoments says that the states of a run are too much to keep.
var errMoments = fmt.Errorf("script: the files of all moments of the run have more than %d bytes; shorten the script or its files", maxMomentBytes)

// remember adds the moment after e, the statement that has just returned. Once it
// has failed, momentErr says why, and no more moments are added.
func (r *run) remember(e *Event) {
	if r.momentErr != nil {
		return
	}
	m := &Moment{Event: e, run: r, steps: make([]int, len(r.ranks))}
	for i, k := range r.ranks {
		m.steps[i] = len(k.tale.steps)
		r.kept += 8
	}
	if m.Files, r.momentErr = contents(r.fsys, r.quotes); r.momentErr != nil {
		return
	}
	var last *Moment
	if n := len(r.moments); n > 0 {
		last = r.moments[n-1]
	}
	for name, c := range m.Files {
		r.kept += 64
		if last != nil && c.equal(last.Files[name]) {
			m.Files[name] = last.Files[name]
		} else {
			r.kept += int64(len(c.Bytes))
		}
	}
	if r.kept > maxMomentBytes {
		r.momentErr = errMoments
	}
	r.moments = append(r.moments, m)
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
	p := m.run.prefixAt(m, file)
	may := newReadables(p)
	for rank, steps := range p.steps {
		open := map[int]*HandleMoment{}
		for _, s := range steps[:m.steps[rank]] {
			if s.told == nil || s.file != file {
				continue
			}
			h := open[s.Handle]
			switch s.Do {
			case consistency.DoOpen:
				open[s.Handle] = &HandleMoment{Rank: rank, Handle: s.stmt.Handle, Adopted: s.stmt}
				continue
			case consistency.DoClose:
				delete(open, s.Handle)
			case consistency.DoAtomic:
				h.Atomic = s.On
				if !s.On {
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
		for _, id := range slices.Sorted(maps.Keys(open)) {
			h := open[id]
			if err := ctx.Err(); err != nil {
				return nil, context.Cause(ctx)
			}
			h.May, h.Unknown = may.of(rank, id)
			all = append(all, h)
		}
	}
	return all, nil
}

func writesOf(rank int, s step) (all []Write) {
	pos := int64(0)
	for _, run := range s.Runs {
		all = append(all, Write{rank, s.stmt, run.Off, run.Off + run.Len, part(s.Data, pos, run.Len)})
		pos += run.Len
	}
	return all
}

// part returns n bytes of data from pos on, fewer where data ends.
func part(data []byte, pos, n int64) []byte {
	size := int64(len(data))
	return data[min(pos, size):min(pos+n, size)]
}

// prefixAt returns the steps of all ranks up to a moment. A rank that has returned
// from a meeting, or received a message, shows that others have arrived or sent,
// though their own statements have not returned yet: those steps belong to the
// prefix too.
func (r *run) prefixAt(m *Moment, file string) *prefix {
	p := &prefix{run: r, file: file, steps: make([][]step, len(r.ranks))}
	for _, f := range r.s.Files {
		if f.Name == file {
			p.init = expand(f.Bytes)
		}
	}
	needed := map[int]bool{}
	add := func(rank, upTo int) {
		all := r.ranks[rank].tale.steps
		for _, s := range all[len(p.steps[rank]):upTo] {
			if s.told == nil {
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
			all := k.tale.steps
			for i := len(p.steps[rank]); i < len(all) && all[i].told == nil; i++ {
				if needed[r.event(all[i].what)] && all[i].do != consistency.DoRecv && all[i].do != consistency.DoLeave {
					add(rank, i+1)
					more = true
				}
			}
		}
	}
	return p
}

// readables finds what reads may return at one moment. Only which write a byte comes
// from matters, so the file of its history has one byte for each interval between
// the ends of all accesses, and the value of a byte is the number of its write.
type readables struct {
	*prefix
	ends    []int64 // ends of intervals, ascending; the first interval begins at 0
	writes  []step  // by number, from 1
	ranks   []int   // of writes, by number from 1
	history consistency.History
	reads   map[string]step // earlier reads, by the names of their results in history
	err     error
}

func newReadables(p *prefix) *readables {
	m := &readables{prefix: p, reads: map[string]step{}}
	for _, k := range p.run.ranks {
		m.err = cmp.Or(m.err, k.tale.untold)
	}
	m.cut()
	m.history.Init = make([]byte, m.at(int64(len(p.init))))
	for rank := range p.steps {
		m.history.Ranks = append(m.history.Ranks, m.rank(rank))
	}
	if len(m.writes) > maxMomentWrites {
		m.err = cmp.Or(m.err, fmt.Errorf("more than %d writes are not followed", maxMomentWrites))
	}
	return m
}

// cut finds the intervals.
func (m *readables) cut() {
	ends := map[int64]bool{int64(len(m.init)): true}
	for _, steps := range m.steps {
		for _, s := range steps {
			if s.told == nil || s.file != m.file {
				continue
			}
			for _, run := range s.Runs {
				ends[run.Off], ends[run.Off+run.Len] = true, true
			}
			ends[s.Bytes] = true
		}
	}
	delete(ends, 0)
	m.ends = slices.Sorted(maps.Keys(ends))
}

// at returns the number of the interval that begins at a byte.
func (m *readables) at(byte int64) int64 {
	if byte == 0 {
		return 0
	}
	i, _ := slices.BinarySearch(m.ends, byte)
	return int64(i + 1)
}

// runs returns runs of bytes as runs of intervals.
func (m *readables) runs(all []consistency.Run) (short []consistency.Run, n int) {
	for _, r := range all {
		lo, hi := m.at(r.Off), m.at(r.Off+r.Len)
		short = append(short, consistency.Run{Off: lo, Len: hi - lo})
		n += int(hi - lo)
	}
	return short, n
}

// rank returns the history of one rank.
func (m *readables) rank(rank int) (all []consistency.Step) {
	empty := map[int]bool{}
	for i, s := range m.steps[rank] {
		switch {
		case s.told == nil:
			all = append(all, consistency.Step{Do: s.do, ID: m.run.event(s.what)})
			continue
		case s.file != m.file || s.Do == consistency.DoSize:
			continue
		case (s.Do == consistency.DoRead || s.Do == consistency.DoWrite) && s.Runs == nil:
			empty[s.Request] = true
			continue
		case s.Do == consistency.DoWait && empty[s.Request]:
			continue
		}
		x, n := s.Step, 0
		x.Bytes = m.at(x.Bytes)
		x.Runs, n = m.runs(x.Runs)
		switch x.Do {
		case consistency.DoWrite:
			m.writes, m.ranks = append(m.writes, s), append(m.ranks, rank)
			x.Data = slices.Repeat([]byte{byte(len(m.writes))}, n)
		case consistency.DoRead:
			x.Name = fmt.Sprintf("read %d", i)
			m.reads[fmt.Sprintf("%d.%s", rank, x.Name)] = s
		}
		all = append(all, x)
	}
	return all
}

// of returns what a rank may read through a handle, for each interval, with
// neighbours of the same choices put together.
func (m *readables) of(rank, handle int) (all []Readable, unknown string) {
	if m.err != nil {
		return nil, m.err.Error()
	}
	h := consistency.History{Init: m.history.Init, Ranks: slices.Clone(m.history.Ranks)}
	steps := h.Ranks[rank]
	lo := int64(0)
	for i, hi := range m.ends {
		look := consistency.Step{Do: consistency.DoRead, Handle: handle, Name: "look", Runs: []consistency.Run{{Off: int64(i), Len: 1}}}
		h.Ranks[rank] = append(slices.Clip(steps), look)
		found, err := consistency.Resolved(h)
		if err != nil {
			return nil, err.Error()
		}
		values := map[string]bool{}
		for _, o := range found {
			if m.agrees(o) {
				values[o.Vars[fmt.Sprintf("%d.look", rank)]] = true
			}
		}
		r := Readable{Lo: lo, Hi: hi}
		for _, v := range slices.Sorted(maps.Keys(values)) {
			r.Choices = append(r.Choices, m.choice(v, lo, hi))
		}
		all = append(all, r)
		lo = hi
	}
	return all, ""
}

// choice returns what a value of an interval stands for.
func (m *readables) choice(value string, lo, hi int64) Choice {
	switch value {
	case "":
		return Choice{From: FromEnd, Rank: -1}
	case "..":
		return Choice{From: FromHole, Rank: -1}
	}
	bs, err := hex.DecodeString(value)
	switch {
	case err != nil:
		return Choice{From: FromAnyLength, Rank: -1}
	case bs[0] == 0:
		return Choice{From: FromStart, Rank: -1, Bytes: part(m.init, lo, hi-lo)}
	}
	w := int(bs[0]) - 1
	return Choice{From: FromWrite, Rank: m.ranks[w], Stmt: m.writes[w].stmt, Bytes: m.writes[w].at(lo, hi)}
}

// at returns the bytes of an access from lo up to, not including, hi.
func (s *step) at(lo, hi int64) []byte {
	pos := int64(0)
	for _, r := range s.Runs {
		if r.Off <= lo && hi <= r.Off+r.Len {
			return part(s.Data, pos+lo-r.Off, hi-lo)
		}
		pos += r.Len
	}
	return nil
}

// agrees reports whether an outcome is one of those in which the reads that have
// returned got what they got in this run.
func (m *readables) agrees(o consistency.Outcome) bool {
	for name, s := range m.reads {
		if s.read == nil {
			continue // still under way
		}
		value, pos := o.Vars[name], int64(0)
		for _, run := range s.Runs {
			for lo := run.Off; lo < run.Off+run.Len; {
				hi := m.ends[m.at(lo)]
				got := part(s.read, pos, hi-lo)
				if len(value) < 2 {
					return value == "*" || len(got) == 0 && value == ""
				}
				c := m.choice(value[:2], lo, hi)
				if c.From == FromStart || c.From == FromWrite {
					if !slices.Equal(c.Bytes[:min(len(c.Bytes), len(got))], got) {
						return false
					}
				}
				value, pos, lo = value[2:], pos+hi-lo, hi
			}
		}
	}
	return true
}

// FileNames returns the names of the files that exist at the moment, sorted.
func (m *Moment) FileNames() []string { return slices.Sorted(maps.Keys(m.Files)) }

// String returns the statement that has returned last, with its rank and line.
func (m *Moment) String() string {
	if m.Event == nil {
		return "before the first statement"
	}
	text := fmt.Sprintf("rank %d, line %d: %v", m.Event.Rank, m.Event.Stmt.Line, m.Event.Stmt)
	if res, ok := m.Event.Result(); ok {
		text += " = " + res.Text()
	}
	if m.Event.Err != nil {
		text += " FAILS"
	}
	return text
}
