#include <mpi.h>
#include <stdio.h>

static int counter; /* each rank has its own */

int main(int argc, char **argv)
{
	int rank, size, sum, n;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	counter += rank + 1;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Allreduce(&counter, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("rank %d of %d, counter %d, sum %d, last argument %s\n", rank, size, counter, sum, argv[argc - 1]);
	if (rank == 0)
		MPI_Send(&counter, 1, MPI_INT, size - 1, 7, MPI_COMM_WORLD);
	if (rank == size - 1) {
		MPI_Status st;
		MPI_Recv(&counter, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
		MPI_Get_count(&st, MPI_INT, &n);
		printf("received %d from %d with tag %d, %d item\n", counter, st.MPI_SOURCE, st.MPI_TAG, n);
	}
	MPI_Finalize();
	return 0;
}
