#ifndef COMMWORLD_STUBS_H
#define COMMWORLD_STUBS_H

#include "include/mpi.h"

#define WORD(x) ((int64_t)(x))
#define TWIN(name) extern __typeof__(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)));

/* Hands a call to Go and returns its result; fp is the frame of the function called. */
int64_t commworld_call(int function, int large, int64_t *args, int n, void *fp);

static inline double commworld_double(int64_t bits)
{
	union { int64_t i; double d; } u = {bits};
	return u.d;
}

#endif
