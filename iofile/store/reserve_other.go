//go:build !linux

package store

import "os"

// reserve does nothing: space is allocated when bytes are written.
func reserve(*os.File, int64) error { return nil }
