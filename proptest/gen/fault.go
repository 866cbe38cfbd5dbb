package gen

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/commworld/commworld/iofile/faults"
)

// FaultPrograms draws programs whose files fail by one rule or two. Every rank reads and
// writes bytes [Rank*Reach, (Rank+1)*Reach) only, at explicit offsets or by an individual
// pointer, which is at the first of these bytes after each open. If Use allows them,
// programs have collective, nonblocking and split accesses and individual pointers.
func FaultPrograms(l Limits) *rapid.Generator[*Program] {
	l.Use &= Collectives | IndividualPointers | NonblockingAccesses | SplitAccesses
	menu := []Do{Write, Read, Sync, Write, Read, Reopen}
	most := max(1, l.Ops)
	return rapid.Custom(func(t *rapid.T) *Program {
		p := &Program{Ranks: Ranks(l.Ranks).Draw(t, "ranks"), Reach: int64(16 + 8*most)}
		wide := rapid.IntRange(0, 3).Draw(t, "wide") == 3 // more than small caches and buffers have
		if wide {
			p.Reach = wideReach
		}
		op := rapid.Custom(func(t *rapid.T) Op {
			m := maker{T: t, Limits: l, ranks: p.Ranks}
			o := Op{Do: menu[m.int("what", len(menu)-1)], All: true}
			if !o.isAccess() {
				return o
			}
			o = m.access(Op{Do: o.Do})
			if wide && o.At == Explicit {
				o.Off = m.int64("block", wideReach/wideBlock-2) * wideBlock
				o.N += m.int64("long", 1) * wideBlock
			}
			switch {
			case o.At != Explicit:
			case o.All:
				o.Step = p.Reach
			default:
				o.Off += int64(o.Rank) * p.Reach
			}
			return o
		})
		p.Ops = rapid.SliceOfN(op, 1, most).Draw(t, "ops")
		if wide {
			p.Ops = append(manyBlocks(t, p.Ranks), p.Ops...)
		}
		p.Faults = rapid.SliceOfN(Faults(p.Ranks, true), 1, 2).Draw(t, "faults")
		if rule, ok := p.aim(t); ok {
			p.Faults = append(p.Faults[:len(p.Faults)-1], rule)
		}
		p.Seed = rapid.Uint64().Draw(t, "schedule")
		return p
	})
}

// wideReach is how many bytes each rank has to itself in some programs, and wideBlock is how
// far their offsets are apart.
const (
	wideReach = 8192
	wideBlock = 128
)

// manyBlocks draws writes of one rank to more blocks than a small cache has.
func manyBlocks(t *rapid.T, ranks int) (ops []Op) {
	rank := rapid.IntRange(0, ranks-1).Draw(t, "writer")
	for i := range rapid.Int64Range(6, 14).Draw(t, "blocks") {
		ops = append(ops, Op{Do: Write, Rank: rank, Off: int64(rank)*wideReach + i*wideBlock, N: wideBlock})
	}
	return ops
}

// aim usually draws an access of the program, and a rule that makes it fail.
func (p *Program) aim(t *rapid.T) (rule faults.Rule, ok bool) {
	k := rapid.IntRange(-len(p.Ops)/3, len(p.Ops)-1).Draw(t, "aim")
	if k < 0 || !p.Ops[k].isAccess() {
		return rule, false
	}
	rank := p.Ops[k].Rank
	if p.Ops[k].All {
		rank = rapid.IntRange(0, p.Ranks-1).Draw(t, "rank")
	}
	call := 0
	for i := range p.Ops[:k+1] {
		if o := &p.Ops[i]; o.isAccess() && o.By(rank) {
			call++
		}
	}
	end := rapid.SampledFrom([]string{"error=io", "error=nospace"}).Draw(t, "end")
	return faults.Must(fmt.Sprintf("%s %s rank=%d call=%d", faults.Call, end, rank, call))[0], true
}

// Faults draws one rule that makes files fail, at a moment of one rank or of all. Rules
// with kill end the world; they are drawn only if asked for.
func Faults(ranks int, kill bool) *rapid.Generator[faults.Rule] {
	return rapid.Custom(func(t *rapid.T) faults.Rule {
		ends := []string{"error=io", "error=nospace", "error=quota"}
		op := rapid.SampledFrom([]faults.Op{faults.Write, faults.Call, faults.Read, faults.Sync, faults.Open, faults.Close}).Draw(t, "op")
		if op == faults.Write || op == faults.Read {
			n := rapid.IntRange(1, 9).Draw(t, "bytes")
			ends = append(ends, fmt.Sprintf("torn=%d", n), fmt.Sprintf("short=%d", n), fmt.Sprintf("error=nospace after=%d", n))
		}
		if kill && op != faults.Call {
			ends = append(ends, "kill")
		}
		text := string(op) + " " + rapid.SampledFrom(ends).Draw(t, "end")
		if rank := rapid.IntRange(0, ranks).Draw(t, "rank"); rank < ranks {
			text += fmt.Sprintf(" rank=%d", rank)
		}
		text += fmt.Sprintf(" call=%d", rapid.IntRange(1, 4).Draw(t, "call"))
		return faults.Must(text)[0]
	})
}
