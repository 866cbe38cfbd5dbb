//go:build !js

package export

import "go/format"

// formatted returns a Go program in gofmt's format.
func formatted(text []byte) ([]byte, error) { return format.Source(text) }
