//go:build !(js && wasm)

// Command wasm is the lab for a page without a server; it is built for js/wasm by
// `commworld lab --static`.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "wasm: build me with GOOS=js GOARCH=wasm, as commworld lab --static does")
	os.Exit(2)
}
