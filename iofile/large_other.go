//go:build !linux

package iofile

// largeFile is nothing where there is one sort of files.
const largeFile = 0
