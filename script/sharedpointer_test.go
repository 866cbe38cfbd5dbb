package script

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/world"
)

// TestSharedPointerOrders: if it fails, a right program is accused of an open order at the
// shared pointer, or an exploration that did not try such an order is called complete. Both
// must agree. (IO-SHP-04 IO-SHP-07 IO-SHP-08)
func TestSharedPointerOrders(t *testing.T) {
	const certain, notTried, tried = "certain", "not tried", "tried"
	for _, row := range []struct{ name, text, want string }{
		{"a header, then records", "0:\n write_shared h byte 9*2\nall:\n write_ordered h byte {r+1}\n2:\n write_shared h byte 8\n", certain},
		{"a header by another rank", "1:\n write_shared h byte 9*2\nall:\n write_ordered h byte {r+1}\n", notTried},
		{"the same with a barrier", "1:\n write_shared h byte 9*2\nall:\n barrier\n write_ordered h byte {r+1}\n", certain},
		{"a header by the first rank that writes", "1:\n write_shared h byte 9*2\n write_ordered h byte 1\n0:\n write_ordered h byte\n2:\n write_ordered h byte 3\n", certain},
		{"a look after records", "all:\n write_ordered h byte {r+1}\n get_position_shared h -> p\n", certain},
		{"looks with barriers around them", "all:\n write_ordered h byte {r+1}\n get_position_shared h -> p\n barrier\n seek_shared h 0 set\n barrier\n" +
			" get_position_shared h -> q\n barrier\n write_ordered h byte {r+3}\n", certain},
		{"a look between seeks", "all:\n seek_shared h 4 set\n get_position_shared h -> p\n seek_shared h 0 set\n", tried},
		{"a look before records", "all:\n get_position_shared h -> p\n write_ordered h byte 1\n", notTried},
		{"a look before records of no length", "all:\n get_position_shared h -> p\n write_ordered h byte\n", certain},
		{"a header that all read alike", "all:\n read_ordered h byte*1 -> x\n0:\n read_shared h byte*1 -> y\n", certain},
		{"one read, then all", "0:\n read_shared h byte*1 -> y\nall:\n read_ordered h byte*1 -> x\n", certain},
		{"one read of another rank, then all", "2:\n read_shared h byte*1 -> y\nall:\n read_ordered h byte*1 -> x\n", notTried},
		{"a record of the first rank, then a seek", "0:\n write_shared h byte 1\nall:\n seek_shared h 0 set\n get_position_shared h -> p\n", tried},
		{"a seek, then a record", "all:\n seek_shared h 3 set\n1:\n write_shared h byte 1\n", certain},
		{"a record, then a new view", "1:\n write_shared h byte 1\nall:\n view h 8 byte byte native\n2:\n write_shared h byte 2\n", tried},
		{"a record, a barrier, a new view", "1:\n write_shared h byte 1\nall:\n barrier\n view h 8 byte byte native\n2:\n write_shared h byte 2\n", certain},
		{"a new view, then a record", "all:\n view h 0 byte byte native\n1:\n write_shared h byte 1\n", certain},
		{"split: a header, then records", "0:\n write_shared h byte 9*2\nall:\n write_ordered_begin h byte {r+1}\n write_ordered_end h\n2:\n write_shared h byte 8\n", certain},
		{"split: a header by another rank", "1:\n write_shared h byte 9*2\nall:\n write_ordered_begin h byte {r+1}\n write_ordered_end h\n", notTried},
		{"records of single ranks", "0:\n write_shared h byte 1\n1:\n write_shared h byte 2\n", tried},
		{"a record and a look", "0:\n write_shared h byte 1\n1:\n get_position_shared h -> p\n", tried},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := Parse("ranks 3\nfile f = 01 02 03 04 05 06 07 08\nall:\n open h f rdwr\n" + row.text + "all:\n close h\n")
			require.NoError(t, err)
			rep, err := Explore(t.Context(), s, Options{})
			require.NoError(t, err)
			assert.Empty(t, rep.Failures)
			assert.Equal(t, row.want != notTried, rep.Complete, "%v", rep.Stopped)
			if row.want == notTried {
				require.ErrorIs(t, rep.Stopped, world.ErrUntried)
				assert.ErrorContains(t, rep.Stopped, "a collective call need not wait for all ranks")
			}
			assert.Equal(t, row.want == tried, len(rep.Outcomes) > 1)
			once, err := Run(t.Context(), s, Options{})
			require.NoError(t, err)
			assert.Equal(t, row.want != certain, slices.ContainsFunc(once.Lints, func(l world.Lint) bool { return l.Rule == consistency.RulePointer }), "%v", once.Lints)
		})
	}
}

// If this fails, an exploration is called complete although a program uses the shared pointer on more lines
// than are compared.
func TestSharedPointerLines(t *testing.T) {
	for lines, complete := range map[int]bool{64: true, 65: false} {
		s, err := Parse("ranks 2\nfile f = 00*8\nall:\n open h f rdwr\n0:\n" + strings.Repeat(" write_shared h byte 1\n", lines) + "all:\n close h\n")
		require.NoError(t, err)
		rep, err := Explore(t.Context(), s, Options{})
		require.NoError(t, err)
		assert.Equal(t, complete, rep.Complete, "%v", rep.Stopped)
		if !complete {
			require.ErrorIs(t, rep.Stopped, world.ErrUntried)
			assert.ErrorContains(t, rep.Stopped, "too many lines of the program")
		}
	}
}
