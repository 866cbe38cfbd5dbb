package types_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/types/naive"
	"pgregory.net/rapid"
)

func init() { thorough.Fewer() }

// If the engine differed from the definition anywhere, a view would show bytes
// that are not in it and a message would carry values that no rank sent.
func TestEngineMatchesDefinition(t *testing.T) {
	t.Run("DT-DEF-01 bounds, size and order of bytes", func(t *testing.T) { many(t, 20, checkLayout) })
	t.Run("DT-DEF-01 seeking", func(t *testing.T) { many(t, 20, checkSeek) })
	t.Run("DT-DEF-01 moving bytes, cut anywhere", func(t *testing.T) { many(t, 20, checkMove) })
	t.Run("DT-DEF-01 moving many small pieces", func(t *testing.T) { many(t, 20, checkMovePieces) })
	t.Run("DT-RESIZE-03 weak markers", func(t *testing.T) { many(t, 20, checkWeak) })
	t.Run("P2P-MATCH-04 signature", func(t *testing.T) { many(t, 20, checkSignature) })
}

// many checks prop n times as often as rapid does by default.
func many(t *testing.T, n int, prop func(*rapid.T)) {
	if !thorough.All() {
		n = (n + 9) / 10
	}
	for range n {
		rapid.Check(t, prop)
		if t.Failed() {
			return
		}
	}
}

func layout(t rapid.TB, x *types.Type, s types.Sizes) *types.Layout {
	t.Helper()
	l, err := x.Layout(s)
	if err != nil {
		t.Fatalf("%#v: %v", x, err)
	}
	return l
}

// compareBackward checks that the first run that begins before its predecessor is found if
// there is one, and that displacements decrease there.
func compareBackward(t *rapid.T, x *types.Type, l *types.Layout, m naive.Map) {
	prev, off, found := l.FirstBackward()
	stepsBack := false
	before := int64(math.MinInt64)
	for off := range (types.Tiling{L: l}).Runs(0, l.Size) {
		stepsBack = stepsBack || off < before
		before = off
	}
	var items []int64 // with data
	for _, i := range m.Items {
		items = append(items, i.Disp)
	}
	if !found {
		if stepsBack {
			t.Fatalf("%#v: no run is before the last one, in %v", x, items)
		}
		return
	}
	i := slices.IndexFunc(items, func(d int64) bool { return d == prev })
	k := 0
	for k = max(i, 0) + 1; k < len(items) && (items[k] != off || items[k-1] <= off); k++ {
	}
	if off >= prev || i < 0 || k >= len(items) || items[k-1] < prev {
		t.Fatalf("%#v: %d comes after %d, in %v", x, off, prev, items)
	}
}

func checkLayout(t *rapid.T) {
	x, s := drawType(t), drawSizes(t)
	l, m := layout(t, x, s), naive.Of(x, s)
	compareBounds(t, x, l, m)
	if l.Monotone() != m.Monotone() || l.Overlaps() != m.Overlaps() || l.Items() != int64(len(m.Items)) {
		t.Fatalf("%#v: monotone %v, overlaps %v, items %d; should be %v, %v, %d", x,
			l.Monotone(), l.Overlaps(), l.Items(), m.Monotone(), m.Overlaps(), len(m.Items))
	}
	compareBackward(t, x, l, m)
	var got []int64
	last := int64(-1)
	for off, n := range (types.Tiling{L: l}).Runs(0, 3*l.Size) {
		if n <= 0 || (off == last && len(got) > 0) {
			t.Fatalf("%#v: run (%d, %d) is empty or continues the one before", x, off, n)
		}
		for b := range n {
			got = append(got, off+b)
		}
		last = off + n
	}
	i := 0
	for k, d := range x.Typemap(s) {
		if k != m.Items[i].Kind || d != m.Items[i].Disp {
			t.Fatalf("%#v: item %d is %s at %d, should be %v", x, i, k, d, m.Items[i])
		}
		i++
	}
	if i != len(m.Items) || l.Nest() == "" {
		t.Fatalf("%#v: %d items, should be %d", x, i, len(m.Items))
	}
	if want := m.Bytes(3); !slices.Equal(got, want) {
		t.Fatalf("%#v: bytes %v, should be %v", x, got, want)
	}
}

func compareBounds(t *rapid.T, x *types.Type, l *types.Layout, m naive.Map) {
	lb, ub := m.Bounds()
	tlb, tub := m.TrueBounds()
	if l.Size != m.Size() || l.LB != lb || l.UB != ub || l.Extent != ub-lb || l.TrueLB != tlb || l.TrueUB != tub {
		t.Fatalf("%#v: size %d, bounds %d..%d, true %d..%d; should be %d, %d..%d, %d..%d", x,
			l.Size, l.LB, l.UB, l.TrueLB, l.TrueUB, m.Size(), lb, ub, tlb, tub)
	}
}

func checkWeak(t *rapid.T) {
	x, s := drawType(t), drawSizes(t)
	l, m := layout(t, x, types.WeakMarkers(s)), naive.Weak(x, s)
	compareBounds(t, x, l, m)
}

// part draws a stretch of packed bytes.
func part(t *rapid.T, total int) (from, n int64) {
	from = rapid.Int64Range(0, int64(total)-1).Draw(t, "from")
	return from, rapid.Int64Range(0, int64(total)-from).Draw(t, "n")
}

func checkSeek(t *rapid.T) {
	x, s := drawType(t), drawSizes(t)
	l := layout(t, x, s)
	if l.Size == 0 {
		return
	}
	w := types.Tiling{L: l, Disp: rapid.Int64Range(-5, 20).Draw(t, "disp")}
	bytes := naive.Of(x, s).Bytes(4)
	for i := range bytes {
		bytes[i] += w.Disp
		if got := w.At(int64(i)); got != bytes[i] {
			t.Fatalf("%#v: byte %d at %d, should be at %d", x, i, got, bytes[i])
		}
	}
	from, n := part(t, len(bytes))
	piece := bytes[from : from+n]
	var got []int64
	for off, k := range w.Runs(from, n) {
		for b := range k {
			got = append(got, off+b)
		}
	}
	if !slices.Equal(got, piece) {
		t.Fatalf("%#v: bytes %d+%d at %v, should be %v", x, from, n, got, piece)
	}
	lo, hi := w.Span(from, n)
	if n > 0 && (lo > slices.Min(piece) || hi <= slices.Max(piece)) {
		t.Fatalf("%#v: span of %d+%d is %d..%d, bytes %v", x, from, n, lo, hi, piece)
	}
	limit := rapid.Int64Range(slices.Min(bytes)-2, slices.Max(bytes)+2).Draw(t, "limit")
	beyond := func(off int64) bool { return off >= limit }
	want := int64(slices.IndexFunc(piece, beyond))
	if want < 0 {
		want = n
	}
	if got := w.Until(limit, from, n); got != want {
		t.Fatalf("%#v: %d of bytes %d+%d before %d, should be %d: %v", x, got, from, n, limit, want, piece)
	}
	if want := slices.IndexFunc(bytes, beyond); want >= 0 && w.Below(limit) != int64(want) {
		t.Fatalf("%#v: %d bytes below %d, should be %d: %v", x, w.Below(limit), limit, want, bytes)
	}
}

// noise returns n bytes, different for different seeds.
func noise(n int64, seed uint64) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(seed)}).Read(b)
	return b
}

func checkMove(t *rapid.T) {
	moveCopies(t, drawType(t), drawSizes(t), rapid.Int64Range(1, 20).Draw(t, "copies"))
}

// checkMovePieces is checkMove for types that are moved several pieces at once.
func checkMovePieces(t *rapid.T) {
	r := recipes{t, false}
	x := r.draw(int(r.int("depth", 0, 3)), 6)
	if rapid.Bool().Draw(t, "nested") {
		x = types.HVector(r.int("n", 1, 20), 1, r.int("stride", -40, 150), x)
	}
	_, extent := x.Extent(types.Host)
	x = types.Resized(x, 0, extent+r.int("more", -10, 30))
	moveCopies(t, x, types.Host, r.int("copies", 1, 150))
}

func moveCopies(t *rapid.T, x *types.Type, s types.Sizes, copies int64) {
	l := layout(t, x, s)
	if l.Size == 0 {
		return
	}
	w, bytes := types.Tiling{L: l}, naive.Of(x, s).Bytes(copies)
	base := slices.Min(bytes)
	mem := noise(slices.Max(bytes)+1-base, 1)
	from, n := part(t, len(bytes))

	packed, want := noise(n, 2), make([]byte, n)
	for i := range want {
		want[i] = mem[bytes[from+int64(i)]-base]
	}
	w.Gather(packed, mem, base, from)
	if !slices.Equal(packed, want) {
		t.Fatalf("%#v x%d: gather %d+%d: % x, should be % x", x, copies, from, n, packed, want)
	}

	src, wantMem := noise(n, 3), slices.Clone(mem)
	for i, b := range src {
		wantMem[bytes[from+int64(i)]-base] = b
	}
	w.Scatter(mem, base, src, from)
	if !slices.Equal(mem, wantMem) {
		t.Fatalf("%#v x%d: scatter %d+%d: % x, should be % x", x, copies, from, n, mem, wantMem)
	}
}

func checkSignature(t *rapid.T) {
	x, s := drawType(t), drawSizes(t)
	sig, items := x.Signature(), naive.Of(x, s).Items
	n := int64(len(items))
	if sig.Len() != n || sig.Size(s) != naive.Of(x, s).Size() {
		t.Fatalf("%#v: %d items of %d bytes: %s", x, sig.Len(), sig.Size(s), sig)
	}
	if n == 0 {
		return
	}
	bytes := int64(0)
	for i := range 3 * n {
		if i < n && sig.At(i) != items[i].Kind {
			t.Fatalf("%#v: item %d is %s, should be %s", x, i, sig.At(i), items[i].Kind)
		}
		if got := sig.BytesBefore(i, s); got != bytes {
			t.Fatalf("%#v: %d bytes before item %d, should be %d", x, got, i, bytes)
		}
		if got, whole := sig.ItemsIn(bytes, s); got != i || !whole {
			t.Fatalf("%#v: %d items in %d bytes (%v), should be %d", x, got, bytes, whole, i)
		}
		for cut := int64(1); cut < items[i%n].Size; cut++ {
			if got, whole := sig.ItemsIn(bytes+cut, s); got != i || whole {
				t.Fatalf("%#v: %d items in %d bytes (%v), should be %d and a rest", x, got, bytes+cut, whole, i)
			}
		}
		bytes += items[i%n].Size
	}
	from, k := part(t, int(3*n))
	var got []types.Kind
	last := types.KindNone
	for kind, c := range sig.Items(from, k) {
		if kind == last || c < 1 {
			t.Fatalf("%#v: run of %d %s after %s", x, c, kind, last)
		}
		last = kind
		for range c {
			got = append(got, kind)
		}
	}
	for i := range k {
		if got[i] != items[(from+i)%n].Kind {
			t.Fatalf("%#v: item %d of %d+%d is %s", x, i, from, k, got[i])
		}
	}
	if int64(len(got)) != k {
		t.Fatalf("%#v: %d items, should be %d", x, len(got), k)
	}
}

// Comparing signatures wrongly would let a float arrive as an int, or refuse a
// legal message.
func TestSignatureComparison(t *testing.T) {
	t.Run("P2P-MATCH-03 prefix, repetition, difference", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			a, b := drawFew(t, "a"), drawFew(t, "b")
			sa, sb := struct1(a).Signature(), nested(b).Signature()
			if sa.Equal(sb) != slices.Equal(a, b) || (sa.Equal(sb) && sa.Hash() != sb.Hash()) {
				t.Fatalf("%s = %s is %v", sa, sb, sa.Equal(sb))
			}
			prefix := len(a) <= len(b) && slices.Equal(a, b[:len(a)])
			if sa.Prefix(sb) != prefix {
				t.Fatalf("%s prefix of %s is %v", sa, sb, sa.Prefix(sb))
			}
			n := rapid.IntRange(0, 4).Draw(t, "n")
			var rep []*types.Type
			for range n {
				rep = append(rep, b...)
			}
			if got, ok := nested(rep).Signature().Repeats(sb); !ok || (len(b) > 0 && got != int64(n)) {
				t.Fatalf("%s x%d: repeats %d, %v", sb, n, got, ok)
			}
			at := 0
			for at < len(a) && at < len(b) && a[at] == b[at] {
				at++
			}
			if got, differ := sa.Difference(sb); differ == slices.Equal(a, b) || (differ && got != int64(at)) {
				t.Fatalf("%s and %s differ at %d (%v), should be %d", sa, sb, got, differ, at)
			}
		})
	})
}

func drawFew(t *rapid.T, name string) []*types.Type {
	two := rapid.SampledFrom([]*types.Type{types.Int, types.Float})
	return rapid.SliceOfN(two, 0, 8).Draw(t, name)
}

// struct1 lists kinds in one struct, nested in as many structs as there are.
func struct1(kinds []*types.Type) *types.Type {
	var f []types.Field
	for _, k := range kinds {
		f = append(f, types.Field{Count: 1, Type: k})
	}
	return types.Struct(f...)
}

func nested(kinds []*types.Type) *types.Type {
	t := types.Contiguous(0, types.Int)
	for _, k := range kinds {
		t = types.Struct(types.Field{Count: 1, Type: t}, types.Field{Count: 1, Disp: 4, Type: k})
	}
	return t
}
