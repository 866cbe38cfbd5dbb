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
	worlds: 2,
	cases:  append(restarts([][2]int{{2, 3}, {1, 2}, {3, 1}, {4, 4}}, 6, 7), restarts([][2]int{{2, 5}}, 5)...),
	files: func(c Case) map[string][]byte {
		return map[string][]byte{"grid": ints(count(c.N * c.N)...)}
	},
	output: func(c Case) string {
		var b strings.Builder
		for rank := range c.readers() {
			fmt.Fprintln(&b, "rank", rank, "has", c.columns(rank))
		}
		return b.String()
	},
	explain: func(r *ran, got, want string) string {
		for rank := range r.readers() {
			lo, hi := share(r.N, rank, r.readers())
			has := func(cell func(i, j int) int32) bool {
				return got == fmt.Sprintln("rank", rank, "has", upTo(r.N*(hi-lo+2), func(i int) int32 { return cell(i/(hi-lo+2), i%(hi-lo+2)-1) }))
			}
			own := func(i, j int) bool { return 0 <= j && j < hi-lo }
			switch {
			case has(func(i, j int) int32 {
				if !own(i, j) {
					return -1
				}
				return int32(i*r.N + lo + j)
			}):
				return "The columns are right, and the ghost cells beside them are not filled: the tile and the memory type have them, too, where the grid has a neighbour."
			case has(func(i, j int) int32 {
				if k := i*(hi-lo) + j; own(i, j) {
					return int32(lo*r.N + k)
				}
				return -1
			}):
				return "These are rows, as the writers had them. A reader has columns: each row of the file has a piece for it."
			case lo == 0 && has(func(i, j int) int32 {
				if j == hi-lo || r.readers() == 1 && j >= hi-lo-1 {
					return -1
				}
				return int32(i*r.N + j + 1)
			}):
				return "The cells are one place too far to the left: rank 0 has no neighbour on its left, and its own columns begin behind the ghost cells."
			}
		}
		return "Row i of the memory has the cells of row i of the grid: its first is a ghost cell, or -1 on rank 0, then come the columns lo to hi-1, then a ghost cell, or -1 on the last rank."
	},
	altered: func() Case { return Case{Ranks: 2, N: 6, More: []string{"-readers=3"}, altered: "grid"} },
	reads: func(c Case, rank int, _ string) int {
		if rank >= c.readers() {
			return 0
		}
		lo, hi := share(c.N, rank, c.readers())
		return 4 * c.N * (hi - lo) // ghost cells may come from the neighbours
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
		did := r.traffic("grid")
		if did.Writes.Count > int64(r.Ranks) {
			wrong(KindRequests, "describe the inside of the memory by a datatype", "%d ranks made %d writes; one each is enough", r.Ranks, did.Writes.Count)
		}
		if did.Reads.Count > int64(r.readers()) {
			wrong(KindRequests, "describe the columns by a subarray of the grid, and their places in memory by another", "%d ranks made %d reads; one each is enough", r.readers(), did.Reads.Count)
		}
	},
	hints: map[string]string{
		KindBytes:   "The memory has rows+2 rows of n+2 cells; the inside begins in row 1 and column 1.",
		kindRace:    "Each rank writes its own rows, and no ghost cells.",
		"DT-SUB-02": "A subarray lies inside the grid: the first rank has no neighbour on its left, the last has none on its right.",
	},
}

// columns returns the memory of a reader: columns of the grid between ghost cells, which are -1
// outside of it.
func (c Case) columns(rank int) []int32 {
	lo, hi := share(c.N, rank, c.readers())
	return upTo(c.N*(hi-lo+2), func(k int) int32 {
		i, j := k/(hi-lo+2), lo-1+k%(hi-lo+2)
		if j < 0 || j >= c.N {
			return -1
		}
		return c.read(int32(i*c.N + j))
	})
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
