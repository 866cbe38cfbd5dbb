package iofile

import (
	"github.com/commworld/commworld/internal/journal"
	"github.com/commworld/commworld/internal/trace"
	"github.com/commworld/commworld/types"
)

// calls is the listener that passes calls on files to the recorder of the ranks' calls.
type calls struct{}

func (calls) Wants(handle any) journal.Kind {
	if handle.(*File).log.Recorder() == nil {
		return 0
	}
	return journal.Opened | journal.Moved | journal.Synced | journal.Closed
}

func (calls) Record(e *journal.Event) {
	f := e.Handle.(*File)
	c := trace.FileCall{Name: f.name, Op: e.Op, Party: trace.Party{Key: f.set, Ranks: f.worldRanks}}
	switch e.Kind {
	case journal.Opened:
		c.Kind = trace.FileOpened
		c.StripeSize, c.StripeCount = f.striping()
	case journal.Synced:
		c.Kind = trace.FileSynced
	case journal.Closed:
		if e.Err != nil {
			return
		}
		c.Kind = trace.FileClosed
	case journal.Moved:
		c.Kind, c.Write, c.All, c.Shared = trace.FileMoved, e.Write, e.All, e.Shared
		c.Part = types.Part{At: e.Bytes.At, From: e.Bytes.From, N: e.Asked}
		if f.how.moves != nil {
			c.Strategy = f.strategy()
		}
	}
	f.log.Recorder().File(f.log.Rank(), &c, f.log.Place())
}

// worldRanks returns the ranks of the file in the world.
func (f *File) worldRanks() []int {
	ranks := make([]int, f.c.Size())
	for i := range ranks {
		ranks[i] = port.InWorld(f.c, i)
	}
	return ranks
}
