package lab

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

// Bounds of what the board draws of one file and of one buffer.
const (
	mostItems  = 128
	mostMemory = 64
)

// A board shows one moment of a run: each file as a grid of items, and each rank with its
// memory and with what it may read of the files through its views.
type board struct {
	rep    *script.Report
	last   int // the index of the last event; -1: before the first one
	moment *script.Moment
	now    script.Stage // the step that leads to the moment
	files  []*fileBoard
}

// A fileBoard is one file on a board.
type fileBoard struct {
	name    string
	content script.Content
	handles []*script.HandleMoment
	views   []*viewOf // by handle
	items   []span
	more    string
	cols    int
}

// A span is bytes lo up to, not including, hi.
type span struct{ lo, hi int64 }

// A viewOf is the view of a handle.
type viewOf struct {
	seen  []span // its bytes of the file as far as items are drawn, ascending
	whole bool   // no view was set, or it is not known: every byte
	cols  int    // items of a row of the array that the filetype is a part of; 0: none
}

// newBoard lays out the moment after the first n steps of a run.
func newBoard(ctx context.Context, rep *script.Report, stages []script.Stage, n int) (*board, error) {
	b := &board{rep: rep, last: -1, moment: rep.Moments[0]}
	if n > 0 {
		b.now = stages[n-1]
		b.last = b.now.Last
		b.moment = rep.Moments[b.last+1]
	}
	for _, name := range b.moment.FileNames() {
		f := &fileBoard{name: name, content: b.moment.Files[name]}
		var err error
		if f.handles, err = b.moment.Handles(ctx, name); err != nil {
			return nil, err
		}
		f.layOut()
		for _, h := range f.handles {
			v := b.viewOf(h, f.end())
			f.views, f.cols = append(f.views, v), cmp.Or(f.cols, v.cols)
		}
		b.files = append(b.files, f)
	}
	return b, nil
}

// end returns the byte behind the last item.
func (f *fileBoard) end() int64 {
	if len(f.items) == 0 {
		return 0
	}
	return f.items[len(f.items)-1].hi
}

// layOut divides the file into items: where what ranks may read changes within one, into its
// bytes.
func (f *fileBoard) layOut() {
	size, first := int64(len(f.content.Bytes)), int64(-1)
	border := map[int64]bool{}
	line := map[int64]int{} // by first byte of a stretch: that of a write there
	note := func(lo, hi int64, wrote int) {
		border[lo], border[hi] = true, true
		if wrote != 0 {
			line[lo] = wrote
			if first < 0 || lo < first {
				first = lo
			}
		}
	}
	for _, o := range f.content.Origins {
		wrote := 0
		if o.From == consistency.FromWrite {
			wrote = o.Place.Line
		}
		note(max(o.Lo, 0), min(o.Hi, size), wrote)
	}
	for _, h := range f.handles {
		for _, r := range h.May {
			if onlyEnd(r) {
				continue
			}
			size = max(size, r.Hi)
			for _, c := range r.Choices {
				wrote := 0
				if c.Stmt != nil {
					wrote = c.Stmt.Line
				}
				note(r.Lo, r.Hi, wrote)
			}
		}
	}
	var all []span
	wrote := 0
	for off := int64(0); off < size; {
		if border[off] {
			wrote = line[off]
		}
		hi := min(f.content.Item(off, wrote), size)
		for at := off + 1; at < hi; at++ {
			if border[at] {
				hi = at
			}
		}
		all = append(all, span{off, hi})
		off = hi
	}
	f.items = all
	if n := len(all); n > mostItems {
		from := max(0, slices.IndexFunc(all, func(s span) bool { return first < s.hi }))
		from = min(from/8*8, n-mostItems)
		f.items = all[from : from+mostItems]
		f.more = fmt.Sprintf("items %d to %d of %d", from, from+mostItems-1, n)
	}
}

func onlyEnd(r script.Readable) bool {
	return !slices.ContainsFunc(r.Choices, func(c script.Choice) bool { return c.From != script.FromEnd && c.From != script.FromAnyLength })
}

// viewOf returns the view of a handle up to a byte of the file.
func (b *board) viewOf(h *script.HandleMoment, end int64) *viewOf {
	v := &viewOf{whole: true}
	var set *iofile.View
	for _, e := range b.rep.Log[:b.last+1] {
		if e.Rank != h.Rank || e.Stmt.Handle != h.Handle || e.Err != nil {
			continue
		}
		switch e.Stmt.Routine {
		case "open":
			set = nil
		case "view":
			set = &e.Stmt.View
		}
	}
	if set == nil || set.Disp == iofile.DisplacementCurrent {
		return v
	}
	arch := reps.LP64LE
	for _, m := range b.rep.Script.Machines {
		if m.Rank == h.Rank {
			arch = m.Arch
		}
	}
	v.cols = rowOfArray(set.Filetype)
	rep, err := reps.Lookup(cmp.Or(set.Rep, "native"), arch)
	if err != nil {
		return v
	}
	l, err := set.Filetype.Layout(rep.Sizes())
	if err != nil || l.Size == 0 || end <= set.Disp {
		return v
	}
	v.whole = false
	for off, n := range (types.Tiling{L: l, Disp: set.Disp}).Runs(0, end) {
		if off >= end {
			break
		}
		v.seen = append(v.seen, span{off, off + n})
	}
	slices.SortFunc(v.seen, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	return v
}

// has reports whether some byte of an item is in the view.
func (v *viewOf) has(x span) bool {
	i, _ := slices.BinarySearchFunc(v.seen, x.lo, func(s span, lo int64) int {
		if s.hi <= lo {
			return -1
		}
		return 1
	})
	return v.whole || i < len(v.seen) && v.seen[i].lo < x.hi
}

// rowOfArray returns the items of a row of the array that a type is a part of; 0 if it is not
// made as one, or rows are too long to draw.
func rowOfArray(t *types.Type) int {
	c, err := t.Contents()
	if err != nil {
		return 0
	}
	row := int64(0)
	switch n := c.Integers; t.Envelope().Combiner {
	case types.CombinerSubarray:
		row = n[n[0]] // sizes are 1 to dims
		if n[0] < 2 {
			return 0
		}
	case types.CombinerDarray:
		if n[2] < 2 {
			return 0
		}
		row = n[2+n[2]]
	case types.CombinerVector:
		row = n[2]
	case types.CombinerResized, types.CombinerDup:
		return rowOfArray(c.Types[0])
	}
	if row < 2 || row > 16 {
		return 0
	}
	return int(row)
}

// filePanel shows the published bytes of a file; stripes have the colours of the ranks whose
// views contain them.
func (b *board) filePanel(f *fileBoard) *picture.Panel {
	row := published(f.content)
	g := picture.Grid{Name: "published", Cols: f.cols, More: f.more}
	if v, ok := b.moment.Versions[f.name]; ok {
		g.Name = fmt.Sprintf("published, version %d", v)
	}
	for _, x := range f.items {
		c := picture.GridCell{Lo: x.lo, Hi: x.hi}
		for _, p := range row.Parts {
			if p.Lo <= x.lo && x.hi <= p.Hi {
				v := p.Values[0]
				if v.Rank != picture.Hole {
					v.Text = letter(f.content.Show(x.lo, f.content.Bytes[x.lo:x.hi], b.lineAt(f, x.lo)))
				}
				c.Values = []picture.Value{v}
			}
		}
		for i, h := range f.handles {
			if v := f.views[i]; !v.whole && v.has(x) && !slices.Contains(c.Views, h.Rank) {
				c.Views = append(c.Views, h.Rank)
			}
		}
		g.Cells = append(g.Cells, c)
	}
	return &picture.Panel{Title: "file " + f.name, Lane: -1, Grids: []picture.Grid{g}}
}

// lineAt returns the line of the write that left the published byte at off, 0 if none did.
func (b *board) lineAt(f *fileBoard, off int64) int {
	for _, o := range f.content.Origins {
		if o.From == consistency.FromWrite && o.Lo <= off && off < o.Hi {
			return o.Place.Line
		}
	}
	return 0
}

// rankPanel shows the memory of a rank, and what it may read of the files that it has open.
func (b *board) rankPanel(rank int) *picture.Panel {
	p := &picture.Panel{Title: fmt.Sprintf("rank %d", rank), Lane: rank}
	p.Grids = append(p.Grids, b.memory(rank)...)
	for _, f := range b.files {
		for i, h := range f.handles {
			if h.Rank == rank {
				p.Grids = append(p.Grids, f.grid(h, f.views[i]))
			}
		}
	}
	return p
}

// grid shows what may be read through a handle.
func (f *fileBoard) grid(h *script.HandleMoment, v *viewOf) picture.Grid {
	g := picture.Grid{Name: fmt.Sprintf("may read of %s by %s", f.name, h.Handle), Cols: f.cols, More: f.more}
	switch {
	case h.Version < 0:
		g.Notes = append(g.Notes, "each version at once,", fmt.Sprintf("now %d", h.Newest))
	case h.Adopted != nil:
		g.Notes = append(g.Notes, fmt.Sprintf("version %d of %d,", h.Version, h.Newest), fmt.Sprintf("by line %d", h.Adopted.Line))
	}
	if h.Atomic {
		g.Notes = append(g.Notes, "atomic")
	}
	if h.Unknown != "" {
		g.Notes = append(g.Notes, "not known, see below")
		return g
	}
	row := rowOf(h, f.content)
	for _, x := range f.items {
		c := picture.GridCell{Lo: x.lo, Hi: x.hi, Out: !v.has(x)}
		if c.Out {
			g.Cells = append(g.Cells, c)
			continue
		}
		for _, r := range h.May {
			if r.Lo > x.lo || r.Hi < x.hi {
				continue
			}
			for _, choice := range r.Choices {
				c.Values = append(c.Values, f.value(choice, r.Lo, x))
			}
		}
		for _, p := range row.Parts {
			c.Private = c.Private || p.Private && p.Lo <= x.lo && x.hi <= p.Hi
		}
		g.Cells = append(g.Cells, c)
	}
	return g
}

// value returns what a choice of a read from byte lo on has at an item.
func (f *fileBoard) value(c script.Choice, lo int64, x span) picture.Value {
	line := 0
	if c.Stmt != nil {
		line = c.Stmt.Line
	}
	text := ""
	if n := int64(len(c.Bytes)); x.hi-lo <= n {
		text = letter(f.content.Show(x.lo, c.Bytes[x.lo-lo:x.hi-lo], line))
	}
	return valueOf(c, text)
}

// letter returns a text without its quotes if it is one letter that can be seen.
func letter(text string) string {
	if len(text) == 3 && text[0] == '"' && text[1] != ' ' {
		return text[1:2]
	}
	return text
}

// memory shows the results of a rank so far, and the buffer of the statement that it runs.
func (b *board) memory(rank int) (all []picture.Grid) {
	add := func(e *script.Event, name string) {
		m, ok := e.Memory(mostMemory)
		if res, number := e.Result(); number && !res.IsData {
			m.Items, ok = []script.MemoryItem{{Hi: 1, Text: res.Text()}}, true
		}
		if !ok {
			return
		}
		g := picture.Grid{Name: name, Cells: memoryCells(m.Items, rank)}
		if m.Type != nil {
			g.Cols = rowOfArray(m.Type)
		}
		if m.More {
			g.More = fmt.Sprintf("the first %d items", mostMemory)
		}
		if i := slices.IndexFunc(all, func(o picture.Grid) bool { return o.Name == name }); i >= 0 {
			all[i] = g
			return
		}
		all = append(all, g)
	}
	for _, e := range b.rep.Log[:b.last+1] {
		if _, ok := e.Result(); ok && e.Rank == rank {
			add(e, "memory: "+e.Stmt.Into)
		}
	}
	for _, e := range b.now.Events {
		if e.Rank == rank && e.Stmt.Data != nil {
			add(e, "memory of "+e.Stmt.Routine)
		}
	}
	return all
}

// memoryCells returns the items of a buffer with the gaps between them, from its first item's
// place in the array on.
func memoryCells(items []script.MemoryItem, rank int) (cells []picture.GridCell) {
	at := int64(0)
	if len(items) > 0 {
		at = min(at, items[0].Lo)
	}
	for _, x := range items {
		size := max(1, x.Hi-x.Lo)
		for n := 0; at+size <= x.Lo && n < mostMemory; at, n = at+size, n+1 {
			cells = append(cells, picture.GridCell{Lo: at, Hi: at + size})
		}
		cells = append(cells, picture.GridCell{Lo: x.Lo, Hi: x.Hi, Values: []picture.Value{{Rank: rank, Text: letter(x.Text)}}})
		at = x.Hi
	}
	return cells
}

// A panelOf is one picture of a board.
type panelOf struct {
	Rank    int    `json:"rank"` // -1: a file
	Title   string `json:"title"`
	Drawing string `json:"drawing"`
	Words   string `json:"words"`
}

// panels draws the board: the files, then the ranks.
func (b *board) panels() []panelOf {
	all := []panelOf{}
	add := func(p *picture.Panel) {
		d := p.Draw()
		all = append(all, panelOf{p.Lane, p.Title, d.Fragment(), d.Description()})
	}
	for _, f := range b.files {
		add(b.filePanel(f))
	}
	for r := range b.rep.Script.Ranks {
		add(b.rankPanel(r))
	}
	return all
}
