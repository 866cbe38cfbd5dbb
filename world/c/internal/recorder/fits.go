package recorder

import (
	"debug/elf"
	"fmt"
	"path/filepath"
	"regexp"
)

// mpiLibrary matches the MPI libraries that programs in C are linked with.
var mpiLibrary = regexp.MustCompile(`^lib(mpi|mpich|mpi_abi|mpi_cray|mpi_ibm)\.so`)

// Fits returns an error if a recorder was built for another MPI library than the one that a program
// is linked with. Programs that load a library later, such as Python, are not known.
func Fits(recorder, program string) error {
	r, p := linkedWith(recorder), linkedWith(program)
	if r == "" || p == "" || r == p {
		return nil
	}
	return fmt.Errorf("%s was built for %s, but %s uses %s; build a recorder with the compiler of that library: commworldrec build --mpicc MPICC -o LIB",
		filepath.Base(recorder), r, filepath.Base(program), p)
}

// linkedWith returns the first MPI library that a file is linked with, "" if there is none.
func linkedWith(name string) string {
	f, err := elf.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	needed, _ := f.ImportedLibraries()
	for _, lib := range needed {
		if mpiLibrary.MatchString(lib) {
			return lib
		}
	}
	return ""
}
