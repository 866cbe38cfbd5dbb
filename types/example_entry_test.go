package types_test

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/types"
)

func show(t *types.Type) {
	lb, extent := t.Extent(types.Host)
	fmt.Println(t, "size", t.Size(types.Host), "lb", lb, "extent", extent, t.Err())
}

func ExampleContiguous() {
	show(types.Contiguous(3, types.Int))
	// Output: contiguous(3, int) size 12 lb 0 extent 12 <nil>
}

// HVector has its stride in bytes, as of rows with padding between.
func ExampleHVector() {
	show(types.HVector(2, 1, 20, types.Int))
	// Output: hvector(2, 1, 20, int) size 8 lb 0 extent 24 <nil>
}

// Blocks of different lengths, counted in items or in bytes.
func ExampleIndexed() {
	show(types.Indexed([]types.Block{{Len: 1, Disp: 0}, {Len: 2, Disp: 4}}, types.Int))
	show(types.HIndexed([]types.Block{{Len: 1, Disp: 0}, {Len: 2, Disp: 10}}, types.Int))
	// Output:
	// indexed([1, 2], [0, 4], int) size 12 lb 0 extent 24 <nil>
	// hindexed([1, 2], [0, 10], int) size 12 lb 0 extent 20 <nil>
}

// Blocks of one length.
func ExampleIndexedBlock() {
	show(types.IndexedBlock(2, []int64{0, 4, 6}, types.Int))
	show(types.HIndexedBlock(2, []int64{0, 20}, types.Int))
	// Output:
	// indexed_block(2, [0, 4, 6], int) size 24 lb 0 extent 32 <nil>
	// hindexed_block(2, [0, 20], int) size 16 lb 0 extent 28 <nil>
}

// A C struct of an int and two doubles.
func ExampleStruct() {
	show(types.Struct(types.Field{Count: 1, Type: types.Int}, types.Field{Count: 2, Disp: 8, Type: types.Double}))
	// Output: struct([1, 2], [0, 8], [int, double]) size 20 lb 0 extent 24 <nil>
}

// Rows 1 and 2 of a matrix of 4 rows and 3 columns.
func ExampleSubarray() {
	show(types.Subarray(types.OrderC, []types.Slab{{Size: 4, Sub: 2, Start: 1}, {Size: 3, Sub: 3}}, types.Double))
	// Output: subarray([4, 3], [2, 3], [1, 0], c, double) size 48 lb 0 extent 96 <nil>
}

// The part of process 1 of 2 in an array of 5 items that are assigned in turn.
func ExampleDarray() {
	show(types.Darray(types.Grid{Size: 2, Rank: 1, Dims: []types.GridDim{{Size: 5, Dist: types.DistCyclic, Arg: types.DefaultArg, Procs: 2}}}, types.Int))
	// Output: darray(2, 1, [5], [cyclic], [dflt], [2], c, int) size 8 lb 0 extent 20 <nil>
}

// Another extent puts the next copy elsewhere: every third int.
func ExampleResized() {
	show(types.Resized(types.Int, 0, 12))
	// Output: resized(int, 0, 12) size 4 lb 0 extent 12 <nil>
}

// The datatype of a Go type: structs have one, if all fields do.
func ExampleTypeOf() {
	type cell struct {
		ID int32
		T  float32
	}
	fmt.Println(types.TypeOf[cell]())
	fmt.Println(said(types.TypeOf[int]().Err()))
	// Output:
	// resized(struct([1, 1], [0, 4], [int32, float]), 0, 8)
	// types: TypeOf: invalid datatype: int has no MPI type, because Go's int differs in size between machines: use int32 or int64 (P2P-MATCH-11)
}

// Raw is memory with a datatype of any kind.
func ExampleRaw() {
	mem := []byte("a-b-c-")
	every := types.Resized(types.Char, 0, 2)
	buf := types.Raw(mem, 3, every)
	out := make([]byte, buf.Packed(types.Host))
	buf.Pack(out, 0, types.Host)
	fmt.Printf("%s %v\n", out, buf.Check(types.Host))
	buf.Unpack([]byte("xyz"), 0, types.Host)
	fmt.Printf("%s\n", mem)
	// Output:
	// abc <nil>
	// x-y-z-
}

// Expressions may have variables, as in commworld view.
func ExampleParseWith() {
	vars := map[string]int64{"r": 1, "n": 4}
	t, err := types.ParseWith("resized(int, 0, n*4)", vars)
	disp, err2 := types.EvalWith("r*4", vars)
	fmt.Println(t, disp, err, err2)
	// Output: resized(int, 0, 16) 4 <nil> <nil>
}

// A receive matches a send of the same items, in the same order.
func ExampleMatchMessage() {
	fmt.Println(types.MatchMessage(types.Int, 4, types.Vector(2, 2, 3, types.Int), 1, types.Host))
	fmt.Println(said(types.MatchMessage(types.Int, 4, types.Double, 2, types.Host)))
	// Output:
	// <nil>
	// types: Match: invalid datatype: sent [int*4], received as [double*2], first difference at item 0: int against double (P2P-MATCH-02)
}

// The number of copies or items that have arrived, from the bytes that a receive reports.
func ExampleCountIn() {
	pair := types.Contiguous(2, types.Int)
	fmt.Println(types.CountIn(12, pair, types.Host))
	fmt.Println(types.ElementsIn(12, pair, types.Host))
	// Output:
	// -32766 false
	// 3 true
}

// How a type was made, and the same type made again.
func ExampleRebuild() {
	t := types.Vector(2, 1, 3, types.Int)
	env := t.Envelope()
	args, err := t.Contents()
	fmt.Println(env.Combiner, args.Integers, args.Types, err)
	fmt.Println(types.Rebuild(env.Combiner, args))
	// Output:
	// MPI_COMBINER_VECTOR [2 1 3] [int] <nil>
	// vector(2, 1, 3, int)
}

// A library keeps a value with a datatype; duplicates have it, too.
func ExampleNewKeyval() {
	name := types.NewKeyval(types.DupAttr, nil)
	t := types.Contiguous(3, types.Double)
	err := t.SetAttr(name, "a point")
	fmt.Println(types.Dup(t).Attr(name))
	fmt.Println(err)
	// Output:
	// a point true <nil>
	// <nil>
}

// The Fortran type of 8 bytes, and one of at least 12 digits.
func ExampleBySize() {
	fmt.Println(types.BySize(types.ClassReal, 8), types.F90Real(12, types.Undefined))
	// Output: real8 f90real(12, undefined)
}

// said returns the text of an error without the line of the call, which is in this file.
func said(err error) string {
	if e, ok := errors.AsType[*types.Error](err); ok {
		return e.TextAt("")
	}
	return fmt.Sprint(err)
}
