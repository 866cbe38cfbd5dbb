/* Calls of many kinds, and one race: rank 1 reads what rank 0 has written, without a sync. */
#include <mpi.h>

static int zeros[64];

static void put(MPI_File f, int rank)
{
	MPI_Datatype column;
	MPI_Type_vector(4, 1, 3, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_File_set_view(f, 0, MPI_INT, column, "native", MPI_INFO_NULL);
	MPI_File_write_at(f, 2, zeros + rank, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
	int rank, size, index, dims[] = {3}, periods[] = {1}, counts[] = {1, 2, 3}, displs[] = {0, 4, 8};
	MPI_File f;
	MPI_Comm ring, half;
	MPI_Request q[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_File_open(MPI_COMM_WORLD, "calls.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	if (rank == 0)
		put(f, rank);
	else
		MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		MPI_File_read_at(f, 6, zeros, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_close(&f);
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
	MPI_Neighbor_allgather(&rank, 1, MPI_INT, zeros, 1, MPI_INT, ring);
	MPI_Comm_split(ring, rank == 2 ? MPI_UNDEFINED : 0, -rank, &half);
	if (half != MPI_COMM_NULL) {
		MPI_Bcast(zeros, 5, MPI_INT, 0, half);
		MPI_Comm_free(&half);
	}
	MPI_Comm_free(&ring);
	MPI_Gatherv(zeros, counts[rank], MPI_INT, zeros + 20, counts, displs, MPI_INT, 1, MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, zeros, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Irecv(zeros, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &q[0]);
		MPI_Irecv(zeros + 1, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &q[1]);
		for (int i = 0; i < 2; i++)
			MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
	}
	for (int i = 0; i < 5000; i++) {
		MPI_Isend(zeros, i % 3, MPI_INT, rank, i % 7, MPI_COMM_WORLD, &q[0]);
		MPI_Recv(zeros + 40, 3, MPI_INT, rank, i % 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
