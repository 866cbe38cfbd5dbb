/* What only a rank that is a process can do; the first argument says what. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;

static void *sum(void *x)
{
	int *all = x, one = rank + 1;
	MPI_Allreduce(&one, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	return x;
}

static void *receive(void *x)
{
	MPI_Recv(x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return x;
}

static void *sizes(void *x)
{
	int n, bad = 0;
	for (int i = 0; i < 1000; i++) {
		MPI_Comm_size(MPI_COMM_WORLD, &n);
		bad += n != 2;
	}
	*(int *)x = bad;
	return x;
}

/* A column of a matrix is received while the program sets the other columns, and sends one. */
static void columns(void)
{
	enum { N = 64 };
	static int m[N][N], want = 1;
	MPI_Datatype column;
	MPI_Request q;
	MPI_Type_vector(N, 1, N, MPI_INT, &column);
	MPI_Type_commit(&column);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			m[i][j] = -1;
	MPI_Irecv(&m[0][1], 1, column, 1 - rank, 0, MPI_COMM_WORLD, &q);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			if (j != 1)
				m[i][j] = 100 * rank + i;
	MPI_Send(&m[0][3], 1, column, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			want &= m[i][j] == (j == 1 ? 100 * (1 - rank) : 100 * rank) + i;
	printf("columns %s\n", want ? "right" : "wrong");
	MPI_Type_free(&column);
}

/* A persistent receive, whose buffer the program sets before each start, of shorter messages. */
static void persistent(void)
{
	char in[8], out[8];
	int right = 1;
	MPI_Request q[2];
	MPI_Recv_init(in, 8, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &q[0]);
	MPI_Send_init(out, 4, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &q[1]);
	for (int i = 0; i < 5; i++) {
		memset(in, 'a' + i + 1, sizeof in); /* what comes next */
		memset(out, 'a' + i, sizeof out);
		if (i % 2)
			MPI_Startall(2, q);
		else {
			MPI_Start(&q[0]);
			MPI_Start(&q[1]);
		}
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		right &= in[0] == 'a' + i && in[3] == 'a' + i && in[4] == 'a' + i + 1;
	}
	printf("persistent %s\n", right ? "right" : "wrong");
	MPI_Request_free(&q[0]);
	MPI_Request_free(&q[1]);
}

static int global = 5;

/* Absolute addresses, on the stack, in the heap and among the globals. */
static void bottom(void)
{
	int local = 7, *heap = malloc(sizeof *heap), n[3] = {1, 1, 1}, got[3] = {0};
	MPI_Aint at[3];
	MPI_Datatype t, types[3] = {MPI_INT, MPI_INT, MPI_INT};
	*heap = 6;
	MPI_Get_address(&global, &at[0]);
	MPI_Get_address(heap, &at[1]);
	MPI_Get_address(&local, &at[2]);
	MPI_Type_create_struct(3, n, at, types, &t);
	MPI_Type_commit(&t);
	MPI_Sendrecv(MPI_BOTTOM, 1, t, 1 - rank, 0, got, 3, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < 3; i++)
		got[i] += 10;
	MPI_Sendrecv(got, 3, MPI_INT, 1 - rank, 0, MPI_BOTTOM, 1, t, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	printf("bottom %d %d %d\n", global, *heap, local);
	MPI_Type_free(&t);
	free(heap);
}

/* Addresses as displacements of blocks. */
static void blocks(void)
{
	int a[2] = {rank, rank + 10}, got[2] = {-1, -1}, n[2] = {1, 1}, near[2], first[2];
	MPI_Aint from[2], to[2];
	MPI_Datatype types[2] = {MPI_INT, MPI_INT}, word;
	for (int i = 0; i < 2; i++) {
		MPI_Get_address(&a[i], &from[i]);
		MPI_Get_address(&got[i], &to[i]);
		near[i] = i;
	}
	MPI_Comm ring;
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, (int[]){0, 1}, n, 2, (int[]){0, 1}, n, MPI_INFO_NULL, 0, &ring);
	MPI_Neighbor_alltoallw(MPI_BOTTOM, n, from, types, MPI_BOTTOM, n, to, types, ring);
	memcpy(first, got, sizeof first);
	MPI_Type_create_hindexed(1, n, from, MPI_INT, &word);
	MPI_Type_commit(&word);
	MPI_Alltoallv(MPI_BOTTOM, n, (int[2]){0, 0}, word, got, n, near, MPI_INT, MPI_COMM_WORLD);
	printf("blocks %d %d, %d %d\n", first[0], first[1], got[0], got[1]);
	MPI_Type_free(&word);
	MPI_Comm_free(&ring);
}

static void memory(void)
{
	int *tag_ub, flag, n;
	char *room, *back;
	MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &room);
	memset(room, rank, 1 << 20);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &flag);
	MPI_Buffer_attach(room, 1 << 20);
	MPI_Bsend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Recv(&n, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&back, &flag);
	printf("memory %d %d %d\n", *tag_ub > 32767, n == 1 - rank, back == room && flag == 1 << 20);
	MPI_Free_mem(room);
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	int n = 0, level;
	pthread_t t[2];

	if (strcmp(how, "threads") == 0 || strcmp(how, "both") == 0)
		MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
	else
		MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(how, "threads") == 0) {
		pthread_create(&t[0], NULL, sum, &n);
		pthread_join(t[0], NULL);
		printf("%s: sum %d\n", level == MPI_THREAD_SERIALIZED ? "serialized" : "another level", n);
	} else if (strcmp(how, "both") == 0) {
		int bad[2];
		for (int i = 0; i < 2; i++)
			pthread_create(&t[i], NULL, sizes, &bad[i]);
		for (int i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
		printf("%d bad\n", bad[0] + bad[1]);
	} else if (strcmp(how, "stuck") == 0) {
		if (rank == 1) {
			usleep(200000); /* both threads of rank 0 come meanwhile */
			MPI_Recv(&n, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else {
			pthread_create(&t[0], NULL, receive, &n);
			MPI_Ssend(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
			pthread_join(t[0], NULL);
		}
	} else if (strcmp(how, "child") == 0) {
		if (rank == 1 && fork() == 0)
			MPI_Barrier(MPI_COMM_WORLD);
		wait(&n);
		printf("child %d\n", WEXITSTATUS(n));
	} else if (strcmp(how, "wait") == 0) {
		printf("process %d\n", getpid());
		MPI_Recv(&n, 1, MPI_INT, rank, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	} else if (strcmp(how, "loop") == 0) {
		printf("process %d\n", getpid());
		for (volatile int on = 1; on;)
			;
	} else if (strcmp(how, "chdir") == 0) {
		MPI_File f;
		if (chdir("below") == 0)
			MPI_File_open(MPI_COMM_WORLD, "file", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
		MPI_File_close(&f);
	} else {
		columns();
		persistent();
		bottom();
		blocks();
		memory();
	}
	MPI_Finalize();
	return 0;
}
