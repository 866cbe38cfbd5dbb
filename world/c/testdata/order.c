#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
/* Rank 0 takes the messages of ranks 1 and 2 as they come, and waits for a third one if that of
   rank 2 comes first. With "clock" it prints the time. */
int main(int argc, char **argv)
{
	static int runs;
	int rank, x, first;
	MPI_File f;
	MPI_Status st;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &st);
		first = st.MPI_SOURCE;
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &st);
		printf("first %d, run %d\n", first, ++runs);
		printf("finding: none\n"); /* not one of commworldrun */
		if (MPI_File_open(MPI_COMM_SELF, "new.dat", MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL, &f) == MPI_SUCCESS) {
			MPI_File_write_at(f, 0, &first, 1, MPI_INT, MPI_STATUS_IGNORE);
			MPI_File_close(&f);
		}
		if (first == 2 && argc > 1 && strcmp(argv[1], "wait") == 0)
			MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &st);
	} else {
		x = rank;
		if (argc > 1 && strcmp(argv[1], "clock") == 0) {
			struct timespec now;
			clock_gettime(CLOCK_REALTIME, &now);
			x = (int)now.tv_nsec;
		}
		MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
