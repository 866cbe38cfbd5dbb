/* Writes a file collectively, as filerep.go does, and prints how long each turn
   took, from the first rank's start to the last one's end. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t); /* one clock for all processes of a machine */
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void need(int rc) {
	if (rc)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
	int rank, ranks;
	MPI_File f;
	MPI_Datatype block, filetype;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc != 6)
		MPI_Abort(MPI_COMM_WORLD, 2);
	int mine = atoi(argv[3]), per = atoi(argv[4]), turns = atoi(argv[5]);
	double *x = malloc(mine * sizeof *x);
	for (int i = 0; i < mine; i++)
		x[i] = rank + i / 8.0;
	need(MPI_Type_contiguous(per, MPI_DOUBLE, &block));
	need(MPI_Type_create_resized(block, 0, (MPI_Aint)per * ranks * 8, &filetype));
	need(MPI_Type_commit(&filetype));
	need(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	need(MPI_File_set_view(f, (MPI_Offset)rank * per * 8, MPI_DOUBLE, filetype, argv[2], MPI_INFO_NULL));
	for (int k = -1; k < turns; k++) {
		MPI_Barrier(MPI_COMM_WORLD);
		double start = now(), end, first, last;
		need(MPI_File_write_at_all(f, 0, x, mine, MPI_DOUBLE, MPI_STATUS_IGNORE));
		need(MPI_File_sync(f));
		end = now();
		MPI_Reduce(&start, &first, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
		MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
		if (rank == 0 && k >= 0)
			printf("%.9f\n", last - first);
	}
	need(MPI_File_close(&f));
	MPI_Finalize();
	return 0;
}
