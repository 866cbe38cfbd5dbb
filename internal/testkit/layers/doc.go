// Package layers holds no code. Its tests check that the import graph of the module has
// layers, that only one file and the vector code below it use unsafe, that no package uses
// cgo, that exported names show no internal types, and that the picture of layers in
// ARCHITECTURE.md is up to date.
//
// Start here: a new package needs a line in the table of layers_test.go; without one
// the test fails. Then draw the picture again:
//
//	go test ./internal/testkit/layers -run TestPicture -update
package layers
