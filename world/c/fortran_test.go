//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/world/c/include"
	generated "github.com/commworld/commworld/world/c/internal/fortran"
)

// fortran compiles a program of testdata, or of another path if its name has a directory.
func fortran(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("gfortran"); err != nil {
		t.Skip("no gfortran here: no Fortran program was run")
	}
	if filepath.Dir(name) == "." {
		name = filepath.Join("testdata", name)
	}
	so := filepath.Join(t.TempDir(), "program.so")
	out, err := combined(exec.Command(filepath.Join(tools, "commworldfort"), append([]string{name, "-o", so, "-J" + t.TempDir()}, args...)...))
	require.NoError(t, err, "%s", out)
	return so
}

// fortranSource compiles a program.
func fortranSource(t *testing.T, name, source string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(source), 0o644))
	return fortran(t, path, args...)
}

// TestFortranInterfaces runs a program for each interface. They print what is wrong.
func TestFortranInterfaces(t *testing.T) {
	for _, tc := range []struct{ name, want string }{
		{"fortran_fixed.f", "rank %d of 3 total  6"},
		{"fortran_module.f90", "rank %d done"},
		{"fortran_f08.f90", "rank %d done"},
	} {
		so, exe := fortran(t, tc.name), fortran(t, tc.name, "--processes")
		for _, run := range [][]string{{so, "--seed=3"}, {so, "--free"}, {exe, "--seed=3"}} {
			r := play(t, run[0], "-n", "3", run[1], "PROGRAM")
			require.Equal(t, 0, r.status, "%s %v: %s%s", tc.name, run, r.out, r.errs)
			var want []string
			for rank := range 3 {
				want = append(want, fmt.Sprintf(tc.want, rank))
			}
			require.ElementsMatch(t, want, strings.Split(strings.TrimSpace(strings.ReplaceAll(r.out, "of  ", "of ")), "\n"), tc.name)
		}
	}
}

// TestFortranStale: reports name the lines of a Fortran program.
func TestFortranStale(t *testing.T) {
	r := play(t, fortran(t, "fortran_stale.f90"), "-n", "2", "PROGRAM")
	require.Equal(t, 3, r.status)
	require.Contains(t, r.errs, `race on "stale.dat", bytes 0 to 3`)
	require.Contains(t, r.errs, "MPI_FILE_WRITE_AT  fortran_stale.f90:20 < fortran_stale.f90:9\n", "the line that writes, and the one that led to it")
	require.Contains(t, r.errs, "MPI_FILE_READ_AT   fortran_stale.f90:12\n")
}

// TestFortranEnds: how a rank ends, with its line, and what it has printed.
func TestFortranEnds(t *testing.T) {
	so := fortran(t, "fortran_ends.f90", "-fcheck=bounds")
	for how, want := range []string{
		1: "fortran_ends.f90:20 < fortran_ends.f90:12: the rank called exit with status 3 before MPI_FINALIZE",
		2: "fortran_ends.f90:22 < fortran_ends.f90:12: the rank called exit with status 0 before MPI_FINALIZE",
		3: "fortran_ends.f90:24 < fortran_ends.f90:12: the rank called exit with status 1 before MPI_FINALIZE",
		4: "fortran_ends.f90:26 < fortran_ends.f90:12: the rank called exit with status 4 before MPI_FINALIZE",
		5: "fortran_ends.f90:28 < fortran_ends.f90:12: the rank called exit with status 2 before MPI_FINALIZE",
		6: "fortran_ends.f90:30 < fortran_ends.f90:12: signal 11 (segmentation fault)",
		7: "at fortran_ends.f90:32 < fortran_ends.f90:12: invalid rank",
		8: "fortran_ends.f90:34",
	} {
		if want == "" {
			continue
		}
		r := play(t, so, "-n", "2", "--label", "PROGRAM", fmt.Sprint(how))
		require.Equal(t, 1, r.status, "%d: %s%s", how, r.out, r.errs)
		require.Contains(t, r.errs, want, "%d", how)
		require.Contains(t, r.out, "rank 1: begins\n", "%d", how)
	}
	r := play(t, so, "-n", "2", "PROGRAM", "3")
	require.Contains(t, r.errs, "ERROR STOP stopped by the program")
	r = play(t, so, "-n", "2", "PROGRAM", "5")
	require.Contains(t, r.errs, "Fortran runtime error: Index '11' of dimension 1 of array 'a' above upper bound of 10")
}

// TestFortranUnits: each rank has units of its own, and lines of ranks stay whole.
func TestFortranUnits(t *testing.T) {
	so := fortranSource(t, "units.f90", `program units
  use mpi
  integer :: rank, ierr, i, n
  character(len=8) :: name
  character(len=2000) :: long
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  write (name, '(a,i0)') 'unit.', rank
  open (10, file=name)
  do i = 1, 5
    write (10, *) rank, i
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  rewind 10
  do i = 1, 5
    read (10, *) n
    if (n /= rank) print *, 'unit 10 of', n
  end do
  long = repeat(achar(iachar('a') + rank), 2000)
  do i = 1, 20
    print '(a)', long
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  open (11, file=trim(name) // '.late')
  write (11, '(a)') 'written'
  call MPI_Finalize(ierr)
end program
`)
	dir := t.TempDir()
	r := play(t, so, "-n", "40", "--dir", dir, "PROGRAM")
	require.Equal(t, 0, r.status, r.errs)
	lines := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
	require.Len(t, lines, 800)
	for _, l := range lines {
		require.Equal(t, strings.Repeat(l[:1], 2000), l)
	}
}

// TestFortranConstants compares the constants of mpif.h and of the modules with those of mpi.h.
func TestFortranConstants(t *testing.T) {
	list, err := os.ReadFile("testdata/abi.txt")
	require.NoError(t, err)
	var names []string
	var want, fixed, modern strings.Builder
	for line := range strings.Lines(string(list)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || name == "#" || notInFortran.MatchString(name) {
			continue
		}
		names = append(names, name)
		var n int64
		if _, err := fmt.Sscan(value, &n); err != nil {
			_, err = fmt.Sscanf(value, "0x%x", &n)
			require.NoError(t, err, line)
		}
		if strings.HasPrefix(name, "MPI_MAX_") {
			n-- // the byte that ends a text of C
		}
		fmt.Fprintf(&want, "%s %d\n", name, n)
		fmt.Fprintf(&fixed, "      PRINT '(A,I0)', '%s ',\n     +  %s\n", name, name)
		value = name
		if handleName.MatchString(name) || datatypeName(name) {
			value += "%MPI_VAL"
		}
		fmt.Fprintf(&modern, "print '(a,i0)', '%s ', %s\n", name, value)
	}
	require.Greater(t, len(names), 250)
	for name, source := range map[string]string{
		"constants.f":   "      PROGRAM P\n      INCLUDE 'mpif.h'\n      INTEGER I\n      CALL MPI_INIT(I)\n" + fixed.String() + "      CALL MPI_FINALIZE(I)\n      END\n",
		"module.f":      "      PROGRAM P\n      USE MPI\n      INTEGER I\n      CALL MPI_INIT(I)\n" + fixed.String() + "      CALL MPI_FINALIZE(I)\n      END\n",
		"constants.f90": "program p\nuse mpi_f08\ncall MPI_Init()\n" + modern.String() + "call MPI_Finalize()\nend program\n",
	} {
		r := play(t, fortranSource(t, name, source), "-n", "1", "PROGRAM")
		require.Equal(t, 0, r.status, r.errs)
		require.Equal(t, want.String(), r.out, name)
	}
}

// notInFortran matches constants that only C has.
var notInFortran = regexp.MustCompile(`^MPI_(T_|F_|BOTTOM|IN_PLACE|BUFFER_AUTOMATIC|\w+_IGNORE$|ARGVS?_NULL|UNWEIGHTED|WEIGHTS_EMPTY|\w+_FN(_C)?$|\w+_FN_NULL(_C)?$|ABI_)`)

// handleName matches handles that are not datatypes.
var handleName = regexp.MustCompile(`^MPI_(COMM|GROUP|WIN|FILE|SESSION|MESSAGE|INFO|ERRHANDLER|REQUEST|OP)_(NULL|WORLD|SELF|EMPTY|ENV|NO_PROC)$|^MPI_(ERRORS_\w+|SUM|MIN|MAX|PROD|BAND|BOR|BXOR|LAND|LOR|LXOR|MINLOC|MAXLOC|REPLACE|NO_OP)$`)

// datatypes lists the datatypes of mpi.h.
var datatypes = func() map[string]bool {
	all := map[string]bool{}
	header, _ := os.ReadFile("include/mpi.h")
	for _, m := range regexp.MustCompile(`#define (MPI_\w+) \(\(MPI_Datatype\)`).FindAllSubmatch(header, -1) {
		all[string(m[1])] = true
	}
	return all
}()

func datatypeName(name string) bool {
	return datatypes[name] || name == "MPI_LONG_LONG_INT" || name == "MPI_C_COMPLEX"
}

// TestFortranLimits: what Fortran programs cannot do is an error.
func TestFortranLimits(t *testing.T) {
	so := fortranSource(t, "limits.f90", `program limits
  use mpi
  integer :: rank, ierr, class, a(10), b(20), request, i
  character(len=8) :: how
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
  a = rank
  call MPI_Iallgather(a, 1, MPI_INTEGER, b(1:4:2), 1, MPI_INTEGER, MPI_COMM_WORLD, request, ierr)
  call MPI_Error_class(ierr, class, i)
  if (class /= MPI_ERR_BUFFER) print *, 'section of blocks', class
  call MPI_Allgather(a, 1, MPI_INTEGER, b(1:4:2), 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  if (b(1) /= 0 .or. b(3) /= 1) print *, 'blocks', b
  call old(class)
  if (class /= MPI_ERR_VALUE_TOO_LARGE) print *, 'address', class
  call MPI_Win_create(a, 40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, request, ierr)
  call MPI_Error_class(ierr, class, i)
  if (class /= MPI_ERR_UNSUPPORTED_OPERATION) print *, 'window', class
  open (10, file='asynchronous', asynchronous='yes', form='unformatted', access='stream')
  write (10, asynchronous='yes') a
  wait (10)
  close (10)
  call get_command_argument(1, how)
  if (how == 'read' .and. rank == 1) read (how, *) i
  if (rank == 0) print '(a)', 'all as it should be'
  call MPI_Finalize(ierr)
end program
subroutine old(ierr)
  include 'mpif.h'
  integer :: x(2), address, ierr
  call MPI_ADDRESS(x, address, ierr)
end subroutine
`)
	r := play(t, so, "-n", "2", "PROGRAM")
	require.Equal(t, "all as it should be\n", r.out, r.errs)
	require.Equal(t, 0, r.status, r.errs)
	require.Contains(t, r.errs, "MPI_ADDRESS: ")
	require.Contains(t, r.errs, "a section of a Fortran array whose elements are not contiguous")
	r = play(t, so, "-n", "2", "PROGRAM", "read")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.errs, "At line 25 of file")
	require.Contains(t, r.errs, "status 2 before MPI_FINALIZE")
	for option, want := range map[string]string{"-fdefault-integer-8": "an INTEGER of MPI has 4 bytes", "-fdefault-real-8": "a REAL of MPI has 4 bytes"} {
		out, err := combined(exec.Command(filepath.Join(tools, "commworldfort"), option, "-c", "testdata/fortran_stale.f90", "-o", os.DevNull))
		require.Error(t, err)
		require.Contains(t, string(out), option+": "+want)
	}
}

// TestFortranProcedures links a program that calls each procedure of each interface.
func TestFortranProcedures(t *testing.T) {
	for name, source := range fortranCalls(t) {
		fortranSource(t, name, source, "-w", "-ffixed-line-length-none", "-ffree-line-length-none")
	}
}

func fortranCalls(t *testing.T) map[string]string {
	t.Helper()
	calls, err := generated.Calls(include.Functions)
	require.NoError(t, err)
	return calls
}
