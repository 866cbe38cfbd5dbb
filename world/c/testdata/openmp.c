/* OpenMP around calls of MPI by the main thread, as MPI_THREAD_FUNNELED allows. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int provided, rank, size, i, round, sum = 0, all, ok = 1;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (round = 1; round <= 5; round++) {
#pragma omp parallel for reduction(+ : sum) num_threads(3)
		for (i = 0; i < 1000; i++)
			sum += i;
#pragma omp parallel num_threads(2)
		{
#pragma omp master
			MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		}
		ok &= sum == round * 499500 && all == sum * size;
	}
	printf("%s\n", ok && provided >= MPI_THREAD_FUNNELED ? "right" : "wrong");
	MPI_Finalize();
	return 0;
}
