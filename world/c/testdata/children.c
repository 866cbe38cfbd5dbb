/* Processes that a rank forks end as processes do, however they end; a thread may outlive main. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((destructor)) void last(void)
{
	puts("destructor");
	fflush(stdout);
}

static void bye(void)
{
	puts("atexit");
	fflush(stdout);
}

static void *forever(void *x)
{
	for (;;)
		usleep(100);
	return x;
}

/* An operation of a reduction whose child returns to MPI. */
static void forks(void *in, void *inout, int *n, MPI_Datatype *t)
{
	int status;
	pid_t child = fork();
	if (child == 0)
		return;
	waitpid(child, &status, 0);
	printf("operation: status %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	int status, one = 1, sum;
	pid_t child;
	pthread_t t;
	MPI_Op op;

	MPI_Init(&argc, &argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (strcmp(argv[1], "thread") == 0) {
		atexit(bye);
		pthread_create(&t, NULL, forever, NULL);
	} else if (strcmp(argv[1], "return") == 0) {
		if ((child = fork()) == 0)
			return 5;
		waitpid(child, &status, 0);
		printf("status %d\n", WEXITSTATUS(status));
	} else if (strcmp(argv[1], "terminate") == 0) {
		if ((child = fork()) == 0)
			for (;;)
				pause();
		kill(child, SIGTERM);
		waitpid(child, &status, 0);
		printf("signal %d\n", WTERMSIG(status));
	} else if (strcmp(argv[1], "crash") == 0) {
		if ((child = fork()) == 0)
			*(volatile int *)8 = 1;
		waitpid(child, &status, 0);
		printf("signal %d\n", WTERMSIG(status));
	} else {
		MPI_Op_create(forks, 1, &op);
		MPI_Reduce_local(&one, &sum, 1, MPI_INT, op);
		MPI_Op_free(&op);
	}
	MPI_Finalize();
	return 0;
}
