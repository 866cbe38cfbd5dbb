/* A rank that cannot be stopped. */
#include <mpi.h>
#include <signal.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	sigset_t all;

	sigfillset(&all);
	MPI_Init(&argc, &argv);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (volatile int i = 0;; i++)
		;
}
