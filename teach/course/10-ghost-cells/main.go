// Ghost cells: each rank keeps its rows with a border of copies of its neighbours' cells. Only the
// inside goes to the file: a subarray of the memory, beside a subarray of the file.
//
//	go run ./teach/course/10-ghost-cells
//	go run ./teach/course/10-ghost-cells -ranks 3 -n 6
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	ranks := flag.Int("ranks", 2, "number of ranks")
	n := flag.Int("n", 4, "rows and columns of the grid, a multiple of the ranks")
	flag.Parse()
	fsys, memory := iofile.NewMem(), make([][]byte, *ranks)
	err := world.Run(context.Background(), *ranks, func(_ context.Context, c *comm.Comm) error {
		memory[c.Rank()] = local(c, *n)
		return write(c, fsys, *n, memory[c.Rank()])
	})
	for r, m := range memory {
		fmt.Printf("memory of rank %d\n", r)
		for i := 0; i < len(m); i += *n + 2 {
			fmt.Printf("  %s\n", m[i:i+*n+2])
		}
	}
	text, e := fs.ReadFile(fsys, "grid")
	fmt.Println("file")
	for i := 0; i < len(text); i += *n {
		fmt.Printf("   %s\n", text[i:i+*n])
	}
	if err = errors.Join(err, e); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// local returns the rows of the rank with a border of one cell, marked by a plus sign.
func local(c *comm.Comm, n int) []byte {
	rows := n / c.Size()
	m := []byte(strings.Repeat("+", (rows+2)*(n+2)))
	for i := range rows {
		for j := range n {
			m[(i+1)*(n+2)+j+1] = byte('a' + (c.Rank()*rows+i)*n + j)
		}
	}
	return m
}

// write writes the inside of the memory.
func write(c *comm.Comm, fsys *iofile.FS, n int, memory []byte) error {
	f, err := iofile.Open(c, fsys, "grid", iofile.Create|iofile.WriteOnly)
	if err != nil {
		return err
	}
	w, rows := int64(n), int64(n/c.Size())
	inside := types.Subarray(types.OrderC, []types.Slab{{Size: rows + 2, Sub: rows, Start: 1}, {Size: w + 2, Sub: w, Start: 1}}, types.Byte)
	mine := types.Subarray(types.OrderC, []types.Slab{{Size: w, Sub: rows, Start: int64(c.Rank()) * rows}, {Size: w, Sub: w, Start: 0}}, types.Byte)
	err = f.SetView(iofile.View{Etype: types.Byte, Filetype: mine})
	if err == nil {
		_, err = f.WriteAtAll(types.Of(memory).As(inside), 0)
	}
	return errors.Join(err, f.Close())
}
