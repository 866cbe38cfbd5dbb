package iofile

import "hash"

// newDigest returns an error: a page exports no provenance, and without package crypto it
// loads faster.
func newDigest() (hash.Hash, error) {
	return nil, broken(ErrUnsupportedOperation, "REP-INT-02", "a program in a browser cannot export provenance; export it natively")
}

// triesFixes says that fixes of races are not tried on the recorded run: the programs of a
// page are scripts, whose interpreter tries its own fixes.
const triesFixes = false
