#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int later = MPI_Wtime() < MPI_Wtime();
	MPI_Finalize();
	return !later;
}
