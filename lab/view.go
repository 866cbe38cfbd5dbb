package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/commworld/commworld/internal/picture"
	"github.com/commworld/commworld/internal/plain"
	"github.com/commworld/commworld/internal/views"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// maxDrawnRanks bounds the views of a page.
const maxDrawnRanks = 64

// A ViewRequest is the views of all ranks of a file; in Disp and in every integer of the
// types, r is the rank and n the number of ranks.
type ViewRequest struct {
	Ranks    int    `json:"ranks"`
	Disp     string `json:"disp"`
	Etype    string `json:"etype"`
	Filetype string `json:"filetype"`
	Rep      string `json:"rep"`
	Width    int64  `json:"width"` // etypes of a row of the array; 0: no array
	Bytes    int64  `json:"bytes"` // to show; 0: one extent
}

// scene sets the views and finds who sees what.
func (v *ViewRequest) scene(ctx context.Context) (*views.Scene, error) {
	switch {
	case v == nil:
		return nil, &fieldError{"view", errors.New("the request has no views")}
	case v.Ranks < 1 || v.Ranks > maxDrawnRanks:
		return nil, &fieldError{"ranks", fmt.Errorf("%d ranks: the page shows 1 to %d", v.Ranks, maxDrawnRanks)}
	case v.Width < 0:
		return nil, &fieldError{"width", fmt.Errorf("%d etypes a row: at least 0", v.Width)}
	case v.Bytes < 0:
		return nil, &fieldError{"bytes", fmt.Errorf("%d bytes: at least 0", v.Bytes)}
	}
	r := &views.Request{Ranks: v.Ranks, Disp: v.Disp, Etype: v.Etype, Filetype: v.Filetype, Rep: v.Rep, Bytes: v.Bytes, Width: v.Width, Limit: 10_000}
	return r.Scene(ctx)
}

// A viewAnswer is the drawing of views.
type viewAnswer struct {
	Drawing string            `json:"drawing"`
	Words   string            `json:"words"`
	Code    map[string]string `json:"code"` // by language
}

// view draws the views of all ranks.
func view(ctx context.Context, q *Request) (any, error) {
	s, err := q.View.scene(ctx)
	if err != nil {
		return nil, err
	}
	a := &viewAnswer{Code: q.View.code()}
	a.Drawing, a.Words = s.Fragment()
	return a, nil
}

// code returns the views as a program would set them.
func (v *ViewRequest) code() map[string]string {
	var script strings.Builder
	fmt.Fprintf(&script, "ranks %d\nall:\n  open h f rdwr|create\n", v.Ranks)
	for r := range v.Ranks {
		vars := map[string]int64{"r": int64(r), "n": int64(v.Ranks)}
		disp, _ := types.EvalWith(v.Disp, vars) // the views have been set: nothing fails
		etype, _ := types.ParseWith(v.Etype, vars)
		filetype, _ := types.ParseWith(v.filetype(), vars)
		fmt.Fprintf(&script, "%d:\n  view h %d %v %v %s\n", r, disp, etype, filetype, v.Rep)
	}
	script.WriteString("all:\n  close h\n")
	golang := fmt.Sprintf(`vars := map[string]int64{"r": int64(c.Rank()), "n": int64(c.Size())}
disp, err := types.EvalWith(%q, vars)
etype, err := types.ParseWith(%q, vars)
filetype, err := types.ParseWith(%q, vars)
err = f.SetView(iofile.View{Disp: disp, Etype: etype, Filetype: filetype, Rep: %q})
`, v.Disp, v.Etype, v.filetype(), v.Rep)
	return map[string]string{
		"Go": golang, "a rank script": script.String(),
		"a command": fmt.Sprintf("commworld view --ranks %d --disp %q --etype %q --filetype %q --rep %s", v.Ranks, v.Disp, v.Etype, v.filetype(), v.Rep),
	}
}

func (v *ViewRequest) filetype() string {
	if v.Filetype == "" {
		return v.Etype
	}
	return v.Filetype
}

// A preset is views to begin with.
type preset struct {
	Name string      `json:"name"`
	View ViewRequest `json:"view"`
}

func presets(context.Context, *Request) (any, error) {
	return map[string]any{"presets": []preset{
		{"round robin, an int each", ViewRequest{3, "r*4", "int", "resized(int, 0, n*4)", "native", 0, 48}},
		{"rows of an 8 x 8 array", ViewRequest{4, "0", "int", "subarray([8,8], [2,8], [r*2,0], c, int)", "native", 8, 256}},
		{"columns of an 8 x 8 array", ViewRequest{4, "0", "int", "subarray([8,8], [8,2], [0,r*2], c, int)", "native", 8, 256}},
		{"tiles of an 8 x 8 array", ViewRequest{4, "0", "int", "subarray([8,8], [4,4], [r/2*4,r%2*4], c, int)", "native", 8, 256}},
		{"tiles that overlap: ghost cells, for reading", ViewRequest{4, "0", "int", "subarray([6,6], [4,4], [r/2*2,r%2*2], c, int)", "native", 6, 144}},
		{"block-cyclic, 2 x 2 ranks", ViewRequest{4, "0", "int", "darray(n, r, [8,8], [cyclic,cyclic], [2,2], [2,2], c, int)", "native", 8, 256}},
		{"a header of 16 bytes, then blocks", ViewRequest{3, "16 + r*8", "double", "resized(double, 0, n*8)", "native", 0, 88}},
		{"records of an int and two doubles", ViewRequest{2, "r*20", "byte", "resized(contiguous(20, byte), 0, n*20)", "native", 0, 80}},
		{"external32: the same sizes everywhere", ViewRequest{2, "r*4", "long", "resized(long, 0, n*4)", "external32", 0, 32}},
		{"a mistake: no resize, so views overlap", ViewRequest{2, "r*4", "int", "contiguous(2, int)", "native", 0, 24}},
	}}, nil
}

// A PlanRequest is one write call of all ranks.
type PlanRequest struct {
	Count  int64 `json:"count"`  // etypes that each rank writes
	Nodes  int   `json:"nodes"`  // aggregators of two-phase
	Buffer int64 `json:"buffer"` // bytes that an aggregator or a sieve moves at a time
}

// A planAnswer is what strategies ask of the file system.
type planAnswer struct {
	Plans []planOf `json:"plans"`
}

type planOf struct {
	Name       string `json:"name"`
	Text       string `json:"text"`
	Drawing    string `json:"drawing"`
	Words      string `json:"words"`
	Requests   int64  `json:"requests"`
	Bytes      int64  `json:"bytes"`
	Sent       int64  `json:"sent"`
	Useful     int64  `json:"useful"`
	Rounds     int64  `json:"rounds"`
	Collective bool   `json:"collective"`
}

const maxPlanned = 1 << 16 // etypes of all ranks

// plan compares strategies for one collective write through the views of a request.
func plan(ctx context.Context, q *Request) (any, error) {
	s, err := q.View.scene(ctx)
	if err != nil {
		return nil, err
	}
	p := q.Plan
	switch {
	case p == nil:
		return nil, &fieldError{"plan", errors.New("the request has no access to plan")}
	case p.Count < 1 || p.Count > maxPlanned/int64(q.View.Ranks):
		return nil, &fieldError{"count", fmt.Errorf("%d etypes: 1 to %d a rank are planned here", p.Count, maxPlanned/q.View.Ranks)}
	}
	var parts []iofile.Part
	for r := range q.View.Ranks {
		at, etype := s.Tiling(r)
		parts = append(parts, iofile.Part{At: at, N: p.Count * etype})
	}
	sieve := iofile.Sieve{ReadBuffer: p.Buffer, WriteBuffer: p.Buffer}
	a := &planAnswer{Plans: []planOf{}}
	for _, c := range []struct {
		name       string
		strategy   iofile.Strategy
		collective bool
	}{
		{"direct: each run of bytes is a request", iofile.Direct{}, false},
		{"sieving: each rank moves whole stretches", sieve, false},
		{"list: a request names many runs", iofile.List{}, false},
		{"two-phase: aggregators collect first", iofile.TwoPhase{Nodes: p.Nodes, Buffer: p.Buffer, Write: iofile.Enable, Sieve: sieve}, true},
	} {
		made, err := iofile.NewPlan(c.strategy, true, c.collective, parts)
		if err != nil {
			return nil, err
		}
		a.Plans = append(a.Plans, drawPlan(c.name, made, c.collective, q.View.Ranks))
	}
	return a, nil
}

// maxDrawnRequests bounds the drawing of a plan.
const maxDrawnRequests = 400

// drawPlan draws the requests of a plan: a row for each rank that makes any, and round.
func drawPlan(name string, p *iofile.Plan, collective bool, ranks int) planOf {
	n := p.Counts()
	o := planOf{
		Name: name, Requests: n.Reads + n.Writes, Bytes: n.ReadBytes + n.WriteBytes, Sent: n.Sent, Useful: n.Useful, Rounds: n.Rounds, Collective: collective,
	}
	o.Text = fmt.Sprintf("%s, %s moved for %s of data (%d %% useful)", plain.Count(o.Requests, "request"), plain.Count(o.Bytes, "byte"),
		plain.Count(o.Useful, "byte"), min(100, o.Useful*100/max(1, o.Bytes)))
	if o.Sent > 0 {
		o.Text += fmt.Sprintf("; %s sent between ranks in %s", plain.Count(o.Sent, "byte"), plain.Count(o.Rounds, "round"))
	}
	if n.Locks > 0 {
		o.Text += fmt.Sprintf("; %s of the file", plain.Count(n.Locks, "lock"))
	}
	d := &picture.Requests{Title: name}
	for i, r := range p.Requests {
		if i == maxDrawnRequests {
			o.Text += fmt.Sprintf("; the first %d are drawn", maxDrawnRequests)
			break
		}
		d.Boxes = append(d.Boxes, picture.Box{Rank: r.Rank, Round: r.Round, Lo: r.Off, Hi: r.Off + r.Len, Write: r.Write, Lock: r.Lock, Runs: r.Runs})
	}
	drawing := d.Draw()
	o.Drawing, o.Words = drawing.Fragment(), drawing.Description()
	return o
}
