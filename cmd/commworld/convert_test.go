package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/show/views"
	"github.com/commworld/commworld/types"
)

var forms = []string{"native", "native@lp64be", "native@ilp32le", "native@ilp32be", "native@llp64le", "external32", "internal"}

// A written file is elements of a type with values that every form can hold.
type written struct {
	elem   *fileElement
	data   []byte
	values []string // JSON, in order
}

// leaves are kinds of every family and size.
var leaves = []string{
	"int", "char", "byte", "short", "long", "ulong", "longlong", "double", "float", "longdouble", "longdoubleint", "twodoubleprecision", "bool", "wchar",
	"logical", "doublecomplex", "longdoublecomplex", "integer16", "aint", "real2", "doubleint",
}

// typeText draws a type whose items do not overlap in most forms.
func typeText(t *rapid.T, depth int) string {
	leaf := rapid.SampledFrom(leaves).Draw(t, "leaf")
	if depth == 0 {
		return leaf
	}
	n := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "n") }
	kid := typeText(t, depth-1)
	switch rapid.IntRange(0, 7).Draw(t, "form") {
	case 0:
		return fmt.Sprintf("contiguous(%d, %s)", n(1, 3), kid)
	case 1:
		return fmt.Sprintf("vector(%d, %d, %d, %s)", n(1, 3), n(1, 2), n(2, 4), kid)
	case 2:
		return fmt.Sprintf("struct([1, %d], [%d, %d], [%s, %s])", n(0, 2), 16*n(0, 2), 2000+16*n(0, 2), kid, leaf)
	case 3:
		return fmt.Sprintf("indexed([1, %d], [%d, %d], %s)", n(0, 2), n(0, 1), n(2, 4), kid)
	case 4:
		return fmt.Sprintf("subarray([3, 4], [2, %d], [1, 0], %s, %s)", n(1, 4), rapid.SampledFrom([]string{"c", "fortran"}).Draw(t, "order"), kid)
	case 5:
		return fmt.Sprintf("indexed_block(1, [%d, 0], %s)", n(1, 3), kid)
	case 6:
		return fmt.Sprintf("resized(%s, 0, %d)", kid, 4096*n(1, 3))
	}
	return kid
}

// write makes a file of n elements under a form, its holes 0.
func write(t *rapid.T, expr string, form views.Form, n int64) written {
	e, _ := readElement(expr, form, new(strings.Builder))
	if e == nil {
		t.Skip("no type of elements")
	}
	w := written{elem: e}
	packed := []byte{}
	v := newValuer(form)
	for kind := range each(e.sig, n) {
		mem, text := drawValue(t, kind)
		item := make([]byte, form.Sizes().Sizeof(kind))
		if err := form.Encode(item, mem, wide, v.units[kind], 0, 1); err != nil {
			t.Fatalf("%v %s: %v", kind, text, err)
		}
		packed, w.values = append(packed, item...), append(w.values, text)
	}
	w.data = make([]byte, e.lead()+n*e.Extent)
	if (n-1)*e.Extent+e.TrueUB > int64(len(w.data)) || e.TrueLB < 0 || e.TrueUB-e.TrueLB > e.Extent || e.Overlaps() {
		t.Skip("elements overlap")
	}
	(types.Tiling{L: e.Layout}).Scatter(w.data, 0, packed, 0)
	return w
}

// each walks the kinds of n elements, item by item.
func each(sig types.Signature, n int64) func(func(types.Kind) bool) {
	return func(yield func(types.Kind) bool) {
		for k, m := range sig.Items(0, n*sig.Len()) {
			for range m {
				if !yield(k) {
					return
				}
			}
		}
	}
}

// drawValue draws a value that all forms can hold: in wide memory, and as JSON.
func drawValue(t *rapid.T, k types.Kind) ([]byte, string) {
	mem := make([]byte, wide.Sizeof(k))
	put := func(p []byte, n *big.Int) {
		if n.Sign() < 0 {
			n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(p))))
		}
		n.FillBytes(p)
		if little {
			slices.Reverse(p)
		}
	}
	number := func(p []byte) string {
		x := float64(rapid.Int64Range(-1000, 1000).Draw(t, "x")) / 8
		switch len(p) {
		case 2:
			x = math.Trunc(x)
			return strconv.Itoa(int(x)) + halfBits(p, int(x))
		case 4:
			binary.NativeEndian.PutUint32(p, math.Float32bits(float32(x)))
		case 8:
			binary.NativeEndian.PutUint64(p, math.Float64bits(x))
		default:
			b := math.Float64bits(x)
			n := new(big.Int).SetUint64(b & (1<<52 - 1))
			n.Lsh(n, 60)
			if x != 0 {
				n.Add(n, new(big.Int).Lsh(new(big.Int).SetUint64(b>>52&2047-1023+16383), 112))
			}
			n.Add(n, new(big.Int).Lsh(new(big.Int).SetUint64(b>>63), 127))
			put(p, n)
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	switch k.Family() {
	case types.FamilySigned:
		n := rapid.Int64Range(-128, 127).Draw(t, "n")
		put(mem, big.NewInt(n))
		return mem, strconv.FormatInt(n, 10)
	case types.FamilyFloat:
		return mem, number(mem)
	case types.FamilyComplex:
		h := len(mem) / 2
		return mem, "[" + number(mem[:h]) + "," + number(mem[h:]) + "]"
	case types.FamilyBool:
		b := rapid.Bool().Draw(t, "b")
		if b {
			put(mem, big.NewInt(1))
		}
		return mem, strconv.FormatBool(b)
	}
	n := rapid.Int64Range(0, 255).Draw(t, "n")
	put(mem, big.NewInt(n))
	return mem, strconv.FormatInt(n, 10)
}

// halfBits stores a small integer as a number of 16 bits.
func halfBits(p []byte, x int) string {
	b := uint16(0)
	if x < 0 {
		b, x = 0x8000, -x
	}
	for e := 0; x>>e > 0; e++ {
		b = b&0x8000 | uint16(e+15)<<10 | uint16(x<<10>>e)&1023
	}
	binary.NativeEndian.PutUint16(p, b)
	return ""
}

// If a value changed on its way between two machines, or dump showed another
// one than was written, files could not be trusted.
func TestConvertRoundTrip(t *testing.T) {
	dir := t.TempDir()
	t.Run("REP-X32-00 there and back is the same file", rapid.MakeCheck(func(t *rapid.T) {
		expr := typeText(t, rapid.IntRange(0, 3).Draw(t, "depth"))
		a, b := rapid.SampledFrom(forms).Draw(t, "a"), rapid.SampledFrom(forms).Draw(t, "b")
		form, _ := views.ParseForm(a)
		w := write(t, expr, form, rapid.Int64Range(1, 4).Draw(t, "elements"))
		data := w.data
		if rapid.Bool().Draw(t, "cut") { // the padding behind the last element may be missing
			data = data[:int64(len(data))-w.elem.lead()-w.elem.Extent+w.elem.TrueUB]
		}
		first, second, third := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")
		if err := os.WriteFile(first, data, 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := cli("convert", first, second, "--type", expr, "--from", a, "--to", b)
		if code != 0 && strings.Contains(errs, "overlap") {
			t.Skip("displacements in bytes do not fit the other form")
		}
		if code != 0 && strings.Contains(errs, "in each other") {
			t.Skip("nor does the extent")
		}
		if code == 0 {
			code, _, errs = cli("convert", second, third, "--type", expr, "--from", b, "--to", a)
		}
		if code != 0 {
			t.Fatal(errs)
		}
		got, _ := os.ReadFile(third)
		if len(got) == len(w.data) && len(data) < len(got) { // the other form has no padding to recognize it by
			data = append(data, make([]byte, len(got)-len(data))...)
		}
		if !bytes.Equal(got, data) {
			t.Fatalf("%s from %s by %s: %d bytes, not %d, or others", expr, a, b, len(got), len(data))
		}
		for file, rep := range map[string]string{first: a, second: b} {
			if got := dumped(t, file, expr, rep); !slices.Equal(got, w.values) {
				t.Fatalf("%s as %s: %v, written %v", expr, rep, got, w.values)
			}
		}
	}))
}

// dumped returns the values of a file in the form that another program reads.
func dumped(t *rapid.T, file, expr, rep string) (values []string) {
	code, out, errs := cli("dump", file, "--type", expr, "--rep", rep, "--json")
	if code != 0 {
		t.Fatal(errs)
	}
	paths := map[string]bool{}
	for line := range strings.Lines(out) {
		var item struct {
			Offset  *int64          `json:"offset"`
			Element *int64          `json:"element"`
			Path    string          `json:"path"`
			Type    string          `json:"type"`
			Hex     string          `json:"hex"`
			Value   json.RawMessage `json:"value"`
		}
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&item); err != nil || item.Offset == nil || item.Element == nil {
			t.Fatalf("%s: %v", line, err)
		}
		if paths[item.Path] {
			t.Fatalf("%s: two items are called %s", expr, item.Path)
		}
		paths[item.Path] = true
		values = append(values, string(item.Value))
	}
	return values
}

// Large elements pass in pieces; if these were put together wrongly, large
// files would be damaged.
func TestConvertInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expr := typeText(t, rapid.IntRange(0, 3).Draw(t, "depth"))
		form, _ := views.ParseForm(rapid.SampledFrom(forms).Draw(t, "from"))
		other, _ := views.ParseForm(rapid.SampledFrom(forms).Draw(t, "to"))
		w := write(t, expr, form, rapid.Int64Range(1, 4).Draw(t, "elements"))
		out, _ := readElement(expr, other, new(strings.Builder))
		c, err := newConverter(w.elem, out, false)
		if err != nil || c.whole == jumbleBytes {
			t.Skip("out of order")
		}
		data := w.data[:rapid.IntRange(0, len(w.data)).Draw(t, "length")]
		var whole, pieces bytes.Buffer
		err1 := c.convert(context.Background(), bytes.NewReader(data), &whole)
		c.whole = 0
		err2 := c.convert(context.Background(), bytes.NewReader(data), &pieces)
		if fmt.Sprint(err1) != fmt.Sprint(err2) || err1 == nil && !bytes.Equal(whole.Bytes(), pieces.Bytes()) {
			t.Fatalf("%s, %d of %d bytes: %v, in pieces %v; %d and %d bytes", expr, len(data), len(w.data), err1, err2, whole.Len(), pieces.Len())
		}
	})
}

// If OUT were touched before all is well, a failed run would destroy a file.
func TestConvertReplaces(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	assert.NoError(t, os.WriteFile(file, []byte{1, 0, 0, 0, 2, 0, 0, 0}, 0o640))
	assert.NoError(t, os.Symlink("file", link))
	code, _, errs := cli("convert", file, link, "--type", "int", "--from", "native", "--to", "external32")
	assert.Equal(t, 0, code, errs)
	got, _ := os.ReadFile(file)
	assert.Equal(t, []byte{0, 0, 0, 1, 0, 0, 0, 2}, got, "onto itself, by a link")
	info, err := os.Lstat(link)
	assert.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeSymlink)
	info, _ = os.Stat(file)
	assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	code, _, _ = cli("convert", file, file, "--type", "contiguous(3,int)", "--from", "native", "--to", "external32")
	assert.Equal(t, exitUsage, code)
	got, _ = os.ReadFile(file)
	assert.Equal(t, []byte{0, 0, 0, 1, 0, 0, 0, 2}, got)
	names, _ := os.ReadDir(dir)
	assert.Len(t, names, 2, "nothing temporary is left")
}

// If a path named another place than the item's, people would look for it in
// the wrong row.
func TestPaths(t *testing.T) {
	for expr, want := range map[string]string{
		"int":                        "",
		"contiguous(2, int)":         "[0] [1]",
		"vector(2, 2, 3, int)":       "[0][0] [0][1] [1][0] [1][1]",
		"vector(2, 1, 3, doubleint)": "[0].value [0].index [1].value [1].index",
		"struct([1,2,0,1],[0,8,90,99],[int,char,int,vector(2,1,2,char)])": ".0 .1[0] .1[1] .3[0] .3[1]",
		"indexed([1,0,2],[0,1,2],int)":                                    "[0][0] [2][0] [2][1]",
		"hindexed([1,1],[4,0],int)":                                       "[0] [1]",
		"indexed_block(2,[0,4],int)":                                      "[0][0] [0][1] [1][0] [1][1]",
		"subarray([4,6],[2,2],[1,3],c,int)":                               "[1,3] [1,4] [2,3] [2,4]",
		"subarray([4,6],[2,2],[1,3],fortran,int)":                         "[1,3] [2,3] [1,4] [2,4]",
		"resized(dup(contiguous(2,int)),0,99)":                            "[0] [1]",
		"struct([1,1],[0,8],[lb,int])":                                    ".1",
		"darray(4,3,[4,4],[cyclic,block],[dflt,dflt],[2,2],c,int)":        "[1,2] [1,3] [3,2] [3,3]",
	} {
		x, err := types.Parse(expr)
		if !assert.NoError(t, err) {
			continue
		}
		r := routeOf(x)
		var got []string
		for i := range r.items() {
			got = append(got, string(r.name(nil, i)))
		}
		assert.Equal(t, want, strings.Join(got, " "), expr)
	}
	t.Run("DT-DARR-05 places of a distributed array", rapid.MakeCheck(func(t *rapid.T) {
		dims := rapid.IntRange(1, 3).Draw(t, "dims")
		var sizes, dists, args, procs []string
		var width []int64
		all := 1
		for range dims {
			s, p := rapid.IntRange(1, 9).Draw(t, "size"), rapid.IntRange(1, 3).Draw(t, "procs")
			d := rapid.SampledFrom([]string{"block", "cyclic", "none"}).Draw(t, "dist")
			arg := "dflt"
			switch {
			case d == "none":
				p = 1
			case d == "cyclic" && rapid.Bool().Draw(t, "given"):
				arg = fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "arg"))
			}
			all *= p
			width = append(width, int64(s))
			sizes, dists, args, procs = append(sizes, fmt.Sprint(s)), append(dists, d), append(args, arg), append(procs, fmt.Sprint(p))
		}
		order := rapid.SampledFrom([]string{"c", "fortran"}).Draw(t, "order")
		list := func(v []string) string { return "[" + strings.Join(v, ",") + "]" }
		expr := fmt.Sprintf("darray(%d,%d,%s,%s,%s,%s,%s,char)", all, rapid.IntRange(0, all-1).Draw(t, "rank"), list(sizes), list(dists), list(args), list(procs), order)
		x, err := types.Parse(expr)
		if err != nil {
			t.Fatal(err)
		}
		l, _ := x.Layout(types.Host)
		r := routeOf(x)
		if r.items() != l.Items() {
			t.Fatalf("%s: %d items, not %d", expr, r.items(), l.Items())
		}
		for i := range r.items() {
			name := string(r.name(nil, i))
			var at int64
			coords := strings.Split(strings.Trim(name, "[]"), ",")
			for k := range coords {
				if order == "fortran" {
					k = len(coords) - 1 - k
				}
				c, _ := strconv.ParseInt(coords[k], 10, 64)
				at = at*width[k] + c
			}
			if off := (types.Tiling{L: l}).At(i); off != at {
				t.Fatalf("%s: item %d at %d is called %s", expr, i, off, name)
			}
		}
	}))
}

// If numbers were printed wrongly, files would seem damaged, or damage not show.
func TestValues(t *testing.T) {
	for _, c := range []struct{ rep, kind, hex, text, json string }{
		{"native", "longdouble", "35c26821a2da0fc90040000000000000", "3.1415926535897932385", "3.1415926535897932385"},
		{"native", "longdouble", "0000000000000080ff3f000000000000", "1", "1"},
		{"native", "longdouble", "0000000000000080ff7f000000000000", "+Inf", `"+Inf"`},
		{"native", "longdouble", "00000000000000000080000000000000", "-0", "-0"},
		{"native", "longdouble", "ffffffffffffffffFe7f000000000000", "1.189731495357231765e+4932", "1.189731495357231765e+4932"},
		{"external32", "longdouble", "3fff0000000000000000000000000000", "1", "1"},
		{"external32", "longdouble", "c0004000000000000000000000000000", "-2.5", "-2.5"},
		{"external32", "longdouble", "7fff8000000000000000000000000000", "NaN", `"NaN"`},
		{"external32", "longdouble", "00000000000000000000000000000001", "6e-4966", "6e-4966"},
		{"native@llp64le", "longdouble", "9a9999999999b93f", "0.1", "0.1"},
		{"external32", "real2", "3c00", "1", "1"},
		{"external32", "real2", "0001", "5.9604645e-08", "5.9604645e-08"},
		{"external32", "real2", "fc00", "-Inf", `"-Inf"`},
		{"external32", "float", "3f8ccccd", "1.1", "1.1"},
		{"external32", "double", "bfb999999999999a", "-0.1", "-0.1"},
		{"external32", "wchar", "20ac", "8364 '€'", "8364"},
		{"native", "char", "41", "65 'A'", "65"},
		{"native", "char", "0a", "10", "10"},
		{"native", "byte", "ff", "255", "255"},
		{"native", "schar", "ff", "-1", "-1"},
		{"native", "integer16", "feffffffffffffffffffffffffffffff", "-2", "-2"},
		{"native", "ulong", "ffffffffffffffff", "18446744073709551615", "18446744073709551615"},
		{"external32", "logical", "00000100", "true", "true"},
		{"external32", "floatcomplex", "3f800000c0000000", "(1, -2)", "[1,-2]"},
	} {
		form, err := views.ParseForm(c.rep)
		assert.NoError(t, err)
		x, err := types.Parse(c.kind)
		assert.NoError(t, err)
		var raw []byte
		_, err = fmt.Sscanf(c.hex, "%x", &raw)
		assert.NoError(t, err)
		v, err := newValuer(form).of(x.Kind(), raw)
		assert.NoError(t, err)
		assert.Equal(t, value{c.text, c.json}, v, "%s %s", c.kind, c.hex)
	}
}
