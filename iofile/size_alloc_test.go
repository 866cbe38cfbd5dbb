package iofile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/iofile"
)

// TestSizeMakesNoGarbage: programs ask for sizes in loops.
func TestSizeMakesNoGarbage(t *testing.T) {
	fsys := iofile.NewMem(iofile.WithoutRaceDetector())
	with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
		assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = f.Size() }))
		return nil
	})
}
