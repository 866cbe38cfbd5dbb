/* Prints what calls return where the standard has a named number, beside that name. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

#define IS(name, value) (rank == 0 ? printf(#name " %lld\n", (long long)(value)) : 0)

static int combiner(MPI_Datatype t)
{
	int ni, na, nd, c, c2;
	MPI_Count li, la, lc, ld;
	MPI_Type_get_envelope(t, &ni, &na, &nd, &c);
	MPI_Type_get_envelope_c(t, &li, &la, &lc, &ld, &c2);
	return c == c2 ? c : -1;
}

static void combiners(void)
{
	int one = 1, zero = 0, dist = MPI_DISTRIBUTE_BLOCK, arg = MPI_DISTRIBUTE_DFLT_DARG;
	int ni, na, nd, which, ints[16];
	MPI_Aint addresses[4], none = 0;
	MPI_Datatype t, types[4], of = MPI_INT;

	IS(MPI_COMBINER_NAMED, combiner(MPI_INT));
	MPI_Type_dup(MPI_INT, &t), IS(MPI_COMBINER_DUP, combiner(t));
	MPI_Type_contiguous(2, MPI_INT, &t), IS(MPI_COMBINER_CONTIGUOUS, combiner(t));
	MPI_Type_get_contents(t, 1, 0, 1, ints, addresses, types), IS(MPI_INT, (intptr_t)types[0]);
	MPI_Type_vector(2, 1, 2, MPI_INT, &t), IS(MPI_COMBINER_VECTOR, combiner(t));
	MPI_Type_create_hvector(2, 1, 8, MPI_INT, &t), IS(MPI_COMBINER_HVECTOR, combiner(t));
	MPI_Type_indexed(1, &one, &zero, MPI_INT, &t), IS(MPI_COMBINER_INDEXED, combiner(t));
	MPI_Type_create_hindexed(1, &one, &none, MPI_INT, &t), IS(MPI_COMBINER_HINDEXED, combiner(t));
	MPI_Type_create_indexed_block(1, 1, &zero, MPI_INT, &t), IS(MPI_COMBINER_INDEXED_BLOCK, combiner(t));
	MPI_Type_create_hindexed_block(1, 1, &none, MPI_INT, &t), IS(MPI_COMBINER_HINDEXED_BLOCK, combiner(t));
	MPI_Type_create_struct(1, &one, &none, &of, &t), IS(MPI_COMBINER_STRUCT, combiner(t));
	MPI_Type_create_subarray(1, &one, &one, &zero, MPI_ORDER_C, MPI_INT, &t), IS(MPI_COMBINER_SUBARRAY, combiner(t));
	MPI_Type_get_contents(t, 5, 0, 1, ints, addresses, types), IS(MPI_ORDER_C, ints[4]);
	MPI_Type_create_subarray(1, &one, &one, &zero, MPI_ORDER_FORTRAN, MPI_INT, &t);
	MPI_Type_get_contents(t, 5, 0, 1, ints, addresses, types), IS(MPI_ORDER_FORTRAN, ints[4]);
	MPI_Type_create_darray(1, 0, 1, &one, &dist, &arg, &one, MPI_ORDER_C, MPI_INT, &t), IS(MPI_COMBINER_DARRAY, combiner(t));
	MPI_Type_get_contents(t, 8, 0, 1, ints, addresses, types);
	IS(MPI_DISTRIBUTE_BLOCK, ints[4]), IS(MPI_DISTRIBUTE_DFLT_DARG, ints[5]), IS(MPI_ORDER_C, ints[7]);
	dist = MPI_DISTRIBUTE_CYCLIC;
	MPI_Type_create_darray(1, 0, 1, &one, &dist, &one, &one, MPI_ORDER_FORTRAN, MPI_INT, &t);
	MPI_Type_get_contents(t, 8, 0, 1, ints, addresses, types), IS(MPI_DISTRIBUTE_CYCLIC, ints[4]), IS(MPI_ORDER_FORTRAN, ints[7]);
	dist = MPI_DISTRIBUTE_NONE;
	MPI_Type_create_darray(1, 0, 1, &one, &dist, &arg, &one, MPI_ORDER_C, MPI_INT, &t);
	MPI_Type_get_contents(t, 8, 0, 1, ints, addresses, types), IS(MPI_DISTRIBUTE_NONE, ints[4]);
	MPI_Type_create_f90_real(6, 20, &t), IS(MPI_COMBINER_F90_REAL, combiner(t));
	MPI_Type_create_f90_real(6, MPI_UNDEFINED, &t);
	MPI_Type_get_contents(t, 2, 0, 0, ints, addresses, types), IS(MPI_UNDEFINED, ints[1]);
	MPI_Type_create_f90_complex(6, 20, &t), IS(MPI_COMBINER_F90_COMPLEX, combiner(t));
	MPI_Type_create_f90_integer(9, &t), IS(MPI_COMBINER_F90_INTEGER, combiner(t));
	MPI_Type_create_resized(MPI_INT, 0, 8, &t), IS(MPI_COMBINER_RESIZED, combiner(t));
	MPI_Type_get_envelope(t, &ni, &na, &nd, &which), IS(MPI_COMBINER_RESIZED, which);
	MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &t);
	IS(MPI_DOUBLE_INT, (intptr_t)t);
	MPI_Type_get_value_index(MPI_DOUBLE, MPI_LONG, &t), IS(MPI_COMBINER_VALUE_INDEX, combiner(t));
	MPI_Type_get_value_index(MPI_BYTE, MPI_BYTE, &t), IS(MPI_DATATYPE_NULL, (intptr_t)t);
	MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &t), IS(MPI_INTEGER4, (intptr_t)t);
	MPI_Type_match_size(MPI_TYPECLASS_REAL, 4, &t), IS(MPI_REAL4, (intptr_t)t);
	MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &t), IS(MPI_COMPLEX8, (intptr_t)t);
	MPI_Type_dup(MPI_INT, &t), MPI_Type_free(&t), IS(MPI_DATATYPE_NULL, (intptr_t)t);
}

static void comparisons(void)
{
	int order[] = {1, 0}, n, edges[] = {1, 0}, source, target, *unweighted = MPI_UNWEIGHTED;
	MPI_Comm dup, turned, cart, graph, dist, nothing;
	MPI_Group all, other, first;

	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &n), IS(MPI_IDENT, n);
	MPI_Comm_compare(MPI_COMM_WORLD, dup, &n), IS(MPI_CONGRUENT, n);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
	MPI_Comm_compare(MPI_COMM_WORLD, turned, &n), IS(MPI_SIMILAR, n);
	MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &n), IS(MPI_UNEQUAL, n);
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 2, order, &other), MPI_Group_incl(all, 1, order, &first);
	MPI_Group_compare(all, all, &n), IS(MPI_IDENT, n);
	MPI_Group_compare(all, other, &n), IS(MPI_SIMILAR, n);
	MPI_Group_compare(all, first, &n), IS(MPI_UNEQUAL, n);
	MPI_Group_rank(first, &n), IS(MPI_UNDEFINED, n);
	MPI_Group_translate_ranks(all, 1, &(int){0}, first, &n), IS(MPI_UNDEFINED, n);
	MPI_Group_translate_ranks(all, 1, &(int){MPI_PROC_NULL}, first, &n), IS(MPI_PROC_NULL, n);
	MPI_Group_incl(all, 0, order, &other), IS(MPI_GROUP_EMPTY, (intptr_t)other);
	MPI_Group_free(&all), IS(MPI_GROUP_NULL, (intptr_t)all);
	MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &nothing), IS(MPI_COMM_NULL, (intptr_t)nothing);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &nothing);
	MPI_Comm_compare(MPI_COMM_WORLD, nothing, &n), IS(MPI_CONGRUENT, n);

	MPI_Topo_test(MPI_COMM_WORLD, &n), IS(MPI_UNDEFINED, n);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &(int){2}, &(int){0}, 0, &cart), MPI_Topo_test(cart, &n), IS(MPI_CART, n);
	MPI_Cart_shift(cart, 0, 1, &source, &target), IS(MPI_PROC_NULL, source);
	MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){1, 2}, edges, 0, &graph), MPI_Topo_test(graph, &n), IS(MPI_GRAPH, n);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &edges[rank], unweighted, 1, &edges[rank], unweighted, MPI_INFO_NULL, 0, &dist);
	MPI_Topo_test(dist, &n), IS(MPI_DIST_GRAPH, n);
	MPI_Comm_free(&dup), IS(MPI_COMM_NULL, (intptr_t)dup);
	for (MPI_Comm *c = (MPI_Comm[]){turned, cart, graph, dist, nothing, 0}; *c != 0; c++)
		MPI_Comm_free(c);
}

static void messages(void)
{
	int x, n;
	MPI_Status s;
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Message m;

	MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_SELF, &s), IS(MPI_PROC_NULL, s.MPI_SOURCE), IS(MPI_ANY_TAG, s.MPI_TAG);
	MPI_Wait(&q, &s), IS(MPI_ANY_SOURCE, s.MPI_SOURCE), IS(MPI_ANY_TAG, s.MPI_TAG);
	MPI_Waitany(1, &q, &n, &s), IS(MPI_UNDEFINED, n);
	MPI_Testsome(1, &q, &n, &x, &s), IS(MPI_UNDEFINED, n);
	MPI_Sendrecv("abc", 3, MPI_BYTE, 0, 0, &x, 3, MPI_BYTE, 0, 0, MPI_COMM_SELF, &s);
	MPI_Get_count(&s, MPI_INT, &n), IS(MPI_UNDEFINED, n);
	MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_SELF, &m, &s), IS(MPI_MESSAGE_NO_PROC, (intptr_t)m);
	MPI_Mrecv(&x, 1, MPI_INT, &m, &s), IS(MPI_MESSAGE_NULL, (intptr_t)m);
	MPI_Isend(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &q), MPI_Wait(&q, &s), IS(MPI_REQUEST_NULL, (intptr_t)q);
	MPI_Op o;
	MPI_Op_create((MPI_User_function *)combiners, 1, &o), MPI_Op_free(&o), IS(MPI_OP_NULL, (intptr_t)o);
}

static void attributes(void)
{
	int *value, found, key;
	MPI_Errhandler e;

	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &found), IS(MPI_PROC_NULL, *value);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &found), IS(MPI_ANY_SOURCE, *value);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &found), IS(MPI_ERR_LASTCODE, *value);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_free_keyval(&key), IS(MPI_KEYVAL_INVALID, key);
	MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
	MPI_Type_free_keyval(&key), IS(MPI_KEYVAL_INVALID, key);
	MPI_File_get_errhandler(MPI_FILE_NULL, &e), IS(MPI_ERRORS_RETURN, (intptr_t)e);
	MPI_Errhandler_free(&e), IS(MPI_ERRHANDLER_NULL, (intptr_t)e);
}

static void threads(int provided)
{
	int level;
	IS(MPI_THREAD_FUNNELED, provided);
	MPI_Query_thread(&level), IS(MPI_THREAD_FUNNELED, level);
	MPI_T_init_thread(MPI_THREAD_SINGLE, &level), IS(MPI_THREAD_SINGLE, level);
	MPI_T_init_thread(MPI_THREAD_FUNNELED, &level), IS(MPI_THREAD_FUNNELED, level);
}

/* Opens a file in a mode and returns the mode that it then has. */
static int amode(int mode)
{
	MPI_File f;
	int got = -1;
	MPI_File_open(MPI_COMM_SELF, "returned.dat", mode, MPI_INFO_NULL, &f);
	MPI_File_get_amode(f, &got);
	MPI_File_close(&f);
	return got;
}

#define MODE(name, with) IS(name, amode(name | (with)) & ~(with))

static void files(void)
{
	MPI_File f;
	MPI_Offset at;
	MPI_Datatype etype, filetype;
	char rep[MPI_MAX_DATAREP_STRING];
	MPI_Info info = MPI_INFO_NULL;

	MODE(MPI_MODE_CREATE, MPI_MODE_WRONLY), MODE(MPI_MODE_RDONLY, 0), MODE(MPI_MODE_RDWR, 0), MODE(MPI_MODE_WRONLY, 0);
	MODE(MPI_MODE_APPEND, MPI_MODE_RDWR), MODE(MPI_MODE_UNIQUE_OPEN, MPI_MODE_RDWR), MODE(MPI_MODE_SEQUENTIAL, MPI_MODE_RDONLY);
	MODE(MPI_MODE_DELETE_ON_CLOSE, MPI_MODE_RDWR), MODE(MPI_MODE_EXCL, MPI_MODE_CREATE | MPI_MODE_RDWR);

	MPI_File_open(MPI_COMM_SELF, "returned.dat", MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	MPI_File_set_size(f, 1000);
	MPI_File_seek(f, 7, MPI_SEEK_SET), MPI_File_seek(f, 395, MPI_SEEK_CUR);
	MPI_File_get_position(f, &at), IS(MPI_SEEK_END, at);
	MPI_File_seek(f, -599, MPI_SEEK_END), MPI_File_get_position(f, &at), IS(MPI_SEEK_CUR, at);
	MPI_File_seek_shared(f, 8, MPI_SEEK_SET), MPI_File_seek_shared(f, 395, MPI_SEEK_CUR);
	MPI_File_get_position_shared(f, &at), IS(MPI_SEEK_SET, at);
	MPI_File_set_view(f, 12, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
	MPI_File_get_view(f, &at, &etype, &filetype, rep), IS(MPI_DOUBLE, (intptr_t)etype), IS(MPI_DOUBLE, (intptr_t)filetype);
	MPI_File_close(&f), IS(MPI_FILE_NULL, (intptr_t)f);
	MPI_Info_create(&info), MPI_Info_free(&info), IS(MPI_INFO_NULL, (intptr_t)info);
}

#define ERROR(name, call) (code = (call), MPI_Error_class(code, &class), IS(name, class))

static void errors(void)
{
	int code, class, x = 0, y = 0;
	MPI_Comm c, cart;
	MPI_File f;
	MPI_Request q, wild = (MPI_Request)&x;
	MPI_Info info;
	MPI_Status s[2];
	char value[MPI_MAX_INFO_VAL + 2];

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	ERROR(MPI_SUCCESS, MPI_Comm_rank(MPI_COMM_SELF, &x));
	ERROR(MPI_ERR_BUFFER, MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_SELF));
	ERROR(MPI_ERR_COUNT, MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_SELF));
	ERROR(MPI_ERR_TYPE, MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_SELF));
	ERROR(MPI_ERR_TAG, MPI_Send(&x, 1, MPI_INT, 0, -9, MPI_COMM_SELF));
	ERROR(MPI_ERR_COMM, MPI_Barrier(MPI_COMM_NULL));
	ERROR(MPI_ERR_RANK, MPI_Send(&x, 1, MPI_INT, 9, 0, MPI_COMM_SELF));
	ERROR(MPI_ERR_REQUEST, MPI_Wait(&wild, MPI_STATUS_IGNORE));
	ERROR(MPI_ERR_ROOT, MPI_Bcast(&x, 1, MPI_INT, 9, MPI_COMM_SELF));
	ERROR(MPI_ERR_GROUP, MPI_Group_size(MPI_GROUP_NULL, &x));
	ERROR(MPI_ERR_OP, MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_SELF));
	ERROR(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(MPI_COMM_SELF, &x));
	MPI_Cart_create(MPI_COMM_SELF, 1, &(int){1}, &(int){0}, 0, &cart);
	ERROR(MPI_ERR_DIMS, MPI_Dims_create(6, 2, (int[]){4, 0}));
	ERROR(MPI_ERR_ARG, MPI_Comm_rank(MPI_COMM_SELF, NULL));
	MPI_Isend(&(int[2]){0}, 2, MPI_INT, 0, 0, MPI_COMM_SELF, &q);
	ERROR(MPI_ERR_TRUNCATE, MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	ERROR(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&(int){77}));
	ERROR(MPI_ERR_ERRHANDLER, MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRHANDLER_NULL));
	ERROR(MPI_ERR_UNSUPPORTED_OPERATION, MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, MPI_COMM_SELF, &(MPI_Win){0}));
	MPI_Info_create(&info);
	ERROR(MPI_ERR_INFO_NOKEY, MPI_Info_delete(info, "nothing"));
	ERROR(MPI_ERR_INFO_KEY, MPI_Info_set(info, "", "x"));
	memset(value, 'v', sizeof value - 1), value[sizeof value - 1] = 0;
	ERROR(MPI_ERR_INFO_VALUE, MPI_Info_set(info, "x", value));
	ERROR(MPI_ERR_INFO, MPI_Info_delete(MPI_INFO_NULL, "x"));
	MPI_Info_free(&info);

	ERROR(MPI_ERR_NO_SUCH_FILE, MPI_File_open(MPI_COMM_SELF, "nothing.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
	ERROR(MPI_ERR_AMODE, MPI_File_open(MPI_COMM_SELF, "e.dat", MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL, &f));
	ERROR(MPI_ERR_FILE, MPI_File_sync(MPI_FILE_NULL));
	MPI_File_open(MPI_COMM_SELF, rank == 0 ? "e0.dat" : "e1.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
	ERROR(MPI_ERR_FILE_EXISTS, MPI_File_open(MPI_COMM_SELF, rank == 0 ? "e0.dat" : "e1.dat", MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY, MPI_INFO_NULL, &(MPI_File){0}));
	ERROR(MPI_ERR_FILE_IN_USE, MPI_File_open(MPI_COMM_SELF, rank == 0 ? "e0.dat" : "e1.dat", MPI_MODE_UNIQUE_OPEN | MPI_MODE_WRONLY, MPI_INFO_NULL, &(MPI_File){0}));
	ERROR(MPI_ERR_ACCESS, MPI_File_read(f, &x, 1, MPI_INT, MPI_STATUS_IGNORE));
	ERROR(MPI_ERR_UNSUPPORTED_DATAREP, MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "nothing", MPI_INFO_NULL));
	ERROR(MPI_ERR_ARG, MPI_File_seek(f, -1, MPI_SEEK_SET));
	ERROR(MPI_ERR_ARG, MPI_File_write_at(f, -4, &x, 1, MPI_INT, MPI_STATUS_IGNORE));
	MPI_File_close(&f);
	ERROR(MPI_ERR_NOT_SAME, MPI_File_open(MPI_COMM_WORLD, "e.dat", MPI_MODE_CREATE | (rank == 0 ? MPI_MODE_RDWR : MPI_MODE_WRONLY), MPI_INFO_NULL, &f));
	ERROR(MPI_ERR_DUP_DATAREP, MPI_Register_datarep("native", NULL, NULL, (MPI_Datarep_extent_function *)errors, NULL));
	ERROR(MPI_ERR_OTHER, MPI_Init(NULL, NULL));

	MPI_Request both[2];
	MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &both[0]), MPI_Irecv(&y, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &both[1]);
	MPI_Send((int[2]){0}, 2, MPI_INT, 0, 0, MPI_COMM_SELF);
	ERROR(MPI_ERR_IN_STATUS, MPI_Waitall(2, both, s));
	MPI_Error_class(s[0].MPI_ERROR, &class), IS(MPI_ERR_TRUNCATE, class), IS(MPI_SUCCESS, s[1].MPI_ERROR);
	MPI_Comm_dup(MPI_COMM_SELF, &c), MPI_Comm_free(&c), MPI_Comm_free(&cart);
}

int main(int argc, char **argv)
{
	int provided;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	combiners();
	comparisons();
	messages();
	attributes();
	threads(provided);
	if (rank == 0)
		files();
	errors();
	MPI_Finalize();
	return 0;
}
