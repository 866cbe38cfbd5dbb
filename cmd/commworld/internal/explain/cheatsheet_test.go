package explain_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/cmd/commworld/internal/explain"
)

// If the cheat sheet were old or had gaps, readers would look for names that are not there.
func TestCheatSheet(t *testing.T) {
	names, err := explain.FromSource(os.DirFS("../../../.."))
	require.NoError(t, err)
	got := []byte(explain.CheatSheet(names))
	forms, err := explain.TypeForms(os.DirFS("../../../.."))
	require.NoError(t, err)
	text, err := os.ReadFile("types.txt")
	require.NoError(t, err)
	assert.Equal(t, explain.FormatTypeForms(forms), string(text), "go generate ./cmd/commworld/internal/explain")
	printed := explain.PrintedSheet(names)
	assert.Less(t, strings.Count(printed, "<tr>"), 110, "more than one page: print it and look")
	bindings, err := os.ReadFile("prototypes.txt")
	require.NoError(t, err)
	all := regexp.MustCompile(`(?m)^(MPI_\w+)\(`).FindAllSubmatch(bindings, -1)
	files := 0
	for _, m := range all {
		assert.True(t, regexp.MustCompile("(?m)^\\| `"+string(m[1])+"\\(.*` \\| `").Match(got), "%s has no row", m[1])
		if regexp.MustCompile(`^MPI_File_|^MPI_Register_datarep`).Match(m[1]) {
			files++
			assert.Contains(t, printed, "<tr><td>"+string(m[1])+"(", "on the page to print")
		}
	}
	assert.GreaterOrEqual(t, files, 60, "the I/O chapter has 56 routines, and there are four of error handlers of files")
}
