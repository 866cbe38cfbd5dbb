package gen

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// An Effect is what an operation of the layer's own does to the file, as others see it.
type Effect uint8

// The effects.
const (
	ChangesNothing Effect = iota // all results stay as they are without it
	Syncs                        // it is sufficient between a write of one rank and a read of another
	Empties                      // after a Sync: the file has no bytes; pointers and views stay
)

var effects = [...]string{"changes nothing", "is a sync", "empties the file"}

// String returns the effect as a program text has it.
func (e Effect) String() string { return effects[e] }

// An OwnOp is an operation of the layer's own that programs may use.
type OwnOp struct {
	Name   string // one word
	Effect Effect
	Alone  bool // one rank calls it; otherwise all do
}

// OwnPrograms draws programs as [Programs] does, with the operations of l.Own between the
// others. Those that sync take the place of some syncs.
func OwnPrograms(l Limits) *rapid.Generator[*Program] {
	l.Use &^= TwoHandles | TwoFiles | NoConflict
	programs := Programs(l)
	return rapid.Custom(func(t *rapid.T) *Program {
		p := programs.Draw(t, "program")
		if len(l.Own) == 0 {
			return p
		}
		ops := l.around(t, p.Ranks)
		for k := 0; k <= len(p.Ops); k++ {
			if k < len(p.Ops) && p.Ops[k].isWholeSync() && rapid.Bool().Draw(t, "own sync") {
				if o, ok := l.draw(t, p.Ranks, func(o OwnOp) bool { return o.Effect == Syncs && !o.Alone }); ok {
					ops = append(ops, o)
					continue
				}
			}
			if rapid.IntRange(0, 4).Draw(t, "own") == 0 {
				o, _ := l.draw(t, p.Ranks, func(OwnOp) bool { return true })
				ops = append(ops, o)
			}
			if k < len(p.Ops) {
				ops = append(ops, p.Ops[k])
			}
		}
		p.Ops = ops
		p.removeIllegal()
		return p
	})
}

// around draws an operation of the layer's own behind two writes that may overlap, and before
// reads and a sync; often none.
func (l Limits) around(t *rapid.T, ranks int) []Op {
	int64n := func(name string, most int64) int64 { return rapid.Int64Range(0, most).Draw(t, name) }
	if l.Exact || ranks == 0 || rapid.Bool().Draw(t, "plain") {
		return nil
	}
	rank := func(name string) int { return rapid.IntRange(0, ranks-1).Draw(t, name) }
	a, off, n := rank("writer"), int64n("at", 6), 1+int64n("n", 7)
	own, _ := l.draw(t, ranks, func(OwnOp) bool { return true })
	ops := []Op{{Do: Write, Rank: a, Off: off, N: n}, {Do: Write, Rank: a, Off: off + int64n("part", n), N: n}, own}
	if rapid.Bool().Draw(t, "read at once") {
		ops = append(ops, Op{Do: Read, Rank: a, Off: off, N: 2*n + 1})
	}
	return append(ops, Op{Do: Sync, All: true}, Op{Do: Read, Rank: rank("reader"), Off: off, N: 2*n + 1})
}

func (o *Op) isWholeSync() bool { return o.Do == Sync && o.Lacks == Nothing }

// draw draws one of the layer's own operations that are fit, if there are any.
func (l Limits) draw(t *rapid.T, ranks int, fit func(OwnOp) bool) (o Op, ok bool) {
	own := slices.DeleteFunc(slices.Clone(l.Own), func(o OwnOp) bool { return !fit(o) })
	if len(own) == 0 {
		return o, false
	}
	x := own[rapid.IntRange(0, len(own)-1).Draw(t, "operation")]
	o = Op{Do: Own, All: !x.Alone, Name: x.Name, Effect: x.Effect}
	if x.Alone {
		o.Rank = rapid.IntRange(0, ranks-1).Draw(t, "rank")
	}
	return o, true
}

// readOwn reads "NAME, EFFECT".
func (o *Op) readOwn(rest string) error {
	name, effect, _ := strings.Cut(rest, ", ")
	i := slices.Index(effects[:], effect)
	if name == "" || i < 0 {
		return fmt.Errorf("want a name and one of %q", effects)
	}
	o.Do, o.Name, o.Effect = Own, name, Effect(i)
	return nil
}
