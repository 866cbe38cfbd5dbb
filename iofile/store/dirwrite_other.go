//go:build !unix

package store

import "os"

// writeCounted repeats a write that has failed.
func writeCounted(f *os.File, p []byte, off int64) (int, error) { return f.WriteAt(p, off) }
