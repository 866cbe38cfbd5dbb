package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/commworld/commworld/internal/show/export"
	"github.com/commworld/commworld/internal/show/views"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

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

// byteMap sets the views and finds which rank sees which bytes.
func (v *ViewRequest) byteMap(ctx context.Context) (*views.ByteMap, error) {
	switch {
	case v == nil:
		return nil, &fieldError{"view", errors.New("the request has no views")}
	case v.Ranks < 1 || v.Ranks > maxRanks:
		return nil, &fieldError{"ranks", fmt.Errorf("%d ranks: the page shows 1 to %d", v.Ranks, maxRanks)}
	case v.Width < 0:
		return nil, &fieldError{"width", fmt.Errorf("%d etypes a row: at least 0", v.Width)}
	case v.Bytes < 0:
		return nil, &fieldError{"bytes", fmt.Errorf("%d bytes: at least 0", v.Bytes)}
	}
	r := &views.Request{Ranks: v.Ranks, Disp: v.Disp, Etype: v.Etype, Filetype: v.Filetype, Rep: v.Rep, Bytes: v.Bytes, Width: v.Width, Limit: 10_000}
	return r.ByteMap(ctx)
}

// A viewAnswer is the drawing of views.
type viewAnswer struct {
	Drawing string            `json:"drawing"`
	Words   string            `json:"words"`
	Code    map[string]string `json:"code"` // by language
}

// view draws the views of all ranks.
func view(ctx context.Context, q *Request) (any, error) {
	s, err := q.View.byteMap(ctx)
	if err != nil {
		return nil, err
	}
	a := &viewAnswer{Code: q.View.code()}
	a.Drawing, a.Words = s.Fragment()
	return a, nil
}

// code returns programs that set the views: each can be compiled or run unchanged.
func (v *ViewRequest) code() map[string]string {
	var text strings.Builder
	fmt.Fprintf(&text, "ranks %d\nall:\n  open h f rdwr|create\n", v.Ranks)
	for r := range v.Ranks {
		vars := map[string]int64{"r": int64(r), "n": int64(v.Ranks)}
		disp, _ := types.EvalWith(v.Disp, vars) // the views have been set: nothing fails
		etype, _ := types.ParseWith(v.Etype, vars)
		filetype, _ := types.ParseWith(v.filetype(), vars)
		fmt.Fprintf(&text, "%d:\n  view h %d %v %v %s\n", r, disp, etype, filetype, v.rep())
	}
	text.WriteString("all:\n  close h\n")
	all := map[string]string{
		"a rank script": text.String(),
		"a command":     fmt.Sprintf("commworld view --ranks %d --disp %q --etype %q --filetype %q --rep %s", v.Ranks, v.Disp, v.Etype, v.filetype(), v.rep()),
		"Go":            fmt.Sprintf(goViews, v.Disp, v.Etype, v.filetype(), v.rep(), v.Ranks),
	}
	if s, err := script.Parse(text.String()); err == nil {
		if c, err := export.C(s, export.Options{Name: "views"}); err == nil { // an error means a type that C does not have
			all["C"] = c
		}
	}
	return all
}

// goViews is a Go program with places for the views and the number of ranks.
const goViews = `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// viewOf returns the view of one rank: r is the rank, n the number of ranks.
func viewOf(c *comm.Comm) (v iofile.View, err error) {
	vars := map[string]int64{"r": int64(c.Rank()), "n": int64(c.Size())}
	if v.Disp, err = types.EvalWith(%q, vars); err != nil {
		return v, err
	}
	if v.Etype, err = types.ParseWith(%q, vars); err != nil {
		return v, err
	}
	v.Filetype, err = types.ParseWith(%q, vars)
	v.Rep = %q
	return v, err
}

func main() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), %d, func(_ context.Context, c *comm.Comm) error {
		v, err := viewOf(c)
		if err != nil {
			return err
		}
		f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite|iofile.Create)
		if err != nil {
			return err
		}
		if err := f.SetView(v); err != nil {
			return err
		}
		return f.Close()
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`

func (v *ViewRequest) filetype() string {
	if v.Filetype == "" {
		return v.Etype
	}
	return v.Filetype
}

func (v *ViewRequest) rep() string {
	if v.Rep == "" {
		return "native"
	}
	form, _, _ := strings.Cut(v.Rep, "@") // programs run on this machine
	return form
}

// A preset is an example of views, with memory that moves through them.
type preset struct {
	Name   string      `json:"name"`
	View   ViewRequest `json:"view"`
	Memory TypeRequest `json:"memory"`
}

func presets(context.Context, *Request) (any, error) {
	all := []preset{
		{"round robin, an int each", ViewRequest{3, "r*4", "int", "resized(int, 0, n*4)", "native", 0, 48}, TypeRequest{Text: "int"}},
		{"rows of an 8 x 8 array", ViewRequest{4, "0", "int", "subarray([8,8], [2,8], [r*2,0], c, int)", "native", 8, 256}, TypeRequest{Text: "contiguous(16, int)", Width: 8}},
		{"columns of an 8 x 8 array", ViewRequest{4, "0", "int", "subarray([8,8], [8,2], [0,r*2], c, int)", "native", 8, 256}, TypeRequest{Text: "contiguous(16, int)", Width: 2}},
		{"tiles of an 8 x 8 array", ViewRequest{4, "0", "int", "subarray([8,8], [4,4], [r/2*4,r%2*4], c, int)", "native", 8, 256}, TypeRequest{Text: "contiguous(16, int)", Width: 4}},
		{"tiles whose memory has ghost cells around them", ViewRequest{4, "0", "int", "subarray([8,8], [4,4], [r/2*4,r%2*4], c, int)", "native", 8, 256}, TypeRequest{Text: "subarray([6,6], [4,4], [1,1], c, int)", Width: 6}},
		{"tiles that overlap: ghost cells, for reading", ViewRequest{4, "0", "int", "subarray([6,6], [4,4], [r/2*2,r%2*2], c, int)", "native", 6, 144}, TypeRequest{Text: "contiguous(16, int)", Width: 4}},
		{"block-cyclic, 2 x 2 ranks", ViewRequest{4, "0", "int", "darray(n, r, [8,8], [cyclic,cyclic], [2,2], [2,2], c, int)", "native", 8, 256}, TypeRequest{Text: "contiguous(16, int)", Width: 4}},
		{"a header of 16 bytes, then blocks", ViewRequest{3, "16 + r*8", "double", "resized(double, 0, n*8)", "native", 0, 88}, TypeRequest{Text: "double"}},
		{"records of an int and two doubles", ViewRequest{2, "r*20", "byte", "resized(contiguous(20, byte), 0, n*20)", "native", 0, 80}, TypeRequest{Text: "contiguous(20, byte)"}},
		{"external32: the same sizes everywhere", ViewRequest{2, "r*4", "long", "resized(long, 0, n*4)", "external32", 0, 32}, TypeRequest{Text: "long"}},
		{"a mistake: no resize, so views overlap", ViewRequest{2, "r*4", "int", "contiguous(2, int)", "native", 0, 24}, TypeRequest{Text: "contiguous(2, int)"}},
	}
	for i := range all {
		all[i].Memory.Ranks, all[i].Memory.Copies = all[i].View.Ranks, 1
	}
	return map[string]any{"presets": all}, nil
}
