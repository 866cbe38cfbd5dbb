package lab

import (
	"context"
	"errors"
	"fmt"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/internal/show/views"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

// A ViewRequest is the views of all ranks of a file; in Disp and in every integer of the
// types, r is the rank and n the number of ranks. With a step of a program, whose views these
// are, only Width and Bytes count.
type ViewRequest struct {
	Ranks    int    `json:"ranks"`
	Disp     string `json:"disp"`
	Etype    string `json:"etype"`
	Filetype string `json:"filetype"`
	Rep      string `json:"rep"`
	Width    int64  `json:"width"` // etypes of a row of the array; 0: no array
	Bytes    int64  `json:"bytes"` // to show; 0: one extent
}

// byteMap sets the views and finds which rank sees which bytes.
func (v *ViewRequest) byteMap(ctx context.Context) (*views.ByteMap, error) {
	switch {
	case v == nil:
		return nil, &fieldError{"view", errors.New("the request has no views")}
	case v.Ranks < 1 || v.Ranks > maxRanks:
		return nil, &fieldError{"ranks", fmt.Errorf("%d ranks: the page shows 1 to %d", v.Ranks, maxRanks)}
	}
	if err := v.checkWindow(); err != nil {
		return nil, err
	}
	r := &views.Request{Ranks: v.Ranks, Disp: v.Disp, Etype: v.Etype, Filetype: v.Filetype, Rep: v.Rep, Bytes: v.Bytes, Width: v.Width, Limit: 10_000}
	return r.ByteMap(ctx)
}

// checkWindow returns an error for a part of the file that cannot be shown.
func (v *ViewRequest) checkWindow() error {
	switch {
	case v.Width < 0:
		return &fieldError{"width", fmt.Errorf("%d etypes a row: at least 0", v.Width)}
	case v.Bytes < 0:
		return &fieldError{"bytes", fmt.Errorf("%d bytes: at least 0", v.Bytes)}
	}
	return nil
}

// A viewAnswer is the drawing of views.
type viewAnswer struct {
	Drawing string     `json:"drawing"`
	Words   string     `json:"words"`
	Ranks   []viewLine `json:"ranks,omitempty"` // the views of a program
}

// A viewLine is the view of one rank in a program.
type viewLine struct {
	Rank     int    `json:"rank"`
	Line     int    `json:"line"` // of the script; 0: the view that an open gives
	Disp     int64  `json:"disp"`
	Etype    string `json:"etype"`
	Filetype string `json:"filetype"`
	Rep      string `json:"rep"`
}

// view draws the views that a step of a program sets, or those of a request.
func view(ctx context.Context, q *Request) (any, error) {
	if q.Step > 0 {
		return programView(ctx, q)
	}
	s, err := q.View.byteMap(ctx)
	if err != nil {
		return nil, err
	}
	a := &viewAnswer{}
	a.Drawing, a.Words = s.Fragment()
	return a, nil
}

// setsView reports whether a step sets views.
func setsView(stage script.Stage) bool { return stage.Events[0].Stmt.Routine == "view" }

// setViews lists the steps of a run that set views.
func setViews(ctx context.Context, q *Request) (any, error) {
	rep, _, err := q.ran(ctx)
	if err != nil {
		return nil, err
	}
	all := []offered{}
	for i, stage := range rep.Stages() {
		if setsView(stage) {
			all = append(all, offered{i + 1, stage.String()})
		}
	}
	return map[string]any{"views": all}, nil
}

// programView draws the views of all ranks of a program after a step that sets some. A rank
// that does not take part has the view that it set before through a handle of that name, or
// that of an open.
func programView(ctx context.Context, q *Request) (any, error) {
	rep, _, err := q.ran(ctx)
	if err != nil {
		return nil, err
	}
	stages := rep.Stages()
	if q.Step > len(stages) || !setsView(stages[q.Step-1]) {
		return nil, &fieldError{"step", fmt.Errorf("step %d of this run sets no view", q.Step)}
	}
	first := stages[q.Step-1].Events[0].Stmt
	r := &views.Request{Ranks: rep.Script.Ranks, Rep: first.View.Rep, Limit: 10_000}
	if v := q.View; v != nil {
		if err := v.checkWindow(); err != nil {
			return nil, err
		}
		r.Width, r.Bytes = v.Width, v.Bytes
	}
	a := &viewAnswer{}
	for rank := range r.Ranks {
		a.Ranks = append(a.Ranks, viewLine{Rank: rank, Rep: first.View.Rep})
		r.Each = append(r.Each, iofile.View{Etype: types.Byte, Filetype: types.Byte})
	}
	for _, stage := range stages[:q.Step] {
		for _, e := range stage.Events {
			switch s := e.Stmt; {
			case s.Handle != first.Handle:
			case s.Routine == "view":
				r.Each[e.Rank], a.Ranks[e.Rank].Line = s.View, s.Line
			case s.Routine == "open":
				r.Each[e.Rank], a.Ranks[e.Rank].Line = iofile.View{Etype: types.Byte, Filetype: types.Byte}, 0
			}
		}
	}
	for rank, v := range r.Each {
		o := &a.Ranks[rank]
		o.Disp, o.Etype, o.Filetype = v.Disp, plain.Shorten(v.Etype.String()), plain.Shorten(v.Filetype.String())
	}
	s, err := r.ByteMap(ctx)
	if err != nil {
		return nil, err
	}
	a.Drawing, a.Words = s.Fragment()
	return a, nil
}
