package peers

import (
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/commworld/commworld/types"
)

// Recipe returns t in postfix form, which a peer reads to build it. The LB and UB markers
// have no such form, because the libraries have no such datatypes any more.
func Recipe(t *types.Type) (string, error) {
	text, err := appendRecipe(nil, t)
	return string(text), err
}

func appendRecipe(text []byte, t *types.Type) ([]byte, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	env := t.Envelope()
	if env.Combiner == types.CombinerNamed {
		return appendName(text, t), nil
	}
	c, err := t.Contents()
	if err != nil {
		return nil, err
	}
	for _, old := range c.Types {
		if text, err = appendRecipe(text, old); err != nil {
			return nil, err
		}
		text = append(text, ' ')
	}
	text = fmt.Appendf(text, "%d %d %d %d", env.Combiner, env.Integers, env.Addresses, env.Datatypes)
	for _, list := range [][]int64{c.Integers, c.Addresses} {
		for _, n := range list {
			text = append(text, ' ')
			text = strconv.AppendInt(text, n, 10)
		}
	}
	return text, nil
}

// appendName writes the name of a predefined type, even if its user gave it another name.
func appendName(text []byte, t *types.Type) []byte {
	if k := t.Kind(); k.Valid() {
		return append(text, k.MPI()...)
	}
	for _, pair := range types.Pairs() {
		if t.Equal(pair) {
			return append(text, pair.Name()...)
		}
	}
	return append(text, t.Name()...)
}

// Pattern fills the memory of a window whose first byte is lo bytes from the buffer's
// origin. The value of a byte depends on its distance to the origin.
func Pattern(mem []byte, lo int64) {
	for i := range mem {
		mem[i] = byte(uint32(lo+int64(i)) * 2654435761 >> 24)
	}
}

// Hash is the FNV-1a hash of 64 bits.
func Hash(p []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(p) // a hash.Hash never returns an error
	return h.Sum64()
}
