package reps_test

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// Packing in external32 gives the same bytes on every machine.
func ExamplePackExternal() {
	in := types.Of([]int32{1, -2})
	n, _ := reps.PackExternalSize("external32", reps.LP64LE, 2, types.Int32)
	out := make([]byte, n)
	_, err := reps.PackExternal("external32", reps.LP64LE, in, out, 0)
	fmt.Printf("% x %v\n", out, err)
	back := make([]int32, 2)
	_, err = reps.UnpackExternal("external32", reps.LP64LE, out, 0, types.Of(back))
	fmt.Println(back, err)
	// Output:
	// 00 00 00 01 ff ff ff fe <nil>
	// [1 -2] <nil>
}

// Archs are the architectures that have names; ParseArch finds one.
func ExampleParseArch() {
	fmt.Println(reps.Archs())
	a, err := reps.ParseArch("ilp32be")
	fmt.Println(a, err, reps.SameMemory(a, reps.ILP32LE))
	_, err = reps.ParseArch("vax")
	fmt.Println(said(err))
	// Output:
	// [LP64LE LP64BE ILP32LE ILP32BE LLP64LE]
	// ILP32BE <nil> false
	// reps: ParseArch: invalid argument: no architecture "vax"; there are lp64le, lp64be, ilp32le, ilp32be, llp64le (REP-NAT-03)
}

// A machine of your own: 16-bit ints, and nothing aligned to more than 2 bytes.
func ExampleNewArch() {
	a, err := reps.NewArch(reps.Machine{
		Name: "small", Order: binary.BigEndian, Most: 2,
		Kinds: map[types.Kind]reps.Cell{types.KindInt: {Size: 2, Align: 2}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a, types.Int.Size(a), types.Double.Size(a))
	// Output: small 2 8
}

// Lookup finds a representation, which converts items between memory and file.
func ExampleLookup() {
	rep, err := reps.Lookup("external32", reps.LP64LE)
	if err != nil {
		fmt.Println(err)
		return
	}
	xs := types.Of([]int16{1, 2})
	file := make([]byte, 4)
	err = rep.Pack(file, reps.Memory{Buffer: xs, Arch: reps.LP64LE}, 2)
	fmt.Printf("%s % x %v, as in memory: %v\n", rep.Name(), file, err, rep.Plain(reps.LP64LE))
	_, err = reps.Lookup("text", reps.LP64LE)
	fmt.Println(said(err))
	// Output:
	// external32 00 01 00 02 <nil>, as in memory: false
	// reps: Lookup "text": unknown data representation: representations are "native", "internal", "external32" and those that this rank has registered (IO-VIEW-14)
}

// Registry holds the representations that one rank knows, with its own.
func ExampleRegistry_Register() {
	g := reps.NewRegistry(reps.LP64LE)
	err := g.Register("wide", reps.Conversion{Extent: func(*types.Type, any) (int64, error) { return 8, nil }})
	rep, err2 := g.Lookup("wide")
	fmt.Println(err, err2)
	fmt.Println("bytes of an int in a file:", types.Int.Size(g32(rep)))
	// Output:
	// <nil> <nil>
	// bytes of an int in a file: 8
}

// g32 prepares the sizes of ints.
func g32(rep reps.Rep) types.Sizes {
	if err := rep.Prepare(types.Int.Signature()); err != nil {
		fmt.Println(err)
	}
	return rep.Sizes()
}

// Transfer converts as a typed message between unlike machines does: a long has 8 bytes on
// one and 4 on the other.
func ExampleTransfer() {
	eight := binary.NativeEndian.AppendUint64(nil, 5) // memory has the byte order of this process
	four := make([]byte, 4)
	err := reps.Transfer(four, reps.ILP32LE, eight, reps.LP64LE, types.Long.Signature(), 0, 1)
	fmt.Println(binary.NativeEndian.Uint32(four), err)
	// Output: 5 <nil>
}

// Not all bytes are values: in a native file a bool is 0 or 1.
func ExampleFindIllegal() {
	rep, _ := reps.Lookup("native", reps.LP64LE)
	fmt.Println(said(reps.Legal(types.Bool.Kind(), []byte{2}, rep)))
	bad := reps.FindIllegal([]byte{0, 1, 7}, rep, types.Bool.Signature(), 0, 3)
	fmt.Println(bad.Item, bad.At, bad.Why)
	// Output:
	// reps: Legal: data conversion failed: bytes 02: a truth value in a native file is 0 or 1 (IO-TM-S4)
	// 2 2 bytes 07: a truth value in a native file is 0 or 1
}

// A limit on the bytes of one call of a conversion function.
func ExampleChunked() {
	g := reps.NewRegistry(reps.LP64LE)
	_ = g.Register("counted", reps.Conversion{
		Extent: func(*types.Type, any) (int64, error) { return 4, nil },
		Write: func(_ reps.Memory, _ *types.Type, count int64, file []byte, _ int64, _ any) error {
			fmt.Println(count, "items")
			return nil
		},
	})
	rep, _ := g.Lookup("counted")
	if err := rep.Prepare(types.Int32.Signature()); err != nil {
		fmt.Println(err)
	}
	err := reps.Chunked(rep, 8).Pack(make([]byte, 12), reps.Memory{Buffer: types.Of([]int32{1, 2, 3}), Arch: reps.LP64LE}, 3)
	fmt.Println(err)
	// Output:
	// 2 items
	// 1 items
	// <nil>
}

// said returns the text of an error without the line of the call, which is in this file.
func said(err error) string {
	if e, ok := errors.AsType[*reps.Error](err); ok {
		return e.TextAt("")
	}
	return fmt.Sprint(err)
}
