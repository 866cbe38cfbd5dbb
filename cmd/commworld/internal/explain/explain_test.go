package explain_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/cmd/commworld/internal/explain"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/testkit/spec"
	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/types"
)

// If names.txt were old, an installed command would explain names that no longer exist.
func TestUpToDate(t *testing.T) {
	names, err := explain.FromSource(os.DirFS("../../../.."))
	require.NoError(t, err)
	got, err := os.ReadFile("names.txt")
	require.NoError(t, err)
	listed := explain.Names()
	assert.Equal(t, explain.FormatNames(listed), string(got), "names.txt: a line without six columns")
	forms, err := os.ReadFile("../../../../internal/show/mpinames/names.txt")
	require.NoError(t, err)
	assert.Equal(t, explain.FormatMPINames(listed), string(forms), "go generate ./cmd/commworld/internal/explain")
	type id struct{ name, mpi string }
	source := map[id]bool{}
	for _, n := range names {
		source[id{n.String(), n.MPI}] = true
	}
	for _, n := range listed {
		assert.True(t, source[id{n.String(), n.MPI}], "%s (%s) of names.txt is not in the source: go generate ./cmd/commworld/internal/explain", n, n.MPI)
		delete(source, id{n.String(), n.MPI})
	}
	for n := range source {
		assert.Empty(t, n.mpi, "%s is not in names.txt: go generate ./cmd/commworld/internal/explain", n.name)
	}
}

// If a name had no answer, or an empty one, explain would be of no use for it.
func TestEverything(t *testing.T) {
	find := func(name string) *explain.Answer {
		a, near := explain.Find(name)
		if assert.NotNil(t, a, "%s: near %v", name, near) {
			assert.Greater(t, len(a.String()), 40, name)
			return a
		}
		return &explain.Answer{}
	}
	shown, broken := 0, 0
	for _, r := range spec.Rules() {
		a := find(strings.ToLower(r.ID))
		assert.Equal(t, r.ID, a.Name)
		assert.Contains(t, a.String(), r.Section()[:9])
		if a.Shows != "" {
			shown++
		}
		if a.Breaks != "" {
			broken++
		}
		if _, gap := spec.Reason(r.ID); !gap {
			assert.Contains(t, a.String(), "\ntests  ", r.ID)
		}
	}
	assert.Greater(t, shown, 80)
	assert.Greater(t, broken, 80)
	for _, n := range explain.Names() {
		find(n.Package + "." + n.Name)
		if n.MPI != "" {
			assert.Equal(t, n.MPI, find(n.MPI).Name)
		}
	}
	for c := range errclass.LastCode {
		if c != errclass.Success && !strings.ContainsAny(c.Name(), "0123456789") {
			assert.Equal(t, "error class", find(c.Name()).Sort)
		}
	}
	for _, form := range script.Statements() {
		word, _, _ := strings.Cut(form, " ")
		a := find(word)
		assert.Contains(t, a.String(), form)
		assert.NotEmpty(t, a.Shows+a.Breaks, word)
	}
}

// For an unknown name, similar names are returned.
func TestNearest(t *testing.T) {
	for asked, want := range map[string]string{
		"MPI_File_write_al": "MPI_File_write_all",
		"File.WriteAtt":     "MPI_File_write_at",
		"WriteAtt":          "iofile.File.WriteAt",
		"IO-VIEW-55":        "IO-VIEW-05",
		"write_att":         "write_at",
		"MPI_ERR_AMODES":    "MPI_ERR_AMODE",
	} {
		a, near := explain.Find(asked)
		assert.Nil(t, a, asked)
		assert.Contains(t, near, want, asked)
	}
	a, near := explain.Find("qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq")
	assert.Nil(t, a)
	assert.Empty(t, near)
	a, near = explain.Find(strings.Repeat("MPI_File_write_", 1<<20))
	assert.Nil(t, a, "at once, whatever its length")
	assert.Empty(t, near)
}

// The answer of a routine has its three forms.
func TestRoutine(t *testing.T) {
	a, _ := explain.Find("MPI_File_write_at_all")
	require.NotNil(t, a)
	for _, want := range []string{
		"MPI_File_write_at_all(MPI_File fh, MPI_Offset offset", "func (f *File) WriteAtAll(", "write_at_all HANDLE OFFSET DATA",
		`section "Data Access with Explicit Offsets"`, "write_at_all h 0", "/bad ",
	} {
		assert.Contains(t, strings.Join(strings.Fields(a.String()), " "), want)
	}
}

// If a routine of the standard had no answer, a C programmer would not know whether it is missing,
// not needed, or called otherwise.
func TestAbsentRoutines(t *testing.T) {
	for name, want := range map[string]string{
		"MPI_Type_commit":        "nothing to commit",
		"MPI_Win_fence":          "One-sided communication is not part",
		"mpi_put":                "One-sided communication is not part",
		"MPI_T_init_thread":      "no interface for tools",
		"MPI_File_write_at_c":    "The form of MPI_File_write_at for large counts",
		"MPI_Type_get_extent_x":  "The form of MPI_Type_get_extent for large counts",
		"MPI_Comm_c2f":           "Go has no handles",
		"MPI_Type_struct":        "use MPI_Type_create_struct",
		"MPI_Init":               "MPI_Init(int *argc, char ***argv)",
		"MPI_Finalize":           "func Run(",
		"MPI_Info_get":           "MPI_Info_get(MPI_Info info",
		"MPI_Info_get_valuelen":  "MPI_Info_get_valuelen(",
		"MPI_Type_vector":        "vector(count, blocklen, stride, T)",
		"MPI_Type_create_darray": "darray(size, rank, [gsizes]",
	} {
		a, _ := explain.Find(name)
		if assert.NotNil(t, a, name) {
			assert.Contains(t, strings.Join(strings.Fields(a.String()), " "), want, name)
		}
	}
	a, _ := explain.Find("MPI_Wim_fence")
	assert.Nil(t, a)
	for _, name := range []string{
		"MPI_Init_thread", "MPI_Type_commit", "MPI_Address", "MPI_Pcontrol", "MPI_Comm_spawn", "MPI_Session_init", "MPI_Type_struct", "MPI_Type_hindexed",
		"MPI_Type_hvector", "MPI_Type_lb", "MPI_Errhandler_set", "MPI_Attr_get",
	} {
		a, _ := explain.Find(name)
		if assert.NotNil(t, a, name) && assert.Len(t, a.Facts, 1, name) {
			words := strings.Fields(a.Facts[0].Is)
			other, _ := explain.Find(words[len(words)-1])
			assert.NotNil(t, other, a.Facts[0].Is)
		}
	}
}

// If this fails, a word of the source texts has no answer, or the answer names a rule that does not exist.
func TestTerms(t *testing.T) {
	for name, want := range map[string]string{
		"MPI_BYTE": "moved unchanged", "MPI_PACKED": "MPI_Pack has packed", "MPI_LB": "lower bound", "mpi_ub": "upper bound", "MPI_INT": "types.Int",
		"native": "REP-NAT-01", "internal": "REP-INTL-01", "external32": "REP-X32-01", "etype": "IO-VIEW-04", "filetype": "IO-VIEW-05", "portable": "REP-DT-03",
		"MPI_DOUBLE": "commworld type double --sizes",
	} {
		a, _ := explain.Find(name)
		if !assert.NotNil(t, a, name) {
			continue
		}
		assert.Contains(t, a.String(), want, name)
		rules, commands := 0, 0
		for _, f := range a.Facts {
			switch f.What {
			case "rule":
				rules++
				id, title, _ := strings.Cut(f.Is, " ")
				r, _ := explain.Find(id)
				assert.NotNil(t, r, id)
				assert.NotEmpty(t, title, "%s of %s is not a rule", id, name)
			case "see":
				commands++
			}
		}
		assert.NotZero(t, rules, name)
		assert.Equal(t, 1, commands, name)
	}
	for _, k := range types.Kinds() {
		a, _ := explain.Find(k.MPI())
		if assert.NotNil(t, a, k.MPI()) {
			assert.Equal(t, k.MPI(), a.Name)
		}
	}
}

// If this fails, a rule about bounds or about matching policies says no type and no number, or
// its script does not show it.
func TestRulesOfTheSourceTexts(t *testing.T) {
	shown := 0
	for _, r := range spec.Rules() {
		if !strings.HasPrefix(r.ID, "DT-SEED-") && !strings.HasPrefix(r.ID, "IO-TM-S") {
			continue
		}
		shown++
		assert.NotEmpty(t, r.Text, r.ID)
		a, _ := explain.Find(r.ID)
		require.NotNil(t, a)
		s, err := script.Parse(a.Shows)
		require.NoError(t, err, "%s: %s", r.ID, a.Shows)
		if strings.HasPrefix(r.ID, "DT-SEED-") {
			sticky, weak := bounds(t, r.Text)
			assert.Contains(t, r.Text, fmt.Sprintf("ub %d under sticky", sticky), r.ID)
			if weak != sticky {
				assert.Contains(t, r.Text, fmt.Sprintf("%d under weak ones", weak), r.ID)
			}
		}
		rep, err := script.Run(t.Context(), s, script.Options{})
		require.NoError(t, err, r.ID)
		assert.True(t, rep.OK(), "%s: %s", r.ID, a.Shows)
	}
	assert.Equal(t, 14, shown)
}

// bounds returns the upper bounds, under sticky and under weak markers, of the type with which a
// text begins.
func bounds(t *testing.T, text string) (sticky, weak int64) {
	expr, _, _ := strings.Cut(text, ": ")
	typ, err := types.Parse(expr)
	require.NoError(t, err)
	lb, ext := typ.Extent(types.Host)
	sticky = lb + ext
	lb, ext = typ.Extent(types.WeakMarkers(types.Host))
	return sticky, lb + ext
}
