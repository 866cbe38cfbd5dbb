package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A program that would run without being recorded is refused.
func TestRecordNeedsLibrary(t *testing.T) {
	assert.ErrorContains(t, record([]string{"-o", t.TempDir(), "true"}), "give --lib LIB")
	assert.ErrorContains(t, record([]string{"--lib", t.TempDir(), "true"}), "give -o TRACE")
}
