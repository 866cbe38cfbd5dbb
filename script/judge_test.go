package script

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/world"
)

// smallProgram draws a program of accesses to one file, with and without what
// makes it right.
func smallProgram(dice *rand.Rand) string {
	var b strings.Builder
	ranks := 2 + dice.IntN(2)
	fmt.Fprintf(&b, "ranks %d\n", ranks)
	if dice.IntN(2) == 0 {
		b.WriteString("file f = 09*8\n")
	}
	b.WriteString("all:\n open h f rdwr|create\n")
	handles := []string{"h"}
	if dice.IntN(4) == 0 {
		b.WriteString(" open g f rdwr|create\n")
		handles = append(handles, "g")
	}
	views := dice.IntN(3)
	if views == 1 {
		b.WriteString(" view h 0 byte vector(2,1,2,byte) native\n")
	}
	if dice.IntN(5) == 0 {
		b.WriteString(" atomic h on\n")
	}
	n := 0
	under := make([][]string, ranks)
	for range 2 + dice.IntN(6) {
		h := handles[dice.IntN(len(handles))]
		switch dice.IntN(17) {
		case 0, 1:
			fmt.Fprintf(&b, "all:\n sync %s\n", h)
		case 2:
			b.WriteString("all:\n barrier\n")
		case 3:
			from := dice.IntN(ranks)
			to := (from + 1 + dice.IntN(ranks-1)) % ranks
			fmt.Fprintf(&b, "%d:\n send %d %d byte 1\n%d:\n recv %d %d byte*1 -> m%d\n", from, to, n, to, from, n, n)
		case 4:
			fmt.Fprintf(&b, "all:\n %s %s %d\n", []string{"set_size", "preallocate"}[dice.IntN(2)], h, dice.IntN(12))
		case 5:
			fmt.Fprintf(&b, "%d:\n get_size %s -> v%d\n", dice.IntN(ranks), h, n)
		case 6:
			fmt.Fprintf(&b, "all:\n sync %s\n barrier\n sync %s\n", h, h)
		case 7:
			fmt.Fprintf(&b, "%d:\n write_at_all %s %d byte %d*2\n", 0, h, dice.IntN(4), n+1)
			for r := 1; r < ranks; r++ {
				fmt.Fprintf(&b, "%d:\n write_at_all %s %d byte %d\n", r, h, dice.IntN(6), n+1)
			}
		case 8:
			r := dice.IntN(ranks)
			q := fmt.Sprintf("r%d", n)
			if dice.IntN(2) == 0 {
				fmt.Fprintf(&b, "%d:\n iwrite_at %s %d byte %d*2 as %s\n", r, h, dice.IntN(4), n+1, q)
			} else {
				fmt.Fprintf(&b, "%d:\n iread_at %s %d byte*2 -> v%d as %s\n", r, h, dice.IntN(4), n, q)
			}
			under[r] = append(under[r], q)
		case 9:
			r := dice.IntN(ranks)
			if len(under[r]) > 0 {
				fmt.Fprintf(&b, "%d:\n waitall\n", r)
				under[r] = nil
			}
		case 10: // a rank alone, with what the others do before and after
			r := dice.IntN(ranks)
			fmt.Fprintf(&b, "%d:\n self open s%d f rdwr\n", r, n)
			if dice.IntN(2) == 0 {
				fmt.Fprintf(&b, " write_at s%d %d byte %d*2\n", n, dice.IntN(8), n+1)
			}
			if dice.IntN(3) == 0 {
				fmt.Fprintf(&b, " set_size s%d %d\n", n, dice.IntN(12))
			}
			if dice.IntN(2) == 0 {
				fmt.Fprintf(&b, " read_at s%d %d byte*2 -> w%d\n get_size s%d -> v%d\n", n, dice.IntN(8), n, n, n)
			}
			fmt.Fprintf(&b, " close s%d\n", n)
		case 11:
			fmt.Fprintf(&b, "all:\n atomic %s %s\n", h, []string{"on", "off"}[dice.IntN(2)])
		case 12:
			r := dice.IntN(ranks)
			q := fmt.Sprintf("r%d", n)
			fmt.Fprintf(&b, "all:\n iwrite_at_all %s %d byte %d*2 as %s\n%d:\n read_at %s %d byte*3 -> v%d\nall:\n wait %s\n",
				h, dice.IntN(4), n+1, q, r, h, dice.IntN(4), n, q)
		case 13:
			fmt.Fprintf(&b, "all:\n write_at_all_begin %s %d byte %d*2\n write_at_all_end %s\n", h, dice.IntN(4), n+1, h)
		default:
			r := dice.IntN(ranks)
			if dice.IntN(2) == 0 {
				fmt.Fprintf(&b, "%d:\n write_at %s %d byte %d*%d\n", r, h, dice.IntN(4), n+1, 1+dice.IntN(3))
			} else {
				fmt.Fprintf(&b, "%d:\n read_at %s %d byte*%d -> v%d\n", r, h, dice.IntN(4), 1+dice.IntN(3), n)
			}
		}
		n++
	}
	for r := range ranks {
		if len(under[r]) > 0 {
			fmt.Fprintf(&b, "%d:\n waitall\n", r)
		}
	}
	for _, h := range handles {
		fmt.Fprintf(&b, "all:\n close %s\n", h)
	}
	return b.String()
}

// ways are some of the ways in which one program may be run.
func ways(seed uint64) []Options {
	strategy := func(s iofile.Strategy) []iofile.OpenOption { return []iofile.OpenOption{iofile.WithStrategy(s)} }
	return []Options{
		{},
		{Seed: seed + 1},
		{Seed: seed + 2, Open: strategy(iofile.Sieve{ReadBuffer: 4, WriteBuffer: 4})},
		{Seed: seed + 3, Model: consistency.Session},
		{Seed: seed + 4, Model: consistency.Commit, Open: strategy(iofile.TwoPhase{Nodes: 1, Buffer: 2, Read: iofile.Enable, Write: iofile.Enable})},
		{Seed: seed + 5, Model: consistency.POSIX},
		{Seed: seed + 6, Model: consistency.POSIX, Open: strategy(iofile.List{Most: 1})},
		{Seed: seed + 7, Model: consistency.Chaos(seed)},
		{Seed: seed + 8, Model: consistency.Chaos(seed + 1), Open: strategy(iofile.TwoPhase{})},
		{Seed: seed + 9, Model: consistency.Chaos(seed + 2)},
	}
}

// TestLITX2SmallProgramsAgainstAllowed holds the race detector and the outcomes
// of random programs against the rules themselves, under every kind of model,
// schedule and strategy:
//
//   - whatever happens is one of the outcomes that they allow;
//   - without a race it is always the same one, but for atomic accesses;
//   - what they leave undefined has raced, under one schedule or model at least.
func TestLITX2SmallProgramsAgainstAllowed(t *testing.T) {
	judged, races, alone := 0, 0, 0
	for seed := range uint64(programs()) {
		text := smallProgram(rand.New(rand.NewPCG(seed, 6)))
		s, err := Parse(text)
		require.NoError(t, err, text)
		raced, open, failed := false, false, false
		for i, o := range ways(seed) {
			x := newCollector(s, o)
			r, err := x.run()
			require.NoError(t, err)
			x.ended(world.Run(t.Context(), s.Ranks, r.body, world.Seed(o.Seed)), "")
			x.harvest(r)
			require.Nil(t, x.report.Deadlock, text)
			require.NoError(t, x.report.Err, text)
			if failed = len(x.report.Failures) > 0; failed {
				break // a request was under way where none may be
			}
			raced = raced || len(x.races) > 0
			if i == 0 {
				// Whether a read meets a hole or the end of the file may depend on a
				// write behind it, of which one run shows the one or the other.
				open = leftOpen(t, r) && len(s.Files) > 0
			}
			seen, err := x.seen(r, "", 1)
			require.NoError(t, err)
			if seen.Judged {
				judged++
			}
			assert.True(t, !seen.Judged || seen.Allowed, "seed %d, %v %v: not allowed: %s\n%s", seed, o.Model, o.Open, seen.text, text)
			switch {
			case raced:
				races++
			case !strings.Contains(text, "atomic") && seen.Judged: // and so allowed
				alone++
				assert.Equal(t, 1, outcomes(t, r), "seed %d, %v: no race, but two outcomes:\n%s", seed, o.Model, text)
			}
		}
		assert.True(t, raced || failed || !open, "seed %d: a race is missed:\n%s", seed, text)
	}
	t.Log(judged, "judged,", races, "with races,", alone, "with one outcome")
	assert.NotZero(t, judged)
	assert.NotZero(t, races)
	assert.NotZero(t, alone)
}

// programs is how many random programs a test tries.
func programs() int {
	if testing.Short() {
		return 100
	}
	return 400
}

// outcomes is how many outcomes the rules allow a run. Bytes that nobody wrote
// may be anything, and are no outcomes of their own.
func outcomes(t *testing.T, r *run) int {
	all, err := r.histories()
	require.NoError(t, err)
	n := 1
	for _, h := range all {
		o, err := consistency.Allowed(h)
		require.NoError(t, err)
		n *= len(o)
	}
	return n
}

// leftOpen reports whether the rules leave something of a run undefined.
func leftOpen(t *testing.T, r *run) bool {
	all, err := r.histories()
	require.NoError(t, err)
	for _, h := range all {
		o, err := consistency.Allowed(h)
		require.NoError(t, err)
		if o.Undefined() {
			return true
		}
	}
	return false
}
