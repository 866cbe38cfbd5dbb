package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// A source returns bytes by their offset in a file, or on standard input, where offsets
// must not decrease.
type source interface {
	// bytes returns up to n bytes, at most 64 KiB, that begin at off; fewer only at the end. They
	// are valid until the next call.
	bytes(off int64, n int) ([]byte, error)
	Close() error
}

// openSource opens name; - is standard input. It fails for input that cannot seek unless
// forward is true.
func openSource(name string, forward bool) (source, error) {
	f := os.Stdin
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return nil, err
		}
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if info.IsDir() {
		return nil, errors.Join(fmt.Errorf("%s is a directory", name), f.Close())
	}
	if info.Mode().IsRegular() && name != "-" {
		return &blocks{f: f}, nil
	}
	if !forward {
		return nil, errors.Join(fmt.Errorf("the items do not lie in the order of the type, and %s cannot be read back; give a file", name), f.Close())
	}
	return &flow{f: f, r: bufio.NewReaderSize(f, 1<<16)}, nil
}

// blocks reads a file through a buffer of one block.
type blocks struct {
	f    *os.File
	at   int64 // offset of the block
	data []byte
	buf  [1 << 16]byte
}

func (b *blocks) Close() error { return b.f.Close() }

func (b *blocks) bytes(off int64, n int) ([]byte, error) {
	if off < b.at || off+int64(n) > b.at+int64(len(b.data)) {
		got, err := b.f.ReadAt(b.buf[:], off)
		if err != nil && err != io.EOF {
			return nil, err
		}
		b.at, b.data = off, b.buf[:got]
	}
	have := b.data[min(off-b.at, int64(len(b.data))):]
	return have[:min(n, len(have))], nil
}

// flow reads input that cannot seek.
type flow struct {
	f  *os.File
	r  *bufio.Reader
	at int64
}

func (s *flow) Close() error { return s.f.Close() }

func (s *flow) bytes(off int64, n int) ([]byte, error) {
	for s.at < off {
		m, err := s.r.Discard(int(min(off-s.at, 1<<30)))
		s.at += int64(m)
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	have, err := s.r.Peek(n)
	if err == io.EOF {
		err = nil
	}
	return have, err
}
