package reps_test

import (
	"encoding/binary"
	"testing"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If a limit were off by one, a valid character would be refused, or an invalid one read.
func TestLegalCharacters(t *testing.T) {
	rep, err := reps.Lookup("native", reps.LP64LE)
	require.NoError(t, err)
	for v, legal := range map[uint32]bool{
		0: true, 0xd7ff: true, 0xd800: false, 0xdfff: false, 0xe000: true, 0x10ffff: true, 0x110000: false, 1<<32 - 1: false,
	} {
		p := binary.LittleEndian.AppendUint32(nil, v)
		if err := reps.Legal(types.KindWChar, p, rep); legal {
			assert.NoError(t, err, "%x", v)
		} else {
			assert.ErrorIs(t, err, reps.ErrConversion, "%x", v)
		}
	}
}
