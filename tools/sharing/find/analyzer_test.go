package find

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/analysistest"
)

// A user sees only the output of the driver.
func TestAnalyzer(t *testing.T) {
	require.NoError(t, Analyzer.Flags.Set("results", "true"))
	analysistest.Run(t, analysistest.TestData(), Analyzer, "prog")
	require.NoError(t, Analyzer.Flags.Set("results", "false"))
	assert.False(t, results)
}
