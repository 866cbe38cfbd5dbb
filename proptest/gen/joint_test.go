package gen_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/types"
)

// accesses returns the accesses of p.
func accesses(p *gen.Program) (all []gen.Op) {
	for _, o := range p.Ops {
		if o.Do == gen.Write || o.Do == gen.Read {
			all = append(all, o)
		}
	}
	return all
}

// TestSmallerByJointMoves: if it fails, the smallest program that a report shows has large
// offsets, ranks or lengths that its failure does not need.
func TestSmallerByJointMoves(t *testing.T) {
	apart := func(p *gen.Program) bool { // two accesses of different ranks, 128 bytes apart
		for _, a := range accesses(p) {
			for _, b := range accesses(p) {
				if b.Off-a.Off == 128 && a.Rank != b.Rank {
					return true
				}
			}
		}
		return false
	}
	for _, c := range []struct {
		name, from, want string
		fails            func(*gen.Program) bool
	}{
		{
			"a far base that is not needed",
			`ranks 2, schedule random:0, far 2147483646
				0: write_at at 2147483650 n 4
				1: read_at at 2147483778 n 4`,
			"ranks 2, schedule random:0\n   0  0: write_at at 0 n 0\n   1  1: read_at at 128 n 0\n", apart,
		},
		{
			"a far base that is needed, but a smaller one",
			`ranks 1, schedule random:0, far 1099511627770
				0: write_at at 1099511627776 n 4`,
			"ranks 1, schedule random:0, far 2147483648\n   0  0: write_at at 2147483648 n 0\n",
			func(p *gen.Program) bool { return accesses(p)[0].Off >= 1<<31 },
		},
		{
			"an offset that all accesses have in common",
			`ranks 2, schedule random:0
				0: write_at at 4096 n 4
				1: write_at at 4224 n 1`,
			"ranks 2, schedule random:0\n   0  0: write_at at 0 n 0\n   1  1: write_at at 128 n 0\n", apart,
		},
		{
			"a rank in the middle, under another schedule",
			`ranks 4, schedule random:9999
				1: write_at at 0 n 0
				3: write_at at 128 n 0`,
			"ranks 2, schedule random:3\n   0  0: write_at at 0 n 0\n   1  1: write_at at 128 n 0\n",
			func(p *gen.Program) bool { return apart(p) && (p.Seed == 9999 && p.Ranks == 4 || p.Seed == 3) },
		},
		{
			"a far offset in etypes that is not needed",
			`ranks 1, schedule random:0, far 2147483640
				all: view 0 int int native
				0: write_at at 536870912 n 1`,
			"ranks 1, schedule random:0\n   0  all: view 0 int int native\n   1  0: write_at at 0 n 0\n",
			func(p *gen.Program) bool { return p.Ops[0].Do == gen.SetView && p.Ops[0].Views[0].Etype == types.Int },
		},
		{
			"the last byte of a long access",
			"ranks 1, schedule random:0\n0: read_at at 2 n 63",
			"ranks 1, schedule random:0\n   0  0: read_at at 64 n 1\n",
			func(p *gen.Program) bool {
				o := accesses(p)[0]
				return o.Off <= 64 && o.Off+o.N > 64
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := gen.MustParse(c.from)
			assert.True(t, c.fails(p))
			fails := func(q *gen.Program) bool { return len(accesses(q)) > 0 && c.fails(q) }
			assert.Equal(t, c.want, gen.Smaller(p, fails, 1000).String())
		})
	}
}
