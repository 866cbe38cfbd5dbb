package mpinames_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/internal/show/mpinames"
)

// Each language has its own form of a name; what is not a name stays.
func TestText(t *testing.T) {
	for _, c := range []struct{ text, c, fortran, python string }{
		{
			"  missing  a Sync of the writer after its write", "  missing  an MPI_File_sync of the writer after its write",
			"  missing  an MPI_FILE_SYNC of the writer after its write", "  missing  a File.Sync of the writer after its write",
		},
		{
			"call Sync, Barrier and Sync; or SetAtomicity(true) before both", "call MPI_File_sync, MPI_Barrier and MPI_File_sync; or MPI_File_set_atomicity with 1 before both",
			"call MPI_FILE_SYNC, MPI_BARRIER and MPI_FILE_SYNC; or MPI_FILE_SET_ATOMICITY with .true. before both",
			"call File.Sync, Comm.Barrier and File.Sync; or File.Set_atomicity(True) before both",
		},
		{"MPI_Type_free: call MPI_Type_free", "MPI_Type_free: call MPI_Type_free", "MPI_TYPE_FREE: call MPI_TYPE_FREE", "Datatype.Free: call Datatype.Free"},
		{
			`Comm.Free or iofile.Open on file "Sync", at Sync.c:4 < a/Sync.go:5`, `MPI_Comm_free or MPI_File_open on file "Sync", at Sync.c:4 < a/Sync.go:5`,
			`MPI_COMM_FREE or MPI_FILE_OPEN on file "Sync", at Sync.c:4 < a/Sync.go:5`, `Comm.Free or File.Open on file "Sync", at Sync.c:4 < a/Sync.go:5`,
		},
		{"With Fortran the group is MPI_COMM_WORLD", "With Fortran the group is MPI_COMM_WORLD", "With Fortran the group is MPI_COMM_WORLD", "With Fortran the group is MPI.COMM_WORLD"},
		{
			"Write a header.\nClose \"f\": at x.c:3: no", "Write a header.\nMPI_File_close \"f\": at x.c:3: no", "Write a header.\nMPI_FILE_CLOSE \"f\": at x.c:3: no",
			"Write a header.\nFile.Close \"f\": at x.c:3: no",
		},
		{
			"ranks 0-1: comm: rank 2 of the world: iofile: Abort", "ranks 0-1: rank 2 of the world: MPI_Abort",
			"ranks 0-1: rank 2 of the world: MPI_ABORT", "ranks 0-1: rank 2 of the world: Comm.Abort",
		},
		{
			"no such file (IO-NAME-01) IO; world.Careful(\"X-1\") allows it, ReadOnly", "no such file (IO-NAME-01) IO, MPI_MODE_RDONLY",
			"no such file (IO-NAME-01) IO, MPI_MODE_RDONLY", "no such file (IO-NAME-01) IO, MPI.MODE_RDONLY",
		},
		{"  Barrier      2", "  MPI_Barrier  2", "  MPI_BARRIER  2", "  Comm.Barrier  2"},
		{"AllReduce, WaitAll, AnySource", "MPI_Allreduce, MPI_Waitall, MPI_ANY_SOURCE", "MPI_ALLREDUCE, MPI_WAITALL, MPI_ANY_SOURCE", "Comm.Allreduce, Request.Waitall, MPI.ANY_SOURCE"},
	} {
		for l, want := range map[mpinames.Language]string{mpinames.Go: c.text, mpinames.C: c.c, mpinames.Fortran: c.fortran, mpinames.Python: c.python} {
			got := l.Text(c.text)
			assert.Equal(t, want, got)
			if l != mpinames.Go && l != mpinames.Python {
				assert.Empty(t, mpinames.GoNames(got))
			}
		}
	}
	assert.Equal(t, []string{"Sync", "SetAtomicity"}, mpinames.GoNames(`a Sync and SetAtomicity(true) of "Write"`))
}

// The extension of the first line decides.
func TestLanguages(t *testing.T) {
	for text, want := range map[string]mpinames.Language{
		"rank 0 writes a.f90:3 and b.c:4": mpinames.Fortran, "at x/y.F:3": mpinames.Fortran, "at y.py:3": mpinames.Python,
		"at y.cc:3": mpinames.C, "at main.go:3": mpinames.Go, "no line": mpinames.Python,
	} {
		assert.Equal(t, want, mpinames.OfText(text, mpinames.Python), text)
	}
}
