/* The program crashes in its first run; in the next one of the same process, the process stands still. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	if (getenv("CRASHED") != NULL)
		syscall(SYS_kill, getpid(), SIGSTOP);
	setenv("CRASHED", "1", 1);
	return *(volatile int *)8;
}
