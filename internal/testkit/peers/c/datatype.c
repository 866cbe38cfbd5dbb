/* Building datatypes from their postfix form: a predefined one is its name, any
   other is its combiner with the numbers of integers, addresses and datatypes of
   its envelope, followed by the integers and the addresses of its contents; the
   datatypes are what stands before it. Each program below begins with this. */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the asking side writes for what each library numbers its own way. */
enum { DUP = 102, CONTIGUOUS, VECTOR, HVECTOR, INDEXED, HINDEXED, INDEXED_BLOCK, HINDEXED_BLOCK, STRUCT, SUBARRAY, DARRAY,
       F90_REAL, F90_COMPLEX, F90_INTEGER, RESIZED };
enum { ORDER_FORTRAN = 15, DISTRIBUTE_NONE };
enum { DEFAULT_ARG = -49767, UNDEFINED = -32766 };

typedef struct { const char *name; MPI_Datatype type; } named;

#define N(x) {#x, x}
static MPI_Datatype predefined(const char *name) {
	const named all[] = {
		N(MPI_BYTE), N(MPI_PACKED), N(MPI_CHAR), N(MPI_SIGNED_CHAR), N(MPI_UNSIGNED_CHAR), N(MPI_WCHAR), N(MPI_SHORT),
		N(MPI_UNSIGNED_SHORT), N(MPI_INT), N(MPI_UNSIGNED), N(MPI_LONG), N(MPI_UNSIGNED_LONG),
		N(MPI_LONG_LONG_INT), N(MPI_UNSIGNED_LONG_LONG), N(MPI_FLOAT), N(MPI_DOUBLE), N(MPI_LONG_DOUBLE), N(MPI_C_BOOL),
		N(MPI_INT8_T), N(MPI_INT16_T), N(MPI_INT32_T), N(MPI_INT64_T), N(MPI_UINT8_T), N(MPI_UINT16_T), N(MPI_UINT32_T),
		N(MPI_UINT64_T), N(MPI_AINT), N(MPI_OFFSET), N(MPI_COUNT), N(MPI_C_COMPLEX), N(MPI_C_DOUBLE_COMPLEX),
		N(MPI_C_LONG_DOUBLE_COMPLEX), N(MPI_CHARACTER), N(MPI_LOGICAL), N(MPI_INTEGER), N(MPI_REAL), N(MPI_DOUBLE_PRECISION),
		N(MPI_COMPLEX), N(MPI_DOUBLE_COMPLEX), N(MPI_INTEGER1), N(MPI_INTEGER2), N(MPI_INTEGER4), N(MPI_INTEGER8),
		N(MPI_REAL4), N(MPI_REAL8), N(MPI_COMPLEX8), N(MPI_COMPLEX16), N(MPI_FLOAT_INT), N(MPI_DOUBLE_INT), N(MPI_LONG_INT),
		N(MPI_2INT), N(MPI_SHORT_INT), N(MPI_LONG_DOUBLE_INT), N(MPI_2REAL), N(MPI_2DOUBLE_PRECISION), N(MPI_2INTEGER),
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i].name, name))
			return all[i].type;
	return MPI_DATATYPE_NULL;
}

static void *need(size_t n) {
	void *p = malloc(n ? n : 1);
	if (!p)
		exit(3);
	return p;
}

/* One constructor call. i and a are integers and addresses, t the datatypes. */
static int construct(int comb, int *i, MPI_Aint *a, MPI_Datatype *t, MPI_Datatype *out) {
	switch (comb) {
	case DUP: return MPI_Type_dup(*t, out);
	case CONTIGUOUS: return MPI_Type_contiguous(i[0], *t, out);
	case VECTOR: return MPI_Type_vector(i[0], i[1], i[2], *t, out);
	case HVECTOR: return MPI_Type_create_hvector(i[0], i[1], a[0], *t, out);
	case INDEXED: return MPI_Type_indexed(i[0], i + 1, i + 1 + i[0], *t, out);
	case HINDEXED: return MPI_Type_create_hindexed(i[0], i + 1, a, *t, out);
	case INDEXED_BLOCK: return MPI_Type_create_indexed_block(i[0], i[1], i + 2, *t, out);
	case HINDEXED_BLOCK: return MPI_Type_create_hindexed_block(i[0], i[1], a, *t, out);
	case STRUCT: return MPI_Type_create_struct(i[0], i + 1, a, t, out);
	case RESIZED: return MPI_Type_create_resized(*t, a[0], a[1], out);
	case F90_INTEGER: return MPI_Type_create_f90_integer(i[0], out);
	case F90_REAL:
	case F90_COMPLEX:
		for (int k = 0; k < 2; k++)
			if (i[k] == UNDEFINED)
				i[k] = MPI_UNDEFINED;
		return (comb == F90_REAL ? MPI_Type_create_f90_real : MPI_Type_create_f90_complex)(i[0], i[1], out);
	case SUBARRAY: {
		int n = i[0];
		return MPI_Type_create_subarray(n, i + 1, i + 1 + n, i + 1 + 2 * n, i[1 + 3 * n] == ORDER_FORTRAN ? MPI_ORDER_FORTRAN : MPI_ORDER_C, *t, out);
	}
	case DARRAY: {
		int n = i[2], *size = i + 3, *dist = size + n, *arg = dist + n, *procs = arg + n;
		const int dists[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
		for (int k = 0; k < n; k++) {
			dist[k] = dists[dist[k] - DISTRIBUTE_NONE];
			if (arg[k] == DEFAULT_ARG)
				arg[k] = MPI_DISTRIBUTE_DFLT_DARG;
		}
		return MPI_Type_create_darray(i[0], i[1], n, size, dist, arg, procs, procs[n] == ORDER_FORTRAN ? MPI_ORDER_FORTRAN : MPI_ORDER_C, *t, out);
	}
	}
	return MPI_ERR_ARG;
}

static MPI_Datatype type = MPI_DATATYPE_NULL;

static int unnamed(MPI_Datatype t) {
	int ni, na, nt, comb;
	if (t == MPI_DATATYPE_NULL)
		return 0;
	MPI_Type_get_envelope(t, &ni, &na, &nt, &comb);
	return comb != MPI_COMBINER_NAMED && comb != MPI_COMBINER_F90_REAL && comb != MPI_COMBINER_F90_COMPLEX &&
	       comb != MPI_COMBINER_F90_INTEGER;
}

static void drop(MPI_Datatype *t, int n) {
	for (int k = 0; k < n; k++)
		if (unnamed(t[k]))
			MPI_Type_free(t + k);
}

static long number(void) {
	char *s = strtok(NULL, " \n");
	return s ? atol(s) : 0;
}

/* Pops nt datatypes off the stack of depth n and pushes what combiner comb makes of them. */
static int apply(int comb, MPI_Datatype *stack, int *n) {
	int ni = number(), na = number(), nt = number(), rc;
	int *i = need(ni * sizeof *i);
	MPI_Aint *a = need(na * sizeof *a);
	MPI_Datatype out = MPI_DATATYPE_NULL;
	for (int k = 0; k < ni; k++)
		i[k] = number();
	for (int k = 0; k < na; k++)
		a[k] = number();
	if (nt > *n)
		exit(4);
	*n -= nt;
	rc = construct(comb, i, a, stack + *n, &out);
	drop(stack + *n, nt);
	stack[(*n)++] = rc ? MPI_DATATYPE_NULL : out;
	free(i);
	free(a);
	return rc;
}

static int build(void) {
	static MPI_Datatype stack[4096];
	int n = 0, rc = 0;
	for (char *word; !rc && n < 4096 && (word = strtok(NULL, " \n"));) {
		if (*word == 'M')
			stack[n++] = predefined(word);
		else
			rc = apply(atoi(word), stack, &n);
	}
	drop(&type, 1);
	type = rc || n != 1 ? MPI_DATATYPE_NULL : stack[0];
	if (rc)
		drop(stack, n);
	else if (type == MPI_DATATYPE_NULL)
		rc = MPI_ERR_TYPE;
	else if (unnamed(type))
		rc = MPI_Type_commit(&type);
	return rc;
}

