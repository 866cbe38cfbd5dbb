package pack

// loops move the payload of one shape between an array and packed memory.
type loops struct {
	pack   func(packed, array []float64)
	unpack func(array, packed []float64)
}

// blocks moves count blocks of n values, one every stride values.
func blocks(count, n, stride int64) *loops {
	return &loops{
		func(packed, array []float64) {
			for i := range count {
				copy(packed[i*n:(i+1)*n], array[i*stride:])
			}
		},
		func(array, packed []float64) {
			for i := range count {
				copy(array[i*stride:], packed[i*n:(i+1)*n])
			}
		},
	}
}

// from returns l with the array's first value at start.
func (l *loops) from(start int64) *loops {
	return &loops{
		func(packed, array []float64) { l.pack(packed, array[start:]) },
		func(array, packed []float64) { l.unpack(array[start:], packed) },
	}
}

// times returns count repetitions of l, each n values of payload and stride values of
// array after the one before.
func (l *loops) times(count, n, stride int64) *loops {
	return &loops{
		func(packed, array []float64) {
			for i := range count {
				l.pack(packed[i*n:], array[i*stride:])
			}
		},
		func(array, packed []float64) {
			for i := range count {
				l.unpack(array[i*stride:], packed[i*n:])
			}
		},
	}
}

func packSingles(packed, array []float64) {
	j := 0
	for i := range packed {
		packed[i] = array[j]
		j += 2
	}
}

func unpackSingles(array, packed []float64) {
	j := 0
	for _, v := range packed {
		array[j] = v
		j += 2
	}
}

func packPairs(packed, array []float64) {
	for len(packed) >= 2 && len(array) >= 2 {
		packed[0], packed[1] = array[0], array[1]
		packed, array = packed[2:], array[min(4, len(array)):]
	}
}

func unpackPairs(array, packed []float64) {
	for len(packed) >= 2 && len(array) >= 2 {
		array[0], array[1] = packed[0], packed[1]
		packed, array = packed[2:], array[min(4, len(array)):]
	}
}

// The nest is 4 values, every second one, 8 times every 16, repeated every 256.
func packNest(packed, array []float64) {
	for o := 0; len(packed) >= 32; o += 256 {
		for j := range 8 {
			from, to := array[o+16*j:o+16*j+7], packed[4*j:4*j+4]
			to[0], to[1], to[2], to[3] = from[0], from[2], from[4], from[6]
		}
		packed = packed[32:]
	}
}

func unpackNest(array, packed []float64) {
	for o := 0; len(packed) >= 32; o += 256 {
		for j := range 8 {
			to, from := array[o+16*j:o+16*j+7], packed[4*j:4*j+4]
			to[0], to[2], to[4], to[6] = from[0], from[1], from[2], from[3]
		}
		packed = packed[32:]
	}
}

// columns moves n columns of a matrix of 512 by 512, eight at a time, so that each cache
// line is read once.
func columns(n int64) *loops {
	return &loops{
		func(packed, array []float64) {
			for c := int64(0); c < n; c += 8 {
				for r := range int64(512) {
					for j, v := range array[r*512+c : r*512+c+8] {
						packed[(c+int64(j))*512+r] = v
					}
				}
			}
		},
		func(array, packed []float64) {
			for c := int64(0); c < n; c += 8 {
				for r := range int64(512) {
					line := array[r*512+c : r*512+c+8]
					for j := range line {
						line[j] = packed[(c+int64(j))*512+r]
					}
				}
			}
		},
	}
}
