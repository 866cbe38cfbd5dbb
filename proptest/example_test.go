package proptest_test

import (
	"fmt"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
)

// A board is a layer whose files are slices that all ranks share.
type board map[string]*[]byte

func (b board) Open(_ *comm.Comm, name string) (proptest.File, error) {
	if b[name] == nil {
		b[name] = new([]byte)
	}
	return &chalk{b[name]}, nil
}

type chalk struct{ bytes *[]byte }

func (f *chalk) ReadAt(p []byte, off int64) (int, error) {
	return copy(p, (*f.bytes)[min(off, int64(len(*f.bytes))):]), nil
}

// WriteAt grows the file up to its offset, but drops the bytes.
func (f *chalk) WriteAt(p []byte, off int64) (int, error) {
	for int64(len(*f.bytes)) < off+int64(len(p)) {
		*f.bytes = append(*f.bytes, 0)
	}
	copy((*f.bytes)[off:], p[:len(p)/2])
	return len(p), nil
}

func (f *chalk) Sync() error  { return nil }
func (f *chalk) Close() error { return nil }

// Your own layer needs four methods. Conformance draws programs; this one was written by
// hand.
func ExampleReference() {
	program := &gen.Program{Ranks: 2, Ops: []gen.Op{
		{Do: gen.Write, Rank: 1, Off: 2, N: 4},
		{Do: gen.Sync, All: true},
		{Do: gen.Read, Rank: 0, Off: 0, N: 8},
	}}
	err := proptest.Reference(func() (proptest.Layer, error) { return board{}, nil }, program)
	fmt.Println(err)
	// Output:
	// rank 0, operation 2, read_at at 0 n 8: bytes [4, 6) of the file are wrong
	//   want
	//     00000004  7a 14                                             |z.|
	//   got
	//     00000004  00 00                                             |..|
	//
	//   view of rank 0: 0 byte byte native
	//   byte 4 was written by rank 1 in operation 0, write_at at 2 n 4; found: 0, as if no rank had written
	// program: ranks 2, schedule random:0
	//    0  1: write_at at 2 n 4
	//    1  all: sync
	//    2  0: read_at at 0 n 8
}
