/* Prints the bounds of a struct of a resized type and an int. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Datatype members[2] = {MPI_DATATYPE_NULL, MPI_INT}, whole;
    MPI_Aint offsets[2] = {0, 8}, lower, extent;
    int counts[2] = {1, 1};

    MPI_Init(&argc, &argv);
    MPI_Type_create_resized(MPI_CHAR, 0, 17, &members[0]);
    MPI_Type_create_struct(2, counts, offsets, members, &whole);
    MPI_Type_get_extent(whole, &lower, &extent);
    printf("lower bound %ld, extent %ld\n", (long)lower, (long)extent);
    MPI_Type_free(&members[0]);
    MPI_Type_free(&whole);
    MPI_Finalize();
    return 0;
}
