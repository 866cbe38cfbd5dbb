package calibrate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/machine/calibrate"
	"github.com/commworld/commworld/machine/pattern"
)

// real is a machine that no fit begins with.
func real() machine.Machine {
	m := machine.Lustre(16, 1<<20)
	m.Server.Write, m.Server.Read, m.Client.SharedWrite, m.Lock.Move, m.Lock.Extent = 6e8, 9e8, 1.6e9, 4e-3, 4e-3
	return m
}

// output returns what ior would print of runs on that machine.
func output(t *testing.T, apart bool, ranks, stripes int) string {
	m, flag, access := real(), "", "single-shared-file"
	if m.StripeCount = stripes; apart {
		flag, access = " -F", "file-per-process"
	}
	var results strings.Builder
	for _, what := range []string{"write", "read"} {
		w, err := pattern.Parse("ior -t 1048576 -b 16777216 -"+what[:1]+flag, ranks)
		require.NoError(t, err)
		r, err := machine.Run(t.Context(), m, w.Program(), machine.Options{})
		require.NoError(t, err)
		for i, noise := range []float64{0.98, 1.02} {
			fmt.Fprintf(&results, "%-9s %.2f  7501  80.34  9.77  9.77  0.116502  85.32  34.70  85.44  %d\n", what, r.Bandwidth()/(1<<20)*noise, i)
		}
	}
	return fmt.Sprintf(`IOR-4.0.0: MPI Coordinated Test of Parallel I/O
Command line        : ior --mpiio.showHints -a MPIIO -t 1m -b 16m
Options:
api                 : MPIIO
access              : %s
type                : independent
segments            : 1
ordering inter file : no tasks offsets
nodes               : %d
tasks               : %d
clients per node    : 16
xfersize            : 1 MiB
blocksize           : 16 MiB

hints returned from opened file {
	striping_factor = %d
	striping_unit = 1048576
}
%s
Max Write: 1.0 MiB/sec (1.0 MB/sec)
Summary of all tests:
write 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 NA NA 0
`, access, ranks/16, ranks, stripes, results.String())
}

// TestFit: a fit finds the machine on which the runs were made.
func TestFit(t *testing.T) {
	var runs []calibrate.Run
	for _, x := range []struct {
		apart          bool
		ranks, stripes int
	}{{false, 32, 1}, {false, 32, 16}, {false, 128, 4}, {true, 64, 1}} {
		more, err := calibrate.Read("out.txt", strings.NewReader(output(t, x.apart, x.ranks, x.stripes)))
		require.NoError(t, err)
		require.Len(t, more, 1)
		assert.Equal(t, x.stripes, more[0].Stripes)
		assert.Equal(t, x.apart, more[0].Apart)
		runs = append(runs, more...)
	}
	start := machine.Lustre(16, 1<<20)
	r, err := calibrate.Fit(t.Context(), start, runs, func(string) {})
	require.NoError(t, err)
	require.Len(t, r.Residuals, 8)
	for i := range r.Residuals {
		assert.Less(t, r.Residuals[i].Off(), 1.5, "%+v", r.Residuals[i])
	}
	assert.InEpsilon(t, 6e8, r.Machine.Server.Write, 0.4)
	again, err := machine.Decode(strings.NewReader(r.String()))
	require.NoError(t, err)
	assert.Equal(t, r.Machine, again)
	assert.Contains(t, r.Machine.Fitted, "8 measurements of 4 IOR tests")
}

// TestReadJSON: the JSON of ior has the same options.
func TestReadJSON(t *testing.T) {
	runs, err := calibrate.Read("out.json", strings.NewReader(`{"Version":"4.0.0","Command line":"ior -e -a MPIIO","tests":[{"TestID":0,
"Options":{"api":"MPIIO","access":"file-per-process","type":"collective","segments":8,"nodes":2,"tasks":32,"clients per node":16,"xfersize":"1 MiB","blocksize":"64 MiB"},
"Results":[[{"access":"write","bwMiB":100.0},{"access":"read","bwMiB":300.0}],[{"access":"write","bwMiB":200.0}]]}]}`))
	require.NoError(t, err)
	assert.Equal(t, []calibrate.Run{{
		Source: "out.json, test 0", API: "MPIIO", Ranks: 32, PerNode: 16, Transfer: 1 << 20, Block: 64 << 20, Segments: 8, Apart: true, Together: true, Synced: true,
		Write: 150 * (1 << 20), Read: 300 * (1 << 20),
	}}, runs)
}

// TestReadRefuses: text that is not ior's is refused with the line.
func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "no results of ior",
		"hello":                              "no results of ior",
		"{":                                  "out.txt: ",
		"api : MPIIO\ntasks : many\n":        "out.txt:2: tasks",
		"api : MPIIO\nxfersize : 3 apples\n": "out.txt:2: xfersize",
		"api : MPIIO\ntasks : 2\nwrite nan 1 1 1 1 1 1 1 1 0\n": "out.txt:3: the bandwidth",
		"api : MPIIO\ntasks : 2\nwrite 3 1 1 1 1 1 1 1 1 0\n":   "no tasks, xfersize or blocksize",
	} {
		_, err := calibrate.Read("out.txt", strings.NewReader(text))
		assert.ErrorIs(t, err, errclass.Arg, "%q", text)
		assert.ErrorContains(t, err, want)
	}
}
