#include <mpi.h>
#include <stdio.h>

static void show(const char *what, int code)
{
	int class;
	char text[MPI_MAX_ERROR_STRING];
	MPI_Error_class(code, &class);
	MPI_Error_string(class, text, &(int){0});
	printf("%s: %s\n", what, text);
}

/* Calls with handles and counts that mean nothing: each is an error of its class. */
int main(int argc, char **argv)
{
	int x = 0;
	MPI_Comm c, freed;
	MPI_Datatype t, old;
	MPI_Request q = MPI_REQUEST_NULL, wild = (MPI_Request)&x;
	MPI_File f = MPI_FILE_NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	freed = c;
	MPI_Comm_free(&c);
	show("freed communicator", MPI_Barrier(freed));
	show("null communicator", MPI_Barrier(c));
	show("datatype for communicator", MPI_Barrier((MPI_Comm)MPI_INT));
	MPI_Type_contiguous(3, MPI_INT, &t);
	show("datatype not committed", MPI_Send(&x, 1, t, 0, 0, MPI_COMM_SELF));
	old = t;
	MPI_Type_free(&t);
	show("freed datatype", MPI_Send(&x, 1, old, 0, 0, MPI_COMM_SELF));
	show("null datatype", MPI_Send(&x, 1, t, 0, 0, MPI_COMM_SELF));
	show("negative count", MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_SELF));
	show("enormous count", MPI_Send_c(&x, INT64_MAX, MPI_INT, 0, 0, MPI_COMM_SELF));
	show("null buffer", MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_SELF));
	show("negative array", MPI_Waitall(-1, &q, MPI_STATUSES_IGNORE));
	show("null array", MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE));
	show("wild request", MPI_Wait(&wild, MPI_STATUS_IGNORE));
	show("null file", MPI_File_sync(f));
	show("null result", MPI_Comm_rank(MPI_COMM_WORLD, NULL));
	show("one-sided", MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &(MPI_Win){0}));
	MPI_Finalize();
	return 0;
}
