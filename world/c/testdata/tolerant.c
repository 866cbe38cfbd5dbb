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
	MPI_Finalize();
	return 0;
}
