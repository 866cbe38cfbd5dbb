package script_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/script"
)

// TestLitmus runs every schedule of each script. If it fails, a program has an outcome that
// the standard forbids, lacks one that it allows, or a race is missed or invented.
func TestLitmus(t *testing.T) {
	all, err := fs.Glob(consistency.Litmus(), "*.mpio")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, name := range all {
		text, err := fs.ReadFile(consistency.Litmus(), name)
		require.NoError(t, err)
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		id, what, _ := strings.Cut(title, ": ")
		t.Run(id+" LIT-X1 LIT-X3 "+what, func(t *testing.T) {
			s, err := script.Parse(string(text))
			require.NoError(t, err)
			s.Name = name
			rep, err := script.Explore(t.Context(), s, script.Options{})
			require.NoError(t, err)
			assert.True(t, rep.Complete)
			assert.Empty(t, rep.Unmet)
			for _, o := range rep.Outcomes {
				assert.True(t, o.Allowed, "%v", &o)
			}
			shownAgain(t, rep)
		})
	}
}
