/* Threads that call MPI at one time, with MPI_THREAD_MULTIPLE; the first argument says what. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, other;
static MPI_Comm second;

static void *receive(void *x)
{
	MPI_Recv(x, 1, MPI_INT, other, 0, second, MPI_STATUS_IGNORE);
	return x;
}

static void *send(void *x)
{
	MPI_Ssend(x, 1, MPI_INT, other, 0, second);
	return x;
}

static void *probe(void *x)
{
	MPI_Message m;
	MPI_Status s;
	MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, second, &m, &s);
	MPI_Mrecv(x, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
	*(int *)x += s.MPI_TAG;
	return x;
}

static void *later(void *x)
{
	for (volatile int i = 0; i < 20000000; i++)
		;
	usleep(20000);
	return send(x);
}

static void *sum(void *x)
{
	int one = rank + 1;
	for (int i = 0; i < 50; i++)
		MPI_Allreduce(&one, x, 1, MPI_INT, MPI_SUM, second);
	return x;
}

static void *lonely(void *x)
{
	MPI_Recv(x, 1, MPI_INT, other, 7, second, MPI_STATUS_IGNORE);
	return x;
}

/* Probes for a message that never comes. */
static void *seek(void *x)
{
	MPI_Message m;
	MPI_Mprobe(MPI_ANY_SOURCE, 7, second, &m, MPI_STATUS_IGNORE);
	return x;
}

static void *compute(void *x)
{
	for (volatile int i = 0; i < 20000000; i++)
		;
	return x;
}

/* Runs a and b in threads of their own and returns what they have. */
static void both(void *(*a)(void *), int *x, void *(*b)(void *), int *y)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, a, x);
	pthread_create(&t[1], NULL, b, y);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	int level, size, n = -1, m = 5, all[2] = {-1, -1};
	pthread_t t;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_dup(MPI_COMM_WORLD, &second);
	other = size - 1 - rank;
	m += rank;
	if (strcmp(how, "messages") == 0) { /* each rank waits in both threads until the other rank has come */
		both(receive, &n, send, &m);
		printf("%d\n", n);
	} else if (strcmp(how, "probe") == 0) {
		both(probe, &n, send, &m);
		printf("%d\n", n);
	} else if (strcmp(how, "later") == 0) { /* one thread computes, and sleeps, while the others wait */
		both(receive, &n, later, &m);
		printf("%d\n", n);
	} else if (strcmp(how, "waits") == 0) {
		MPI_Request q[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
		int index;
		MPI_Irecv(&all[0], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &q[0]);
		MPI_Irecv(&all[1], 1, MPI_INT, other, 2, MPI_COMM_WORLD, &q[2]);
		pthread_create(&t, NULL, receive, &n); /* whose message comes last */
		MPI_Send(&m, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
		MPI_Waitany(1, q, &index, MPI_STATUS_IGNORE);
		MPI_Send(&m, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
		MPI_Waitall(3, q, MPI_STATUSES_IGNORE);
		MPI_Ssend(&m, 1, MPI_INT, other, 0, second);
		pthread_join(t, NULL);
		printf("%d %d %d %d\n", index, all[0], all[1], n);
	} else if (strcmp(how, "collectives") == 0) { /* rank 0 waits in a collective while its other thread receives */
		pthread_create(&t, NULL, rank == 0 ? receive : send, rank == 0 ? &n : &m);
		if (rank == 1)
			pthread_join(t, NULL);
		MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
		if (rank == 0)
			pthread_join(t, NULL);
		printf("%d %d %d\n", all[0], all[1], n);
	} else if (strcmp(how, "sums") == 0) {
		pthread_create(&t, NULL, sum, &n);
		for (int i = 0; i < 50; i++)
			MPI_Allreduce(&m, all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
		pthread_join(t, NULL);
		printf("%d %d\n", n, all[0]);
	} else if (strcmp(how, "lonely") == 0)
		both(lonely, &n, lonely, &m);
	else if (strcmp(how, "one") == 0)
		lonely(&n);
	else if (strcmp(how, "seeks") == 0) { /* the main thread is awake when the other one begins to wait */
		pthread_create(&t, NULL, seek, &n);
		compute(&m);
		pthread_join(t, NULL);
	} else if (strcmp(how, "both seek") == 0)
		both(seek, &n, lonely, &m);
	MPI_Comm_free(&second);
	MPI_Finalize();
	return 0;
}
