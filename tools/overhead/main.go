//go:build mpich || openmpi

// Overhead measures the additional cost of a call through this module, compared with C, in
// one job of two ranks that measures both in turns:
//
//	go build -tags mpich -o /tmp/overhead ./overhead && mpirun -n 2 /tmp/overhead
//
// Messages go there and back, and files are written by both ranks together, in -dir. For
// each length it prints the median of all rounds in C and in Go, the median over the turns
// of the difference between Go and C, and the time of one call outside of the library: from
// the return of one call to the start of the next, in the loop of Go and in that of C.
// tools/bench/RESULTS.md has figures.
package main

/*
#cgo !openmpi pkg-config: mpich
#cgo openmpi pkg-config: ompi-c
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

// The calls of both sides pass through here, by the profiling interface of MPI, which
// records the time since the previous call.
enum { MOST = 1 << 16 };
static double gaps[MOST], left;
static int calls;

#define PASS(...)                           \
	int code;                           \
	if (calls < MOST)                   \
		gaps[calls++] = now() - left; \
	code = __VA_ARGS__;                 \
	left = now();                       \
	return code

int MPI_Send(const void *p, int n, MPI_Datatype t, int dst, int tag, MPI_Comm c) { PASS(PMPI_Send(p, n, t, dst, tag, c)); }
int MPI_Recv(void *p, int n, MPI_Datatype t, int src, int tag, MPI_Comm c, MPI_Status *s) { PASS(PMPI_Recv(p, n, t, src, tag, c, s)); }
int MPI_File_write_at_all(MPI_File f, MPI_Offset o, const void *p, int n, MPI_Datatype t, MPI_Status *s) { PASS(PMPI_File_write_at_all(f, o, p, n, t, s)); }

static int start(void)
{
	calls = 0;
	return PMPI_Barrier(MPI_COMM_WORLD);
}

// outside returns the gaps since the start, without the first, which belongs to the start.
static int outside(double *to)
{
	memcpy(to, gaps + 1, (calls - 1) * sizeof *to);
	return calls - 1;
}

static MPI_File file;

static int open_file(const char *name)
{
	return MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
}

static int close_file(void) { return MPI_File_close(&file); }

static void once(char *p, int bytes, int writes, int me)
{
	if (writes) {
		MPI_File_write_at_all(file, (MPI_Offset)me * bytes, p, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
	} else if (me == 0) {
		MPI_Send(p, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(p, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(p, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(p, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	}
}

static void rounds(char *p, int bytes, int writes, int me, int n, double *took)
{
	double begun = now(), ended;
	int i;
	for (i = 0; i < n; i++) {
		once(p, bytes, writes, me);
		ended = now();
		took[i] = ended - begun;
		begun = ended;
	}
}
*/
import "C"

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/tools/internal/measure"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	_ "github.com/commworld/commworld/world/mpi"
)

func main() {
	dir := flag.String("dir", "/dev/shm", "where the files are")
	flag.Parse()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error { return body(c, *dir) },
		world.Engine("mpi"), world.Unchecked())
	if err != nil {
		fmt.Fprintln(os.Stderr, "overhead:", err)
		os.Exit(1)
	}
}

func body(c *comm.Comm, dir string) error {
	if c.Rank() == 0 {
		fmt.Printf("%-24s %10s %10s %9s %11s %9s\n", "", "C", "Go", "more", "outside Go", "C")
	}
	for _, x := range []struct {
		bytes  int
		writes C.int
		rounds int // number in a turn; a quarter of as many come first and do not count
		turns  int
	}{{8, 0, 2000, 15}, {4 << 10, 0, 1000, 15}, {1 << 20, 0, 60, 25}, {4 << 20, 0, 16, 25}, {16 << 20, 0, 4, 15}, {1 << 20, 1, 60, 15}, {16 << 20, 1, 4, 15}} {
		b := &bench{c: c, mem: make([]byte, x.bytes), writes: x.writes}
		for i := range b.mem {
			b.mem[i] = byte(i) // memory that was never written is one shared page of zeros
		}
		if err := b.open(dir); err != nil {
			return err
		}
		sides := [2]side{{run: b.inC}, {run: b.inGo}}
		for range x.turns {
			for i := range sides {
				if err := sides[i].turn(x.rounds); err != nil {
					return err
				}
			}
		}
		if err := b.close(); err != nil {
			return err
		}
		if c.Rank() == 0 {
			name, inC, inGo := "message", &sides[0], &sides[1]
			if x.writes != 0 {
				name = "write_at_all"
			}
			fmt.Printf("%-12s %9d B %10v %10v %+7.1f %% %11v %9v\n", name, x.bytes, median(inC.all), median(inGo.all),
				100*(measure.Ratio(inGo.turns, inC.turns)-1), median(inGo.outside), median(inC.outside))
		}
	}
	return nil
}

// A side is the figures of C or of Go.
type side struct {
	run                 func(took []float64) error
	turns, all, outside []float64 // medians of turns; rounds; gaps between calls
}

// turn makes a number of rounds, after some that do not count: after a call as long as a
// turn of C, Go's scheduler checks more often for some milliseconds.
func (s *side) turn(rounds int) error {
	took := make([]float64, rounds)
	for _, n := range []int{rounds/4 + 1, rounds} {
		C.start()
		if err := s.run(took[:n]); err != nil {
			return err
		}
	}
	s.turns, s.all = append(s.turns, measure.Median(took)), append(s.all, took...)
	var gaps [C.MOST]float64
	n := C.outside((*C.double)(&gaps[0]))
	s.outside = append(s.outside, gaps[:n]...)
	return nil
}

func median(v []float64) time.Duration {
	d := time.Duration(measure.Median(v) * 1e9)
	if d > time.Millisecond {
		return d.Round(time.Microsecond)
	}
	return d.Round(10 * time.Nanosecond)
}

// A bench is the state that both sides use.
type bench struct {
	c      *comm.Comm
	mem    []byte
	writes C.int
	f      *iofile.File
}

func (b *bench) open(dir string) (err error) {
	if b.writes == 0 {
		return nil
	}
	name := filepath.Join(dir, "commworld-overhead")
	text := C.CString(name + ".c")
	defer C.free(unsafe.Pointer(text))
	if code := C.open_file(text); code != 0 {
		return fmt.Errorf("opening %s.c: code %d", name, code)
	}
	files, err := iofile.NewDir(dir)
	if err == nil {
		b.f, err = iofile.Open(b.c, files, filepath.Base(name), iofile.Create|iofile.WriteOnly|iofile.DeleteOnClose)
	}
	return err
}

func (b *bench) close() error {
	if b.f == nil {
		return nil
	}
	if code := C.close_file(); code != 0 {
		return errors.Join(fmt.Errorf("closing: code %d", code), b.f.Close())
	}
	return b.f.Close()
}

func (b *bench) inC(took []float64) error {
	C.rounds((*C.char)(unsafe.Pointer(&b.mem[0])), C.int(len(b.mem)), b.writes, C.int(b.c.Rank()), C.int(len(took)), (*C.double)(&took[0]))
	return nil
}

func (b *bench) inGo(took []float64) error {
	p := types.Of(b.mem)
	begun := time.Now()
	for i := range took {
		if err := b.once(p); err != nil {
			return err
		}
		ended := time.Now()
		took[i] = ended.Sub(begun).Seconds()
		begun = ended
	}
	return nil
}

func (b *bench) once(p types.Buffer) (err error) {
	switch {
	case b.writes != 0:
		_, err = b.f.WriteAtAll(p, iofile.Offset(b.c.Rank()*len(b.mem)))
	case b.c.Rank() == 0:
		if err = b.c.Send(p, 1, 0); err == nil {
			_, err = b.c.Recv(p, 1, 0)
		}
	default:
		if _, err = b.c.Recv(p, 0, 0); err == nil {
			err = b.c.Send(p, 0, 0)
		}
	}
	return err
}
