package iofile

import (
	"math"
	"math/bits"
	"reflect"

	"github.com/commworld/commworld/types"
)

// ViewOf returns the view of values of type T, one after the other from byte disp on, in
// native form; offsets then count values. See [types.TypeOf] for the possible types T.
func ViewOf[T any](disp int64) View {
	t := types.TypeOf[T]()
	return View{Disp: disp, Etype: t, Filetype: t}
}

// ReadSlice is [File.ReadAt] into a new slice: n values from etype off of the view, or
// fewer if the file ends before. An incomplete value at the end of the file is left out.
// Errors: as ReadAt, with the values that arrived; ErrCount for n < 0.
func ReadSlice[T any](f *File, off Offset, n int) ([]T, error) {
	return readSlice[T](f, "ReadSlice", off, n, alone)
}

// ReadSliceAll is [ReadSlice] by all ranks, each with its own arguments.
// Collective.
func ReadSliceAll[T any](f *File, off Offset, n int) ([]T, error) {
	return readSlice[T](f, "ReadSliceAll", off, n, all)
}

// WriteSlice is [File.WriteAt] of xs; it returns how many values are in the file: all of
// them, unless there is an error.
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
	st, err := f.to().run(call{op: op, at: explicit, with: with, off: off, buf: buf, wrong: err})
	return xs[:f.whole(st, buf)], err
}

func writeSlice[T any](f *File, op string, off Offset, xs []T, with coordination) (int, error) {
	buf := types.Of(xs)
	st, err := f.to().run(call{op: op, write: true, at: explicit, with: with, off: off, buf: buf})
	return f.whole(st, buf), err
}

// sliceOf is make for an unchecked number.
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

// whole returns how many items of buf an access moved completely.
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
