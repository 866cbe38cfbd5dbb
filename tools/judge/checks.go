//go:build mpich || openmpi

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// port gives access to the part of package comm that only this module uses.
var port = comm.Internal(commport.Key{})

// A check is a case in which libraries are known to differ from the standard, or from
// each other.
type check struct {
	id       string
	what     string
	ranks    int
	ask      func(b *bench) (string, error)
	standard []string          // answers that the standard allows
	known    map[string]string // by the name of a library: another answer that it was seen to give
}

// Cases that the standard leaves undefined. Known answers are printed all the same, so
// that a change is seen.
const undefined = "undefined"

// Reasons why a library gives no answer.
const (
	crashes = "crash"
	hangs   = "no answer"
)

// A bench is the environment of a check: one rank of a world, and files.
type bench struct {
	*comm.Comm
	files *iofile.FS
	dir   string
}

// class returns the name of an error in answers.
func class(err error) string {
	if err == nil {
		return "success"
	}
	var e *errclass.Error
	if errors.As(err, &e) {
		return e.Class.Name()
	}
	return err.Error()
}

// answer returns the answer for a call whose error is the answer.
func answer(err error) (string, error) { return class(err), nil }

func (b *bench) open(mode iofile.Mode) (*iofile.File, error) {
	return iofile.Open(b.Comm, b.files, "f", mode)
}

// fresh opens a new file with a view.
func (b *bench) fresh(v iofile.View) (*iofile.File, error) {
	f, err := b.open(iofile.Create | iofile.ReadWrite)
	if err == nil && v.Etype != nil {
		err = f.SetView(v)
	}
	return f, err
}

// given creates the file with the given bytes.
func (b *bench) given(data []byte) error {
	var err error
	if b.Rank() == 0 {
		err = os.WriteFile(filepath.Join(b.dir, "f"), data, 0o644)
	}
	return errors.Join(err, b.Barrier())
}

// hold closes f and returns the content of the file.
func (b *bench) hold(f *iofile.File) (string, error) {
	if err := errors.Join(f.Close(), b.Barrier()); err != nil {
		return "", err
	}
	data, err := os.ReadFile(filepath.Join(b.dir, "f"))
	return fmt.Sprintf("%x", data), err
}

func typ(text string) *types.Type {
	t, err := types.Parse(text)
	if err != nil {
		panic(err)
	}
	return t
}

// extent returns the extent of a type in a native file.
func extent(text string) func(b *bench) (string, error) {
	return func(b *bench) (string, error) {
		f, err := b.fresh(iofile.View{})
		if err != nil {
			return "", err
		}
		n, err := f.TypeExtent(typ(text))
		return fmt.Sprint(n), errors.Join(err, f.Close())
	}
}

// viewed answers with the result of setting a view.
func viewed(mode iofile.Mode, v func() iofile.View) func(b *bench) (string, error) {
	return func(b *bench) (string, error) {
		if err := b.given(make([]byte, 64)); err != nil {
			return "", err
		}
		f, err := b.open(mode)
		if err != nil {
			return "", err
		}
		said := class(f.SetView(v()))
		return said, f.Close()
	}
}

// wrote answers with the bytes of a file after a write under a view.
func wrote(v iofile.View, buf func() types.Buffer) func(b *bench) (string, error) {
	return func(b *bench) (string, error) {
		f, err := b.fresh(v)
		if err != nil {
			return class(err), nil
		}
		if _, err = f.WriteAt(buf(), 0); err != nil {
			return class(err), f.Close()
		}
		return b.hold(f)
	}
}

var exV1 = iofile.View{Disp: 2, Etype: types.Char, Filetype: types.Resized(types.Char, 0, 3)}

// end answers with the end of the view for a file of this size.
func end(v iofile.View, size int) func(b *bench) (string, error) {
	return func(b *bench) (string, error) {
		if err := b.given(make([]byte, size)); err != nil {
			return "", err
		}
		f, err := b.fresh(v)
		if err != nil {
			return "", err
		}
		if err := f.Seek(0, iofile.SeekEnd); err != nil {
			return class(err), f.Close()
		}
		n, err := f.Position()
		return fmt.Sprint(n), errors.Join(err, f.Close())
	}
}

// matched answers with the result of a write whose items differ from the view's.
func matched(datatype *types.Type, size int) func(b *bench) (string, error) {
	return func(b *bench) (string, error) {
		f, err := b.fresh(iofile.View{Etype: types.Int, Filetype: types.Int})
		if err != nil {
			return "", err
		}
		_, err = f.WriteAt(types.Raw(make([]byte, size), 1, datatype), 0)
		said := class(err)
		return said, f.Close()
	}
}

// first answers with the offsets of the bytes of the first etypes of a view.
func first(v iofile.View, n int) func(b *bench) (string, error) {
	return func(b *bench) (string, error) {
		f, err := b.fresh(v)
		if err != nil {
			return class(err), nil
		}
		if err := f.SetSize(64); err != nil {
			return "", err
		}
		size := int(v.Etype.Size(types.Host))
		if _, err := f.WriteAt(types.Raw(bytes.Repeat([]byte{0xee}, n*size), int64(n), v.Etype), 0); err != nil {
			return class(err), f.Close()
		}
		if err := errors.Join(f.Close(), b.Barrier()); err != nil {
			return "", err
		}
		data, err := os.ReadFile(filepath.Join(b.dir, "f"))
		at := []int{}
		for i := 0; i < len(data); i += size {
			if bytes.HasPrefix(data[i:], bytes.Repeat([]byte{0xee}, size)) {
				at = append(at, i)
			}
		}
		return fmt.Sprint(at), err
	}
}

const (
	mpich   = "MPICH"
	openMPI = "Open MPI"
	inside  = "in one process"
)

var external = "external32"

var checks = []check{
	{"DIV-01", "extent of {2 x resized(..,0,16), INT@100}", 1, extent("struct([2, 1], [0, 100], [resized(int, 0, 16), int])"), []string{"32"}, map[string]string{mpich: "104"}},
	{"DIV-02", "extent of hvector(2,1,5,INT)", 1, extent("hvector(2, 1, 5, struct([1], [0], [int]))"), []string{"12"}, map[string]string{mpich: "9"}},
	{"DIV-03", "SEEK_END in EX-V1 with 12 bytes", 1, end(exV1, 12), []string{"4"}, map[string]string{openMPI: "1"}},
	{"DIV-04", "pointer after a read cut by the end of file", 1, askCut, []string{"3"}, map[string]string{openMPI: "8"}},
	{"DIV-05", "sync on RDONLY", 1, askSync, []string{"success"}, map[string]string{mpich: "MPI_ERR_READ_ONLY", openMPI: "MPI_ERR_ACCESS"}},
	{"DIV-06", "individual access on SEQUENTIAL", 1, askSequential, []string{"MPI_ERR_UNSUPPORTED_OPERATION"}, map[string]string{openMPI: "success"}},
	{"DIV-07", "get_type_extent(LONG) under external32", 1, askLong, []string{"4"}, map[string]string{mpich: "8", openMPI: "8"}},
	{
		"DIV-08", "contiguous LONG x3 under external32, bytes of the file", 1, askContiguous,
		[]string{"12"},
		map[string]string{mpich: "24"},
	},
	{
		"DIV-09", "strided LONG under external32, bytes of the file", 1, askStrided,
		[]string{"20"},
		map[string]string{mpich: "40", openMPI: "28"},
	},
	{
		"DIV-10", "LONG_DOUBLE 1 in external32", 1,
		askLongDouble,
		[]string{"binary128"},
		map[string]string{openMPI: "other bytes"},
	},
	{
		"DIV-11", "WCHAR in external32", 1,
		wrote(iofile.View{Etype: types.WChar, Filetype: types.WChar, Rep: external}, func() types.Buffer {
			return types.Raw([]byte{'A', 0, 0, 0}, 1, types.WChar)
		}),
		[]string{"0041"},
		map[string]string{mpich: crashes, openMPI: "00000041"},
	},
	{"DIV-12", "a representation with conversion functions", 1, askConversion, []string{"success"}, map[string]string{mpich: "MPI_ERR_CONVERSION", openMPI: "MPI_ERR_CONVERSION"}},
	{"DIV-13", "view under a registered representation", 1, askRegistered, []string{"success"}, map[string]string{mpich: "MPI_ERR_UNSUPPORTED_DATAREP", openMPI: "MPI_ERR_OTHER"}},
	{
		"DIV-14", "registering \"native\"; a name twice", 1, askNames,
		[]string{"MPI_ERR_DUP_DATAREP; MPI_ERR_DUP_DATAREP"},
		map[string]string{mpich: "success; MPI_ERR_DUP_DATAREP", openMPI: "MPI_ERR_OTHER; MPI_ERR_OTHER"},
	},
	{"DIV-15", "datatype FLOAT on etype INT", 1, matched(types.Float, 4), []string{"MPI_ERR_TYPE"}, map[string]string{mpich: "success", openMPI: "success"}},
	{"DIV-16", "datatype of 3 bytes on etype INT", 1, matched(types.Contiguous(3, types.Byte), 3), []string{"MPI_ERR_TYPE", "MPI_ERR_IO"}, map[string]string{openMPI: "success"}},
	{"DIV-17", "second split begin", 1, askTwice, []string{"MPI_ERR_IO"}, map[string]string{openMPI: "MPI_ERR_REQUEST"}},
	{"DIV-18", "split end without begin", 1, askEnd, []string{"MPI_ERR_IO"}, map[string]string{openMPI: crashes}},
	{"DIV-19", "write_at offset -1", 1, askNegative, []string{"MPI_ERR_ARG"}, map[string]string{openMPI: "success"}},
	{"DIV-20", "set_size differing per rank", 2, askSizes, []string{"MPI_ERR_NOT_SAME", "MPI_ERR_ARG"}, map[string]string{openMPI: hangs}},
	{
		"DIV-21", "write through tiles that overlap", 1, askTiles,
		[]string{"MPI_ERR_ARG", "MPI_ERR_TYPE"},
		map[string]string{mpich: "success", openMPI: "success"},
	},
	{
		"DIV-22", "hole not a multiple of the etype's extent", 1,
		viewed(iofile.ReadWrite, func() iofile.View {
			return iofile.View{Etype: types.Int, Filetype: types.Resized(types.Int, 0, 6)}
		}),
		[]string{"MPI_ERR_ARG", "MPI_ERR_TYPE"},
		map[string]string{mpich: "success", openMPI: "success"},
	},
	{"DIV-23", "subarray with subsize 0; with a start that overruns", 1, askSubarrays, []string{"MPI_ERR_ARG; MPI_ERR_ARG"}, map[string]string{mpich: "success; success"}},
	{"DIV-24", "bytes in the holes of a new file", 1, askHoles, []string{undefined}, map[string]string{inside: "00", mpich: "ff", openMPI: "00"}},
	{"DIV-25", "get_view after \"internal\"", 1, askInternal, []string{"internal"}, map[string]string{mpich: "native", openMPI: "MPI_ERR_UNSUPPORTED_DATAREP"}},
	{"DIV-26", "amode differing per rank (RDWR, RDONLY)", 2, askModes, []string{"MPI_ERR_NOT_SAME"}, map[string]string{openMPI: "success"}},
	{
		"DIV-27", "overlapping filetype on RDONLY", 1,
		viewed(iofile.ReadOnly, func() iofile.View {
			return iofile.View{Etype: types.Int, Filetype: typ("hvector(2, 2, 4, int)")}
		}),
		[]string{"success"},
		map[string]string{openMPI: "MPI_ERR_TYPE"},
	},
	{
		"DIV-28", "etype BYTE, external32, write INT 1", 1,
		wrote(iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: external}, func() types.Buffer { return types.Of([]int32{1}).As(types.Int) }),
		[]string{"01000000"},
		map[string]string{mpich: "00000001", openMPI: "00000001"},
	},
	{"DIV-29", "extent of {double@0, {double@0, char@8}@17}", 1, extent("struct([1, 1], [0, 17], [double, struct([1, 1], [0, 8], [double, char])])"), []string{"32"}, map[string]string{mpich: "40", openMPI: "40"}},
	{"DIV-30", "extent of contiguous(3, resized(empty, -7, 20))", 1, extent("contiguous(3, resized(contiguous(0, char), -7, 20))"), []string{"60"}, map[string]string{mpich: "0", openMPI: "0"}},
	{"DIV-31", "extent of {contiguous(0,char)@3, char@6}", 1, extent("struct([1, 1], [3, 6], [contiguous(0, char), char])"), []string{"1"}, map[string]string{mpich: "4", openMPI: "4"}},
	{"DIV-32", "extent of hvector(2,1,17,hvector(2,2,9,short))", 1, extent("hvector(2, 1, 17, hvector(2, 2, 9, short))"), []string{"30"}, map[string]string{openMPI: "32"}},
	{
		"DIV-33", "bytes of a view through resized(derived, lb != 0)", 1,
		first(iofile.View{Etype: types.Int, Filetype: typ("resized(hindexed([2], [8], int), -4, 20)")}, 2),
		[]string{"[8 12]"},
		map[string]string{mpich: "[4 8]"},
	},
	{
		"DIV-34", "bytes of a view through indexed over a type with holes", 1,
		first(iofile.View{Etype: types.Float, Filetype: typ("indexed([1, 2], [0, 1], subarray([3], [2], [0], c, float))")}, 6),
		[]string{"[0 4 12 16 24 28]"},
		map[string]string{mpich: "[0 4 36 40 72 76]"},
	},
	{"DIV-35", "SEEK_END where the file ends before disp", 1, end(iofile.View{Disp: 40, Etype: types.Int, Filetype: types.Int}, 12), []string{"0"}, map[string]string{mpich: "MPI_ERR_ARG"}},
	{
		"DIV-36", "DOUBLE_INT as etype", 1,
		first(iofile.View{Etype: types.DoubleInt, Filetype: types.DoubleInt}, 1),
		[]string{"[0]"},
		map[string]string{mpich: crashes},
	},
}

// A representation that is only registered, with conversion functions or without.
func rep(converts bool) reps.Conversion {
	conv := reps.Conversion{Extent: func(t *types.Type, _ any) (int64, error) { return t.Size(types.Host), nil }}
	if converts {
		conv.Read = func(reps.Memory, *types.Type, int64, []byte, int64, any) error { return nil }
		conv.Write = conv.Read
	}
	return conv
}

func askConversion(b *bench) (string, error) {
	return answer(iofile.RegisterDatarep(b.Comm, "converting", rep(true)))
}

func askRegistered(b *bench) (string, error) {
	if err := iofile.RegisterDatarep(b.Comm, "unconverting", rep(false)); err != nil {
		return answer(err)
	}
	f, err := b.open(iofile.Create | iofile.ReadWrite)
	if err != nil {
		return "", err
	}
	said := class(f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: "unconverting"}))
	return said, f.Close()
}

func askNames(b *bench) (string, error) {
	said := class(iofile.RegisterDatarep(b.Comm, "native", rep(false)))
	first := class(iofile.RegisterDatarep(b.Comm, "twice", rep(false)))
	if first == "success" {
		first = class(iofile.RegisterDatarep(b.Comm, "twice", rep(false)))
	}
	return said + "; " + first, nil
}

// askSubarrays passes arguments to the library that this module's constructor refuses.
func askSubarrays(b *bench) (string, error) {
	ask := subarrayHere
	if port.EngineWorld(b.Comm) != nil {
		ask = subarrayThere
	}
	return ask(4, 0, 0) + "; " + ask(4, 2, 3), nil
}

func subarrayHere(size, sub, start int64) string {
	return class(types.Subarray(types.OrderC, []types.Slab{{Size: size, Sub: sub, Start: start}}, types.Int).Err())
}

// askHoles writes through a view that skips two bytes of three, and returns the different
// values of the skipped bytes.
func askHoles(b *bench) (string, error) {
	got, err := wrote(exV1, func() types.Buffer { return types.Of([]byte("ABCD")).As(types.Char) })(b)
	if err != nil || strings.HasPrefix(got, "MPI_") {
		return got, err
	}
	seen := []string{}
	for i := int(exV1.Disp); i < len(got)/2; i++ {
		if x := got[2*i : 2*i+2]; (i-int(exV1.Disp))%3 != 0 && !slices.Contains(seen, x) {
			seen = append(seen, x)
		}
	}
	return strings.Join(seen, " "), nil
}

func askCut(b *bench) (string, error) {
	if err := b.given(make([]byte, 3)); err != nil {
		return "", err
	}
	f, err := b.fresh(iofile.View{})
	if err != nil {
		return "", err
	}
	_, err = f.Read(types.Of(make([]byte, 8)))
	n, err2 := f.Position()
	return fmt.Sprint(n), errors.Join(err, err2, f.Close())
}

func askSync(b *bench) (string, error) {
	if err := b.given([]byte("x")); err != nil {
		return "", err
	}
	f, err := b.open(iofile.ReadOnly)
	if err != nil {
		return "", err
	}
	said := class(f.Sync())
	return said, f.Close()
}

func askSequential(b *bench) (string, error) {
	f, err := b.open(iofile.Create | iofile.WriteOnly | iofile.Sequential)
	if err != nil {
		return answer(err)
	}
	_, err = f.Write(types.Of([]byte("x")))
	said := class(err)
	return said, f.Close()
}

func askLong(b *bench) (string, error) {
	f, err := b.fresh(iofile.View{Etype: types.Long, Filetype: types.Long, Rep: external})
	if err != nil {
		return answer(err)
	}
	n, err := f.TypeExtent(types.Long)
	return fmt.Sprint(n), errors.Join(err, f.Close())
}

// length answers with the size of a file after a write of three LONGs.
func length(b *bench, filetype *types.Type) (string, error) {
	f, err := b.fresh(iofile.View{Etype: types.Long, Filetype: filetype, Rep: external})
	if err != nil {
		return answer(err)
	}
	if _, err = f.WriteAt(types.Of([]int64{1, 2, 3}).As(types.Long), 0); err != nil {
		return class(err), f.Close()
	}
	if err := errors.Join(f.Close(), b.Barrier()); err != nil {
		return "", err
	}
	info, err := os.Stat(filepath.Join(b.dir, "f"))
	if err != nil {
		return "", err
	}
	return fmt.Sprint(info.Size()), nil
}

func askContiguous(b *bench) (string, error) { return length(b, types.Long) }

// askStrided writes through one LONG, a gap of two, and two more.
func askStrided(b *bench) (string, error) {
	return length(b, types.Indexed([]types.Block{{Len: 1, Disp: 0}, {Len: 2, Disp: 3}}, types.Long))
}

func askTwice(b *bench) (string, error) {
	f, err := b.fresh(iofile.View{})
	if err != nil {
		return "", err
	}
	x, y := types.Of([]byte("ab")), types.Of([]byte("cd"))
	if err := f.WriteAtAllBegin(x, 0); err != nil {
		return "", err
	}
	said := class(f.WriteAtAllBegin(y, 2))
	_, err = f.WriteAtAllEnd(x)
	return said, errors.Join(err, f.Close())
}

func askEnd(b *bench) (string, error) {
	f, err := b.fresh(iofile.View{})
	if err != nil {
		return "", err
	}
	_, err = f.WriteAtAllEnd(types.Of([]byte("ab")))
	said := class(err)
	return said, f.Close()
}

func askNegative(b *bench) (string, error) {
	f, err := b.fresh(iofile.View{})
	if err != nil {
		return "", err
	}
	_, err = f.WriteAt(types.Of([]byte("x")), -1)
	said := class(err)
	return said, f.Close()
}

// askTiles writes one int more than the first copy of a filetype contains: the second int
// of copy 0 and the first of copy 1 have the same place in the file.
func askTiles(b *bench) (string, error) {
	f, err := b.fresh(iofile.View{Etype: types.Int, Filetype: types.Resized(types.Contiguous(2, types.Int), 0, 4)})
	if err != nil {
		return class(err), nil
	}
	_, err = f.WriteAt(types.Of([]int32{1, 2, 3, 4}).As(types.Int), 0)
	said := class(err)
	return said, f.Close()
}

func askSizes(b *bench) (string, error) {
	f, err := b.fresh(iofile.View{})
	if err != nil {
		return "", err
	}
	said := class(f.SetSize(int64(10 + b.Rank())))
	return said, f.Close()
}

func askInternal(b *bench) (string, error) {
	f, err := b.fresh(iofile.View{Etype: types.Int, Filetype: types.Int, Rep: "internal"})
	if err != nil {
		return answer(err)
	}
	v, err := f.View()
	return v.Rep, errors.Join(err, f.Close())
}

func askModes(b *bench) (string, error) {
	if err := b.given([]byte("x")); err != nil {
		return "", err
	}
	mode := iofile.ReadWrite
	if b.Rank() == 1 {
		mode = iofile.ReadOnly
	}
	f, err := b.open(mode)
	if err != nil {
		return answer(err)
	}
	return "success", f.Close()
}

// askLongDouble writes 1. The bytes differ between runs if the library does not write a
// binary128 number, because memory has padding bytes.
func askLongDouble(b *bench) (string, error) {
	one := []byte{0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f, 0, 0, 0, 0, 0, 0} // in the format of the x87
	got, err := wrote(iofile.View{Etype: types.LongDouble, Filetype: types.LongDouble, Rep: external}, func() types.Buffer {
		return types.Raw(one, 1, types.LongDouble)
	})(b)
	switch {
	case err != nil || strings.HasPrefix(got, "MPI_"):
		return got, err
	case got == "3fff"+strings.Repeat("0", 28):
		return "binary128", nil
	}
	return "other bytes", nil
}
