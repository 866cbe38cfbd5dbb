// Overhead measures what a message costs more through this module than in C, in
// one job of two ranks, the two in turns:
//
//	go build -o overhead ./cmd/overhead && mpirun -n 2 ./overhead
//
// It prints, for each length, the least time of a message there and back in C, in
// Go, and the difference for each of the two calls that a rank makes.
package main

/*
#cgo !openmpi pkg-config: mpich
#cgo openmpi pkg-config: ompi-c
#include <mpi.h>

static double rounds(void *p, int bytes, int n, int me)
{
	double start = MPI_Wtime();
	int i;
	for (i = 0; i < n; i++)
		if (me == 0) {
			MPI_Send(p, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
			MPI_Recv(p, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(p, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			MPI_Send(p, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
		}
	return MPI_Wtime() - start;
}
*/
import "C"

import (
	"context"
	"fmt"
	"os"
	"time"
	"unsafe"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	_ "github.com/commworld/commworld/world/mpi"
)

func main() {
	if err := world.Run(context.Background(), 2, body, world.Engine("mpi"), world.Unchecked()); err != nil {
		fmt.Fprintln(os.Stderr, "overhead:", err)
		os.Exit(1)
	}
}

func body(_ context.Context, c *comm.Comm) error {
	for _, x := range []struct{ bytes, n, turns int }{{8, 20000, 7}, {4 << 10, 5000, 7}, {1 << 20, 100, 7}, {16 << 20, 8, 7}} {
		p := make([]byte, x.bytes)
		inC, inGo := time.Duration(1<<62), time.Duration(1<<62)
		for range x.turns {
			inC = min(inC, time.Duration(float64(C.rounds(unsafe.Pointer(&p[0]), C.int(x.bytes), C.int(x.n), C.int(c.Rank())))*1e9))
			took, err := rounds(c, types.Of(p), x.n)
			if err != nil {
				return err
			}
			inGo = min(inGo, took)
		}
		if c.Rank() == 0 {
			n := time.Duration(x.n)
			fmt.Printf("%9d bytes: C %10v  Go %10v  a call %+v, %+.1f %%\n", x.bytes, inC/n, inGo/n, (inGo-inC)/n/4, 100*(float64(inGo)/float64(inC)-1))
		}
	}
	return nil
}

func rounds(c *comm.Comm, b types.Buffer, n int) (time.Duration, error) {
	start, peer := time.Now(), 1-c.Rank()
	for range n {
		if c.Rank() == 0 {
			if err := c.Send(b, peer, 0); err != nil {
				return 0, err
			}
		}
		if _, err := c.Recv(b, peer, 0); err != nil {
			return 0, err
		}
		if c.Rank() == 1 {
			if err := c.Send(b, peer, 0); err != nil {
				return 0, err
			}
		}
	}
	return time.Since(start), nil
}
