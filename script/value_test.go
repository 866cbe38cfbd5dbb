package script_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

// TestSixteenByteFloats: values of the widest floats are written, stored in a
// file as external32 wants them, read and compared.
func TestSixteenByteFloats(t *testing.T) {
	const quad1, quad2 = "3fff8000000000000000000000000000", "c0000000000000000000000000000000" // 1.5 and -2 in binary128
	const quadInf = "7fff0000000000000000000000000000"
	for _, c := range []struct{ typ, values, file string }{
		{"longdouble", "1.5 -2", quad1 + quad2},
		{"longdouble", "inf -2", quadInf + quad2},
		{"real16", "1.5 -2", quad1 + quad2},
		{"longdoublecomplex", "1.5-2i", quad1 + quad2},
		{"cxxlongdoublecomplex", "1.5-2i", quad1 + quad2},
		{"complex32", "1.5-2i", quad1 + quad2},
		{"f90real(20, undefined)", "1.5 -2", quad1 + quad2},
		{"longdoubleint", "1.5 7", quad1 + "00000007"},
	} {
		for _, allowed := range []struct {
			values string
			ok     bool
		}{{c.values, true}, {"2.5" + c.values[3:], false}} {
			count := 1
			if c.typ == "longdouble" || c.typ == "real16" || c.typ[:3] == "f90" {
				count = 2
			}
			s, err := script.Parse(fmt.Sprintf("ranks 1\n0:\n open h f rdwr|create\n view h 0 %[1]s %[1]s external32\n write_at h 0 %[1]s %[2]s\n read_at h 0 %[1]s*%[3]d -> x\n close h\nallow 0:x = %[4]s\n",
				c.typ, c.values, count, allowed.values))
			require.NoError(t, err, c.typ)
			rep, err := script.Run(t.Context(), s, script.Options{})
			require.NoError(t, err, c.typ)
			assert.Equal(t, allowed.ok, rep.OK(), "%s: %v", c.typ, rep.Unmet)
			require.Len(t, rep.Outcomes, 1, c.typ)
			got := rep.Outcomes[0].Ending.Files["f"]
			require.NotNil(t, got, c.typ)
			assert.Equal(t, c.file, fmt.Sprintf("%x", got.Bytes), c.typ)
		}
	}
}
