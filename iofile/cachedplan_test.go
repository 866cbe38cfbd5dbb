package iofile_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"pgregory.net/rapid"
)

// A repeatedStep is one call of one rank, while the other waits, or of both.
type repeatedStep struct {
	what   string
	rank   int
	off, n int64
	line   int // where in the program the access is
	view   int
}

func drawRepeated(t *rapid.T, last repeatedStep) repeatedStep {
	s := repeatedStep{
		what: rapid.SampledFrom([]string{"write", "write", "write", "read", "read", "go on", "go on", "go on", "go on", "sync", "view", "atomic", "size", "all", "start", "close"}).Draw(t, "what"),
		rank: rapid.IntRange(0, 1).Draw(t, "rank"),
		off:  rapid.SampledFrom([]int64{0, 1, 8, 8191, 9000, 1 << 62}).Draw(t, "off"),
		n:    rapid.SampledFrom([]int64{0, 1, 8, 8, 1024}).Draw(t, "n"),
		line: rapid.IntRange(0, 1).Draw(t, "line"),
		view: rapid.IntRange(0, 5).Draw(t, "view"),
	}
	if s.what == "go on" && (last.what == "write" || last.what == "read") {
		s = last
		s.off += s.n
	}
	return s
}

func repeatedView(k, rank int) iofile.View {
	return []iofile.View{
		{Etype: types.Byte, Filetype: types.Byte},
		{Disp: 3, Etype: types.Double, Filetype: types.Double},
		{Etype: types.Int32, Filetype: types.Contiguous(3, types.Int32)},
		{Disp: int64(8 * rank), Etype: types.Double, Filetype: types.Resized(types.Double, 0, 16)},
		{Etype: types.Byte, Filetype: types.Byte, Rep: "external32"},
		{Etype: types.Double, Filetype: types.Double, Rep: "external32"},
	}[k]
}

// do makes the call and returns all its visible results.
func (s repeatedStep) do(c *comm.Comm, f *iofile.File, step int) string {
	var st iofile.Status
	var err error
	buf := types.Of(make([]byte, s.n))
	if v, _ := f.View(); v.Etype == types.Double {
		buf = types.Of(make([]float64, s.n))
	} else if v.Etype == types.Int32 {
		buf = types.Of(make([]int32, s.n))
	}
	for i := range buf.Mem() {
		buf.Mem()[i] = byte(step + i)
	}
	mine := s.rank == c.Rank()
	off := iofile.Offset(s.off)
	side := iofile.Offset(c.Rank()) << 20 // what ranks write over each other may come in either order
	switch {
	case s.what == "write" && mine && s.line == 0:
		st, err = f.WriteAt(buf, off+side)
	case s.what == "write" && mine:
		st, err = f.WriteAt(buf, off+side)
	case s.what == "read" && mine && s.line == 0:
		st, err = f.ReadAt(buf, off+side)
	case s.what == "read" && mine:
		st, err = f.ReadAt(buf, off)
	case s.what == "sync":
		err = errors.Join(f.Sync(), c.Barrier(), f.Sync())
	case s.what == "view":
		err = f.SetView(repeatedView(s.view, c.Rank()))
	case s.what == "atomic":
		err = f.SetAtomicity(s.line == 0)
	case s.what == "size":
		err = f.SetSize(s.off % (1 << 20))
	case s.what == "all":
		st, err = f.WriteAtAll(buf, off+side)
	case s.what == "start" && mine:
		var r *comm.Request
		if r, err = f.IReadAt(buf, off); err == nil {
			st, err = r.Wait()
		}
	case s.what == "close" && s.line == 1 && s.view == 0: // seldom: what comes after is an error
		err = f.Close()
	}
	n, _ := st.Count(types.Byte)
	pos, _ := f.Position()
	plan := f.Plan()
	return fmt.Sprintf("%v: %d %v %x %v %d", s, n, err, sha256.Sum256(buf.Mem()), plan.Requests, pos)
}

// parties returns the lines of the program that race, without ranks, views, bytes and
// order, because those depend on which rank of a collective call came first.
func parties(err error) string {
	var lines []string
	for line := range strings.Lines(fmt.Sprint(err)) {
		call, _, _ := strings.Cut(line, " view ")
		if words := strings.Fields(call); len(words) > 2 && words[0] == "rank" {
			lines = append(lines, strings.Join(words[2:], " "))
		}
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), ", ")
}

// If an access by the cached plan differed from one by the general path, in its checks or
// in its effect, programs would break only in loops.
func TestCachedPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		model := rapid.SampledFrom([]consistency.Model{consistency.POSIX, consistency.Weakest, consistency.Commit, consistency.Session}).Draw(t, "model")
		amode := rapid.SampledFrom([]iofile.Mode{create, create, create, iofile.Create | iofile.WriteOnly}).Draw(t, "amode")
		var steps []repeatedStep
		last := repeatedStep{what: "view", view: rapid.IntRange(0, 5).Draw(t, "first view")}
		steps = append(steps, last)
		for range rapid.IntRange(2, 40).Draw(t, "steps") {
			last = drawRepeated(t, last)
			steps = append(steps, last)
		}
		// Listeners to progress are looked up each time.
		run := func(opts ...iofile.OpenOption) (seen [2][]string, races string) {
			fsys := iofile.NewMem(iofile.WithModel(model))
			err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", amode, opts...)
				if err != nil {
					return err
				}
				if err := c.Barrier(); err != nil { // now all have adopted the newest version
					return err
				}
				for i, s := range steps {
					seen[c.Rank()] = append(seen[c.Rank()], s.do(c, f, i))
					if err := c.Barrier(); err != nil {
						return err
					}
				}
				return f.Close()
			})
			b, _ := fsys.ReadFile("f")
			seen[0] = append(seen[0], fmt.Sprintf("%d %x", len(b), sha256.Sum256(b)))
			return seen, parties(err)
		}
		seen, races := run()
		wantSeen, wantRaces := run(iofile.WithCallbacks(iofile.Callbacks{Progress: func(iofile.Progress) {}}))
		for r := range seen {
			for i := range seen[r] {
				if seen[r][i] != wantSeen[r][i] {
					t.Fatalf("%v, rank %d, call %d: %s\nwithout memory %s", model, r, i, seen[r][i], wantSeen[r][i])
				}
			}
		}
		if races != wantRaces {
			t.Fatalf("%v: %s\nwithout memory %s", model, races, wantRaces)
		}
	})
}
