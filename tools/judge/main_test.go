//go:build mpich || openmpi

package main

import (
	"strings"
	"testing"
)

// A judge that calls what is new known, or lets a known fault go unnoticed when it
// is gone, has no table worth keeping.
func TestOpinion(t *testing.T) {
	for _, row := range []struct {
		deed, known string
		text        string
		fresh       bool
	}{
		{"read 3, want 0", "read 3, want 0", "parts, as known", false},
		{"read 3, want 0", "", "NEW", true},
		{"", "read 3, want 0", "NEW: known for read 3, want 0", true},
		{often + hangs, often + hangs, "parts now and then, as known", false},
		{hangs, "read 3, want 0", "NEW: known for read 3, want 0", true},
	} {
		if text, fresh := opinion(row.deed, row.known); text != row.text || fresh != row.fresh {
			t.Errorf("%q, known for %q: %q, %v", row.deed, row.known, text, fresh)
		}
	}
}

// Each row says what the library did, and what it should have done.
func TestSplit(t *testing.T) {
	for library, groups := range knownPrograms {
		for name, programs := range groups {
			for k, deed := range programs {
				if did, should := split(deed); did == "" || should == "" {
					t.Errorf("%s, %s, %d: %q and %q", library, name, k, did, should)
				}
			}
		}
	}
	if did, should := split("rank 0, read n 4: the pointer is at 4, want 0: as the file is short"); !strings.HasSuffix(did, "at 4") || should != "0: as the file is short" {
		t.Error(did, should)
	}
}
