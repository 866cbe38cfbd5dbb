//go:build linux && cgo && (amd64 || arm64)

package c

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world/c/internal/table"
)

// outside lists the functions that docs/c-programs.md says commworld does not have.
var outside = regexp.MustCompile(`^(Win_|R?(Put|Get|Accumulate|Get_accumulate|Fetch_and_op|Compare_and_swap|put|get|accumulate|get_accumulate)$|` +
	`Session_|Group_from_session_pset|` +
	`Comm_(spawn|accept|connect|join)|Comm_spawn_multiple|(Open|Close)_port|(Publish|Unpublish|Lookup)_name|` +
	`Abi_(get|set)_fortran|Abi_get_info|Get_hw_resource_info)`)

func TestTable(t *testing.T) {
	list, err := table.All()
	require.NoError(t, err)
	known := map[string]bool{}
	for _, f := range list {
		require.False(t, known[f.Name], f.Name)
		known[f.Name] = true
		require.LessOrEqual(t, len(f.Params), 16, f.Name)
		if handlers[f.Name] == nil {
			require.Regexp(t, outside, f.Name, "a function that nothing carries out")
		}
	}
	for name := range handlers {
		require.True(t, known[name], "%s is in no header", name)
	}
	for name := range anytime {
		require.True(t, known[name], name)
	}
}

// TestNamed: the header has every predefined datatype, and the library every datatype of
// the header.
func TestNamed(t *testing.T) {
	for _, k := range types.Kinds() {
		h, ok := named()[k.MPI()]
		if !ok {
			switch k.MPI() {
			case "MPI_LONG_LONG_INT", "MPI_C_COMPLEX": // synonyms in the header
				continue
			}
			t.Errorf("%s is not in mpi.h", k.MPI())
			continue
		}
		require.Same(t, types.OfKind(k), namedDatatypes()[h].t, k.MPI())
	}
	for name, h := range named() {
		if h > datatypeNull && namedDatatypes()[h] == nil {
			t.Errorf("%s of mpi.h is not a datatype", name)
		}
	}
}

func TestHandles(t *testing.T) {
	h := newHandles(kindComm, map[int64]string{commWorld: "world"})
	a, b := h.add("a"), h.add("b")
	require.NotEqual(t, a, b)
	for handle, want := range map[int64]string{a: "a", b: "b", commWorld: "world"} {
		got, err := h.get(handle)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	h.remove(a)
	_, err := h.get(a)
	require.ErrorContains(t, err, "the MPI_Comm was freed")
	again := h.add("c")
	require.NotEqual(t, a, again, "a slot that is used again has another handle")
	_, err = h.get(a)
	require.ErrorContains(t, err, "freed")
	other := handles[int]{kind: kindGroup}
	_, err = h.get(other.add(1))
	require.ErrorContains(t, err, "a MPI_Group was given for a MPI_Comm")
	for _, bad := range []int64{0, commNull, -1, 1 << 40, 0x7fff12345678} {
		_, err = h.get(bad)
		require.Error(t, err)
	}
}
