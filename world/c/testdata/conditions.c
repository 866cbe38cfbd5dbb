/* Calls that fail in conditions, whose results the program drops or looks at; the first argument says which. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	int rank, e = 0;
	const char *how = argv[1];
	MPI_File f = MPI_FILE_NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(how, "and") == 0) {
		rank == 0 && MPI_File_sync(f);
	} else if (strcmp(how, "or") == 0) {
		rank == 0 ||
			MPI_File_sync(f);
	} else if (strcmp(how, "used") == 0) {
		e = rank >= 0 && MPI_File_sync(f);
		(void)(rank >= 0 && MPI_File_sync(f));
		rank >= 0 && MPI_File_sync(f) && puts("checked");
	}
	MPI_Finalize();
	return e < 0;
}
