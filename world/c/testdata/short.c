/* Receives of 60 bytes where there is memory for 40 before the next page, which is not mapped:
   right if 40 come, MPI_ERR_BUFFER if 48 come. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *name(int code)
{
	static char text[MPI_MAX_ERROR_STRING];
	int class, n;

	if (code == MPI_SUCCESS)
		return "right";
	MPI_Error_class(code, &class);
	return class == MPI_ERR_BUFFER ? "MPI_ERR_BUFFER" : (MPI_Error_string(code, text, &n), text);
}

static int receive(int how, char *b)
{
	MPI_Request q;
	MPI_Message m;
	MPI_Status st;
	int code;

	switch (how) {
	case 0:
		return MPI_Recv(b, 60, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &st);
	case 1:
		code = MPI_Irecv(b, 60, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &q);
		return code ? code : MPI_Wait(&q, &st);
	case 2:
		return MPI_Sendrecv(b, 0, MPI_BYTE, MPI_PROC_NULL, 0, b, 60, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &st);
	default:
		code = MPI_Mprobe(0, 7, MPI_COMM_WORLD, &m, &st);
		return code ? code : MPI_Mrecv(b, 60, MPI_BYTE, &m, &st);
	}
}

int main(int argc, char **argv)
{
	long page = sysconf(_SC_PAGESIZE);
	char a[48], *p, *b;
	int rank, how;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	memset(a, 'x', sizeof a);
	p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p + page, page);
	b = p + page - 40;
	for (how = 0; how < 4; how++) {
		if (rank == 0) {
			MPI_Send(a, 40, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
			MPI_Send(a, 48, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
			continue;
		}
		memset(b, 0, 40);
		printf("%d: %s", how, name(receive(how, b)));
		printf(" %c%c", b[0], b[39]);
		memset(b, '-', 40);
		printf(", %s", name(receive(how, b)));
		printf(" %c%c\n", b[0], b[39]);
	}
	if (rank == 1)
		printf("no memory at all: %s\n", name(MPI_Irecv(p + page, 60, MPI_BYTE, 0, 9, MPI_COMM_WORLD, &(MPI_Request){0})));
	MPI_Finalize();
	return 0;
}
