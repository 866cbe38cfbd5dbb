//go:build !linux

package store

// largeFile is 0: this system needs no flag for large files.
const largeFile = 0
