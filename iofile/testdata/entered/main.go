// Command entered makes collective writes of 8 bytes on two ranks and writes coverage counters
// of the last one into a directory. Arguments: the directory, and the number of writes before
// that one. It has to be built with -cover -covermode=atomic.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/coverage"
	"strconv"
	"sync"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

const ranks = 2

func main() {
	before, err := strconv.Atoi(os.Args[2])
	if err == nil {
		err = measure(os.Args[1], before)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// measure clears and saves the counters while both ranks are outside of the library.
func measure(dir string, before int) error {
	fsys := iofile.NewMem()
	reset, save := newMeeting(coverage.ClearCounters), newMeeting(func() error {
		return errors.Join(coverage.WriteMetaDir(dir), coverage.WriteCountersDir(dir))
	})
	return world.Run(context.Background(), ranks, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "grid", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		write := func() error {
			_, err := f.WriteAtAll(types.Of([]int64{1}), iofile.Offset(8*c.Rank()))
			return err
		}
		for range before {
			err = errors.Join(err, write())
		}
		return errors.Join(err, reset.meet(), write(), save.meet(), f.Close())
	})
}

// A meeting calls a function once, when all ranks have come, and before any of them leaves.
type meeting struct {
	come sync.WaitGroup
	once func() error
}

func newMeeting(f func() error) *meeting {
	m := &meeting{once: sync.OnceValue(f)}
	m.come.Add(ranks)
	return m
}

func (m *meeting) meet() error {
	m.come.Done()
	m.come.Wait()
	return m.once()
}
