//go:build mpich || openmpi

package main

import (
	"strings"
	"testing"
)

// If the judge called a new answer known, or did not report that a known fault is gone,
// its table would be worthless.
func TestOpinion(t *testing.T) {
	for _, row := range []struct {
		result, known string
		text          string
		fresh         bool
	}{
		{"read 3, want 0", "read 3, want 0", "parts, as known", false},
		{"read 3, want 0", "", "NEW", true},
		{"", "read 3, want 0", "NEW: known for read 3, want 0", true},
		{often + hangs, often + hangs, "parts now and then, as known", false},
		{hangs, "read 3, want 0", "NEW: known for read 3, want 0", true},
	} {
		if text, fresh := opinion(row.result, row.known); text != row.text || fresh != row.fresh {
			t.Errorf("%q, known for %q: %q, %v", row.result, row.known, text, fresh)
		}
	}
}

// Each row has what the library did, and what it should have done.
func TestSplit(t *testing.T) {
	for library, groups := range knownPrograms {
		for name, programs := range groups {
			for k, result := range programs {
				if did, should := split(result); did == "" || should == "" {
					t.Errorf("%s, %s, %d: %q and %q", library, name, k, did, should)
				}
			}
		}
	}
	if did, should := split("rank 0, read n 4: the pointer is at 4, want 0: as the file is short"); !strings.HasSuffix(did, "at 4") || should != "0: as the file is short" {
		t.Error(did, should)
	}
}
