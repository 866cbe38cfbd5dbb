#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Ends the process of all ranks, or tries to, as the argument says. */
int main(int argc, char **argv)
{
	int rank, process = getpid(), status = -1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (rank == 1) {
		if (strcmp(argv[1], "kill") == 0)
			kill(process, SIGKILL); /* that of rank 0 is the real one */
		else if (strcmp(argv[1], "self") == 0)
			kill(getpid(), SIGKILL);
		else if (strcmp(argv[1], "exec") == 0)
			execlp("echo", "echo", "gone", NULL);
		else if (strcmp(argv[1], "loop") == 0) {
			printf("begun\n");
			fflush(stdout);
			for (;;)
				MPI_Barrier(MPI_COMM_SELF);
		} else {
			if (fork() == 0)
				execle("/bin/sh", "sh", "-c", "exit $STATUS", NULL, (char *[]){"STATUS=5", NULL});
			wait(&status);
			printf("the child ended with %d\n", WEXITSTATUS(status));
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
