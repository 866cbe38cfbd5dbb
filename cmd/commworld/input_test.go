package main

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// If FILE were cut wrongly, some of its bytes would never be written or read.
func TestInput(t *testing.T) {
	seven, wide := int64(7), int64(1000)
	for _, c := range []struct {
		name        string
		bytes       int
		elem        element
		width       *int64
		rows, cols  int64
		array, tail int
	}{
		{"near square", 800, elements[0], nil, 10, 10, 800, 0},
		{"a row is not full", 900, elements[0], nil, 11, 10, 880, 20},
		{"an element is not full", 803, elements[0], nil, 10, 10, 800, 3},
		{"given width", 803, elements[2], &seven, 28, 7, 784, 19},
		{"less than a row", 803, elements[0], &wide, 0, 1000, 0, 803},
		{"less than an element", 5, elements[0], nil, 0, 1, 0, 5},
		{"one byte", 1, elements[1], nil, 1, 1, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := make([]byte, c.bytes)
			in := newInput("x", data, c.elem, c.width)
			assert.Equal(t, shape{c.rows, c.cols}, in.shape)
			assert.Equal(t, [2]int{c.array, c.tail}, [2]int{len(in.array), len(in.tail)})
			assert.Equal(t, int64(c.bytes), in.size())
		})
	}
}

// If the bytes that external32 should have were computed wrongly, a wrong file
// would pass or a right one fail.
func TestBigEndian(t *testing.T) {
	width := int64(2)
	in := newInput("x", []byte("abcdefghijklmnopXY"), ints(), &width)
	got, err := io.ReadAll(&reversed{in: in, size: 4})
	assert.NoError(t, err)
	assert.Equal(t, "dcbahgfelkjiponmXY", string(got))
	got, err = io.ReadAll(in.native())
	assert.NoError(t, err)
	assert.Equal(t, "abcdefghijklmnopXY", string(got))
}

// If the comparison missed a byte at the seam of two pieces, or at the end of a
// file that is too short or too long, a lost byte would pass.
func TestCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(256<<10-3, 256<<10+3)).Draw(t, "length")
		want := bytes.Repeat([]byte{7}, n)
		found := bytes.Clone(want)
		switch rapid.SampledFrom([]string{"same", "changed", "short", "long"}).Draw(t, "what") {
		case "changed":
			if n > 0 {
				found[rapid.IntRange(0, n-1).Draw(t, "byte")] = 8
			}
		case "short":
			found = found[:rapid.IntRange(0, n).Draw(t, "left")]
		case "long":
			found = append(found, 9)
		}
		first := int(mismatch(found, want))
		same := bytes.Equal(found, want)

		var seen bytes.Buffer
		m, read, err := compare(iotest.HalfReader(bytes.NewReader(found)), bytes.NewReader(want), &seen)
		assert.NoError(t, err)
		if same {
			assert.Nil(t, m)
			assert.Equal(t, int64(n), read)
			assert.Equal(t, string(found), seen.String())
		} else if assert.NotNil(t, m) {
			assert.Equal(t, int64(first), m.at)
			assert.Equal(t, first == len(want), m.expected == "end of file")
			assert.Equal(t, first == len(found), m.found == "end of file")
		}
	})
}
