// Package layers holds no code: its test keeps the import graph of the module
// in layers, unsafe in one file and the vector code below it, and cgo out.
//
//	examples  cmd/commworld
//	     proptest
//	  world        iofile          neighbours, do not import each other
//	         comm
//	    reps    consistency
//	types            internal/sched
//	          errclass      internal/simd      internal/callsite
//
// A new package needs a line in the test's table; without one the test fails.
package layers
