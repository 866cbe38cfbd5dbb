/*
 * CONS-PTR-01 pointer-past-end, clean: a pointer moves by the bytes that are there
 * How far read moves the pointer depends on the size, and so on the truncation.
 *
 * Made from the rank script clean.mpio by commworld export --c.
 *
 *     mpicc -Wall -o program FILE.c
 *     mpiexec -n 2 ./program [DIRECTORY]
 *
 * Its files are made in DIRECTORY, or where it is started. Exit status: 0 if all is as
 * the script says, 1 if a value or a file differs, 2 if a call failed, 3 if a call that
 * had to fail did not. The number before each call is its line in the script.
 */
#include <stdio.h>
#include <string.h>
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

/* arrived reports whether a call brought n items of the basic type of a datatype. */
static int arrived(MPI_Status *status, MPI_Datatype type, int n)
{
    int items;

    MPI_Get_elements(status, type, &items);
    return items == n;
}

/* expect reports a condition that does not hold. */
static int expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "rank %d: false: %s\n", rank, what);
    }
    return holds;
}

/* make_file adds n times size bytes to a file. */
static void make_file(const char *name, const void *bytes, long size, long n)
{
    FILE *f = fopen(name, "ab");

    for (long i = 0; f != NULL && i < n; i++) {
        fwrite(bytes, 1, size, f);
    }
    if (f == NULL || fclose(f) != 0) {
        perror(name);
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
        make_file("./f", "\011", 1, 4);
    }
    check(0, MPI_Barrier(MPI_COMM_WORLD));

    MPI_File h = MPI_FILE_NULL;
    unsigned char x[4] = {0};
    MPI_Status x_status;
    MPI_Offset n_ = -1;

    if (rank == 1) {
        check(5, MPI_File_open(MPI_COMM_SELF, "./f", MPI_MODE_RDWR, MPI_INFO_NULL, &h));
        check(6, MPI_File_set_size(h, 2));
        check(7, MPI_File_close(&h));
    }

    check(8, MPI_Barrier(MPI_COMM_WORLD));

    if (rank == 0) {
        check(9, MPI_File_open(MPI_COMM_SELF, "./f", MPI_MODE_RDONLY, MPI_INFO_NULL, &h));
        check(10, MPI_File_read(h, x, 4, MPI_BYTE, &x_status));
        check(11, MPI_File_get_position(h, &n_));
        check(12, MPI_File_close(&h));
    }

    /* outcomes that the script allows:
     *     0:x = 9*2, 0:n = 2
     * ok[i] is set if outcome i came on all ranks. */
    int ok[] = {1};

    check(0, MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        unsigned char wanted1[] = {9, 9};
        ok[0] &= expect(arrived(&x_status, MPI_BYTE, 2)
                    && memcmp(x, wanted1, sizeof wanted1) == 0,
                        "0:x = 9*2");
        ok[0] &= expect(n_ == 2, "0:n = 2");
    }
    check(0, MPI_Allreduce(MPI_IN_PLACE, ok, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));

    MPI_Finalize();
    return ok[0] ? 0 : 1;
}
