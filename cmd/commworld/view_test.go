package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/show/views"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
)

// cli runs the program.
func cli(args ...string) (code int, out, errs string) {
	var o, e strings.Builder
	code = run(context.Background(), args, &o, &e)
	return code, o.String(), e.String()
}

// viewAnswer is the object of view as another program would read it.
type viewAnswer struct {
	Ranks []struct {
		Rank        int        `json:"rank"`
		Disp        int64      `json:"disp"`
		EtypeExtent int64      `json:"etype_extent"`
		Extent      int64      `json:"extent"`
		Runs        [][2]int64 `json:"runs"`
		Truncated   bool       `json:"truncated"`
	} `json:"ranks"`
	Overlaps []struct {
		Bytes [2]int64 `json:"bytes"`
		Ranks []int    `json:"ranks"`
	} `json:"overlaps"`
	Gaps       [][2]int64   `json:"gaps"`
	Notes      []views.Note `json:"notes"`
	CompleteTo *int64       `json:"complete_to"`
}

func viewed(t interface{ Fatalf(string, ...any) }, text string) viewAnswer {
	var a viewAnswer
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return a
}

// If the object were shaped otherwise, programs that read it would fail.
func TestViewJSON(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{
			"EX-V11 round robin",
			[]string{"--ranks", "2", "--etype", "int", "--disp", "r*4", "--filetype", "resized(int,0,4*n)", "--bytes", "16"},
			`{"ranks":[{"rank":0,"disp":0,"etype_extent":4,"extent":8,"runs":[[0,4],[8,4]]},{"rank":1,"disp":4,"etype_extent":4,"extent":8,"runs":[[4,4],[12,4]]}],"overlaps":[],"gaps":[]}`,
		},
		{
			"EX-V3 the lower bound does not shift",
			[]string{"--ranks", "1", "--etype", "char", "--disp", "5", "--filetype", "resized(char,-2,4)", "--bytes", "12"},
			`{"ranks":[{"rank":0,"disp":5,"etype_extent":1,"extent":4,"runs":[[5,1],[9,1]]}],"overlaps":[],"gaps":[[0,5],[6,9],[10,12]]}`,
		},
		{
			"EX-V6 etypes with holes",
			[]string{"--ranks", "1", "--etype", "resized(hindexed([1,1],[0,2],char),0,4)", "--disp", "3", "--filetype", "vector(2,1,2,resized(hindexed([1,1],[0,2],char),0,4))", "--bytes", "20"},
			`{"ranks":[{"rank":0,"disp":3,"etype_extent":4,"extent":12,"runs":[[3,1],[5,1],[11,1],[13,1],[15,1],[17,1]]}],"overlaps":[],"gaps":[[0,3],[4,5],[6,11],[12,13],[14,15],[16,17],[18,20]]}`,
		},
		{
			"EX-REP-02 scaled",
			[]string{"--ranks", "1", "--etype", "long", "--filetype", "vector(2,1,3,long)", "--rep", "external32"},
			`{"ranks":[{"rank":0,"disp":0,"etype_extent":4,"extent":16,"runs":[[0,4],[12,4]]}],"overlaps":[],"gaps":[[4,12]]}`,
		},
		{
			"IO-VIEW-20 overlaps name their ranks",
			[]string{"--ranks", "3", "--etype", "char", "--filetype", "contiguous(4,char)", "--bytes", "6", "--disp", "r"},
			`{"ranks":[{"rank":0,"disp":0,"etype_extent":1,"extent":4,"runs":[[0,6]]},{"rank":1,"disp":1,"etype_extent":1,"extent":4,"runs":[[1,5]]},{"rank":2,"disp":2,"etype_extent":1,"extent":4,"runs":[[2,4]]}],` +
				`"overlaps":[{"bytes":[1,2],"ranks":[0,1]},{"bytes":[2,6],"ranks":[0,1,2]}],"gaps":[]}`,
		},
		{
			"IO-VIEW-08 a reader sees a byte twice",
			[]string{"--ranks", "1", "--read-only", "--etype", "char", "--filetype", "hindexed([1,2],[1,1],char)", "--bytes", "4"},
			`{"ranks":[{"rank":0,"disp":0,"etype_extent":1,"extent":2,"runs":[[1,1],[1,3],[3,1]]}],"overlaps":[{"bytes":[1,2],"ranks":[0,0]},{"bytes":[3,4],"ranks":[0,0]}],"gaps":[[0,1]]}`,
		},
		{
			"IO-VIEW-01 cut, and said so",
			[]string{"--ranks", "1", "--etype", "char", "--filetype", "resized(char,0,2)", "--bytes", "10", "--limit", "2"},
			`{"ranks":[{"rank":0,"disp":0,"etype_extent":1,"extent":2,"runs":[[0,1],[2,1]],"truncated":true}],"overlaps":[],"gaps":[[1,2],[3,4]],"complete_to":4}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := cli(append([]string{"view", "--json"}, c.args...)...)
			assert.Equal(t, 0, code, errs)
			assert.Equal(t, c.want+"\n", out)
		})
	}
}

// listed returns the runs of the first end bytes that a rank sees, by the definition: the
// typemap listed copy by copy, neighbours joined, cut at the end.
func listed(t *types.Type, s types.Sizes, disp, end int64) (runs [][2]int64) {
	m := naive.Of(t, s)
	if len(m.Items) == 0 {
		return nil
	}
	var all [][2]int64
	for k := int64(0); ; k++ {
		at, below := disp+k*m.Extent(), false
		for _, it := range m.Items {
			lo := at + it.Disp
			below = below || lo < end
			if n := len(all); n > 0 && all[n-1][0]+all[n-1][1] == lo {
				all[n-1][1] += it.Size
			} else {
				all = append(all, [2]int64{lo, it.Size})
			}
		}
		if !below || m.Extent() == 0 && k == 1 {
			break
		}
	}
	for _, r := range all {
		if r[0] < end {
			runs = append(runs, [2]int64{r[0], min(r[1], end-r[0])})
		}
	}
	return runs
}

// If runs, overlaps or gaps differed from the definition of a view, the command
// would teach file views wrongly.
func TestViewMatchesTypemap(t *testing.T) {
	t.Run("IO-VIEW-01 runs, overlaps and gaps by the definition", rapid.MakeCheck(func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "ranks")
		disp := rapid.SampledFrom([]string{"0", "r*4", "7+r", "(n-r)*8"}).Draw(t, "disp")
		etype := rapid.SampledFrom([]string{"int", "char", "long", "contiguous(2, short)", "resized(hindexed([1,1],[0,2],char),0,4)"}).Draw(t, "etype")
		file := viewText(t, etype, rapid.IntRange(0, 3).Draw(t, "depth"))
		rep := rapid.SampledFrom([]string{"native", "external32", "internal", "native@ilp32be"}).Draw(t, "rep")
		end := rapid.Int64Range(1, 200).Draw(t, "bytes")
		args := []string{
			"view", "--json", "--ranks", fmt.Sprint(n), "--disp", disp, "--etype", etype, "--filetype", file,
			"--rep", rep, "--bytes", fmt.Sprint(end),
		}
		if rapid.Bool().Draw(t, "read") {
			args = append(args, "--read-only")
		}
		code, out, errs := cli(args...)
		if code != 0 {
			if code != exitUsage || !strings.HasPrefix(errs, "commworld: rank ") {
				t.Fatalf("exit %d\n%s", code, errs)
			}
			t.Skip("no legal view")
		}
		a := viewed(t, out)
		form, _ := views.ParseForm(rep)
		seen := make([][]int, end) // by byte: ranks
		for r, got := range a.Ranks {
			vars := map[string]int64{"r": int64(r), "n": int64(n)}
			at, _ := types.EvalWith(disp, vars)
			ft, _ := types.ParseWith(file, vars)
			et, _ := types.ParseWith(etype, vars)
			want := listed(ft, form.Sizes(), at, end)
			if len(got.Runs) != len(want) || len(want) > 0 && !slices.Equal(got.Runs, want) {
				t.Fatalf("rank %d: runs %v, should be %v", r, got.Runs, want)
			}
			if m, e := naive.Of(ft, form.Sizes()), naive.Of(et, form.Sizes()); got.Rank != r || got.Disp != at || got.Extent != m.Extent() || got.EtypeExtent != e.Extent() {
				t.Fatalf("rank %d: %+v, disp %d, extents %d and %d", r, got, at, m.Extent(), e.Extent())
			}
			for _, run := range want {
				for b := run[0]; b < run[0]+run[1]; b++ {
					seen[b] = append(seen[b], r)
				}
			}
		}
		overlaps := make([][]int, end)
		for _, o := range a.Overlaps {
			for b := o.Bytes[0]; b < o.Bytes[1]; b++ {
				overlaps[b] = o.Ranks
			}
		}
		gap := make([]bool, end)
		for _, g := range a.Gaps {
			for b := g[0]; b < g[1]; b++ {
				gap[b] = true
			}
		}
		for b := range end {
			if gap[b] != (len(seen[b]) == 0) || len(seen[b]) > 1 && !slices.Equal(overlaps[b], seen[b]) || len(seen[b]) < 2 && overlaps[b] != nil {
				t.Fatalf("byte %d is seen by %v; said to be a gap: %t, an overlap of %v", b, seen[b], gap[b], overlaps[b])
			}
		}
	}))
}

// If runs were joined across bytes outside the window, the command would show an order of
// data that the view does not have.
func TestViewCutBetweenRuns(t *testing.T) {
	t.Run("IO-VIEW-01 copies that reach behind the window and into each other", func(t *testing.T) {
		_, out, _ := cli("view", "--json", "--ranks", "2", "--etype", "long", "--filetype", "resized(subarray([4,2],[3,1],[0,r],c,long),0,24)", "--bytes", "25")
		assert.Equal(t, [][2]int64{{0, 8}, {16, 8}, {24, 1}}, viewed(t, out).Ranks[0].Runs)
	})
}

// viewText draws a filetype made of etypes, often a legal one.
func viewText(t *rapid.T, etype string, depth int) string {
	if depth == 0 {
		return etype
	}
	kid := viewText(t, etype, depth-1)
	n := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
	switch rapid.IntRange(0, 6).Draw(t, "form") {
	case 0:
		return fmt.Sprintf("contiguous(%d, %s)", n(0, 3), kid)
	case 1:
		return fmt.Sprintf("vector(%d, %d, %d, %s)", n(1, 3), n(1, 2), n(0, 4), kid)
	case 2:
		return fmt.Sprintf("resized(%s, 0, 8*(%d+n))", kid, n(0, 9))
	case 3:
		return fmt.Sprintf("hindexed([1, r+1], [%d, %d*4], %s)", 4*n(0, 3), n(0, 12), kid)
	case 4:
		return fmt.Sprintf("subarray([4, n], [%d, 1], [0, r], c, %s)", n(1, 4), kid)
	case 5:
		return fmt.Sprintf("darray(n, r, [7], [cyclic], [%d], [n], c, %s)", n(1, 3), kid)
	}
	return kid
}

// If a wrong view were accepted, or refused by another rule, the command would
// contradict the library.
func TestViewRefuses(t *testing.T) {
	for _, c := range []struct{ name, args, class, mark string }{
		{"EX-B1 IO-VIEW-05", "char|struct([1,1],[4,0],[char,char])", "MPI_ERR_ARG", "^"},
		{"EX-B2 IO-VIEW-08", "char|struct([1,1],[0,0],[char,char])", "MPI_ERR_ARG", "^"},
		{"EX-B3 IO-VIEW-05", "char|struct([1,1],[-1,3],[char,char])", "MPI_ERR_ARG", "^"},
		{"EX-B5 IO-VIEW-06", "int|contiguous(3,char)", "MPI_ERR_ARG", "^"},
		{"EX-B6 IO-VIEW-07", "int|resized(int,0,6)", "MPI_ERR_ARG", "^^"},
		{"EX-B7 IO-VIEW-06", "int|float", "MPI_ERR_ARG", "^^^^"},
	} {
		t.Run(c.name, func(t *testing.T) {
			etype, filetype, _ := strings.Cut(c.args, "|")
			code, out, errs := cli("view", "--ranks", "2", "--etype", etype, "--filetype", filetype)
			_, rule, _ := strings.Cut(c.name, " ")
			assert.Equal(t, exitUsage, code)
			assert.Empty(t, out)
			assert.Contains(t, errs, "commworld: rank 0: ")
			assert.Contains(t, errs, "("+c.class+", "+rule+")")
			assert.Contains(t, errs, c.mark+"\n")
		})
	}
}

// No view may make the command panic or print without end.
func TestViewRandomArguments(t *testing.T) {
	t.Run("IO-VIEW-01 any view has an answer", rapid.MakeCheck(func(t *rapid.T) {
		etype := rapid.SampledFrom([]string{"int", "double", "longdoubleint"}).Draw(t, "etype")
		file := rapid.OneOf(
			rapid.Custom(func(t *rapid.T) string { return viewText(t, etype, 3) }),
			rapid.Custom(func(t *rapid.T) string { return words(t, 3, true) }),
		).Draw(t, "filetype")
		args := []string{
			"view", "--ranks", fmt.Sprint(rapid.SampledFrom([]int{1, 2, 9, 100}).Draw(t, "ranks")), "--etype", etype, "--filetype", file,
			"--disp", rapid.SampledFrom([]string{"0", "r*1000000007", "9223372036854775000"}).Draw(t, "disp"),
			"--width", fmt.Sprint(rapid.SampledFrom([]int{0, 1, 10, 1000000}).Draw(t, "width")),
		}
		if rapid.Bool().Draw(t, "bytes") {
			args = append(args, "--bytes", fmt.Sprint(rapid.SampledFrom([]int64{1, 100, 1e6, 1e18, 1<<63 - 1}).Draw(t, "bytes")))
		}
		code, out, errs := cli(args...)
		if code != 0 && (code != exitUsage || !strings.HasPrefix(errs, "commworld: ")) {
			t.Fatalf("exit %d\n%s%s", code, out, errs)
		}
		if lines := strings.Count(out, "\n"); lines > 250 {
			t.Fatalf("%d lines", lines)
		}
		for line := range strings.Lines(out) {
			if len(line) > 200 {
				t.Fatalf("a line of %d: %s", len(line), line)
			}
		}
		if code != 0 {
			return
		}
		_, drawn, _ := cli(append(args, "--svg", "-")...)
		d := xml.NewDecoder(strings.NewReader(drawn))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if len(drawn) > 4<<20 {
			t.Fatalf("%d bytes of SVG", len(drawn))
		}
		_, text, _ := cli(append(args, "--json", "--limit", "50")...)
		viewed(t, text)
	}))
}

// If colours got into files and pipes, other programs would choke on them.
func TestViewColours(t *testing.T) {
	_, out, _ := cli("view", "--ranks", "2", "--etype", "int")
	assert.NotContains(t, out, "\x1b")
}
