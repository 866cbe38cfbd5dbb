package course

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/world"
)

// A finding of wrong bytes must say what happened to them and where, or the student would
// have to find that out.
func TestDiffers(t *testing.T) {
	numbers := ints(0, 1, 2, 3, 4, 5, 6, 7)
	with := func(at int, b ...byte) []byte {
		return append(append(append([]byte{}, numbers[:at]...), b...), numbers[at+len(b):]...)
	}
	for want, got := range map[string][]byte{
		"the file \"f\" has 8 bytes and should have 32; the first 8 are right":    numbers[:8],
		"4 bytes from byte 4 on are a5: no rank has written them":                 with(4, 0xa5, 0xa5, 0xa5, 0xa5),
		"with the bytes of each in the other order":                               with(4, 0, 0, 0, 1, 0, 0, 0, 2),
		"the data at byte 0 belong at byte 8":                                     append(append([]byte{}, numbers[8:]...), 0, 0, 0, 0, 0, 0, 0, 0),
		"the data for byte 0 are at byte 8":                                       append([]byte("header  "), numbers[:24]...),
		"byte 12 was written by rank 3 in WriteAt (main.go:7)":                    with(12, 9),
		"bytes 8 to 23 are  02 00 00 00 09 00 00 00 04 00 00 00 05 00 00 00\nand": with(12, 9),
	} {
		f := &world.CareFile{Name: "f", Bytes: got, Writes: []world.CareWrite{
			{Lo: 12, Hi: 16, Rank: 3, Op: "WriteAt", Place: world.Place{File: "/home/ada/main.go", Line: 7}},
		}}
		g := new(ran).differs(f, numbers)
		assert.Contains(t, g.Text, want)
		if len(got) > 12 && got[12] == 9 {
			assert.Equal(t, []int{3}, g.Ranks)
			assert.Equal(t, []string{"main.go:7"}, g.Lines)
		}
	}
	empty := new(ran).differs(&world.CareFile{Name: "f"}, numbers)
	assert.Equal(t, "the file \"f\" is empty and should have 32 bytes", empty.Text)
	zeros := new(ran).differs(&world.CareFile{Name: "f", Bytes: make([]byte, 32)}, numbers)
	assert.NotContains(t, zeros.Text, "belong", "zeros are everywhere")
}
