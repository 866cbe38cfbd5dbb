// Command commworldcxx compiles C++ programs that call MPI for commworldrun, as commworldcc
// compiles C programs:
//
//	commworldcxx prog.cpp -o prog.so
//
// The compiler is c++, or what the environment variable COMMWORLD_CXX names. Statics of inline
// functions and of templates are each rank's own, like all other variables of the program.
package main

import "github.com/commworld/commworld/world/c/internal/wrapper"

func main() {
	wrapper.Compiler{Name: "commworldcxx", Default: "c++", Variable: "COMMWORLD_CXX", Choice: "-cxx="}.Main()
}
