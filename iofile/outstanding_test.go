package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"pgregory.net/rapid"
)

// piece is how many bytes a rank moves in one access of a flight.
const piece = 20

// A flight is a program in which many collective accesses are under way at once
// while files fail: each of them writes, or reads, bytes of its own.
type flight struct {
	ranks    int
	writes   []bool  // of each access
	forms    []int   // nonblocking, splitting or blocking
	order    [][]int // in which each rank completes the nonblocking ones
	how      int     // to complete: one by one, testing, all together
	rules    string
	model    consistency.Model
	strategy strategy.Strategy
	seed     uint64

	errs [][]error // of each rank and access, at the beginning or at the end
}

func drawFlight(t *rapid.T) *flight {
	fl := &flight{ranks: rapid.IntRange(1, 4).Draw(t, "ranks"), seed: rapid.Uint64().Draw(t, "seed"), how: rapid.IntRange(0, 2).Draw(t, "how")}
	fl.model = rapid.SampledFrom([]consistency.Model{consistency.Weakest, consistency.POSIX, consistency.Session}).Draw(t, "model")
	fl.strategy = rapid.SampledFrom([]strategy.Strategy{
		nil, strategy.TwoPhase{Nodes: 2, Buffer: 16, Read: strategy.Enable, Write: strategy.Enable}, strategy.List{Most: 2}, strategy.Sieve{WriteBuffer: 8},
	}).Draw(t, "strategy")
	n := rapid.IntRange(1, 6).Draw(t, "accesses")
	var under []int
	for k := range n {
		fl.writes = append(fl.writes, rapid.IntRange(0, 2).Draw(t, "write") > 0)
		fl.forms = append(fl.forms, rapid.SampledFrom([]int{nonblocking, nonblocking, nonblocking, splitting, blocking}).Draw(t, "form"))
		if fl.forms[k] == nonblocking {
			under = append(under, k)
		}
	}
	for range fl.ranks {
		fl.order = append(fl.order, rapid.Permutation(under).Draw(t, "order"))
		fl.errs = append(fl.errs, make([]error, n))
	}
	for range rapid.IntRange(1, 3).Draw(t, "faults") {
		fl.rules += drawFault(t, fl.ranks) + "\n"
	}
	return fl
}

// at returns the offset of rank r's bytes in access k: after those of the other ranks.
func (fl *flight) at(r, k int) int { return (k*fl.ranks + r) * piece }

// fly is the program of one rank. It returns unexpected errors.
func (fl *flight) fly(c *comm.Comm, fsys *iofile.FS, plan *faults.Plan) error {
	r := c.Rank()
	f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite, iofile.WithStrategy(fl.strategy))
	if err != nil {
		return err
	}
	if err := errors.Join(c.Barrier(), plan.Set(faults.Must(fl.rules)...), c.Barrier()); err != nil {
		return err
	}
	reqs, mems := make([]*comm.Request, len(fl.forms)), make([][]byte, len(fl.forms))
	for k, form := range fl.forms {
		mems[k] = make([]byte, piece)
		if fl.writes[k] {
			for i := range mems[k] {
				mems[k][i] = mark(r, k)
			}
		}
		buf, at := types.Of(mems[k]), iofile.Offset(fl.at(r, k))
		switch {
		case form == nonblocking && fl.writes[k]:
			reqs[k], fl.errs[r][k] = f.IWriteAtAll(buf, at)
		case form == nonblocking:
			reqs[k], fl.errs[r][k] = f.IReadAtAll(buf, at)
		case form == splitting && fl.writes[k]:
			if fl.errs[r][k] = f.WriteAtAllBegin(buf, at); fl.errs[r][k] == nil {
				_, fl.errs[r][k] = f.WriteAtAllEnd(buf)
			}
		case form == splitting:
			if fl.errs[r][k] = f.ReadAtAllBegin(buf, at); fl.errs[r][k] == nil {
				_, fl.errs[r][k] = f.ReadAtAllEnd(buf)
			}
		case fl.writes[k]:
			_, fl.errs[r][k] = f.WriteAtAll(buf, at)
		default:
			_, fl.errs[r][k] = f.ReadAtAll(buf, at)
		}
	}
	fl.land(r, reqs)
	for k, err := range fl.errs[r] {
		if err != nil || fl.writes[k] {
			continue
		}
		for i, b := range mems[k] {
			if b != original(int64(fl.at(r, k)+i)) {
				return fmt.Errorf("rank %d read %d at byte %d of access %d", r, b, i, k)
			}
		}
	}
	if err := errors.Join(c.Barrier(), plan.Set(), c.Barrier(), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("after the faults: %w", err)
	}
	return nil
}

// mark returns the byte that rank r writes in access k.
func mark(r, k int) byte { return byte(1 + 8*r + k) }

// land completes the pending accesses.
func (fl *flight) land(r int, reqs []*comm.Request) {
	if fl.how == 2 {
		sts, _ := comm.WaitAll(reqs...)
		for k, q := range reqs {
			if q != nil {
				fl.errs[r][k] = sts[k].Err
			}
		}
		return
	}
	for _, k := range fl.order[r] {
		if reqs[k] == nil {
			continue
		}
		for done := false; fl.how == 1 && !done; {
			if _, done, fl.errs[r][k] = reqs[k].Test(); fl.errs[r][k] != nil {
				break
			}
		}
		if fl.how == 0 {
			_, fl.errs[r][k] = reqs[k].Wait()
		}
	}
}

// run runs the flight and returns the broken promise, if any.
func (fl *flight) run() error {
	plan := new(faults.Plan)
	fsys := iofile.NewMem(iofile.WithFaults(plan), iofile.WithModel(fl.model))
	text := make([]byte, fl.at(0, len(fl.forms)))
	for i := range text {
		text[i] = original(int64(i))
	}
	if err := fsys.Import("f", strings.NewReader(string(text))); err != nil {
		return err
	}
	err := world.Run(context.Background(), fl.ranks, func(_ context.Context, c *comm.Comm) error { return fl.fly(c, fsys, plan) },
		world.Seed(fl.seed), world.Unchecked())
	var abort *world.AbortError
	killed := strings.Contains(fl.rules, "kill") && errors.As(err, &abort)
	if err != nil && !killed {
		return err
	}
	got, err := fs.ReadFile(fsys, "f")
	if err != nil || len(got) < len(text) {
		return fmt.Errorf("%d bytes are left: %w", len(got), err)
	}
	for k := range fl.forms {
		for r := range fl.ranks {
			mine, first := fl.errs[r][k], fl.errs[0][k]
			if !killed && ((mine == nil) != (first == nil) || mine != nil && !errors.Is(mine, iofile.ClassOf(first))) {
				return fmt.Errorf("access %d: rank 0 got %v, rank %d %v", k, first, r, mine)
			}
			for i, b := range got[fl.at(r, k):][:piece] {
				was, written := original(int64(fl.at(r, k)+i)), mark(r, k)
				switch {
				case b == written && fl.writes[k], b == was && (!fl.writes[k] || mine != nil || killed):
				default:
					return fmt.Errorf("access %d, rank %d (%v): byte %d is %d", k, r, mine, i, b)
				}
			}
		}
	}
	return fsys.Close()
}

// If this fails, a fault in one of many pending accesses leaves ranks waiting, is not
// reported on some of them, or damages the bytes of another access.
func TestOutstandingUnderFaults(t *testing.T) {
	t.Run("IO-NBC-04 ERR-09 CONS-SYNC-01 IO-SPLIT-08 many collectives under way, files that fail", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			fl := drawFlight(t)
			if err := fl.run(); err != nil {
				t.Fatalf("%v\nmodel %v, strategy %v, %d ranks, writes %v, forms %v, orders %v, completed by way %d, faults\n%s",
					err, fl.model, fl.strategy, fl.ranks, fl.writes, fl.forms, fl.order, fl.how, fl.rules)
			}
		})
	})
}
