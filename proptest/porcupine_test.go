package proptest_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// An atomicCall is one access in atomic mode.
type atomicCall struct {
	write bool
	off   int
	n     int
	value byte // of all bytes that it writes

	at        []int64 // the bytes of the file
	got       []byte  // read
	call, ret int64   // when it began and ended, by one clock for all ranks
}

// An atomicRank sees every stride-th byte of the file.
type atomicRank struct {
	stride int
	calls  []*atomicCall
}

const atomicSize = 24

// atomicRanks draws the accesses of each rank: with few bytes, so that many conflict, and
// with views with holes.
func atomicRanks(t *rapid.T) []*atomicRank {
	all := make([]*atomicRank, rapid.IntRange(2, 4).Draw(t, "ranks"))
	value := byte(0)
	for r := range all {
		all[r] = &atomicRank{stride: rapid.IntRange(1, 2).Draw(t, "stride")}
		for range rapid.IntRange(1, 4).Draw(t, "calls") {
			value++
			c := &atomicCall{
				write: rapid.Bool().Draw(t, "write"), off: rapid.IntRange(0, 3).Draw(t, "off"),
				n: rapid.IntRange(2, 6).Draw(t, "n"), value: value,
			}
			for i := range c.n {
				c.at = append(c.at, int64((c.off+i)*all[r].stride))
			}
			all[r].calls = append(all[r].calls, c)
		}
	}
	return all
}

// runAtomic runs the calls of all ranks, and records their times and the bytes read. With
// torn, a write takes place in two halves.
func runAtomic(ranks []*atomicRank, torn bool, opts ...world.Option) (file []byte, err error) {
	fsys := iofile.NewMem()
	var clock atomic.Int64
	err = world.Run(context.Background(), len(ranks), func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		if err = f.SetSize(atomicSize); err != nil {
			return err
		}
		if c.Rank() == 0 {
			if _, err = f.WriteAt(types.Of(make([]byte, atomicSize)), 0); err != nil {
				return err
			}
		}
		me := ranks[c.Rank()]
		if err = f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Resized(types.Byte, 0, int64(me.stride)), Rep: "native"}); err != nil {
			return err
		}
		if err = f.SetAtomicity(true); err != nil {
			return err
		}
		if err = c.Barrier(); err != nil {
			return err
		}
		for _, a := range me.calls {
			a.call = clock.Add(1)
			if err = a.make(f, torn); err != nil {
				return err
			}
			a.ret = clock.Add(1)
		}
		return f.Close()
	}, append(opts, world.Unchecked())...)
	if err != nil {
		return nil, err
	}
	return fsys.ReadFile("f")
}

func (c *atomicCall) make(f *iofile.File, torn bool) error {
	at := iofile.Offset(c.off)
	switch {
	case !c.write:
		c.got = make([]byte, c.n)
		_, err := f.ReadAt(types.Of(c.got), at)
		return err
	case torn:
		if _, err := f.WriteAt(types.Of(slices.Repeat([]byte{c.value}, c.n/2)), at); err != nil {
			return err
		}
		_, err := f.WriteAt(types.Of(slices.Repeat([]byte{c.value}, c.n-c.n/2)), at+iofile.Offset(c.n/2))
		return err
	}
	_, err := f.WriteAt(types.Of(slices.Repeat([]byte{c.value}, c.n)), at)
	return err
}

// linearizable asks porcupine whether the calls took place one after the other,
// each at some moment between its begin and its end.
func linearizable(ranks []*atomicRank, file []byte) bool {
	m := porcupine.Model{
		Init: func() any { return string(make([]byte, atomicSize)) },
		Step: func(state, in, _ any) (bool, any) {
			c, now := in.(*atomicCall), []byte(state.(string))
			for i, off := range c.at {
				if c.write {
					now[off] = c.value
				} else if now[off] != c.got[i] {
					return false, state
				}
			}
			return true, string(now)
		},
	}
	var calls []porcupine.Operation
	last := int64(0)
	for r, k := range ranks {
		for _, c := range k.calls {
			calls = append(calls, porcupine.Operation{ClientId: r, Input: c, Call: c.call, Return: c.ret})
			last = max(last, c.ret)
		}
	}
	whole := &atomicCall{n: len(file), got: file} // the file at the end, as if read after all calls
	for off := range file {
		whole.at = append(whole.at, int64(off))
	}
	calls = append(calls, porcupine.Operation{ClientId: len(ranks), Input: whole, Call: last + 1, Return: last + 2})
	return porcupine.CheckOperations(m, calls)
}

// consistent asks our own judge whether some order of the calls that keeps the order of each
// rank explains them, without regard to the clock.
func consistent(ranks []*atomicRank, file []byte) (bool, error) {
	h := consistency.History{Init: make([]byte, atomicSize)}
	seen := consistency.Outcome{Vars: map[string]string{}, File: hex.EncodeToString(file)}
	for r, k := range ranks {
		steps := []consistency.Step{{Do: consistency.DoOpen, ID: 1}, {Do: consistency.DoAtomic, On: true}}
		for i, c := range k.calls {
			s := consistency.Step{Do: consistency.DoRead, Name: fmt.Sprint(i)}
			if c.write {
				s = consistency.Step{Do: consistency.DoWrite, Data: slices.Repeat([]byte{c.value}, c.n)}
			} else {
				seen.Vars[fmt.Sprint(r, ".", i)] = hex.EncodeToString(c.got)
			}
			for _, off := range c.at {
				s.Runs = append(s.Runs, consistency.Run{Off: off, Len: 1})
			}
			steps = append(steps, s)
		}
		h.Ranks = append(h.Ranks, append(steps, consistency.Step{Do: consistency.DoClose}))
	}
	return consistency.Explains(h, seen)
}

// historyText returns a history as text.
func historyText(ranks []*atomicRank, file []byte) string {
	var b strings.Builder
	for r, k := range ranks {
		for _, c := range k.calls {
			fmt.Fprintf(&b, "rank %d, %d to %d: write %v, bytes %v, value %d, got %v\n", r, c.call, c.ret, c.write, c.at, c.value, c.got)
		}
	}
	return b.String() + fmt.Sprint("file ", file)
}

// TestAtomicHistories: if it fails, a rank sees a part of a call in atomic mode, or ranks
// see calls in different orders. The standard asks for sequential consistency only,
// without regard to real time; this module's atomic calls also take effect between their
// begin and their end, and porcupine checks that. Ranks run free, as goroutines in
// parallel, and one at a time.
func TestAtomicHistories(t *testing.T) {
	for name, opts := range map[string][]world.Option{"free": nil, "seeded": {world.Seed(3)}} {
		t.Run("CONS-C5 CONS-D03 "+name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				ranks := atomicRanks(t)
				file, err := runAtomic(ranks, false, opts...)
				require.NoError(t, err)
				ok, err := consistent(ranks, file)
				require.NoError(t, err)
				assert.True(t, ok, "not sequentially consistent\n%s", historyText(ranks, file))
				assert.True(t, linearizable(ranks, file), "not linearizable\n%s", historyText(ranks, file))
			})
		})
	}
	t.Run("CONS-C5 torn writes are seen by both", func(t *testing.T) {
		seen := func(t require.TestingT, ranks []*atomicRank, seed uint64) bool {
			file, err := runAtomic(ranks, true, world.Seed(seed))
			require.NoError(t, err)
			ok, err := consistent(ranks, file)
			require.NoError(t, err)
			if !ok {
				assert.False(t, linearizable(ranks, file), "what no order explains none does in time\n%s", historyText(ranks, file))
			}
			return !ok
		}
		rapid.Check(t, func(t *rapid.T) {
			ranks := atomicRanks(t)
			seen(t, ranks, rapid.Uint64().Draw(t, "schedule"))
		})
		both := 0
		for seed := range uint64(50) { // fixed seeds: a random program may have no torn write
			at := []int64{0, 1}
			if seen(t, []*atomicRank{
				{stride: 1, calls: []*atomicCall{{write: true, n: 2, value: 1, at: at}}},
				{stride: 1, calls: []*atomicCall{{n: 2, at: at}}},
			}, seed) {
				both++
			}
		}
		assert.NotZero(t, both)
		t.Log(both, "histories with a torn write seen")
	})
}
