package pattern_test

import (
	"context"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/pattern"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small has lines of every pattern that run in a short time.
var small = map[string][]string{
	"ior": {
		"ior -b 64 -t 16 -s 3", "ior -b 64 -t 16 -s 3 -F -C", "ior -b 64 -t 16 -s 3 -c -Z -z", "ior -b 64 -t 16 -s 3 -c -V -e",
		"ior -b 64 -t 64 --shift 7", "ior -b 64 -t 32 --shift 7 -J 16 -z",
	},
	"hacc-io":     {"hacc-io --particles 13 --header 100", "hacc-io --particles 13 -F"},
	"bt-io":       {"bt-io --grid 6 --dumps 2", "bt-io --grid 6 --dumps 2 --method simple", "bt-io --grid 6 --dumps 2 --method epio"},
	"blocks":      {"blocks --shape 5x7", "blocks --shape 3,4,5 --element 3 --shift 9", "blocks --shape 2 --independent"},
	"benchio":     {"benchio -n 4"},
	"coll-perf":   {"coll-perf --shape 6x5x7", "coll-perf --shape 2x1x1"},
	"mpi-tile-io": {"mpi-tile-io --sz_tile_x 5 --sz_tile_y 4 --overlap_x 2 --overlap_y 1 --header_bytes 5"},
	"s3d":         {"s3d -n 3 --dumps 2"},
	"flash":       {"flash --blocks 3 --nxb 2 --guard 1", "flash --blocks 3 --nxb 2 --plot"},
	"madbench2":   {"madbench2 --bins 3 --chunk 100"},
	"life":        {"life --rows 7 --cols 5 --dumps 2", "life --rows 2 --cols 3"},
	"hpio":        {"hpio --count 5 --size 3 --spacing 4", "hpio --count 5 --size 3 --spacing 4 --file c --memory nc", "hpio --count 5 --memory nc"},
	"noncontig":   {"noncontig --elements 11"},
	"e3sm":        {"e3sm --columns 40 --levels 2", "e3sm --columns 1"},
	"log":         {"log --lines 3 --bytes 9", "log --lines 3 --bytes 9 --ordered", "log --lines 3 --bytes 9 --prefix"},
	"csr":         {"csr --rows 5 --most 4 --empty 2", "csr --rows 3 --empty 1"},
}

// TestRun carries every pattern out, checks the bytes that it reads and the files that it
// leaves, and compares its requests in the model with those that the run counts, and the
// model's time of the pattern with that of the run.
func TestRun(t *testing.T) {
	for _, p := range pattern.All {
		require.NotEmpty(t, small[p.Name], p.Name)
		for _, line := range small[p.Name] {
			for _, ranks := range []int{1, 4} {
				for _, s := range []strategy.Strategy{strategy.Direct{}, strategy.TwoPhase{Nodes: 2, Buffer: 64, Stripe: 1}, strategy.List{Most: 3}} {
					t.Run(line, func(t *testing.T) { runs(t, line, ranks, s) })
				}
			}
		}
	}
}

func runs(t *testing.T, line string, ranks int, s strategy.Strategy) {
	w, err := pattern.Parse(line, ranks)
	require.NoError(t, err)
	fsys := iofile.NewMem()
	report, err := world.RunReport(context.Background(), ranks, w.Body(fsys, iofile.WithStrategy(s)), world.Seed(1), world.On(machine.Laptop()))
	require.NoError(t, err, "%d ranks", ranks)
	require.NoError(t, w.Check(fsys))
	r, err := machine.Run(context.Background(), machine.Laptop(), w.Program(), machine.Options{Strategy: s})
	require.NoError(t, err)
	var want strategy.Counts
	for _, f := range report.Files {
		want.Add(strategy.Counts(f.Requests))
	}
	assert.Equal(t, want.Reads, r.Counts.Reads, "%d ranks, %v", ranks, s)
	assert.Equal(t, want.Writes, r.Counts.Writes, "%d ranks, %v", ranks, s)
	assert.Equal(t, want.ReadBytes, r.Counts.ReadBytes)
	assert.Equal(t, want.WriteBytes, r.Counts.WriteBytes)
	assert.Equal(t, want.Useful, r.Counts.Useful)
	if !strings.HasPrefix(line, "log") { // the order in which ranks get the shared pointer depends on the schedule
		assert.InEpsilon(t, r.Seconds, report.Model.Seconds, 1e-9)
		assert.Equal(t, r.LockTransfers, report.Model.LockTransfers)
	}
}

func TestCheckFindsWrongBytes(t *testing.T) {
	w, err := pattern.Parse("blocks --shape 4x4 -w", 2)
	require.NoError(t, err)
	fsys := iofile.NewMem()
	require.NoError(t, w.Run(context.Background(), fsys, nil))
	require.NoError(t, w.Check(fsys))
	require.NoError(t, world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "blocks", iofile.ReadWrite)
		if err != nil {
			return err
		}
		if err := f.SetSize(100); err != nil {
			return err
		}
		return f.Close()
	}))
	require.ErrorIs(t, w.Check(fsys), errclass.IO)
}

func TestParseRefuses(t *testing.T) {
	for _, line := range []string{
		"", "nothing", "ior -b 10 -t 3", "ior -t 0", "ior -x", "ior 12", "ior -b 9999999999999999999", "ior -F -c", "ior -s -1",
		"ior -b 1t -t 1 -s 1000000", "blocks --shape 0x3", "blocks --shape 99999999999x99999999999", "bt-io --method odd",
		"mpi-tile-io --nr_tiles_x 3 --nr_tiles_y 3", "hacc-io --particles -5", "log --ordered --prefix", "hpio --file x", "csr --empty -1",
		"life --rows 0", "e3sm --columns 99999999999", "ior -t 1mm", "ior -t 1e9",
	} {
		_, err := pattern.Parse(line, 4)
		assert.ErrorIs(t, err, errclass.Arg, line)
	}
	_, err := pattern.Parse("ior", 0)
	assert.ErrorIs(t, err, errclass.Arg)
	_, err = pattern.Parse("bt-io", 3)
	assert.ErrorIs(t, err, errclass.Arg)
}

func FuzzParse(f *testing.F) {
	for _, lines := range small {
		for _, l := range lines {
			f.Add(l, 4)
		}
	}
	f.Fuzz(func(t *testing.T, line string, ranks int) {
		w, err := pattern.Parse(line, ranks%100)
		if err != nil {
			return
		}
		for rank := range min(w.Ranks, 3) {
			for i := range min(w.Steps(rank), 5) {
				s := w.Step(rank, i)
				_, _ = w.Describe(&s)
			}
		}
	})
}
