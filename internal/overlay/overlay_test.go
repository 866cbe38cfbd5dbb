package overlay

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/extent"
)

func write(off int64, data ...byte) *Write {
	return &Write{Runs: []extent.Run{{Off: off, Len: int64(len(data))}}, Data: data}
}

// A read sees each write that races with it as a whole or not at all, and always
// sees writes ordered before it.
func TestOutcomes(t *testing.T) {
	base := []byte{9, 9}
	layers := []Layer{{Write: write(0, 1), Races: false}, {Write: write(0, 2, 2), Races: true}, {Write: write(5, 3), Races: true}}
	found, all := Outcomes(base, layers, []extent.Run{{Off: 0, Len: 2}})
	assert.True(t, all)
	assert.Equal(t, []Outcome{{Bytes: []int16{1, 9}}, {Bytes: []int16{2, 2}}}, found)

	found, all = Outcomes(base, layers, nil)
	assert.True(t, all)
	assert.Equal(t, []Outcome{{Size: 2}, {Size: 6}}, found, "a question for the size")

	found, _ = Outcomes(base, []Layer{{Write: &Write{Kind: Resize, Size: 1}, Races: true}, {Write: &Write{Kind: Grow, Size: 3}}}, []extent.Run{{Off: 1, Len: 2}})
	assert.Equal(t, []Outcome{{Bytes: []int16{9, Hole}}, {Bytes: []int16{Hole, Hole}}}, found)
}

// If there are more racing writes than are tried in all combinations, the result says so.
func TestOutcomesOfTooMany(t *testing.T) {
	var layers []Layer
	for i := range mostRacing + 1 {
		layers = append(layers, Layer{Write: write(0, byte(i)), Races: true})
	}
	found, all := Outcomes([]byte{99}, layers, []extent.Run{{Len: 1}})
	assert.False(t, all)
	assert.Equal(t, []int16{99}, found[0].Bytes)
	assert.Len(t, found, mostRacing+2)
}

// A new write may have a position below the writes that race with it, and below those on
// top of them, but it is above all that it certainly overwrites.
func TestPositions(t *testing.T) {
	racing := []Layer{{Write: write(0, 1, 1), Races: true}, {Write: write(1, 2, 2), Races: false}}
	marked, all := Positions(racing, write(0, 5))
	assert.True(t, all)
	assert.Equal(t, [][]bool{{false, false}, {true, true}}, marked)
	assert.Equal(t, []string{"new", "a", "b"}, InsertBelow([]string{"a", "b"}, marked[1], "new"))
	assert.Equal(t, []string{"a", "b", "new"}, InsertBelow([]string{"a", "b"}, marked[0], "new"))

	marked, _ = Positions(racing, write(0, 5, 5))
	assert.Len(t, marked, 1, "it certainly covers the second, which is on top of the first")
	marked, _ = Positions(racing[:1], write(0, 1, 1))
	assert.Len(t, marked, 1, "the same bytes: which is on top makes no difference")
}

// A naiveFile is a file as the definition has it: a size, and the bytes that were written.
type naiveFile struct {
	size  int64
	bytes map[int64]int16
}

func (f *naiveFile) apply(x *Write) {
	switch x.Kind {
	case Bytes:
		if len(x.Data) > 0 {
			k := 0
			for _, r := range x.Runs {
				for i := range r.Len {
					f.bytes[r.Off+i] = int16(x.Data[k])
					k++
				}
			}
		}
		for _, r := range x.Runs {
			f.size = max(f.size, r.Off+r.Len)
		}
	case Resize:
		f.size = x.Size
		for off := range f.bytes {
			if off >= x.Size {
				delete(f.bytes, off)
			}
		}
	case Grow:
		f.size = max(f.size, x.Size)
	}
}

// outcome returns what a read of runs finds, or the size.
func (f *naiveFile) outcome(runs []extent.Run) Outcome {
	if len(runs) == 0 {
		return Outcome{Size: f.size}
	}
	var found []int16
	for _, r := range runs {
		for i := range r.Len {
			if r.Off+i >= f.size {
				return Outcome{Bytes: found}
			}
			b, ok := f.bytes[r.Off+i]
			if !ok {
				b = Hole
			}
			found = append(found, b)
		}
	}
	return Outcome{Bytes: found}
}

func naive(base []byte, layers []Layer, sees func(i int) bool) *naiveFile {
	f := &naiveFile{int64(len(base)), map[int64]int16{}}
	for i, b := range base {
		f.bytes[int64(i)] = int16(b)
	}
	for i, l := range layers {
		if sees(i) {
			f.apply(l.Write)
		}
	}
	return f
}

func drawRuns(t *rapid.T, most int) (runs []extent.Run) {
	end := int64(0)
	for range rapid.IntRange(1, most).Draw(t, "runs") {
		off := end + rapid.Int64Range(0, 2).Draw(t, "gap")
		n := rapid.Int64Range(1, 3).Draw(t, "length")
		runs, end = append(runs, extent.Run{Off: off, Len: n}), off+n
	}
	return runs
}

func drawWrite(t *rapid.T) *Write {
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return &Write{Kind: Resize, Size: rapid.Int64Range(0, 9).Draw(t, "size")}
	case 1:
		return &Write{Kind: Grow, Size: rapid.Int64Range(0, 9).Draw(t, "size")}
	}
	x := &Write{Runs: drawRuns(t, 2)}
	if rapid.IntRange(0, 7).Draw(t, "known") > 0 {
		for _, r := range x.Runs {
			for range r.Len {
				x.Data = append(x.Data, byte(rapid.IntRange(1, 2).Draw(t, "value")))
			}
		}
	}
	return x
}

func drawLayers(t *rapid.T, most int) (base []byte, layers []Layer) {
	base = make([]byte, rapid.IntRange(0, 5).Draw(t, "base"))
	for range rapid.IntRange(0, most).Draw(t, "layers") {
		layers = append(layers, Layer{drawWrite(t), rapid.IntRange(0, 3).Draw(t, "races") > 0})
	}
	return base, layers
}

// A state has the bytes of its range, and of no other place, after any writes.
func TestStateEqualsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, layers := drawLayers(t, 4)
		lo := rapid.Int64Range(0, 4).Draw(t, "lo")
		hi := lo + rapid.Int64Range(0, 6).Draw(t, "length")
		s := NewState(base, lo, hi)
		for _, l := range layers {
			s.Apply(l.Write)
		}
		f := naive(base, layers, func(int) bool { return true })
		want := make([]int16, hi-lo)
		for i := range want {
			want[i] = Hole
			if b, ok := f.bytes[lo+int64(i)]; ok {
				want[i] = b
			}
		}
		assert.Equal(t, want, s.Mem)
		assert.Equal(t, f.size, s.Size)
	})
}

// Outcomes are those of all choices of racing writes, by the definition: a file as a map of
// bytes, and each write that races seen or not. (LIT-X1)
func TestOutcomesEqualDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, layers := drawLayers(t, 5)
		var runs []extent.Run
		if rapid.IntRange(0, 4).Draw(t, "query") > 0 {
			runs = drawRuns(t, 3)
		}
		found, all := Outcomes(base, layers, runs)
		assert.True(t, all)
		var want []Outcome
		for some := range 1 << len(layers) {
			o := naive(base, layers, func(i int) bool { return !layers[i].Races || some>>i&1 > 0 }).outcome(runs)
			if !slices.ContainsFunc(want, o.Equal) {
				want = append(want, o)
			}
		}
		assert.ElementsMatch(t, want, found)
		assert.True(t, want[0].Equal(found[0]), "the first is that of no racing write")
		for i, l := range layers { // a layer that is not listed makes no difference
			if l.Races && !slices.Contains(Matter(base, layers, runs), i) {
				for some := range 1 << len(layers) {
					sees := func(k int) bool { return !layers[k].Races || some>>k&1 > 0 }
					with := naive(base, layers, func(k int) bool { return k == i || sees(k) }).outcome(runs)
					without := naive(base, layers, func(k int) bool { return k != i && sees(k) }).outcome(runs)
					assert.Equal(t, with, without)
				}
			}
		}
	})
}

// A layer that cannot change a read is not tried: it would double the combinations.
func TestMatterLeavesOut(t *testing.T) {
	read := []extent.Run{{Off: 2, Len: 2}}
	base := make([]byte, 6)
	for _, row := range []struct {
		name   string
		layers []Layer
		want   []int
	}{
		{"bytes before and after", []Layer{{write(0, 1, 1), true}, {write(4, 1), true}}, nil},
		{"its first and last byte", []Layer{{write(1, 1, 1), true}, {write(3, 1, 1), true}}, []int{0, 1}},
		{"one that does not race", []Layer{{write(2, 1), false}}, nil},
		{"growing a file that is long enough", []Layer{{&Write{Kind: Grow, Size: 9}, true}}, nil},
		{"a size at the end of the read", []Layer{{&Write{Kind: Resize, Size: 4}, true}}, nil},
		{"a size within it", []Layer{{&Write{Kind: Resize, Size: 3}, true}}, []int{0}},
		{"a size within it, and writes behind", []Layer{{&Write{Kind: Resize, Size: 3}, true}, {write(8, 1), true}, {&Write{Kind: Grow, Size: 4}, true}}, []int{0, 1, 2}},
		{"a certain size before it, and writes", []Layer{{&Write{Kind: Resize, Size: 1}, false}, {write(0, 1, 1), true}, {write(5, 1), true}}, []int{2}},
	} {
		t.Run(row.name, func(t *testing.T) { assert.Equal(t, row.want, Matter(base, row.layers, read)) })
	}
	assert.Equal(t, []int{0, 1}, Matter(base, []Layer{{write(0, 1), true}, {&Write{Kind: Grow, Size: 9}, true}, {write(0, 1), false}}, nil), "all matter for the size")
}

// ordered returns a text of the file after two writes.
func ordered(size int64, a, b *Write) string {
	f := naive(make([]byte, size), []Layer{{a, false}, {b, false}}, func(int) bool { return true })
	return fmt.Sprint(f.size, f.bytes)
}

// Two writes touch if their order makes a difference to some file; data that are not known
// yet may be any.
func TestTouchesEqualsDefinition(t *testing.T) {
	sizes := []*Write{{Kind: Resize, Size: 2}, {Kind: Resize, Size: 3}, {Kind: Grow, Size: 2}, {Kind: Grow, Size: 3}, write(0, 1, 1), write(1, 1, 1)}
	for i, a := range sizes { // writes that end at a size, and behind it
		for k, b := range sizes {
			assert.Equal(t, ordered(0, a, b) != ordered(0, b, a) || ordered(9, a, b) != ordered(9, b, a), a.touches(b), "%d, %d", i, k)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawWrite(t), drawWrite(t)
		want := false
		for size := range int64(12) {
			want = want || ordered(size, a, b) != ordered(size, b, a)
		}
		if a.Kind == Bytes && b.Kind == Bytes && (len(a.Data) == 0 || len(b.Data) == 0) {
			want = slices.ContainsFunc(a.Runs, b.Hits)
			assert.Equal(t, want, slices.ContainsFunc(b.Runs, a.Hits))
		}
		assert.Equal(t, want, a.touches(b))
		assert.Equal(t, want, b.touches(a))
		assert.Equal(t, a.Kind == Resize || a.Kind == Grow, a.Resizes(), "a change of the size")
		hits := false
		for _, q := range a.Runs {
			for off := q.Off; off < q.Off+q.Len; off++ {
				hits = hits || 2 <= off && off < 4
			}
		}
		assert.Equal(t, hits, a.Hits(extent.Run{Off: 2, Len: 2}))
	})
}

// The sets of layers that may be on top of a new write are, by the definition, those that
// contain with each layer all that is on top of it, no layer that it certainly covers, and
// nothing but layers that race and what is on top of them. (LIT-X1)
func TestPositionsEqualDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, layers := drawLayers(t, 6)
		x := drawWrite(t)
		marked, all := Positions(layers, x)
		assert.True(t, all)
		assert.Equal(t, make([]bool, len(layers)), marked[0], "the first is on top of all")
		var want [][]bool
		for some := range 1 << len(layers) {
			in := make([]bool, len(layers))
			reached := make([]bool, len(layers))
			fits := true
			for i, l := range layers {
				in[i] = some>>i&1 > 0
				reached[i] = l.Races && l.touches(x)
				for k := range i {
					if layers[k].touches(l.Write) {
						fits = fits && (!in[k] || in[i])
						reached[i] = reached[i] || in[k] && reached[k]
					}
				}
				fits = fits && (!in[i] || reached[i] && (l.Races || !l.touches(x)))
			}
			if fits {
				want = append(want, in)
			}
		}
		assert.ElementsMatch(t, want, marked)
	})
}

// If more layers race than are tried in all combinations, the result has none of them, all of
// them, and each alone; up to the bound it has all.
func TestPositionsOfTooMany(t *testing.T) {
	of := func(n int) (marked [][]bool, all bool) {
		x, layers := &Write{}, []Layer(nil)
		for i := range n {
			layers = append(layers, Layer{write(int64(i), 1), true})
			x.Runs, x.Data = append(x.Runs, extent.Run{Off: int64(i), Len: 1}), append(x.Data, 2)
		}
		return Positions(layers, x)
	}
	marked, all := of(mostRacing)
	assert.True(t, all)
	assert.Len(t, marked, 1<<mostRacing)
	marked, all = of(40)
	assert.False(t, all)
	count := func(m []bool) int { return len(numbered(m)) }
	assert.Equal(t, []int{0, 40}, []int{count(marked[0]), count(marked[1])})
	assert.Len(t, marked, 2+32)
	for i, m := range marked[2:] {
		assert.Equal(t, []int{i}, numbered(m))
	}
	var layers []Layer
	for i := range mostRacing {
		layers = append(layers, Layer{write(int64(i), 1), true})
	}
	found, all := Outcomes(make([]byte, mostRacing), layers, []extent.Run{{Len: mostRacing}})
	assert.True(t, all)
	assert.Len(t, found, 1<<mostRacing)
}
