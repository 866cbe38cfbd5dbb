package types

import (
	"fmt"
	"iter"
	"strings"
)

// Typemap returns the basic items of one copy of t under s and their displacements, in
// typemap order. It makes no list, so it works for any number of items. A type that holds
// an error has none.
func (t *Type) Typemap(s Sizes) iter.Seq2[Kind, int64] {
	return func(yield func(Kind, int64) bool) {
		l, err := t.Layout(s)
		if err != nil {
			return
		}
		c := Tiling{L: l}.Cursor(0)
		for k, n := range t.Signature().Runs() {
			size := s.Sizeof(k)
			for range n {
				if off, _ := c.Next(size); !yield(k, off) {
					return
				}
			}
		}
	}
}

// Nest returns the compiled layout as text, outermost loop first: "8: 3 x 24 of run 16" is
// three runs of 16 bytes, one every 24 bytes from displacement 8 on.
func (l *Layout) Nest() string {
	if l.Size == 0 {
		return "nothing"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d: ", l.shape.nest.off)
	l.shape.nest.nd.describe(&b)
	return b.String()
}

func (nd *node) describe(b *strings.Builder) {
	const few = 8
	switch {
	case nd.op == opRun:
		fmt.Fprintf(b, "run %d", nd.size)
		return
	case nd.op == opRep:
		fmt.Fprintf(b, "%d x %d of ", nd.n, nd.stride)
		nd.kid.describe(b)
		return
	case nd.kid != nil && nd.starts == nil:
		fmt.Fprintf(b, "at %s of ", nd.someOffs(few))
		nd.kid.describe(b)
		return
	}
	b.WriteByte('{')
	for i := range nd.offs {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == few {
			fmt.Fprintf(b, "... %d in all", len(nd.offs))
			break
		}
		fmt.Fprintf(b, "%d: ", nd.offs[i])
		nd.entry(i).describe(b)
	}
	b.WriteByte('}')
}

func (nd *node) someOffs(few int) string {
	if len(nd.offs) <= few {
		return fmt.Sprint(nd.offs)
	}
	return strings.TrimSuffix(fmt.Sprint(nd.offs[:few]), "]") + fmt.Sprintf(" ... %d in all]", len(nd.offs))
}
