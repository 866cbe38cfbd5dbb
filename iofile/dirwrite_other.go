//go:build !unix

package iofile

import "os"

// writeCounted tries a write that has failed once more.
func writeCounted(f *os.File, p []byte, off int64) (int, error) { return f.WriteAt(p, off) }
