// Package store has what keeps the bytes of files: in memory, in a directory, or in a store
// of your own.
//
// Start here: iofile.NewMem and iofile.NewDir make a file system on a store of this package,
// iofile.NewFS on any [Store], such as one that wraps another:
//
//	type logged struct{ store.Store }
//
//	func (s logged) Remove(name string) error { log.Print("remove ", name); return s.Store.Remove(name) }
//
//	fsys := iofile.NewFS(logged{store.NewMem(store.MemSettings{})})
//
// Package iofile/storetest tests that a store keeps its promises.
//
// # Borders
//
// A store knows neither ranks nor views: package iofile decides which bytes are published, and
// when. This package must not import iofile.
package store
