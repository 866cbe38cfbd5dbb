/* One row of the table, with an MPI library:

     peer FILE LIMIT REPS BYTES VERB ARG [HINT=VALUE]...

   prints for each phase, which is "write", "read" or "call", the seconds of its
   repetitions, as ours.go takes them: each from the first rank's start to the
   last one's end. The first two repetitions are not counted. When a phase has
   taken LIMIT seconds it ends early. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const MPI_Comm W = MPI_COMM_WORLD;
static int me, n, reps;
static double limit;
static char *path, *out, *in;
static MPI_Info hints = MPI_INFO_NULL;

/* A row: the file, and what a rank passes in each of its calls. */
static MPI_File f;
static MPI_Datatype type;
static int count;
static MPI_Offset bytes, mine, arg; /* of the file, of a rank, of a call */

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t); /* one clock for all processes of a machine */
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void need(int rc) {
	if (rc)
		MPI_Abort(W, 1);
}

static void open_file(void) { need(MPI_File_open(W, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &f)); }

static void view(MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype) {
	need(MPI_Type_commit(&filetype));
	need(MPI_File_set_view(f, disp, etype, filetype, "native", hints));
}

/* every: blocks of so many doubles, one for each rank in turn. */
static void every(int doubles) {
	MPI_Datatype block, filetype;
	need(MPI_Type_contiguous(doubles, MPI_DOUBLE, &block));
	need(MPI_Type_create_resized(block, 0, (MPI_Aint)doubles * 8 * n, &filetype));
	view((MPI_Offset)me * doubles * 8, MPI_DOUBLE, filetype);
	type = MPI_DOUBLE, count = mine / 8;
}

static void cyclic(void) { every(arg / 8); }

static void holes(void) {
	every(8);
	need(MPI_Type_vector(mine / 64, 8, 16, MPI_DOUBLE, &type));
	need(MPI_Type_commit(&type));
	count = 1;
}

static void block(void) {
	int grid[] = {256, 256, bytes >> 19}, dims[] = {0, 0, 0}, sub[3], at[3], r = me;
	MPI_Datatype filetype;
	need(MPI_Dims_create(n, 3, dims));
	for (int i = 2; i >= 0; i--) {
		sub[i] = grid[i] / dims[i], at[i] = r % dims[i] * sub[i];
		r /= dims[i];
	}
	need(MPI_Type_create_subarray(3, grid, sub, at, MPI_ORDER_C, MPI_DOUBLE, &filetype));
	view(0, MPI_DOUBLE, filetype);
	type = MPI_DOUBLE, count = sub[0] * sub[1] * sub[2];
}

static void atomic(void) { need(MPI_File_set_atomicity(f, 1)); }
static void rewind_shared(void) { need(MPI_File_seek_shared(f, 0, MPI_SEEK_SET)); }

#define CALLS for (MPI_Offset at = 0; at < mine; at += arg)
#define SIDE me * mine + at

static void write_at(void) { CALLS need(MPI_File_write_at(f, SIDE, out + at, arg, MPI_BYTE, MPI_STATUS_IGNORE)); }
static void read_at(void) { CALLS need(MPI_File_read_at(f, SIDE, in + at, arg, MPI_BYTE, MPI_STATUS_IGNORE)); }
static void write_at_all(void) { CALLS need(MPI_File_write_at_all(f, SIDE, out + at, arg, MPI_BYTE, MPI_STATUS_IGNORE)); }
static void read_at_all(void) { CALLS need(MPI_File_read_at_all(f, SIDE, in + at, arg, MPI_BYTE, MPI_STATUS_IGNORE)); }
static void write_shared(void) { CALLS need(MPI_File_write_shared(f, out + at, arg, MPI_BYTE, MPI_STATUS_IGNORE)); }
static void write_ordered(void) { CALLS need(MPI_File_write_ordered(f, out + at, arg, MPI_BYTE, MPI_STATUS_IGNORE)); }
static void write_view(void) { need(MPI_File_write_at(f, 0, out, count, type, MPI_STATUS_IGNORE)); }
static void read_view(void) { need(MPI_File_read_at(f, 0, in, count, type, MPI_STATUS_IGNORE)); }
static void write_view_all(void) { need(MPI_File_write_at_all(f, 0, out, count, type, MPI_STATUS_IGNORE)); }
static void read_view_all(void) { need(MPI_File_read_at_all(f, 0, in, count, type, MPI_STATUS_IGNORE)); }

static void opens(void) {
	for (MPI_Offset i = 0; i < arg; i++) {
		open_file();
		need(MPI_File_close(&f));
	}
}

static const struct {
	const char *verb;
	void (*set)(void), (*before)(void), (*write)(void), (*read)(void);
} rows[] = {
	{"contiguous", NULL, NULL, write_at, read_at},
	{"segmented", NULL, NULL, write_at_all, read_at_all},
	{"atomic", atomic, NULL, write_at, read_at},
	{"cyclic", cyclic, NULL, write_view_all, read_view_all},
	{"holes", holes, NULL, write_view_all, read_view_all},
	{"holes alone", holes, NULL, write_view, read_view},
	{"block", block, NULL, write_view_all, read_view_all},
	{"shared", NULL, rewind_shared, write_shared, NULL},
	{"ordered", NULL, rewind_shared, write_ordered, NULL},
	{"open", NULL, NULL, NULL, NULL},
};

static void phase(const char *name, void (*before)(void), void (*step)(void)) {
	double first, last, spent = 0;
	int more = 1;
	if (me == 0)
		printf("%s", name);
	for (int k = -2; more && k < reps; k++) {
		if (before)
			before();
		MPI_Barrier(W);
		double start = now(), end;
		step();
		end = now();
		MPI_Reduce(&start, &first, 1, MPI_DOUBLE, MPI_MIN, 0, W);
		MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, W);
		if (me == 0) {
			spent += last - first;
			more = spent < limit;
			if (k >= 0 || !more)
				printf(" %.9f", last - first);
		}
		MPI_Bcast(&more, 1, MPI_INT, 0, W);
	}
	if (me == 0)
		printf("\n"), fflush(stdout);
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &n);
	if (argc < 7)
		MPI_Abort(W, 2);
	path = argv[1], limit = atof(argv[2]), reps = atoi(argv[3]), bytes = atoll(argv[4]), arg = atoll(argv[6]);
	for (int i = 7; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		if (hints == MPI_INFO_NULL)
			need(MPI_Info_create(&hints));
		*value = 0;
		need(MPI_Info_set(hints, argv[i], value + 1));
	}
	mine = bytes / n;
	out = malloc(2 * mine), in = malloc(2 * mine); /* twice, for holes */
	if (!out || !in)
		MPI_Abort(W, 3);
	for (MPI_Offset i = 0; i < 2 * mine; i++)
		out[i] = i * 7 + me * 13; /* memory that nobody wrote is one page of zeros */
	memset(in, 1, 2 * mine);
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		if (strcmp(argv[5], rows[k].verb))
			continue;
		if (!rows[k].write) {
			phase("call", NULL, opens);
			continue;
		}
		open_file();
		if (rows[k].set)
			rows[k].set();
		phase("write", rows[k].before, rows[k].write);
		if (rows[k].read) {
			phase("read", rows[k].before, rows[k].read);
			if (memcmp(in, out, 64)) /* of holes, the first block */
				MPI_Abort(W, 4);
		}
		need(MPI_File_close(&f));
	}
	MPI_Finalize();
	return 0;
}
