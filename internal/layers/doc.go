// Package layers holds no code: its tests keep the import graph of the module
// in layers, unsafe in one file and the vector code below it, and cgo out; exported
// names free of internal types; and the picture of layers in ARCHITECTURE.md true.
//
// Start here: a new package needs a line in the table of layers_test.go; without one
// the test fails. Then draw the picture again:
//
//	go test ./internal/layers -run TestPicture -update
package layers
