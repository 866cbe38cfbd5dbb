// Command commworldcc compiles C programs that call MPI for commworldrun. It takes the
// arguments of the C compiler:
//
//	commworldcc prog.c -o prog.so
//	commworldcc -c -O2 part.c && commworldcc part.o main.o -lm -o prog.so
//
// The compiler is cc, or what the environment variable COMMWORLD_CC names, with words of
// its own, such as "gcc-14 -std=c11". Programs become shared objects with debugging
// information, which reports take their lines from. A library of the program has to be
// static: one that is dynamic is shared by all ranks, with its global variables.
//
// A program can be run by its name, too, which runs commworldrun with the flags that the
// environment variable COMMWORLD_FLAGS has. So configure and make can take it for the
// compiler: ./configure CC=commworldcc MPICC=commworldcc.
//
// With -show it prints a command that makes the same program for ranks that are processes,
// and runs nothing; it also answers the other questions of build systems to mpicc, such as
// -showme:compile. commworldcxx does the same for C++.
package main

import "github.com/commworld/commworld/world/c/internal/wrapper"

func main() {
	wrapper.Compiler{Name: "commworldcc", Default: "cc", Variable: "COMMWORLD_CC", Choice: "-cc="}.Main()
}
