package course

import (
	"fmt"
	"strings"
)

// share returns the items, of n, that belong to a rank: lo to hi-1.
func share(n, rank, ranks int) (lo, hi int) { return n * rank / ranks, n * (rank + 1) / ranks }

// restarts returns cases of writers and readers.
func restarts(pairs [][2]int, sizes ...int) (all []Case) {
	for _, p := range pairs {
		for _, n := range sizes {
			all = append(all, Case{Ranks: p[0], N: n, More: []string{fmt.Sprint("-readers=", p[1])}})
		}
	}
	return all
}

// readers returns the number of ranks that restart.
func (c Case) readers() int { return c.flag("readers") }

var filePerProcess = &task{
	worlds: 2,
	cases:  append(restarts([][2]int{{4, 3}, {3, 4}, {5, 1}, {2, 2}}, 14, 12), restarts([][2]int{{5, 4}, {1, 3}}, 3)...),
	files: func(c Case) map[string][]byte {
		all := map[string][]byte{}
		for w := range c.Ranks {
			lo, hi := share(c.N, w, c.Ranks)
			all[fmt.Sprint("part.", w)] = ints(upTo(hi-lo, func(i int) int32 { return int32((lo + i) * (lo + i)) })...)
		}
		return all
	},
	output: func(c Case) string {
		var b strings.Builder
		for r := range c.readers() {
			lo, hi := share(c.N, r, c.readers())
			fmt.Fprintln(&b, "rank", r, "has", upTo(hi-lo, func(i int) int32 { return c.read(int32((lo + i) * (lo + i))) }))
		}
		return b.String()
	},
	owner: func(_ Case, file string, _ int) int {
		rank := anyRank
		_, _ = fmt.Sscanf(file, "part.%d", &rank)
		return rank
	},
	altered: func() Case { return Case{Ranks: 4, N: 14, More: []string{"-readers=3"}, altered: "part.*"} },
	reads: func(c Case, rank int, file string) int {
		writer := 0
		if _, err := fmt.Sscanf(file, "part.%d", &writer); err != nil || rank >= c.readers() {
			return 0
		}
		lo, hi := share(c.N, rank, c.readers())
		from, to := share(c.N, writer, c.Ranks)
		return max(0, 4*(min(hi, to)-max(lo, from)))
	},
	hints: map[string]string{
		KindOutput:   "Look for the numbers lo to hi-1 in the file of each writer: writer w has numbers n*w/writers to n*(w+1)/writers - 1. Without a view, offsets count bytes.",
		kindMismatch: "One collective open is one file: to open different files, each rank passes c.Self().",
		kindError:    "Open only files that exist: there is one for each writer.",
	},
}

var headerBody = &task{
	cases: append(each([]int{3, 2, 4}, 12, 5), Case{Ranks: 1, N: 12}, Case{Ranks: 2, N: 20}),
	files: func(c Case) map[string][]byte {
		return map[string][]byte{"table": append(fmt.Appendf(nil, "%-15d\n", c.N*c.Ranks), ints(count(c.N*c.Ranks)...)...)}
	},
	everyone: true,
	hints: map[string]string{
		kindRace:     "One rank writes the header; the body begins behind it for all ranks.",
		kindMismatch: "SetView is collective: all ranks call it.",
		kindDeadlock: "SetView is collective: all ranks call it.",
		KindBytes:    "The header takes 16 bytes and says how many numbers all ranks have together. The displacement of the view counts bytes, and leaves the header out of the body.",
		ruleWritten:  "The displacement already skips the header: offset 0 is the first number.",
	},
}

var ghostCells = &task{
	cases: each([]int{2, 1, 3, 4}, 6, 7),
	files: func(c Case) map[string][]byte {
		return map[string][]byte{"grid": ints(count(c.N * c.N)...)}
	},
	everyone: true, collective: true,
	gathered: func(c Case, rank int) int {
		lo, hi := share(c.N, rank, c.Ranks)
		if hi-lo < 2 {
			return 0 // one row has no gaps
		}
		return 4 * c.N * (hi - lo)
	},
	inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
		if did := r.traffic("grid"); did.Writes.Count > int64(r.Ranks) {
			wrong(KindRequests, "describe the inside of the memory by a datatype", "%d ranks made %d writes; one each is enough", r.Ranks, did.Writes.Count)
		}
	},
	hints: map[string]string{
		KindBytes: "The memory has rows+2 rows of n+2 cells; the inside begins in row 1 and column 1.",
		kindRace:  "Each rank writes its own rows, and no ghost cells.",
	},
}

// generation computes the next generation of an n by n field of Life without edges.
func generation(cells []byte, n int) []byte {
	next := make([]byte, len(cells))
	for i := range cells {
		alive := 0
		for d := range 9 {
			if d != 4 {
				alive += int(cells[(i/n+d/3-1+n)%n*n+(i%n+d%3-1+n)%n])
			}
		}
		if alive == 3 || alive == 2 && cells[i] == 1 {
			next[i] = 1
		}
	}
	return next
}

var life = &task{
	worlds: 2,
	cases:  restarts([][2]int{{4, 3}, {2, 5}, {1, 2}, {3, 1}}, 7, 12),
	files: func(c Case) map[string][]byte {
		field := make([]byte, c.N*c.N)
		for i := range field {
			field[i] = byte(i % 11 % 2)
			if c.altered != "" {
				field[i] ^= 1
			}
		}
		return map[string][]byte{"life": append(ints(c.read(42)+1), generation(field, c.N)...)}
	},
	owner: func(c Case, _ string, at int) int {
		for rank := range c.readers() {
			if lo, hi := share(c.N, rank, c.readers()); lo*c.N <= at-4 && at-4 < hi*c.N {
				return rank
			}
		}
		return anyRank // the generation
	},
	altered: func() Case { return Case{Ranks: 4, N: 7, More: []string{"-readers=3"}, altered: "life"} },
	reads: func(c Case, rank int, _ string) int {
		if rank >= c.readers() {
			return 0
		}
		return c.N / c.readers() * c.N // whole rows, in parts as equal as possible
	},
	hints: map[string]string{
		KindBytes:    "Row i of the field begins at byte 4 + i*n, whichever rank writes or reads it; the generation is in the first 4 bytes.",
		kindRace:     "Each byte of the checkpoint is written by one rank: the generation by one of them, no ghost cells.",
		kindReadRace: "Put a barrier between reading the checkpoint and writing the next one: some rank may still read.",
		"IO-DA-03":   "A rank reads its own rows; ghost rows come from its neighbours by messages.",
		kindLeak:     "Close the file: only then the written bytes are there for the restart.",
	},
}
