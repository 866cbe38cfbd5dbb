/*
 * The C side of the Fortran interfaces. fortran.go puts the procedures that it makes behind
 * this. It is compiled into each program, without line numbers: a report has the line of the
 * program that called.
 */
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ISO_Fortran_binding.h>

#define WEAK __attribute__((weak))
#define ALIAS(symbol, other) extern __typeof__(symbol) other __attribute__((weak, alias(#symbol)));

/* What is passed to leave an argument out, or for a special buffer: Fortran knows them by their addresses. */
#define SENTINEL __attribute__((aligned(32)))
SENTINEL int mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_buffer_automatic_;
SENTINEL int mpi_fortran_unweighted_, mpi_fortran_weights_empty_, mpi_fortran_errcodes_ignore_;
SENTINEL char mpi_fortran_argv_null_, mpi_fortran_argvs_null_;
SENTINEL MPI_Status mpi_fortran_status_ignore_, mpi_fortran_statuses_ignore_;

#define STATUS(s) ((MPI_Status *)(s) == &mpi_fortran_status_ignore_ || (MPI_Status *)(s) == &mpi_fortran_statuses_ignore_ ? MPI_STATUS_IGNORE : (MPI_Status *)(s))
#define WEIGHTS(w) ((w) == &mpi_fortran_unweighted_ ? MPI_UNWEIGHTED : (w) == &mpi_fortran_weights_empty_ ? MPI_WEIGHTS_EMPTY : (w))

/*
 * A handle of Fortran is an integer that commworld accepts as a handle of C, too. Only handles
 * of very many objects are in a list, whose numbers are in a range of their own.
 */
enum { PREDEFINED = 1 << 12, LISTED = 1 << 27 };
#define HANDLE(kind, n) ((n) >= PREDEFINED && (n) < LISTED ? (void *)PMPI_##kind##_f2c(n) : (void *)(intptr_t)(n))
#define INTEGER(kind, h) ((int64_t)(h) >= 0 && (int64_t)(h) < PREDEFINED ? (int)(int64_t)(h) : PMPI_##kind##_c2f(h))

#define FEW 16
#define ARRAY(type, name, length)                                                                                      \
	MPI_Count n_##name = (length);                                                                                 \
	type few_##name[FEW], *c_##name = n_##name > FEW ? malloc(n_##name * sizeof(type)) : few_##name;               \
	if (c_##name == NULL)                                                                                          \
		n_##name = 0
#define END_ARRAY(name)                                                                                                \
	if (c_##name != few_##name)                                                                                    \
		free(c_##name)

/* Not a buffer: what commworld gets for a section of an array that it cannot use. */
#define MPI_COMMWORLD_SECTION ((void *)3)

static void *commworld_buffer(void *b)
{
	if (b == &mpi_fortran_bottom_)
		return MPI_BOTTOM;
	if (b == &mpi_fortran_in_place_)
		return MPI_IN_PLACE;
	if (b == &mpi_fortran_buffer_automatic_)
		return MPI_BUFFER_AUTOMATIC;
	return b;
}

/* Whether what d describes is contiguous; the last extent of an array of assumed size is -1. */
static int contiguous(const CFI_cdesc_t *d)
{
	CFI_index_t size = d->elem_len;
	for (int i = 0; i < d->rank; i++) {
		if (d->dim[i].extent == 0)
			return 1;
		if (d->dim[i].extent != 1 && d->dim[i].sm != size)
			return 0;
		size *= d->dim[i].extent;
	}
	return 1;
}

static void *commworld_whole(CFI_cdesc_t *d) { return contiguous(d) ? commworld_buffer(d->base_addr) : MPI_COMMWORLD_SECTION; }

static size_t elements(const CFI_cdesc_t *d)
{
	size_t n = 1;
	for (int i = 0; i < d->rank; i++)
		n *= d->dim[i].extent;
	return n;
}

/* Returns the offset of the element at indices, and moves on to the next one. */
static CFI_index_t next_element(const CFI_cdesc_t *d, CFI_index_t *indices)
{
	CFI_index_t offset = 0;
	for (int i = 0; i < d->rank; i++)
		offset += indices[i] * d->dim[i].sm;
	for (int i = 0; i < d->rank && ++indices[i] == d->dim[i].extent; i++)
		indices[i] = 0;
	return offset;
}

/* A copy of a section of an array. */
struct copy {
	const CFI_cdesc_t *section; /* NULL if there is no copy */
	char *memory;
};

static void move(const struct copy *c, int back)
{
	const CFI_cdesc_t *d = c->section;
	CFI_index_t indices[CFI_MAX_RANK] = {0};
	char *to = c->memory;
	for (size_t n = elements(d); n > 0; n--, to += d->elem_len) {
		char *element = (char *)d->base_addr + next_element(d, indices);
		memcpy(back ? element : to, back ? to : element, d->elem_len);
	}
}

/* Returns the address of a buffer, which is that of a copy if the array is not contiguous. */
static void *commworld_gather(struct copy *c, const CFI_cdesc_t *d)
{
	*c = (struct copy){0};
	if (contiguous(d))
		return commworld_buffer(d->base_addr);
	c->memory = malloc(elements(d) * d->elem_len);
	if (c->memory == NULL)
		return MPI_COMMWORLD_SECTION;
	c->section = d;
	move(c, 0);
	return c->memory;
}

static void commworld_scatter(const struct copy *c, int changed)
{
	if (c->section != NULL && changed)
		move(c, 1);
	free(c->memory);
}

/*
 * Returns the address of a buffer. If the array is not contiguous, count and datatype become
 * those of its elements, and made is the datatype to free.
 */
static void *commworld_typed(const CFI_cdesc_t *d, MPI_Count *count, MPI_Datatype *datatype, MPI_Datatype *made)
{
	if (contiguous(d) || *count <= 0)
		return commworld_buffer(d->base_addr);
	MPI_Count size, low, extent, true_low, true_extent;
	if (PMPI_Type_size_x(*datatype, &size) || PMPI_Type_get_extent_x(*datatype, &low, &extent) ||
	    PMPI_Type_get_true_extent_x(*datatype, &true_low, &true_extent))
		return d->base_addr; /* an error of the call */
	if (size == 0 || size != extent || size != true_extent || low != 0 || true_low != 0 || d->elem_len % size != 0)
		return MPI_COMMWORLD_SECTION;
	const MPI_Count each = d->elem_len / size;
	if (*count % each != 0 || (size_t)(*count / each) > elements(d))
		return MPI_COMMWORLD_SECTION;
	const MPI_Count n = *count / each;
	MPI_Count *offsets = malloc(n * sizeof *offsets);
	if (offsets == NULL)
		return MPI_COMMWORLD_SECTION;
	CFI_index_t indices[CFI_MAX_RANK] = {0};
	for (MPI_Count i = 0; i < n; i++)
		offsets[i] = next_element(d, indices);
	if (PMPI_Type_create_hindexed_block_c(n, each, offsets, *datatype, made) == MPI_SUCCESS && PMPI_Type_commit(made) == MPI_SUCCESS) {
		*count = 1;
		*datatype = *made;
	}
	free(offsets);
	return d->base_addr;
}

/* The number of datatypes that a rank sends to, or receives from, in MPI_ALLTOALLW. */
static MPI_Count commworld_peers(MPI_Comm comm)
{
	int inter = 0, n = 0;
	if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
		return 0;
	if (inter)
		PMPI_Comm_remote_size(comm, &n);
	else
		PMPI_Comm_size(comm, &n);
	return n;
}

/* The number of datatypes that a rank sends to, or receives from, in MPI_NEIGHBOR_ALLTOALLW. */
static MPI_Count commworld_neighbors(MPI_Comm comm, int sends)
{
	int kind = MPI_UNDEFINED, n = 0, other = 0, weighted = 0, rank = 0;
	if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS)
		return 0;
	switch (kind) {
	case MPI_CART:
		PMPI_Cartdim_get(comm, &n);
		return 2 * n;
	case MPI_GRAPH:
		PMPI_Comm_rank(comm, &rank);
		PMPI_Graph_neighbors_count(comm, rank, &n);
		return n;
	case MPI_DIST_GRAPH:
		PMPI_Dist_graph_neighbors_count(comm, &n, &other, &weighted);
		return sends ? other : n;
	}
	return 0;
}

/* Returns a text of C without the blanks at the end, or without those at the beginning either. */
static char *commworld_text(const char *s, size_t n, int both)
{
	while (n > 0 && s[n - 1] == ' ')
		n--;
	while (both && n > 0 && *s == ' ')
		s++, n--;
	char *c = malloc(n + 1);
	if (c == NULL)
		return NULL;
	memcpy(c, s, n);
	c[n] = 0;
	return c;
}

/* Stores a text of C in n characters. */
static void commworld_put_text(char *s, size_t n, const char *c)
{
	size_t m = strlen(c);
	if (m > n)
		m = n;
	memcpy(s, c, m);
	memset(s + m, ' ', n - m);
}

#define RETURN(result)                                                                                                 \
	do {                                                                                                           \
		int r_ = (result);                                                                                     \
		if (ierror)                                                                                            \
			*ierror = r_;                                                                                  \
	} while (0)

WEAK void mpi_init_(int *ierror) { RETURN(MPI_Init(NULL, NULL)); }

WEAK void mpi_init_thread_(int *required, int *provided, int *ierror) { RETURN(MPI_Init_thread(NULL, NULL, *required, provided)); }

WEAK void mpi_pcontrol_(int *level) { MPI_Pcontrol(*level); }

WEAK void mpi_info_create_env_(int *info, int *ierror)
{
	MPI_Info c = MPI_INFO_NULL;
	RETURN(MPI_Info_create_env(0, NULL, &c));
	*info = INTEGER(Info, c);
}

WEAK void mpi_info_get_(int *info, char *key, int *valuelen, char *value, int *flag, int *ierror, size_t n_key, size_t n_value)
{
	char *c = commworld_text(key, n_key, 1), *v = calloc(1, MPI_MAX_INFO_VAL + 1);
	int found = 0, result = MPI_Info_get((MPI_Info)HANDLE(Info, *info), c, *valuelen < MPI_MAX_INFO_VAL ? *valuelen : MPI_MAX_INFO_VAL, v, &found);
	if (result == MPI_SUCCESS && found)
		commworld_put_text(value, n_value, v);
	*flag = found;
	free(c);
	free(v);
	RETURN(result);
}

WEAK void mpi_info_get_string_(int *info, char *key, int *buflen, char *value, int *flag, int *ierror, size_t n_key, size_t n_value)
{
	char *c = commworld_text(key, n_key, 1), *v = calloc(1, MPI_MAX_INFO_VAL + 1);
	int found = 0, n = *buflen == 0 ? 0 : *buflen + 1, room = n > MPI_MAX_INFO_VAL ? MPI_MAX_INFO_VAL : n; /* with the 0 that ends it */
	int result = MPI_Info_get_string((MPI_Info)HANDLE(Info, *info), c, &room, v, &found);
	if (result == MPI_SUCCESS && found) {
		if (n > 0)
			commworld_put_text(value, n_value, v);
		*buflen = room > 0 ? room - 1 : 0;
	}
	*flag = found;
	free(c);
	free(v);
	RETURN(result);
}

/* Functions of a program for attributes, with its state. */
typedef void copy_function(int *, int *, MPI_Aint *, MPI_Aint *, MPI_Aint *, int *, int *);
typedef void delete_function(int *, int *, MPI_Aint *, MPI_Aint *, int *);
typedef void old_copy_function(int *, int *, int *, int *, int *, int *, int *);
typedef void old_delete_function(int *, int *, int *, int *, int *);

struct attribute {
	copy_function *copy;
	delete_function *delete;
	MPI_Aint state;
};

static int copy_attribute(const struct attribute *a, int object, int key, void *in, void *out, int *flag)
{
	int result = MPI_SUCCESS;
	MPI_Aint state = a->state, from = (MPI_Aint)in, to = 0;
	a->copy(&object, &key, &state, &from, &to, flag, &result);
	*(MPI_Aint *)out = to;
	return result;
}

static int delete_attribute(const struct attribute *a, int object, int key, void *value)
{
	int result = MPI_SUCCESS;
	MPI_Aint state = a->state, v = (MPI_Aint)value;
	a->delete(&object, &key, &v, &state, &result);
	return result;
}

#define COPY(fn, name, PREFIX) ((void *)(fn) == (void *)mpi_##name##null_copy_fn_ ? PREFIX##NULL_COPY_FN : (void *)(fn) == (void *)mpi_##name##dup_fn_ ? PREFIX##DUP_FN : copy_##name)
#define DELETE(fn, name, PREFIX) ((void *)(fn) == (void *)mpi_##name##null_delete_fn_ ? PREFIX##NULL_DELETE_FN : delete_##name)

/* What the standard predefines, for programs that call it. */
#define PREDEFINED_FUNCTIONS(name, cell)                                                                               \
	WEAK void mpi_##name##null_copy_fn_(int *o, int *key, cell *state, cell *in, cell *out, int *flag, int *ierror) \
	{                                                                                                              \
		*flag = 0;                                                                                             \
		*ierror = MPI_SUCCESS;                                                                                 \
	}                                                                                                              \
	WEAK void mpi_##name##dup_fn_(int *o, int *key, cell *state, cell *in, cell *out, int *flag, int *ierror)      \
	{                                                                                                              \
		*out = *in;                                                                                            \
		*flag = 1;                                                                                             \
		*ierror = MPI_SUCCESS;                                                                                 \
	}                                                                                                              \
	WEAK void mpi_##name##null_delete_fn_(int *o, int *key, cell *value, cell *state, int *ierror) { *ierror = MPI_SUCCESS; }

#define ATTRIBUTES(name, Kind, Type)                                                                                   \
	PREDEFINED_FUNCTIONS(name, MPI_Aint)                                                                           \
	static int copy_##name(Type o, int key, void *state, void *in, void *out, int *flag)                           \
	{                                                                                                              \
		return copy_attribute(state, INTEGER(Kind, o), key, in, out, flag);                                    \
	}                                                                                                              \
	static int delete_##name(Type o, int key, void *value, void *state)                                            \
	{                                                                                                              \
		return delete_attribute(state, INTEGER(Kind, o), key, value);                                          \
	}

ATTRIBUTES(comm_, Comm, MPI_Comm)
ATTRIBUTES(type_, Type, MPI_Datatype)
ATTRIBUTES(win_, Win, MPI_Win)
PREDEFINED_FUNCTIONS(, int)

/* The functions of MPI-1, with default integers. */
static int copy_(MPI_Comm o, int key, void *state, void *in, void *out, int *flag)
{
	const struct attribute *a = state;
	int result = MPI_SUCCESS, comm = INTEGER(Comm, o), extra = a->state, from = (intptr_t)in, to = 0;
	((old_copy_function *)a->copy)(&comm, &key, &extra, &from, &to, flag, &result);
	*(MPI_Aint *)out = to;
	return result;
}

static int delete_(MPI_Comm o, int key, void *value, void *state)
{
	const struct attribute *a = state;
	int result = MPI_SUCCESS, comm = INTEGER(Comm, o), extra = a->state, v = (intptr_t)value;
	((old_delete_function *)a->delete)(&comm, &key, &v, &extra, &result);
	return result;
}

/* The state of a key lives as long as the program: the key may be in use after it is freed. */
static struct attribute *attribute(void *copy, void *del, MPI_Aint state)
{
	struct attribute *a = malloc(sizeof *a);
	if (a != NULL)
		*a = (struct attribute){(copy_function *)copy, (delete_function *)del, state};
	return a;
}

WEAK void mpi_comm_create_keyval_(copy_function *copy, delete_function *del, int *key, MPI_Aint *state, int *ierror)
{
	RETURN(MPI_Comm_create_keyval(COPY(copy, comm_, MPI_COMM_), DELETE(del, comm_, MPI_COMM_), key, attribute(copy, del, *state)));
}

WEAK void mpi_type_create_keyval_(copy_function *copy, delete_function *del, int *key, MPI_Aint *state, int *ierror)
{
	RETURN(MPI_Type_create_keyval(COPY(copy, type_, MPI_TYPE_), DELETE(del, type_, MPI_TYPE_), key, attribute(copy, del, *state)));
}

WEAK void mpi_win_create_keyval_(copy_function *copy, delete_function *del, int *key, MPI_Aint *state, int *ierror)
{
	RETURN(MPI_Win_create_keyval(COPY(copy, win_, MPI_WIN_), DELETE(del, win_, MPI_WIN_), key, attribute(copy, del, *state)));
}

WEAK void mpi_keyval_create_(old_copy_function *copy, old_delete_function *del, int *key, int *state, int *ierror)
{
	RETURN(MPI_Keyval_create(COPY(copy, , MPI_), DELETE(del, , MPI_), key, attribute(copy, del, *state)));
}

/* Attributes that the standard predefines are pointers to int in C, and integers in Fortran. */
static MPI_Aint attribute_value(int key, void *value) { return key >= MPI_TAG_UB && key <= MPI_UNIVERSE_SIZE ? *(int *)value : (MPI_Aint)value; }

WEAK void mpi_comm_get_attr_(int *comm, int *key, MPI_Aint *value, int *flag, int *ierror)
{
	void *v = NULL;
	*flag = 0;
	RETURN(MPI_Comm_get_attr((MPI_Comm)HANDLE(Comm, *comm), *key, &v, flag));
	if (*flag)
		*value = attribute_value(*key, v);
}

WEAK void mpi_attr_get_(int *comm, int *key, int *value, int *flag, int *ierror)
{
	void *v = NULL;
	*flag = 0;
	RETURN(MPI_Attr_get((MPI_Comm)HANDLE(Comm, *comm), *key, &v, flag));
	if (*flag)
		*value = attribute_value(*key, v);
}

WEAK void mpi_type_get_attr_(int *type, int *key, MPI_Aint *value, int *flag, int *ierror)
{
	void *v = NULL;
	*flag = 0;
	RETURN(MPI_Type_get_attr((MPI_Datatype)HANDLE(Type, *type), *key, &v, flag));
	if (*flag)
		*value = (MPI_Aint)v;
}

WEAK void mpi_win_get_attr_(int *win, int *key, MPI_Aint *value, int *flag, int *ierror)
{
	void *v = NULL;
	*flag = 0;
	RETURN(MPI_Win_get_attr((MPI_Win)HANDLE(Win, *win), *key, &v, flag));
	if (*flag)
		*value = (MPI_Aint)v;
}

WEAK void mpi_comm_set_attr_(int *comm, int *key, MPI_Aint *value, int *ierror)
{
	RETURN(MPI_Comm_set_attr((MPI_Comm)HANDLE(Comm, *comm), *key, (void *)*value));
}

WEAK void mpi_attr_put_(int *comm, int *key, int *value, int *ierror)
{
	RETURN(MPI_Attr_put((MPI_Comm)HANDLE(Comm, *comm), *key, (void *)(intptr_t)*value));
}

WEAK void mpi_type_set_attr_(int *type, int *key, MPI_Aint *value, int *ierror)
{
	RETURN(MPI_Type_set_attr((MPI_Datatype)HANDLE(Type, *type), *key, (void *)*value));
}

WEAK void mpi_win_set_attr_(int *win, int *key, MPI_Aint *value, int *ierror)
{
	RETURN(MPI_Win_set_attr((MPI_Win)HANDLE(Win, *win), *key, (void *)*value));
}

/* Operations and error handlers have no state: commworld gives them handles of Fortran. */
#define CREATE(lower, call, ctype, kind)                                                                               \
	WEAK void mpi_##lower##_create_errhandler_(void (*function)(void), int *errhandler, int *ierror)               \
	{                                                                                                              \
		MPI_Errhandler c = MPI_ERRHANDLER_NULL;                                                                \
		MPI_Commworld_fortran_function((MPI_User_function *)function);                                                      \
		RETURN(call((ctype *)function, &c));                                                                   \
		*errhandler = INTEGER(Errhandler, c);                                                                  \
	}

CREATE(comm, MPI_Comm_create_errhandler, MPI_Comm_errhandler_function, Comm)
CREATE(file, MPI_File_create_errhandler, MPI_File_errhandler_function, File)
CREATE(win, MPI_Win_create_errhandler, MPI_Win_errhandler_function, Win)
CREATE(session, MPI_Session_create_errhandler, MPI_Session_errhandler_function, Session)

WEAK void mpi_errhandler_create_(void (*function)(void), int *errhandler, int *ierror) { mpi_comm_create_errhandler_(function, errhandler, ierror); }

WEAK void mpi_op_create_(void (*function)(void), int *commute, int *op, int *ierror)
{
	MPI_Op c = MPI_OP_NULL;
	MPI_Commworld_fortran_function((MPI_User_function *)function);
	RETURN(MPI_Op_create((MPI_User_function *)function, *commute, &c));
	*op = INTEGER(Op, c);
}

WEAK void mpi_op_create_c_(void (*function)(void), int *commute, int *op, int *ierror)
{
	MPI_Op c = MPI_OP_NULL;
	MPI_Commworld_fortran_function((MPI_User_function *)function);
	RETURN(MPI_Op_create_c((MPI_User_function_c *)function, *commute, &c));
	*op = INTEGER(Op, c);
}

struct generalized {
	void (*query)(MPI_Aint *, MPI_Status *, int *);
	void (*free)(MPI_Aint *, int *);
	void (*cancel)(MPI_Aint *, int *, int *);
	MPI_Aint *state; /* the variable of the program, which its procedures may change */
};

static int query_generalized(void *state, MPI_Status *status)
{
	struct generalized *g = state;
	int result = MPI_SUCCESS;
	g->query(g->state, status, &result);
	return result;
}

static int free_generalized(void *state)
{
	struct generalized *g = state;
	int result = MPI_SUCCESS;
	g->free(g->state, &result);
	free(g);
	return result;
}

static int cancel_generalized(void *state, int complete)
{
	struct generalized *g = state;
	int result = MPI_SUCCESS;
	g->cancel(g->state, &complete, &result);
	return result;
}

WEAK void mpi_grequest_start_(void (*query)(MPI_Aint *, MPI_Status *, int *), void (*done)(MPI_Aint *, int *), void (*cancel)(MPI_Aint *, int *, int *), MPI_Aint *state,
	int *request, int *ierror)
{
	MPI_Request c = MPI_REQUEST_NULL;
	struct generalized *g = malloc(sizeof *g);
	if (g == NULL) {
		RETURN(MPI_ERR_NO_MEM);
		return;
	}
	*g = (struct generalized){query, done, cancel, state};
	RETURN(MPI_Grequest_start(query_generalized, free_generalized, cancel_generalized, g, &c));
	*request = INTEGER(Request, c);
}

/* Functions of a data representation. */
typedef void conversion_function(void *, int *, int *, void *, MPI_Offset *, MPI_Aint *, int *);
typedef void conversion_function_c(void *, int *, MPI_Count *, void *, MPI_Offset *, MPI_Aint *, int *);

struct representation {
	void *read, *write;
	void (*extent)(int *, MPI_Aint *, MPI_Aint *, int *);
	MPI_Aint state;
};

static int convert(void *function, void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, const struct representation *r)
{
	int result = MPI_SUCCESS, t = INTEGER(Type, type);
	MPI_Aint state = r->state;
	((conversion_function *)function)(user, &t, &count, file, &position, &state, &result);
	return result;
}

static int convert_c(void *function, void *user, MPI_Datatype type, MPI_Count count, void *file, MPI_Offset position, const struct representation *r)
{
	int result = MPI_SUCCESS, t = INTEGER(Type, type);
	MPI_Aint state = r->state;
	((conversion_function_c *)function)(user, &t, &count, file, &position, &state, &result);
	return result;
}

#define CONVERSION(name, convert, number, which)                                                                       \
	static int name(void *user, MPI_Datatype type, number count, void *file, MPI_Offset position, void *state)     \
	{                                                                                                              \
		const struct representation *r = state;                                                                \
		return convert(r->which, user, type, count, file, position, r);                                        \
	}

CONVERSION(convert_read, convert, int, read)
CONVERSION(convert_write, convert, int, write)
CONVERSION(convert_read_c, convert_c, MPI_Count, read)
CONVERSION(convert_write_c, convert_c, MPI_Count, write)

static int extent_of(MPI_Datatype type, MPI_Aint *extent, void *state)
{
	const struct representation *r = state;
	int result = MPI_SUCCESS, t = INTEGER(Type, type);
	MPI_Aint extra = r->state;
	r->extent(&t, extent, &extra, &result);
	return result;
}

WEAK void mpi_conversion_fn_null_(void *user, int *type, int *count, void *file, MPI_Offset *position, MPI_Aint *state, int *ierror) { *ierror = MPI_ERR_CONVERSION; }
WEAK void mpi_conversion_fn_null_c_(void *user, int *type, MPI_Count *count, void *file, MPI_Offset *position, MPI_Aint *state, int *ierror) { *ierror = MPI_ERR_CONVERSION; }

static struct representation *representation(void *read, void *write, void *extent, MPI_Aint state)
{
	struct representation *r = malloc(sizeof *r); /* it is never unregistered */
	if (r != NULL)
		*r = (struct representation){read, write, (void (*)(int *, MPI_Aint *, MPI_Aint *, int *))extent, state};
	return r;
}

WEAK void mpi_register_datarep_(char *datarep, conversion_function *read, conversion_function *write, void (*extent)(void), MPI_Aint *state, int *ierror, size_t n_datarep)
{
	char *name = commworld_text(datarep, n_datarep, 0);
	RETURN(MPI_Register_datarep(name, read == mpi_conversion_fn_null_ ? MPI_CONVERSION_FN_NULL : convert_read,
		write == mpi_conversion_fn_null_ ? MPI_CONVERSION_FN_NULL : convert_write, extent_of, representation(read, write, extent, *state)));
	free(name);
}

WEAK void mpi_register_datarep_c_(char *datarep, conversion_function_c *read, conversion_function_c *write, void (*extent)(void), MPI_Aint *state, int *ierror, size_t n_datarep)
{
	char *name = commworld_text(datarep, n_datarep, 0);
	RETURN(MPI_Register_datarep_c(name, read == mpi_conversion_fn_null_c_ ? MPI_CONVERSION_FN_NULL_C : convert_read_c,
		write == mpi_conversion_fn_null_c_ ? MPI_CONVERSION_FN_NULL_C : convert_write_c, extent_of, representation(read, write, extent, *state)));
	free(name);
}

/* commworld does not start processes: these return its error. */
WEAK void mpi_comm_spawn_(char *command, char *argv, int *maxprocs, int *info, int *root, int *comm, int *intercomm, int *codes, int *ierror)
{
	MPI_Comm c = MPI_COMM_NULL;
	RETURN(MPI_Comm_spawn("", MPI_ARGV_NULL, *maxprocs, (MPI_Info)HANDLE(Info, *info), *root, (MPI_Comm)HANDLE(Comm, *comm), &c, MPI_ERRCODES_IGNORE));
	*intercomm = MPI_COMM_NULL == c ? (int)(intptr_t)MPI_COMM_NULL : INTEGER(Comm, c);
}

WEAK void mpi_comm_spawn_multiple_(int *count, char *commands, char *argvs, int *maxprocs, int *infos, int *root, int *comm, int *intercomm, int *codes, int *ierror)
{
	MPI_Comm c = MPI_COMM_NULL;
	RETURN(MPI_Comm_spawn_multiple(0, NULL, MPI_ARGVS_NULL, maxprocs, NULL, *root, (MPI_Comm)HANDLE(Comm, *comm), &c, MPI_ERRCODES_IGNORE));
	*intercomm = MPI_COMM_NULL == c ? (int)(intptr_t)MPI_COMM_NULL : INTEGER(Comm, c);
}

/* Procedures of MPI-1, whose addresses are default integers: what does not fit is an error of the call. */
static int fit(int *to, MPI_Aint n, int result, const char *procedure)
{
	if (result != MPI_SUCCESS)
		return result;
	*to = (int)n;
	if (*to == n)
		return MPI_SUCCESS;
	fprintf(stderr, "%s: %lld is more than an INTEGER can be: use the procedure that took its place in MPI-2\n", procedure, (long long)n);
	result = MPI_ERR_VALUE_TOO_LARGE;
	PMPI_Comm_call_errhandler(MPI_COMM_SELF, result);
	return result;
}

WEAK void mpi_address_(void *location, int *address, int *ierror)
{
	MPI_Aint a = 0;
	int result = MPI_Address(commworld_buffer(location), &a);
	RETURN(fit(address, a, result, "MPI_ADDRESS"));
}

void commworld_address_ts(CFI_cdesc_t *location, int *address, int *ierror) { mpi_address_(location->base_addr, address, ierror); }

#define EXTENT(lower, function, NAME)                                                                                  \
	WEAK void lower(int *type, int *n, int *ierror)                                                                \
	{                                                                                                              \
		MPI_Aint a = 0;                                                                                        \
		int result = function((MPI_Datatype)HANDLE(Type, *type), &a);                                          \
		RETURN(fit(n, a, result, NAME));                                                                       \
	}

EXTENT(mpi_type_extent_, MPI_Type_extent, "MPI_TYPE_EXTENT")
EXTENT(mpi_type_lb_, MPI_Type_lb, "MPI_TYPE_LB")
EXTENT(mpi_type_ub_, MPI_Type_ub, "MPI_TYPE_UB")

WEAK void mpi_type_hvector_(int *count, int *length, int *stride, int *old, int *new, int *ierror)
{
	MPI_Datatype c = MPI_DATATYPE_NULL;
	RETURN(MPI_Type_hvector(*count, *length, *stride, (MPI_Datatype)HANDLE(Type, *old), &c));
	*new = INTEGER(Type, c);
}

WEAK void mpi_type_hindexed_(int *count, int *lengths, int *displacements, int *old, int *new, int *ierror)
{
	MPI_Datatype c = MPI_DATATYPE_NULL;
	ARRAY(MPI_Aint, d, *count);
	for (MPI_Count i = 0; i < n_d; i++)
		c_d[i] = displacements[i];
	RETURN(MPI_Type_hindexed(*count, lengths, c_d, (MPI_Datatype)HANDLE(Type, *old), &c));
	END_ARRAY(d);
	*new = INTEGER(Type, c);
}

WEAK void mpi_type_struct_(int *count, int *lengths, int *displacements, int *types, int *new, int *ierror)
{
	MPI_Datatype c = MPI_DATATYPE_NULL;
	ARRAY(MPI_Aint, d, *count);
	ARRAY(MPI_Datatype, t, *count);
	for (MPI_Count i = 0; i < n_d; i++)
		c_d[i] = displacements[i];
	for (MPI_Count i = 0; i < n_t; i++)
		c_t[i] = (MPI_Datatype)HANDLE(Type, types[i]);
	RETURN(MPI_Type_struct(*count, lengths, c_d, c_t, &c));
	END_ARRAY(d);
	END_ARRAY(t);
	*new = INTEGER(Type, c);
}

/* A status has the same words in all interfaces. */
WEAK void mpi_status_f2f08_(MPI_Status *from, MPI_Status *to, int *ierror) { RETURN((*to = *from, MPI_SUCCESS)); }
WEAK void mpi_status_f082f_(MPI_Status *from, MPI_Status *to, int *ierror) { RETURN((*to = *from, MPI_SUCCESS)); }

/* Module mpi has variants that return a TYPE(C_PTR). */
extern void mpi_alloc_mem_(MPI_Aint *, int *, void **, int *);
void mpi_alloc_mem_cptr_(MPI_Aint *size, int *info, void **base, int *ierror) { mpi_alloc_mem_(size, info, base, ierror); }
extern void mpi_win_allocate_(MPI_Aint *, int *, int *, int *, void **, int *, int *);
void mpi_win_allocate_cptr_(MPI_Aint *size, int *unit, int *info, int *comm, void **base, int *win, int *ierror)
{
	mpi_win_allocate_(size, unit, info, comm, base, win, ierror);
}
extern void mpi_win_allocate_shared_(MPI_Aint *, int *, int *, int *, void **, int *, int *);
void mpi_win_allocate_shared_cptr_(MPI_Aint *size, int *unit, int *info, int *comm, void **base, int *win, int *ierror)
{
	mpi_win_allocate_shared_(size, unit, info, comm, base, win, ierror);
}
extern void mpi_win_shared_query_(int *, int *, MPI_Aint *, int *, void **, int *);
void mpi_win_shared_query_cptr_(int *win, int *rank, MPI_Aint *size, int *unit, void **base, int *ierror)
{
	mpi_win_shared_query_(win, rank, size, unit, base, ierror);
}

/* Procedures that only Fortran has. */
WEAK void mpi_f_sync_reg_(void *buffer) { (void)buffer; }
WEAK void commworld_f_sync_reg_ts(CFI_cdesc_t *buffer) { (void)buffer; }
WEAK void commworld_sizeof_ts(CFI_cdesc_t *x, int *size, int *ierror)
{
	*size = x->elem_len;
	RETURN(MPI_SUCCESS);
}
