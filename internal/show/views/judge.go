package views

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/internal/view"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// judge sets the views in a world of so many ranks, first each on a file of its own and then
// all on one file, because package iofile alone decides which views are legal. It returns the
// lints about the views.
func (c *Request) judge(ctx context.Context, form Form, views []*rankView) ([]iofile.Lint, error) {
	alone, together := make([]error, len(views)), make([]error, len(views))
	body := func(_ context.Context, w *comm.Comm) error {
		fsys := iofile.NewMem()
		_, alone[w.Rank()] = c.set(w.Self(), fsys, form, views[w.Rank()])
		return fsys.Close()
	}
	opts := c.worldOptions(form)
	if err := world.Run(ctx, c.Ranks, body, opts...); err != nil {
		return nil, err
	}
	if err := c.refusalOf(alone, form, views); err != nil {
		return nil, err
	}
	var lints []iofile.Lint
	fsys := iofile.NewMem()
	body = func(_ context.Context, w *comm.Comm) error {
		all, err := c.set(w, fsys, form, views[w.Rank()])
		if together[w.Rank()] = err; w.Rank() == 0 {
			lints = all
		}
		return nil
	}
	if err := world.Run(ctx, c.Ranks, body, opts...); err != nil {
		return nil, err
	}
	if err := c.refusalOf(together[:1], form, views); err != nil {
		return nil, err
	}
	return lints, fsys.Close()
}

func (c *Request) worldOptions(form Form) []world.Option {
	return []world.Option{world.Arch(world.AllRanks, form.Arch)}
}

// set opens a file over w and sets a view. It returns the lints of all ranks.
func (c *Request) set(w *comm.Comm, fsys *iofile.FS, form Form, v *rankView) ([]iofile.Lint, error) {
	mode := iofile.ReadWrite
	f, err := iofile.Open(w, fsys, "file", iofile.Create|iofile.ReadWrite)
	if err == nil && c.ReadOnly {
		mode = iofile.ReadOnly
		if err = f.Close(); err == nil {
			f, err = iofile.Open(w, fsys, "file", mode)
		}
	}
	if err != nil {
		return nil, err
	}
	err = f.SetView(iofile.View{Disp: v.disp, Etype: v.etype, Filetype: v.filetype, Rep: form.Name()})
	err = errors.Join(err, f.Close())
	return f.Lints(), err
}

// refusalOf returns the errors of the views, nil if there are none: the first in full,
// further ranks by number.
func (c *Request) refusalOf(errs []error, form Form, views []*rankView) error {
	var bad []int
	for r, err := range errs {
		if err != nil {
			bad = append(bad, r)
		}
	}
	if bad == nil {
		return nil
	}
	v := views[bad[0]]
	var b strings.Builder
	fmt.Fprintf(&b, "  disp %d, etype %s, filetype %s, %v\n", v.disp, plain.Shorten(v.etype.String()), plain.Shorten(v.filetype.String()), form)
	refused := &Refused{Text: fmt.Sprintf("rank %d: %v", v.rank, Refusal("", errs[bad[0]]))}
	var e *types.Error
	if errors.As(errs[bad[0]], &e) {
		if e.Rule == "IO-VIEW-12" || e.Rule == "IO-VIEW-13" {
			refused.Field = "Disp"
			if c.Each == nil {
				b.WriteString(plain.Pointer(c.Disp, 1))
			}
		} else {
			refused.Field = "Filetype"
		}
	}
	var o *view.Violation
	if errors.As(errs[bad[0]], &o) {
		if p := o.Place(); p != nil {
			b.WriteString(offence{p}.String())
			refused.place = offence{p}.strip(refused.Text)
		}
	}
	switch len(bad) {
	case 1:
	case 2:
		fmt.Fprintf(&b, "The view of %s is wrong, too.\n", plain.Ranks(bad[1:]))
	default:
		fmt.Fprintf(&b, "The views of %s are wrong, too.\n", plain.Ranks(bad[1:]))
	}
	refused.Picture = b.String()
	return refused
}
