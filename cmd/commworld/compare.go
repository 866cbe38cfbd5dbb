package main

import (
	"fmt"
	"io"
)

// A mismatched is the first byte in which two streams differ.
type mismatched struct {
	at              int64
	expected, found string
}

// compare reads two streams to their ends and returns the first byte in which they differ,
// nil if none does, and how many bytes were compared. also receives every byte of found.
func compare(found, want io.Reader, also io.Writer) (*mismatched, int64, error) {
	const chunk = 256 << 10
	a, b := make([]byte, chunk), make([]byte, chunk)
	for at := int64(0); ; {
		n, err := fill(found, a)
		if err != nil {
			return nil, at, err
		}
		m, err := fill(want, b)
		if err != nil {
			return nil, at, err
		}
		if _, err := also.Write(a[:n]); err != nil {
			return nil, at, err
		}
		if i := int(mismatch(a[:n], b[:m])); i < max(n, m) {
			return &mismatched{at + int64(i), show(b[:m], i), show(a[:n], i)}, at + int64(i), nil
		}
		if at += int64(n); n < chunk {
			return nil, at, nil
		}
	}
}

// fill reads into p until it is full or r ends.
func fill(r io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(r, p)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return n, err
}

// show returns byte i of p as text.
func show(p []byte, i int) string {
	if i >= len(p) {
		return "end of file"
	}
	return fmt.Sprintf("0x%02x", p[i])
}
