/* What common libraries do and the standard does not have: --tolerant. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	MPI_Aint in = 4, out = 0;
	MPI_Offset far = 0, any = 7;
	int counts[] = {1};

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	if (MPI_Allreduce(&in, &out, 1, MPI_AINT, MPI_LAND, MPI_COMM_SELF) != MPI_SUCCESS)
		printf("no MPI_LAND on MPI_AINT\n");
	if (MPI_Reduce_scatter(&far, &any, counts, MPI_OFFSET, MPI_LOR, MPI_COMM_SELF) != MPI_SUCCESS)
		printf("no MPI_LOR on MPI_OFFSET\n");
	printf("%d %d\n", (int)out, (int)any);

	MPI_Comm copy;
	MPI_Request made;
	int rank;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1) /* what rank 0 does comes before the communicator is made */
		MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Comm_idup(MPI_COMM_WORLD, &copy, &made);
	if (rank == 0) {
		if (MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN) != MPI_SUCCESS)
			printf("no handler\n");
		MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
	}
	MPI_Wait(&made, MPI_STATUS_IGNORE);
	if (rank == 0)
		MPI_Send("four", 4, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
	else {
		char text[8] = "";
		MPI_Recv(text, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		printf("text %s\n", text);
	}
	if (rank == 0)
		printf("%d\n", MPI_Send(NULL, 0, MPI_INT, 9, 0, copy) != MPI_SUCCESS);
	MPI_Comm_free(&copy);
	MPI_Finalize();
	return 0;
}
