#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static int copies, deletes, handled, bad;

static int class_of(int code)
{
	int class = -1;
	MPI_Error_class(code, &class);
	return class;
}
static jmp_buf out;

#define EXPECT(what) do { if (!(what)) { printf("%s:%d: not %s\n", __FILE__, __LINE__, #what); bad++; } } while (0)

/* 2x2 matrices, a product that does not commute. */
static void product(void *in, void *inout, int *n, MPI_Datatype *t)
{
	int i, size;
	MPI_Type_size(*t, &size); /* a callback may call MPI */
	for (i = 0; i < *n; i++) {
		long *a = (long *)in + 4 * i, *b = (long *)inout + 4 * i;
		long c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
		int j;
		for (j = 0; j < 4; j++)
			b[j] = c[j];
	}
}

static void leaves(void *in, void *inout, int *n, MPI_Datatype *t) { exit(3); }

static void jumps(void *in, void *inout, int *n, MPI_Datatype *t) { longjmp(out, 1); }

static int copy(MPI_Comm c, int key, void *extra, void *in, void *new, int *flag)
{
	copies++;
	*(void **)new = (char *)in + 1;
	*flag = 1;
	return extra == &copies ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int delete(MPI_Comm c, int key, void *value, void *extra)
{
	deletes++;
	return MPI_SUCCESS;
}

static void handler(MPI_Comm *c, int *code, ...)
{
	int rank;
	handled++;
	MPI_Comm_rank(*c, &rank);
	EXPECT(class_of(*code) == MPI_ERR_RANK);
}

static int query(void *extra, MPI_Status *st)
{
	MPI_Status_set_elements(st, MPI_INT, 5);
	MPI_Status_set_cancelled(st, 0);
	st->MPI_SOURCE = 3;
	st->MPI_TAG = 4;
	return MPI_SUCCESS;
}

static int release(void *extra) { return MPI_SUCCESS; }
static int cancel(void *extra, int complete) { return MPI_SUCCESS; }

int main(int argc, char **argv)
{
	int rank, size, key, flag, n, mode = argc > 1 ? atoi(argv[1]) : 0;
	long m[4] = {1, 1, 0, 1}, all[4];
	void *value;
	MPI_Op op;
	MPI_Comm c;
	MPI_Datatype matrix;
	MPI_Errhandler h;
	MPI_Request q;
	MPI_Status st;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Type_contiguous(4, MPI_LONG, &matrix);
	MPI_Type_commit(&matrix);
	if (mode) {
		MPI_Op_create(mode == 1 ? leaves : jumps, 0, &op);
		if (setjmp(out) == 0)
			MPI_Allreduce(m, all, 1, matrix, op, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Finalize();
		return 0;
	}
	m[2] = rank;
	MPI_Op_create(product, 0, &op);
	MPI_Allreduce(m, all, 1, matrix, op, MPI_COMM_WORLD);
	if (size == 3)
		EXPECT(all[0] == 6 && all[1] == 4 && all[2] == 3 && all[3] == 2);
	MPI_Op_free(&op);

	MPI_Comm_create_keyval(copy, delete, &key, &copies);
	MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void *)100);
	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Comm_get_attr(c, key, &value, &flag);
	EXPECT(flag && value == (void *)101 && copies == 1);
	MPI_Comm_free(&c);
	EXPECT(deletes == 1);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
	EXPECT(flag && *(int *)value >= 32767);

	MPI_Comm_create_errhandler(handler, &h);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
	MPI_Errhandler_free(&h);
	EXPECT(class_of(MPI_Send(&n, 1, MPI_INT, size, 0, MPI_COMM_WORLD)) == MPI_ERR_RANK);
	EXPECT(handled == 1);

	MPI_Grequest_start(query, release, cancel, NULL, &q);
	MPI_Grequest_complete(q);
	MPI_Wait(&q, &st);
	MPI_Get_count(&st, MPI_INT, &n);
	EXPECT(n == 5 && st.MPI_SOURCE == 3 && st.MPI_TAG == 4);

	MPI_Type_free(&matrix);
	MPI_Finalize();
	EXPECT(deletes == 2); /* that of MPI_COMM_SELF */
	if (bad == 0)
		printf("rank %d: all as it should be\n", rank);
	return bad != 0;
}
