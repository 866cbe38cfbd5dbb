/*
 * GEN-05 roots-that-differ, bad: each rank is the root of its broadcast
 * The header's length is broadcast by the rank that computed it: that is one rank.
 *
 * Made from the rank script bad.mpio by commworld export --c.
 *
 *     mpicc -Wall -o program FILE.c
 *     mpiexec -n 2 ./program [DIRECTORY]
 *
 * Its files are made in DIRECTORY, or where it is started. Exit status: 0 if all is as
 * the script says, 1 if a value or a file differs, 2 if a call failed, 3 if a call that
 * had to fail did not. The number before each call is its line in the script.
 */
#include <stdio.h>
#include <unistd.h>

#include <mpi.h>

static int rank;

/* check ends the program if a call failed. */
static void check(int line, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (code != MPI_SUCCESS) {
        MPI_Error_string(code, text, &length);
        fprintf(stderr, "rank %d, line %d: %s\n", rank, line, text);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

int main(int argc, char **argv)
{
    int ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (ranks != 2 || (argc > 1 && chdir(argv[1]) != 0)) {
        fprintf(stderr, "usage: mpiexec -n 2 %s [DIRECTORY]\n", argv[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    /* remove files of an earlier run, and create the initial files of the script */
    if (rank == 0) {
        remove("./f");
    }
    check(0, MPI_Barrier(MPI_COMM_WORLD));

    MPI_File h = MPI_FILE_NULL;

    if (rank == 0) {
        int data4[] = {16};
        check(4, MPI_Bcast(data4, 1, MPI_INT, 0, MPI_COMM_WORLD));
    } else if (rank == 1) {
        int data5[] = {16};
        check(5, MPI_Bcast(data5, 1, MPI_INT, 1, MPI_COMM_WORLD));
    }

    check(6, MPI_File_open(MPI_COMM_WORLD, "./f", MPI_MODE_CREATE | MPI_MODE_RDWR,
            MPI_INFO_NULL, &h));
    check(7, MPI_File_set_size(h, 16));
    check(8, MPI_File_close(&h));

    MPI_Finalize();
    return 0;
}
