//go:build !linux

package iofile

import "os"

// reserve does nothing: space is allocated when bytes are written.
func reserve(*os.File, int64) error { return nil }
