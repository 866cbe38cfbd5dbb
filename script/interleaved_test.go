package script

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/consistency"
)

// An interleavedOp is a statement of a rank for the reference of TestLITX2ExploredEqualsInterleavings.
type interleavedOp struct {
	kind    int // 0 write, 1 read, 2 get_size, 3 set_size of a handle of its own
	off, n  int
	value   byte
	results string // name of what it finds
}

func (o *interleavedOp) text() string {
	switch o.kind {
	case 0:
		return fmt.Sprintf("write_at h %d byte %d*%d", o.off, o.value, o.n)
	case 1:
		return fmt.Sprintf("read_at h %d byte*%d -> %s", o.off, o.n, o.results)
	case 2:
		return "get_size h -> " + o.results
	}
	return fmt.Sprintf("set_size h %d", o.off)
}

// endings appends, for each interleaving of the ranks' statements, what they find and the file at
// the end.
func endings(ranks [][]interleavedOp, at []int, file []byte, found []string, to map[string]bool) {
	ended := true
	for r := range ranks {
		if at[r] == len(ranks[r]) {
			continue
		}
		ended = false
		o := &ranks[r][at[r]]
		next, more := slices.Clone(file), found
		switch o.kind {
		case 0:
			for len(next) < o.off+o.n {
				next = append(next, 0)
			}
			for i := range o.n {
				next[o.off+i] = o.value
			}
		case 1:
			lo := min(o.off, len(file))
			more = append(slices.Clone(found), fmt.Sprintf("%s=%x", o.results, file[lo:min(o.off+o.n, len(file))]))
		case 2:
			more = append(slices.Clone(found), fmt.Sprintf("%s=%d", o.results, len(file)))
		case 3:
			for len(next) < o.off {
				next = append(next, 0)
			}
			next = next[:o.off]
		}
		at[r]++
		endings(ranks, at, next, more, to)
		at[r]--
	}
	if ended {
		found = slices.Sorted(slices.Values(found))
		to[fmt.Sprintf("%s f=%x", strings.Join(found, " "), file)] = true
	}
}

// filled returns bytes with 0 for each that no rank wrote.
func filled(bytes []byte, blank []bool) []byte {
	bytes = slices.Clone(bytes)
	for i, b := range blank {
		if b {
			bytes[i] = 0
		}
	}
	return bytes
}

// TestLITX2ExploredEqualsInterleavings: under POSIX, and with all accesses of one open in atomic mode under
// each model, an exploration has exactly the outcomes of all interleavings of the ranks' statements.
func TestLITX2ExploredEqualsInterleavings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := make([][]interleavedOp, rapid.IntRange(2, 4).Draw(t, "ranks"))
		model := rapid.SampledFrom([]consistency.Model{consistency.POSIX, consistency.POSIX, consistency.Weakest, consistency.Session, consistency.Commit}).Draw(t, "model")
		self := model == consistency.POSIX && rapid.Bool().Draw(t, "self")
		file := []byte{9, 9}[:rapid.IntRange(0, 2).Draw(t, "size")]
		text := fmt.Sprintf("ranks %d\nfile f = %x\nall:\n open h f rdwr|create\n atomic h on\n", len(ranks), file)
		if self {
			text = strings.Replace(text, "open", "self open", 1)
		}
		if len(file) == 0 {
			text = strings.Replace(text, "file f = \n", "", 1)
		}
		if model == consistency.POSIX && rapid.Bool().Draw(t, "plain") {
			text = strings.Replace(text, " atomic h on\n", "", 1)
		}
		kinds := []int{0, 0, 0, 1, 2, 2}
		if self {
			kinds = append(kinds, 3)
		}
		for n := range rapid.IntRange(2, 6).Draw(t, "statements") {
			r := rapid.IntRange(0, len(ranks)-1).Draw(t, "rank")
			o := interleavedOp{
				rapid.SampledFrom(kinds).Draw(t, "kind"), rapid.IntRange(0, 5).Draw(t, "offset"), rapid.IntRange(1, 3).Draw(t, "bytes"), byte(n + 16), fmt.Sprintf("x%d", n),
			}
			ranks[r] = append(ranks[r], o)
			text += fmt.Sprintf("%d: %s\n", r, o.text())
		}
		text += "all: close h\n"
		want := map[string]bool{}
		endings(ranks, make([]int, len(ranks)), file, nil, want)

		s, err := Parse(text)
		require.NoError(t, err, text)
		rep, err := Explore(t.Context(), s, Options{Model: model})
		require.NoError(t, err, text)
		require.True(t, rep.Complete, "%v\n%s", rep.Stopped, text)
		got := map[string]bool{}
		for _, seen := range rep.Outcomes {
			var found []string
			for _, results := range seen.Ending.Results {
				for name, x := range results {
					if x.IsData {
						found = append(found, fmt.Sprintf("%s=%x", name, filled(x.Data, x.Blank)))
					} else {
						found = append(found, fmt.Sprintf("%s=%d", name, x.Number))
					}
				}
			}
			slices.Sort(found)
			f := seen.Ending.Files["f"]
			got[fmt.Sprintf("%s f=%x", strings.Join(found, " "), filled(f.Bytes, f.Blank))] = true
		}
		assert.Equal(t, want, got, "%v\n%s", model, text)
	})
}

// TestLITX2ExploredAlikeForAllRanks: it makes no difference to an exploration which rank runs first: a
// program and the one with its ranks in reverse order have as many outcomes, under each model.
func TestLITX2ExploredAlikeForAllRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 3).Draw(t, "ranks")
		model := rapid.SampledFrom([]consistency.Model{consistency.Weakest, consistency.Session, consistency.Commit, consistency.POSIX}).Draw(t, "model")
		text := fmt.Sprintf("ranks %d\nfile f = 09*4\nall:\n %s h f rdwr\n", n, rapid.SampledFrom([]string{"open", "self open"}).Draw(t, "open"))
		kinds := []int{0, 0, 0, 1, 1, 2, 5, 6, 7, 8, 8, 9, 9}
		if strings.Contains(text, "self") {
			kinds = append(kinds, 3, 3, 4)
		}
		if rapid.IntRange(0, 3).Draw(t, "atomic") == 0 {
			text += " atomic h on\n"
		}
		back := text
		waits := make([][]string, n) // for the accesses of a rank that are under way
		for i := range rapid.IntRange(2, 5).Draw(t, "statements") {
			r := rapid.IntRange(0, n-1).Draw(t, "rank")
			o := interleavedOp{
				rapid.SampledFrom(kinds).Draw(t, "kind"), rapid.IntRange(0, 5).Draw(t, "offset"), rapid.IntRange(1, 3).Draw(t, "bytes"), byte(i + 16), fmt.Sprintf("x%d", i),
			}
			does := []string{o.text()}
			switch o.kind {
			case 3, 4: // not while an access is under way
				if does = waits[r]; o.kind == 3 {
					does = append(does, o.text())
				} else {
					does = append(does, "sync h")
				}
				waits[r] = nil
			case 5:
				does = []string{fmt.Sprintf("read h byte*%d -> x%d", o.n, i)}
			case 6:
				does = []string{"seek h 0 end", fmt.Sprintf("get_position h -> x%d", i)}
			case 7:
				does = []string{fmt.Sprintf("iread h byte*%d -> x%d as q", o.n, i), fmt.Sprintf("get_position h -> p%d", i), "wait q"}
			case 8:
				does = []string{fmt.Sprintf("iwrite_at h %d byte %d*%d as q%d", o.off, o.value, o.n, i)}
			case 9:
				does = []string{fmt.Sprintf("iread_at h %d byte*%d -> x%d as q%d", o.off, o.n, i, i)}
			}
			if o.kind >= 8 {
				waits[r] = append(waits[r], fmt.Sprintf("wait q%d", i))
			}
			for _, line := range does {
				text += fmt.Sprintf("%d: %s\n", r, line)
				back += fmt.Sprintf("%d: %s\n", n-1-r, line)
			}
		}
		for r, lines := range waits {
			for _, line := range lines {
				text += fmt.Sprintf("%d: %s\n", r, line)
				back += fmt.Sprintf("%d: %s\n", n-1-r, line)
			}
		}
		outcomes := func(text string) (int, bool) {
			s, err := Parse(text + "all: close h\n")
			require.NoError(t, err, text)
			rep, err := Explore(t.Context(), s, Options{Model: model, MaxSchedules: 2000})
			require.NoError(t, err, text)
			return len(rep.Outcomes), rep.Complete
		}
		a, all := outcomes(text)
		b, too := outcomes(back)
		if all && too {
			assert.Equal(t, a, b, "%v\n%s", model, text)
		}
	})
}
