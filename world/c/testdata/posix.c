/*
 * Rank 0 calls POSIX or stdio on a file that all ranks use through MPI: the first argument says
 * which function, the second one when. Other arguments are "r" for opening the file for reading,
 * and the file's name for POSIX.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;
static FILE *kept;

static void check(int ok)
{
	if (!ok) {
		perror("posix.c");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
}

static void act(const char *how, const char *mode, const char *name)
{
	const int flags = mode[0] == 'r' && mode[1] == 0 ? O_RDONLY : O_WRONLY | O_CREAT;
	volatile int zero = 0; /* the compiler does not know the flags, so it checks them as the program runs */
	int fd = -1, done = 0;
	FILE *f = NULL;
	if (strcmp(how, "open") == 0)
		fd = open(name, flags | zero, 0666);
	else if (strcmp(how, "open2") == 0)
		fd = open(name, (flags & ~O_CREAT) | zero);
	else if (strcmp(how, "openat") == 0)
		fd = openat(AT_FDCWD, name, flags | zero, 0666);
	else if (strcmp(how, "openat2") == 0)
		fd = openat(AT_FDCWD, name, (flags & ~O_CREAT) | zero);
	else if (strcmp(how, "openin") == 0) {
		int directory = open(".", O_RDONLY);
		check(chdir("/") == 0);
		fd = openat(directory, name, flags, 0666);
		check(fchdir(directory) == 0);
		close(directory);
	} else if (strcmp(how, "creat") == 0)
		fd = creat(name, 0666);
	else if (strcmp(how, "fopen") == 0 || strcmp(how, "keep") == 0)
		f = fopen(name, mode);
	else if (strcmp(how, "freopen") == 0) {
		f = fopen("/dev/null", "r");
		f = freopen(name, mode, f);
#ifdef __USE_LARGEFILE64
	} else if (strcmp(how, "open64") == 0) {
		fd = open64(name, flags, 0666);
	} else if (strcmp(how, "openat64") == 0) {
		fd = openat64(AT_FDCWD, name, flags, 0666);
	} else if (strcmp(how, "creat64") == 0) {
		fd = creat64(name, 0666);
	} else if (strcmp(how, "fopen64") == 0) {
		f = fopen64(name, mode);
	} else if (strcmp(how, "freopen64") == 0) {
		f = freopen64(name, mode, fopen("/dev/null", "r"));
	} else if (strcmp(how, "truncate64") == 0) {
		done = truncate64(name, 4) == 0;
#endif
	} else if (strcmp(how, "many") == 0) {
		for (int i = 0; i < 40000; i++) /* each is two calls */
			check(close(open("text", O_WRONLY | O_CREAT, 0666)) == 0);
		done = 1;
	} else if (strcmp(how, "truncate") == 0) {
		done = truncate(name, 4) == 0;
	} else if (strcmp(how, "unlink") == 0) {
		done = unlink(name) == 0;
	} else if (strcmp(how, "unlinkat") == 0) {
		done = unlinkat(AT_FDCWD, name, 0) == 0;
	} else if (strcmp(how, "remove") == 0) {
		done = remove(name) == 0;
	} else if (strcmp(how, "rename") == 0) {
		done = rename(name, "other") == 0;
	} else if (strcmp(how, "renameat") == 0) {
		done = renameat(AT_FDCWD, name, AT_FDCWD, "other") == 0;
	} else if (strcmp(how, "replace") == 0) {
		f = fopen("new", "w");
		done = rename("new", name) == 0;
	}
	check(fd >= 0 || f != NULL || done);
	if (strcmp(how, "keep") == 0)
		kept = f;
	else if (f != NULL)
		fclose(f);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	const char *how = argv[1], *when = argv[2], *mode = argc > 3 ? argv[3] : "w", *name = argc > 4 ? argv[4] : "f";
	MPI_Comm comm = strstr(when, "alone") != NULL ? MPI_COMM_SELF : MPI_COMM_WORLD;
	int size;
	MPI_File f = MPI_FILE_NULL;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
	if (rank == 0 && strncmp(when, "before", 6) == 0)
		act(how, mode, name);
	if (strstr(when, "before barrier") != NULL)
		MPI_Barrier(MPI_COMM_WORLD);
	if (comm == MPI_COMM_WORLD || rank == 1) {
		MPI_File_open(comm, "f", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
		MPI_File_write_at(f, 8 * rank, "abcdefgh", 8, MPI_CHAR, MPI_STATUS_IGNORE);
	}
	if (strstr(when, "during") != NULL) {
		if (strstr(when, "synced") != NULL)
			MPI_File_sync(f);
		if (strstr(when, "barrier") != NULL)
			MPI_Barrier(MPI_COMM_WORLD);
		if (rank == 0)
			act(how, mode, name);
	}
	if (kept != NULL) {
		fputs("kept", kept);
		fclose(kept);
	}
	if (f != MPI_FILE_NULL)
		MPI_File_close(&f);
	if (strstr(when, "after barrier") != NULL)
		MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0 && strstr(when, "after") != NULL)
		act(how, mode, name);
	MPI_Finalize();
	return 0;
}
