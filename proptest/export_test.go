package proptest

import (
	"testing"
	"time"
)

// NewRecorder returns the test that rapid reports to.
func NewRecorder(name string) *recorder { return &recorder{name: name} }

// Said returns the reported text.
func (r *recorder) Said() string { return r.said.String() }

// SetPatience sets, for a test, the time without progress after which a program counts as
// hung.
func SetPatience(t *testing.T, d time.Duration) {
	old := patience
	patience = d
	t.Cleanup(func() { patience = old })
}

// ReadCorpus judges one folder of a corpus.
var ReadCorpus = readCorpus
