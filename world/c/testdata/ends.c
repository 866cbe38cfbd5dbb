/* Ways to end that leave no trace in MPI; the first argument says which. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int deep(int n) { volatile char room[4096]; room[0] = n; return n < 0 ? 0 : deep(n + 1) + room[0]; }

static __attribute__((noinline)) int wide(void) { volatile char room[100 << 20]; room[0] = 1; return room[0]; }

static void large(void *in, void *inout, int *n, MPI_Datatype *t) { wide(); }

int main(int argc, char **argv)
{
	int rank, one = 1, sum;
	const char *how = argv[1];
	MPI_Op op;
	MPI_Errhandler handler;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(how, "callback") == 0) {
		MPI_Op_create(large, 1, &op);
		MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
	}
	if (rank == 1) {
		if (strcmp(how, "deep") == 0)
			printf("%d\n", deep(0));
		if (strcmp(how, "wide") == 0)
			printf("%d\n", wide());
		if (strcmp(how, "quick_exit") == 0)
			quick_exit(0);
		if (strcmp(how, "syscall") == 0)
			syscall(SYS_exit_group, 0);
		if (strcmp(how, "place") == 0)
			MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		if (strcmp(how, "handler") == 0)
			MPI_Comm_create_errhandler(NULL, &handler);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
