package world_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/show/child"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

var update = flag.Bool("update", false, "write docs/mistakes.md anew")

// A mistake is a program that many make once.
type mistake struct {
	kind  int
	name  string
	ranks int

	file   func(c *comm.Comm, f *iofile.File) error  // with a new file f, closed when it returns
	run    func(c *comm.Comm, fsys *iofile.FS) error // with an empty file system, or one that old filled
	whole  program                                   // instead: all of the program of a rank, run by Strict
	strict bool                                      // run by Strict
	check  []int                                     // run with each of these numbers of ranks, as commworld check does
	script string                                    // instead: a script
	old    string                                    // content of the file "f" before the run

	says string // text that the output must contain
	real string // what MPI libraries do
}

const newFile = iofile.Create | iofile.ReadWrite

var shared int32 // mistake 37

// mistakes has the programs that TestMistakes runs and docs/mistakes.md shows.
var mistakes = []mistake{
	{
		kind: 1, name: "The filetype is not made of whole etypes", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			return f.SetView(iofile.View{Etype: types.Double, Filetype: types.Contiguous(3, types.Int)})
		},
		says: "not a whole number of copies", real: "An error, or undefined behaviour.",
	},
	{
		kind: 2, name: "A negative displacement", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			return f.SetView(iofile.View{Disp: -4, Etype: types.Int, Filetype: types.Int})
		},
		says: "displacement -4 is negative", real: "MPI_ERR_ARG.",
	},
	{
		kind: 3, name: "A filetype that jumps backwards", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			back := types.Indexed([]types.Block{{Len: 1, Disp: 2}, {Len: 1, Disp: 0}}, types.Int)
			return f.SetView(iofile.View{Etype: types.Int, Filetype: back})
		},
		says: "comes after", real: "Undefined; if the call is accepted, bytes may go to wrong places.",
	},
	{
		kind: 4, name: "Uneven ranks: the subarray leaves the array", ranks: 3,
		file: func(c *comm.Comm, f *iofile.File) error {
			part := types.Subarray(types.OrderC, []types.Slab{{Size: 8, Sub: 3, Start: int64(3 * c.Rank())}}, types.Int)
			return f.SetView(iofile.View{Etype: types.Int, Filetype: part})
		},
		says: "start 6", real: "MPI_ERR_ARG on that rank; the others wait for ever.",
	},
	{
		kind: 5, name: "No sync, only a barrier", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			if c.Rank() == 0 {
				if _, err := f.WriteAt(types.Of([]int32{7}), 0); err != nil {
					return err
				}
			}
			if err := c.Barrier(); err != nil {
				return err
			}
			if c.Rank() == 1 {
				if _, err := f.ReadAt(types.Of(make([]int32, 1)), 0); err != nil {
					return err
				}
			}
			return nil
		},
		says: "missing", real: "Works on one machine; on a cluster rank 1 may read old bytes.",
	},
	{
		kind: 6, name: "The reader does not sync", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			if c.Rank() == 0 {
				if _, err := f.WriteAt(types.Of([]int32{7}), 0); err != nil {
					return err
				}
			}
			if err := errors.Join(f.Sync(), c.Barrier()); err != nil {
				return err
			}
			if c.Rank() == 1 {
				if _, err := f.ReadAt(types.Of(make([]int32, 1)), 0); err != nil {
					return err
				}
			}
			return nil
		},
		says: "Sync of the reader", real: "Works on one machine; a client's cache may give old bytes.",
	},
	{
		kind: 7, name: "Two syncs without a barrier between them", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			if c.Rank() == 0 {
				if _, err := f.WriteAt(types.Of([]int32{7}), 0); err != nil {
					return err
				}
			}
			if err := errors.Join(f.Sync(), f.Sync()); err != nil {
				return err
			}
			if c.Rank() == 1 {
				if _, err := f.ReadAt(types.Of(make([]int32, 1)), 0); err != nil {
					return err
				}
			}
			return nil
		},
		says: "order", real: "Mostly works: both libraries synchronize in MPI_File_sync, which the standard does not promise.",
	},
	{
		kind: 8, name: "Ranks in different collective calls", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			mine := make([]int32, 4)
			if c.Rank() == 0 {
				_, err := f.WriteAtAll(types.Of(mine), 0)
				return err
			}
			_, err := f.ReadAtAll(types.Of(mine), 0)
			return err
		},
		says: "WriteAtAll", real: "Hangs, or mixes the data of both calls.",
	},
	{
		kind: 9, name: "SetView on one rank only", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			if c.Rank() == 0 {
				if err := f.SetView(iofile.View{Etype: types.Int32, Filetype: types.Int32}); err != nil {
					return err
				}
			}
			_, err := f.WriteAtAll(types.Of([]int32{1}), iofile.Offset(c.Rank()))
			return err
		},
		says: "SetView", real: "Hangs.",
	},
	{
		kind: 10, name: "A rank without data skips the collective call", ranks: 3,
		file: func(c *comm.Comm, f *iofile.File) error {
			if c.Rank() == 2 {
				return nil // it has no data
			}
			_, err := f.WriteAtAll(types.Of([]int32{1}), iofile.Offset(4*c.Rank()))
			return err
		},
		says: "Close", real: "Hangs. Call WriteAtAll with 0 items instead.",
	},
	{
		kind: 11, name: "Sync on one rank only", ranks: 3,
		file: func(c *comm.Comm, f *iofile.File) error {
			if c.Rank() == 0 {
				if err := f.Sync(); err != nil {
					return err
				}
			}
			return c.Barrier()
		},
		says: "deadlock", real: "Hangs.",
	},
	{
		kind: 12, name: "A barrier that some ranks do not reach", ranks: 3,
		run: func(c *comm.Comm, _ *iofile.FS) error {
			if c.Rank() == 0 {
				return nil
			}
			return c.Barrier()
		},
		says: "deadlock", real: "Hangs.",
	},
	{
		kind: 13, name: "Both receive first", ranks: 2,
		run: func(c *comm.Comm, _ *iofile.FS) error {
			other, got := 1-c.Rank(), make([]int32, 1)
			if _, err := c.Recv(types.Of(got), other, 0); err != nil {
				return err
			}
			return c.Send(types.Of([]int32{1}), other, 0)
		},
		says: "deadlock", real: "Hangs.",
	},
	{
		kind: 14, name: "Both send first", ranks: 2,
		run: func(c *comm.Comm, _ *iofile.FS) error {
			other, got := 1-c.Rank(), make([]int32, 1)
			if err := c.Send(types.Of([]int32{1}), other, 0); err != nil {
				return err
			}
			_, err := c.Recv(types.Of(got), other, 0)
			return err
		},
		says: "deadlock", real: "Works with small messages, and hangs as soon as they are larger than the library's buffers.",
	},
	{
		kind: 15, name: "The wrong tag", ranks: 2,
		run: func(c *comm.Comm, _ *iofile.FS) error {
			if c.Rank() == 0 {
				return c.Send(types.Of([]int32{1}), 1, 1)
			}
			_, err := c.Recv(types.Of(make([]int32, 1)), 0, 2)
			return err
		},
		says: "tag 2", real: "Hangs.",
	},
	{
		kind: 16, name: "A message longer than its buffer", ranks: 2,
		run: func(c *comm.Comm, _ *iofile.FS) error {
			if c.Rank() == 0 {
				return c.Send(types.Of(make([]int32, 4)), 1, 0)
			}
			_, err := c.Recv(types.Of(make([]int32, 2)), 0, 0)
			return err
		},
		says: "truncated", real: "MPI_ERR_TRUNCATE without the lines.",
	},
	{
		kind: 16, name: "A message of another type", ranks: 2,
		run: func(c *comm.Comm, _ *iofile.FS) error {
			if c.Rank() == 0 {
				return c.Send(types.Of(make([]int32, 2)), 1, 0)
			}
			_, err := c.Recv(types.Of(make([]float64, 1)), 0, 0)
			return err
		},
		says: "received as double", real: "Accepted without an error; the numbers are nonsense.",
	},
	{
		kind: 16, name: "A rank that does not exist", ranks: 2,
		run: func(c *comm.Comm, _ *iofile.FS) error {
			return c.Send(types.Of([]int32{1}), c.Size(), 0)
		},
		says: "invalid rank", real: "MPI_ERR_RANK, and the job is aborted.",
	},
	{
		kind: 17, name: "A count larger than the memory", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			mine := make([]byte, 16)
			_, err := f.WriteAt(types.Raw(mine, 8, types.Int32), 0)
			return err
		},
		says: "16", real: "Writes the memory behind the buffer, or crashes.",
	},
	{
		kind: 17, name: "The count of a receive larger than the memory", ranks: 2,
		run: func(c *comm.Comm, _ *iofile.FS) error {
			if c.Rank() == 0 {
				return c.Send(types.Of(make([]float32, 10)), 1, 0)
			}
			_, err := c.Recv(types.Of(make([]float32, 10)).Times(15), 0, 0)
			return err
		},
		says: "15 x float, is more than the memory holds", real: "Correct, as here; a longer message overwrites the memory behind the buffer.",
	},
	{
		kind: 18, name: "Three int32 through an etype of double", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			if err := f.SetView(iofile.View{Etype: types.Double, Filetype: types.Double}); err != nil {
				return err
			}
			_, err := f.WriteAt(types.Of(make([]int32, 3)), 0)
			return err
		},
		says: "int32", real: "Accepted without an error, or MPI_ERR_TYPE.",
	},
	{
		kind: 19, name: "[]int32 through C's int", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			if err := f.SetView(iofile.View{Etype: types.Int, Filetype: types.Int}); err != nil {
				return err
			}
			_, err := f.WriteAt(types.Of(make([]int32, 3)), 0)
			return err
		},
		says: "int32", real: "Accepted without an error; it works where both have the same size.",
	},
	{
		kind: 20, name: "[]int has no datatype", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			_, err := f.WriteAt(types.Of([]int{1, 2, 3}), 0)
			return err
		},
		says: "[]int32", real: "C has no such type; Go bindings differ.",
	},
	{
		kind: 20, name: "[][]float64 is not one block of memory", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			_, err := f.WriteAt(types.Of([][]float64{{1}, {2}}), 0)
			return err
		},
		says: "float64", real: "In C the call writes the pointers instead of the numbers.",
	},
	{
		kind: 21, name: "The buffer is reused before the wait", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			mine := []int32{1}
			q, err := f.IWriteAt(types.Of(mine), 0)
			if err != nil {
				return err
			}
			mine[0] = 2
			_, err = q.Wait()
			return err
		},
		says: "wrote into the buffer", real: "The call writes 1 or 2, without an error.",
	},
	{
		kind: 21, name: "The buffer of a message is reused before the wait", ranks: 2,
		run: func(c *comm.Comm, _ *iofile.FS) error {
			if c.Rank() == 1 {
				_, err := c.Recv(types.Of(make([]int32, 1)), 0, 0)
				return err
			}
			mine := []int32{1}
			q, err := c.ISend(types.Of(mine), 1, 0)
			if err != nil {
				return err
			}
			mine[0] = 2
			_, err = q.Wait()
			return err
		},
		says: "buffer", real: "The other rank receives 1 or 2, without an error.",
	},
	{
		kind: 22, name: "No wait for a nonblocking write", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			_, err := f.IWriteAt(types.Of([]int32{1}), 0)
			return err
		},
		says: "Close", real: "Undefined; mostly it works, or MPI_Finalize hangs.",
	},
	{
		kind: 23, name: "The file is never closed", ranks: 1,
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c, fsys, "f", newFile)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of([]int32{1}), 0)
			return err
		},
		says: "never closed", real: "MPI_Finalize may silently lose written bytes.",
	},
	{
		kind: 24, name: "A script that never closes its file", ranks: 1,
		script: `ranks 1
all:
  open h f rdwr|create
  write_at h 0 int 7
`,
		says: "never closed", real: "As for 23.",
	},
	{
		kind: 25, name: "A second split collective call before the end of the first", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			mine := []int32{1}
			if err := f.WriteAtAllBegin(types.Of(mine), 0); err != nil {
				return err
			}
			return f.WriteAtAllBegin(types.Of(mine), 4)
		},
		says: "WriteAtAllEnd", real: "An error, or undefined behaviour.",
	},
	{
		kind: 26, name: "Ranks open with different modes", ranks: 2,
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			mode := newFile
			if c.Rank() == 1 {
				mode = iofile.ReadOnly
			}
			f, err := iofile.Open(c, fsys, "f", mode)
			if err != nil {
				return err
			}
			return f.Close()
		},
		says: "modes differ", real: "An error in some libraries; others open it.",
	},
	{
		kind: 27, name: "Writing to a file that is open for reading", ranks: 1, old: "old",
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of([]int32{1}), 0)
			return errors.Join(err, f.Close())
		},
		says: "rdonly", real: "MPI_ERR_READ_ONLY.",
	},
	{
		kind: 27, name: "The error of Open is ignored: the file does not exist", ranks: 1,
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, _ := iofile.Open(c, fsys, "missing", iofile.ReadOnly)
			_, err := f.ReadAt(types.Of(make([]int32, 1)), 0)
			return err
		},
		says: "was ignored", real: "The call on the null handle fails or crashes: file calls return errors, which are easy to miss.",
	},
	{
		kind: 28, name: "Atomic mode on one rank", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			return f.SetAtomicity(c.Rank() == 0)
		},
		says: "flags differ", real: "An error in some libraries; others accept it.",
	},
	{
		kind: 29, name: "All ranks write at offset 0", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			_, err := f.WriteAt(types.Of([]int32{int32(c.Rank())}), 0)
			return err
		},
		says: "race", real: "The file has the bytes of one rank, or of several mixed, without an error.",
	},
	{
		kind: 30, name: "The same view on all ranks", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			every := types.Resized(types.Int32, 0, int64(4*c.Size()))
			if err := f.SetView(iofile.View{Etype: types.Int32, Filetype: every}); err != nil { // no Disp: 4*c.Rank()
				return err
			}
			_, err := f.WriteAtAll(types.Of(make([]int32, 2)), 0)
			return err
		},
		says: "one collective call", real: "The ranks overwrite each other, without an error.",
	},
	{
		kind: 31, name: "An offset in bytes instead of etypes", ranks: 3,
		file: func(c *comm.Comm, f *iofile.File) error {
			if err := f.SetView(iofile.View{Etype: types.Int32, Filetype: types.Int32}); err != nil {
				return err
			}
			_, err := f.WriteAtAll(types.Of([]int32{1}), iofile.Offset(4*c.Rank()))
			return err
		},
		says: "likely cause: the offset of WriteAtAll (main.go:4) looks like a number of bytes", real: "The file has holes, without an error.",
	},
	{
		kind: 31, name: "8 columns over 3 ranks", ranks: 3,
		file: func(c *comm.Comm, f *iofile.File) error {
			mine := int64(8 / c.Size()) // columns of a rank
			part := types.Vector(2, mine, 8, types.Int32)
			if err := f.SetView(iofile.View{Disp: 4 * mine * int64(c.Rank()), Etype: types.Int32, Filetype: part}); err != nil {
				return err
			}
			_, err := f.WriteAtAll(types.Of(make([]int32, 2*mine)), 0)
			return err
		},
		says: "are not divisible by 3 ranks", real: "The file has holes, without an error.",
	},
	{
		kind: 32, name: "The error of SetView is ignored", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			_ = f.SetView(iofile.View{Disp: -4, Etype: types.Int32, Filetype: types.Int32})
			_, err := f.WriteAtAll(types.Of([]int32{1}), iofile.Offset(4*c.Rank()))
			return err
		},
		says: "was ignored", real: "The program continues with the old view, without an error.",
	},
	{
		kind: 33, name: "The shared pointer with different views", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			if err := f.SetView(iofile.View{Disp: int64(4 * c.Rank()), Etype: types.Int32, Filetype: types.Int32}); err != nil {
				return err
			}
			_, err := f.WriteShared(types.Of([]int32{1}))
			return err
		},
		says: "shared", real: "Undefined; the ranks overwrite each other.",
	},
	{
		kind: 34, name: "WriteShared is expected to write in rank order", ranks: 3,
		file: func(c *comm.Comm, f *iofile.File) error {
			_, err := f.WriteShared(types.Of([]int32{int32(c.Rank())}))
			return err
		},
		says: "not determined", real: "Any order, without an error; WriteOrdered is in the order of ranks.",
	},
	{
		kind: 35, name: "A native file is read as external32", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			v := iofile.View{Etype: types.Int32, Filetype: types.Int32}
			if err := f.SetView(v); err != nil {
				return err
			}
			if _, err := f.WriteAt(types.Of([]int32{1}), 0); err != nil {
				return err
			}
			v.Rep = "external32"
			if err := f.SetView(v); err != nil {
				return err
			}
			_, err := f.ReadAt(types.Of(make([]int32, 1)), 0)
			return err
		},
		says: "was written as", real: "Reads 16777216, without an error.",
	},
	{
		kind: 36, name: "The tail of a longer old file stays", ranks: 1, old: "the old content",
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c, fsys, "f", newFile)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of([]byte("short")), 0)
			return errors.Join(err, f.Close())
		},
		says: "left over from before", real: "The old bytes stay, without an error.",
	},
	{
		kind: 37, name: "A Go variable that ranks share", ranks: 2,
		whole: func(_ context.Context, c *comm.Comm) error {
			shared++
			return c.AllGather(types.Of([]int32{shared}), types.Of(make([]int32, c.Size())))
		},
		says: "ranks share a Go variable", real: "Each process has a variable of its own: all are 1. The analyzer `tools/sharing` names the variable.",
	},
	{
		kind: 38, name: "Waiting for a value by reading the file in a loop", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			got := []int32{0}
			if c.Rank() == 0 {
				_, err := f.WriteAt(types.Of([]int32{7}), 0)
				return err
			}
			for got[0] != 7 {
				if _, err := f.ReadAt(types.Of(got), 0); err != nil {
					return err
				}
			}
			return nil
		},
		says: "times in a row", real: "Ends on one machine; may run for ever on a cluster.",
	},
	{
		kind: 39, name: "An index out of range on one rank", ranks: 2,
		run: func(c *comm.Comm, _ *iofile.FS) error {
			list := make([]int, 1)
			list[c.Rank()] = 7
			return c.Barrier()
		},
		says: "index out of range", real: "A crash of one process, or of its memory; the others hang.",
	},
	{
		kind: 40, name: "Only rank 0 sets the size", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			if c.Rank() == 0 {
				if err := f.SetSize(8); err != nil {
					return err
				}
			}
			_, err := f.WriteAt(types.Of([]int32{1}), iofile.Offset(4*c.Rank()))
			return err
		},
		says: "SetSize", real: "Hangs.",
	},
	{
		kind: 41, name: "The file is closed twice", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			return f.Close() // and once more after the body
		},
		says: "the handle is closed", real: "MPI_ERR_FILE, or a crash: the handle is MPI_FILE_NULL after the first.",
	},
	{
		kind: 42, name: "A write after the close", ranks: 1,
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c, fsys, "f", newFile)
			if err != nil {
				return err
			}
			if err := f.Close(); err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of([]int32{1}), 0)
			return err
		},
		says: "the handle is closed", real: "MPI_ERR_FILE, or a crash.",
	},
	{
		kind: 43, name: "Size is called before the other ranks have written", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			if _, err := f.WriteAt(types.Of([]int32{1}), iofile.Offset(4*c.Rank())); err != nil {
				return err
			}
			_, err := f.Size()
			return err
		},
		says: "Size", real: "4 or 8, without an error.",
	},
	{
		kind: 44, name: "A message instead of syncs", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			if c.Rank() == 0 {
				if _, err := f.WriteAt(types.Of([]int32{42}), 0); err != nil {
					return err
				}
				if err := c.Send(types.Of([]int32{1}), 1, 0); err != nil {
					return err
				}
			} else if _, err := c.Recv(types.Of(make([]int32, 1)), 0, 0); err != nil {
				return err
			}
			if c.Rank() == 0 {
				return nil
			}
			_, err := f.ReadAt(types.Of(make([]int32, 1)), 0)
			return err
		},
		says: "add Sync after WriteAt", real: "Works on one machine; on a cluster rank 1 may read old bytes.",
	},
	{
		kind: 45, name: "The ranks take turns, without a sync", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			sum := []int32{0}
			for r := range c.Size() {
				if r == c.Rank() {
					if _, err := f.ReadAt(types.Of(sum), 0); err != nil {
						return err
					}
					sum[0]++
					if _, err := f.WriteAt(types.Of(sum), 0); err != nil {
						return err
					}
				}
				if err := c.Barrier(); err != nil {
					return err
				}
			}
			return nil
		},
		says: "add Sync before Barrier (main.go:12) on all ranks of the file, and add Sync after Barrier", real: "Works on one machine; on a cluster a rank may add to old bytes.",
	},
	{
		kind: 46, name: "A view without displacement, over the header", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			if c.Rank() == 0 {
				if _, err := f.WriteAt(types.Of([]byte("HEADER OF 16 B.\n")), 0); err != nil {
					return err
				}
			}
			if err := f.SetView(iofile.View{Etype: types.Int32, Filetype: types.Int32}); err != nil { // no Disp: 16
				return err
			}
			_, err := f.WriteAtAll(types.Of([]int32{1, 7}), iofile.Offset(2*c.Rank()))
			return err
		},
		says: "perhaps a header", real: "The header or the data are overwritten, without an error.",
	},
	{
		kind: 47, name: "A displacement in elements instead of bytes", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			if err := f.SetView(iofile.View{Disp: int64(c.Rank()), Etype: types.Int32, Filetype: types.Int32}); err != nil { // 4*c.Rank()
				return err
			}
			_, err := f.WriteAtAll(types.Of([]int32{int32(c.Rank())}), 0)
			return err
		},
		says: "look like elements of 4 bytes", real: "The numbers overlap, without an error.",
	},
	{
		kind: 48, name: "All ranks append", ranks: 2,
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c, fsys, "log", iofile.Create|iofile.WriteOnly|iofile.Append)
			if err != nil {
				return err
			}
			_, err = f.Write(types.Of([]byte("a line\n")))
			return errors.Join(err, f.Close())
		},
		says: "use WriteOrdered in place of Write", real: "Only one of the lines remains, without an error.",
	},
	{
		kind: 49, name: "The shared pointer, then the individual one", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			if _, err := f.WriteShared(types.Of([]byte{1})); err != nil {
				return err
			}
			_, err := f.Write(types.Of([]byte{2})) // after it?
			return err
		},
		says: "the shared and the individual file pointers are separate", real: "The second writes overwrite the first, without an error.",
	},
	{
		kind: 50, name: "Each rank opens the file for itself", ranks: 2,
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c.Self(), fsys, "f", newFile)
			if err != nil {
				return err
			}
			_, err = f.WriteAtAll(types.Of([]int32{int32(c.Rank())}), 0)
			return errors.Join(err, f.Close())
		},
		says: "each rank has opened the file for itself", real: "The file has the bytes of one rank, without an error.",
	},
	{
		kind: 51, name: "A name of its own for each rank, on the communicator of all", ranks: 2,
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c, fsys, fmt.Sprintf("data.%d", c.Rank()), newFile)
			if err != nil {
				return err
			}
			return f.Close()
		},
		says: "data.1", real: "Some libraries open the file of rank 0 on all ranks, others a file for each.",
	},
	{
		kind: 52, name: "Another buffer at the end of a split access", ranks: 1,
		file: func(c *comm.Comm, f *iofile.File) error {
			a, b := []int32{1}, []int32{2}
			if err := f.WriteAtAllBegin(types.Of(a), 0); err != nil {
				return err
			}
			_, err := f.WriteAtAllEnd(types.Of(b))
			return err
		},
		says: "the buffer is not the one of WriteAtAllBegin", real: "Undefined: the library writes either, without an error.",
	},
	{
		kind: 53, name: "Reading a file that is open for writing", ranks: 1,
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
			if err != nil {
				return err
			}
			_, err = f.ReadAt(types.Of(make([]int32, 1)), 0)
			return errors.Join(err, f.Close())
		},
		says: "wronly", real: "MPI_ERR_ACCESS.",
	},
	{
		kind: 54, name: "Append, and then a view", ranks: 1, old: "old data",
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c, fsys, "f", iofile.WriteOnly|iofile.Append)
			if err != nil {
				return err
			}
			if err := f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte}); err != nil {
				return err
			}
			_, err = f.WriteOrdered(types.Of([]byte("new data")))
			return errors.Join(err, f.Close())
		},
		says: "has set them to 0", real: "The old data are lost, without an error.",
	},
	{
		kind: 55, name: "DeleteOnClose, and then a read", ranks: 1,
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c, fsys, "f", newFile|iofile.DeleteOnClose)
			if err != nil {
				return err
			}
			if _, err := f.WriteAt(types.Of([]int32{1}), 0); err != nil {
				return err
			}
			if err := f.Close(); err != nil {
				return err
			}
			_, err = iofile.Open(c, fsys, "f", iofile.ReadOnly)
			return err
		},
		says: "was deleted when it was closed", real: "MPI_ERR_NO_SUCH_FILE.",
	},
	{
		kind: 56, name: "One rank closes the file", ranks: 2,
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c, fsys, "f", newFile)
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				return f.Close()
			}
			return nil
		},
		says: "waits in Close", real: "Hangs.",
	},
	{
		kind: 57, name: "Create is forgotten", ranks: 1,
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c, fsys, "f", iofile.WriteOnly)
			if err != nil {
				return err
			}
			return f.Close()
		},
		says: "open it with Create", real: "MPI_ERR_NO_SUCH_FILE.",
	},
	{
		kind: 58, name: "A stride in bytes instead of elements", ranks: 2,
		file: func(c *comm.Comm, f *iofile.File) error {
			every := types.Vector(4, 1, int64(4*c.Size()), types.Int32) // c.Size(), or Hvector
			if err := f.SetView(iofile.View{Disp: int64(4 * c.Rank()), Etype: types.Int32, Filetype: every}); err != nil {
				return err
			}
			_, err := f.WriteAtAll(types.Of([]int32{1, 2, 3, 4}), 0)
			return err
		},
		says: "counts elements of int32, not bytes", real: "The file has holes, without an error.",
	},
	{
		kind: 59, name: "10 numbers over 3 ranks", ranks: 3, check: []int{1, 2, 3},
		file: func(c *comm.Comm, f *iofile.File) error {
			part := 10 / c.Size()
			_, err := f.WriteAtAll(types.Of(make([]int32, part)), iofile.Offset(4*part*c.Rank()))
			return err
		},
		says: "is not divisible by the number of ranks", real: "The last number is missing, without an error.",
	},
	{
		kind: 60, name: "The buffer of a read is used before the wait", ranks: 1, strict: true,
		file: func(c *comm.Comm, f *iofile.File) error {
			if _, err := f.WriteAt(types.Of([]int32{21}), 0); err != nil {
				return err
			}
			got := make([]int32, 1)
			q, err := f.IReadAt(types.Of(got), 0)
			if err != nil {
				return err
			}
			double := []int32{2 * got[0]}
			if _, err := q.Wait(); err != nil {
				return err
			}
			_, err = f.WriteAt(types.Of(double), 4)
			return err
		},
		says: "uses the buffer of IReadAt", real: "The program writes 0 or 42, without an error.",
	},
	{
		kind: 60, name: "The buffer of a receive is used before the wait", ranks: 2, strict: true,
		run: func(c *comm.Comm, _ *iofile.FS) error {
			if c.Rank() == 0 {
				return c.Send(types.Of([]int32{21}), 1, 0)
			}
			got := make([]int32, 1)
			q, err := c.IRecv(types.Of(got), 0, 0)
			if err != nil {
				return err
			}
			double := []int32{2 * got[0]}
			if _, err := q.Wait(); err != nil {
				return err
			}
			return c.Self().Bcast(types.Of(double), 0)
		},
		says: "uses the buffer of IRecv", real: "0 or 42 is the result, without an error.",
	},
	{
		kind: 61, name: "The file ends before the read does, and the Status is dropped", ranks: 1, old: "three",
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
			if err != nil {
				return err
			}
			_, err = f.ReadAt(types.Of(make([]byte, 8)), 0)
			return errors.Join(err, f.Close())
		},
		says: "it read 5 of 8 bytes", real: "The rest of the buffer is as before, without an error.",
	},
	{
		kind: 62, name: "As describes more copies than intended", ranks: 2, check: []int{2},
		file: func(c *comm.Comm, f *iofile.File) error {
			tile := types.Vector(2, 2, 3, types.Int32) // of 2 rows of 2, in rows of 3
			_, err := f.WriteAtAll(types.Of(make([]int32, 12)).As(tile), iofile.Offset(16*c.Rank()))
			return err
		},
		says: "add .Times(1) after As", real: "C has no such mistake: the count is an argument.",
	},
	{
		kind: 63, name: "Each rank makes the file with Excl", ranks: 2,
		run: func(c *comm.Comm, fsys *iofile.FS) error {
			f, err := iofile.Open(c.Self(), fsys, "f", newFile|iofile.Excl)
			if err != nil {
				return err
			}
			return f.Close()
		},
		says: "exists", real: "MPI_ERR_FILE_EXISTS on all ranks but one.",
	},
}

// outcome returns the output of a careful run of a mistake, and the kinds and rules of its
// findings.
func (m *mistake) outcome(t *testing.T) (text, found string) {
	t.Helper()
	if m.script != "" {
		return m.scriptOutcome(t)
	}
	fsys := iofile.NewMem()
	if m.old != "" {
		require.NoError(t, fsys.Import("f", strings.NewReader(m.old)))
	}
	body := m.run
	if body == nil && m.file != nil {
		body = onFile(m.file)
	}
	opts := []world.Option{world.Careful(), world.Seed(1)}
	var err error
	switch {
	case m.check != nil:
		return m.checkOutcome(t, body)
	case m.whole != nil || m.strict:
		err = world.Strict(t.Context(), m.ranks, func() (program, func() any) {
			shared = 0
			if m.whole != nil {
				return m.whole, nil
			}
			fsys := iofile.NewMem()
			return func(_ context.Context, c *comm.Comm) error { return body(c, fsys) }, nil
		}, world.Careful())
	default:
		err = world.Run(t.Context(), m.ranks, func(_ context.Context, c *comm.Comm) error { return body(c, fsys) }, opts...)
	}
	require.Error(t, err, "%d. %s: nothing was found", m.kind, m.name)
	return err.Error(), kindsOf(err)
}

// checkOutcome is outcome for a mistake that commworld check finds in the records of runs.
func (m *mistake) checkOutcome(t *testing.T, body func(*comm.Comm, *iofile.FS) error) (text, found string) {
	t.Helper()
	var runs []child.Variant
	var texts []string
	var all []world.Finding
	for _, n := range m.check {
		report := path.Join(t.TempDir(), "report")
		t.Setenv(world.CareVariable, "on,files,order=forward,report="+report)
		fsys := iofile.NewMem()
		_ = world.Run(t.Context(), n, func(_ context.Context, c *comm.Comm) error { return body(c, fsys) }) // the record has the error
		lines, err := os.ReadFile(report)
		require.NoError(t, err)
		run := child.Variant{Ranks: n}
		for line := range bytes.Lines(lines) {
			var rec world.CareRecord
			require.NoError(t, json.Unmarshal(line, &rec))
			rec.World = 1 // in this process other worlds came before
			run.Records = append(run.Records, rec)
			for _, f := range rec.Findings {
				all, texts = append(all, f), append(texts, f.Text)
			}
		}
		runs = append(runs, run)
	}
	found = kindsIn(all)
	for _, d := range child.CompareFiles(runs) {
		texts, found = append(texts, "note: "+d.Text), "note of check"
	}
	require.NotEmpty(t, texts, "%d. %s: nothing was found", m.kind, m.name)
	return strings.Join(texts, "\n"), found
}

func kindsOf(err error) string { return kindsIn(world.Findings(err)) }

func kindsIn(findings []world.Finding) string {
	var all []string
	for _, f := range findings {
		text := string(f.Kind)
		if f.Rule != "" {
			text += " (" + f.Rule + ")"
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}

func (m *mistake) scriptOutcome(t *testing.T) (text, found string) {
	t.Helper()
	s, err := script.Parse(m.script)
	require.NoError(t, err)
	s.Name = "main.mpio"
	rep, err := script.Explore(t.Context(), s, script.Options{})
	require.NoError(t, err)
	var lines, kinds []string
	for _, f := range rep.Failures {
		lines = append(lines, fmt.Sprintf("line %d, rank %d: %v", f.Stmt.Line, f.Rank, f.Err))
		kinds = append(kinds, fmt.Sprintf("error (%s)", f.Rule()))
	}
	if rep.Err != nil {
		lines = append(lines, rep.Err.Error())
		kinds = append(kinds, kindsOf(rep.Err))
	}
	require.NotEmpty(t, lines, "%d. %s: nothing was found", m.kind, m.name)
	return strings.Join(lines, "\n"), strings.Join(kinds, ", ")
}

// A listing is the program of a mistake in the source of this test.
type listing struct {
	text        string
	first, last int // lines of the body
}

// listings reads the programs of the table.
func listings(t *testing.T) (all []listing) {
	t.Helper()
	const name = "mistakes_test.go"
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	var table *ast.CompositeLit
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			if v := g.Specs[0].(*ast.ValueSpec); v.Names[0].Name == "mistakes" {
				table = v.Values[0].(*ast.CompositeLit)
			}
		}
	}
	require.NotNil(t, table)
	for _, row := range table.Elts {
		var l listing
		for _, e := range row.(*ast.CompositeLit).Elts {
			kv := e.(*ast.KeyValueExpr)
			if f, ok := kv.Value.(*ast.FuncLit); ok {
				l.first, l.last = fset.Position(f.Body.Lbrace).Line+1, fset.Position(f.Body.Rbrace).Line-1
				lines := strings.Split(string(text), "\n")[l.first-1 : l.last]
				for i, line := range lines {
					lines[i] = fmt.Sprintf("%2d  %s", i+1, strings.ReplaceAll(strings.TrimPrefix(line, "\t\t\t"), "\t", "    "))
				}
				l.text = strings.Join(lines, "\n")
			}
		}
		all = append(all, l)
	}
	return all
}

var (
	helperPlaces = regexp.MustCompile(` < (careful_test|mistakes_test)\.go:\d+`)
	testPlaces   = regexp.MustCompile(`mistakes_test\.go:(\d+)`)
	foldedLines  = regexp.MustCompile(`\n {11}`)
	wideColumns  = regexp.MustCompile(`(\S) {10,}`) // columns as wide as the places before these were shortened
)

// inListing names lines of the listing in place of those of this file.
func (l *listing) inListing(text string) string {
	place := func(at string) string {
		n, _ := strconv.Atoi(at[strings.LastIndexByte(at, ':')+1:])
		if n < l.first || n > l.last {
			return "main.go"
		}
		return fmt.Sprintf("main.go:%d", n-l.first+1)
	}
	text = foldedLines.ReplaceAllString(text, " ")
	text = helperPlaces.ReplaceAllString(text, "")
	text = testPlaces.ReplaceAllStringFunc(text, place)
	text = wideColumns.ReplaceAllString(text, "$1  ")
	return regexp.MustCompile(`careful_test\.go:\d+`).ReplaceAllString(text, "main.go") // Open and Close around the body
}

const mistakesHead = `# Mistakes

Each program below has a common mistake. After it come the output of a careful run and, as a hint that is not tested,
the behaviour of real MPI libraries. To check a program of your own:

    commworld check --ranks 1,2,3,4 .

or give ` + "`world.Careful()`" + ` to ` + "`world.Run`" + `. The programs are bodies of ranks. If one uses f, the file was opened
before it with Create|ReadWrite and is closed after it by ` + "`errors.Join(body(c, f), f.Close())`" + `. All ran with
` + "`world.Careful(), world.Seed(1)`" + `, except 37, 59, 60 and 62: 37 and 60 ran with ` + "`world.Strict`" + `, which runs two orders of
the ranks; 59 and 62 ran under ` + "`commworld check`" + `, 59 with ` + "`--ranks 1,2,3`" + `.

` + "`go test ./world -run TestMistakes -update`" + ` writes this page; the test fails if a careful run prints something else.
`

// If this fails, a common mistake is not found any more, or its report differs from
// docs/mistakes.md.
func TestMistakes(t *testing.T) {
	golden := path.Join("..", "docs", "mistakes.md")
	var page bytes.Buffer
	page.WriteString(mistakesHead)
	page.WriteString("\n| | mistake | ranks | found as |\n| --- | --- | --- | --- |\n")
	all, outputs, found := listings(t), make([]string, len(mistakes)), make([]string, len(mistakes))
	require.Len(t, all, len(mistakes))
	_, noSource := os.Stat(sourceOf(t))
	kinds := map[int]bool{}
	for i := range mistakes {
		m := &mistakes[i]
		kinds[m.kind] = true
		if m.needsSource() && noSource != nil {
			continue
		}
		t.Run(fmt.Sprintf("WORLD-01 %d %s", m.kind, m.name), func(t *testing.T) {
			text, kinds := m.outcome(t)
			outputs[i], found[i] = all[i].inListing(text), kinds
			assert.Contains(t, outputs[i], m.says)
			again, _ := m.outcome(t)
			assert.Equal(t, outputs[i], all[i].inListing(again), "another run prints something else")
		})
	}
	require.Len(t, kinds, 63)
	for i, m := range mistakes {
		fmt.Fprintf(&page, "| %d | %s | %d | %s |\n", m.kind, m.name, m.ranks, found[i])
	}
	for i, m := range mistakes {
		fmt.Fprintf(&page, "\n## %d. %s\n\n", m.kind, m.name)
		if m.old != "" {
			fmt.Fprintf(&page, "The file f holds %q before.\n\n", m.old)
		}
		text := all[i].text
		if m.script != "" {
			text = strings.TrimSuffix(m.script, "\n")
		}
		fmt.Fprintf(&page, "```go\n%s\n```\n\nWith %d rank%s:\n\n```\n%s\n```\n\nReal libraries: %s\n", text, m.ranks, plural(m.ranks), outputs[i], m.real)
	}
	if *update {
		if noSource != nil {
			t.Fatal("mistake 37 needs the source: run it with GOFLAGS=-trimpath=false")
		}
		require.NoError(t, os.MkdirAll(path.Dir(golden), 0o777))
		require.NoError(t, os.WriteFile(golden, page.Bytes(), 0o666))
		return
	}
	want, err := os.ReadFile(golden)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatal("docs/mistakes.md is not there: run the test with -update")
	}
	require.NoError(t, err)
	wanted, got := sections(string(want)), sections(page.String())
	assert.Equal(t, len(wanted), len(got), "run the test with -update")
	for i := range min(len(wanted), len(got)) {
		if noSource == nil || i > 0 && !strings.HasPrefix(got[i], "37.") && !strings.HasPrefix(got[i], "61.") {
			assert.Equal(t, wanted[i], got[i], "run the test with -update")
		}
	}
}

// needsSource reports whether the mistake is found in the source of the program.
func (m *mistake) needsSource() bool { return m.kind == 37 || m.kind == 61 }

func sections(page string) []string { return strings.Split(page, "\n## ") }

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
