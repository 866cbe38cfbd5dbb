// Exceptions that are being handled, and thread_local variables, are each rank's own.
#include <cstdio>
#include <mpi.h>
#include <thread>

struct Named {
	int rank = -1;
	~Named() { std::printf("%d ends\n", rank); }
};
static thread_local Named named;

int main(int argc, char **argv)
{
	int rank, caught = -1, other = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	named.rank = rank;
	try {
		try {
			throw rank;
		} catch (int) {
			MPI_Barrier(MPI_COMM_WORLD);
			throw;
		}
	} catch (int x) {
		MPI_Barrier(MPI_COMM_WORLD);
		caught = x;
	}
	std::thread([&other] { other = named.rank; }).join();
	MPI_Barrier(MPI_COMM_WORLD);
	std::printf("%s\n", caught == rank && other == -1 && named.rank == rank ? "right" : "wrong");
	MPI_Finalize();
}
