/* Calls that fail, whose results the program drops or looks at; the first argument says which. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DROP(call) do { call; } while (0)
#define CHECK(call) do { if ((call) != MPI_SUCCESS) puts("checked"); } while (0)

static void seen(MPI_File *f, int *code, ...) { puts("handled"); }

static inline void helper(MPI_File f) { MPI_File_sync(f); }

int main(int argc, char **argv)
{
	int rank, x = 1, e, n;
	const char *how = argv[1];
	char text[MPI_MAX_ERROR_STRING];
	MPI_File f = MPI_FILE_NULL;
	MPI_Datatype t;
	MPI_Errhandler h;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(how, "open") == 0) {
		MPI_File_open(MPI_COMM_WORLD, "nothing", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
	} else if (strcmp(how, "macro") == 0) {
		DROP(MPI_File_sync(f));
	} else if (strcmp(how, "inline") == 0) {
		helper(f);
	} else if (strcmp(how, "loop") == 0) {
		for (int i = 0; i < 3; i++)
			MPI_File_seek(f,
				      i, MPI_SEEK_SET);
	} else if (strcmp(how, "line") == 0) {
		e = MPI_File_sync(f); MPI_File_sync(f); e = e || MPI_File_sync(f);
	} else if (strcmp(how, "checked") == 0) {
		e = MPI_File_sync(f); CHECK(MPI_File_sync(f));
	} else if (strcmp(how, "cast") == 0) {
		(void)MPI_File_sync(f);
	} else if (strcmp(how, "handler") == 0) {
		MPI_File_create_errhandler(seen, &h);
		MPI_File_set_errhandler(MPI_FILE_NULL, h);
		MPI_File_sync(f); MPI_Errhandler_free(&h);
	} else if (strcmp(how, "missing") == 0) {
		MPI_File_delete("nothing", MPI_INFO_NULL);
	} else if (strcmp(how, "delete") == 0) {
		if (rank == 0) {
			MPI_File_open(MPI_COMM_SELF, "f", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
			MPI_File_close(&f);
		}
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_File_delete("f", MPI_INFO_NULL);
	} else if (strcmp(how, "message") == 0) {
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
		MPI_Send(&x, 1, MPI_INT, 77, 0, MPI_COMM_WORLD);
	} else if (strcmp(how, "wait") == 0) {
		MPI_Request q;
		MPI_File_open(MPI_COMM_WORLD, "f", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
		MPI_File_iwrite_at(f, 4 * rank, &x, 1, MPI_INT, &q);
		x = 2;
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		MPI_File_close(&f);
	} else if (strcmp(how, "large") == 0) {
		PMPI_File_write_at_c(f, 0, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
	} else if (strcmp(how, "view") == 0) {
		MPI_Type_vector(2, 1, 2, MPI_INT, &t);
		MPI_File_open(MPI_COMM_WORLD, "f", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
		MPI_File_set_view(f, 4 * rank, MPI_INT, t, "native", MPI_INFO_NULL);
		MPI_File_write_all(f, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
		MPI_File_close(&f);
		MPI_Type_free(&t);
	} else if (strcmp(how, "uneven") == 0) {
		MPI_File_open(MPI_COMM_WORLD, "f", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
		if (rank == 0)
			MPI_File_write_all(f, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
		MPI_File_close(&f);
	} else if (strcmp(how, "later") == 0) { /* the race is not the effect of the call that fails */
		MPI_File_open(MPI_COMM_WORLD, "f", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
		MPI_File_write(f, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
		MPI_File_seek(f, -1, MPI_SEEK_SET);
		MPI_File_close(&f);
	} else if (strcmp(how, "string") == 0) {
		e = MPI_File_open(MPI_COMM_WORLD, "nothing", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
		for (int i = 0; i < 3; i++) {
			MPI_Error_string(e, text, &n);
			printf("%s\n", text);
			MPI_Error_class(e, &n);
			printf("%d %d %d %d\n", n == MPI_ERR_NO_SUCH_FILE, e != n, e > n && e <= MPI_ERR_LASTCODE, (int)strlen(text) > 30);
			MPI_Error_string(n, text, &n);
			printf("%s\n", text);
			for (int j = 0; j < 1000; j++) /* other errors take its code only after many */
				x = MPI_File_seek(MPI_FILE_NULL, j, i);
			e = MPI_File_open(MPI_COMM_WORLD, "nothing", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
		}
		MPI_Add_error_class(&n);
		MPI_Add_error_code(n, &x);
		MPI_Add_error_string(x, "mine");
		MPI_Error_string(x, text, &e);
		MPI_Error_class(x, &e);
		printf("%s %d %d\n", text, e == n, n > MPI_ERR_LASTCODE);
		e = MPI_File_sync(MPI_FILE_NULL);
		MPI_File_create_errhandler(seen, &h);
		MPI_File_set_errhandler(MPI_FILE_NULL, h);
		MPI_File_call_errhandler(MPI_FILE_NULL, e);
		MPI_Errhandler_free(&h);
	}
	MPI_Finalize();
	return 0;
}
