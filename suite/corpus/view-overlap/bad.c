/*
 * CONS-D01 view-overlap, racy: strips that overlap by a column
 * The views decide which bytes an access has. Rank 1 begins one column too early.
 *
 * Made from the rank script bad.mpio by commworld export --c.
 * Two of its accesses race: the standard defines neither the bytes read nor the contents of the file.
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

/* file_size returns how many bytes a file has, -1 if it does not exist. */
static long file_size(const char *name)
{
    FILE *f = fopen(name, "rb");
    long size = -1;

    if (f != NULL) {
        fseek(f, 0, SEEK_END);
        size = ftell(f);
        fclose(f);
    }
    return size;
}

/* file_has reports whether a file has at offset n times the same size bytes. */
static int file_has(const char *name, long offset, const void *bytes, long size, long n)
{
    FILE *f = fopen(name, "rb");
    int same = f != NULL && fseek(f, offset, SEEK_SET) == 0;

    for (long i = 0; same && i < size * n; i++) {
        same = fgetc(f) == ((const unsigned char *)bytes)[i % size];
    }
    if (f != NULL) {
        fclose(f);
    }
    return same;
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
        make_file("./f", "\000", 1, 8);
    }
    check(0, MPI_Barrier(MPI_COMM_WORLD));

    MPI_Datatype contiguous;
    check(6, MPI_Type_contiguous(2, MPI_BYTE, &contiguous));
    check(6, MPI_Type_commit(&contiguous));
    MPI_Datatype resized;
    check(6, MPI_Type_create_resized(contiguous, 0, 4, &resized));
    check(6, MPI_Type_commit(&resized));

    MPI_File h = MPI_FILE_NULL;

    check(5, MPI_File_open(MPI_COMM_WORLD, "./f", MPI_MODE_RDWR, MPI_INFO_NULL, &h));

    if (rank == 0) {
        check(6, MPI_File_set_view(h, 0, MPI_BYTE, resized, "native", MPI_INFO_NULL));
    } else if (rank == 1) {
        check(7, MPI_File_set_view(h, 1, MPI_BYTE, resized, "native", MPI_INFO_NULL));
    }

    if (rank == 0) {
        unsigned char data8[] = {1, 1, 1, 1};
        check(8, MPI_File_write_at_all(h, 0, data8, 4, MPI_BYTE, MPI_STATUS_IGNORE));
    } else if (rank == 1) {
        unsigned char data9[] = {2, 2, 2, 2};
        check(9, MPI_File_write_at_all(h, 0, data9, 4, MPI_BYTE, MPI_STATUS_IGNORE));
    }

    check(10, MPI_File_close(&h));

    /* outcomes that the script allows:
     *     file f = 01 01 02 02 01 01 02 02
     * ok[i] is set if outcome i came on all ranks. */
    int ok[] = {1};

    check(0, MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        ok[0] &= expect(file_size("./f") == 8
                    && file_has("./f", 0, "\001", 1, 1)
                    && file_has("./f", 1, "\001", 1, 1)
                    && file_has("./f", 2, "\002", 1, 1)
                    && file_has("./f", 3, "\002", 1, 1)
                    && file_has("./f", 4, "\001", 1, 1)
                    && file_has("./f", 5, "\001", 1, 1)
                    && file_has("./f", 6, "\002", 1, 1)
                    && file_has("./f", 7, "\002", 1, 1),
                        "file f = 01 01 02 02 01 01 02 02");
    }
    check(0, MPI_Allreduce(MPI_IN_PLACE, ok, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));

    MPI_Type_free(&contiguous);
    MPI_Type_free(&resized);
    MPI_Finalize();
    return ok[0] ? 0 : 1;
}
