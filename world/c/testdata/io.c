#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define CHECK(call) do { int code_ = (call); if (code_ != MPI_SUCCESS) { printf("%s:%d: code %d\n", __FILE__, __LINE__, code_); bad++; } } while (0)
#define EXPECT(what) do { if (!(what)) { printf("%s:%d: not %s\n", __FILE__, __LINE__, #what); bad++; } } while (0)

static int conversions, extents, bad;

static int class_of(int code)
{
	int class = -1;
	MPI_Error_class(code, &class);
	return class;
}

static int extent_of(MPI_Datatype t, MPI_Aint *extent, void *state)
{
	int size;
	extents++;
	MPI_Type_size(t, &size);
	*extent = size;
	return state == &extents ? MPI_SUCCESS : MPI_ERR_CONVERSION;
}

/* Turns every byte of an int over. */
static int convert(void *user, MPI_Datatype t, int count, void *file, MPI_Offset position, int reading)
{
	unsigned char *u = (unsigned char *)user + 4 * position, *f = file;
	int i;
	conversions++;
	for (i = 0; i < 4 * count; i++)
		if (reading)
			u[i] = ~f[i];
		else
			f[i] = ~u[i];
	return t == MPI_INT ? MPI_SUCCESS : MPI_ERR_CONVERSION;
}

static int read_fn(void *user, MPI_Datatype t, int count, void *file, MPI_Offset position, void *state)
{
	return convert(user, t, count, file, position, 1);
}

static int write_fn(void *user, MPI_Datatype t, int count, void *file, MPI_Offset position, void *state)
{
	return convert(user, t, count, file, position, 0);
}

int main(int argc, char **argv)
{
	int rank, size, i, n, buf[4], got[4];
	char rep[MPI_MAX_DATAREP_STRING];
	MPI_Offset where;
	MPI_Datatype every, etype, filetype;
	MPI_File f;
	MPI_Info info, used;
	MPI_Request q[2];
	MPI_Status st, sts[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Info_create(&info);
	MPI_Info_set(info, "cb_nodes", "2");
	CHECK(MPI_File_open(MPI_COMM_WORLD, "ufs:io.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f));
	MPI_Info_free(&info);

	/* A column of each rank, by a view, collectively. */
	MPI_Type_vector(4, 1, size, MPI_INT, &every);
	MPI_Type_commit(&every);
	CHECK(MPI_File_set_view(f, rank * sizeof(int), MPI_INT, every, "native", MPI_INFO_NULL));
	for (i = 0; i < 4; i++)
		buf[i] = 100 * i + rank;
	CHECK(MPI_File_write_at_all(f, 0, buf, 4, MPI_INT, &st));
	MPI_Get_count(&st, MPI_INT, &n);
	EXPECT(n == 4);
	CHECK(MPI_File_sync(f));
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(MPI_File_sync(f));
	CHECK(MPI_File_get_view(f, &where, &etype, &filetype, rep));
	EXPECT(where == rank * 4 && etype == MPI_INT && strcmp(rep, "native") == 0);
	MPI_Type_get_envelope(filetype, &i, &i, &i, &n);
	EXPECT(n == MPI_COMBINER_VECTOR);
	MPI_Type_free(&filetype);
	MPI_Type_free(&every);

	/* The neighbour's, through two requests and the plain view. */
	CHECK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	CHECK(MPI_File_iread_at(f, (rank + 1) % size, &got[0], 1, MPI_INT, &q[0]));
	CHECK(MPI_File_iread_at(f, size + (rank + 1) % size, &got[1], 1, MPI_INT, &q[1]));
	CHECK(MPI_Waitall(2, q, sts));
	EXPECT(got[0] == (rank + 1) % size && got[1] == 100 + (rank + 1) % size);
	MPI_Get_count(&sts[1], MPI_INT, &n);
	EXPECT(n == 1 && q[0] == MPI_REQUEST_NULL);

	/* A split collective, the shared pointer, the size. */
	CHECK(MPI_File_read_at_all_begin(f, 0, got, 4, MPI_INT));
	CHECK(MPI_File_read_at_all_end(f, got, &st));
	EXPECT(got[0] == 0);
	CHECK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	CHECK(MPI_File_read_ordered(f, got, 1, MPI_INT, &st));
	EXPECT(got[0] == rank);
	CHECK(MPI_File_get_size(f, &where));
	EXPECT(where == 16 * size);
	CHECK(MPI_File_sync(f)); /* the size is not read while others write */
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(MPI_File_sync(f));
	CHECK(MPI_File_get_info(f, &used));
	MPI_Info_get_nkeys(used, &n);
	EXPECT(n > 0);
	MPI_Info_free(&used);

	/* A representation of the program's own. */
	CHECK(MPI_Register_datarep("inverted", read_fn, write_fn, extent_of, &extents));
	CHECK(MPI_File_set_view(f, 1000 + 16 * rank, MPI_INT, MPI_INT, "inverted", MPI_INFO_NULL));
	CHECK(MPI_File_write(f, buf, 4, MPI_INT, &st));
	CHECK(MPI_File_seek(f, 0, MPI_SEEK_SET));
	CHECK(MPI_File_read(f, got, 4, MPI_INT, &st));
	EXPECT(memcmp(buf, got, sizeof buf) == 0 && conversions >= 2 && extents >= 1);
	CHECK(MPI_File_set_view(f, 1000 + 16 * rank, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
	CHECK(MPI_File_read_at(f, 0, got, 16, MPI_BYTE, &st));
	EXPECT(got[1] == ~buf[1]);

	/* External32: the bytes of a big-endian machine. */
	CHECK(MPI_File_set_view(f, 2000 + 16 * rank, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
	CHECK(MPI_File_write_at(f, 0, &rank, 1, MPI_INT, &st));
	CHECK(MPI_File_set_view(f, 2000 + 16 * rank, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
	CHECK(MPI_File_read_at(f, 0, got, 4, MPI_BYTE, &st));
	EXPECT(((char *)got)[3] == rank && ((char *)got)[0] == 0);

	/* What is refused: returned, because files begin with MPI_ERRORS_RETURN. */
	EXPECT(class_of(MPI_File_write_at(f, -1, buf, 1, MPI_BYTE, &st)) == MPI_ERR_ARG);
	CHECK(MPI_File_close(&f));
	EXPECT(f == MPI_FILE_NULL);
	i = MPI_File_open(MPI_COMM_SELF, "nothing.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
	EXPECT(class_of(i) == MPI_ERR_NO_SUCH_FILE && f == MPI_FILE_NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		CHECK(MPI_File_delete("io.dat", MPI_INFO_NULL));
	if (bad == 0)
		printf("rank %d: all as it should be\n", rank);
	MPI_Finalize();
	return bad != 0;
}
