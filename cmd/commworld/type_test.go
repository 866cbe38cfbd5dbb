package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
)

// ask runs the command with arguments.
func ask(args ...string) (code int, out, errs string) {
	var o, e strings.Builder
	code = run(context.Background(), append([]string{"type"}, args...), &o, &e)
	return code, o.String(), e.String()
}

// answer is the object as another program would read it.
type answer struct {
	Expr       string     `json:"expr"`
	Sizes      string     `json:"sizes"`
	Size       *int64     `json:"size"`
	LB         *int64     `json:"lb"`
	Extent     *int64     `json:"extent"`
	TrueLB     *int64     `json:"true_lb"`
	TrueExtent *int64     `json:"true_extent"`
	Signature  *string    `json:"signature"`
	Portable   *bool      `json:"portable"`
	Typemap    [][2]any   `json:"typemap"`
	Runs       [][2]int64 `json:"runs"`
	Truncated  bool       `json:"truncated"`
}

func decoded(t *testing.T, text string) answer {
	t.Helper()
	var a answer
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	assert.NoError(t, d.Decode(&a), text)
	return a
}

// If a field were missing or had another meaning, programs that ask for layouts would
// compute with wrong numbers.
func TestTypeJSON(t *testing.T) {
	at := func(v int64) *int64 { return &v }
	yes, no, pairs, none := true, false, "(double int)*2", ""
	item := func(kind string, disp float64) [2]any { return [2]any{kind, disp} }
	for _, c := range []struct {
		name string
		args []string
		want answer
	}{
		{"DT-DEF-01 layout", []string{"vector(2, 1, 3, doubleint)"}, answer{
			"vector(2, 1, 3, doubleint)", "lp64le", at(24), at(0), at(64), at(0), at(60), &pairs, &yes,
			[][2]any{item("double", 0), item("int", 8), item("double", 48), item("int", 56)},
			[][2]int64{{0, 12}, {48, 12}},
			false,
		}},
		{"REP-X32-08 no padding in external32", []string{"--sizes", "external32", "vector(2, 1, 3, doubleint)"}, answer{
			"vector(2, 1, 3, doubleint)", "external32", at(24), at(0), at(48), at(0), at(48), &pairs, &yes,
			[][2]any{item("double", 0), item("int", 8), item("double", 36), item("int", 44)},
			[][2]int64{{0, 12}, {36, 12}},
			false,
		}},
		{"DT-RESIZE-01 no data", []string{"struct([1, 1], [-4, 20], [lb, ub])"}, answer{
			"struct([1, 1], [-4, 20], [lb, ub])", "lp64le", at(0), at(-4), at(24), at(0), at(0), &none, &no,
			[][2]any{},
			[][2]int64{},
			false,
		}},
		{"DT-DEF-01 cut typemap", []string{"--limit", "2", "vector(2, 1, 3, doubleint)"}, answer{
			"vector(2, 1, 3, doubleint)", "lp64le", at(24), at(0), at(64), at(0), at(60), &pairs, &yes,
			[][2]any{item("double", 0), item("int", 8)},
			[][2]int64{{0, 12}, {48, 12}},
			true,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := ask(append(c.args, "--json")...)
			assert.Equal(t, 0, code, errs)
			assert.Equal(t, c.want, decoded(t, out))
		})
	}
	_, out, _ := ask("--json", "--limit", "1", "vector(2, 1, 3, int)")
	assert.Equal(t, [][2]int64{{0, 4}}, decoded(t, out).Runs)
	_, out, _ = ask("--json", "contiguous(1000000000000, resized(char, 0, 2))")
	a := decoded(t, out)
	assert.True(t, a.Truncated)
	assert.Len(t, a.Typemap, 1000)
	assert.Len(t, a.Runs, 1000)
	assert.Equal(t, *at(2e12), *a.Extent)
}

// words draws a type expression of at most n items or so; with far, one that
// may reach to the end of 64 bits.
func words(t *rapid.T, depth int, far bool) string {
	leaf := rapid.SampledFrom([]string{"int", "char", "double", "short", "doubleint", "longdoublecomplex"}).Draw(t, "leaf")
	if depth == 0 {
		return leaf
	}
	n := func(lo, hi int64) int64 {
		if far && rapid.IntRange(0, 5).Draw(t, "far") == 0 {
			return rapid.SampledFrom([]int64{0, 1e6, 1e12, math.MaxInt64, math.MinInt64, 1 << 61, -1 << 61, 1 << 62}).Draw(t, "far")
		}
		return rapid.Int64Range(lo, hi).Draw(t, "n")
	}
	kid := words(t, depth-1, far)
	switch rapid.IntRange(0, 7).Draw(t, "form") {
	case 0:
		return fmt.Sprintf("contiguous(%d, %s)", n(0, 4), kid)
	case 1:
		return fmt.Sprintf("vector(%d, %d, %d, %s)", n(0, 4), n(0, 3), n(-4, 6), kid)
	case 2:
		return fmt.Sprintf("hvector(%d, %d, %d, %s)", n(0, 4), n(0, 2), n(-30, 60), kid)
	case 3:
		return fmt.Sprintf("resized(%s, %d, %d)", kid, n(-20, 20), n(-40, 80))
	case 4:
		return fmt.Sprintf("hindexed([%d, %d, %d], [%d, %d, %d], %s)", n(0, 2), n(0, 2), n(0, 2), n(-50, 90), n(-9, 90), n(0, 200), kid)
	case 5:
		return fmt.Sprintf("struct([1, %d, 1, 1], [%d, %d, %d, %d], [%s, %s, lb, ub])", n(0, 3), n(-20, 90), n(0, 90), n(-20, 0), n(0, 99), kid, leaf)
	case 6:
		return fmt.Sprintf("subarray([%d, 3], [%d, 2], [0, 1], fortran, %s)", n(2, 4), n(1, 2), kid)
	}
	return kid
}

// If the picture showed an item where none is, it would teach layouts wrongly.
func TestTypePicture(t *testing.T) {
	t.Run("DT-DEF-01 every byte where the definition has it", rapid.MakeCheck(func(t *rapid.T) {
		x, err := types.Parse(words(t, rapid.IntRange(0, 3).Draw(t, "depth"), false))
		if err != nil {
			t.Fatal(err)
		}
		lay, err := x.Layout(types.Host)
		if err != nil {
			t.Fatal(err)
		}
		p := &typePicture{letters: letters{}, width: 8 * rapid.Int64Range(1, 12).Draw(t, "width")}
		p.add(laid{"host", types.Host, x, lay}, 3)
		p.choose()
		items := naive.Of(x, types.Host).Items
		g := p.groups[0]
		for _, b := range p.bands {
			for k, d := range g.copies {
				got, _ := p.copy(g, d, p.start(b))
				if want := drawn(p, items, min(lay.LB, lay.UB), max(lay.LB, lay.UB), p.start(b)-d); string(got.text) != want {
					t.Fatalf("%s copy %d from byte %d on\n%s, should be\n%s", x, k, p.start(b), got.text, want)
				}
			}
		}
		if p.partly {
			return
		}
		for _, it := range items { // nothing is left out, then
			if b := p.band(it.Disp); !slices.Contains(p.bands, b) {
				t.Fatalf("%s: band %d is not drawn", x, b)
			}
		}
	}))
}

// drawn returns the picture of a copy from byte lo on, item by item.
func drawn(p *typePicture, items []naive.Item, lb, ub, lo int64) string {
	text := blank(p.width)
	for x := range p.width {
		if lo+x >= lb && lo+x < ub {
			text[x] = hole
		}
	}
	for n, it := range items {
		for i, c := range []byte(p.letters.item(it.Kind, int64(n), it.Size)) {
			x := it.Disp + int64(i) - lo
			switch {
			case x < 0 || x >= p.width:
			case text[x] == ' ' || text[x] == hole:
				text[x] = c
			default:
				text[x] = double
			}
		}
	}
	return string(text)
}

// No type may make the command panic or run for a long time.
func TestTypeRandomArguments(t *testing.T) {
	t.Run("DT-DEF-09 any type has an answer", rapid.MakeCheck(func(t *rapid.T) {
		expr := words(t, rapid.IntRange(1, 4).Draw(t, "depth"), true)
		args := []string{expr, "--sizes", "lp64le,ilp32be", "--markers", rapid.SampledFrom([]string{"sticky", "weak"}).Draw(t, "markers")}
		code, out, errs := ask(args...)
		if code != 0 && (code != exitUsage || !strings.HasPrefix(errs, "commworld: ")) {
			t.Fatalf("%s: exit %d\n%s%s", expr, code, out, errs)
		}
		if lines := strings.Count(out, "\n"); lines > 400 {
			t.Fatalf("%s: %d lines", expr, lines)
		}
		ask(append(args, "--json", "--limit", "5")...)
	}))
}

// If the mark pointed beside a typing mistake, the mistake would take longer to find.
func TestErrorColumnMark(t *testing.T) {
	long := "struct([" + strings.Repeat("1, ", 60) + "x], [" + strings.Repeat("0, ", 20) + "0], [int])"
	for _, c := range []struct{ expr, want string }{
		{"vector(1", "  vector(1\n          ^\n"},
		{"\tint é x", "   int é x\n         ^\n"},
		{long, "  ..." + long[148:188] + long[188:218] + "...\n" + strings.Repeat(" ", 45) + "^\n"},
	} {
		column := strings.IndexByte(c.expr, 'x') + 1
		if column == 0 {
			column = len(c.expr) + 1
		}
		assert.Equal(t, c.want, plain.Pointer(c.expr, column))
	}
}
