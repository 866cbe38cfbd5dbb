package course

import (
	"encoding/binary"
	"fmt"

	"github.com/commworld/commworld/internal/show/plain"
)

// ints returns numbers as the bytes of native 32-bit integers.
func ints(numbers ...int32) []byte {
	var b []byte
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}

// upTo returns f(0), f(1), ... f(n-1).
func upTo(n int, f func(i int) int32) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = f(i)
	}
	return list
}

// tasks are the exercises by lesson.
var tasks = map[int]*task{
	1: scribble, 2: spokesman, 6: sharedLog, 7: ordered,
	3: filePerProcess, 8: headerBody, 10: ghostCells, 11: life,
	12: transpose, 13: blockCyclic, 14: sparseRows, 15: sieving, 16: twoPhase, 21: deadlocks,
	19: representations, 20: netcdf, 22: nonblocking, 23: typeMatching, 24: bounds,
	4: offsets, 5: views, 9: columns, 18: atomicMode,
	17: {
		cases: append(each([]int{2, 3, 4}, 4, 9), Case{Ranks: 1, N: 4}),
		files: func(c Case) map[string][]byte { return map[string][]byte{"numbers": ints(squares(c.N)...)} },
		output: func(c Case) string {
			return fmt.Sprintln("read", upTo(c.N, func(i int) int32 { return c.read(int32(100 + i*i)) }))
		},
		owner:   func(Case, string, int) int { return 0 },
		altered: func() Case { return Case{Ranks: 3, N: 5, altered: "numbers"} },
		reads:   func(c Case, rank int, _ string) int { return c.ofLast(rank, 4*c.N) },
		inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
			switch got := r.traffic("numbers").Reads; {
			case got.Count == 0:
				wrong(KindRequests, "let the last rank read the numbers by ReadAt", "no rank read the file")
			case got.Bytes < int64(4*r.N):
				wrong(KindRequests, "let the last rank read all numbers, where rank 0 wrote them: offset 0 is the first",
					"the ranks made %s of the file, which found %d bytes; the numbers take %d", plain.Count(got.Count, "read"), got.Bytes, 4*r.N)
			}
		},
		hints: map[string]string{
			KindOutput:   "The last rank reads what rank 0 wrote only if three calls come between: one that publishes, one that orders, one that fetches.",
			kindRace:     "Only rank 0 writes; the last rank reads.",
			kindReadRace: "Three calls are needed between the write and the read, on all ranks: one that publishes, one that orders, one that fetches.",
			kindMismatch: "Sync is collective: every rank that opened the file calls it.",
			kindDeadlock: "Sync is collective: every rank that opened the file calls it.",
		},
	},
}

// ofLast returns bytes for the last rank, and 0 for the others.
func (c Case) ofLast(rank, bytes int) int {
	if rank != c.Ranks-1 {
		return 0
	}
	return bytes
}

func squares(n int) []int32 { return upTo(n, func(i int) int32 { return int32(100 + i*i) }) }
