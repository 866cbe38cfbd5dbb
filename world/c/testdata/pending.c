/* Buffers of messages under way that the program writes into or reads, and such that it may use. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int a[64], n;

int main(int argc, char **argv)
{
	const char *how = argv[1], *dot = strchr(how, '.');
	int rank, i, flag = 0;
	int writes = dot != NULL && strcmp(dot, ".write") == 0, reads = dot != NULL && strcmp(dot, ".read") == 0;
	MPI_Request q;
	MPI_Message m;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strncmp(how, "irecv", 5) == 0) {
		if (rank == 0)
			MPI_Irecv(a, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &q);
		else
			MPI_Isend(a + 8, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, &q);
		if (rank == 0 && writes)
			a[3] = 1;
		if (rank == 0 && reads)
			n = a[3];
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	} else if (strncmp(how, "imrecv", 6) == 0) {
		if (rank == 0) {
			MPI_Mprobe(1, 0, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
			MPI_Imrecv(a, 8, MPI_INT, &m, &q);
			if (writes)
				a[3] = 1;
			if (reads)
				n = a[3];
			MPI_Wait(&q, MPI_STATUS_IGNORE);
		} else
			MPI_Send(a, 8, MPI_INT, 0, 0, MPI_COMM_WORLD);
	} else if (strncmp(how, "psend", 5) == 0) {
		if (rank == 0)
			MPI_Psend_init(a, 2, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
		else
			MPI_Precv_init(a, 4, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
		for (i = 0; i < 3; i++) {
			MPI_Start(&q);
			if (rank == 0) {
				a[0] = i; /* not ready yet */
				MPI_Pready(0, q);
				a[4] = i;
				if (writes)
					a[1] = 7;
				MPI_Pready(1, q);
			}
			MPI_Wait(&q, MPI_STATUS_IGNORE);
			a[0] = a[4] = 0;
		}
		MPI_Request_free(&q);
	} else if (strncmp(how, "precv", 5) == 0) {
		if (rank == 0)
			MPI_Precv_init(a, 4, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
		else
			MPI_Psend_init(a, 2, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
		for (i = 0; i < 3; i++) {
			MPI_Start(&q);
			if (rank == 0) {
				if (writes)
					a[5] = i + 1;
				if (reads)
					n = a[5];
				while (!flag)
					MPI_Parrived(q, 1, &flag);
				flag = a[2] = 0; /* it has come */
			} else {
				MPI_Pready(0, q);
				MPI_Pready(1, q);
			}
			MPI_Wait(&q, MPI_STATUS_IGNORE);
		}
		MPI_Request_free(&q);
	} else if (strcmp(how, "shared") == 0) {
		MPI_Request w;
		if (rank == 0)
			MPI_Psend_init(a, 2, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
		else
			MPI_Precv_init(a, 4, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
		MPI_Start(&q);
		MPI_Irecv(a + 7, 4, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &w);
	} else if (strcmp(how, "collective") == 0) {
		MPI_Irecv(a, 8, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &q);
		MPI_Allreduce(a + 20, a + 7, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	} else if (strcmp(how, "collectives") == 0) {
		MPI_Request w;
		MPI_Ibcast(a, 8, MPI_INT, 0, MPI_COMM_WORLD, &q);
		MPI_Iallreduce(a + 20, a + 7, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &w);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		MPI_Wait(&w, MPI_STATUS_IGNORE);
	}
	if (reads)
		printf("%d\n", n);
	MPI_Finalize();
	return 0;
}
