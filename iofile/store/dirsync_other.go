//go:build !windows

package store

// syncNames brings the names in an open directory to the storage device.
func syncNames(d interface{ Sync() error }) error { return d.Sync() }
