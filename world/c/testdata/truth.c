/* Reads a byte of 2 as a truth value. With an argument, read as bytes instead. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_File f;
    unsigned char two[2] = {1, 2}, in[2];

    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, "flags", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
    MPI_File_write_at(f, 0, two, 2, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_set_view(f, 0, MPI_C_BOOL, MPI_C_BOOL, "native", MPI_INFO_NULL);
    printf("%s\n", MPI_File_read_at(f, 0, in, 2, MPI_C_BOOL, MPI_STATUS_IGNORE) == MPI_SUCCESS ? "read" : "refused");
    MPI_File_close(&f);
    MPI_Finalize();
    return 0;
}
