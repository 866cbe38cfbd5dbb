package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func Example() {
	fmt.Println(run(nil))
	// Output:
	// native: 64 00 00 00 00 00 00 65 66 00 00 00 00 00 00 67
	//   rank 0, LP64LE   read [100 1694498816 102 1728053248]
	//   rank 1, LP64BE   read [1677721600 101 1711276032 103]
	//   rank 2, ILP32LE  read [100 1694498816 102 1728053248]
	//   rank 3, ILP32BE  read [1677721600 101 1711276032 103]
	//   byte 4 was written as "native" of a machine LP64BE and is read as "native" of a machine LP64LE
	//   byte 0 was written as "native" of a machine LP64LE and is read as "native" of a machine LP64BE
	//   byte 0 was written as "native" of a machine LP64LE and is read as "native" of a machine ILP32LE
	//   byte 0 was written as "native" of a machine LP64LE and is read as "native" of a machine ILP32BE
	// internal: 00 00 00 64 00 00 00 65 00 00 00 66 00 00 00 67
	//   rank 0, LP64LE   read [100 101 102 103]
	//   rank 1, LP64BE   read [100 101 102 103]
	//   rank 2, ILP32LE  read [100 101 102 103]
	//   rank 3, ILP32BE  read [100 101 102 103]
	// external32: 00 00 00 64 00 00 00 65 00 00 00 66 00 00 00 67
	//   rank 0, LP64LE   read [100 101 102 103]
	//   rank 1, LP64BE   read [100 101 102 103]
	//   rank 2, ILP32LE  read [100 101 102 103]
	//   rank 3, ILP32BE  read [100 101 102 103]
	// <nil>
}

// If this fails, other values of the flags do not work, or wrong ones are not refused.
func TestFlags(t *testing.T) {
	assert.EqualError(t, run([]string{"-ranks", "0"}), `-ranks 0: 1 to 64`)
	assert.EqualError(t, run([]string{"x"}), `"x": there are no arguments, only flags`)
	assert.NoError(t, run([]string{"-ranks", "1"}))
	assert.NoError(t, run([]string{"-ranks", "6"}))
}
