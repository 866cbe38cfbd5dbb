// Statics of inline functions and of templates, which are each rank's own.
#include <cstdio>
#include <mpi.h>
#include <stdexcept>

inline int &calls()
{
	static int n = 0;
	return n;
}

template <class T> struct Counter {
	static int n;
};
template <class T> int Counter<T>::n = 5;

static int made;
static struct Maker {
	Maker() { made++; }
	~Maker() { std::puts("destroyed"); }
} maker;

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	calls()++;
	Counter<long>::n += rank;
	MPI_Barrier(MPI_COMM_WORLD);
	try {
		throw std::runtime_error("caught");
	} catch (const std::exception &e) {
		std::printf("rank %d: %d call, counter %d, made %d, %s\n", rank, calls(), Counter<long>::n - rank, made, e.what());
	}
	MPI_Finalize();
	return 0;
}
