package proptest

import (
	"fmt"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/proptest/gen"
)

// compare holds what a rank's view shows against what it has to show, byte by
// byte of the file, and reports the first range of adjacent bytes that differ.
func (m *move) compare(p *gen.Program, want, got []byte, origin func(at int64) string) error {
	d := &Disagreement{
		Program: p, Op: m.op, Rank: m.rank,
		View: fmt.Sprintf("%d %v %v %s", m.v.disp, m.v.given.Etype, m.v.given.Filetype, m.v.given.Rep),
	}
	for i := range want {
		if i >= len(got) {
			d.What = fmt.Sprintf("there are %d bytes, want %d: byte %d of the file is the first that is not there", len(got), len(want), m.byteAt(int64(i)))
			return d
		}
		if at := m.byteAt(int64(i)); got[i] != want[i] && (d.Want == nil || at == d.Hi) {
			if d.Want == nil {
				d.Lo, d.Origin = at, origin(at)
			}
			d.Want, d.Got, d.Hi = append(d.Want, want[i]), append(d.Got, got[i]), at+1
		} else if d.Want != nil {
			break
		}
	}
	if d.Want == nil {
		return nil
	}
	d.What = fmt.Sprintf("bytes [%d, %d) of the file are wrong", d.Lo, d.Hi)
	return d
}

// writtenBy says who should have written a byte.
func writtenBy(p *gen.Program, op, rank int) func(int64) string {
	return func(at int64) string {
		return fmt.Sprintf("byte %d was written by rank %d in operation %d, %s", at, rank, op, p.Ops[op].Call())
	}
}

// unexplained tells of an outcome that no order of whole accesses explains: of
// one read if all would be well without it, else of the file.
func unexplained(p *gen.Program, t *trace, h consistency.History, seen consistency.Outcome) error {
	for k := range p.Ops {
		o := &p.Ops[k]
		name := fmt.Sprintf("k%d", k)
		if o.Do != gen.Read || len(h.Ranks) <= o.Rank {
			continue
		}
		if ok, err := consistency.Explains(without(h, o.Rank, name), dropped(seen, fmt.Sprintf("%d.%s", o.Rank, name))); err != nil || !ok {
			continue
		}
		see := t.of(k, o.Rank)
		off, _ := o.Args(o.Rank)
		return fmt.Errorf("rank %d, operation %d, %s: no order of the accesses, each as a whole, explains what was read, and one explains all else\n  got\n%s  the file in the end\n%s",
			o.Rank, k, o.Call(), dump(off, see.data[:see.moved]), dump(0, t.stored))
	}
	return fmt.Errorf("no order of the accesses, each as a whole, explains the file in the end and what was read\n  the file\n%s  read\n  %v", dump(0, t.stored), seen.Vars)
}

// without is a history less one read.
func without(h consistency.History, rank int, name string) consistency.History {
	ranks := append([][]consistency.Step{}, h.Ranks...)
	ranks[rank] = nil
	for _, s := range h.Ranks[rank] {
		if s.Do != consistency.DoRead || s.Name != name {
			ranks[rank] = append(ranks[rank], s)
		}
	}
	h.Ranks = ranks
	return h
}

// dropped is an outcome less one variable.
func dropped(o consistency.Outcome, name string) consistency.Outcome {
	vars := map[string]string{}
	for k, v := range o.Vars {
		if k != name {
			vars[k] = v
		}
	}
	o.Vars = vars
	return o
}
