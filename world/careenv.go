package world

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/commworld/commworld/internal/careenv"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/engine"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/types"
)

// CareVariable is the environment variable that makes every [Run] and [RunReport] of a
// program careful, without a change of the program: COMMWORLD_CARE=on is [Careful]().
// commworld check sets it. Its value is a list with commas of
//
//	on             nothing else
//	ranks=N        worlds have N ranks, whatever number the program asks for
//	allow=RULE     same as Careful(RULE); may be repeated
//	order=WORD     ranks take turns: forward, the next higher one that can run; backward, the
//	               next lower one; or random:N, as under [Seed](N). free: all ranks run at
//	               once. No effect if the program gives a schedule. Ranks that wait for each
//	               other by locks or channels cannot take turns
//	match=NAME     files that are opened without iofile.WithMatch have this matching policy:
//	               final, source000, size or written
//	other          buffers of incomplete reads and receives contain the other byte that [Careful] names
//	markers=NAME   bounds of datatypes are sticky or weak, see [Arch]
//	overrule       options of the program that weaken a check have no effect, see below
//	alter=PATTERN  reads of the files whose names match, as for path.Match, return every byte
//	               with its lowest bit changed, to test whether a result comes from the file
//	from=DIR       reports name source files relative to DIR; write a comma in DIR as %2C
//	files          records have the files of the world, without their writers
//	full           records have the Report of the world and its files
//	sealed         the process gets a key on standard input, with which it marks records
//	timeout=TIME   a world ends after this time, such as 30s
//	report=FILE    append a [CareRecord] to FILE, one JSON object on a line, when a world
//	               begins and when it ends; the last word, because FILE may contain commas
//
// The program's [Unchecked] then has no effect, and other options stay as they are. In a
// program on an [Engine] the variable is an error.
//
// With overrule, which commworld check and course mark set, these have no effect either:
// [Eager], [LibraryOrder] and the rules that [Careful] allows; the program's schedule, if
// the variable has an order; of package iofile WithRaceDetector, WithMatch with
// types.MatchSize, and WithModel with models that forgive missing syncs or that name the
// value of never-written bytes. Records name these options. iofile.WithoutBytes keeps its
// effect, and is a finding of kind "unchecked".
const CareVariable = careenv.Variable

// A CareRecord is the record that a world writes to the file named in [CareVariable].
type CareRecord struct {
	Event    string    `json:"event"` // "begin" or "end"
	World    int64     `json:"world"` // 1, 2, ... in the order in which worlds begin
	Ranks    int       `json:"ranks"`
	Asked    int       `json:"asked"`           // the number of ranks that the program asked for
	Schedule string    `json:"schedule"`        // as [Replay] reads it, such as "roundrobin"; "free" if all ranks run at once
	Own      string    `json:"own,omitempty"`   // the program's own schedule, if the variable replaced it
	Place    Place     `json:"place"`           // of the call of Run
	Findings []Finding `json:"findings"`        // of "end"
	Error    string    `json:"error,omitempty"` // of "end": the error of Run

	// Of "end": options of the program that had no effect, such as "iofile.WithModel".
	Overruled []string `json:"overruled,omitempty"`

	// Of "end": lines that access a file through several copies of a derived type.
	Copies []CareCopies `json:"copies,omitempty"`

	// Of "end": lines that start an operation into whose buffer data arrive later.
	Concealed []CareConcealed `json:"concealed,omitempty"`

	// Of "end", if the variable contains the word full.
	Report *Report `json:"report,omitempty"`

	// Of "end", if the variable contains the word files or full: those that ranks opened, by
	// name.
	Files []CareFile `json:"files,omitempty"`
}

// A CareCopies is a line of the program that accesses a file through several copies of a
// derived type of memory, in which one copy begins where the last block of the other ends.
type CareCopies struct {
	Place Place  `json:"place"`
	Type  string `json:"type"`
	Count int64  `json:"count"`
}

// A CareConcealed is a line of the program that starts an operation into whose buffer data
// arrive later, such as IReadAt or IRecv: until it is complete, the program finds other bytes
// there.
type CareConcealed struct {
	Op    string `json:"op"`
	Place Place  `json:"place"`
}

// String names the call and its line.
func (c CareConcealed) String() string { return c.Op + " (" + c.Place.String() + ")" }

// operations names operations under way in a sentence.
func operations(list []CareConcealed) string {
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.String()
	}
	return strings.Join(names, " or ")
}

// concealed returns the lines of all ranks, each once.
func concealed(logs *trace.World) (all []CareConcealed) {
	for rank := range logs.Len() {
		for _, c := range logs.Log(rank).Concealed() {
			if !slices.ContainsFunc(all, func(o CareConcealed) bool { return o.Place.File == c.Place.File && o.Place.Line == c.Place.Line }) {
				all = append(all, CareConcealed(c))
			}
		}
	}
	return all
}

// String returns the number of copies, and how to make one of them.
func (c CareCopies) String() string {
	return fmt.Sprintf("%s accesses %d copies of %s: As takes as many as fit into the memory; if you mean one, add .Times(1) after As", c.Place.Base(), c.Count, c.Type)
}

// copies records the lines of several copies, and adds them to findings about these lines.
func (r *CareRecord) copies(logs *trace.World) {
	for rank := range logs.Len() {
		for _, c := range logs.Log(rank).Copies() {
			if !slices.ContainsFunc(r.Copies, func(o CareCopies) bool { return o.Place == c.Place }) {
				r.Copies = append(r.Copies, CareCopies(c))
			}
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Kind != KindRace && f.Rule != "IO-SIZE-06" {
			continue
		}
		for _, c := range r.Copies {
			if slices.ContainsFunc(f.Places, func(p Place) bool { return p.File == c.Place.File && p.Line == c.Place.Line }) {
				f.Text = c.String() + "\n" + f.Text
			}
		}
	}
}

// A CareFile is a file at the end of a world.
type CareFile struct {
	Name  string `json:"name"`
	Size  int64  `json:"size"`
	Bytes []byte `json:"bytes"`           // at most the first MiB; with files, at most 64 KiB
	Error string `json:"error,omitempty"` // why there are no bytes: for instance, the file was deleted

	// With full: who wrote them, in the order of the file; the first 4096 ranges.
	Writes []CareWrite `json:"writes,omitempty"`
	Reads  []Traffic   `json:"reads,omitempty"` // with full, by rank: its calls that read, and the bytes that they found

	// With full, by rank: its writes whose data have gaps in memory.
	Gathered []Traffic `json:"gathered,omitempty"`

	// With full: the hints that the program gave.
	Hints map[string]string `json:"hints,omitempty"`

	// With files: a checksum of each [CarePiece] bytes of the first GiB.
	Sums []uint32 `json:"sums,omitempty"`
}

// CarePiece is how many bytes of a file each of [CareFile].Sums stands for.
const CarePiece = 64 << 10

// A record has at most this many sums, and this many bytes of files with the word files, so
// that a report stays small.
const (
	mostCareSums  = 1 << 16
	mostSumsOfOne = 1 << 30 / CarePiece
	mostFileBytes = 1 << 19
)

// A CareWrite is bytes Lo to Hi-1 of a file and the call that wrote them last.
type CareWrite struct {
	Lo    int64  `json:"lo"`
	Hi    int64  `json:"hi"`
	Rank  int    `json:"rank"`
	Op    string `json:"op"`
	Type  string `json:"type"` // etype of the view
	Rep   string `json:"rep"`  // data representation of the view
	Place Place  `json:"place"`
}

// ScheduleOption stands in [CareRecord].Overruled for [Seed] and [Replay].
const ScheduleOption = "the schedule given to world.Run"

// mostCareBytes bounds the bytes of one file in a record.
const mostCareBytes = 1 << 20

// mostCareWrites bounds the writes of one file in a record.
const mostCareWrites = 4096

// surroundings is the parsed value of CareVariable.
type surroundings struct {
	ranks   int
	order   sched.Schedule
	ordered bool // order is given; it may be free
	allowed []string
	timeout time.Duration
	report  string
	full    bool
	files   bool
	other   bool
	match   types.Policy // if matched
	matched bool
	markers *types.Markers // nil: the program's own
}

// parseCare parses the value of CareVariable; it returns nil if there is none.
func parseCare(value string) (*surroundings, error) {
	if value == "" {
		return nil, nil
	}
	if !engine.Possible {
		return nil, fmt.Errorf("%s=%s: a program in a browser has no surroundings", CareVariable, value)
	}
	s := &surroundings{}
	for rest := value; rest != ""; {
		var word string
		if file, ok := strings.CutPrefix(rest, "report="); ok {
			s.report = file
			break
		}
		word, rest, _ = strings.Cut(rest, ",")
		if err := s.set(word); err != nil {
			return nil, fmt.Errorf("%s=%s: %q: %w", CareVariable, value, word, err)
		}
	}
	return s, nil
}

// set sets the field for one word of the variable.
func (s *surroundings) set(word string) (err error) {
	key, arg, _ := strings.Cut(word, "=")
	switch {
	case word == "on":
	case word == "full":
		s.full = true
	case word == "other":
		s.other = true
	case word == "files":
		s.files = true
	case word == careenv.WordOverrule, word == careenv.WordSealed, key == "alter", key == "from": // package careenv reads them
	case word == "order=free":
		s.ordered = true
	case key == "ranks":
		if s.ranks, err = strconv.Atoi(arg); err == nil && s.ranks < 1 {
			err = errors.New("at least 1")
		}
	case word == "order=forward":
		s.ordered, s.order = true, sched.RoundRobin()
	case word == "order=backward":
		s.ordered, s.order = true, sched.ReverseRobin()
	case key == "order" && strings.HasPrefix(arg, "random:"):
		s.ordered = true
		s.order, err = sched.ParseSchedule(arg)
	case key == "match":
		s.match, err = types.ParsePolicy(arg)
		s.matched = err == nil
	case key == "markers":
		var m types.Markers
		m, err = types.ParseMarkers(arg)
		s.markers = &m
	case key == "allow":
		s.allowed = append(s.allowed, arg)
	case key == "timeout":
		if s.timeout, err = time.ParseDuration(arg); err == nil && s.timeout <= 0 {
			err = errors.New("more than 0")
		}
	default:
		err = errors.New("want on, files, full, overrule, sealed, ranks=N, order=forward, order=backward, order=free, order=random:N, allow=RULE, match=NAME, markers=NAME, timeout=TIME or report=FILE")
	}
	return err
}

// option applies the variable to the options of a world.
func (s *surroundings) option(o *options) error {
	o.env = s
	if s.other {
		o.conceal = commport.ConcealOther
	}
	if s.full {
		o.needOutputs()
	}
	return Careful(s.allowed...)(o)
}

// overrule undoes options of the program that weaken a check, and returns the program's own
// schedule if it replaces it. The program's options have been applied.
func (s *surroundings) overrule(o *options) (own string) {
	if o.eager > 0 && careenv.Overrule("world.Eager") {
		o.eager = 0
	}
	if o.libs && careenv.Overrule("world.LibraryOrder") {
		o.libs = false
	}
	if o.bare && careenv.Overrule("world.Unchecked") {
		o.bare = false
	}
	if n := len(s.allowed); len(o.care.allowed) > n && careenv.Overrule("what world.Careful allows") {
		o.care.allowed = o.care.allowed[:n]
	}
	if !o.order.Free() && s.ordered && careenv.Overrule(ScheduleOption) {
		own, o.order = o.order.String(), s.order
	}
	return own
}

// worlds counts the careful worlds of this process.
var worlds atomic.Int64

// attend begins a world according to the variable; wrong is the error of the world's
// arguments, if any. The returned function ends it with the error of Run.
func (s *surroundings) attend(ctx context.Context, asked int, o *options, wrong error) (context.Context, func(*sched.Sched, error)) {
	if s == nil || !engine.Possible { // in a browser no process starts programs
		return ctx, func(*sched.Sched, error) {}
	}
	r := CareRecord{Event: "begin", World: worlds.Add(1), Ranks: o.ranks, Asked: asked, Schedule: o.order.String(), Own: o.own, Place: sched.Caller(), Findings: []Finding{}}
	s.write(&r)
	stop := func() {}
	if s.timeout > 0 && wrong == nil {
		ctx, stop = context.WithTimeoutCause(ctx, s.timeout, fmt.Errorf("the world ran for %v, the longest time that %s allows", s.timeout, CareVariable))
	}
	return ctx, func(ran *sched.Sched, err error) {
		stop()
		r.Event = "end"
		if err != nil {
			r.Findings, r.Error = Findings(err), err.Error()
		}
		if ran != nil && o.care.logs != nil {
			r.copies(o.care.logs)
			r.Concealed = concealed(o.care.logs)
		}
		r.Findings = append(r.Findings, r.weakened()...)
		if s.full && ran != nil && o.outputs.world != nil {
			r.Report, r.Files = o.outputs.report(ran, err), careFiles(o.outputs.world)
		} else if s.files && ran != nil && o.care.logs != nil {
			r.Files = sumsOfFiles(o.care.logs)
		}
		s.write(&r)
	}
}

// weakened records the options of the program that careenv has overruled, and returns a finding
// for each that it could not.
func (r *CareRecord) weakened() (found []Finding) {
	var unchecked []string
	r.Overruled, unchecked = careenv.Weakened()
	for _, option := range unchecked {
		found = append(found, Finding{
			Kind: KindUnchecked, Ranks: []int{}, Places: []Place{},
			Text: fmt.Sprintf("%s weakens the checks and cannot be overruled, so this run does not show that the program is correct", option),
			Fix:  "check the program without this option, with less data",
		})
	}
	return found
}

// careFiles reads the files of a world that has ended.
func careFiles(w *trace.World) (all []CareFile) {
	for _, f := range w.KeptFiles() {
		c := careFile(f, func(_ *CareFile, r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, mostCareBytes)) })
		for _, w := range f.Writes(int64(len(c.Bytes)), mostCareWrites) {
			c.Writes = append(c.Writes, CareWrite(w))
		}
		c.Hints = f.Hints()
		for rank := range w.Len() {
			var reads, gathered Traffic
			if n := w.Log(rank).Files[f.Name]; n != nil {
				reads, gathered = Traffic(n.Reads), Traffic(n.Gathered)
			}
			c.Reads, c.Gathered = append(c.Reads, reads), append(c.Gathered, gathered)
		}
		all = append(all, c)
	}
	return all
}

// careFile reads a file.
func careFile(f trace.KeptFile, read func(*CareFile, io.Reader) ([]byte, error)) CareFile {
	c := CareFile{Name: f.Name, Bytes: []byte{}}
	r, size, err := f.Open()
	if err == nil {
		c.Size = size
		c.Bytes, err = read(&c, r)
		err = errors.Join(err, r.Close())
	}
	if err != nil {
		c.Error = err.Error()
	}
	return c
}

// sumsOfFiles reads the files of a world that has ended, for a comparison.
func sumsOfFiles(w *trace.World) (all []CareFile) {
	sums, bytes := mostCareSums, mostFileBytes
	piece := make([]byte, CarePiece)
	for _, f := range w.KeptFiles() {
		c := careFile(f, func(c *CareFile, r io.Reader) ([]byte, error) {
			first := []byte{}
			for n := CarePiece; n == CarePiece && len(c.Sums) < min(sums, mostSumsOfOne); {
				var err error
				if n, err = io.ReadFull(r, piece); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
					return first, err
				}
				if len(c.Sums) == 0 && n <= bytes {
					first = slices.Clone(piece[:n])
				}
				c.Sums = append(c.Sums, crc32.ChecksumIEEE(piece[:n]))
			}
			return first, nil
		})
		sums, bytes = sums-len(c.Sums), bytes-len(c.Bytes)
		all = append(all, c)
	}
	return all
}

// write appends a record. If that fails, the program continues and the reader misses the
// record.
func (s *surroundings) write(r *CareRecord) {
	if s.report == "" {
		return
	}
	line, err := json.Marshal(r)
	if err != nil {
		return
	}
	careenv.Seal(line, func(line []byte) {
		f, err := os.OpenFile(s.report, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return
		}
		_, err = f.Write(append(line, '\n'))
		_ = cmp.Or(err, f.Close())
	})
}
