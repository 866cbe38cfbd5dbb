package lab

import (
	"context"
	"errors"
	"fmt"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/internal/show/views"
	"github.com/commworld/commworld/types"
)

// A TypeRequest is a datatype of one rank; in every integer of it, r is the rank and n the
// number of ranks.
type TypeRequest struct {
	Text   string `json:"text"`
	Rank   int    `json:"rank"`
	Ranks  int    `json:"ranks"`
	Copies int64  `json:"copies"` // to draw; 0: one
	Width  int64  `json:"width"`  // items of a row of the array in memory; 0: no array
}

// A typeAnswer describes a datatype in memory of this machine.
type typeAnswer struct {
	Drawing string `json:"drawing"` // the copies, byte by byte
	Words   string `json:"words"`
	Array   string `json:"array,omitempty"` // the drawing as an array, if it is one
	Rows    string `json:"rows,omitempty"`  // the array in words
	Text    string `json:"text"`            // in a sentence

	Size      int64  `json:"size"`
	Extent    int64  `json:"extent"`
	LB        int64  `json:"lb"`
	TrueLB    int64  `json:"true_lb"`
	TrueUB    int64  `json:"true_ub"`
	Items     int64  `json:"items"`
	Signature string `json:"signature"`
}

// typeOf draws a datatype. If the request has views, it also compares the type with the
// filetype of the rank, because the memory moves through the view.
func typeOf(_ context.Context, q *Request) (any, error) {
	t := q.Type
	switch {
	case t == nil:
		return nil, &fieldError{"type", errors.New("the request has no type")}
	case t.Ranks < 1 || t.Ranks > maxRanks:
		return nil, &fieldError{"ranks", fmt.Errorf("%d ranks: the page shows 1 to %d", t.Ranks, maxRanks)}
	case t.Rank < 0 || t.Rank >= t.Ranks:
		return nil, &fieldError{"rank", fmt.Errorf("rank %d: there are ranks 0 to %d", t.Rank, t.Ranks-1)}
	case t.Copies < 0:
		return nil, &fieldError{"copies", fmt.Errorf("%d copies: at least 0", t.Copies)}
	case t.Width < 0:
		return nil, &fieldError{"width", fmt.Errorf("%d items a row: at least 0", t.Width)}
	}
	vars := map[string]int64{"r": int64(t.Rank), "n": int64(t.Ranks)}
	typ, err := types.ParseWith(t.Text, vars)
	if err != nil {
		return nil, &fieldError{"text", err}
	}
	l, err := typ.Layout(types.Host)
	if err != nil {
		return nil, &fieldError{"text", err}
	}
	laid := views.Laid{Sizes: types.Host, Type: typ, Layout: l}
	d := views.DrawCopies([]views.Laid{laid}, max(1, t.Copies))
	a := &typeAnswer{
		Drawing: d.Fragment(), Words: d.Description(), Size: l.Size, Extent: l.Extent, LB: l.LB, TrueLB: l.TrueLB, TrueUB: l.TrueUB,
		Items: l.Items(), Signature: plain.Shorten(typ.Signature().String()),
	}
	a.Text = fmt.Sprintf("One copy moves %s in %s; the next copy begins %s on.", plain.Count(l.Size, "byte"), plain.Count(l.Items(), "item"), plain.Count(l.Extent, "byte"))
	if v := q.View; v != nil {
		if file, err := types.ParseWith(v.filetype(), vars); err == nil {
			a.Text += " " + fits(typ, file)
		}
	}
	if array, ok := laid.DrawArray(t.Width, t.Rank); ok {
		a.Array, a.Rows = array.Fragment(), array.Description()
	} else if t.Width > 0 {
		a.Text += fmt.Sprintf(" It is not drawn as an array, because its items do not form at most %d rows of %d.", views.MostArrayRows, t.Width)
	}
	return a, nil
}

// fits returns a sentence about how many copies of a memory type fill a filetype.
func fits(memory, file *types.Type) string {
	m, f := memory.Signature(), file.Signature()
	switch {
	case m.Len() == 0 || f.Len() == 0:
		return ""
	case m.Equal(f):
		return "It has what one filetype holds."
	}
	if n, ok := f.Repeats(m); ok {
		return fmt.Sprintf("%d copies fill one filetype.", n)
	}
	if n, ok := m.Repeats(f); ok {
		return fmt.Sprintf("It fills %d filetypes.", n)
	}
	return fmt.Sprintf("A filetype holds %s of other kinds or another number: %s.", plain.Count(f.Len(), "item"), plain.Shorten(f.String()))
}
