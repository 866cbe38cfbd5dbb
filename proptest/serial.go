package proptest

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/proptest/gen"
)

// AtomicSerialisable runs a program of reads and writes at explicit offsets in bytes, and
// checks that some serial order of its accesses explains all reads and the final file: in
// atomic mode each access is indivisible. The program may have about ten accesses; see
// [gen.AtomicPrograms]. (CONS-ATOM-02, CONS-C5)
func AtomicSerialisable(mk Maker, p *gen.Program) error {
	t, err := play(mk, p, manner{})
	if err != nil {
		return explain(p, err)
	}
	h, seen, err := history(p, t)
	if err != nil {
		return err
	}
	ok, err := consistency.Explains(h, seen)
	if err == nil && !ok {
		err = unexplained(p, t, h, seen)
	}
	return explain(p, err)
}

// unexplained returns the error for an outcome that no serial order explains: it names
// one read if the rest is explained without it, else the file.
func unexplained(p *gen.Program, t *trace, h consistency.History, seen consistency.Outcome) error {
	for k := range p.Ops {
		for r := range p.Ranks {
			o := &p.Ops[k]
			if o.Do != gen.Read || !o.By(r) {
				continue
			}
			if ok, err := consistency.Explains(without(h, seen, r, varOf(k))); err != nil || !ok {
				continue
			}
			see := t.of(k, r)
			off, _ := o.Args(r)
			return fmt.Errorf("rank %d, operation %d, %s: no order of the accesses, each as a whole, explains the bytes read, and one explains all else\n  got\n%s  the file in the end\n%s",
				r, k, o.Call(), dump(off, see.read()), dump(0, t.stored))
		}
	}
	return fmt.Errorf("no order of the accesses, each as a whole, explains the file in the end and the bytes read\n  the file\n%s  read\n  %v", dump(0, t.stored), seen.Vars)
}

// without returns a history and its outcome without one read.
func without(h consistency.History, seen consistency.Outcome, rank int, name string) (consistency.History, consistency.Outcome) {
	h.Ranks = slices.Clone(h.Ranks)
	h.Ranks[rank] = slices.DeleteFunc(slices.Clone(h.Ranks[rank]), func(s consistency.Step) bool {
		return s.Do == consistency.DoRead && s.Name == name
	})
	seen.Vars = maps.Clone(seen.Vars)
	delete(seen.Vars, fmt.Sprintf("%d.%s", rank, name))
	return h, seen
}

// varOf returns the name of an operation's result in a history.
func varOf(op int) string { return fmt.Sprintf("k%d", op) }

// history converts a program and its trace to a history of package consistency.
func history(p *gen.Program, t *trace) (consistency.History, consistency.Outcome, error) {
	h := consistency.History{Ranks: make([][]consistency.Step, p.Ranks)}
	seen := consistency.Outcome{Vars: map[string]string{}, File: hex.EncodeToString(t.stored)}
	for r := range h.Ranks {
		steps := []consistency.Step{{Do: consistency.DoOpen, ID: 1}}
		for k := range p.Ops {
			o := &p.Ops[k]
			if !o.By(r) {
				continue
			}
			off, n := o.Args(r)
			switch {
			case o.Do == gen.Sync && o.Lacks == gen.Nothing:
				steps = append(steps, consistency.Step{Do: consistency.DoSync}, consistency.Step{Do: consistency.DoBarrier, ID: k + 1}, consistency.Step{Do: consistency.DoSync})
			case o.Do == gen.Atomic:
				steps = append(steps, consistency.Step{Do: consistency.DoAtomic, On: o.On})
			case o.Do == gen.Write && o.At == gen.Explicit && o.Form == gen.Blocking:
				data := make([]byte, n)
				bytewise.mark(data, r, k)
				steps = append(steps, consistency.Step{Do: consistency.DoWrite, Runs: []consistency.Run{{Off: off, Len: n}}, Data: data})
			case o.Do == gen.Read && o.At == gen.Explicit && o.Form == gen.Blocking:
				name := varOf(k)
				see := t.of(k, r)
				seen.Vars[fmt.Sprintf("%d.%s", r, name)] = hex.EncodeToString(see.read())
				steps = append(steps, consistency.Step{Do: consistency.DoRead, Runs: []consistency.Run{{Off: off, Len: n}}, Name: name})
			default:
				return h, seen, fmt.Errorf("no history is made of %v", o)
			}
		}
		h.Ranks[r] = append(steps, consistency.Step{Do: consistency.DoClose})
	}
	return h, seen, nil
}
