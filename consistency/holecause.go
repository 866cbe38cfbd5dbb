package consistency

import (
	"fmt"
	"strconv"
	"strings"
)

// HoleCause returns the likely mistake behind bytes lo to hi-1 of a file, which none of the
// ranks wrote; empty if none is recognised. The byte before them was written by below, the one
// behind them by above; either may be nil.
func HoleCause(below, above *Party, lo, hi int64, ranks int) string {
	if text := offsetInBytes(below, above, lo, hi); text != "" {
		return text
	}
	for _, p := range []*Party{below, above} {
		if p == nil {
			continue
		}
		if text := strideMistake(p, int64(ranks)); text != "" {
			return text
		}
	}
	return ""
}

// offsetInBytes: two ranks have one view of whole etypes, and would meet if their offsets
// counted bytes.
func offsetInBytes(below, above *Party, lo, hi int64) string {
	if below == nil || above == nil || below.Rank == above.Rank {
		return ""
	}
	v, w := below.viewOf(), above.viewOf()
	size := elementSize(above)
	if v == nil || w == nil || *v != *w || v.etype != v.filetype || size <= 1 || hi-w.disp != size*(lo-v.disp) {
		return ""
	}
	return fmt.Sprintf("the offset of %s looks like a number of bytes: offsets count etypes of the view, here %s of %d bytes; divide it by %d", above.called(), v.etype, size, size)
}

// strideMistake: the filetype is a vector whose stride is a number of bytes, or whose rows have
// a rest that belongs to no rank.
func strideMistake(p *Party, ranks int64) string {
	v, size := p.viewOf(), elementSize(p)
	if v == nil || size == 0 || ranks == 0 {
		return ""
	}
	_, text, _ := strings.Cut(" "+v.filetype, " vector(")
	text, _, ok := strings.Cut(text, ")")
	parts := strings.Split(text, ", ")
	if !ok || len(parts) != 4 || parts[3] != v.etype {
		return ""
	}
	block, err := strconv.ParseInt(parts[1], 10, 64)
	stride, err2 := strconv.ParseInt(parts[2], 10, 64)
	switch {
	case err != nil || err2 != nil:
	case size > 1 && stride == ranks*block*size:
		return fmt.Sprintf("the stride %d of vector(%s) counts elements of %s, not bytes (an Hvector counts bytes)", stride, text, v.etype)
	case stride%ranks != 0 && stride/ranks == block:
		return fmt.Sprintf("the %d elements of a row, the stride of vector(%s), are not divisible by %d ranks: %d / %d is %d, and the last %s to no rank",
			stride, text, ranks, stride, ranks, block, belong(stride%ranks))
	}
	return ""
}

func belong(n int64) string {
	if n == 1 {
		return "element belongs"
	}
	return fmt.Sprintf("%d elements belong", n)
}

// elementSize returns the size of the etype of a view, 0 if it is unknown.
func elementSize(p *Party) int64 {
	if x, ok := p.Parts.(viewSizer); ok {
		return x.ElementSize()
	}
	return 0
}
