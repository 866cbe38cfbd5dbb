/* Threads that call MPI as they must not; the first argument says how. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, other, here[2];
static MPI_Comm comms[2];
static MPI_Request request;
static pthread_barrier_t meet;

static void *collective(void *x)
{
	const int i = x == &here[1];
	pthread_barrier_wait(&meet);
	MPI_Barrier(comms[i]); /* rank 1 comes later */
	return x;
}

static void *complete(void *x)
{
	pthread_barrier_wait(&meet);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	return x;
}

static void *size(void *x)
{
	MPI_Comm_size(MPI_COMM_WORLD, x);
	return x;
}

static void *finish(void *x)
{
	MPI_Finalize();
	return x;
}

static void *receive(void *x)
{
	MPI_Recv(x, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return x;
}

static void *idle(void *x)
{
	pause();
	return x;
}

static void both(void *(*f)(void *))
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, f, &here[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	int level = MPI_THREAD_MULTIPLE;
	pthread_t t;

	pthread_barrier_init(&meet, NULL, 2);
	if (strcmp(how, "funneled") == 0)
		level = MPI_THREAD_FUNNELED;
	if (strcmp(how, "single") == 0) {
		level = MPI_THREAD_SINGLE;
		pthread_create(&t, NULL, idle, NULL);
	}
	if (strcmp(how, "at once") == 0)
		level = MPI_THREAD_SERIALIZED;
	MPI_Init_thread(&argc, &argv, level, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	other = 1 - rank;
	comms[0] = comms[1] = MPI_COMM_WORLD;
	if (strcmp(how, "apart") == 0)
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
	MPI_Barrier(MPI_COMM_WORLD);
	if (strcmp(how, "collectives") == 0 || strcmp(how, "apart") == 0) {
		if (rank == 0)
			both(collective);
		else {
			usleep(200000);
			MPI_Barrier(comms[0]);
			MPI_Barrier(comms[1]);
		}
	} else if (strcmp(how, "request") == 0) {
		if (rank == 0) {
			MPI_Irecv(&here[0], 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request);
			both(complete);
		} else {
			usleep(200000);
			MPI_Send(&rank, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
		}
	} else if (strcmp(how, "funneled") == 0) {
		pthread_create(&t, NULL, size, &here[0]);
		pthread_join(t, NULL);
	} else if (strcmp(how, "at once") == 0) {
		if (rank == 0) {
			pthread_create(&t, NULL, receive, &here[0]);
			usleep(100000);
			size(&here[1]);
			pthread_join(t, NULL);
		} else {
			usleep(200000);
			MPI_Send(&rank, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
		}
	} else if (strcmp(how, "finalize") == 0) {
		pthread_create(&t, NULL, finish, NULL);
		pthread_join(t, NULL);
		return 0;
	}
	if (comms[1] != MPI_COMM_WORLD)
		MPI_Comm_free(&comms[1]);
	MPI_Finalize();
	return 0;
}
