#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * What the C library keeps for a process is the rank's own: options, random numbers, and
 * the number of the process.
 */
int main(int argc, char **argv)
{
	int rank, size, i, c, options = 0, same = 0, r[4];
	int process = getpid(), all[64];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Allgather(&process, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
	for (i = 0; i < size; i++)
		same += all[i] == getpid();
	if (same != 1 || kill(getpid(), 0) != 0)
		printf("%d of %d ranks have the process number of rank %d\n", same, size, rank);
	srand(7);
	for (i = 0; i < 4; i++) {
		r[i] = rand();
		MPI_Barrier(MPI_COMM_WORLD);
	}
	while ((c = getopt(argc, argv, "ab:")) != -1) {
		options += c == 'a' || (c == 'b' && *optarg == 'x');
		MPI_Barrier(MPI_COMM_WORLD);
	}
	printf("%d options, %s follows, %d %d %d %d\n", options, argv[optind], r[0], r[1], r[2], r[3]);
	MPI_Finalize();
	return 0;
}
