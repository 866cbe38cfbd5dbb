package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/commworld/commworld/types"
)

// viewCommand is the command line of view.
type viewCommand struct {
	Ranks    int    `required:"" placeholder:"N" help:"Number of ranks."`
	Disp     string `default:"0" placeholder:"EXPR" help:"Byte of the file where the view begins, ${default}."`
	Etype    string `required:"" placeholder:"T" help:"Elementary type, the unit of offsets."`
	Filetype string `placeholder:"T" help:"Type that is tiled over the file; without it, the etype."`
	Rep      string `default:"native" placeholder:"REP[@ARCH]" help:"Data representation, ${default}, and for native ones the architecture, lp64le."`
	Bytes    int64  `placeholder:"N" help:"Look at the first N bytes of the file; without it, at one extent from the smallest displacement on."`
	Width    int64  `placeholder:"COLUMNS" help:"Draw the file as rows of so many etypes, too."`
	Show     []int  `placeholder:"RANK" help:"Ranks to list and draw; without it, the first few."`
	ReadOnly bool   `help:"Views of a file opened for reading alone: they may show a byte twice."`
	SVG      string `name:"svg" placeholder:"FILE" help:"Write a drawing; - is standard output."`
	JSON     bool   `name:"json" help:"Print one JSON object."`
	Limit    int64  `placeholder:"N" help:"Most runs that are looked at for each rank; without it, 1,000,000 among all, and at most 100,000."`
}

// Help is what --help says between the summary and the flags.
func (*viewCommand) Help() string {
	return `In EXPR and in every integer of a T, r stands for the rank and n for the number
of ranks; + - * / % and parentheses compute, and / rounds towards 0.

  commworld view --ranks 4 --etype int --disp "r*4" --filetype "resized(int, 0, n*4)"
  commworld view --ranks 4 --etype int --width 8 --filetype "subarray([8,8],[4,4],[r/2*4,r%2*4],c,int)"
  commworld view --ranks 6 --etype double --rep external32 --svg views.svg --filetype "darray(n, r, [12,12], [cyclic,block], [2,dflt], [3,2], c, double)"

A strip shows the file a character a byte: the row "file" has the rank that sees
the byte, . for nobody (a gap), # for several (an overlap); the row of a rank has
the number of the etype that begins at the byte, - for its further bytes, . for a
hole. Larger parts are drawn smaller, and what is left out is said.

Notes say what is legal, but probably not meant: a filetype that is not made of its
etype BYTE, and copies of a filetype that overlap. A write of both is refused.

A view that breaks a rule of the standard is refused: error class, rule, rank, and
a picture of the filetype with ^ below the block in question.

--json prints {"ranks":[{"rank","disp","etype_extent","extent","runs":[[off,len],
...]}, ...],"overlaps":[{"bytes":[lo,hi],"ranks":[r, ...]}, ...],"gaps":[[lo,hi],
...]} for the bytes from 0 to --bytes: runs in the order of the view, bytes from lo
up to, not including, hi. A rank that shows a byte twice stands in "ranks" twice.
"notes":[{"ranks":[r, ...],"rule","text"}, ...] is there if there are notes.
Where --limit cut, the rank has "truncated":true, and "complete_to" is the byte up
to which overlaps and gaps are known.

The exit status is 0, or 2 if a view is wrong.`
}

// window is the part of the file that is looked at: bytes [0, end). Drawings
// begin at from, where no header stands in the way.
type window struct{ from, end int64 }

func (c *viewCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	form, err := parseForm(c.Rep)
	if err != nil {
		return 0, refusal("--rep ", err)
	}
	views, err := c.views(form, stderr)
	if err != nil {
		return 0, err
	}
	if views == nil {
		return exitUsage, nil
	}
	good, lints, err := c.judge(ctx, form, views, stderr)
	if err != nil || !good {
		return exitUsage, err
	}
	s := newScene(c, form, views)
	s.note(lints)
	if c.SVG != "" {
		if err := writeFile(c.SVG, stdout, s.svg); err != nil {
			return 0, err
		}
	}
	out := bufio.NewWriter(stdout)
	switch {
	case c.JSON:
		s.json(out)
	case c.SVG != "-":
		p := &sheet{scene: s, out: out, width: max(60, columns(stdout)), colours: colours(stdout)}
		p.write()
	}
	return 0, out.Flush()
}

func (c *viewCommand) check() error {
	switch {
	case c.Ranks < 1 || c.Ranks > mostRanks:
		return fmt.Errorf("--ranks %d: 1 to %d can be shown", c.Ranks, mostRanks)
	case c.Bytes < 0:
		return fmt.Errorf("--bytes %d is negative", c.Bytes)
	case c.Width < 0:
		return fmt.Errorf("--width %d is negative", c.Width)
	case c.Limit < 0:
		return fmt.Errorf("--limit %d is negative", c.Limit)
	case c.SVG == "-" && c.JSON:
		return errors.New("--svg - and --json both want standard output")
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

// A rankView is the view of one rank, laid out.
type rankView struct {
	rank            int
	disp            int64
	etype, filetype *types.Type
	sizes           types.Sizes
	unit            *types.Layout // of etype in the file
	tiles           types.Tiling  // of filetype in the file
	tangled         bool          // bytes are not in the order of the view
}

// views reads the expressions for every rank; nil views were wrong, and it has
// said how.
func (c *viewCommand) views(form fileForm, stderr io.Writer) ([]*rankView, error) {
	var all []*rankView
	for r := range c.Ranks {
		vars := map[string]int64{"r": int64(r), "n": int64(c.Ranks)}
		v := &rankView{rank: r, sizes: form.Sizes()}
		flag, text, err := "--disp", c.Disp, error(nil)
		if v.disp, err = types.EvalWith(c.Disp, vars); err == nil {
			flag, text = "--etype", c.Etype
			v.etype, err = types.ParseWith(c.Etype, vars)
		}
		if err == nil {
			flag, text = "--filetype", c.Filetype
			v.filetype, err = types.ParseWith(c.Filetype, vars)
		}
		if err == nil {
			flag, text = "--etype", c.Etype
			v.unit, err = v.etype.Layout(form.Sizes())
		}
		if err == nil {
			flag, text = "--filetype", c.Filetype
			v.tiles.L, err = v.filetype.Layout(form.Sizes())
		}
		if err != nil {
			fmt.Fprintf(stderr, "commworld: rank %d: %v\n", r, refusal(flag+" ", err))
			var s *types.SyntaxError
			if errors.As(err, &s) {
				fmt.Fprint(stderr, pointer(text, s.Column))
			}
			return nil, nil
		}
		v.tiles.Disp = v.disp
		all = append(all, v)
	}
	return all, nil
}

// refusal says what is wrong in few words: the cause, then class and rule.
func refusal(what string, err error) error {
	var e *types.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s%w", what, err)
	}
	cause := e.Err
	if cause == nil {
		cause = e.Class
	}
	return fmt.Errorf("%s%v (%s%s)", what, cause, e.Class.Name(), comma(e.Rule))
}
