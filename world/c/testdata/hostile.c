/* Ways to end a rank that are none of MPI's; the first argument says which. */
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf back;
static volatile int on = 1;

static void *thread(void *x)
{
	MPI_Barrier(MPI_COMM_WORLD);
	return x;
}

static void jump(MPI_Comm *comm, int *code, ...)
{
	longjmp(back, 1);
}

static void meet(void *in, void *inout, int *n, MPI_Datatype *t)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void bye(void)
{
	puts("bye");
	MPI_Finalize();
}

int main(int argc, char **argv)
{
	int rank, one = 1, sum;
	char *volatile wrong = (char *)16;
	pthread_t t;
	MPI_Errhandler h;
	MPI_Op op;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	switch (rank == 1 ? atoi(argv[1]) : -1) {
	case 0:
		pthread_create(&t, NULL, thread, NULL);
		pthread_join(t, NULL);
		break;
	case 1:
		raise(SIGTERM);
		break;
	case 2:
		free(malloc(64));
		free(wrong);
		break;
	case 3:
		printf("%s\n", wrong);
		break;
	case 4:
		MPI_Comm_create_errhandler(jump, &h);
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
		if (setjmp(back) == 0)
			MPI_Send(&one, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
		break;
	case 5:
		wrong = malloc(64);
		free(wrong);
		free(wrong);
		break;
	case 6:
		memset(wrong, 0, 9);
		break;
	}
	switch (atoi(argv[1])) {
	case 7:
		MPI_Op_create(meet, 1, &op);
		MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
		break;
	case 8:
		if (rank == 1)
			abort();
		while (on) /* with no call of MPI */
			;
		break;
	case 9:
		while (on)
			;
		break;
	case 10:
		atexit(bye);
		return 0;
	case 11:
		if (fork() == 0)
			_exit(3);
		wait(&sum);
		printf("the child ended with %d\n", WEXITSTATUS(sum));
		break;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
