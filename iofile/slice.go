package iofile

import (
	"math"
	"math/bits"
	"reflect"

	"github.com/commworld/commworld/types"
)

// ViewOf is the view of values of type T one behind the other from byte disp on,
// in native form; offsets then count values. See [types.TypeOf] for what T may be.
func ViewOf[T any](disp int64) View {
	t := types.TypeOf[T]()
	return View{Disp: disp, Etype: t, Filetype: t}
}

// ReadSlice is [File.ReadAt] into a new slice: n values from etype off of the
// view, or fewer if the file ends before. A value of which the file has only a
// part is left out. Errors: as ReadAt, with the values that arrived; ErrCount for
// n < 0.
func ReadSlice[T any](f *File, off Offset, n int) ([]T, error) {
	return readSlice[T](f, "ReadSlice", off, n, alone)
}

// ReadSliceAll is [ReadSlice] by all ranks, each with its own arguments.
// Collective.
func ReadSliceAll[T any](f *File, off Offset, n int) ([]T, error) {
	return readSlice[T](f, "ReadSliceAll", off, n, all)
}

// WriteSlice is [File.WriteAt] of xs, of which it returns how many are there: all
// of them, unless there is an error.
func WriteSlice[T any](f *File, off Offset, xs []T) (int, error) {
	return writeSlice(f, "WriteSlice", off, xs, alone)
}

// WriteSliceAll is [WriteSlice] by all ranks, each with its own arguments.
// Collective.
func WriteSliceAll[T any](f *File, off Offset, xs []T) (int, error) {
	return writeSlice(f, "WriteSliceAll", off, xs, all)
}

func readSlice[T any](f *File, op string, off Offset, n int, with coordination) ([]T, error) {
	xs, err := sliceOf[T](n)
	buf := types.Of(xs)
	st, err := f.run(call{op: op, at: explicit, with: with, off: off, buf: buf, wrong: err})
	return xs[:f.whole(st, buf)], err
}

func writeSlice[T any](f *File, op string, off Offset, xs []T, with coordination) (int, error) {
	buf := types.Of(xs)
	st, err := f.run(call{op: op, write: true, at: explicit, with: with, off: off, buf: buf})
	return f.whole(st, buf), err
}

// sliceOf is make, for a number that may be anything.
func sliceOf[T any](n int) ([]T, error) {
	if n < 0 {
		return nil, broken(ErrCount, "IO-DA-02", "count %d is negative", n)
	}
	var zero [1]T
	hi, size := bits.Mul64(uint64(n), uint64(reflect.TypeOf(zero).Size()))
	if hi != 0 || size > math.MaxInt {
		return nil, broken(ErrNoMem, "IO-DA-16", "%d values of type %T are more than memory can hold; read them in parts", n, zero[0])
	}
	if err := roomIn(int64(size)); err != nil {
		return nil, err
	}
	return make([]T, n), nil
}

// whole counts the items of buf that an access moved wholly.
func (f *File) whole(st Status, buf types.Buffer) int {
	if f == nil || f.c == nil || buf.Err() != nil {
		return 0
	}
	n, _ := st.Count(types.Byte)
	if size := buf.Type().Size(f.c.Arch()); size > 0 {
		return int(n / size)
	}
	return 0
}
