package types_test

import (
	"fmt"

	"github.com/commworld/commworld/types"
)

// A datatype is a recipe: a column of a matrix of 3 rows and 4 columns, laid out under the
// sizes of this machine.
func Example() {
	column := types.Vector(3, 1, 4, types.Byte)
	l, err := column.Layout(types.Host)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(column, "has", l.Size, "bytes of data in an extent of", l.Extent)

	matrix := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	packed := make([]byte, 3)
	types.Of(matrix).As(column).Times(1).Pack(packed, 0, types.Host)
	fmt.Println(packed)
	// Output:
	// vector(3, 1, 4, byte) has 3 bytes of data in an extent of 9
	// [1 5 9]
}
