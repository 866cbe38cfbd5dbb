package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// judge has a world of so many ranks set the views, on files of their own and
// then on one together, so that what is legal is decided in one place, package
// iofile. It reports whether all are, and the lints about them; if not, it has said
// what is wrong.
func (c *viewCommand) judge(ctx context.Context, form fileForm, views []*rankView, stderr io.Writer) (bool, []iofile.Lint, error) {
	alone, together := make([]error, len(views)), make([]error, len(views))
	body := func(_ context.Context, w *comm.Comm) error {
		fsys := iofile.NewMem()
		_, alone[w.Rank()] = c.set(w.Self(), fsys, form, views[w.Rank()])
		return fsys.Close()
	}
	opts := c.worldOptions(form)
	if err := world.Run(ctx, c.Ranks, body, opts...); err != nil {
		return false, nil, err
	}
	if c.complain(alone, form, views, stderr) {
		return false, nil, nil
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
		return false, nil, err
	}
	bad := c.complain(together[:1], form, views, stderr)
	return !bad, lints, fsys.Close()
}

func (c *viewCommand) worldOptions(form fileForm) []world.Option {
	var opts []world.Option
	for r := range c.Ranks {
		opts = append(opts, world.Arch(r, form.arch))
	}
	return opts
}

// set opens a file over w and sets a view. It returns the lints of all ranks.
func (c *viewCommand) set(w *comm.Comm, fsys *iofile.FS, form fileForm, v *rankView) ([]iofile.Lint, error) {
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

// complain prints what is wrong with the views: the first in full, further
// ranks by number.
func (c *viewCommand) complain(errs []error, form fileForm, views []*rankView, stderr io.Writer) bool {
	var bad []int
	for r, err := range errs {
		if err != nil {
			bad = append(bad, r)
		}
	}
	if bad == nil {
		return false
	}
	v := views[bad[0]]
	fmt.Fprintf(stderr, "commworld: rank %d: %v\n", v.rank, refusal("", errs[bad[0]]))
	fmt.Fprintf(stderr, "  disp %d, etype %s, filetype %s, %v\n", v.disp, shorten(v.etype.String()), shorten(v.filetype.String()), form)
	var e *types.Error
	if errors.As(errs[bad[0]], &e) {
		if e.Rule == "IO-VIEW-12" || e.Rule == "IO-VIEW-13" {
			fmt.Fprint(stderr, pointer(c.Disp, 1))
		}
		fmt.Fprint(stderr, v.offence(e.Rule, e.Error()))
	}
	switch len(bad) {
	case 1:
	case 2:
		fmt.Fprintf(stderr, "The view of %s is wrong, too.\n", ranksText(bad[1:]))
	default:
		fmt.Fprintf(stderr, "The views of %s are wrong, too.\n", ranksText(bad[1:]))
	}
	return true
}

// shorten cuts the middle out of a long expression.
func shorten(s string) string {
	const longest = 48
	if len(s) <= longest {
		return s
	}
	return s[:longest-12] + "..." + s[len(s)-9:]
}

// ranksText names ranks in few words.
func ranksText(ranks []int) string {
	const most = 8
	words := []string{}
	for i := 0; i < len(ranks); {
		j := i
		for j+1 < len(ranks) && ranks[j+1] == ranks[j]+1 {
			j++
		}
		if len(words) == most {
			words = append(words, fmt.Sprintf("%d more", len(ranks)-i))
			break
		}
		switch j - i {
		case 0:
			words = append(words, fmt.Sprint(ranks[i]))
		case 1:
			words = append(words, fmt.Sprint(ranks[i]), fmt.Sprint(ranks[j]))
		default:
			words = append(words, fmt.Sprintf("%d to %d", ranks[i], ranks[j]))
		}
		i = j + 1
	}
	name := "rank "
	if len(ranks) > 1 {
		name = "ranks "
	}
	if n := len(words); n > 1 {
		return name + strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return name + words[0]
}
