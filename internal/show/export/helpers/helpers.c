/* helper check */
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

/* helper refused */
static int missed;

/* refused reports a call that did not end with the error class that it should have. */
static void refused(int line, int expected, int code)
{
    int class;

    MPI_Error_class(code, &class);
    if (class != expected) {
        fprintf(stderr, "rank %d, line %d: error class %d, not %d\n", rank, line, class, expected);
        missed = 1;
    }
}

/* helper arrived */
/* arrived reports whether a call brought n items of the basic type of a datatype. */
static int arrived(MPI_Status *status, MPI_Datatype type, int n)
{
    int items;

    MPI_Get_elements(status, type, &items);
    return items == n;
}

/* helper copies */
/* copies returns how many whole copies of a datatype a call brought. */
static int copies(MPI_Status *status, MPI_Datatype type)
{
    int n;

    MPI_Get_count(status, type, &n);
    return n;
}

/* helper expect */
/* expect reports a condition that does not hold. */
static int expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "rank %d: false: %s\n", rank, what);
    }
    return holds;
}

/* helper make_file */
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

/* helper file_size */
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

/* helper file_has */
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
