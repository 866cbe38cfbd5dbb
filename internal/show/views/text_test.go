package views

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/show/picture"
)

// Overlaps are marked by more than a colour.
func TestOverlapsWithoutColour(t *testing.T) {
	p := &sheet{colours: true, signs: map[byte]bool{}}
	l := newLane(4)
	l.put(0, '0', 0)
	l.put(1, double, shared)
	l.put(3, '1', 1)
	assert.Equal(t, picture.Paint(0)+"0\x1b[0m\x1b[7;1m#\x1b[0m "+picture.Paint(1)+"1\x1b[0m", p.painted(l))
}
