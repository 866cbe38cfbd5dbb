/* Prints what a launcher has arranged. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, size;
	const char *word = getenv("WORD");

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("%d of %d, %s, %s\n", rank, size, word == NULL ? "no word" : word, argc > 1 ? argv[1] : "no argument");
	MPI_Finalize();
	return 0;
}
