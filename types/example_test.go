package types_test

import (
	"fmt"

	"github.com/commworld/commworld/types"
)

func ExampleVector() {
	column := types.Vector(3, 1, 4, types.Double)
	lb, extent := column.Extent(types.Host)
	fmt.Println(column, "takes", column.Size(types.Host), "bytes of", lb, "to", lb+extent)
	// Output: vector(3, 1, 4, double) takes 24 bytes of 0 to 72
}

// The same type is memory here and a file there: element strides scale.
func ExampleType_Layout() {
	t := types.Vector(2, 1, 3, types.Long)
	for _, s := range []types.Sizes{types.Host, ilp32} {
		l, _ := t.Layout(s)
		fmt.Println(l.Nest(), "extent", l.Extent)
	}
	// Output:
	// 0: 2 x 24 of run 8 extent 32
	// 0: 2 x 12 of run 4 extent 16
}

// A tiling is a file view: what an access of four items touches.
func ExampleTiling_Runs() {
	every, _ := types.Resized(types.Int, 0, 12).Layout(types.Host)
	view := types.Tiling{L: every, Disp: 100}
	for off, n := range view.Runs(4, 16) {
		fmt.Print(off, "+", n, " ")
	}
	// Output: 112+4 124+4 136+4 148+4
}

func ExampleOf() {
	matrix := []float64{
		1, 2, 3,
		4, 5, 6,
	}
	column := types.Vector(2, 1, 3, types.Double)
	buf := types.Of(matrix).As(column)
	second := make([]float64, 2)
	types.Copy(types.Of(second), 0, types.Host, buf.At(8), 0, types.Host, 16)
	fmt.Println(second, buf.As(types.Int).Check(types.Host) != nil)
	// Output: [2 5] true
}

func ExampleParse() {
	t, err := types.Parse("struct([1, 3], [0, 8], [int, double])")
	fmt.Println(t.Signature(), err)
	_, err = types.Parse("vector(2, 1, int)")
	fmt.Println(said(err))
	// Output:
	// int double*3 <nil>
	// types: Parse "vector(2, 1, int)": invalid argument: column 14: expected a number, found "i"
}

func ExampleMatchAccess() {
	etype := types.Struct(types.Field{Count: 1, Type: types.Int}, types.Field{Count: 1, Disp: 8, Type: types.Double})
	fmt.Println(said(types.MatchAccess(types.MatchFinal, etype, types.Contiguous(3, types.Int), 1, types.Host)))
	// Output:
	// types: Match: invalid datatype: datatype contiguous(3, int) through a view whose etype is struct([1, 1], [0, 8], [int, double]): it is not a whole number of etypes: signature [int*3] against [int double], first difference at item 1: int against double (IO-TM-03)
}
