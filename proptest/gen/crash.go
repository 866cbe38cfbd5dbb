package gen

import (
	"cmp"
	"fmt"
	"slices"

	"pgregory.net/rapid"
)

// A PowerCut is a moment at which the power of all storages goes: before call number Call of a
// storage, from 0, after the first rank has begun operation Op; -1 is the open before the
// first. If there are no so many calls, the power goes when all ranks have done all
// operations, before they close the file. After a cut the layer is restarted, and the
// program goes on behind the operations that some rank had begun.
type PowerCut struct {
	Op, Call int
}

// String returns the moment as a program text has it.
func (c PowerCut) String() string { return fmt.Sprintf("operation %d, call %d", c.Op, c.Call) }

func (p *Program) readCut(text string) error {
	var c PowerCut
	if _, err := fmt.Sscanf(text, "operation %d, call %d", &c.Op, &c.Call); err != nil || c.Op < -1 || c.Call < 0 {
		return fmt.Errorf("%q is not %q", text, "operation K, call N")
	}
	p.Cuts = append(p.Cuts, c)
	return nil
}

// crashReach bounds the offsets of programs with power cuts, because each byte has a set of
// values that it may have.
const crashReach = 1 << 14

// CrashPrograms draws programs with one power cut to three. They access explicit offsets,
// sync and, if Use allows it, reopen and have collective accesses.
func CrashPrograms(l Limits) *rapid.Generator[*Program] {
	l.Use &= Collectives | Reopening | Shapes | SyncAlls
	programs := Programs(l)
	return rapid.Custom(func(t *rapid.T) *Program {
		p := programs.Draw(t, "program")
		if rapid.IntRange(0, 2).Draw(t, "again and again") == 0 {
			p.Ops = rewrites(t, p.Ranks, max(1, l.Ops))
		}
		p.Ops = slices.DeleteFunc(p.Ops, func(o Op) bool {
			end := int64(0)
			for r := range p.Ranks {
				off, n := o.Args(r)
				end = max(end, off+n)
			}
			return o.isAccess() && end > crashReach
		})
		p.drawCuts(t)
		return p
	})
}

// drawCuts draws one power cut to three.
func (p *Program) drawCuts(t *rapid.T) {
	cut := rapid.Custom(func(t *rapid.T) PowerCut {
		return PowerCut{rapid.IntRange(-1, max(0, len(p.Ops)-1)).Draw(t, "operation"), rapid.IntRange(0, 9).Draw(t, "call")}
	})
	p.Cuts = rapid.SliceOfN(cut, 1, 3).Draw(t, "cuts")
	slices.SortStableFunc(p.Cuts, func(a, b PowerCut) int { return cmp.Compare(a.Op, b.Op) })
}

// rewrites draws a program that writes the same few bytes again and again, with a sync behind
// most writes: what comes back too often, or in another order, is then old.
func rewrites(t *rapid.T, ranks, most int) (ops []Op) {
	n := rapid.Int64Range(1, 9).Draw(t, "n")
	for len(ops) < most {
		ops = append(ops, Op{
			Do: Write, Rank: rapid.IntRange(0, ranks-1).Draw(t, "rank"),
			Off: n * rapid.Int64Range(0, 1).Draw(t, "piece"), N: n,
		})
		if rapid.IntRange(0, 3).Draw(t, "synced") > 0 {
			ops = append(ops, Op{Do: Sync, All: true})
		}
	}
	return ops[:rapid.IntRange(1, most).Draw(t, "operations")]
}

// deleteOps removes n operations. Power cuts in later ones stay in them.
func (p *Program) deleteOps(at, n int) {
	p.Ops = slices.Delete(p.Ops, at, at+n)
	for i := range p.Cuts {
		if c := &p.Cuts[i]; c.Op >= at+n {
			c.Op -= n
		} else if c.Op >= at {
			c.Op = at
		}
	}
}

// earlierCuts drops power cuts, and makes others come earlier.
func (s *shrinker) earlierCuts() (improved bool) {
	for i := len(s.best.Cuts) - 1; i >= 0 && len(s.best.Cuts) > 1; i-- {
		improved = s.try(func(p *Program) bool { p.Cuts = slices.Delete(p.Cuts, i, i+1); return true }) || improved
	}
	for i := range s.best.Cuts {
		for call := range s.best.Cuts[i].Call {
			if s.try(func(p *Program) bool { p.Cuts[i].Call = call; return true }) {
				improved = true
				break
			}
		}
	}
	return improved
}
