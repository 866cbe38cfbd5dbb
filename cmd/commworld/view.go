package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/commworld/commworld/internal/show/views"
)

// viewCommand is the command line of view.
type viewCommand struct {
	Ranks    int    `required:"" placeholder:"N" help:"Number of ranks."`
	Disp     string `default:"0" placeholder:"EXPR" help:"Byte of the file where the view begins, ${default}."`
	Etype    string `required:"" placeholder:"T" help:"Elementary type, the unit of offsets."`
	Filetype string `placeholder:"T" help:"Type that is tiled over the file; without it, the etype."`
	Rep      string `default:"native" placeholder:"REP[@ARCH]" help:"Data representation, ${default}, and for native ones the architecture, lp64le."`
	Markers  string `default:"sticky" enum:"sticky,weak" help:"Force of the bounds of resized types, subarrays and darrays in larger types: ${enum}. The standard's are sticky."`
	Bytes    int64  `placeholder:"N" help:"Show the first N bytes of the file; without it, one extent from the smallest displacement on."`
	Width    int64  `placeholder:"COLUMNS" help:"Also draw the file as rows of this many etypes."`
	Show     []int  `placeholder:"RANK" help:"Ranks to list and draw; without it, the first few."`
	ReadOnly bool   `help:"Views of a file opened read-only, which may show a byte twice."`
	SVG      string `type:"output" name:"svg" placeholder:"FILE" help:"Write a drawing, as PNG if FILE ends in .png; - is standard output."`
	JSON     bool   `name:"json" help:"Print one JSON object."`
	Limit    int64  `placeholder:"N" help:"Limit on the runs of each rank; without it, 1,000,000 for all ranks together, and at most 100,000 each."`
}

// Help returns the text of --help between the summary and the flags.
func (*viewCommand) Help() string {
	return `In EXPR and in every integer of a T, r means the rank and n the number
of ranks; + - * / % and parentheses compute, and / rounds towards 0.

  commworld view --ranks 4 --etype int --disp "r*4" --filetype "resized(int, 0, n*4)"
  commworld view --ranks 4 --etype int --width 8 --filetype "subarray([8,8],[4,4],[r/2*4,r%2*4],c,int)"
  commworld view --ranks 6 --etype double --rep external32 --svg views.svg --filetype "darray(n, r, [12,12], [cyclic,block], [2,dflt], [3,2], c, double)"

A strip shows one character for each byte of the file. The row "file" has the rank
that sees the byte, . for no rank (a gap), # for several (an overlap). The row of a
rank has the number of the etype that begins at the byte, - for its further bytes, .
for a hole. Larger parts are drawn smaller, with a note about omitted parts.

Notes list legal views that you probably did not mean: a filetype that is not made
of its etype BYTE, and copies of a filetype that overlap. A write call that covers
both copies is an error.

If a view breaks a rule of the standard, view prints the error class, the rule, the
rank, and a picture of the filetype with ^ below the block in question.

--json prints {"ranks":[{"rank","disp","etype_extent","extent","runs":[[off,len],
...]}, ...],"overlaps":[{"bytes":[lo,hi],"ranks":[r, ...]}, ...],"gaps":[[lo,hi],
...]} for the bytes from 0 to --bytes. Runs are in the order of the view; [lo,hi]
means the bytes from lo to hi-1. A rank whose view shows a byte twice is listed
twice in "ranks". If there are notes, "notes":[{"ranks":[r, ...],"rule","text"},
...] follows. If --limit cut the runs of a rank, it has "truncated":true, and the
lists of overlaps and gaps are complete up to byte "complete_to".

The exit status is 0, or 2 if a view is wrong.`
}

func (c *viewCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	if c.SVG == "-" && c.JSON {
		return 0, errors.New("--svg - and --json both want standard output")
	}
	r := &views.Request{
		Ranks: c.Ranks, Disp: c.Disp, Etype: c.Etype, Filetype: c.Filetype, Rep: c.Rep, Markers: c.Markers, Bytes: c.Bytes, Width: c.Width,
		Show: c.Show, ReadOnly: c.ReadOnly, Limit: c.Limit,
	}
	s, err := r.ByteMap(ctx)
	if refused := (*views.Refused)(nil); errors.As(err, &refused) {
		fmt.Fprintf(stderr, "commworld: %s\n%s", refused.Text, refused.Picture)
		if d := refused.Drawing(); d != nil && c.SVG != "" {
			return exitUsage, writeDrawing(c.SVG, stdout, d.SVG())
		}
		return exitUsage, nil
	}
	if err != nil {
		return 0, err
	}
	if c.SVG != "" {
		if err := writeDrawing(c.SVG, stdout, s.SVG()); err != nil {
			return 0, err
		}
	}
	switch {
	case c.JSON:
		return 0, s.JSON(stdout)
	case c.SVG != "-":
		return 0, s.Text(stdout, max(60, columns(stdout)), colours(stdout))
	}
	return 0, nil
}
