package script

import (
	"errors"
	"fmt"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
)

// sound checks a script that a program may have built itself. It accepts what Parse could
// return; an error names the place.
func (s *Script) sound() error {
	switch {
	case s == nil:
		return errors.New("script: there is no script: it is nil")
	case s.Ranks < 1 || s.Ranks > MaxRanks:
		return fmt.Errorf("script: %d ranks: a script has 1 to %d", s.Ranks, MaxRanks)
	}
	if err := s.soundMachines(); err != nil {
		return err
	}
	for _, f := range s.Files {
		if err := soundStretches(f.Bytes); err != nil {
			return fmt.Errorf("script: file %q: %w", f.Name, err)
		}
	}
	p := &parser{s: s, line: &line{}, state: map[int]*names{}}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		p.block = b
		if !rising(b.Ranks, s.Ranks) {
			return fmt.Errorf("script: block %d has the ranks %v: they must rise, from 0 to %d", i, b.Ranks, s.Ranks-1)
		}
		for j, c := range b.Stmts {
			if err := p.soundStmt(c); err != nil {
				return fmt.Errorf("script: statement %d of block %d: %w", j, i, err)
			}
		}
	}
	for _, e := range s.Expect {
		for _, q := range slices.Concat(e.Outcomes...) {
			if err := errors.Join(soundValues(q.Values), soundStretches(q.Bytes)); err != nil {
				return fmt.Errorf("script: %v: %w", e, err)
			}
		}
	}
	if wrong := s.check(); wrong != nil {
		return fmt.Errorf("script: %w", wrong)
	}
	return nil
}

// rising reports whether ranks of a world of n are in order, each once.
func rising(ranks []int, n int) bool {
	for i, r := range ranks {
		if r < 0 || r >= n || i > 0 && r <= ranks[i-1] {
			return false
		}
	}
	return true
}

// soundStmt checks a statement of the current block, and adds the names that it defines.
func (p *parser) soundStmt(c *Stmt) error {
	if c == nil {
		return errors.New("it is nil")
	}
	f := forms[c.Routine]
	if f == nil {
		return fmt.Errorf("unknown statement %q", c.Routine)
	}
	if c.Self && c.Routine != "open" {
		return fmt.Errorf("%s: only open takes self", c.Routine)
	}
	for _, a := range f.args {
		if err := p.soundArg(c, a); err != nil {
			return fmt.Errorf("%s: %w", c.Routine, err)
		}
	}
	named := *c
	named.Line = max(c.Line, 1) // no statement defines a name on line 0
	p.declare(&named)
	if p.err != nil {
		return fmt.Errorf("%s: %w", c.Routine, errors.Unwrap(p.err))
	}
	return nil
}

func (p *parser) soundArg(c *Stmt, a *arg) error {
	switch a {
	case newHandle:
		return needed(c.Handle != "", "Handle")
	case handle:
		p.opened(c.Handle)
		return errors.Unwrap(p.err)
	case data:
		return soundData(c.Data)
	case want, amount:
		return soundWant(c.Want)
	case dataOrWant:
		if c.Want != nil {
			return errors.Join(soundWant(c.Want), needed(c.Into != "", "Into"), needed(c.Data == nil, "only one of Data and Want"))
		}
		return soundData(c.Data)
	case into, collected:
		return needed(c.Into != "", "Into")
	case as:
		return needed(c.As != "", "As")
	case req, reqs:
		if a == req && len(c.Reqs) != 1 {
			return fmt.Errorf("it waits for %d requests: Reqs needs one", len(c.Reqs))
		}
		p.started(c.Reqs...)
		return errors.Unwrap(p.err)
	case hints:
		for _, h := range c.Hints {
			if h.Key == "" || h.Value == "" {
				return fmt.Errorf("the hint %q is %q; it needs key and value", h.Key, h.Value)
			}
		}
	case reduceOp:
		if !slices.ContainsFunc(ops, func(o named[*comm.Op]) bool { return o.name == c.Op }) {
			return fmt.Errorf("unknown operation %q", c.Op)
		}
	}
	return nil
}

func needed(ok bool, what string) error {
	if !ok {
		return fmt.Errorf("it needs %s", what)
	}
	return nil
}

func soundData(d *Data) error {
	if d == nil || d.Type == nil {
		return errors.New("it needs Data with a datatype")
	}
	if err := soundType(d.Type); err != nil {
		return err
	}
	if err := soundValues(d.Values); err != nil {
		return err
	}
	n, err := d.items()
	if per := items(d.Type); err == nil && (per > 0 && n%per != 0 || per == 0 && n > 0) {
		return fmt.Errorf("%d values are not a whole number of %v, which has %d items", n, d.Type, per)
	}
	return err
}

func soundWant(w *Want) error {
	if w == nil || w.Type == nil {
		return errors.New("it needs Want with a datatype")
	}
	return soundType(w.Type)
}

// soundType returns an error if t is not a datatype that a script can use.
func soundType(t *types.Type) error {
	_, err := t.Layout(host)
	return err
}

func soundValues(all []Value) error {
	for _, v := range all {
		if v.Repeat < 0 || v.Repeat > maxItems {
			return fmt.Errorf("value %q %d times: 0 to %d times", v.Text, v.Repeat, int64(maxItems))
		}
	}
	return nil
}

func soundStretches(all []Stretch) error {
	left := int64(MaxMemory)
	for _, b := range all {
		if b.Repeat < 0 || b.Repeat > MaxMemory || b.Repeat*int64(len(b.Bytes)) > left {
			return fmt.Errorf("%d bytes %d times: at most %d bytes together", len(b.Bytes), b.Repeat, MaxMemory)
		}
		left -= b.Repeat * int64(len(b.Bytes))
	}
	return nil
}
