package proptest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/proptest/gen"
)

// byBytes is the content of a file by the definition: a map from bytes to values, which
// looks at each byte of each access alone.
type byBytes struct {
	values map[int64]cell
	claims map[int64]claim
	ranks  int
}

func naively(ranks int) content {
	return &byBytes{map[int64]cell{}, map[int64]claim{}, ranks}
}

func (c *byBytes) bit(user int) uint8 { return 1 << (user / c.ranks) }

func (c *byBytes) knows(user int, at int64) bool {
	by, has := c.claims[at]
	return !has || by.who == int16(user) || by.who >= 0 && user >= 0 && by.sent&c.bit(user) != 0
}

// bytesOf lists the bytes of an access.
func bytesOf(m *move) []int64 {
	var list []int64
	for i := range m.bytes() {
		list = append(list, m.byteAt(i))
	}
	return list
}

func (c *byBytes) claim(m *move) {
	for _, at := range bytesOf(m) {
		who := many
		if c.knows(m.user, at) {
			who = int16(m.user)
		}
		c.claims[at] = claim{who: who}
	}
}

func (c *byBytes) unclaim(a, b *move) {
	list := bytesOf(b)
	for _, at := range bytesOf(a) {
		if slices.Contains(list, at) {
			c.claims[at] = claim{who: many}
		}
	}
}

func (c *byBytes) mixes(m, w *move) {
	for _, at := range bytesOf(w) {
		m.amid.set(at, at+1, true)
	}
}

func (c *byBytes) pass(from, to uint8) {
	for at, by := range c.claims {
		if by.who >= 0 && (from&c.bit(int(by.who)) != 0 || by.sent != 0) {
			by.sent |= to
			c.claims[at] = by
		}
	}
}

func (c *byBytes) put(m *move) {
	for i, at := range bytesOf(m) {
		c.values[at] = cell{m.file[i], int16(m.rank), int32(m.op)}
	}
}

func (c *byBytes) cut(n int64) {
	maps.DeleteFunc(c.values, func(at int64, _ cell) bool { return at >= n })
}

func (c *byBytes) publish(none bool) {
	for at, by := range c.claims {
		if none || by.who == many {
			delete(c.values, at)
		}
	}
	clear(c.claims)
}

func (c *byBytes) compare(m *move, got []byte) (bad int64, all bool) {
	all = true
	for i := range got {
		at := m.byteAt(int64(i))
		want, known := c.at(at, m.user)
		if _, amid := m.amid.at(at); amid {
			known = false
		}
		if known && want.b != got[i] {
			return int64(i), all
		}
		all = all && known
	}
	return -1, all
}

func (c *byBytes) at(off int64, user int) (cell, bool) {
	if !c.knows(user, off) {
		return cell{}, false
	}
	v, has := c.values[off]
	return v, has
}

func (c *byBytes) snapshot() (values spans[written], claimed spans[bool]) {
	for at, v := range c.values {
		values.set(at, at+1, written{&data{[]byte{v.b}, v.rank, v.op}, at})
	}
	for at := range c.claims {
		claimed.set(at, at+1, true)
	}
	return values, claimed
}

func (c *byBytes) lost(stored []byte, index func(off int64) int64) (off int64, differs bool) {
	for _, at := range slices.Sorted(maps.Keys(c.values)) {
		switch i := index(at); {
		case i < 0:
		case i >= int64(len(stored)):
			return at, false
		case stored[i] != c.values[at].b:
			return at, true
		}
	}
	return -1, false
}

// mixed has programs that use all that the reference knows, shaped or not.
func mixed(use gen.Use) *rapid.Generator[*gen.Program] {
	return gen.Programs(gen.Limits{Ranks: 4, Ops: 20, Use: gen.Everything | use})
}

// falsify changes one result of a trace.
func falsify(t *rapid.T, tr *trace) {
	if len(tr.seen) == 0 {
		return
	}
	see := &tr.seen[rapid.IntRange(0, len(tr.seen)-1).Draw(t, "observation")]
	k := rapid.IntRange(0, 1<<10).Draw(t, "byte")
	switch how := rapid.IntRange(0, 5).Draw(t, "how"); {
	case how == 0 && len(see.data) > 0:
		see.data[k%len(see.data)] ^= 1
	case how == 1:
		see.moved--
	case how == 2:
		see.pos++
	case how == 3:
		see.size++
	case how == 4 && len(tr.stored) > 0:
		tr.stored[k%len(tr.stored)] ^= 1
	case len(tr.stored) > 0:
		tr.stored = tr.stored[:k%len(tr.stored)]
	}
}

// sayings returns the text of a verdict. Where no order explains accesses in atomic mode, the
// ranges that it lists depend on how the bytes of before are cut: the text is without them.
func sayings(err error) string {
	var d *Disagreement
	if errors.As(err, &d) && strings.HasPrefix(d.What, "no order of the accesses") {
		short := *d
		short.Origin = ""
		return short.Error()
	}
	return fmt.Sprint(err)
}

// TestByBytes: if it fails, the judge by ranges of bytes and the one by single bytes say
// different things about the same results, right or wrong ones.
func TestByBytes(t *testing.T) {
	for name, use := range map[string]gen.Use{
		"free": 0, "shaped": gen.Shapes | gen.AnyValues | gen.Irregular, "far": gen.Shapes | gen.FarOffsets | gen.AnyValues, "two handles": gen.Shapes | gen.TwoHandles, "two files": gen.Shapes | gen.TwoFiles,
	} {
		if use&(gen.TwoHandles|gen.TwoFiles) != 0 {
			use &^= gen.AtomicMode
		}
		programs := mixed(use)
		t.Run(name, func(t *testing.T) {
			wrong := 0
			rapid.Check(t, func(t *rapid.T) {
				p := programs.Draw(t, "program")
				tr, err := play(Ours(nil), p, manner{})
				require.NoError(t, err)
				for range 4 {
					want, got := judgeBy(p, tr, naively), judge(p, tr)
					require.Equal(t, sayings(want), sayings(got), "%v", p)
					if got != nil {
						wrong++
						break
					}
					falsify(t, tr)
				}
			})
			assert.NotZero(t, wrong)
		})
	}
}

// TestPieces: if it fails, the judge looks at other bytes than those of a view.
func TestPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMove(gen.View().Draw(t, "view"), rapid.Int64Range(0, 9).Draw(t, "n"))
		m.at = rapid.Int64Range(0, 9).Draw(t, "at")
		if m.n == 0 {
			return
		}
		var got []int64
		for _, p := range m.pieces() {
			assert.Equal(t, int64(len(got)), p.i)
			for k := range p.n {
				got = append(got, p.off+k)
			}
		}
		assert.Equal(t, bytesOf(m), got)
		size := rapid.Int64Range(0, m.end()+3).Draw(t, "size")
		first := slices.IndexFunc(got, func(at int64) bool { return at >= size })
		if first < 0 {
			first = len(got)
		}
		assert.EqualValues(t, first, m.readable(size))
		k := int64(0)
		for m.v.byteAt(k*m.v.unit.file) < size {
			k++
		}
		assert.Equal(t, k, m.v.end(size))
	})
}
