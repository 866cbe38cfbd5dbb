package course

import (
	"bytes"
	"fmt"
	"strings"
)

var scribble = &task{
	cases: each([]int{3, 1, 4}, 4, 7),
	files: func(c Case) map[string][]byte {
		var page []byte
		for r := range c.Ranks {
			page = append(page, bytes.Repeat([]byte{byte('A' + r)}, c.N)...)
		}
		return map[string][]byte{"page": page}
	},
	owner: func(c Case, _ string, at int) int { return at / c.N },
	hints: map[string]string{
		kindRace:    "Every rank needs its own bytes: where does the part of rank r begin if each part has n letters?",
		ruleWritten: "The part of rank r begins where that of rank r-1 ends.",
		KindBytes:   "Every rank writes its n letters, and its part begins where that of the rank before ends.",
	},
}

var spokesman = &task{
	cases: append(each([]int{3, 2, 4}, 1000, 300), Case{Ranks: 1, N: 300}), // more bytes than an exchange of lengths takes
	files: func(c Case) map[string][]byte {
		return map[string][]byte{"numbers": ints(count(c.Ranks * c.N)...)}
	},
	owner: func(c Case, _ string, at int) int { return at / (4 * c.N) },
	inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
		if sent := r.messages(); sent >= int64(4*r.N) {
			wrong(KindRequests, "let every rank write its own numbers, by WriteAtAll", "the ranks gave each other %d bytes: numbers still pass through a spokesman", sent)
		}
	},
	hints: map[string]string{
		kindRace:    "Every rank writes its own numbers and no others.",
		ruleWritten: "Without a view, offsets count bytes.",
	},
}

var sharedLog = &task{
	cases: append(each([]int{2, 3, 4}, 3, 5), Case{Ranks: 1, N: 3}),
	seeds: 6,
	allow: []string{"IO-SHP-04"}, // the exercise leaves the order open
	inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
		f := r.file("log")
		if f == nil {
			wrong(KindBytes, "", "no rank opened the file \"log\"")
			return
		}
		next := make([]int, r.Ranks)
		for line := range strings.Lines(string(f.Bytes)) {
			var rank, event int
			if _, err := fmt.Sscanf(line, "rank %02d event %02d\n", &rank, &event); err != nil || len(line) != 17 || rank >= r.Ranks {
				wrong(KindBytes, "write each line by one call", "the log has a line that no rank wrote: %q", line)
				return
			}
			if event != next[rank] {
				wrong(KindBytes, "", "the log has event %d of rank %d where event %d was to come", event, rank, next[rank])
				return
			}
			next[rank]++
		}
		for _, w := range f.Writes {
			for at := w.Lo / 17 * 17; at < w.Hi; at += 17 {
				if !strings.HasPrefix(string(f.Bytes[at:]), fmt.Sprintf("rank %02d ", w.Rank)) {
					wrong(KindRequests, "let each rank write its own lines", "rank %d wrote a line of another rank: %q", w.Rank, f.Bytes[at:at+16])
					return
				}
			}
		}
		for rank, n := range next {
			if n != r.N {
				wrong(KindBytes, "write every event", "the log has %d events of rank %d and should have %d", n, rank, r.N)
				return
			}
		}
	},
	hints: map[string]string{
		KindBytes: "Each event is one line, \"rank 01 event 00\", and the events of a rank begin with 0.",
		kindRace:  "No rank can know where the next line goes, but there is a file pointer that all ranks share.",
	},
}

var ordered = &task{
	cases: append(each([]int{3, 2, 5}, 2, 3), Case{Ranks: 1, N: 4}),
	files: func(c Case) map[string][]byte {
		var b bytes.Buffer
		for round := range c.N {
			for rank := range c.Ranks {
				if (rank+round)%3 != 1 {
					fmt.Fprintf(&b, "round %d rank %d %s\n", round, rank, strings.Repeat("*", rank*round))
				}
			}
		}
		return map[string][]byte{"report": b.Bytes()}
	},
	owner: func(c Case, _ string, at int) int {
		for round := range c.N {
			for rank := range c.Ranks {
				if (rank+round)%3 != 1 {
					if at -= len(fmt.Sprintf("round %d rank %d %s\n", round, rank, strings.Repeat("*", rank*round))); at < 0 {
						return rank
					}
				}
			}
		}
		return anyRank
	},
	collective: true,
	inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
		if got, most := r.traffic("report").Writes.Count, int64(r.N*r.Ranks); got > most {
			wrong(KindRequests, "one collective call puts the lines of all ranks in order", "%d ranks made %d writes in %d rounds; one call each in a round is enough", r.Ranks, got, r.N)
		}
	},
	hints: map[string]string{
		KindBytes:    "The order of the ranks is part of one collective call, and a round is one call.",
		kindMismatch: "A rank without a line takes part with an empty one.",
		kindDeadlock: "A rank without a line takes part with an empty one.",
		kindRace:     "No rank knows how long the lines of the others are: let the library put them in order.",
	},
}
