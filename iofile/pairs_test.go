package iofile_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPairs: a pair is one predefined type with two kinds and a hole in it. If
// it is taken for a run of bytes or of one kind, results of MinLoc cannot be
// kept in a file, and another library aborts there.
func TestPairs(t *testing.T) {
	hole := [4]byte{0xee, 0xee, 0xee, 0xee}
	for _, tc := range []struct {
		name   string
		pair   *types.Type
		memory []any // of an LP64LE rank: 1 and -2, then 3 and 4
		native string
		coded  string // in external32
	}{
		{
			"doubleint", types.DoubleInt,
			[]any{1.0, int32(-2), hole, 3.0, int32(4), hole},
			"000000000000f03f" + "feffffff" + "........" + "0000000000000840" + "04000000",
			"3ff0000000000000" + "fffffffe" + "4008000000000000" + "00000004",
		},
		{
			"shortint", types.ShortInt,
			[]any{int16(1), hole[:2], int32(-2), int16(3), hole[:2], int32(4)},
			"0100" + "...." + "feffffff" + "0300" + "...." + "04000000",
			"0001" + "fffffffe" + "0003" + "00000004",
		},
		{
			"longint", types.LongInt,
			[]any{int64(1), int32(-2), hole, int64(3), int32(4), hole},
			"0100000000000000" + "feffffff" + "........" + "0300000000000000" + "04000000",
			"00000001" + "fffffffe" + "00000003" + "00000004",
		},
	} {
		var memory []byte
		for _, x := range tc.memory {
			var err error
			memory, err = binary.Append(memory, binary.NativeEndian, x)
			require.NoError(t, err)
		}
		for rep, want := range map[string]string{"native": tc.native, "external32": tc.coded} {
			t.Run("DIV-36 "+tc.name+" as etype, "+rep, func(t *testing.T) {
				fsys := iofile.NewMem()
				put(t, fsys, "f", strings.Repeat("\x77", len(want)/2))
				matched(t, fsys, types.MatchFinal, reps.LP64LE, func(f *iofile.File) error {
					if err := f.SetView(iofile.View{Etype: tc.pair, Filetype: tc.pair, Rep: rep}); err != nil {
						return err
					}
					for i := range int64(2) { // etypes, one by one
						one := types.Raw(memory, 1, tc.pair).At(i * int64(len(memory)) / 2)
						if _, err := f.WriteAt(one, iofile.Offset(i)); err != nil {
							return err
						}
					}
					got := bytes.Repeat(hole[:1], len(memory))
					st, err := f.ReadAt(types.Raw(got, 2, tc.pair), 0)
					n, _ := st.Count(tc.pair)
					assert.EqualValues(t, 2, n)
					assert.Equal(t, memory, got)
					_, bad := f.ReadAt(types.Raw(got, 2, types.Int), 0)
					refused(t, bad, iofile.ErrType, "IO-TM-03")
					return err
				})
				file, err := fsys.ReadFile("f")
				require.NoError(t, err)
				assert.Equal(t, strings.ReplaceAll(want, "..", "77"), hex.EncodeToString(file))
			})
		}
	}
	t.Run("DIV-36 a struct of several kinds in PackExternal", func(t *testing.T) {
		type record struct {
			A int16
			B float64
			C [3]uint8
			D int32
			E complex64
		}
		in, out := []record{{-1, 0.5, [3]uint8{7, 8, 9}, 5, 1 - 2i}, {2, -4, [3]uint8{1, 2, 3}, -6, 3i}}, make([]record, 2)
		packed := make([]byte, 2*25)
		end, err := reps.PackExternal("external32", reps.LP64LE, types.Of(in), packed, 0)
		require.NoError(t, err)
		assert.EqualValues(t, len(packed), end)
		assert.Equal(t, "ffff"+"3fe0000000000000"+"070809"+"00000005"+"3f800000c0000000", hex.EncodeToString(packed[:25]))
		_, err = reps.UnpackExternal("external32", reps.LP64LE, packed, 0, types.Of(out))
		require.NoError(t, err)
		assert.Equal(t, in, out)
	})
}
