#include <mpi.h>
#include <stdio.h>

/* Communicators and an intercommunicator, made from groups and a text. */
int main(int argc, char **argv)
{
	int rank, n, i, sum, got, err, half, ranks[64], others[64];
	MPI_Group all, mine, theirs;
	MPI_Comm side, both, none;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	half = (n + 1) / 2;
	for (i = 0; i < half; i++)
		ranks[i] = i;
	for (i = half; i < n; i++)
		others[i - half] = i;
	MPI_Group_incl(all, rank < half ? half : n - half, rank < half ? ranks : others, &mine);
	MPI_Group_difference(all, mine, &theirs);

	MPI_Comm_create_from_group(mine, "org.example.sides", MPI_INFO_NULL, MPI_ERRORS_RETURN, &side);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, side);
	err = MPI_Bcast(&sum, 1, MPI_INT, 99, side); /* returns: the handler is the communicator's */
	MPI_Comm_free(&side);

	MPI_Intercomm_create_from_groups(mine, 0, theirs, 0, "org.example.both", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &both);
	got = -1;
	MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_SUM, both); /* the sum of the other side */
	MPI_Comm_free(&both);
	MPI_Intercomm_create_from_groups(mine, 0, MPI_GROUP_EMPTY, 0, "org.example.none", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &none);
	printf("rank %d: sum %d of both %d %s%s\n", rank, sum, sum + got, none == MPI_COMM_NULL ? "none" : "some", err == MPI_SUCCESS ? "" : " returned");

	MPI_Group_free(&theirs);
	MPI_Group_free(&mine);
	MPI_Group_free(&all);
	MPI_Finalize();
	return 0;
}
