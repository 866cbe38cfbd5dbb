#include "shim.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

// The numbers of package engine.
enum { ANY_SOURCE = -1, ANY_TAG = -2, PROC_NULL = -3, ROOT = -4, UNDEFINED = -32766, DEFAULT_ARG = -49767 };

#define COMM(h) ((MPI_Comm)(intptr_t)(h))
#define TYPE(h) ((MPI_Datatype)(intptr_t)(h))
#define REQ(h) ((MPI_Request)(intptr_t)(h))
#define MSG(h) ((MPI_Message)(intptr_t)(h))
#define OP(h) ((MPI_Op)(intptr_t)(h))
#define INFO(h) ((MPI_Info)(intptr_t)(h))
#define FH(h) ((MPI_File)(intptr_t)(h))
#define H(x) ((cw_h)(intptr_t)(x))
#define AT(base, off) ((void *)((intptr_t)(base) + (off)))

static int rank_of(int r)
{
	switch (r) {
	case ANY_SOURCE: return MPI_ANY_SOURCE;
	case PROC_NULL: return MPI_PROC_NULL;
	case ROOT: return MPI_ROOT;
	}
	return r;
}

static int tag_of(int t) { return t == ANY_TAG ? MPI_ANY_TAG : t; }

static void put(cw_status *out, MPI_Status *st)
{
	MPI_Count n = 0;
	int cancelled = 0;
	MPI_Test_cancelled(st, &cancelled);
	out->cancelled = cancelled;
	out->source = st->MPI_SOURCE == MPI_PROC_NULL ? PROC_NULL : st->MPI_SOURCE == MPI_ANY_SOURCE ? ANY_SOURCE : st->MPI_SOURCE;
	out->tag = st->MPI_TAG == MPI_ANY_TAG ? ANY_TAG : st->MPI_TAG;
	MPI_Get_elements_x(st, MPI_BYTE, &n);
	out->bytes = n == MPI_UNDEFINED ? -1 : n;
	out->flag = 1;
}

static int done_with(MPI_Comm c, cw_h *made)
{
	*made = 0;
	if (c != MPI_COMM_NULL) {
		MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
		*made = H(c);
	}
	return MPI_SUCCESS;
}

#define MADE(call)                          \
	MPI_Comm out = MPI_COMM_NULL;       \
	int code = (call);                  \
	return code == MPI_SUCCESS ? done_with(out, made) : code

// --- environment

// A library's handlers must run on the stack that Go keeps for signals: what it
// passes a signal on to is Go's handler, which ends the program if they do not.
static void mend_signals(void)
{
	struct sigaction s;
	int i;
	for (i = 1; i < NSIG; i++)
		if (sigaction(i, NULL, &s) == 0 && s.sa_handler != SIG_DFL && s.sa_handler != SIG_IGN && !(s.sa_flags & SA_ONSTACK)) {
			s.sa_flags |= SA_ONSTACK;
			sigaction(i, &s, NULL);
		}
}

int cw_init(int level, int *got, int *rank, int *size)
{
	static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
	int provided = MPI_THREAD_SINGLE, code, i;
	code = MPI_Init_thread(NULL, NULL, levels[level], &provided);
	if (code != MPI_SUCCESS)
		return code;
	mend_signals();
	for (i = 0; i < 4; i++)
		if (levels[i] == provided)
			*got = i;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, rank);
	return MPI_Comm_size(MPI_COMM_WORLD, size);
}

int cw_finalize(void) { return MPI_Finalize(); }

// Where the library lets one thread call it, the others are told.
static int funneled;
static pthread_t owner;

void cw_funnel(void)
{
	owner = pthread_self();
	funneled = 1;
}

int cw_foreign(void) { return funneled && !pthread_equal(owner, pthread_self()); }

void cw_abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

void cw_library(char *text, int room)
{
	char full[MPI_MAX_LIBRARY_VERSION_STRING];
	int n = 0;
	MPI_Get_library_version(full, &n);
	if (n >= room)
		n = room - 1;
	memcpy(text, full, n);
	text[n] = 0;
}

int cw_class(int code)
{
	// By the number that the ABI of MPI-5.0 gives.
	static const struct { int mpi, abi; } classes[] = {
		{MPI_ERR_BUFFER, 1}, {MPI_ERR_COUNT, 2}, {MPI_ERR_TYPE, 3}, {MPI_ERR_TAG, 4}, {MPI_ERR_COMM, 5}, {MPI_ERR_RANK, 6},
		{MPI_ERR_REQUEST, 7}, {MPI_ERR_ROOT, 8}, {MPI_ERR_GROUP, 9}, {MPI_ERR_OP, 10}, {MPI_ERR_TOPOLOGY, 11},
		{MPI_ERR_DIMS, 12}, {MPI_ERR_ARG, 13}, {MPI_ERR_UNKNOWN, 14}, {MPI_ERR_TRUNCATE, 15}, {MPI_ERR_OTHER, 16},
		{MPI_ERR_INTERN, 17}, {MPI_ERR_PENDING, 18}, {MPI_ERR_IN_STATUS, 19}, {MPI_ERR_ACCESS, 20}, {MPI_ERR_AMODE, 21},
		{MPI_ERR_ASSERT, 22}, {MPI_ERR_BAD_FILE, 23}, {MPI_ERR_BASE, 24}, {MPI_ERR_CONVERSION, 25}, {MPI_ERR_DISP, 26},
		{MPI_ERR_DUP_DATAREP, 27}, {MPI_ERR_FILE_EXISTS, 28}, {MPI_ERR_FILE_IN_USE, 29}, {MPI_ERR_FILE, 30},
		{MPI_ERR_INFO_KEY, 31}, {MPI_ERR_INFO_NOKEY, 32}, {MPI_ERR_INFO_VALUE, 33}, {MPI_ERR_INFO, 34}, {MPI_ERR_IO, 35},
		{MPI_ERR_KEYVAL, 36}, {MPI_ERR_LOCKTYPE, 37}, {MPI_ERR_NAME, 38}, {MPI_ERR_NO_MEM, 39}, {MPI_ERR_NOT_SAME, 40},
		{MPI_ERR_NO_SPACE, 41}, {MPI_ERR_NO_SUCH_FILE, 42}, {MPI_ERR_PORT, 43}, {MPI_ERR_QUOTA, 44},
		{MPI_ERR_READ_ONLY, 45}, {MPI_ERR_SIZE, 52}, {MPI_ERR_SPAWN, 53}, {MPI_ERR_UNSUPPORTED_DATAREP, 54},
		{MPI_ERR_UNSUPPORTED_OPERATION, 55}, {MPI_ERR_WIN, 56},
	};
	int cls = MPI_ERR_UNKNOWN;
	size_t i;
	if (MPI_Error_class(code, &cls) != MPI_SUCCESS)
		return 14;
	for (i = 0; i < sizeof classes / sizeof classes[0]; i++)
		if (classes[i].mpi == cls)
			return classes[i].abi;
	return 14;
}

void cw_text(int code, char *text, int room)
{
	char full[MPI_MAX_ERROR_STRING];
	int n = 0;
	if (MPI_Error_string(code, full, &n) != MPI_SUCCESS)
		n = 0;
	if (n >= room)
		n = room - 1;
	memcpy(text, full, n);
	text[n] = 0;
}

cw_h cw_world(void) { return H(MPI_COMM_WORLD); }
cw_h cw_self(void) { return H(MPI_COMM_SELF); }

// Room for buffered sends: of communicator c, or of the process if that is 0.
// Communicators have any since MPI-4.1.
#define BUFFERS_OF_COMMS (MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1))

int cw_attach(cw_h c, cw_int bytes)
{
	int code, n = bytes < 0 ? 0 : (int)bytes;
	void *room;
#if BUFFERS_OF_COMMS
	if (bytes < 0)
		return c ? MPI_Comm_attach_buffer(COMM(c), MPI_BUFFER_AUTOMATIC, 0) : MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
#else
	if (c || bytes < 0)
		return CW_TOO_OLD;
#endif
	room = malloc(n > 0 ? n : 1);
	if (!room)
		return MPI_ERR_NO_MEM;
#if BUFFERS_OF_COMMS
	code = c ? MPI_Comm_attach_buffer(COMM(c), room, n) : MPI_Buffer_attach(room, n);
#else
	code = MPI_Buffer_attach(room, n);
#endif
	if (code != MPI_SUCCESS)
		free(room);
	return code;
}

// What is detached came from cw_attach. The room of a communicator that is freed
// without stays: nobody tells when the library is done with it.
int cw_detach(cw_h c)
{
	void *was;
	int n, code;
#if BUFFERS_OF_COMMS
	code = c ? MPI_Comm_detach_buffer(COMM(c), &was, &n) : MPI_Buffer_detach(&was, &n);
	if (code == MPI_SUCCESS && was != MPI_BUFFER_AUTOMATIC)
		free(was);
#else
	if (c)
		return CW_TOO_OLD;
	code = MPI_Buffer_detach(&was, &n);
	if (code == MPI_SUCCESS)
		free(was);
#endif
	return code;
}

int cw_flush(cw_h c)
{
#if BUFFERS_OF_COMMS
	return c ? MPI_Comm_flush_buffer(COMM(c)) : MPI_Buffer_flush();
#else
	void *room;
	int n, code;
	if (c)
		return CW_TOO_OLD;
	code = MPI_Buffer_detach(&room, &n);
	return code == MPI_SUCCESS ? MPI_Buffer_attach(room, n) : code;
#endif
}

int cw_iflush(cw_h c, cw_h *r)
{
#if BUFFERS_OF_COMMS
	MPI_Request q = MPI_REQUEST_NULL;
	int code = c ? MPI_Comm_iflush_buffer(COMM(c), &q) : MPI_Buffer_iflush(&q);
	*r = H(q);
	return code;
#else
	(void)c;
	(void)r;
	return CW_TOO_OLD;
#endif
}

// --- datatypes

int cw_named(const char *name, cw_h *t)
{
#define NAMED(x) if (!strcmp(name, #x)) { *t = H(x); return x == MPI_DATATYPE_NULL ? MPI_ERR_TYPE : MPI_SUCCESS; }
	NAMED(MPI_BYTE) NAMED(MPI_PACKED) NAMED(MPI_CHAR) NAMED(MPI_SIGNED_CHAR) NAMED(MPI_UNSIGNED_CHAR) NAMED(MPI_WCHAR)
	NAMED(MPI_SHORT) NAMED(MPI_UNSIGNED_SHORT) NAMED(MPI_INT) NAMED(MPI_UNSIGNED) NAMED(MPI_LONG) NAMED(MPI_UNSIGNED_LONG)
	NAMED(MPI_LONG_LONG_INT) NAMED(MPI_UNSIGNED_LONG_LONG) NAMED(MPI_FLOAT) NAMED(MPI_DOUBLE) NAMED(MPI_LONG_DOUBLE)
	NAMED(MPI_C_BOOL) NAMED(MPI_INT8_T) NAMED(MPI_INT16_T) NAMED(MPI_INT32_T) NAMED(MPI_INT64_T)
	NAMED(MPI_UINT8_T) NAMED(MPI_UINT16_T) NAMED(MPI_UINT32_T) NAMED(MPI_UINT64_T)
	NAMED(MPI_AINT) NAMED(MPI_OFFSET) NAMED(MPI_COUNT)
	NAMED(MPI_C_COMPLEX) NAMED(MPI_C_DOUBLE_COMPLEX) NAMED(MPI_C_LONG_DOUBLE_COMPLEX)
	NAMED(MPI_FLOAT_INT) NAMED(MPI_DOUBLE_INT) NAMED(MPI_LONG_INT) NAMED(MPI_2INT) NAMED(MPI_SHORT_INT) NAMED(MPI_LONG_DOUBLE_INT)
#ifdef MPI_CHARACTER
	NAMED(MPI_CHARACTER)
#endif
#ifdef MPI_LOGICAL
	NAMED(MPI_LOGICAL)
#endif
#ifdef MPI_INTEGER
	NAMED(MPI_INTEGER) NAMED(MPI_REAL) NAMED(MPI_DOUBLE_PRECISION) NAMED(MPI_COMPLEX) NAMED(MPI_DOUBLE_COMPLEX)
#endif
#ifdef MPI_INTEGER1
	NAMED(MPI_INTEGER1)
#endif
#ifdef MPI_INTEGER2
	NAMED(MPI_INTEGER2)
#endif
#ifdef MPI_INTEGER4
	NAMED(MPI_INTEGER4)
#endif
#ifdef MPI_INTEGER8
	NAMED(MPI_INTEGER8)
#endif
#ifdef MPI_INTEGER16
	NAMED(MPI_INTEGER16)
#endif
#ifdef MPI_REAL2
	NAMED(MPI_REAL2)
#endif
#ifdef MPI_REAL4
	NAMED(MPI_REAL4)
#endif
#ifdef MPI_REAL8
	NAMED(MPI_REAL8)
#endif
#ifdef MPI_REAL16
	NAMED(MPI_REAL16)
#endif
#ifdef MPI_COMPLEX4
	NAMED(MPI_COMPLEX4)
#endif
#ifdef MPI_COMPLEX8
	NAMED(MPI_COMPLEX8)
#endif
#ifdef MPI_COMPLEX16
	NAMED(MPI_COMPLEX16)
#endif
#ifdef MPI_COMPLEX32
	NAMED(MPI_COMPLEX32)
#endif
#ifdef MPI_LOGICAL1
	NAMED(MPI_LOGICAL1)
#endif
#ifdef MPI_LOGICAL2
	NAMED(MPI_LOGICAL2)
#endif
#ifdef MPI_LOGICAL4
	NAMED(MPI_LOGICAL4)
#endif
#ifdef MPI_LOGICAL8
	NAMED(MPI_LOGICAL8)
#endif
#ifdef MPI_LOGICAL16
	NAMED(MPI_LOGICAL16)
#endif
#ifdef MPI_CXX_BOOL
	NAMED(MPI_CXX_BOOL) NAMED(MPI_CXX_FLOAT_COMPLEX) NAMED(MPI_CXX_DOUBLE_COMPLEX) NAMED(MPI_CXX_LONG_DOUBLE_COMPLEX)
#endif
#ifdef MPI_2REAL
	NAMED(MPI_2REAL) NAMED(MPI_2DOUBLE_PRECISION) NAMED(MPI_2INTEGER)
#endif
	return MPI_ERR_TYPE;
}

/* The numbers are those of the ABI of MPI-5.0. */
#define ORDER(n) ((n) == 15 ? MPI_ORDER_FORTRAN : MPI_ORDER_C)
static const int distributions[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};

int cw_type(int combiner, int nints, const int *p, int naddrs, const cw_int *addrs, int ntypes, const cw_h *types, cw_h *t)
{
	MPI_Datatype made = MPI_DATATYPE_NULL, base = ntypes ? TYPE(types[0]) : MPI_DATATYPE_NULL;
	MPI_Aint *disp = NULL;
	int code = MPI_ERR_ARG, i, n = nints ? p[0] : 0;
	if (naddrs > 0) {
		disp = malloc(naddrs * sizeof *disp);
		for (i = 0; i < naddrs; i++)
			disp[i] = (MPI_Aint)addrs[i];
	}
	switch (combiner) {
	case 102: code = MPI_Type_dup(base, &made); break;
	case 103: code = MPI_Type_contiguous(n, base, &made); break;
	case 104: code = MPI_Type_vector(n, p[1], p[2], base, &made); break;
	case 105: code = MPI_Type_create_hvector(n, p[1], disp[0], base, &made); break;
	case 106: code = MPI_Type_indexed(n, p + 1, p + 1 + n, base, &made); break;
	case 107: code = MPI_Type_create_hindexed(n, p + 1, disp, base, &made); break;
	case 108: code = MPI_Type_create_indexed_block(n, p[1], p + 2, base, &made); break;
	case 109: code = MPI_Type_create_hindexed_block(n, p[1], disp, base, &made); break;
	case 110: {
		MPI_Datatype *list = malloc((ntypes + 1) * sizeof *list);
		for (i = 0; i < ntypes; i++)
			list[i] = TYPE(types[i]);
		code = MPI_Type_create_struct(n, p + 1, disp, list, &made);
		free(list);
		break;
	}
	case 111: code = MPI_Type_create_subarray(n, p + 1, p + 1 + n, p + 1 + 2 * n, ORDER(p[1 + 3 * n]), base, &made); break;
	case 112: {
		int d = p[2], *dist = malloc((2 * d + 1) * sizeof *dist);
		for (i = 0; i < d; i++) {
			dist[i] = distributions[p[3 + d + i] - 16];
			dist[d + i] = p[3 + 2 * d + i] == DEFAULT_ARG ? MPI_DISTRIBUTE_DFLT_DARG : p[3 + 2 * d + i];
		}
		code = MPI_Type_create_darray(p[0], p[1], d, p + 3, dist, dist + d, p + 3 + 3 * d, ORDER(p[3 + 4 * d]), base, &made);
		free(dist);
		break;
	}
	case 113: code = MPI_Type_create_f90_real(p[0] == UNDEFINED ? MPI_UNDEFINED : p[0], p[1] == UNDEFINED ? MPI_UNDEFINED : p[1], &made); break;
	case 114: code = MPI_Type_create_f90_complex(p[0] == UNDEFINED ? MPI_UNDEFINED : p[0], p[1] == UNDEFINED ? MPI_UNDEFINED : p[1], &made); break;
	case 115: code = MPI_Type_create_f90_integer(p[0], &made); break;
	case 116: code = MPI_Type_create_resized(base, disp[0], disp[1], &made); break;
	}
	free(disp);
	if (code == MPI_SUCCESS && (combiner < 113 || combiner > 115))
		code = MPI_Type_commit(&made);
	*t = H(made);
	return code;
}

int cw_type_extent(cw_h t, cw_int *lb, cw_int *extent, cw_int *size)
{
	MPI_Count l = 0, e = 0, s = 0;
	int code = MPI_Type_get_extent_x(TYPE(t), &l, &e);
	if (code == MPI_SUCCESS)
		code = MPI_Type_size_x(TYPE(t), &s);
	*lb = l;
	*extent = e;
	*size = s;
	return code;
}

int cw_type_free(cw_h t)
{
	MPI_Datatype x = TYPE(t);
	return MPI_Type_free(&x);
}

int cw_address_type(int count, void *base, cw_int off, cw_h of, cw_h *t)
{
	MPI_Aint at;
	MPI_Datatype made = MPI_DATATYPE_NULL;
	int code = MPI_Get_address(AT(base, off), &at);
	if (code == MPI_SUCCESS)
		code = MPI_Type_create_hindexed(1, &count, &at, TYPE(of), &made);
	if (code == MPI_SUCCESS)
		code = MPI_Type_commit(&made);
	*t = H(made);
	return code;
}

// --- messages

int cw_send(int mode, void *base, cw_int off, int n, cw_h t, int dst, int tag, cw_h c)
{
	void *p = AT(base, off);
	dst = rank_of(dst);
	switch (mode) {
	case 1: return MPI_Ssend(p, n, TYPE(t), dst, tag, COMM(c));
	case 2: return MPI_Bsend(p, n, TYPE(t), dst, tag, COMM(c));
	case 3: return MPI_Rsend(p, n, TYPE(t), dst, tag, COMM(c));
	}
	return MPI_Send(p, n, TYPE(t), dst, tag, COMM(c));
}

int cw_recv(void *base, cw_int off, int n, cw_h t, int src, int tag, cw_h c, cw_status *st)
{
	MPI_Status s = {0}; // a call that fails early leaves it as it is
	int code = MPI_Recv(AT(base, off), n, TYPE(t), rank_of(src), tag_of(tag), COMM(c), &s);
	put(st, &s);
	return code;
}

int cw_isend(int mode, void *base, cw_int off, int n, cw_h t, int dst, int tag, cw_h c, cw_h *r)
{
	MPI_Request q = MPI_REQUEST_NULL;
	void *p = AT(base, off);
	int code;
	dst = rank_of(dst);
	switch (mode) {
	case 1: code = MPI_Issend(p, n, TYPE(t), dst, tag, COMM(c), &q); break;
	case 2: code = MPI_Ibsend(p, n, TYPE(t), dst, tag, COMM(c), &q); break;
	case 3: code = MPI_Irsend(p, n, TYPE(t), dst, tag, COMM(c), &q); break;
	default: code = MPI_Isend(p, n, TYPE(t), dst, tag, COMM(c), &q);
	}
	*r = H(q);
	return code;
}

int cw_irecv(void *base, cw_int off, int n, cw_h t, int src, int tag, cw_h c, cw_h *r)
{
	MPI_Request q = MPI_REQUEST_NULL;
	int code = MPI_Irecv(AT(base, off), n, TYPE(t), rank_of(src), tag_of(tag), COMM(c), &q);
	*r = H(q);
	return code;
}

int cw_probe(int wait, int src, int tag, cw_h c, cw_status *st)
{
	MPI_Status s;
	int flag = 1, code;
	if (wait)
		code = MPI_Probe(rank_of(src), tag_of(tag), COMM(c), &s);
	else
		code = MPI_Iprobe(rank_of(src), tag_of(tag), COMM(c), &flag, &s);
	if (code == MPI_SUCCESS && flag)
		put(st, &s);
	st->flag = flag;
	return code;
}

int cw_mprobe(int wait, int src, int tag, cw_h c, cw_h *m, cw_status *st)
{
	MPI_Status s;
	MPI_Message msg = MPI_MESSAGE_NULL;
	int flag = 1, code;
	if (wait)
		code = MPI_Mprobe(rank_of(src), tag_of(tag), COMM(c), &msg, &s);
	else
		code = MPI_Improbe(rank_of(src), tag_of(tag), COMM(c), &flag, &msg, &s);
	if (code == MPI_SUCCESS && flag)
		put(st, &s);
	st->flag = flag;
	*m = H(msg);
	return code;
}

int cw_imrecv(void *base, cw_int off, int n, cw_h t, cw_h m, cw_h *r)
{
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Message msg = MSG(m);
	int code = MPI_Imrecv(AT(base, off), n, TYPE(t), &msg, &q);
	*r = H(q);
	return code;
}

int cw_wait(cw_h r, cw_status *st)
{
	MPI_Request q = REQ(r);
	MPI_Status s = {0};
	int code = MPI_Wait(&q, &s);
	put(st, &s);
	return code;
}

int cw_test(cw_h *r, cw_status *st)
{
	MPI_Request q = REQ(*r);
	MPI_Status s;
	int flag = 0, code = MPI_Test(&q, &flag, &s);
	if (flag)
		put(st, &s);
	st->flag = flag;
	*r = H(q);
	return code;
}

int cw_cancel(cw_h r)
{
	MPI_Request q = REQ(r);
	return MPI_Cancel(&q);
}

// --- collectives

// An apart is what a W routine needs until it is complete: types as the library
// has them, with addresses inside, so that displacements are zero.
typedef struct {
	MPI_Datatype *st, *rt;
	int *zero;
	MPI_Aint *azero;
} apart;

static MPI_Datatype *list_of(int n, const cw_h *types)
{
	MPI_Datatype *list = malloc((n + 1) * sizeof *list);
	int i;
	for (i = 0; i < n; i++)
		list[i] = types && types[i] ? TYPE(types[i]) : MPI_BYTE;
	return list;
}

static apart *set_apart(int ns, const cw_h *st, int nr, const cw_h *rt)
{
	apart *a = malloc(sizeof *a);
	int n = ns > nr ? ns : nr;
	a->st = list_of(ns, st);
	a->rt = list_of(nr, rt);
	a->zero = calloc(n + 1, sizeof *a->zero);
	a->azero = calloc(n + 1, sizeof *a->azero);
	return a;
}

void cw_let_go(void *keep)
{
	apart *a = keep;
	if (a) {
		free(a->st);
		free(a->rt);
		free(a->zero);
		free(a->azero);
		free(a);
	}
}

int cw_collective(int what, int starts, int in_place, cw_h ch, int root, cw_h oh,
	void *sbase, cw_int soff, int sn, cw_h sth, const int *sc, const int *sd, const cw_h *stypes,
	void *rbase, cw_int roff, int rn, cw_h rth, const int *rc, const int *rd, const cw_h *rtypes,
	cw_h *r, void **keep)
{
	int nin = 0, nout = 0;
	MPI_Comm c = COMM(ch);
	MPI_Op op = OP(oh);
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Datatype st = sth ? TYPE(sth) : MPI_BYTE, rt = rth ? TYPE(rth) : MPI_BYTE;
	void *s = AT(sbase, soff), *d = AT(rbase, roff);
	int code = MPI_ERR_ARG;
	root = rank_of(root);
	if (in_place && what == CW_SCATTER)
		d = MPI_IN_PLACE;
	else if (in_place && what == CW_SCATTERV)
		d = MPI_IN_PLACE;
	else if (in_place)
		s = MPI_IN_PLACE;
// Two spellings, as the first letter is large in one of them.
#define CALL(small, large, ...) code = starts ? MPI_I##small(__VA_ARGS__, &q) : MPI_##large(__VA_ARGS__); break
	switch (what) {
	case CW_BARRIER: CALL(barrier, Barrier, c);
	case CW_BCAST: CALL(bcast, Bcast, sbase ? s : d, sbase ? sn : rn, sth ? st : rt, root, c);
	case CW_GATHER: CALL(gather, Gather, s, sn, st, d, rn, rt, root, c);
	case CW_GATHERV: CALL(gatherv, Gatherv, s, sn, st, d, rc, rd, rt, root, c);
	case CW_SCATTER: CALL(scatter, Scatter, s, sn, st, d, rn, rt, root, c);
	case CW_SCATTERV: CALL(scatterv, Scatterv, s, sc, sd, st, d, rn, rt, root, c);
	case CW_ALLGATHER: CALL(allgather, Allgather, s, sn, st, d, rn, rt, c);
	case CW_ALLGATHERV: CALL(allgatherv, Allgatherv, s, sn, st, d, rc, rd, rt, c);
	case CW_ALLTOALL: CALL(alltoall, Alltoall, s, sn, st, d, rn, rt, c);
	case CW_ALLTOALLV: CALL(alltoallv, Alltoallv, s, sc, sd, st, d, rc, rd, rt, c);
	case CW_ALLTOALLW: {
		MPI_Comm_size(c, &nout);
		MPI_Comm_test_inter(c, &nin);
		if (nin)
			MPI_Comm_remote_size(c, &nout);
		apart *a = set_apart(nout, stypes, nout, rtypes);
		*keep = a;
		if (!in_place)
			s = MPI_BOTTOM;
		CALL(alltoallw, Alltoallw, s, sc, a->zero, a->st, MPI_BOTTOM, rc, a->zero, a->rt, c);
	}
	case CW_NEIGHBOR_ALLTOALLW: {
		apart *a = set_apart(sn, stypes, rn, rtypes);
		*keep = a;
		CALL(neighbor_alltoallw, Neighbor_alltoallw, MPI_BOTTOM, sc, a->azero, a->st, MPI_BOTTOM, rc, a->azero, a->rt, c);
	}
	case CW_REDUCE: CALL(reduce, Reduce, s, d, sbase ? sn : rn, sth ? st : rt, op, root, c);
	case CW_ALLREDUCE: CALL(allreduce, Allreduce, s, d, rn, rt, op, c);
	case CW_SCAN: CALL(scan, Scan, s, d, rn, rt, op, c);
	case CW_EXSCAN: CALL(exscan, Exscan, s, d, rn, rt, op, c);
	case CW_REDUCE_SCATTER_BLOCK: CALL(reduce_scatter_block, Reduce_scatter_block, s, d, rn, rt, op, c);
	case CW_REDUCE_SCATTER: CALL(reduce_scatter, Reduce_scatter, s, d, rc, rt, op, c);
	case CW_NEIGHBOR_ALLGATHER: CALL(neighbor_allgather, Neighbor_allgather, s, sn, st, d, rn, rt, c);
	case CW_NEIGHBOR_ALLGATHERV: CALL(neighbor_allgatherv, Neighbor_allgatherv, s, sn, st, d, rc, rd, rt, c);
	case CW_NEIGHBOR_ALLTOALL: CALL(neighbor_alltoall, Neighbor_alltoall, s, sn, st, d, rn, rt, c);
	case CW_NEIGHBOR_ALLTOALLV: CALL(neighbor_alltoallv, Neighbor_alltoallv, s, sc, sd, st, d, rc, rd, rt, c);
	}
	*r = H(q);
	return code;
}

// --- operations

extern void commworldFold(int slot, void *in, void *inout, int n, cw_h t);

#define FOLD(i) static void fold##i(void *in, void *inout, int *n, MPI_Datatype *t) { commworldFold(i, in, inout, *n, H(*t)); }
#define EIGHT(X, a, b, c, d, e, f, g, h) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h)
#define EACH(X)                                        \
	EIGHT(X, 0, 1, 2, 3, 4, 5, 6, 7)               \
	EIGHT(X, 8, 9, 10, 11, 12, 13, 14, 15)         \
	EIGHT(X, 16, 17, 18, 19, 20, 21, 22, 23)       \
	EIGHT(X, 24, 25, 26, 27, 28, 29, 30, 31)
EACH(FOLD)
#define ENTRY(i) fold##i,
static MPI_User_function *const folds[CW_SLOTS] = {EACH(ENTRY)};

int cw_op(const char *name, cw_h *op)
{
#define OPERATION(go, x) if (!strcmp(name, go)) { *op = H(x); return MPI_SUCCESS; }
	OPERATION("Sum", MPI_SUM) OPERATION("Prod", MPI_PROD) OPERATION("Max", MPI_MAX) OPERATION("Min", MPI_MIN)
	OPERATION("LAnd", MPI_LAND) OPERATION("LOr", MPI_LOR) OPERATION("LXor", MPI_LXOR)
	OPERATION("BAnd", MPI_BAND) OPERATION("BOr", MPI_BOR) OPERATION("BXor", MPI_BXOR)
	OPERATION("MaxLoc", MPI_MAXLOC) OPERATION("MinLoc", MPI_MINLOC)
	return MPI_ERR_OP;
}

int cw_op_create(int slot, int commutes, cw_h *op)
{
	MPI_Op made = MPI_OP_NULL;
	int code = MPI_Op_create(folds[slot], commutes, &made);
	*op = H(made);
	return code;
}

int cw_op_free(cw_h op)
{
	MPI_Op x = OP(op);
	return MPI_Op_free(&x);
}

// --- communicators

int cw_comm_rank(cw_h c)
{
	int r = -1;
	MPI_Comm_rank(COMM(c), &r);
	return r;
}

int cw_comm_size(cw_h c, int *far)
{
	int n = 0, inter = 0;
	MPI_Comm_size(COMM(c), &n);
	MPI_Comm_test_inter(COMM(c), &inter);
	*far = -1;
	if (inter)
		MPI_Comm_remote_size(COMM(c), far);
	return n;
}

int cw_members(cw_h c, int far, int n, int *world)
{
	MPI_Group g, all;
	int code, i, *ranks = malloc((n + 1) * sizeof *ranks);
	for (i = 0; i < n; i++)
		ranks[i] = i;
	code = far ? MPI_Comm_remote_group(COMM(c), &g) : MPI_Comm_group(COMM(c), &g);
	if (code == MPI_SUCCESS) {
		MPI_Comm_group(MPI_COMM_WORLD, &all);
		code = MPI_Group_translate_ranks(g, n, ranks, all, world);
		MPI_Group_free(&g);
		MPI_Group_free(&all);
	}
	free(ranks);
	return code;
}

int cw_comm_free(cw_h c)
{
	MPI_Comm x = COMM(c);
	return MPI_Comm_free(&x);
}

int cw_dup(cw_h c, cw_h *made) { MADE(MPI_Comm_dup(COMM(c), &out)); }

int cw_idup(cw_h c, cw_h *made, cw_h *r)
{
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Comm *out = (MPI_Comm *)made; // stays put: the library writes it when the call completes
	int code = MPI_Comm_idup(COMM(c), out, &q);
	*r = H(q);
	return code;
}

int cw_idup_done(const cw_h *made, cw_h *c) { return done_with(*(const MPI_Comm *)made, c); }

int cw_split(cw_h c, int color, int key, cw_h *made)
{
	MADE(MPI_Comm_split(COMM(c), color == UNDEFINED ? MPI_UNDEFINED : color, key, &out));
}

static int subgroup(int n, const int *world, MPI_Group *g)
{
	MPI_Group all;
	int code;
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	code = MPI_Group_incl(all, n, world, g);
	MPI_Group_free(&all);
	return code;
}

static void release(MPI_Group *g)
{
	if (*g != MPI_GROUP_EMPTY && *g != MPI_GROUP_NULL)
		MPI_Group_free(g);
}

int cw_create(cw_h c, int n, const int *world, cw_h *made)
{
	MPI_Comm out = MPI_COMM_NULL;
	MPI_Group g;
	int code = subgroup(n, world, &g);
	if (code != MPI_SUCCESS)
		return code;
	code = MPI_Comm_create(COMM(c), g, &out);
	release(&g);
	return code == MPI_SUCCESS ? done_with(out, made) : code;
}

int cw_create_group(cw_h c, int n, const int *world, int tag, cw_h *made)
{
	MPI_Comm out = MPI_COMM_NULL;
	MPI_Group g;
	int code = subgroup(n, world, &g);
	if (code != MPI_SUCCESS)
		return code;
	code = MPI_Comm_create_group(COMM(c), g, tag, &out);
	release(&g);
	return code == MPI_SUCCESS ? done_with(out, made) : code;
}

int cw_intercomm(cw_h c, int leader, cw_h peer, int remote, int tag, cw_h *made)
{
	MADE(MPI_Intercomm_create(COMM(c), leader, peer ? COMM(peer) : MPI_COMM_NULL, remote, tag, &out));
}

int cw_merge(cw_h c, int high, cw_h *made) { MADE(MPI_Intercomm_merge(COMM(c), high, &out)); }

int cw_cart(cw_h c, int n, const int *dims, const int *periods, int reorder, cw_h *made)
{
	MADE(MPI_Cart_create(COMM(c), n, dims, periods, reorder, &out));
}

int cw_cart_sub(cw_h c, const int *remain, cw_h *made) { MADE(MPI_Cart_sub(COMM(c), remain, &out)); }

int cw_graph(cw_h c, int n, const int *index, const int *edges, int reorder, cw_h *made)
{
	MADE(MPI_Graph_create(COMM(c), n, index, edges, reorder, &out));
}

int cw_dist_adjacent(cw_h c, int nin, const int *in, const int *inw, int nout, const int *out_, const int *outw, int weighed, int reorder, cw_h *made)
{
	MADE(MPI_Dist_graph_create_adjacent(COMM(c), nin, in, !weighed ? MPI_UNWEIGHTED : nin ? inw : MPI_WEIGHTS_EMPTY,
		nout, out_, !weighed ? MPI_UNWEIGHTED : nout ? outw : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, reorder, &out));
}

int cw_dist(cw_h c, int n, const int *from, const int *degrees, const int *to, const int *w, int weighed, int reorder, cw_h *made)
{
	MADE(MPI_Dist_graph_create(COMM(c), n, from, degrees, to, !weighed ? MPI_UNWEIGHTED : n ? w : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, reorder, &out));
}

int cw_degrees(cw_h c, int *in, int *out, int *weighed)
{
	return MPI_Dist_graph_neighbors_count(COMM(c), in, out, weighed);
}

int cw_neighbors(cw_h c, int nin, int *in, int *inw, int nout, int *out, int *outw)
{
	return MPI_Dist_graph_neighbors(COMM(c), nin, in, inw, nout, out, outw);
}

// --- info

int cw_info_create(cw_h *i)
{
	MPI_Info info = MPI_INFO_NULL;
	int code = MPI_Info_create(&info);
	*i = H(info);
	return code;
}

int cw_info_set(cw_h i, const char *key, const char *value) { return MPI_Info_set(INFO(i), key, value); }

int cw_info_free(cw_h i)
{
	MPI_Info info = INFO(i);
	return info == MPI_INFO_NULL ? MPI_SUCCESS : MPI_Info_free(&info);
}

int cw_info_nkeys(cw_h i, int *n)
{
	*n = 0;
	return INFO(i) == MPI_INFO_NULL ? MPI_SUCCESS : MPI_Info_get_nkeys(INFO(i), n);
}

int cw_info_nth(cw_h i, int n, char *key, int keyroom, char *value, int valueroom)
{
	char k[MPI_MAX_INFO_KEY + 1] = {0};
	int flag = 0, code = MPI_Info_get_nthkey(INFO(i), n, k);
	if (code != MPI_SUCCESS)
		return code;
	strncpy(key, k, keyroom - 1);
	return MPI_Info_get(INFO(i), k, valueroom - 1, value, &flag);
}

// --- files

static int amode_of(int m)
{
	// By the numbers of the ABI of MPI-5.0.
	static const struct { int abi, mpi; } bits[] = {
		{1, MPI_MODE_APPEND}, {2, MPI_MODE_CREATE}, {4, MPI_MODE_DELETE_ON_CLOSE}, {8, MPI_MODE_EXCL}, {16, MPI_MODE_RDONLY},
		{32, MPI_MODE_RDWR}, {64, MPI_MODE_SEQUENTIAL}, {128, MPI_MODE_UNIQUE_OPEN}, {256, MPI_MODE_WRONLY},
	};
	int out = 0;
	size_t i;
	for (i = 0; i < sizeof bits / sizeof bits[0]; i++)
		if (m & bits[i].abi)
			out |= bits[i].mpi;
	return out;
}

#define HINTS(i) ((i) ? INFO(i) : MPI_INFO_NULL)

int cw_open(cw_h c, const char *path, int amode, cw_h info, cw_h *f)
{
	MPI_File fh = MPI_FILE_NULL;
	int code = MPI_File_open(COMM(c), path, amode_of(amode), HINTS(info), &fh);
	if (code == MPI_SUCCESS)
		MPI_File_set_errhandler(fh, MPI_ERRORS_RETURN);
	*f = H(fh);
	return code;
}

int cw_close(cw_h f)
{
	MPI_File fh = FH(f);
	return MPI_File_close(&fh);
}

// What a library calls that takes functions of a representation, see
// engine.World.
static int no_extent(MPI_Datatype t, MPI_Aint *extent, void *state)
{
	(void)t, (void)extent, (void)state;
	return MPI_ERR_CONVERSION;
}

static int no_conversion(void *user, MPI_Datatype t, int n, void *file, MPI_Offset at, void *state)
{
	(void)user, (void)t, (void)n, (void)file, (void)at, (void)state;
	return MPI_ERR_CONVERSION;
}

int cw_register(const char *rep, int converts)
{
	MPI_Datarep_conversion_function *conv = converts ? no_conversion : MPI_CONVERSION_FN_NULL;
	return MPI_Register_datarep(rep, conv, conv, no_extent, NULL);
}

int cw_delete(const char *path, cw_h info) { return MPI_File_delete(path, HINTS(info)); }

int cw_access(cw_h f, int write, int at, int all, int how, cw_int where, void *base, cw_int off, int n, cw_h t, cw_status *st, cw_h *r)
{
	MPI_File fh = FH(f);
	MPI_Datatype type = t ? TYPE(t) : MPI_BYTE;
	MPI_Offset o = (MPI_Offset)where;
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Status s;
	// MPICH 4.0.2 takes no null pointer for no items under external32: the
	// collective write fails inside, in MPI_Pack_external, and frees its room twice.
	static char nothing;
	void *p = base == NULL && n == 0 ? &nothing : AT(base, off);
	int code = MPI_ERR_ARG;
	memset(&s, 0, sizeof s);
	*r = H(q);
#define CELL(w, x, a, h) ((w) | (x) << 1 | (a) << 3 | (h) << 4)
#define RW(x, a, read, write, ...)                                                          \
	case CELL(0, x, a, CW_WHOLE): code = MPI_File_##read(fh, __VA_ARGS__, &s); break;   \
	case CELL(1, x, a, CW_WHOLE): code = MPI_File_##write(fh, __VA_ARGS__, &s); break;
#define IRW(x, a, read, write, ...)                                                         \
	case CELL(0, x, a, CW_STARTS): code = MPI_File_##read(fh, __VA_ARGS__, &q); break;  \
	case CELL(1, x, a, CW_STARTS): code = MPI_File_##write(fh, __VA_ARGS__, &q); break;
#define SPLIT(x, read, write, ...)                                                          \
	case CELL(0, x, 1, CW_BEGIN): code = MPI_File_##read##_begin(fh, __VA_ARGS__); break; \
	case CELL(1, x, 1, CW_BEGIN): code = MPI_File_##write##_begin(fh, __VA_ARGS__); break; \
	case CELL(0, x, 1, CW_END): code = MPI_File_##read##_end(fh, p, &s); break;         \
	case CELL(1, x, 1, CW_END): code = MPI_File_##write##_end(fh, p, &s); break;
	switch (CELL(write, at, all, how)) {
	RW(CW_EXPLICIT, 0, read_at, write_at, o, p, n, type)
	RW(CW_EXPLICIT, 1, read_at_all, write_at_all, o, p, n, type)
	RW(CW_INDIVIDUAL, 0, read, write, p, n, type)
	RW(CW_INDIVIDUAL, 1, read_all, write_all, p, n, type)
	RW(CW_SHARED, 0, read_shared, write_shared, p, n, type)
	RW(CW_SHARED, 1, read_ordered, write_ordered, p, n, type)
	IRW(CW_EXPLICIT, 0, iread_at, iwrite_at, o, p, n, type)
	IRW(CW_EXPLICIT, 1, iread_at_all, iwrite_at_all, o, p, n, type)
	IRW(CW_INDIVIDUAL, 0, iread, iwrite, p, n, type)
	IRW(CW_INDIVIDUAL, 1, iread_all, iwrite_all, p, n, type)
	IRW(CW_SHARED, 0, iread_shared, iwrite_shared, p, n, type)
	SPLIT(CW_EXPLICIT, read_at_all, write_at_all, o, p, n, type)
	SPLIT(CW_INDIVIDUAL, read_all, write_all, p, n, type)
	SPLIT(CW_SHARED, read_ordered, write_ordered, p, n, type)
	}
	if (how == CW_WHOLE || how == CW_END)
		put(st, &s);
	*r = H(q);
	return code;
}

int cw_set_view(cw_h f, cw_int disp, cw_h etype, cw_h filetype, const char *rep, cw_h info)
{
	return MPI_File_set_view(FH(f), disp == -1 ? MPI_DISPLACEMENT_CURRENT : (MPI_Offset)disp, TYPE(etype), TYPE(filetype), rep, HINTS(info));
}

static void drop(MPI_Datatype *t)
{
	int a, b, c, combiner = MPI_COMBINER_NAMED;
	if (MPI_Type_get_envelope(*t, &a, &b, &c, &combiner) == MPI_SUCCESS && combiner != MPI_COMBINER_NAMED)
		MPI_Type_free(t);
}

int cw_get_view(cw_h f, cw_int *disp, char *rep, int room)
{
	char full[MPI_MAX_DATAREP_STRING + 1] = {0};
	MPI_Offset d = 0;
	MPI_Datatype e, t;
	int code = MPI_File_get_view(FH(f), &d, &e, &t, full);
	if (code != MPI_SUCCESS)
		return code;
	drop(&e);
	drop(&t);
	*disp = d;
	strncpy(rep, full, room - 1);
	rep[room - 1] = 0;
	return code;
}

int cw_seek(cw_h f, cw_int off, int whence, int shared)
{
	int w = whence == 401 ? MPI_SEEK_CUR : whence == 402 ? MPI_SEEK_END : MPI_SEEK_SET;
	return shared ? MPI_File_seek_shared(FH(f), off, w) : MPI_File_seek(FH(f), off, w);
}

#define GET(T, call)                   \
	T v = 0;                       \
	int code = (call);             \
	*out = v;                      \
	return code

int cw_position(cw_h f, int shared, cw_int *out)
{
	GET(MPI_Offset, shared ? MPI_File_get_position_shared(FH(f), &v) : MPI_File_get_position(FH(f), &v));
}

int cw_byte_offset(cw_h f, cw_int off, cw_int *out) { GET(MPI_Offset, MPI_File_get_byte_offset(FH(f), off, &v)); }
int cw_file_extent(cw_h f, cw_h t, cw_int *out) { GET(MPI_Aint, MPI_File_get_type_extent(FH(f), TYPE(t), &v)); }
int cw_size(cw_h f, cw_int *out) { GET(MPI_Offset, MPI_File_get_size(FH(f), &v)); }
int cw_atomicity(cw_h f, int *out) { GET(int, MPI_File_get_atomicity(FH(f), &v)); }
int cw_set_size(cw_h f, cw_int n) { return MPI_File_set_size(FH(f), n); }
int cw_preallocate(cw_h f, cw_int n) { return MPI_File_preallocate(FH(f), n); }
int cw_set_atomicity(cw_h f, int on) { return MPI_File_set_atomicity(FH(f), on); }
int cw_sync(cw_h f) { return MPI_File_sync(FH(f)); }
int cw_set_info(cw_h f, cw_h info) { return MPI_File_set_info(FH(f), HINTS(info)); }

int cw_get_info(cw_h f, cw_h *info)
{
	MPI_Info i = MPI_INFO_NULL;
	int code = MPI_File_get_info(FH(f), &i);
	*info = H(i);
	return code;
}
