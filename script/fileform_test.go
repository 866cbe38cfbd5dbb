package script_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

// A value is shown by its type, also in the file: 5, and not 05000000 beside it.
func TestFileByType(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"etype of the view", "all: view h 0 int int native\n0: write_at h 0 int 5 -1\n", "int 5 -1"},
		{"a displacement of whole items", "all: view h 4 int int native\n0: write_at h 0 int 5\n", "int ? 5"},
		{"other displacement", "all: view h 2 int int native\n0: write_at h 0 int 5\n", ".... int 5"},
		{"no view", "0: write_at h 8 double 1.5\n", "double ? 1.5"},
		{"no view, between items", "0: write_at h 4 double 1.5\n", "........000000000000f83f"},
		{"equal neighbours", "0: write_at h 0 short 7*3\n", "short 7*3"},
		{"two types", "0: write_at h 0 int 5\n0: write_at h 8 double 1\n", "05000000........000000000000f03f"},
		{"two displacements", "all: view h 0 int int native\n0: write_at h 0 int 5\nall: view h 2 int int native\n", "05000000"},
		{"another representation", "all: view h 0 int int external32\n0: write_at h 0 int 5\n", "00000005"},
		{"text", "0: write_at h 0 \"BBBB\"\n", `"BBBB"`},
		{"bytes", "0: write_at h 0 byte 7 0\n", "0700"},
		{"nothing", "0: get_size h -> n\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := script.Parse("ranks 1\n0: open h f create|rdwr\n" + c.text + "0: close h\n")
			require.NoError(t, err)
			rep, err := script.Run(t.Context(), s, script.Options{})
			require.NoError(t, err)
			require.Empty(t, rep.Failures)
			got := rep.Outcomes[0].Ending.Files["f"]
			assert.Equal(t, c.want, got.Text())
		})
	}
}
