/* Buffers that the program uses while an operation has them, and others that only look like it. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int a[4096], b[4096], c[8][8];

int main(int argc, char **argv)
{
	const char *how = argv[1];
	int rank, i, one = 1;
	MPI_Request q[4];
	MPI_Datatype column;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Type_vector(8, 1, 8, MPI_INT, &column);
	MPI_Type_commit(&column);
	if (strcmp(how, "send") == 0) {
		MPI_Iallreduce(a, b, 4096, MPI_INT, MPI_SUM, MPI_COMM_WORLD, q);
		for (i = 0; i < 4096; i++)
			a[i] = 1;
		MPI_Wait(q, MPI_STATUS_IGNORE);
	} else if (strcmp(how, "receive") == 0) {
		MPI_Ibcast(a, 4, MPI_INT, 0, MPI_COMM_WORLD, q);
		if (rank == 1)
			a[1] = 7;
		MPI_Wait(q, MPI_STATUS_IGNORE);
	} else if (strcmp(how, "receives") == 0) {
		MPI_Irecv(a, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, q);
		MPI_Irecv(a + 3, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, q + 1);
	} else if (strcmp(how, "sent") == 0) {
		MPI_Isend(a, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, q);
		MPI_Recv(a, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (strcmp(how, "columns") == 0) {
		MPI_Irecv(&c[0][1], 1, column, 1 - rank, 0, MPI_COMM_WORLD, q);
		MPI_Irecv(&c[1][1], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, q + 1);
	} else {
		for (i = 0; i < 3; i++) { /* neighbouring columns, a buffer sent twice, one that is used again */
			MPI_Irecv(&c[0][0], 1, column, 1 - rank, 0, MPI_COMM_WORLD, q);
			MPI_Irecv(&c[0][7], 1, column, 1 - rank, 0, MPI_COMM_WORLD, q + 1);
			MPI_Isend(&c[0][3], 1, column, 1 - rank, 0, MPI_COMM_WORLD, q + 2);
			MPI_Isend(&c[0][3], 1, column, 1 - rank, 0, MPI_COMM_WORLD, q + 3);
			MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
			MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INT, a, 2, MPI_INT, MPI_COMM_WORLD, q);
			MPI_Ibcast(rank == 0 ? a + 100 : b, 4, MPI_INT, 0, MPI_COMM_WORLD, q + 1);
			a[50] = i;
			MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
			a[0] = a[100] = b[0] = one;
		}
		MPI_Allreduce_init(a, b, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, q);
		for (i = 0; i < 3; i++) {
			MPI_Start(q);
			MPI_Wait(q, MPI_STATUS_IGNORE);
			a[0] = b[0] = i;
		}
		MPI_Request_free(q);
	}
	MPI_Type_free(&column);
	MPI_Finalize();
	return 0;
}
