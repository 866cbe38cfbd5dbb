/* One rank of a program that makes the accesses listed in a file, once each,
 * so that a trace of its system calls shows what its MPI library asks the file
 * system for. See trace.go for the lines of the file. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "trace: %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static long number(FILE *in)
{
    long n;
    must(fscanf(in, "%ld", &n) == 1, "a number is missing");
    return n;
}

/* view reads a rank's view and the place and length of its access. */
static MPI_Datatype view(FILE *in, long *disp, long *from, long *n)
{
    *disp = number(in);
    long extent = number(in), blocks = number(in);
    int *len = malloc(blocks * sizeof *len);
    MPI_Aint *at = malloc(blocks * sizeof *at);
    must(len && at, "no memory");
    for (long i = 0; i < blocks; i++) {
        at[i] = number(in);
        len[i] = number(in);
    }
    MPI_Datatype all, t;
    MPI_Type_create_hindexed(blocks, len, at, MPI_BYTE, &all);
    MPI_Type_create_resized(all, 0, extent, &t);
    MPI_Type_free(&all);
    MPI_Type_commit(&t);
    free(len);
    free(at);
    *from = number(in);
    *n = number(in);
    return t;
}

/* one makes the next access of the list; it returns 0 at the end. */
static int one(FILE *in, int rank, int ranks)
{
    char path[4096], key[256], value[256];
    if (fscanf(in, "%4095s", path) != 1)
        return 0;
    long writes = number(in), all = number(in), hints = number(in);
    MPI_Info info;
    MPI_Info_create(&info);
    for (long i = 0; i < hints; i++) {
        must(fscanf(in, "%255s %255s", key, value) == 2, "a hint is missing");
        MPI_Info_set(info, key, value);
    }
    long disp = 0, from = 0, n = 0;
    MPI_Datatype mine = MPI_DATATYPE_NULL;
    for (int r = 0; r < ranks; r++) {
        long d, f, k;
        MPI_Datatype t = view(in, &d, &f, &k);
        if (r == rank) {
            mine = t, disp = d, from = f, n = k;
        } else {
            MPI_Type_free(&t);
        }
    }
    char *memory = calloc(n + 1, 1);
    must(memory != NULL, "no memory");
    MPI_File f;
    MPI_Status st;
    int err = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, info, &f);
    must(err == MPI_SUCCESS, "open failed");
    err = MPI_File_set_view(f, disp, MPI_BYTE, mine, "native", MPI_INFO_NULL);
    must(err == MPI_SUCCESS, "set_view failed");
    if (writes)
        err = (all ? MPI_File_write_at_all : MPI_File_write_at)(f, from, memory, n, MPI_BYTE, &st);
    else
        err = (all ? MPI_File_read_at_all : MPI_File_read_at)(f, from, memory, n, MPI_BYTE, &st);
    must(err == MPI_SUCCESS, "the access failed");
    MPI_File_close(&f);
    MPI_Info_free(&info);
    MPI_Type_free(&mine);
    free(memory);
    return 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    must(argc == 2, "give the list");
    FILE *in = fopen(argv[1], "r");
    must(in != NULL, "no list");
    printf("%d %ld\n", rank, (long)getpid());
    fflush(stdout);
    while (one(in, rank, ranks))
        ;
    fclose(in);
    MPI_Finalize();
}
