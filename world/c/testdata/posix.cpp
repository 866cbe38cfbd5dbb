/* Rank 0 opens a file by a stream of C++ that all ranks have open through MPI. */
#include <filesystem>
#include <fstream>
#include <mpi.h>
#include <string>

int main(int argc, char **argv)
{
	int rank;
	MPI_File f;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
	MPI_File_open(MPI_COMM_WORLD, "f", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	if (rank == 0 && std::string(argv[1]) == "stream") {
		std::ofstream out("f");
		out << "header";
	} else if (rank == 0) {
		std::filesystem::remove("f");
	}
	MPI_File_close(&f);
	MPI_Finalize();
	return 0;
}
