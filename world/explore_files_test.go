package world_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A sharing is a program of accesses to one file, with messages between: the operations of
// each rank.
type sharing [][]sharingOp

// A sharingOp is one operation.
type sharingOp struct {
	kind string // name of the call, in lower case; wait and test are calls on the oldest request
	peer int    // of send and recv
	at   int64  // of an access, in bytes
}

func (p sharing) String() string {
	var b strings.Builder
	for i, ops := range p {
		fmt.Fprintf(&b, "\n%d: %v", i, ops)
	}
	return b.String()
}

// drawSharing draws a program of operations of the given kinds. Barrier, sync, atomic and
// writeall are for all ranks.
func drawSharing(seed uint64, kinds []string) sharing {
	rnd := rand.New(rand.NewPCG(seed, 2))
	n := 2 + rnd.IntN(2)
	p := make(sharing, n)
	for range 4 + rnd.IntN(5) {
		i, at := rnd.IntN(n), int64(rnd.IntN(2))
		switch kind := kinds[rnd.IntN(len(kinds))]; kind {
		case "barrier", "sync", "atomic", "writeall":
			for i := range p {
				p[i] = append(p[i], sharingOp{kind: kind, at: at})
			}
		case "message":
			to := (i + 1 + rnd.IntN(n-1)) % n
			p[i] = append(p[i], sharingOp{kind: "send", peer: to})
			p[to] = append(p[to], sharingOp{kind: "recv", peer: comm.AnySource})
		default:
			p[i] = append(p[i], sharingOp{kind: kind, at: at})
		}
	}
	return p
}

// setup returns p for Explore, on a file under the model. The outcome has what each rank has
// read, and the file.
func (p sharing) setup(t *testing.T, model consistency.Model, content string) (program, func() any) {
	logs := make([][]string, len(p)+1)
	fsys := iofile.NewMem(iofile.WithModel(model))
	require.NoError(t, fsys.Import("f", strings.NewReader(content)))
	return func(_ context.Context, c *comm.Comm) error {
			me := c.Rank()
			log := func(format string, args ...any) { logs[me] = append(logs[me], fmt.Sprintf(format, args...)) }
			f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite)
			if err != nil {
				return err
			}
			var open []*comm.Request
			bufs := map[*comm.Request][]byte{}
			next := byte(10 * (me + 1))
			for _, o := range p[me] {
				buf, at := []byte{0}, iofile.Offset(o.at)
				if o.kind == "send" || strings.Contains(o.kind, "write") {
					next++
					buf[0] = next
				}
				var q *comm.Request
				var err error
				switch o.kind {
				case "send":
					err = c.Send(types.Of(buf), o.peer, 0)
				case "recv":
					_, err = c.Recv(types.Of(buf), o.peer, 0)
					log("recv %d", buf)
				case "write":
					_, err = f.WriteAt(types.Of(buf), at)
				case "read":
					_, err = f.ReadAt(types.Of(buf), at)
					log("read %d", buf)
				case "writeshared":
					_, err = f.WriteShared(types.Of(buf))
				case "readshared":
					_, err = f.ReadShared(types.Of(buf))
					log("readshared %d", buf)
				case "writeall":
					_, err = f.WriteAtAll(types.Of(buf), at)
				case "iwrite":
					q, err = f.IWriteAt(types.Of(buf), at)
				case "iread":
					q, err = f.IReadAt(types.Of(buf), at)
				case "wait":
					if len(open) > 0 {
						_, err = open[0].Wait()
						log("wait %d", bufs[open[0]])
						open = open[1:]
					}
				case "test":
					if len(open) > 0 {
						var ok bool
						_, ok, err = open[0].Test()
						log("test %v", ok)
						if ok {
							log("%d", bufs[open[0]])
							open = open[1:]
						}
					}
				case "barrier":
					err = c.Barrier()
				case "sync":
					err = f.Sync()
				case "atomic":
					var on bool
					if on, err = f.Atomicity(); err == nil {
						err = f.SetAtomicity(!on)
					}
				}
				if err != nil {
					log("failed")
					return nil
				}
				if q != nil {
					open, bufs[q] = append(open, q), buf
				}
			}
			_, err = comm.WaitAll(open...)
			for _, q := range open {
				log("%d", bufs[q])
			}
			if err != nil {
				return err
			}
			return f.Close()
		}, func() any {
			b, _ := fsys.ReadFile("f")
			logs[len(p)] = []string{fmt.Sprint(b)}
			return fmt.Sprint(logs)
		}
}

// explored returns an exploration of p.
func (p sharing) explored(t *testing.T, model consistency.Model, content string) *world.Exploration {
	x, err := world.Explore(t.Context(), len(p), func() (program, func() any) { return p.setup(t, model, content) },
		world.Limit(world.Limits{Schedules: 3000}), world.Unchecked(), world.Limit(world.Limits{Polls: 20}))
	require.NoError(t, err, "%v%v", model, p)
	return x
}

// valuesOf returns the outcomes, without errors and races.
func valuesOf(x *world.Exploration) (all []string) {
	for _, o := range x.Outcomes {
		if s := fmt.Sprint(o.Value); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// What a program finds in a file under any seed must be among what was explored, if the
// exploration says that it is complete.
func TestExploreFilesCoverSeeds(t *testing.T) {
	sets := [][]string{
		{"write", "read", "message", "barrier", "sync"},
		{"write", "read", "message", "iwrite", "iread", "wait", "test", "sync", "barrier"},
		{"writeshared", "readshared", "message", "barrier", "read"},
		{"write", "read", "atomic", "message", "sync"},
		{"write", "read", "writeall", "iread", "test", "message"},
	}
	models := []consistency.Model{consistency.Weakest, consistency.POSIX, consistency.Session, consistency.Commit}
	complete := 0
	for i := range programs(t, 400) {
		p, model := drawSharing(i, sets[i%5]), models[i/5%4]
		x := p.explored(t, model, "12") // without holes, whose bytes are not explored
		if !x.Complete {
			continue
		}
		complete++
		all := valuesOf(x)
		for seed := range uint64(30) {
			body, outcome := p.setup(t, model, "12")
			err := world.Run(t.Context(), len(p), body, world.Seed(seed), world.Unchecked())
			if got := fmt.Sprint(outcome()); err == nil && !slices.Contains(all, got) {
				t.Fatalf("program %d, %v, seed %d: %s\nexplored %v%v", i, model, seed, got, all, p)
			}
		}
	}
	t.Logf("%d explorations are complete", complete)
	assert.NotZero(t, complete)
}

// A read may find an older file, which is too short for it. The bytes that it then does not
// find once stayed in the program's memory.
func TestExploreShortReads(t *testing.T) {
	p := sharing{
		{{kind: "barrier"}, {kind: "sync"}, {kind: "barrier"}, {kind: "read"}},
		{{kind: "write"}, {kind: "barrier"}, {kind: "sync"}, {kind: "barrier"}},
	}
	x := p.explored(t, consistency.Weakest, "")
	assert.True(t, x.Complete)
	assert.ElementsMatch(t, []string{"[[read [0]] [] [[21]]]", "[[read [21]] [] [[21]]]"}, valuesOf(x))
}

// Whether a sync is ordered with others must not depend on which rank ran first: a program
// was once called nondeterministic whose race and sync had no choice between them.
func TestExploreRaceBesideSync(t *testing.T) {
	p := sharing{
		{{kind: "sync"}},
		{{kind: "sync"}, {kind: "read", at: 1}},
		{{kind: "iwrite", at: 1}, {kind: "iwrite", at: 1}, {kind: "sync"}},
	}
	for _, model := range []consistency.Model{consistency.POSIX, consistency.Commit, consistency.Session} {
		p.explored(t, model, "")
	}
}

// A race of accesses that have only begun is found by the rank that begins last, which
// depends on how the ranks ran.
func TestExploreRaceOfBegun(t *testing.T) {
	for _, model := range []consistency.Model{consistency.POSIX, consistency.Commit, consistency.Session} {
		_, err := world.Explore(t.Context(), 3, func() (program, func() any) {
			fsys := iofile.NewMem(iofile.WithModel(model))
			return func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c.Self(), fsys, "f", iofile.Create|iofile.ReadWrite)
				require.NoError(t, err)
				g, err := iofile.Open(c.Self(), fsys, "f", iofile.ReadWrite)
				require.NoError(t, err)
				require.NoError(t, c.Barrier())
				if c.Rank() < 2 {
					q, err := f.IWriteAt(types.Of([]byte{1}), 0)
					require.NoError(t, err)
					require.NoError(t, g.Sync())
					require.NoError(t, second(q.Wait()))
				}
				return errors.Join(g.Close(), f.Close())
			}, nil
		}, world.Limit(world.Limits{Schedules: 100}))
		assert.NoError(t, err, "%v", model)
	}
}
