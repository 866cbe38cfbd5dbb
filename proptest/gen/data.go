package gen

import "fmt"

// Mark returns byte i of what a rank writes in operation op of a program. Bytes
// of different ranks and operations, and neighbours, differ, and none is 0 or a
// poison that a layer is likely to use, so a wrong byte shows.
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

// TellOffset returns byte i of a buffer whose bytes tell their rank and offset
// to people: one letter or digit for the rank, then the low hexadecimal digits
// of the place in turn. For dumps; [Mark] is for finding faults.
func TellOffset(rank int, i int64) byte {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if i%4 == 0 {
		return digits[rank%len(digits)]
	}
	return fmt.Sprintf("%03x", i/4%4096)[i%4-1]
}
