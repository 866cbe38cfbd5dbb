package proptest

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
)

// Rank runs p as one rank of a world that the caller has started, on files of l,
// and returns what the rank saw, a line for each operation. The same program
// that does not race sees the same wherever its ranks run: in one process, or each
// in its own. Errors: those of the layer, as an [OpError].
func Rank(l Layer, c *comm.Comm, p *gen.Program) (account string, err error) {
	out := &trace{seen: make([]observation, len(p.Ops)*p.Ranks), ranks: p.Ranks}
	pl := &player{l: l, c: c, p: p, out: out}
	err = pl.run(manner{})
	var b strings.Builder
	for k := range p.Ops {
		o := out.of(k, c.Rank())
		fmt.Fprintf(&b, "%d: %d", k, o.moved)
		if o.data != nil {
			fmt.Fprintf(&b, " %s", hex.EncodeToString(o.read()))
			if o.moved < len(o.data) {
				b.WriteString(" cut")
			}
		}
		for _, x := range []struct {
			name  string
			known bool
			value int64
		}{{"pointer", o.hasPos, o.pos}, {"shared", o.hasShare, o.shared}, {"size", o.hasSize, o.size}} {
			if x.known {
				fmt.Fprintf(&b, ", %s %d", x.name, x.value)
			}
		}
		b.WriteByte('\n')
	}
	return b.String(), err
}
