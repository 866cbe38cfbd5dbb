//go:build mpich || openmpi

package main

/*
#cgo !openmpi pkg-config: mpich
#cgo openmpi pkg-config: ompi-c
#include <mpi.h>

static int subarray(int size, int sub, int start)
{
	MPI_Datatype made;
	int code = MPI_Type_create_subarray(1, &size, &sub, &start, MPI_ORDER_C, MPI_INT, &made), cls = MPI_SUCCESS;
	if (code == MPI_SUCCESS) {
		MPI_Type_free(&made);
		return 0;
	}
	MPI_Error_class(code, &cls);
	return cls == MPI_ERR_ARG ? 1 : 2;
}
*/
import "C"

// subarrayThere asks the library itself, because no type of this module can hold wrong
// arguments.
func subarrayThere(size, sub, start int64) string {
	return [...]string{"success", "MPI_ERR_ARG", "another error"}[C.subarray(C.int(size), C.int(sub), C.int(start))]
}
