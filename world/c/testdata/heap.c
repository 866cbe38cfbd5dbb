/* A rank crashes, and the process that ran it stands still, as one does whose heap is locked for ever. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile int crashing;

static void *stop(void *x)
{
	while (!crashing)
		usleep(1000);
	usleep(100000);
	kill(getpid(), SIGSTOP);
	return x;
}

int main(int argc, char **argv)
{
	int rank;
	pthread_t t;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		for (volatile int i = 0;; i++) /* the world does not end at once */
			;
	pthread_create(&t, NULL, stop, NULL);
	crashing = 1;
	return *(volatile int *)8;
}
