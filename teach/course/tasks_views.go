package course

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/commworld/commworld/world"
)

// doubles returns numbers as the bytes of native doubles.
func doubles(n int, f func(i int) float64) []byte {
	var b []byte
	for i := range n {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f(i)))
	}
	return b
}

// count returns 0, 1, 2, ... n-1.
func count(n int) []int32 { return upTo(n, func(i int) int32 { return int32(i) }) }

var offsets = &task{
	cases: append(each([]int{2, 3, 4}, 12, 15), Case{Ranks: 1, N: 12}, Case{Ranks: 5, N: 3}),
	files: func(c Case) map[string][]byte {
		return map[string][]byte{"numbers": append([]byte("numbers:"), ints(count(c.N)...)...)}
	},
	owner: func(_ Case, _ string, at int) int {
		if at < 8 {
			return noRank
		}
		return anyRank
	},
	everyone: true,
	hints: map[string]string{
		ruleWritten: "Look at the units: a displacement counts bytes, an offset counts etypes of the view.",
		kindRace:    "Two ranks write the same numbers. Look at the units: a displacement counts bytes, an offset counts etypes of the view.",
		KindBytes:   "The header takes the first 8 bytes; number i takes bytes 8+4*i to 11+4*i.",
	},
}

var views = &task{
	cases: append(each([]int{2, 3, 4}, 4, 1), Case{Ranks: 1, N: 4}, Case{Ranks: 3, N: 7}),
	files: func(c Case) map[string][]byte {
		return map[string][]byte{"numbers": ints(count(3 * c.N * c.Ranks)...)}
	},
	owner: func(c Case, _ string, at int) int { return at / 12 % c.Ranks },
	inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
		if got := r.traffic("numbers").Writes.Count; got > int64(r.Ranks) {
			wrong(KindRequests, "describe all blocks of a rank by one filetype", "%d ranks made %d writes: the view should show each rank its blocks, so that one call each is enough", r.Ranks, got)
		}
	},
	hints: map[string]string{
		kindRace:     "Draw the views: commworld view --ranks 2 --etype int --disp \"r*12\" --filetype \"resized(contiguous(3, int), 0, n*12)\" shows those that the task means.",
		"IO-VIEW-07": "The tile of a rank is its block and the blocks of the other ranks; its extent counts bytes.",
		ruleWritten:  "The tile of a rank is its block and the blocks of the other ranks; its extent counts bytes.",
	},
}

var columns = &task{
	cases: append(each([]int{2, 3, 4}, 12, 7), Case{Ranks: 1, N: 7}, Case{Ranks: 5, N: 3}),
	files: func(c Case) map[string][]byte {
		return map[string][]byte{"matrix": doubles(c.N*c.N, func(i int) float64 { return float64(i) })}
	},
	everyone: true,
	inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
		did := r.traffic("matrix")
		switch {
		case did.Writes.Count > int64(r.Ranks):
			wrong(KindRequests, "set a view that shows the rank its columns, and write them by one call", "%d ranks made %d writes; one each is enough", r.Ranks, did.Writes.Count)
		case did.Requests.Writes > 1:
			wrong(KindRequests, "make the one call collective, and let it write the columns, so that the ranks can write together", "the file system was asked for %d writes and %d reads; the ranks together need one write", did.Requests.Writes, did.Requests.Reads)
		}
	},
	hints: map[string]string{
		"DT-SUB-02": "With more ranks than columns some ranks have none: a vector may have empty blocks, a subarray may not be empty.",
		kindRace:    "Draw the views: commworld view --ranks 2 --etype double --width 4 --disp \"r*16\" --filetype \"vector(4, 2, 4, double)\"",
		KindBytes:   "A column block is a vector: one block for each row, as far apart as a row of the matrix is long.",
	},
}

// inHole reports whether a write covers a hole of the record of exercise 18: each four bytes
// begin with two letters.
func inHole(w world.CareWrite) bool { return w.Hi > w.Lo/4*4+2 }

var atomicMode = &task{
	cases: []Case{{Ranks: 3, N: 6}, {Ranks: 5, N: 10}},
	seeds: 16, // few orders let the calls of another rank between two
	allow: []string{"CONS-D03"}, unordered: "CONS-D03",
	outcome: func(r *ran) string {
		if f := r.file("record"); f != nil && len(f.Bytes) > 0 {
			return fmt.Sprintf("the record is that of rank %d", int(f.Bytes[0])-'A')
		}
		return "there is no record"
	},
	inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
		f := r.file("record")
		if f == nil {
			wrong(KindBytes, "", "no rank opened the file \"record\"")
			return
		}
		var letters []byte
		for i, b := range f.Bytes {
			if i%4 < 2 {
				letters = append(letters, b)
			} else if b != '-' {
				wrong(KindBytes, "write through the view with holes", "byte %d is %q: it is in a hole and should not change", i, b)
				return
			}
		}
		switch {
		case len(letters) != r.N || bytes.Count(letters, letters[:1]) != r.N:
			wrong(KindBytes, "write the record by one call in atomic mode: two calls are two accesses, and another rank's can come between them", "the record is %q: letters of several ranks", letters)
		case letters[0] < 'A' || letters[0] >= 'A'+byte(r.Ranks):
			wrong(KindBytes, "", "the record is %q: no rank's letters", letters)
		case slices.ContainsFunc(f.Writes, inHole):
			wrong(KindRequests, "write through the view with holes, and write no byte that should not change", "a rank wrote bytes in the holes of the record")
		case r.traffic("record").Writes.Bytes < int64(r.N*r.Ranks):
			wrong(KindRequests, "let every rank write", "the ranks wrote %d bytes together; each should write all %d letters", r.traffic("record").Writes.Bytes, r.N)
		default:
			r.shown(wrong)
		}
	},
	reads:  func(c Case, _ int, _ string) int { return c.N },
	reason: "why letters could mix, though the program set atomic mode",
	hints: map[string]string{
		kindRace:     "The ranks write the same bytes at the same time. Do not order them: let each call take effect as a whole.",
		kindReadRace: "The ranks write, or read and write, the same bytes at the same time. Do not order them: let each call take effect as a whole. Atomic mode holds for the handles of one collective open.",
		kindMismatch: "The mode of a file is set by all its ranks: SetAtomicity is collective.",
		kindDeadlock: "The mode of a file is set by all its ranks: SetAtomicity is collective.",
		KindOutcome:  "Do not order the accesses: each may come first. Only keep them apart.",
	},
	whole: true,
}

// shown judges the letters that each rank printed after its write, in the exercise on atomic mode.
func (r *ran) shown(wrong func(kind, fix, text string, args ...any)) {
	for rank := range r.Ranks {
		head := fmt.Sprintf("rank %d reads ", rank)
		_, line, found := strings.Cut("\n"+r.result.Output, "\n"+head)
		line, _, _ = strings.Cut(line, "\n")
		line = strings.TrimSpace(line)
		switch {
		case !found || len(line) != r.N:
			wrong(KindOutput, "let each rank print the letters that it reads from the record", "rank %d does not print %q and %d letters", rank, head, r.N)
			return
		case strings.Count(line, line[:1]) != r.N:
			wrong(KindOutput, "read the record by one call in atomic mode: two calls are two accesses, and another rank's write can come between them", "rank %d reads %q: letters of several ranks", rank, line)
			return
		}
	}
}
