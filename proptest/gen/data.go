package gen

import "fmt"

// Mark returns byte i of the data that a rank writes in operation op of a program. Bytes
// of different ranks and operations, and neighbouring bytes, differ, and none is 0 or a
// likely poison of a layer, so a wrong byte shows.
//
// The top bit is clear: an integer of marks is positive whatever the order of
// its bytes.
func Mark(rank, op int, i int64) byte {
	x := uint64(rank)*0x9e3779b97f4a7c15 + uint64(op)*0xbf58476d1ce4e5b9 + uint64(i)*0x94d049bb133111eb
	x ^= x >> 31
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	return byte(x%126) + 1
}

// TellOffset returns byte i of a buffer whose bytes show a reader their rank and offset:
// one letter or digit for the rank, then the low hexadecimal digits of the offset in
// turn. It is for dumps; use [Mark] to find faults.
func TellOffset(rank int, i int64) byte {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if i%4 == 0 {
		return digits[rank%len(digits)]
	}
	return fmt.Sprintf("%03x", i/4%4096)[i%4-1]
}
