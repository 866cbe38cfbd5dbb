package course

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/world"
)

var transpose = &task{
	cases: append(each([]int{2, 3, 1, 4}, 5, 8), Case{Ranks: 5, N: 3}),
	files: func(c Case) map[string][]byte {
		cell := func(i int) int32 { return c.read(int32(i%c.N*c.N + i/c.N)) }
		return map[string][]byte{"a": ints(count(c.N * c.N)...), "b": ints(upTo(c.N*c.N, cell)...)}
	},
	everyone: true,
	altered:  func() Case { return Case{Ranks: 3, N: 5, altered: "a"} },
	reads: func(c Case, _ int, file string) int {
		if file != "a" {
			return 0
		}
		return 4 * (c.N / c.Ranks) * c.N // whole columns, in parts as equal as possible
	},
	hints: map[string]string{
		kindReadRace: "The ranks read what others have written: publish, order, fetch (lesson 17).",
		kindRace:     "Each rank writes its own rows, of a and of b.",
		"DT-SUB-02":  "With more ranks than columns some ranks have none: a vector may have empty blocks, a subarray may not be empty.",
		"IO-DA-18":   "The cells of the next row of the file begin one cell further in memory: that is the extent of the type.",
		KindBytes:    "The cells of one row of the file lie n apart in memory, and those of the next row begin one cell further.",
	},
}

var blockCyclic = &task{
	cases: append(each([]int{6, 4, 2, 1}, 12, 10), Case{Ranks: 6, N: 4}, Case{Ranks: 4, N: 17}),
	files: func(c Case) map[string][]byte {
		return map[string][]byte{"matrix": ints(count(c.N * c.N)...)}
	},
	owner: func(c Case, _ string, at int) int {
		const block = 3
		p, q := 1, 0
		for (p+1)*(p+1) <= c.Ranks {
			p++
		}
		for c.Ranks%p > 0 {
			p--
		}
		q = c.Ranks / p
		i, j := at/4/c.N, at/4%c.N
		return i/block%p*q + j/block%q
	},
	inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
		if did := r.traffic("matrix"); did.Writes.Count > int64(r.Ranks) {
			wrong(KindRequests, "describe all cells of a rank by one type", "%d ranks made %d writes; one each is enough", r.Ranks, did.Writes.Count)
		}
	},
	hints: map[string]string{
		KindBytes:   "Look at one rank's cells: commworld view --ranks 6 --etype int --width 12 --filetype \"darray(n, r, [12, 12], [cyclic, cyclic], [3, 3], [2, 3], c, int)\" --bytes 576",
		kindRace:    "The types of all ranks should cover each cell once.",
		kindError:   "Each dimension has a distribution, a block and a number of ranks: p for the rows, q for the columns.",
		ruleWritten: "The types of all ranks should cover each cell once.",
	},
}

var sparseRows = &task{
	cases: append(each([]int{4, 2, 5, 7}, 2, 3), Case{Ranks: 1, N: 2}),
	files: func(c Case) map[string][]byte {
		var all []int32
		for r := range c.Ranks {
			all = append(all, upTo((r*7+3)%5*c.N, func(i int) int32 { return int32(1000*r + i) })...)
		}
		return map[string][]byte{"values": ints(all...)}
	},
	owner: func(c Case, _ string, at int) int {
		for r := range c.Ranks {
			if at -= 4 * ((r*7 + 3) % 5 * c.N); at < 0 {
				return r
			}
		}
		return anyRank
	},
	collective: true,
	inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
		for _, w := range r.worlds() {
			if w.Report != nil && w.Report.Total().Count > 0 {
				wrong(KindRequests, "a prefix sum is one collective call: ExScan", "the ranks sent each other %d messages, one after the other", w.Report.Total().Count)
			}
		}
		ordered := func(w world.CareWrite) bool { return strings.Contains(w.Op, "Ordered") }
		if f := r.file("values"); r.Ranks > 1 && r.messages() == 0 && f != nil && !slices.ContainsFunc(f.Writes, ordered) {
			wrong(KindRequests, "let each rank contribute its number to one collective call: ExScan", "the ranks did not communicate: only a rank itself knows how many values it has")
		}
	},
	hints: map[string]string{
		kindRace:     "The values of a rank begin behind those of all ranks before it, and each has another number of them.",
		KindBytes:    "The values of a rank begin behind those of all ranks before it, and each has another number of them.",
		ruleWritten:  "The values of a rank begin behind those of all ranks before it. The prefix sum leaves out the rank's own, and offsets count numbers here.",
		kindMismatch: "A rank without values calls all the same, with none.",
		kindDeadlock: "A rank without values calls all the same, with none.",
	},
}

var deadlocks = &task{
	cases: append(each([]int{3, 2, 5}, 4, 1), Case{Ranks: 1, N: 4}),
	files: func(c Case) map[string][]byte {
		var all []int32
		for r := 1; r < c.Ranks; r++ {
			all = append(all, upTo(c.N, func(int) int32 { return int32(r - 1) })...)
		}
		return map[string][]byte{"ring": ints(all...)}
	},
	owner:      func(c Case, _ string, at int) int { return 1 + at/(4*c.N) },
	collective: true,
	inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
		if opens := r.traffic("ring").Opens; opens < int64(r.Ranks) {
			wrong(KindRequests, "open the file on all ranks; a rank without data writes none", "%d of %d ranks opened \"ring\": all take part in the collective write", opens, r.Ranks)
		}
		if sent, want := r.messages(), int64(4*r.N*r.Ranks); r.Ranks > 1 && sent < want {
			wrong(KindRequests, "let each rank send its numbers to the rank on the right", "the ranks sent %d bytes to each other; the numbers of all take %d", sent, want)
		}
	},
	source: bufferedSends,
	hints: map[string]string{
		KindBytes:    "A rank writes what it got from its left neighbour: rank 1 first, then rank 2.",
		kindDeadlock: "Draw who waits for whom. A send need not be buffered, and every rank takes part in a collective call.",
		kindMismatch: "All ranks of a file make the same collective calls in the same order; a rank without data gives none.",
	},
}

// gaps returns cases of reads of n numbers with gaps.
func gaps(ranks []int, n int, every ...int) (all []Case) {
	for _, r := range ranks {
		for _, k := range every {
			all = append(all, Case{Ranks: r, N: n, More: []string{fmt.Sprint("-every=", k)}})
		}
	}
	return all
}

// flag returns the value of a flag in a case.
func (c Case) flag(name string) (n int) {
	for _, arg := range c.More {
		if text, ok := strings.CutPrefix(arg, "-"+name+"="); ok {
			if _, err := fmt.Sscan(text, &n); err == nil {
				return n
			}
		}
	}
	return 0
}

var sieving = &task{
	cases: append(gaps([]int{2, 3}, 16, 4, 100, 12, 25, 16, 18), append(gaps([]int{2}, 5, 12, 18), gaps([]int{1}, 40, 3)...)...),
	output: func(c Case) string {
		var b strings.Builder
		every := c.flag("every")
		for r := range c.Ranks {
			sum := int64(0)
			for i := range c.N {
				at := int32((c.N*r + i) * every)
				sum += int64(c.read(at * at))
			}
			fmt.Fprintf(&b, "rank %d read %d numbers, sum %d\n", r, c.N, sum)
		}
		return b.String()
	},
	reads:   func(c Case, _ int, _ string) int { return 4 * c.N },
	altered: func() Case { return Case{Ranks: 2, N: 16, More: []string{"-every=4"}, altered: "numbers"} },
	inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
		const price = 64
		every := r.flag("every")
		stretch, pieces := price+4*((r.N-1)*every+1), r.N*price+4*r.N
		best := int64(min(stretch, pieces) * r.Ranks)
		did := r.traffic("numbers")
		spent := did.Requests.Reads*price + did.Requests.ReadBytes
		switch {
		case did.Reads.Count > int64(r.Ranks):
			wrong(KindRequests, "set a view that shows all numbers of the rank, and read them by one call", "%d ranks made %d reads: the library cannot combine what comes in single calls", r.Ranks, did.Reads.Count)
		case spent > best:
			wrong(KindRequests, "compare the price of one request for the stretch with that of a request for each number", "every %d: %d requests for %d bytes cost %d; %d would do", every, did.Requests.Reads, did.Requests.ReadBytes, spent, best)
		}
	},
	hints: map[string]string{
		KindOutput: "Each rank reads its own part: the displacement counts bytes.",
	},
}

// aggregated returns cases of writes of n by n numbers: ranks, aggregators and bytes of a stripe.
func aggregated(n int, all ...[3]int) (cases []Case) {
	for _, p := range all {
		cases = append(cases, Case{Ranks: p[0], N: n, More: []string{fmt.Sprint("-nodes=", p[1]), fmt.Sprint("-stripe=", p[2])}})
	}
	return cases
}

// domain returns the bytes of the domain of an aggregator.
func (c Case) domain(k int) (lo, hi int) {
	total, stripe := 8*c.N*c.N, c.flag("stripe")
	part := (total + c.flag("nodes") - 1) / c.flag("nodes")
	size := (part + stripe - 1) / stripe * stripe
	return min(k*size, total), min((k+1)*size, total)
}

var twoPhase = &task{
	cases: append(aggregated(16, [3]int{4, 2, 64}, [3]int{4, 3, 256}, [3]int{3, 1, 8}, [3]int{8, 5, 512}), aggregated(7, [3]int{1, 1, 64}, [3]int{4, 3, 128}, [3]int{5, 5, 32})...),
	files: func(c Case) map[string][]byte {
		return map[string][]byte{"matrix": doubles(c.N*c.N, func(i int) float64 { return float64(i) })}
	},
	explain: func(_ *ran, got, want string) string {
		switch n := min(len(got), len(want)); {
		case len(got) > len(want) && got[:n] == want:
			return "The file has n*n numbers: the last domain ends where the file ends, and what would begin behind that is empty."
		case len(got) < len(want) && got == want[:n]:
			return "The end of the file is in no domain: round the size of a domain up, not down."
		}
		return "Domains follow each other without gaps and without overlaps, and an aggregator writes its domain from its first byte on."
	},
	inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
		did, f := r.traffic("matrix"), r.file("matrix")
		need := int64(0)
		for k := range r.flag("nodes") {
			if lo, hi := r.domain(k); lo < hi {
				need++
			}
		}
		if f == nil || len(f.Bytes) != 8*r.N*r.N {
			return // what is wrong with the file says more
		}
		wrote := map[int][]world.CareWrite{}
		for _, w := range f.Writes {
			wrote[w.Rank] = append(wrote[w.Rank], w)
		}
		for rank := range r.Ranks {
			k := rank
			lo, hi := len(f.Bytes), len(f.Bytes)
			if k < r.flag("nodes") {
				lo, hi = r.domain(k)
			}
			for _, w := range wrote[rank] {
				switch stripe := int64(r.flag("stripe")); {
				case k >= r.flag("nodes"):
					wrong(KindRequests, "let rank r send each aggregator what is in its domain, and let the aggregators write", "rank %d wrote bytes %d to %d, and only the first %d ranks are aggregators", rank, w.Lo, w.Hi-1, r.flag("nodes"))
					return
				case w.Lo%stripe > 0 && (lo == hi || int64(lo) > w.Lo || w.Lo >= int64(hi)):
					wrong(KindRequests, "round the size of a domain up to whole stripes: two aggregators that share a stripe wait for each other at the server that locks it", "rank %d wrote bytes %d to %d: byte %d is inside a stripe of %d bytes", rank, w.Lo, w.Hi-1, w.Lo, stripe)
					return
				case w.Lo < int64(lo) || w.Hi > int64(hi):
					wrong(KindRequests, "divide the bytes of the file by the number of aggregators, round up to whole stripes, and give domain k the bytes from k times that size on", "rank %d wrote bytes %d to %d; its domain %s", rank, w.Lo, w.Hi-1, bytesFrom(lo, hi))
					return
				}
			}
		}
		switch {
		case did.Requests.Writes > need:
			wrong(KindRequests, "put the pieces of all ranks together in memory, and write the domain by one call", "the file system got %d writes; %d aggregators with a domain make %d", did.Requests.Writes, need, need)
		case r.Ranks > 1 && r.messages() == 0:
			wrong(KindRequests, "let each rank send each aggregator the numbers of its own columns", "the ranks sent each other nothing: the aggregators wrote columns that they do not have")
		}
	},
}

// bytesFrom says which bytes a domain has.
func bytesFrom(lo, hi int) string {
	if lo == hi {
		return "is empty"
	}
	return fmt.Sprintf("has bytes %d to %d", lo, hi-1)
}
