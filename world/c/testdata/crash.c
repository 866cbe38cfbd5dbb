#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

static int touch(volatile int *p) { return *p; }

static int sink(int n)
{
	volatile char frame[10000];
	frame[0] = n;
	return (n < 0 ? 0 : sink(n + 1)) + frame[0];
}

int main(int argc, char **argv)
{
	int rank, kind = argc > 1 ? atoi(argv[1]) : 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1) {
		if (kind == 0)
			touch((int *)8);
		else if (kind == 1)
			sink(0);
		else if (kind == 2)
			abort();
		else if (kind == 3)
			assert(rank == 0);
		else if (kind == 4)
			MPI_Abort(MPI_COMM_WORLD, 5);
		else
			MPI_Bcast((void *)4096, 1, MPI_INT, 0, MPI_COMM_WORLD);
	} else if (kind == 5)
		MPI_Bcast(&rank, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
