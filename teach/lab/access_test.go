package lab_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The two-phase write of lesson 16 shows its aggregators, their domains and what is sent, as the
// hints of the program make it.
func TestTwoPhaseAccess(t *testing.T) {
	text := lessonText(t, "27-two-phase")
	all := ask(t, map[string]any{"do": "accesses", "script": text})["accesses"].([]any)
	require.Len(t, all, 1)
	step := all[0].(map[string]any)["step"]
	a := ask(t, map[string]any{"do": "access", "script": text, "step": step, "plan": map[string]any{"nodes": 2, "buffer": 64}})
	own := a["own"].(map[string]any)
	assert.Equal(t, "as the program does it: TwoPhase{cb_nodes 2, romio_cb_write enable}", own["name"])
	assert.Equal(t, 2.0, own["requests"])
	assert.Equal(t, 24.0, own["sent"])
	assert.Equal(t, 8.0, a["plans"].([]any)[0].(map[string]any)["requests"])
	for _, words := range []any{own["exchange_words"], ask(t, map[string]any{"do": "step", "script": text, "step": step})["exchange_words"]} {
		assert.Contains(t, words, "Rank 0 is an aggregator; its file domain is bytes 0 to 15.\nRank 1 is an aggregator; its file domain is bytes 16 to 31.\n")
		assert.Contains(t, words, "rank 3 sends 4 bytes to aggregator rank 0.\n")
		assert.Contains(t, words, "4 bytes stay in rank 0.\n")
	}
	wellFormed(t, own["exchange"])
	assert.NotContains(t, ask(t, map[string]any{"do": "step", "script": text, "step": 1}), "exchange")
	assert.Contains(t, try(t, map[string]any{"do": "access", "script": text, "step": 1, "plan": map[string]any{"nodes": 2, "buffer": 64}}), "problem")
}

// An access without aggregators shows the requests of each rank, also a read.
func TestIndependentAccess(t *testing.T) {
	text := lessonText(t, "01-stale")
	all := ask(t, map[string]any{"do": "accesses", "script": text})["accesses"].([]any)
	require.Len(t, all, 2)
	for _, x := range all {
		a := ask(t, map[string]any{"do": "access", "script": text, "step": x.(map[string]any)["step"], "plan": map[string]any{"nodes": 1, "buffer": 64}})
		own := a["own"].(map[string]any)
		assert.Equal(t, "as the program does it: each rank moves its own bytes", own["name"])
		assert.Equal(t, 1.0, own["requests"])
		assert.Equal(t, 4.0, own["bytes"])
	}
}
