// Command commworldfort compiles Fortran programs that call MPI for commworldrun, as
// commworldcc compiles C programs:
//
//	commworldfort prog.f90 -o prog.so
//
// The compiler is gfortran, or what the environment variable COMMWORLD_FC names. The first
// use for a compiler makes mpif.h and the modules mpi and mpi_f08, in the user's cache.
// Variables of modules, common blocks and units are each rank's own.
package main

import "github.com/commworld/commworld/world/c/internal/wrapper"

func main() {
	wrapper.Compiler{Name: "commworldfort", Default: "gfortran", Variable: "COMMWORLD_FC", Choice: "-fc=", Fortran: true}.Main()
}
