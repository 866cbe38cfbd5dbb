package world_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// Rank 0 writes, rank 1 reads. A sync and a barrier publish and order the write, but the
// reader does not fetch: it reads the old value, and the error says what is missing.
func Example() {
	fsys := iofile.NewMem()
	err := world.Run(context.Background(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "grid", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			_, err = f.WriteAt(types.Of([]int32{5}), 0)
		}
		err = errors.Join(err, f.Sync(), c.Barrier())
		if c.Rank() == 1 {
			x := make([]int32, 1)
			_, e := f.ReadAt(types.Of(x), 0)
			fmt.Println("rank 1 reads", x[0])
			err = errors.Join(err, e)
		}
		return errors.Join(err, f.Close())
	}, world.Replay("roundrobin"))
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "missing") {
			missing, _, _ := strings.Cut(line, ":")
			fmt.Println(missing)
		}
	}
	// Output:
	// rank 1 reads 0
	// missing  a Sync of the reader before its read
}
