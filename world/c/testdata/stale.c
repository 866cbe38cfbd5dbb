#include <mpi.h>
#include <stdio.h>
static void store(MPI_File f, int x)
{
	MPI_File_write_at(f, 0, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
	int rank, x = -1;
	MPI_File f;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_WORLD, "stale.dat", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
	if (rank == 0)
		store(f, 7);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1) {
		MPI_File_read_at(f, 0, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
		printf("read %d\n", x);
	}
	MPI_File_close(&f);
	MPI_Finalize();
	return 0;
}
