package race

import (
	"slices"
	"testing"

	"github.com/commworld/commworld/internal/extent"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// If a footprint were lost, or found no more after it grew, a race with it would not be
// reported; if it stayed after its removal, memory would fill. The reference is a list.
func TestFootprintsEqualList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := &footprints{}
		sites := []*site{{group: &accessGroup{number: 1}}, {group: &accessGroup{number: 2}}, {group: &accessGroup{number: 3}}}
		var list []*footprint
		draw := func(t *rapid.T) extent.Pattern {
			p := extent.Pattern{Lo: rapid.Int64Range(2, 60).Draw(t, "lo"), Block: rapid.Int64Range(1, 2).Draw(t, "block"), N: rapid.SampledFrom([]int64{1, 2, 4, 5, 9}).Draw(t, "n")}
			if p.N > 1 {
				p.Stride = rapid.SampledFrom([]int64{4, 7, 30}).Draw(t, "stride")
			}
			return p
		}
		pick := func(t *rapid.T) *footprint {
			if len(list) == 0 {
				t.Skip("there is none")
			}
			return rapid.SampledFrom(list).Draw(t, "which")
		}
		add := func(t *rapid.T) {
			e := &footprint{Pattern: draw(t), site: rapid.SampledFrom(sites).Draw(t, "site")}
			x.add(e)
			list = append(list, e)
		}
		remove := func(t *rapid.T) {
			e := pick(t)
			x.remove(e)
			x.remove(e) // it is not present any more
			list = slices.DeleteFunc(list, func(o *footprint) bool { return o == e })
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": add, "add2": add, "add3": add, "remove": remove, "remove2": remove,
			"grow": func(t *rapid.T) {
				e := pick(t)
				q := extent.Pattern{Lo: e.Start(e.N-1) + max(e.Stride, e.Block), Block: e.Block, N: 1}
				want := offsetsOf(&e.Pattern)
				if x.grow(e, q) {
					for off := range offsetsOf(&q) {
						want[off] = true
					}
				}
				assert.Equal(t, want, offsetsOf(&e.Pattern))
			},
			"join": func(t *rapid.T) {
				block := rapid.Int64Range(1, 3).Draw(t, "block")
				lo, step := rapid.Int64Range(0, 40).Draw(t, "lo"), block+rapid.Int64Range(0, 5).Draw(t, "gap")
				var of [3]*footprint
				for i := range of {
					of[i] = &footprint{Pattern: extent.Pattern{Lo: lo + int64(i)*step, Block: block, N: 1}, site: sites[0]}
				}
				x.add(of[0])
				x.add(of[1])
				want := map[int64]bool{}
				for _, e := range of {
					for off := range offsetsOf(&e.Pattern) {
						want[off] = true
					}
				}
				assert.True(t, x.joinThree(of[0], of[1], of[2].Pattern))
				assert.Equal(t, want, offsetsOf(&of[0].Pattern))
				list = append(list, of[0])
			},
			"": func(t *rapid.T) {
				var all []*footprint
				x.each(func(e *footprint) { all = append(all, e) })
				assert.ElementsMatch(t, list, all)
				assert.Equal(t, len(list), x.n)
				probes := []extent.Pattern{draw(t)}
				for by := int64(-2); by <= 2 && len(list) > 0; by++ { // neighbours, which may share a byte
					p := list[len(list)-1].Pattern
					p.Lo += by
					probes = append(probes, p)
				}
				for _, p := range probes {
					bytes, found := offsetsOf(&p), []*footprint(nil)
					x.over(&p, nil, func(e *footprint) { found = append(found, e) })
					for _, e := range list {
						meets := false
						for off := range offsetsOf(&e.Pattern) {
							meets = meets || bytes[off]
						}
						assert.True(t, !meets || slices.Contains(found, e), "%v meets %v", e.Pattern, p)
					}
					for i, e := range found {
						assert.Contains(t, list, e)
						assert.NotContains(t, found[:i], e, "each once")
					}
				}
			},
		})
	})
}
