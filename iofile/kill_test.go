package iofile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// program is the name of the variable that gives the other process of
// TestKilledProcess its seed.
const program = "COMMWORLD_TEST_SEED"

const killRanks, killBytes = 3, 5000

// A block is what a rank writes in one step: bytes off, off+step, ...
type block struct{ off, step, n int64 }

// blockOf is the same in both processes. Ranks keep to their own bytes.
func blockOf(seed uint64, k, r int) block {
	d := rand.New(rand.NewPCG(seed, uint64(k*killRanks+r)))
	b := block{step: 1 + d.Int64N(3), n: 1 + d.Int64N(900)}
	b.off = int64(r)*killBytes + d.Int64N(killBytes-b.step*b.n)
	return b
}

// valueOf is the byte that step k leaves at off.
func valueOf(k int, off int64) byte { return byte(1 + (int64(k)*31+off*7)%251) }

// killed runs in the other process: it writes, syncs or closes, and prints each step, until
// it is killed.
func killed(dir string, seed uint64) error {
	s, err := NewDir(dir)
	if err != nil {
		return err
	}
	return world.Run(context.Background(), killRanks, func(_ context.Context, c *comm.Comm) error {
		var f *File
		for k := 0; ; k++ {
			var err error
			if f == nil {
				if f, err = Open(c, s, "f", Create|ReadWrite); err != nil {
					return err
				}
			}
			b := blockOf(seed, k, c.Rank())
			p := make([]byte, b.n)
			for i := range p {
				p[i] = valueOf(k, b.off+int64(i)*b.step)
			}
			err = f.SetView(View{Disp: b.off, Etype: types.Byte, Filetype: types.Resized(types.Byte, 0, b.step)})
			if err == nil {
				_, err = f.WriteAtAll(types.Of(p), 0)
			}
			if k%5 == 4 {
				err = errors.Join(err, f.Close())
				f = nil
			} else {
				err = errors.Join(err, f.Sync())
			}
			if err != nil {
				return err
			}
			if c.Rank() == 0 {
				fmt.Println(k)
			}
		}
	}, world.Unchecked())
}

// If this fails, bytes that were synced or closed do not survive the death of
// the process, or bytes that no rank wrote have changed.
func TestKilledProcess(t *testing.T) {
	t.Run("CONS-SYNC-01 IO-CLOSE-01 what was synced survives kill -9 (P1, P2)", func(t *testing.T) {
		for range 6 {
			seed := rand.Uint64()
			dir := t.TempDir()
			last := killAfter(t, dir, seed, rand.IntN(40))
			s, err := NewDir(dir)
			assert.NoError(t, err)
			got, err := s.ReadFile("f")
			assert.NoError(t, err)
			assert.NoError(t, s.Close())
			checkSurvivors(t, got, seed, last)
		}
	})
}

// killAfter starts the other process, kills it when it has printed the given number of
// steps, and returns the last printed step.
func killAfter(t *testing.T, dir string, seed uint64, steps int) int {
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), child+"="+dir, program+"="+strconv.FormatUint(seed, 10))
	out, err := other.StdoutPipe()
	assert.NoError(t, err)
	if err := other.Start(); errors.Is(err, syscall.ENOEXEC) {
		t.Skip("SKIPPED: this program runs under an emulator that cannot start another")
	} else if err != nil {
		t.Fatal(err)
	}
	last := -1
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			break // its output until its end has been read
		}
		k, bad := strconv.Atoi(line[:max(0, len(line)-1)])
		if err != nil || bad != nil || k != last+1 {
			t.Errorf("the other process says %q after step %d: %v", line, last, err)
			break
		}
		if last = k; last == steps {
			assert.NoError(t, other.Process.Kill())
		}
	}
	_ = other.Wait()
	assert.GreaterOrEqual(t, last, steps)
	return last
}

// checkSurvivors requires every byte to be as step last left it, or as one of the steps
// left it that may have begun since.
func checkSurvivors(t *testing.T, got []byte, seed uint64, last int) {
	t.Helper()
	const begun = 2 // a rank may be that far ahead of what rank 0 says
	want := make([][]byte, killRanks*killBytes)
	for k := 0; k <= last+begun; k++ {
		for r := range killRanks {
			b := blockOf(seed, k, r)
			for i := range b.n {
				off := b.off + i*b.step
				if k <= last {
					want[off] = want[off][:0]
				} else if len(want[off]) == 0 {
					want[off] = append(want[off], 0) // of no rank, so far
				}
				want[off] = append(want[off], valueOf(k, off))
			}
		}
	}
	for off, any := range want {
		if off >= len(got) {
			if len(any) > 0 && any[0] != 0 {
				t.Fatalf("the file has %d bytes; byte %d was synced (seed %d, step %d)", len(got), off, seed, last)
			}
			continue
		}
		if len(any) == 0 {
			any = []byte{0}
		}
		ok := false
		for _, b := range any {
			ok = ok || got[off] == b
		}
		if !ok {
			t.Fatalf("byte %d is %d, want one of %v (seed %d, step %d)", off, got[off], any, seed, last)
		}
	}
}
