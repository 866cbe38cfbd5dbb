package proptest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/proptest/gen"
	"github.com/commworld/commworld/world"
)

// NoRace runs a program without conflicts: no two ranks use a byte between two syncs unless
// both read it. So the layer itself causes any reported race: for example a header that two
// ranks write, or a block that a rank writes back with bytes of another. Only layers over
// this module's files can have races that are detected; for other layers NoRace is the same
// as [Reference]. (CONS-D05)
func NoRace(mk Maker, p *gen.Program) error {
	t, err := play(mk, p, manner{races: true})
	var race *consistency.RaceError
	if errors.As(err, &race) {
		err = fmt.Errorf("the program has no conflict, so the race is the layer's own: %w", err)
	}
	if err == nil {
		err = judge(p, t)
	}
	return explain(p, err)
}

// SharedAppends makes all ranks write records through the shared pointer, at the same
// time and in no order. Each record must be in the file once and whole, and those of one
// rank in the order in which it wrote them. The files must be [SharedFile]s. (IO-SHP-04)
func SharedAppends(mk Maker, ranks, times int, long int64, seed uint64) error {
	l, err := mk()
	if err != nil {
		return fmt.Errorf("no layer: %w", err)
	}
	p := &gen.Program{Ranks: ranks, Seed: seed}
	for k := range times * ranks {
		p.Ops = append(p.Ops, gen.Op{Do: gen.Write, Rank: k % ranks, At: gen.Shared, N: long})
	}
	t := &trace{ranks: ranks}
	w := newWatchdog(p)
	err = w.over(timeLimit(), func(ctx context.Context) error {
		return world.Run(ctx, ranks, func(_ context.Context, c *comm.Comm) error {
			return appendAll(l, c, w, times, long)
		}, manner{}.options(p)...)
	})
	if err == nil {
		err = t.look(l, fileName, 0, int64(ranks*times)*long)
	}
	if c, ok := l.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	if err == nil {
		err = t.records(ranks, times, long)
	}
	if err != nil {
		return fmt.Errorf("%w\n%d ranks, %d shared writes of %d bytes each, all at one time, schedule %s", err, ranks, times, long, p.Order())
	}
	return nil
}

func appendAll(l Layer, c *comm.Comm, w *watchdog, times int, long int64) error {
	w.enter(c.Rank(), -1)
	defer w.leave(c.Rank())
	f, err := l.Open(c, fileName)
	if err != nil {
		return err
	}
	for i := range times {
		w.enter(c.Rank(), i*c.Size()+c.Rank())
		mem := make([]byte, long)
		bytewise.mark(mem, c.Rank(), i)
		n, err := f.(SharedFile).WriteShared(mem)
		if err != nil {
			return err
		}
		if int64(n) != long {
			return fmt.Errorf("a shared write of %d bytes counts %d", long, n)
		}
	}
	return f.Close()
}

// records checks that a file consists of the records that ranks have appended.
func (t *trace) records(ranks, times int, long int64) error {
	if want := int64(ranks*times) * long; int64(len(t.stored)) != want {
		return fmt.Errorf("the file has %d bytes, want %d: all records, each once", len(t.stored), want)
	}
	next := make([]int, ranks)
	for at := int64(0); at < int64(len(t.stored)); at += long {
		got, found := t.stored[at:at+long], false
		for r := range ranks {
			mem := make([]byte, long)
			bytewise.mark(mem, r, next[r])
			if next[r] < times && slices.Equal(mem, got) {
				next[r]++
				found = true
				break
			}
		}
		if !found {
			return fmt.Errorf("bytes [%d, %d) of the file are not a record that a rank writes next\n  got\n%s", at, at+long, dump(at, got))
		}
	}
	return nil
}
