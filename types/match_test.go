package types_test

import (
	"testing"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
)

// Matching decides whether the moved bytes have a meaning on the other side. Programs have
// been written for each of the three policies.
func TestMatchAccess(t *testing.T) {
	in, by, ch := types.Int, types.Byte, types.Char
	two := types.Contiguous(2, in)
	ic := types.Struct(field(1, 0, in), field(1, 4, ch))
	far := types.Struct(field(1, 16, in), field(1, 2, ch))
	ci := types.Struct(field(1, 0, ch), field(1, 4, in))
	for _, c := range []struct {
		name        string
		etype, data *types.Type
		count       int64
		verdicts    string // final, source000, size
	}{
		{"EX-TM-01", in, in, 3, "yyy"},
		{"EX-TM-02", in, two, 1, "yyy"},
		{"EX-TM-03", two, in, 4, "nny"},
		{"EX-TM-04", in, types.Float, 1, "nny"},
		{"EX-TM-05", in, ch, 4, "nny"},
		{"EX-TM-06", in, ch, 3, "nnn"},
		{"EX-TM-07", in, by, 4, "nny"},
		{"EX-TM-08", by, in, 1, "yny"},
		{"EX-TM-09", by, by, 7, "yyy"},
		{"EX-TM-10", ic, far, 1, "yyy"},
		{"EX-TM-11", ic, ci, 1, "nny"},
		{"EX-TM-12", in, types.Contiguous(0, in), 1, "yny"},
		{"EX-TM-13", in, types.Packed, 4, "yny"},
		{"EX-TM-14", types.Long, types.Int64, 1, "nny"},
		{"IO-TM-01 the same types as in a message", in, in, 1, "yyy"},
		{"IO-TM-02 etype BYTE takes any datatype", by, ic, 2, "yny"},
		{"IO-TM-02 an etype of several BYTEs does not", types.Contiguous(4, by), in, 1, "nny"},
		{"IO-TM-03 the datatype, not count times it", two, in, 4, "nny"},
		{"IO-TM-06 datatype BYTE is not a wildcard", in, by, 4, "nny"},
		{"IO-TM-08 PACKED stands for whole etypes", in, types.Packed, 3, "nnn"},
		{"DIV-15", in, types.Float, 1, "nny"},
		{"DIV-16", in, ch, 3, "nnn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, p := range []types.Policy{types.MatchFinal, types.MatchSource000, types.MatchSize} {
				err := types.MatchAccess(p, c.etype, c.data, c.count, types.Host)
				assert.Equal(t, c.verdicts[i] == 'y', err == nil, "%s: %v", p, err)
				if err == nil {
					continue
				}
				class := map[types.Policy]errclass.Class{types.MatchSize: types.ErrIO}[p]
				if class == 0 {
					class = types.ErrType
				}
				assert.ErrorIs(t, err, class)
			}
		})
	}
	rule := func(p types.Policy, e, d *types.Type) string {
		var err *types.Error
		assert.ErrorAs(t, types.MatchAccess(p, e, d, 3, types.Host), &err)
		return err.Rule
	}
	t.Run("IO-TM-S1 final: the rule broken is named", func(t *testing.T) {
		assert.Equal(t, "IO-TM-03", rule(types.MatchFinal, in, ch))
		assert.Equal(t, "IO-TM-06", rule(types.MatchFinal, in, by))
		assert.Equal(t, "IO-TM-08", rule(types.MatchFinal, in, types.Packed))
	})
	t.Run("IO-TM-S2 source000: one etype or more, no wildcard", func(t *testing.T) {
		assert.Equal(t, "IO-TM-S2", rule(types.MatchSource000, by, in))
		assert.Equal(t, "IO-TM-S2", rule(types.MatchSource000, in, types.Contiguous(0, in)))
	})
	t.Run("IO-TM-S3 size: a multiple of the etype's size", func(t *testing.T) {
		assert.Equal(t, "IO-TM-S3", rule(types.MatchSize, in, ch))
	})
	t.Run("IO-TM-03 the error shows where signatures part", func(t *testing.T) {
		err := types.MatchAccess(types.MatchFinal, ic, types.Struct(field(5, 0, ic), field(1, 40, in), field(1, 44, in)), 1, types.Host)
		assert.ErrorContains(t, err, "[(int char)*5 int*2]")
		assert.ErrorContains(t, err, "[int char]")
		assert.ErrorContains(t, err, "item 11: int against char")
		err = types.MatchAccess(types.MatchFinal, two, types.Contiguous(3, in), 1, types.Host)
		assert.ErrorContains(t, err, "ends after 3 items, inside one of the etypes")
	})
	t.Run("IO-TM-03 huge signatures are compared at once", func(t *testing.T) {
		row := types.Struct(field(1, 0, in), field(1000, 8, types.Double))
		assert.NoError(t, types.MatchAccess(types.MatchFinal, row, types.Contiguous(1<<30, row), 1, types.Host))
		odd := types.Struct(field(1<<30, 0, row), field(1, 0, types.Double))
		assert.ErrorContains(t, types.MatchAccess(types.MatchFinal, row, odd, 1, types.Host), "item 1074815565824: double against int")
	})
	t.Run("DT-ARG-01 nil types", func(t *testing.T) {
		assert.ErrorIs(t, types.MatchAccess(types.MatchFinal, nil, in, 1, types.Host), types.ErrType)
		assert.ErrorIs(t, types.MatchAccess(types.MatchSize, in, nil, 1, types.Host), types.ErrType)
	})
}

// A message must be refused when its items would be read as something else, and
// accepted however differently the two sides lay them out.
func TestMatchMessage(t *testing.T) {
	real, by, pk := types.Real, types.Byte, types.Packed
	mixed := types.Struct(field(1, 0, types.Int), field(2, 8, types.Double))
	for _, c := range []struct {
		name  string
		sent  *types.Type
		n     int64
		recv  *types.Type
		m     int64
		class errclass.Class
	}{
		{"P2P-MATCH-02 name by name", types.Int, 1, types.Long, 1, types.ErrType},
		{"P2P-MATCH-02 equal sizes do not help", types.Long, 1, types.LongLong, 1, types.ErrType},
		{"P2P-MATCH-02 C and Fortran names differ", types.Int, 1, types.Integer, 1, types.ErrType},
		{"P2P-MATCH-02 equal names", types.Integer, 3, types.Integer, 3, 0},
		{"P2P-MATCH-03 the receive may be longer", real, 10, types.Contiguous(4, real), 4, 0},
		{"P2P-MATCH-03 and end inside a type", types.Struct(field(1, 0, types.Int), field(1, 8, types.Double)), 1, mixed, 1, 0},
		{"P2P-MATCH-03 the message may not", real, 11, real, 10, types.ErrTruncate},
		{"P2P-MATCH-03 same type, longer", mixed, 3, mixed, 2, types.ErrTruncate},
		{"P2P-MATCH-03 nothing sent", types.Int, 0, real, 5, 0},
		{"P2P-MATCH-04 holes play no part", vector(5, 1, 7, real), 1, types.Contiguous(5, real), 1, 0},
		{"P2P-MATCH-04 markers play no part", marked(-8, types.Int, 50), 1, types.Int, 1, 0},
		{"P2P-MATCH-06 BYTE to REAL", real, 10, by, 40, types.ErrType},
		{"P2P-MATCH-06 BYTE to BYTE", by, 40, by, 60, 0},
		{"P2P-MATCH-07 PACKED to anything", pk, 12, mixed, 2, 0},
		{"P2P-MATCH-07 anything to PACKED", mixed, 1, pk, 20, 0},
		{"P2P-MATCH-07 too many bytes", mixed, 1, pk, 19, types.ErrTruncate},
		{"P2P-MATCH-10 mismatch is ErrType", mixed, 2, types.Contiguous(6, types.Int), 1, types.ErrType},
		{"P2P-MATCH-01 nil", nil, 1, real, 1, types.ErrType},
		{"P2P-MATCH-01 nil receive", real, 1, nil, 1, types.ErrType},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := types.MatchMessage(c.sent, c.n, c.recv, c.m, types.Host)
			if c.class == 0 {
				assert.NoError(t, err)
			} else {
				assert.ErrorIs(t, err, c.class)
			}
		})
	}
	t.Run("P2P-MATCH-10 both signatures and the place", func(t *testing.T) {
		err := types.MatchMessage(mixed, 2, types.Contiguous(6, types.Int), 1, types.Host)
		assert.ErrorContains(t, err, "sent [(int double*2)*2], received as [int*6], first difference at item 1: double against int")
	})
	t.Run("P2P-MATCH-02 no allocation for types in plain use", func(t *testing.T) {
		vec := vector(5, 1, 7, real)
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			_ = types.MatchMessage(real, 5, vec, 2, types.Host)
			_ = types.MatchMessage(mixed, 5, mixed, 5, types.Host)
		}))
	})
}
