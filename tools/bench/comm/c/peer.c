/* The rows of the table, measured with an MPI library: peer SECONDS VERB ARG
   [VERB ARG]... prints for each the seconds of one step, as ours.go does. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WINDOW = 64 };
static const MPI_Comm W = MPI_COMM_WORLD;
static int me, n;
static char *a, *b;

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void send(int size, int to, int tag) { MPI_Send(a, size, MPI_BYTE, to, tag, W); }
static void recv(int size, int from, int tag) { MPI_Recv(b, size, MPI_BYTE, from, tag, W, MPI_STATUS_IGNORE); }

static void pingpong(int size) {
	if (me == 0) {
		send(size, 1, 1);
		recv(size, 1, 1);
	} else if (me == 1) {
		recv(size, 0, 1);
		send(size, 0, 1);
	}
}

static void window(int size) {
	MPI_Request q[WINDOW];
	for (int i = 0; i < WINDOW; i++)
		if (me == 0)
			MPI_Isend(a, size, MPI_BYTE, 1, 1, W, &q[i]);
		else
			MPI_Irecv(b, size, MPI_BYTE, 0, 1, W, &q[i]);
	MPI_Waitall(WINDOW, q, MPI_STATUSES_IGNORE);
	if (me == 0)
		recv(0, 1, 2);
	else
		send(0, 0, 2);
}

static void stream(int size) {
	for (int i = 0; i < WINDOW; i++)
		if (me == 0)
			send(size, 1, 1);
		else
			recv(size, 0, 1);
	if (me == 0)
		recv(0, 1, 2);
	else
		send(0, 0, 2);
}

static void unexpected(int count) {
	if (me == 0)
		for (int i = 0; i < count; i++)
			send(8, 1, i);
	MPI_Barrier(W);
	if (me == 1)
		for (int i = count - 1; i >= 0; i--)
			recv(8, 0, i);
	MPI_Barrier(W);
}

static void barrier(int unused) { (void)unused, MPI_Barrier(W); }
static void allreduce(int items) { MPI_Allreduce(a, b, items, MPI_DOUBLE, MPI_SUM, W); }
static void alltoall(int size) { MPI_Alltoall(a, size, MPI_BYTE, b, size, MPI_BYTE, W); }

static const struct { const char *verb; void (*step)(int); } rows[] = {
	{"pingpong", pingpong}, {"window", window}, {"stream", stream}, {"unexpected", unexpected},
	{"barrier", barrier}, {"allreduce", allreduce}, {"alltoall", alltoall},
};

static double take(void (*step)(int), int arg, long count) {
	MPI_Barrier(W);
	double start = now();
	for (long i = 0; i < count; i++)
		step(arg);
	return now() - start;
}

static int compare(const void *x, const void *y) {
	double d = *(const double *)x - *(const double *)y;
	return (d > 0) - (d < 0);
}

/* Twice as many steps until they take a quarter of the time; then that often
   three times, of which the median counts. */
static double measure(void (*step)(int), int arg, double seconds) {
	long count = 1;
	for (;; count *= 2) {
		int more = take(step, arg, count) < seconds / 4;
		MPI_Bcast(&more, 1, MPI_INT, 0, W);
		if (!more)
			break;
	}
	double t[3];
	for (int i = 0; i < 3; i++)
		t[i] = take(step, arg, count) / count;
	qsort(t, 3, sizeof *t, compare);
	return t[1];
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(W, &me);
	MPI_Comm_size(W, &n);
	size_t most = (size_t)n * 4096 > 1 << 20 ? (size_t)n * 4096 : 1 << 20;
	a = malloc(most), b = malloc(most);
	if (!a || !b)
		MPI_Abort(W, 3);
	memset(a, 1, most), memset(b, 2, most);
	MPI_Barrier(W);
	for (int i = 2; i + 1 < argc; i += 2)
		for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
			if (!strcmp(argv[i], rows[k].verb)) {
				double t = measure(rows[k].step, atoi(argv[i + 1]), atof(argv[1]));
				if (me == 0)
					printf("%s %s %.12g\n", argv[i], argv[i + 1], t);
			}
	MPI_Finalize();
	return 0;
}
