package reduce

import (
	"encoding/binary"
	"math"
)

// Kernels read and write items through slices of constant length, which compile to plain
// loads and stores. One function per width walks the items; the function that it calls for
// each item is chosen once. Sums and extremes of floating-point numbers, the most common
// reductions, have loops of their own.

var mem = binary.NativeEndian

func each1(f func(a, b uint8) uint8) Kernel {
	return func(acc, x []byte) {
		for i, b := range x {
			acc[i] = f(acc[i], b)
		}
	}
}

func each2(f func(a, b uint16) uint16) Kernel {
	return func(acc, x []byte) {
		for len(x) >= 2 && len(acc) >= 2 {
			mem.PutUint16(acc[:2], f(mem.Uint16(acc[:2]), mem.Uint16(x[:2])))
			acc, x = acc[2:], x[2:]
		}
	}
}

func each4(f func(a, b uint32) uint32) Kernel {
	return func(acc, x []byte) {
		for len(x) >= 4 && len(acc) >= 4 {
			mem.PutUint32(acc[:4], f(mem.Uint32(acc[:4]), mem.Uint32(x[:4])))
			acc, x = acc[4:], x[4:]
		}
	}
}

func each8(f func(a, b uint64) uint64) Kernel {
	return func(acc, x []byte) {
		for len(x) >= 8 && len(acc) >= 8 {
			mem.PutUint64(acc[:8], f(mem.Uint64(acc[:8]), mem.Uint64(x[:8])))
			acc, x = acc[8:], x[8:]
		}
	}
}

type unsigned interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64
}

type integer interface {
	unsigned | ~int8 | ~int16 | ~int32 | ~int64
}

// integers returns op on words of bits U that are read as numbers N.
func integers[U unsigned, N integer](code Op) func(a, b U) U {
	switch code {
	case Sum:
		return func(a, b U) U { return a + b }
	case Prod:
		return func(a, b U) U { return a * b }
	case Max:
		return func(a, b U) U { return U(max(N(a), N(b))) }
	case Min:
		return func(a, b U) U { return U(min(N(a), N(b))) }
	case BAnd:
		return func(a, b U) U { return a & b }
	case BOr:
		return func(a, b U) U { return a | b }
	case BXor:
		return func(a, b U) U { return a ^ b }
	}
	return logical[U](code)
}

func logical[U unsigned](code Op) func(a, b U) U {
	truth := func(is bool) U {
		if is {
			return 1
		}
		return 0
	}
	switch code {
	case LAnd:
		return func(a, b U) U { return truth(a != 0 && b != 0) }
	case LOr:
		return func(a, b U) U { return truth(a != 0 || b != 0) }
	}
	return func(a, b U) U { return truth((a != 0) != (b != 0)) }
}

func signedKernel(code Op, size int64) Kernel {
	switch size {
	case 1:
		return each1(integers[uint8, int8](code))
	case 2:
		return each2(integers[uint16, int16](code))
	case 4:
		return each4(integers[uint32, int32](code))
	case 8:
		return each8(integers[uint64, int64](code))
	}
	return each16(integers128(code))
}

func unsignedKernel(code Op, size int64) Kernel {
	switch size {
	case 1:
		return each1(integers[uint8, uint8](code))
	case 2:
		return each2(integers[uint16, uint16](code))
	case 4:
		return each4(integers[uint32, uint32](code))
	}
	return each8(integers[uint64, uint64](code))
}

func boolKernel(code Op, size int64) Kernel {
	if size == 16 {
		return each16(logical128(code))
	}
	return unsignedKernel(code, size)
}

type float interface{ ~float32 | ~float64 }

// floats returns op on floating-point numbers. A NaN in any operand of Max or Min makes the
// result NaN, in any order of the operands.
func floats[F float](code Op) func(a, b F) F {
	switch code {
	case Sum:
		return func(a, b F) F { return a + b }
	case Prod:
		return func(a, b F) F { return a * b }
	case Max:
		return func(a, b F) F { return max(a, b) }
	}
	return func(a, b F) F { return min(a, b) }
}

func floatKernel(code Op, size int64, p ieee) Kernel {
	switch size {
	case 2:
		f := floats[float64](code)
		return each2(func(a, b uint16) uint16 { return toHalf(f(fromHalf(a), fromHalf(b))) })
	case 4:
		f := floats[float32](code)
		return each4(func(a, b uint32) uint32 {
			return math.Float32bits(f(math.Float32frombits(a), math.Float32frombits(b)))
		})
	case 8:
		return doubleKernel(code)
	}
	return wideKernel(code, size, p)
}

func doubleKernel(code Op) Kernel {
	if code == Sum {
		return sumDoubles
	}
	f := floats[float64](code)
	return each8(func(a, b uint64) uint64 {
		return math.Float64bits(f(math.Float64frombits(a), math.Float64frombits(b)))
	})
}

func sumDoubles(acc, x []byte) {
	for len(x) >= 8 && len(acc) >= 8 {
		s := math.Float64frombits(mem.Uint64(acc[:8])) + math.Float64frombits(mem.Uint64(x[:8]))
		mem.PutUint64(acc[:8], math.Float64bits(s))
		acc, x = acc[8:], x[8:]
	}
}

// complexKernel adds and multiplies numbers whose halves take size bytes. The
// sum is that of the parts; products of the narrow formats are formed in double
// precision and rounded at the end.
func complexKernel(code Op, size int64, p ieee) Kernel {
	if code == Sum {
		return floatKernel(Sum, size, p)
	}
	switch size {
	case 2:
		return pairs(2, func(p []byte) float64 { return fromHalf(mem.Uint16(p)) },
			func(p []byte, x float64) { mem.PutUint16(p, toHalf(x)) })
	case 4:
		return pairs(4, func(p []byte) float32 { return math.Float32frombits(mem.Uint32(p)) },
			func(p []byte, x float32) { mem.PutUint32(p, math.Float32bits(x)) })
	case 8:
		return multiplyComplex128
	}
	return wideProduct(size, p)
}

// pairs multiplies complex numbers of two F each.
func pairs[F float](size int, get func([]byte) F, put func([]byte, F)) Kernel {
	return func(acc, x []byte) {
		for len(x) >= 2*size {
			a := complex(float64(get(acc)), float64(get(acc[size:])))
			b := complex(float64(get(x)), float64(get(x[size:])))
			c := a * b
			put(acc, F(real(c)))
			put(acc[size:], F(imag(c)))
			acc, x = acc[2*size:], x[2*size:]
		}
	}
}

func multiplyComplex128(acc, x []byte) {
	get := func(p []byte) complex128 {
		return complex(math.Float64frombits(mem.Uint64(p)), math.Float64frombits(mem.Uint64(p[8:])))
	}
	for len(x) >= 16 {
		c := get(acc) * get(x)
		mem.PutUint64(acc, math.Float64bits(real(c)))
		mem.PutUint64(acc[8:], math.Float64bits(imag(c)))
		acc, x = acc[16:], x[16:]
	}
}
