#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	int rank, x, i;
	MPI_File f;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Gather(&rank, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
	MPI_File_open(MPI_COMM_WORLD, "mixed.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	x = 10 * rank;
	MPI_File_write_at(f, 4 * rank, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
	for (i = 0; i < 2; i++) {
		MPI_File_sync(f);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_File_close(&f);
	MPI_Finalize();
	return 0;
}
