package world

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/readable"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/internal/trace"
)

// HTML writes the run as one self-contained page: a diagram of the calls of all ranks in
// their order, with messages, collective calls and races. For the moment after each call, a
// slider shows the bytes that each rank may read of each file: its own writes and, if the
// standard allows several values, all of them. It opens in any browser, and can be printed or
// mailed.
//
// HTML knows the bytes that ranks may read only in a controlled world: it runs a free one
// under [Seed](0). It needs the clocks that [Unchecked] turns off, and shows the first
// thousand calls. The page says where the contents of a file are not known, as behind a
// view that converts.
var HTML Picture = wholePage{}

type wholePage struct{}

func (wholePage) request(out *outputs, w io.Writer) writer {
	out.vectors = true
	if out.files == nil {
		out.files = new(journal.Recorder)
	}
	return writer{"the page", func(s *sched.Sched) error {
		text := newPage(out, s).html()
		n, err := io.WriteString(w, text)
		if err == nil && n < len(text) {
			err = io.ErrShortWrite
		}
		return err
	}}
}

// Bounds of a page: calls, and the time to compute the bytes that ranks may read.
const (
	maxPageCalls = 1000
	maxPageTime  = 20 * time.Second
)

// A page is a run as HTML shows it.
type page struct {
	out   *outputs
	s     *sched.Sched
	all   int           // number of calls
	calls []*trace.Done // the calls that are shown
	of    [][]int       // by rank: its calls, as indices of calls
}

func newPage(out *outputs, s *sched.Sched) *page {
	p := &page{out: out, s: s, calls: out.world.Calls(), of: make([][]int, out.world.Len())}
	p.all = len(p.calls)
	p.calls = p.calls[:min(p.all, maxPageCalls)]
	for i, d := range p.calls {
		p.of[d.Rank] = append(p.of[d.Rank], i)
	}
	return p
}

func (p *page) html() string {
	d := p.diagram()
	one := &picture.Page{Title: d.Title, Diagram: d.Draw(), End: p.end(), Steps: []picture.PageStep{{Text: "before the first call"}}}
	for _, c := range p.calls {
		text := fmt.Sprintf("rank %d: %s", c.Rank, c.Text())
		if at := c.Line.Place().Base(); at != "" {
			text += " at " + at
		}
		one.Steps = append(one.Steps, picture.PageStep{Text: text})
	}
	ctx, stop := context.WithTimeoutCause(context.Background(), maxPageTime, errors.New("what ranks may read takes too long to find; run a smaller program"))
	defer stop()
	for _, x := range p.out.files.Recordings() {
		p.follow(ctx, x, one.Steps)
	}
	return one.HTML()
}

// end returns the text about how the run ended.
func (p *page) end() string {
	var parts []string
	if cause := p.s.Cause(); cause != nil {
		parts = append(parts, cause.Error())
	}
	for _, r := range p.out.races {
		parts = append(parts, r.Report())
	}
	if len(parts) == 0 {
		parts = append(parts, "no errors, no races")
	}
	if p.all > len(p.calls) {
		parts = append(parts, fmt.Sprintf("the first %d of %d calls are shown", len(p.calls), p.all))
	}
	return strings.Join(parts, "\n\n")
}

// diagram returns the space-time diagram.
func (p *page) diagram() *picture.SpaceTime {
	n := p.out.world.Len()
	d := &picture.SpaceTime{Title: fmt.Sprintf("%s, schedule %s", plain.Count(n, "rank"), p.s.Token())}
	for r := range n {
		d.Lanes = append(d.Lanes, fmt.Sprint("rank ", r))
	}
	type meeting struct {
		name, object string
		number       int
	}
	var (
		spots  = make([]picture.Spot, len(p.calls))
		met    = make([]map[meeting]int, n) // how often a rank has called each
		rows   = map[meeting]int{}
		latest = slices.Repeat([]int{-1}, n) // row of each rank
		racy   = p.races(d)
	)
	for i, c := range p.calls {
		cell := &picture.Cell{Text: c.Text(), Step: i + 1, Clock: c.Before}
		switch {
		case c.Failed != "":
			cell.Class = "fails"
		case racy[i] != "":
			cell.Class, cell.Text = "racy", racy[i]+" "+cell.Text
		}
		row := -1
		m := meeting{name: c.Name, object: c.Object}
		if c.Collective() {
			if met[c.Rank] == nil {
				met[c.Rank] = map[meeting]int{}
			}
			met[c.Rank][m]++
			m.number = met[c.Rank][m]
			if at, ok := rows[m]; ok && at > latest[c.Rank] {
				row = at
				d.Rows[row].Bar = picture.Collective
				if c.Name == "Barrier" {
					d.Rows[row].Bar = picture.Barrier
				}
			}
		}
		if row < 0 {
			row = len(d.Rows)
			d.Rows = append(d.Rows, picture.Row{Label: c.Line.Place().Base(), Cells: make([]*picture.Cell, n)})
			if c.Collective() {
				rows[m] = row
			}
		}
		d.Rows[row].Cells[c.Rank], latest[c.Rank] = cell, row
		spots[i] = picture.Spot{Row: row, Lane: c.Rank}
	}
	for i := range d.Races { // which were found as calls
		d.Races[i].A, d.Races[i].B = spots[d.Races[i].A.Row], spots[d.Races[i].B.Row]
	}
	p.messages(d, spots)
	p.spans(d, spots)
	d.Waits = p.waits(n)
	return d
}

// waits returns which ranks wait for which of the n ranks in a deadlock.
func (p *page) waits(n int) (all [][2]int) {
	var stuck *sched.DeadlockError
	if !errors.As(p.s.Cause(), &stuck) {
		return nil
	}
	for _, w := range stuck.Ranks {
		for _, on := range w.For {
			if !w.Ended && on >= 0 && on < n {
				all = append(all, [2]int{w.Rank, on})
			}
		}
	}
	return all
}

// races adds the races to a diagram, their calls by number instead of rows, and returns the
// marks of calls that are part of some.
func (p *page) races(d *picture.SpaceTime) map[int]string {
	marks := map[int]string{}
	for i, r := range p.out.races {
		a, b := p.callOf(&r.A), p.callOf(&r.B)
		for _, c := range []int{a, b} {
			if c >= 0 {
				marks[c] = strings.TrimSuffix(cmp.Or(marks[c], "("), ")")
				if marks[c] != "(" {
					marks[c] += ","
				}
				marks[c] += fmt.Sprintf("%d)", i+1)
			}
		}
		if a >= 0 && b >= 0 && a != b {
			d.Races = append(d.Races, picture.Race{A: picture.Spot{Row: a}, B: picture.Spot{Row: b}, Name: fmt.Sprint("race ", i+1), Label: picture.Lack(string(r.Missing))})
		}
	}
	return marks
}

// callOf returns the last call that is one side of a race, -1 if it is not shown.
func (p *page) callOf(x *consistency.Party) int {
	if x.Rank < 0 || x.Rank >= len(p.of) {
		return -1
	}
	for _, i := range slices.Backward(p.of[x.Rank]) {
		if c := p.calls[i]; c.Name == x.Op && c.Line.Place().String() == x.Place.String() {
			return i
		}
	}
	return -1
}

// messages adds an arrow for each message that was received.
func (p *page) messages(d *picture.SpaceTime, spots []picture.Spot) {
	sent := map[int64]int{}
	for i, c := range p.calls {
		for _, m := range c.Sent {
			sent[m] = i
		}
	}
	for i, c := range p.calls {
		for _, m := range c.Received {
			if from, ok := sent[m]; ok {
				d.Arrows = append(d.Arrows, picture.Arrow{From: spots[from], To: spots[i], Tip: p.calls[from].Text()})
			}
		}
	}
}

// spans adds, for files that are followed, the calls between which each handle is open.
func (p *page) spans(d *picture.SpaceTime, spots []picture.Spot) {
	for _, x := range p.out.files.Recordings() {
		if x.Why != nil {
			continue
		}
		for rank, steps := range x.Ranks {
			open := map[int]int{} // by handle: the span
			for _, s := range steps {
				i := p.callAt(rank, s.Time)
				if i < 0 {
					break // the page does not show later calls
				}
				at, ok := open[s.Handle]
				switch row := spots[i].Row; {
				case s.Do == consistency.DoOpen:
					open[s.Handle] = len(d.Spans)
					d.Spans = append(d.Spans, picture.Span{Lane: rank, Name: "file " + x.Name, From: row, To: -1})
				case !ok:
				case s.Do == consistency.DoClose:
					d.Spans[at].To = row
					delete(open, s.Handle)
				case s.Do == consistency.DoSync:
					d.Spans[at].Syncs = append(d.Spans[at].Syncs, row)
				}
			}
		}
	}
}

// callAt returns the call of a rank that was under way at a time, -1 if it is not shown.
func (p *page) callAt(rank int, at uint64) int {
	for _, i := range p.of[rank] {
		if p.calls[i].Time >= at {
			return i
		}
	}
	return -1
}

// follow adds to each step the bytes that ranks may read of a file.
func (p *page) follow(ctx context.Context, x *journal.Recording, steps []picture.PageStep) {
	if x.Why != nil {
		for i := range steps {
			steps[i].Note += fmt.Sprintf("File %s: what ranks may read is not known: %v. ", x.Name, x.Why)
		}
		return
	}
	f := &followed{page: p, Recording: x, form: x.Form()}
	now := make([]*trace.Done, len(p.of)) // the last call of each rank
	known, last := "", (*picture.Drawing)(nil)
	for i := range steps {
		if i > 0 {
			now[p.calls[i-1].Rank] = p.calls[i-1]
		}
		m := f.at(now)
		if key := fmt.Sprint(m.ranks); key != known || i == 0 {
			known, last = key, m.draw(ctx)
		}
		if last != nil {
			steps[i].Drawings = append(steps[i].Drawings, last)
		}
	}
}

// A followed is a file with its history.
type followed struct {
	*page
	*journal.Recording
	form readable.Form
}

// A fileMoment has the steps of all ranks on a file up to some moment.
type fileMoment struct {
	*followed
	stamped [][]consistency.Stamped // by rank
	ranks   [][]readable.Step
	places  [][]int // by rank and step of ranks: the step of stamped, -1 for messages
}

// at returns the moment at which the last call of each rank was the one of now.
func (f *followed) at(now []*trace.Done) *fileMoment {
	m := &fileMoment{followed: f, stamped: make([][]consistency.Stamped, len(f.Ranks))}
	opens := map[int]bool{}
	for rank, steps := range f.Ranks {
		n := 0
		for now[rank] != nil && n < len(steps) && steps[n].Time <= now[rank].Time {
			if steps[n].Do == consistency.DoOpen {
				opens[steps[n].ID] = true
			}
			n++
		}
		m.stamped[rank] = slices.Clip(steps[:n])
	}
	for rank, steps := range f.Ranks { // a collective call that has returned on one rank has begun on all
		for n := len(m.stamped[rank]); n < len(steps) && steps[n].Do == consistency.DoOpen && opens[steps[n].ID]; n++ {
			m.stamped[rank] = slices.Clip(steps[:n+1])
		}
	}
	with := slices.Clone(m.stamped)
	for rank, c := range now {
		if c != nil { // the clock of the rank from then on
			with[rank] = append(with[rank], consistency.Stamped{Step: consistency.Step{Do: consistency.DoSize}, Time: c.Time, Clock: c.Clock})
		}
	}
	for rank, steps := range consistency.HistoryOf(f.Init, with).Ranks {
		all, places := f.readable(rank, steps)
		m.ranks, m.places = append(m.ranks, all), append(m.places, places)
	}
	return m
}

// readable returns the steps of a rank with what its reads returned, and the place of each
// among those that are not messages; -1 for messages.
func (f *followed) readable(rank int, steps []consistency.Step) (all []readable.Step, places []int) {
	n := 0
	for _, s := range steps {
		place := -1
		if s.Do != consistency.DoSend && s.Do != consistency.DoRecv {
			place = n
			n++
		}
		one := readable.Step{Step: s}
		if value, ok := f.Values[fmt.Sprintf("%d.%s", rank, s.Name)]; ok && s.Do == consistency.DoRead {
			if got, err := hex.DecodeString(value); err == nil {
				one.Got = got
			}
		}
		all, places = append(all, one), append(places, place)
	}
	return all, places
}

// An openHandle is a handle of a rank at a moment.
type openHandle struct {
	atomic      bool
	unpublished map[int]bool // steps of stamped that wrote
}

// draw returns a drawing of the bytes that each rank may read through each handle; nil if
// no rank has the file open.
func (m *fileMoment) draw(ctx context.Context) *picture.Drawing {
	s := &picture.Strip{Title: "file " + m.Name}
	if m.form.HasItems() {
		s.Title += ", " + m.form.Kind.String()
	}
	table := readable.New(m.Init, m.ranks, nil)
	for rank := range m.stamped {
		handles := m.handles(rank)
		for _, id := range slices.Sorted(maps.Keys(handles)) {
			h := handles[id]
			row := picture.StripRow{Name: fmt.Sprint("rank ", rank), Lane: rank}
			if len(handles) > 1 {
				row.Name += fmt.Sprint(", handle ", id)
			}
			if h.atomic {
				row.Note = "atomic"
			}
			found, unknown, err := table.Of(ctx, rank, id)
			if err != nil {
				unknown = err.Error()
			}
			if unknown != "" {
				row.Note = "not known: " + unknown
			}
			for _, b := range found {
				row.Parts = append(row.Parts, m.parts(rank, h, &b)...)
			}
			s.Rows = append(s.Rows, row)
		}
	}
	if s.Rows == nil {
		return nil
	}
	return s.Draw()
}

// handles returns the handles that a rank has open.
func (m *fileMoment) handles(rank int) map[int]*openHandle {
	all := map[int]*openHandle{}
	for i, s := range m.stamped[rank] {
		h := all[s.Handle]
		switch s.Do {
		case consistency.DoOpen:
			all[s.Handle] = &openHandle{unpublished: map[int]bool{}}
		case consistency.DoClose:
			delete(all, s.Handle)
		case consistency.DoAtomic:
			h.atomic = s.On
		case consistency.DoSync:
			clear(h.unpublished)
		case consistency.DoWrite:
			if !h.atomic {
				h.unpublished[i] = true
			}
		}
	}
	return all
}

// parts returns the possible values of some bytes, none if the file ends before them.
func (m *fileMoment) parts(rank int, h *openHandle, b *readable.Bytes) []picture.Part {
	p := picture.Part{Lo: b.Lo, Hi: b.Hi}
	for _, c := range b.Choices {
		v := picture.Value{Rank: picture.Before, Text: m.form.Show(b.Lo, c.Bytes, nil), Tip: "before the run"}
		switch c.From {
		case readable.Hole:
			v = picture.Value{Rank: picture.Hole, Text: "?", Tip: "no rank wrote them"}
		case readable.End:
			v = picture.Value{Rank: picture.End, Text: "end", Tip: "the file may end before them"}
		case readable.AnyLength:
			v = picture.Value{Rank: picture.End, Text: "end?", Tip: "a change of size races: the file may end anywhere"}
		case readable.Write:
			step := m.places[c.Rank][c.Index]
			v.Rank, v.Tip = c.Rank, m.label(c.Rank, m.stamped[c.Rank][step].Time)
			p.Private = p.Private || c.Rank == rank && h.unpublished[step]
		}
		p.Values = append(p.Values, v)
	}
	if len(p.Values) == 1 && p.Values[0].Rank == picture.End {
		return nil
	}
	return []picture.Part{p}
}

// label returns the name of the call of a rank that was under way at a time.
func (m *fileMoment) label(rank int, at uint64) string {
	if i := m.callAt(rank, at); i >= 0 {
		return fmt.Sprintf("rank %d, %s", rank, m.calls[i].Line.Place().Base())
	}
	return fmt.Sprint("rank ", rank)
}
