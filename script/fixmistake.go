package script

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// A correction is the search for a change that the likely mistake of a race asks for: one after
// which every rank writes bytes of its own.
type correction struct {
	race *consistency.RaceError
	of   *consistency.Mistake
	a, b int // the lines of the two calls in the original script

	l   *listing
	now *trial       // of l
	ids []racePairID // the races of l between the two lines
}

// An unmeantError says that a race needs a change that only its author can make.
type unmeantError struct{ text string }

func (e *unmeantError) Error() string { return e.text }

// noCorrection is the reason if no change of the kind that the likely mistake names works.
const noCorrection = "it has no such change that keeps every byte"

// lineOf returns the line of the original script that a statement comes from; 0: none.
func (l *listing) lineOf(id int) int {
	if i := l.index(id); i >= 0 {
		return l.items[i].line
	}
	return 0
}

// A linePair names a race by the lines of the original script, the lower one first.
type linePair struct {
	file string
	a, b int
}

func pairOfLines(file string, a, b int) linePair { return linePair{file, min(a, b), max(a, b)} }

// linesOf returns the lines of a race of the report.
func linesOf(e *consistency.RaceError) linePair {
	return pairOfLines(e.File, e.A.Place.Line, e.B.Place.Line)
}

// lines returns the lines of a race of a trial.
func (l *listing) lines(id racePairID) linePair {
	return pairOfLines(id.file, l.lineOf(id.a), l.lineOf(id.b))
}

// reported returns the index of the race of the report between the lines of two statements; -1:
// the report does not have it.
func (r *repair) reported(id racePairID) int {
	if k, ok := r.ofLines[r.l.lines(id)]; ok {
		return k
	}
	return -1
}

// raceOf returns a race as the report has it, or else as the runs show it.
func (r *repair) raceOf(id racePairID) *consistency.RaceError {
	if k := r.reported(id); k >= 0 {
		return r.rep.Races[k]
	}
	return r.now.races[id]
}

// unmeant reports whether a race is of writes that were probably not meant to meet.
func (r *repair) unmeant(id racePairID) bool {
	is, ok := r.mistaken[id]
	if !ok {
		is = r.raceOf(id).Unmeant() != nil
		put(&r.mistaken, id, is)
	}
	return is
}

// correct makes the change that the likely mistake of a race asks for. A mistake whose change was
// tried in vain is not the likely one; if no other is left, correct orders the two writes as in
// other races. Else an order is only described: one of the two values would be lost.
func (r *repair) correct(ctx context.Context, id racePairID, f *Fix, c conflict) (*change, error) {
	x, err := r.newCorrection(ctx, id, f.Race)
	for err == nil {
		x.of = f.Race.Unmeant()
		if x.of == nil {
			r.mistaken[id] = false
			r.now.races[id].Tried = f.Race.Tried // the race of the runs is a copy
			return r.ordered(ctx, id, f, r.l.conflictOf(id, r.now.races[id]))
		}
		var found *change
		if found, err = r.corrected(ctx, x); found != nil {
			if found, err = r.inLines(ctx, id, x, found); err != nil {
				break
			}
			if x.of.Cure != "" && r.reported(id) >= 0 { // else it is in the lines of another text
				found.text = x.of.Cure + ": " + found.text
			}
			return found, nil
		}
		switch m := x.of.Moves; {
		case err != nil:
		case m != nil && !m.Of.Stays:
			m.Of.Stays = true
			continue
		case !f.Race.Tried:
			f.Race.Tried = true
			continue
		}
		break
	}
	if err != nil {
		f.None = stopReason(err)
		return nil, err
	}
	f.None = noCorrection
	order, err := r.orderOf(ctx, id, x, c)
	if err != nil {
		f.None = stopReason(err)
		return nil, err
	}
	if order != nil {
		keeps, err := r.keepsAll(ctx, x, order)
		if err != nil {
			f.None = stopReason(err)
			return nil, err
		}
		if keeps && order.l.crowded == r.l.crowded {
			f.None = ""
			return order, nil
		}
		f.Order = order.text
	}
	return nil, &unmeantError{x.of.Cause + "; " + f.First()}
}

// keepsAll reports whether an order of the two calls of a race makes them write different bytes, as
// if a file is opened to append after another rank has closed it.
func (r *repair) keepsAll(ctx context.Context, x *correction, order *change) (bool, error) {
	before, _, err := r.once(ctx, r.l, 0, false)
	if err != nil {
		return false, err
	}
	after, _, err := r.once(ctx, order.l, 0, false)
	return err == nil && x.keeps(before.writes, after.writes), err
}

// inLines returns a change of statements as a change of lines if r adds lines, and if lines can
// say it.
func (r *repair) inLines(ctx context.Context, id racePairID, x *correction, found *change) (*change, error) {
	if !r.l.crowded || slices.ContainsFunc(r.l.items, func(y listed) bool { return y.line == 0 }) {
		return found, nil
	}
	s, text, ok := x.l.inSource(found.l)
	if !ok {
		return found, nil
	}
	l := newListing(s)
	l.byLine()
	t, err := r.explore(ctx, l)
	if err != nil || r.has(t, id) {
		return found, err
	}
	return &change{l: l, text: text, trial: t}, nil
}

// newCorrection returns the search for a correction. It changes lines of the script, so it works on
// statements even if other changes of r add lines.
func (r *repair) newCorrection(ctx context.Context, id racePairID, race *consistency.RaceError) (*correction, error) {
	x := &correction{race: race, l: r.l, now: r.now, a: race.A.Place.Line, b: race.B.Place.Line}
	if r.reported(id) < 0 {
		x.a, x.b = r.l.lineOf(id.a), r.l.lineOf(id.b)
		if a, _ := inTextOrder(race); a != &race.A {
			x.a, x.b = x.b, x.a
		}
	}
	if r.l.crowded {
		x.l = newListing(r.l.s)
		var err error
		if x.now, err = r.explore(ctx, x.l); err != nil {
			return nil, err
		}
	}
	for _, y := range x.now.order {
		if x.l.lines(y) == pairOfLines(id.file, x.a, x.b) {
			x.ids = append(x.ids, y)
		}
	}
	return x, nil
}

// corrected finds the change for a correction.
func (r *repair) corrected(ctx context.Context, x *correction) (*change, error) {
	if len(x.ids) == 0 {
		return nil, nil
	}
	before, _, err := r.once(ctx, x.l, 0, false)
	if err != nil {
		return nil, err
	}
	found, err := r.verify(ctx, x.ids, x.now, func(yield func(change) bool) {
		for y := range x.l.corrections(x, x.l.conflictOf(x.ids[0], x.now.races[x.ids[0]])) {
			y.keeps = func(t *trial) bool { return x.keeps(before.writes, t.writes) }
			if !yield(y) {
				return
			}
		}
	})
	if err != nil || found == nil || found.trial.fresh(x.now) > 0 {
		return nil, err
	}
	return found, nil
}

// orderOf returns the change that orders the two writes of a race; nil if none works.
func (r *repair) orderOf(ctx context.Context, id racePairID, x *correction, c conflict) (*change, error) {
	l, now, ids := r.l, r.now, r.l.both(id)
	if c.race.Together && l.crowded && len(x.ids) > 0 { // two calls are to change
		l, now, ids = x.l, x.now, x.ids
		c = l.conflictOf(ids[0], now.races[ids[0]])
	}
	found, err := r.verify(ctx, ids, now, r.orderings(ctx, l, c))
	if found == nil || slices.ContainsFunc(ids, func(id racePairID) bool { return found.trial.races[id] != nil }) {
		return nil, err
	}
	return found, nil
}

// corrections yields the changes that a likely mistake asks for, the smallest first.
func (l *listing) corrections(x *correction, c conflict) iter.Seq[change] {
	return func(yield func(change) bool) {
		if x.of.Moves != nil || x.of.Uses != nil {
			if edits, ok := l.named(x); ok {
				yield(l.edited(edits))
			}
			return
		}
		for _, of := range []struct {
			wrong   consistency.Wrong
			changes func(*correction, conflict) []map[int]edit
		}{{consistency.WrongOffset, l.moved}, {consistency.WrongExtent, l.widened}, {consistency.WrongDisp, l.shifted}} {
			if x.of.Wrong&of.wrong == 0 {
				continue
			}
			for _, edits := range of.changes(x, c) {
				if !yield(l.edited(edits)) {
					return
				}
			}
		}
	}
}

// An edit returns the statement that takes the place of another one on a rank.
type edit func(rank int) *Stmt

// edited returns the change that edits make.
func (l *listing) edited(edits map[int]edit) change {
	out := l
	type place struct {
		line int
		rank int
		text string
	}
	var places []place
	for _, i := range slices.Backward(slices.Sorted(maps.Keys(edits))) {
		x := l.items[i]
		var all []*Stmt
		for _, r := range x.ranks {
			s := edits[i](r)
			if all = append(all, s); s.String() != x.stmt.String() {
				places = append(places, place{x.line, r, s.String()})
			}
		}
		if !slices.ContainsFunc(all, func(s *Stmt) bool { return s.String() != all[0].String() }) {
			out = out.replace(i, all[0])
			continue
		}
		out = out.alone(i)
		for k, s := range all {
			out = out.replace(i+k, s)
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.rank, b.rank)) })
	var words []string
	for len(places) > 0 {
		first := places[0]
		n := 1
		for n < len(places) && places[n].line == first.line {
			n++
		}
		text := fmt.Sprintf("line %d: %s", first.line, first.text)
		if slices.ContainsFunc(places[:n], func(p place) bool { return p.text != first.text }) || len(l.ranksOf(first.line)) > n {
			last := places[n-1]
			text = fmt.Sprintf("line %d, such as, on rank %d: %s", last.line, last.rank, last.text)
		}
		words = append(words, text)
		places = places[n:]
	}
	return change{l: out, text: strings.Join(words, "; ")}
}

// at returns the indices of the statements of a line.
func (l *listing) at(line int) (all []int) {
	for i, x := range l.items {
		if x.line == line {
			all = append(all, i)
		}
	}
	return all
}

// ranksOf returns the ranks that run a line, each as often as it does.
func (l *listing) ranksOf(line int) (all []int) {
	for _, i := range l.at(line) {
		all = append(all, l.items[i].ranks...)
	}
	return all
}

// named returns the edits that a mistake names exactly; false if they cannot be made.
func (l *listing) named(x *correction) (map[int]edit, bool) {
	line := func(p *consistency.Party) int {
		if p == &x.race.A {
			return x.a
		}
		return x.b
	}
	edits := map[int]edit{}
	m := x.of.Moves
	if m != nil && m.Views {
		lines := []int{line(m.Of)}
		if m.Both {
			lines = []int{x.a, x.b}
		}
		for _, i := range l.viewsOf(lines...) {
			v := l.items[i].stmt.View
			edits[i] = func(rank int) *Stmt { return l.items[i].stmt.displaced(m.To(rank, v.Disp)) }
		}
		return edits, len(edits) > 0
	}
	for _, use := range x.of.Uses {
		for _, i := range l.at(line(use.Of)) {
			s := *l.items[i].stmt
			s.Routine = use.Op
			if s.form, s.Offset = forms[use.Op], 0; s.form == nil {
				return nil, false
			}
			edits[i] = func(int) *Stmt { return &s }
			if begin, ok := strings.CutSuffix(use.Op, "_begin"); ok {
				for _, r := range l.items[i].ranks {
					e := l.completion(i, r)
					if e < 0 {
						return nil, false
					}
					end := *l.items[e].stmt
					end.Routine = begin + "_end"
					end.form = forms[end.Routine]
					edits[e] = func(int) *Stmt { return &end }
				}
			}
		}
	}
	if m == nil {
		return edits, len(edits) > 0
	}
	for _, i := range l.at(line(m.Of)) {
		was, of := l.items[i].stmt, edits[i]
		at := was.Offset
		if of != nil {
			at = m.Of.Lo
		}
		for _, r := range l.items[i].ranks {
			if l.view(i, r) >= 0 { // offsets do not count bytes
				return nil, false
			}
		}
		edits[i] = func(rank int) *Stmt {
			s := *was
			if of != nil {
				s = *of(rank)
			}
			s.Offset = m.To(rank, at)
			return &s
		}
	}
	return edits, len(edits) > 0
}

// viewsOf returns the indices of the views through which statements of lines access their
// files, with those that the other ranks set in the same calls; nil if one has the default view.
func (l *listing) viewsOf(lines ...int) []int {
	groups := l.groups()
	found := map[int]bool{}
	for _, line := range lines {
		for _, i := range l.at(line) {
			for _, r := range l.items[i].ranks {
				v := l.view(i, r)
				if v < 0 {
					return nil
				}
				found[v] = true
				g := l.groupOf(groups, v, r)
				if g == nil {
					return nil
				}
				ids := l.matching(conflict{f: v, fr: r}, groups, g)
				for k, x := range l.items {
					if ids[x.id] && x.stmt.Routine == "view" {
						found[k] = true
					}
				}
			}
		}
	}
	for i := range found {
		if l.items[i].stmt.View.Disp == iofile.DisplacementCurrent {
			return nil
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// displaced returns a view with another displacement.
func (s *Stmt) displaced(disp int64) *Stmt {
	v := s.View
	v.Disp = disp
	return s.viewed(v)
}

// widened returns the edits after which the extent of filetypes covers the blocks of all ranks.
func (l *listing) widened(x *correction, c conflict) (all []map[int]edit) {
	vf, vs := l.view(c.f, c.fr), l.view(c.s, c.sr)
	if vf < 0 || vs < 0 {
		return nil
	}
	a, b := l.items[vf].stmt.View, l.items[vs].stmt.View
	ranks := int64(l.s.Ranks)
	gap := max(a.Disp, b.Disp) - min(a.Disp, b.Disp)
	_, ea := a.Filetype.Extent(host)
	_, eb := b.Filetype.Extent(host)
	_, ta := a.Filetype.TrueExtent(host)
	_, tb := b.Filetype.TrueExtent(host)
	da, db := a.Filetype.Size(host), b.Filetype.Size(host)
	widths := []int64{gap * ranks, ea, eb, ta * ranks, tb * ranks, da * ranks, db * ranks}
	slices.Sort(widths)
	views := l.viewsOf(x.a, x.b)
	for _, w := range slices.Compact(widths) {
		edits := map[int]edit{}
		for _, i := range views {
			s := l.items[i].stmt
			if lb, extent := s.View.Filetype.Extent(host); extent < w {
				v := s.View
				v.Filetype = types.Resized(v.Filetype, lb, w)
				edits[i] = func(int) *Stmt { return s.viewed(v) }
			}
		}
		if len(edits) > 0 {
			all = append(all, edits)
		}
	}
	return all
}

// shifted returns the edits after which each rank's view begins after the block of the rank before
// it.
func (l *listing) shifted(x *correction, c conflict) (all []map[int]edit) {
	views := l.viewsOf(x.a, x.b)
	if len(views) == 0 {
		return nil
	}
	v := l.items[views[0]].stmt.View
	unit := max(v.Etype.Size(host), 1)
	_, wide := v.Filetype.TrueExtent(host)
	steps := []int64{unit, 2 * unit, wide, v.Filetype.Size(host)}
	for _, i := range []int{c.f, c.s} {
		if d := l.items[i].stmt.Data; d != nil {
			steps = append(steps, d.Type.Size(host)*d.Count())
		}
	}
	slices.Sort(steps)
	lowest, differ := v.Disp, false
	for _, i := range views {
		d := l.items[i].stmt.View.Disp
		lowest, differ = min(lowest, d), differ || d != v.Disp
	}
	for _, step := range slices.Compact(steps) {
		edits, anew := map[int]edit{}, map[int]edit{}
		for _, i := range views {
			s := l.items[i].stmt
			edits[i] = func(rank int) *Stmt { return s.displaced(s.View.Disp + int64(rank)*step) }
			anew[i] = func(rank int) *Stmt { return s.displaced(lowest + int64(rank)*step) }
		}
		if all = append(all, edits); differ { // their displacements depend on the rank, but wrongly
			all = append(all, anew)
		}
	}
	return all
}

// moved returns the edits after which a rank writes behind the rank before it, at another explicit
// offset.
func (l *listing) moved(x *correction, c conflict) []map[int]edit {
	length := func(i int) int64 { // in etypes
		s := l.items[i].stmt
		unit := int64(1)
		if v := l.view(i, l.items[i].ranks[0]); v >= 0 {
			unit = max(l.items[v].stmt.View.Etype.Size(host), 1)
		}
		if s.Data == nil || !strings.Contains(s.Routine, "_at") {
			return 0
		}
		return s.Data.Type.Size(host) * s.Data.Count() / unit
	}
	offset := func(i int, off int64) edit {
		s := *l.items[i].stmt
		s.Offset = off
		return func(int) *Stmt { return &s }
	}
	if x.a != x.b {
		first, second := c.f, c.s
		if first > second {
			first, second = second, first
		}
		n := length(first)
		if n == 0 || length(second) == 0 || len(l.ranksOf(l.items[second].line)) > 1 {
			return nil
		}
		return []map[int]edit{{second: offset(second, l.items[first].stmt.Offset+n)}}
	}
	ranks := l.ranksOf(x.a)
	slices.Sort(ranks)
	if len(slices.Compact(slices.Clone(ranks))) < len(ranks) { // repeated
		return nil
	}
	edits := map[int]edit{}
	var base, n int64
	for _, i := range l.at(x.a) {
		if slices.Contains(l.items[i].ranks, ranks[0]) {
			base, n = l.items[i].stmt.Offset, length(i)
		}
	}
	for _, i := range l.at(x.a) {
		if n == 0 {
			return nil
		}
		edits[i] = func(rank int) *Stmt { return offset(i, base+n*int64(slices.Index(ranks, rank)))(rank) }
	}
	return []map[int]edit{edits}
}

// A rankLine is a line of the original script as one rank runs it.
type rankLine struct{ rank, line int }

// A fileWrite is a stretch of a file that a rank has written.
type fileWrite struct {
	rankLine
	file   string
	lo, hi int64
}

// writes returns what the ranks have written in a run.
func (l *listing) writes(r *run, ids map[int]int) (all []fileWrite) {
	lines := map[int]int{}
	for _, x := range l.items {
		lines[x.id] = x.line
	}
	for _, k := range r.ranks {
		for _, s := range k.history.steps {
			if s.access == nil || s.Do != consistency.DoWrite {
				continue
			}
			for _, run := range s.Runs {
				all = append(all, fileWrite{rankLine{k.id, lines[ids[s.stmt.Line]]}, s.file, run.Off, run.Off + run.Len})
			}
		}
	}
	slices.SortFunc(all, func(a, b fileWrite) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.lo, b.lo)) })
	return all
}

// keeps reports whether every byte stays that ranks write after a correction: its two calls have
// no byte in common, no other two calls have one that had none before, each writes as much as
// before, and no hole is new.
func (x *correction) keeps(before, after []fileWrite) bool {
	was, ok := overlaps(before)
	is, few := overlaps(after)
	if !ok || !few || !maps.Equal(lengths(before), lengths(after)) {
		return false
	}
	for p := range is {
		racing := pairOfLines("", p[0].line, p[1].line) == pairOfLines("", x.a, x.b) && (x.a != x.b || p[0].rank != p[1].rank)
		if racing || !was[p] {
			return false
		}
	}
	return x.l.holes(after) <= x.l.holes(before)
}

// lengths returns how many bytes each rank writes in each line.
func lengths(all []fileWrite) map[rankLine]int64 {
	n := map[rankLine]int64{}
	for _, w := range all {
		n[w.rankLine] += w.hi - w.lo
	}
	return n
}

// mostOverlaps bounds the pairs of writes that are compared.
const mostOverlaps = 1_000_000

// overlaps returns the pairs of lines that write the same bytes of a file; false if there are too
// many writes to compare.
func overlaps(all []fileWrite) (map[[2]rankLine]bool, bool) {
	found := map[[2]rankLine]bool{}
	pairs := 0
	for i, a := range all {
		for _, b := range all[i+1:] {
			if b.file != a.file || b.lo >= a.hi {
				break
			}
			if pairs++; pairs > mostOverlaps {
				return nil, false
			}
			p := [2]rankLine{a.rankLine, b.rankLine}
			if cmp.Or(cmp.Compare(p[0].line, p[1].line), cmp.Compare(p[0].rank, p[1].rank)) > 0 {
				p[0], p[1] = p[1], p[0]
			}
			found[p] = true
		}
	}
	return found, true
}

// holes returns how many bytes no rank has written, up to the last one that a rank has.
func (l *listing) holes(all []fileWrite) (n int64) {
	end := map[string]int64{}
	for _, f := range l.s.Files {
		for _, t := range f.Bytes {
			end[f.Name] += int64(len(t.Bytes)) * t.Repeat
		}
	}
	for _, w := range all {
		n += max(0, w.lo-end[w.file])
		end[w.file] = max(end[w.file], w.hi)
	}
	return n
}
