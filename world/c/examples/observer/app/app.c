/* Each rank writes a record for each step of its work. */
#include <mpi.h>

enum { STEPS = 3 };

int main(int argc, char **argv)
{
	int rank, ranks;
	MPI_File f;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_File_open(MPI_COMM_WORLD, "steps.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	for (int step = 0; step < STEPS; step++) {
		int record = 100 * rank + step;
		MPI_File_write_at(f, sizeof record * (ranks * step + rank), &record, 1, MPI_INT, MPI_STATUS_IGNORE);
		MPI_File_sync(f);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_File_sync(f); /* the observer reads from here */
		MPI_Barrier(MPI_COMM_WORLD); /* to here */
	}
	MPI_File_close(&f);
	MPI_Finalize();
	return 0;
}
