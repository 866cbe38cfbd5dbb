package mpi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/commworld/commworld/world/mpi"
)

// runReported runs body and keeps the report and the picture, in each process under its
// own name.
func runReported(ctx context.Context, n int, body func(context.Context, *comm.Comm) error, opts ...world.Option) error {
	me := ""
	var picture strings.Builder
	r, err := world.RunReport(ctx, n, func(ctx context.Context, c *comm.Comm) error {
		if port.EngineWorld(c) != nil {
			me = fmt.Sprint(c.Rank())
		}
		return body(ctx, c)
	}, append(opts, world.Trace(&picture, world.Chrome))...)
	if err != nil {
		return err
	}
	text, err := json.Marshal(r)
	return errors.Join(err,
		os.WriteFile(filepath.Join(where, "report"+me), text, 0o644),
		os.WriteFile(filepath.Join(where, "table"+me), []byte(r.String()), 0o644),
		os.WriteFile(filepath.Join(where, "picture"+me), []byte(picture.String()), 0o644))
}

// talks makes calls of every kind that is counted. It completes receives in the reverse
// order of their start.
func talks(_ context.Context, c *comm.Comm) error {
	next, last := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
	a, b := make([]int32, 1), make([]int32, 3)
	first, err := c.IRecv(types.Of(a), last, 5)
	if err != nil {
		return err
	}
	second, err := c.IRecv(types.Of(b), comm.AnySource, 5)
	if err != nil {
		return err
	}
	if err := errors.Join(c.Send(types.Of([]int32{1}), next, 5), c.Send(types.Of([]int32{1, 2, 3}), next, 5)); err != nil {
		return err
	}
	_, err2 := second.Wait()
	_, err1 := first.Wait()
	sum := make([]int64, 1)
	err = errors.Join(err1, err2, c.Barrier(), c.AllReduce(types.Of([]int64{1}), types.Of(sum), comm.Sum))
	f, e := iofile.Open(c, files, "talk", iofile.Create|iofile.ReadWrite)
	if err = errors.Join(err, e); err != nil {
		return err
	}
	_, err1 = f.WriteAtAll(types.Of([]int32{int32(c.Rank()), 7}), iofile.Offset(8*c.Rank()))
	err2 = f.Sync()
	q, err3 := f.IReadAt(types.Of(a), iofile.Offset(8*c.Rank()))
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	_, err = q.Wait()
	return errors.Join(err, f.Close())
}

// TestReported: under a library the report has the same counts as in one process, on every
// process, and the picture has an arrow for each message, from the call that sent it to the
// one that completed its receive.
func TestReported(t *testing.T) {
	dir := t.TempDir()
	where = dir
	var err error
	if files, err = iofile.NewDir(dir); err != nil {
		t.Fatal(err)
	}
	p := plays["reported"]
	if err := runReported(t.Context(), p.ranks, p.body); err != nil {
		t.Fatal(err)
	}
	if e := perform(t, "reported", dirVariable+"="+dir); e.code != 0 {
		t.Fatalf("code %d\n%s", e.code, e.err)
	}
	var here world.Report
	read(t, dir, "report", &here)
	for i := range here.Files {
		here.Files[i].Counters = world.Counters{} // the requests of a library are not known
	}
	for r := range p.ranks {
		var there world.Report
		read(t, dir, fmt.Sprint("report", r), &there)
		for i := range there.PerRank {
			if there.PerRank[i].Waits == 0 {
				t.Errorf("rank %d waited for nothing", i)
			}
		}
		if a, b := counts(&here), counts(&there); a != b {
			t.Errorf("in one process:\n%s\non %s, as rank %d reports it:\n%s", a, mpi.Library(), r, b)
		}
	}
	for r := range p.ranks {
		var picture struct {
			TraceEvents []struct {
				Ph, Name string
				Id, Tid  int
				Args     map[string]any
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("picture", r)))
		if r > 0 {
			if len(text) > 0 || err != nil {
				t.Errorf("rank %d writes a picture, too: %v", r, err)
			}
			continue
		}
		if err := json.Unmarshal(text, &picture); err != nil {
			t.Fatal(err)
		}
		from, arrows, lines := map[int]int{}, 0, 0
		for _, e := range picture.TraceEvents {
			switch e.Ph {
			case "s":
				from[e.Id] = e.Tid
			case "X":
				if at, ok := e.Args["at"].(string); ok && strings.Contains(at, "report_test.go:") {
					lines++
				}
			}
		}
		for _, e := range picture.TraceEvents {
			if e.Ph == "f" {
				arrows++
				if last := (e.Tid+p.ranks-2)%p.ranks + 1; from[e.Id] != last {
					t.Errorf("arrow %d goes from row %d to %d, and the message came from %d", e.Id, from[e.Id], e.Tid, last)
				}
			}
		}
		if want := 2 * p.ranks; arrows != want || lines < 10*p.ranks {
			t.Errorf("%d arrows, want %d; %d calls with their lines", arrows, want, lines)
		}
	}
	table, _ := os.ReadFile(filepath.Join(dir, "table0"))
	t.Logf("\n%s", table)
}

func read(t *testing.T, dir, name string, to any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// counts returns the part of a report that is the same for a library and for one process.
func counts(r *world.Report) string {
	r.Wall, r.Lints = 0, nil // lints need the order of events in one process
	for i := range r.PerRank {
		p := &r.PerRank[i]
		p.Waits, p.Waited, p.Clock = 0, 0, nil
	}
	for i := range r.Files {
		r.Files[i].Requests = world.Requests{} // a library's requests to the system differ
	}
	text, _ := json.Marshal(r)
	return string(text)
}
