// The calls of an MPI library, in words that mean the same whatever the library:
// handles are machine words, special ranks and errors those of this module.
#ifndef COMMWORLD_SHIM_H
#define COMMWORLD_SHIM_H

#include <stddef.h>
#include <stdint.h>

typedef uintptr_t cw_h;   // a handle of the library
typedef long long cw_int; // an Aint, an Offset or a Count

typedef struct {
	int source, tag, cancelled, flag;
	cw_int bytes;
} cw_status;

// Environment.
int cw_init(int level, int *got, int *rank, int *size);
int cw_finalize(void);
void cw_funnel(void);
int cw_foreign(void); // this thread may not call the library
void cw_abort(int code);
enum { CW_WRONG_THREAD = -1, CW_TOO_OLD = -2 };
void cw_library(char *text, int room);
int cw_class(int code);
void cw_text(int code, char *text, int room);
cw_h cw_world(void);
cw_h cw_self(void);
int cw_attach(cw_h c, cw_int bytes);
int cw_detach(cw_h c);
int cw_flush(cw_h c);
int cw_iflush(cw_h c, cw_h *r);

// Datatypes.
int cw_named(const char *name, cw_h *t);
int cw_type(int combiner, int nints, const int *ints, int naddrs, const cw_int *addrs, int ntypes, const cw_h *types, cw_h *t);
int cw_type_extent(cw_h t, cw_int *lb, cw_int *extent, cw_int *size);
int cw_type_free(cw_h t);
int cw_address_type(int count, void *base, cw_int off, cw_h of, cw_h *t);

// Messages. mode: 0 standard, 1 synchronous, 2 buffered, 3 ready.
int cw_send(int mode, void *base, cw_int off, int n, cw_h t, int dst, int tag, cw_h c);
int cw_recv(void *base, cw_int off, int n, cw_h t, int src, int tag, cw_h c, cw_status *st);
int cw_isend(int mode, void *base, cw_int off, int n, cw_h t, int dst, int tag, cw_h c, cw_h *r);
int cw_irecv(void *base, cw_int off, int n, cw_h t, int src, int tag, cw_h c, cw_h *r);
int cw_probe(int wait, int src, int tag, cw_h c, cw_status *st);
int cw_mprobe(int wait, int src, int tag, cw_h c, cw_h *m, cw_status *st);
int cw_imrecv(void *base, cw_int off, int n, cw_h t, cw_h m, cw_h *r);
int cw_wait(cw_h r, cw_status *st);
int cw_test(cw_h *r, cw_status *st);
int cw_cancel(cw_h r);

// Collectives, in this order.
enum {
	CW_BARRIER, CW_BCAST, CW_GATHER, CW_GATHERV, CW_SCATTER, CW_SCATTERV, CW_ALLGATHER, CW_ALLGATHERV,
	CW_ALLTOALL, CW_ALLTOALLV, CW_ALLTOALLW, CW_REDUCE, CW_ALLREDUCE, CW_SCAN, CW_EXSCAN,
	CW_REDUCE_SCATTER_BLOCK, CW_REDUCE_SCATTER, CW_NEIGHBOR_ALLGATHER, CW_NEIGHBOR_ALLGATHERV,
	CW_NEIGHBOR_ALLTOALL, CW_NEIGHBOR_ALLTOALLV, CW_NEIGHBOR_ALLTOALLW
};
int cw_collective(int what, int starts, int in_place, cw_h c, int root, cw_h op,
	void *sbase, cw_int soff, int sn, cw_h st, const int *scounts, const int *sdispls, const cw_h *stypes,
	void *rbase, cw_int roff, int rn, cw_h rt, const int *rcounts, const int *rdispls, const cw_h *rtypes,
	cw_h *r, void **keep);
void cw_let_go(void *keep);

// Operations. A user function is known by a slot.
enum { CW_SLOTS = 32 };
int cw_op(const char *name, cw_h *op);
int cw_op_create(int slot, int commutes, cw_h *op);
int cw_op_free(cw_h op);

// Communicators.
int cw_comm_rank(cw_h c);
int cw_comm_size(cw_h c, int *far);
int cw_members(cw_h c, int far, int n, int *world);
int cw_comm_free(cw_h c);
int cw_dup(cw_h c, cw_h *made);
int cw_idup(cw_h c, cw_h *made, cw_h *r);
int cw_idup_done(const cw_h *made, cw_h *c);
int cw_split(cw_h c, int color, int key, cw_h *made);
int cw_create(cw_h c, int n, const int *world, cw_h *made);
int cw_create_group(cw_h c, int n, const int *world, int tag, cw_h *made);
int cw_intercomm(cw_h c, int leader, cw_h peer, int remote, int tag, cw_h *made);
int cw_merge(cw_h c, int high, cw_h *made);
int cw_cart(cw_h c, int n, const int *dims, const int *periods, int reorder, cw_h *made);
int cw_cart_sub(cw_h c, const int *remain, cw_h *made);
int cw_graph(cw_h c, int n, const int *index, const int *edges, int reorder, cw_h *made);
int cw_dist_adjacent(cw_h c, int nin, const int *in, const int *inw, int nout, const int *out, const int *outw, int weighed, int reorder, cw_h *made);
int cw_dist(cw_h c, int n, const int *from, const int *degrees, const int *to, const int *w, int weighed, int reorder, cw_h *made);
int cw_degrees(cw_h c, int *in, int *out, int *weighed);
int cw_neighbors(cw_h c, int nin, int *in, int *inw, int nout, int *out, int *outw);

// Info.
int cw_info_create(cw_h *i);
int cw_info_set(cw_h i, const char *key, const char *value);
int cw_info_free(cw_h i);
int cw_info_nkeys(cw_h i, int *n);
int cw_info_nth(cw_h i, int n, char *key, int keyroom, char *value, int valueroom);

// Files.
enum { CW_EXPLICIT, CW_INDIVIDUAL, CW_SHARED };
enum { CW_WHOLE, CW_STARTS, CW_BEGIN, CW_END };
int cw_open(cw_h c, const char *path, int amode, cw_h info, cw_h *f);
int cw_close(cw_h f);
int cw_register(const char *rep, int converts);
int cw_delete(const char *path, cw_h info);
int cw_access(cw_h f, int write, int at, int all, int how, cw_int where, void *base, cw_int off, int n, cw_h t, cw_status *st, cw_h *r);
int cw_set_view(cw_h f, cw_int disp, cw_h etype, cw_h filetype, const char *rep, cw_h info);
int cw_get_view(cw_h f, cw_int *disp, char *rep, int room);
int cw_seek(cw_h f, cw_int off, int whence, int shared);
int cw_position(cw_h f, int shared, cw_int *off);
int cw_byte_offset(cw_h f, cw_int off, cw_int *at);
int cw_file_extent(cw_h f, cw_h t, cw_int *extent);
int cw_size(cw_h f, cw_int *n);
int cw_set_size(cw_h f, cw_int n);
int cw_preallocate(cw_h f, cw_int n);
int cw_set_atomicity(cw_h f, int on);
int cw_atomicity(cw_h f, int *on);
int cw_sync(cw_h f);
int cw_set_info(cw_h f, cw_h info);
int cw_get_info(cw_h f, cw_h *info);

#endif
