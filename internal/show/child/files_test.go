package child

import (
	"bytes"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/world"
)

// fileOf returns the record of a file; it has the bytes themselves if there are few.
func fileOf(content []byte, keep bool) world.CareFile {
	f := world.CareFile{Name: "f", Size: int64(len(content)), Bytes: []byte{}}
	if keep {
		f.Bytes = content[:min(len(content), world.CarePiece)]
	}
	for at := 0; at == 0 || at < len(content); at += world.CarePiece {
		f.Sums = append(f.Sums, crc32.ChecksumIEEE(content[at:min(len(content), at+world.CarePiece)]))
	}
	return f
}

// If this fails, check names bytes that do not differ, or takes different files for the same.
func TestDifference(t *testing.T) {
	t.Run("IO-DA-01 two files", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			size := rapid.SampledFrom([]int{0, 1, 36, 40, world.CarePiece - 1, world.CarePiece, world.CarePiece + 1, 3*world.CarePiece - 5})
			a := bytes.Repeat([]byte{1}, size.Draw(t, "a"))
			b := bytes.Repeat([]byte{1}, size.Draw(t, "b"))
			if len(b) > 0 && rapid.Bool().Draw(t, "changed") {
				b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] = 2
			}
			want := int64(min(len(a), len(b)))
			for i := range want {
				if a[i] != b[i] {
					want = i
					break
				}
			}
			keep := rapid.Bool().Draw(t, "bytes kept")
			f, g := fileOf(a, keep), fileOf(b, keep)
			lo, hi, differ := difference(&f, &g)
			assert.Equal(t, !bytes.Equal(a, b), differ)
			if differ {
				assert.LessOrEqual(t, lo, want)
				assert.GreaterOrEqual(t, hi, want)
				assert.Less(t, hi-lo, int64(world.CarePiece)+1)
				if keep && want < world.CarePiece && want < min(f.Size, g.Size) {
					assert.Equal(t, lo, hi, "the byte is known")
				}
			}
		})
	})
	t.Run("IO-DA-01 files that are there with some numbers of ranks only", func(t *testing.T) {
		f := fileOf([]byte("abc"), true)
		runs := []Variant{{Ranks: 1}, {Ranks: 2, Records: []world.CareRecord{{World: 1, Files: []world.CareFile{f}}}}}
		all := CompareFiles(runs)
		if assert.Len(t, all, 1) {
			assert.Contains(t, all[0].Text, "with 2 ranks it has 3 bytes; with 1 rank there is no such file")
		}
	})
	t.Run("IO-DA-01 a file of which only the beginning is known", func(t *testing.T) {
		f := world.CareFile{Name: "f", Size: 100 * world.CarePiece, Sums: []uint32{1}}
		assert.Equal(t, []string{`of file "f" only the first 65536 bytes of 6553600 were compared`},
			ComparedInPart(Variant{Records: []world.CareRecord{{Files: []world.CareFile{f}}}}))
	})
}
