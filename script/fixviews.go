package script

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// viewChanges yields the changes that separate two writes which overlap because of a view or
// an offset: a filetype whose extent covers the blocks of all ranks, another displacement,
// another offset and, last, the same writes one after the other.
func (f *fixer) viewChanges(ctx context.Context, l *listing, c conflict) iter.Seq[change] {
	return func(yield func(change) bool) {
		if l.crowded { // a line has the views of several ranks
			if !c.race.Together {
				f.fences(ctx, l, c)(yield)
			}
			return
		}
		for _, x := range slices.Concat(l.widened(c), l.shifted(c)) {
			if !yield(x) {
				return
			}
		}
		if !c.race.Together {
			f.fences(ctx, l, c)(yield)
			return
		}
		f.apart(ctx, l, c, yield)
	}
}

// widened returns the listings in which the extent of filetypes covers the blocks of all
// ranks.
func (l *listing) widened(c conflict) []change {
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
	widths := []int64{gap * ranks, ea, eb, ta * ranks, tb * ranks}
	slices.Sort(widths)
	var all []change
	for _, w := range slices.Compact(widths) {
		out, words := l, []string(nil)
		for _, i := range slices.Compact([]int{vf, vs}) {
			s := out.items[i].stmt
			lb, extent := s.View.Filetype.Extent(host)
			if extent >= w {
				continue
			}
			v := s.View
			v.Filetype = types.Resized(v.Filetype, lb, w)
			s = s.viewed(v)
			out = out.replace(i, s)
			words = append(words, fmt.Sprintf("line %d: %v", l.items[i].line, s))
		}
		if len(words) > 0 {
			all = append(all, change{l: out, text: strings.Join(words, "; ")})
		}
	}
	return all
}

// shifted returns the listings in which each rank's view begins after the blocks of the
// ranks before it.
func (l *listing) shifted(c conflict) []change {
	low, high := c.f, c.s
	lr, hr := c.fr, c.sr
	if hr < lr {
		low, high, lr, hr = high, low, hr, lr
	}
	v := l.view(high, hr)
	if v < 0 {
		return l.moved(low, lr, high, hr)
	}
	s := l.items[v].stmt
	if s.View.Disp == iofile.DisplacementCurrent {
		return nil
	}
	unit := max(s.View.Etype.Size(host), 1)
	_, wide := s.View.Filetype.TrueExtent(host)
	steps := []int64{unit, 2 * unit, wide, s.View.Filetype.Size(host)}
	if d := l.items[low].stmt.Data; d != nil {
		steps = append(steps, d.Type.Size(host)*d.Count())
	}
	slices.Sort(steps)
	var all []change
	for _, k := range slices.Compact(steps) {
		out, text := l, ""
		if len(l.items[v].ranks) == 1 {
			w := s.View
			w.Disp += k
			out = l.replace(v, s.viewed(w))
			text = fmt.Sprintf("line %d: %v", l.items[v].line, out.items[v].stmt)
		} else {
			out = l.alone(v)
			for i := range l.items[v].ranks {
				w := s.View
				w.Disp += int64(i) * k
				out = out.replace(v+i, s.viewed(w))
			}
			text = fmt.Sprintf("line %d: give each rank a displacement %d bytes after that of the rank before it, such as, on %s: %v",
				l.items[v].line, k, ranksText(out.items[v+1].ranks, l.s.Ranks), out.items[v+1].stmt)
		}
		all = append(all, change{l: out, text: text})
	}
	return all
}

// moved returns the listings in which a rank writes after another one, at another
// explicit offset.
func (l *listing) moved(low, lr, high, hr int) []change {
	a, b := l.items[low].stmt, l.items[high].stmt
	if !strings.Contains(a.Routine, "_at") || !strings.Contains(b.Routine, "_at") || a.Data == nil || b.Data == nil || a.As != "" || b.As != "" {
		return nil
	}
	n := a.Data.Type.Size(host) * a.Data.Count() // the default view: etypes are bytes
	if low != high {
		s := *b
		if s.Offset = a.Offset + n; len(l.items[high].ranks) > 1 {
			return nil
		}
		return []change{{l: l.replace(high, &s), text: fmt.Sprintf("line %d: %v", l.items[high].line, &s)}}
	}
	out := l.alone(low)
	var last *Stmt
	for i := range l.items[low].ranks {
		s := *a
		s.Offset += int64(i) * n
		out, last = out.replace(low+i, &s), &s
	}
	return []change{{l: out, text: fmt.Sprintf("line %d: give each rank an offset %d after that of the rank before it, such as, on %s: %v",
		l.items[low].line, n, ranksText(out.items[low+len(l.items[low].ranks)-1].ranks, l.s.Ranks), last)}}
}

// apart replaces a collective write by one write of each rank by itself, in the order of
// the text, with the ordering statements in between.
func (f *fixer) apart(ctx context.Context, l *listing, c conflict, yield func(change) bool) {
	for _, at := range [][2]int{{c.f, c.fr}, {c.s, c.sr}} {
		if strings.Contains(l.items[at[0]].stmt.Routine, "_ordered") {
			return // the shared pointer has moved by then
		}
	}
	groups := l.groups()
	g := l.groupOf(groups, c.f, c.fr)
	if g == nil {
		return
	}
	ids := l.matching(c, groups, g)
	out := l
	var lines []string
	for i := 0; i < len(out.items); i++ {
		x := out.items[i]
		if !ids[x.id] || x.stmt.Data == nil {
			continue
		}
		s := *x.stmt
		s.Routine = strings.TrimSuffix(strings.Replace(strings.TrimSuffix(s.Routine, "_begin"), "_all", "", 1), "_all")
		if s.form = forms[s.Routine]; s.form == nil {
			return
		}
		if lines = append(lines, fmt.Sprint(x.line)); strings.HasSuffix(x.stmt.Routine, "_begin") {
			for _, r := range x.ranks {
				if e := out.completion(i, r); e >= 0 {
					out = out.with(slices.Delete(slices.Clone(out.items), e, e+1))
				}
			}
		}
		out = out.replace(i, &s)
	}
	where := "line "
	if len(lines) > 1 {
		where = "lines "
	}
	before := fmt.Sprintf("if the views are meant so, write one rank after the other: %s%s without _all, ", where, strings.Join(lines, ", "))
	id, jd := l.items[c.f].id, l.items[c.s].id
	c.f, c.s = out.index(id), out.index(jd)
	c.race = c.race.Apart()
	f.fences(ctx, out, c)(func(x change) bool {
		if x.atomic {
			return true // one write then hides the other as before
		}
		x.text = before + x.text
		return yield(x)
	})
}

// matching returns the statements that match the first access as collective calls on g: each
// has the same number among the calls of its rank.
func (l *listing) matching(c conflict, groups []*group, g *group) map[int]bool {
	number := l.callNumber(c.f, c.fr)
	ids := map[int]bool{}
	for _, r := range g.ranks() {
		for i, x := range l.items {
			if slices.Contains(x.ranks, r) && x.stmt.meets() && l.groupOf(groups, i, r) == g && l.callNumber(i, r) == number {
				ids[x.id] = true
			}
		}
	}
	return ids
}

// callNumber returns how many collective calls with its handle a rank has made up to
// index i.
func (l *listing) callNumber(i, rank int) int {
	n, h := 0, l.items[i].stmt.Handle
	for k := i; k >= 0; k-- {
		x := l.items[k]
		if x.stmt.Handle == h && x.stmt.meets() && slices.Contains(x.ranks, rank) {
			n++
		}
		if x.stmt.Routine == "open" && x.stmt.Handle == h {
			break
		}
	}
	return n
}
