package script

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
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
		switch dice.IntN(12) {
		case 0, 1:
			fmt.Fprintf(&b, "all:\n sync %s\n", h)
		case 2:
			b.WriteString("all:\n barrier\n")
		case 3:
			from := dice.IntN(ranks)
			to := (from + 1 + dice.IntN(ranks-1)) % ranks
			fmt.Fprintf(&b, "%d:\n send %d %d byte 1\n%d:\n recv %d %d byte*1 -> m%d\n", from, to, n, to, from, n, n)
		case 4:
			fmt.Fprintf(&b, "all:\n set_size %s %d\n", h, 20+n) // none leaves the size as it is
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

// TestLITX2SmallProgramsAgainstAllowed holds the race detector and the outcomes
// of random programs against the rules themselves: what they leave undefined has
// raced, in the weakest model at least, where no write is seen early; and without
// a race every schedule and model gives the same, which they allow.
func TestLITX2SmallProgramsAgainstAllowed(t *testing.T) {
	for seed := range uint64(300) {
		text := smallProgram(rand.New(rand.NewPCG(seed, 6)))
		s, err := Parse(text)
		require.NoError(t, err, text)
		raced := false
		var outcome string
		for i := range uint64(8) {
			o := Options{Seed: i}
			if i > 3 {
				o.Model = consistency.Chaos(i)
			}
			x := newCollector(s, o)
			r, err := newRun(s, x.files()...)
			require.NoError(t, err)
			x.ended(world.Run(t.Context(), s.Ranks, r.body, world.Seed(i)))
			x.harvest(r)
			require.Nil(t, x.report.Deadlock, text)
			require.NoError(t, x.report.Err, text)
			if len(x.report.Failures) > 0 {
				break // a request was under way where none may be
			}
			raced = raced || len(x.races) > 0
			assert.True(t, raced || !leftOpen(t, r), "seed %d: a race is missed:\n%s", seed, text)
			if raced || strings.Contains(text, "atomic") {
				continue
			}
			seen, err := x.seen(r, "", 1)
			require.NoError(t, err)
			assert.True(t, !seen.Judged || seen.Allowed, "seed %d: no race, but not allowed: %s\n%s", seed, seen.text, text)
			if outcome == "" {
				outcome = seen.text
			}
			assert.Equal(t, outcome, seen.text, "seed %d: no race, but two outcomes:\n%s", seed, text)
		}
	}
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
