package overlay

import (
	"testing"

	"github.com/stretchr/testify/assert"

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
