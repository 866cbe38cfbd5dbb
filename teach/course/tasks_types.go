package course

import (
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/token"
	"math"
	"strings"
)

// bigDoubles returns numbers in the form of external32.
func bigDoubles(n int, f func(i int) float64) []byte {
	var b []byte
	for i := range n {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(f(i)))
	}
	return b
}

var representations = &task{
	cases: append(each([]int{3, 2, 4}, 4, 5), Case{Ranks: 1, N: 4}),
	files: func(c Case) map[string][]byte {
		return map[string][]byte{"numbers": bigDoubles(c.Ranks*c.N, func(i int) float64 { return float64(i) / 4 })}
	},
	output: func(c Case) string {
		list := make([]float64, c.Ranks*c.N)
		for i := range list {
			list[i] = float64(i) / 4
			if c.altered != "" {
				list[i] = math.Float64frombits(math.Float64bits(list[i]) ^ 0x0101010101010101)
			}
		}
		return fmt.Sprintln("read", list)
	},
	owner:   func(c Case, _ string, at int) int { return at / (8 * c.N) },
	altered: func() Case { return Case{Ranks: 3, N: 4, altered: "numbers"} },
	reads:   func(c Case, rank int, _ string) int { return c.ofLast(rank, 8*c.N*c.Ranks) },
	rep:     func(int64) string { return "external32" },
	hints: map[string]string{
		KindBytes:     "One representation has the same bytes on every machine and in every library.",
		"REP-BYTE-01": "Conversion needs to know the types: give the view the etype of the data, types.Double.",
		kindLint:      "The file does not say how it was written: write and read it in the same representation.",
		KindOutput:    "Write and read in the same representation.",
	},
}

// headerOf returns the header of a classic NetCDF file that the exercise requires.
func headerOf(n int) []byte {
	b := []byte("CDF\x01")
	for _, x := range []any{0, 10, 1, 1, "x\x00\x00\x00", n, 0, 0, 11, 1, 1, "t\x00\x00\x00", 1, 0, 0, 0, 6, 8 * n, 80} {
		switch x := x.(type) {
		case int:
			b = binary.BigEndian.AppendUint32(b, uint32(x))
		case string:
			b = append(b, x...)
		}
	}
	return b
}

var netcdf = &task{
	cases: append(each([]int{3, 2, 1, 4}, 10, 7), Case{Ranks: 5, N: 3}),
	files: func(c Case) map[string][]byte {
		return map[string][]byte{"t.nc": append(headerOf(c.N), bigDoubles(c.N, func(i int) float64 { return float64(i) + 0.5 })...)}
	},
	everyone: true,
	rep: func(at int64) string {
		if at < 80 {
			return "" // the header
		}
		return "external32"
	},
	hints: map[string]string{
		KindBytes:   "Rank 0 writes the header; the numbers begin behind it, big-endian: which representation is that?",
		kindRace:    "One rank writes the header, and the numbers begin behind it.",
		ruleWritten: "The header is missing: rank 0 writes it, through the view that a file begins with.",
	},
}

var nonblocking = &task{
	cases: append(each([]int{2, 1, 3}, 3, 5), Case{Ranks: 2, N: 1}),
	files: func(c Case) map[string][]byte {
		var all []int32
		for s := range c.N {
			for r := range c.Ranks {
				all = append(all, upTo(4, func(i int) int32 { return int32(1000*s + 10*r + i) })...)
			}
		}
		return map[string][]byte{"states": ints(all...)}
	},
	owner:       func(c Case, _ string, at int) int { return at / 16 % c.Ranks },
	nonblocking: true,
	source: func(f *ast.File, wrong func(at token.Pos, fix, text string, args ...any)) {
		idleWrites(f, wrong)
		blindTests(f, wrong)
		freedWrites(f, wrong)
	},
	hints: map[string]string{
		kindError:    "A buffer belongs to the library from the start of an access until it is complete, and every access that was started has to be completed.",
		kindLeak:     "Complete every access before the file is closed.",
		kindMismatch: "Collective calls are made by all ranks, in the same order.",
		kindDeadlock: "Collective calls are made by all ranks, in the same order.",
	},
}

var typeMatching = &task{
	cases: each([]int{2, 1, 3}, 3, 4),
	files: func(c Case) map[string][]byte {
		var b []byte
		for r := range c.Ranks {
			for i := range c.N {
				b = binary.BigEndian.AppendUint32(b, uint32(r*c.N+i))
				b = append(b, bigDoubles(1, func(int) float64 { return float64(i) / 8 })...)
			}
		}
		return map[string][]byte{"readings": b}
	},
	output: func(c Case) string {
		return fmt.Sprintln("values", c.values())
	},
	explain: func(r *ran, got, want string) string {
		if strings.HasPrefix(want, "values") {
			return "The file is right; the program prints other values than it has. Read through the same etype, and in the same representation, as the file was written."
		}
		return "The record of the file has no padding: the value begins at byte 4, and a record has 12 bytes, each number in the order of bytes of external32."
	},
	altered:  func() Case { return Case{Ranks: 2, N: 3, altered: "readings"} },
	reads:    func(c Case, rank int, _ string) int { return c.ofLast(rank, 8*c.N*c.Ranks) },
	rep:      func(int64) string { return "external32" },
	owner:    func(c Case, _ string, at int) int { return at / (12 * c.N) },
	gathered: func(c Case, _ int) int { return 12 * c.N },
	reason:   "why another machine could not read the file",
	hints: map[string]string{
		kindError:   "The record of the file has the same basic types in the same order as the struct in memory; only the displacements differ.",
		ruleWritten: "The record of the file has no padding: the value begins at byte 4, and a record has 12 bytes.",
	},
}

// values returns the values of all readings, as the file has them.
func (c Case) values() (all []float64) {
	for range c.Ranks {
		for i := range c.N {
			bits := math.Float64bits(float64(i) / 8)
			if c.altered != "" {
				bits ^= 0x0101010101010101
			}
			all = append(all, math.Float64frombits(bits))
		}
	}
	return all
}

var bounds = &task{
	cases: each([]int{2, 1, 3}, 5, 8),
	files: func(c Case) map[string][]byte {
		var all []int32
		for i := range c.N {
			all = append(all, int32(100+i), int32(i), int32(-i))
		}
		return map[string][]byte{"table": ints(all...)}
	},
	owner: func(_ Case, _ string, at int) int {
		if at%12 < 4 {
			return noRank
		}
		return anyRank
	},
	everyone: true,
	inspect: func(r *ran, wrong func(kind, fix, text string, args ...any)) {
		if did := r.traffic("table"); did.Writes.Count > int64(r.Ranks) {
			wrong(KindRequests, "let the tile show the points of all rows", "%d ranks made %d writes; one each is enough", r.Ranks, did.Writes.Count)
		}
	},
	hints: map[string]string{
		KindBytes:   "A row begins with its id and has 12 bytes: commworld type \"resized(hindexed([2],[4],int), 0, 12)\" --copies 3",
		kindRace:    "A row begins with its id and has 12 bytes: commworld type \"resized(hindexed([2],[4],int), 0, 12)\" --copies 3",
		kindError:   "Extents count bytes; a row has 12.",
		ruleWritten: "A row has 12 bytes.",
	},
}
