#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What the C library keeps for a process is the rank's own: options and random numbers. */
int main(int argc, char **argv)
{
	int rank, i, c, options = 0, r[4];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
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
