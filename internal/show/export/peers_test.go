package export_test

import (
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/show/export"
	"github.com/commworld/commworld/internal/testkit/peers"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/script"
)

var every = flag.Bool("every", false, "run every exported C program, not one in eight")

// If an exported C program were wrong, a script without races would fail with a real
// library, or a compiler would warn.
func TestCPrograms(t *testing.T) {
	thorough.Only(t)
	for _, lib := range peers.All() {
		t.Run(lib.Name, func(t *testing.T) {
			if err := lib.Missing(); err != nil {
				t.Skip(err)
			}
			for i, x := range samples(t) {
				if says(x.s, script.Deadlock) || !*every && i%8 != 0 && x.name != "all.mpio" {
					continue
				}
				t.Run(x.name, func(t *testing.T) { inC(t, lib, x) })
			}
		})
	}
}

// says reports whether a script has an expectation of a kind.
func says(s *script.Script, kind script.ExpectKind) bool {
	for _, e := range s.Expect {
		if e.Kind == kind {
			return true
		}
	}
	return false
}

// inC compiles a script as a C program, and runs it if it has a determined result.
func inC(t *testing.T, lib *peers.Library, x sample) {
	text, err := export.C(x.s, export.Options{Name: x.name, Comment: export.Head(x.text)})
	require.NoError(t, err)
	dir := t.TempDir()
	p, err := lib.CompileStrictly([]byte(text))
	require.NoError(t, err)
	defer p.Close()
	if !says(x.s, script.NoRace) || testing.Short() {
		return
	}
	_, took, err := p.Run(t.Context(), x.s.Ranks, dir)
	if why := departs[lib.Name+" "+x.name]; why != "" {
		t.Logf("%s: %v", why, err) // by chance it may succeed
		return
	}
	assert.NoError(t, err)
	assert.Less(t, took, time.Minute)
}

// departs lists clean scripts that a library does not run as the standard says, with what
// the library does.
var departs = map[string]string{
	"Open MPI lit-27.mpio":              "an atomic write through a view with gaps is several",
	"Open MPI atomic-pieces-clean.mpio": "an atomic write through a view with gaps is several",
	"Open MPI 18-cyclic.mpio":           "it crashes in an access through a darray of blocks",
}

// If data that begin above the buffer's address were compared at the address, an exported
// program would accuse a library that puts them where they belong.
func TestLowerBoundInC(t *testing.T) {
	for _, lib := range peers.All() {
		t.Run(lib.Name, func(t *testing.T) {
			if err := lib.Missing(); err != nil {
				t.Skip(err)
			}
			text := `ranks 2
file f = 0102030405060708
all: open h f rdwr
0: read_at h 0 hindexed([1],[4],byte)*1 -> x
0: read_at h 2 indexed([2],[1],byte)*1 -> y
0: read_at h 4 subarray([4],[2],[2],c,byte)*1 -> z
0: send 1 0 byte 9
1: recv 0 0 hindexed([1],[4],byte)*1 -> m
all: close h
allow 0:x = 1, 0:y = 3 4, 0:z = 5 6, 1:m = 9
norace
`
			s, err := script.Parse(text)
			require.NoError(t, err)
			inC(t, lib, sample{"lower-bound.mpio", text, s})
		})
	}
}
