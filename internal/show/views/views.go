// Package views shows which bytes of a file each rank sees: as text, as a drawing and as
// JSON. Start here:
//
//		r := &views.Request{Ranks: 3, Disp: "r*4", Etype: "int", Filetype: "resized(int, 0, n*4)", Rep: "native"}
//		m, err := r.ByteMap(ctx)   // a *Refused says which view breaks which rule, and where
//		svg := m.SVG()
//
//	  - views.go: the request; form.go: representations by name
//	  - judge.go, offence.go, note.go: errors of views, and lints
//	  - runs.go: which rank sees which bytes
//	  - text.go, strip.go, grid.go: text; svg.go: the drawing; json.go
package views

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/internal/view"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// maxRanks is the largest number of ranks whose views are shown.
const maxRanks = 4096

// A Request asks for the views of all ranks of a file. In Disp and in every integer of
// the types, r is the rank and n the number of ranks.
type Request struct {
	Ranks    int
	Disp     string // byte of the file where the view begins
	Etype    string
	Filetype string // empty: the etype
	Markers  string // force of bounds: sticky, weak; empty: sticky
	Rep      string // data representation, for native ones with @ARCH
	Bytes    int64  // size of the window; 0: one extent from the smallest displacement on
	Width    int64  // also draw the file as rows of so many etypes; 0: do not
	Show     []int  // ranks to list and draw; nil: the first few
	ReadOnly bool   // views of a file opened for reading only

	// Each has the views of the ranks, in place of Disp, Etype and Filetype.
	Each []iofile.View

	Limit int64 // most runs to look at for each rank; 0: the default
}

// A Refused reports which views cannot be set.
type Refused struct {
	Field   string // of the request: Disp, Etype or Filetype; empty if several are involved
	Text    string // one line
	Picture string // the place in the expression or in the filetype, on further lines

	place *picture.Strip // the items of the type that breaks a rule; nil if the place is not an item
}

// Drawing returns the type that breaks a rule, with the offending block marked; nil if
// there is no such block.
func (e *Refused) Drawing() *picture.Drawing {
	if e.place == nil {
		return nil
	}
	return e.place.Draw()
}

// Error returns the error on one line.
func (e *Refused) Error() string { return e.Text }

// check returns an error for an invalid field of the request, by the name of its flag.
func (c *Request) check() error {
	if c.Each != nil {
		c.Ranks = len(c.Each)
		c.Disp = c.each(func(v iofile.View) string { return strconv.FormatInt(v.Disp, 10) })
		c.Etype = c.each(func(v iofile.View) string { return v.Etype.String() })
		c.Filetype = c.each(func(v iofile.View) string { return v.Filetype.String() })
	}
	switch {
	case c.Ranks < 1 || c.Ranks > maxRanks:
		return fmt.Errorf("--ranks %d: 1 to %d can be shown", c.Ranks, maxRanks)
	case c.Bytes < 0:
		return fmt.Errorf("--bytes %d is negative", c.Bytes)
	case c.Width < 0:
		return fmt.Errorf("--width %d is negative", c.Width)
	case c.Limit < 0:
		return fmt.Errorf("--limit %d is negative", c.Limit)
	}
	for _, r := range c.Show {
		if r < 0 || r >= c.Ranks {
			return fmt.Errorf("--show %d: the ranks are 0 to %d", r, c.Ranks-1)
		}
	}
	if c.Filetype == "" {
		c.Filetype = c.Etype
	}
	return nil
}

// each returns a part of the views of the ranks as text.
func (c *Request) each(part func(iofile.View) string) string {
	var all []string
	for _, v := range c.Each {
		all = append(all, plain.Shorten(part(v)))
	}
	if len(slices.Compact(slices.Clone(all))) == 1 {
		return all[0]
	}
	return "by rank: " + plain.Shorten(strings.Join(all, ", "))
}

// ByteMap sets the views in a world of so many ranks and finds which ranks see which bytes.
// Errors: a *[Refused] for views that break a rule.
func (c *Request) ByteMap(ctx context.Context) (*ByteMap, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	form, err := ParseForm(c.Rep)
	if err != nil {
		return nil, Refusal("--rep ", err)
	}
	if c.Markers != "" {
		m, err := types.ParseMarkers(c.Markers)
		if err == nil {
			form, err = form.under(m)
		}
		if err != nil {
			return nil, Refusal("--markers ", err)
		}
	}
	views, err := c.views(form)
	if err != nil {
		return nil, err
	}
	lints, err := c.judge(ctx, form, views)
	if err != nil {
		return nil, err
	}
	s := newByteMap(c, form, views)
	s.note(lints)
	return s, nil
}

// SVG returns the byte map as a drawing in a file of its own.
func (m *ByteMap) SVG() string { return m.drawing().SVG() }

// Fragment returns the drawing for a page that has the style of all drawings, and its
// description.
func (m *ByteMap) Fragment() (drawing, words string) {
	d := m.drawing()
	return d.Fragment(), d.Description()
}

// Text writes the byte map as text, width columns wide.
func (m *ByteMap) Text(w io.Writer, width int, colours bool) error {
	out := bufio.NewWriter(w)
	p := &sheet{ByteMap: m, out: out, width: width, colours: colours}
	p.write()
	return out.Flush()
}

// JSON writes the byte map as one object.
func (m *ByteMap) JSON(w io.Writer) error {
	out := bufio.NewWriter(w)
	m.json(out)
	return out.Flush()
}

// A rankView is the view of one rank, laid out.
type rankView struct {
	rank            int
	disp            int64
	etype, filetype *types.Type
	tangled         bool // copies overlap: bytes are not in the order of the view
	view.Layout
}

// views evaluates the expressions for every rank.
func (c *Request) views(form Form) ([]*rankView, error) {
	var all []*rankView
	for r := range c.Ranks {
		v := &rankView{rank: r, Layout: view.Layout{Sizes: form.Sizes()}}
		flag, text, err := c.evaluate(v)
		if err == nil {
			flag, text = "--etype", c.Etype
			v.Unit, err = v.etype.Layout(form.Sizes())
		}
		if err == nil {
			flag, text = "--filetype", c.Filetype
			v.Tiles.L, err = v.filetype.Layout(form.Sizes())
		}
		if err != nil {
			e := &Refused{Field: fields[flag], Text: fmt.Sprintf("rank %d: %v", r, Refusal(flag+" ", err))}
			var s *types.SyntaxError
			if errors.As(err, &s) {
				e.Picture = plain.Pointer(text, s.Column)
			}
			return nil, e
		}
		v.Tiles.Disp = v.disp
		all = append(all, v)
	}
	return all, nil
}

// evaluate sets the displacement and the types of the view of a rank. With an error it returns
// the flag and the text that caused it.
func (c *Request) evaluate(v *rankView) (flag, text string, err error) {
	if c.Each != nil {
		of := c.Each[v.rank]
		v.disp, v.etype, v.filetype = of.Disp, of.Etype, of.Filetype
		return "", "", nil
	}
	vars := map[string]int64{"r": int64(v.rank), "n": int64(c.Ranks)}
	if v.disp, err = types.EvalWith(c.Disp, vars); err != nil {
		return "--disp", c.Disp, err
	}
	if v.etype, err = types.ParseWith(c.Etype, vars); err != nil {
		return "--etype", c.Etype, err
	}
	v.filetype, err = types.ParseWith(c.Filetype, vars)
	return "--filetype", c.Filetype, err
}

// fields returns the fields of a Request by their flags.
var fields = map[string]string{"--disp": "Disp", "--etype": "Etype", "--filetype": "Filetype"}

// Refusal returns a short text of an error: the cause, then class and rule.
func Refusal(what string, err error) error {
	var e *types.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s%w", what, err)
	}
	cause := e.Err
	if cause == nil {
		cause = e.Class
	}
	return fmt.Errorf("%s%v (%s%s)", what, cause, e.Class.Name(), plain.Comma(e.Rule))
}

// Tiling returns the places in the file of the packed bytes of a rank's view, and the size
// of an etype.
func (m *ByteMap) Tiling(rank int) (at types.Tiling, etype int64) {
	v := m.views[rank]
	return v.Tiles, v.Unit.Size
}
