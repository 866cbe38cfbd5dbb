package recorder

import "strings"

// spec says how the arguments of a function are recorded: a word for each parameter of
// functions.txt, which is a letter and, after a colon, an expression in C of other parameters.
//
//   - not recorded
//     n r k u    a number, a rank, a tag, a color
//     m w        an access mode, a whence
//     c f        a communicator, a file
//     x y        the same, which the call frees, given by address
//     C F        the same, which the call makes
//     t:COND     a datatype, if the condition is true
//     T:N        an array of N datatypes
//     l:N        an array of N integers
//     s i o g    a string, an info, an operation, a group of the communicator
//     b          whether a buffer is MPI_IN_PLACE
//     Q P        a request that the call starts or makes
//     q          a request, by address
//     d M        a message that the call receives or makes, by address
//     R          a status: the source and the tag that a receive has matched
//     G          like C, and its members
var specs = map[string]string{
	"Abort":    "c n",
	"Finalize": "",

	"File_open": "c s m i F", "File_close": "y", "File_delete": "s i",
	"File_set_size": "f n", "File_preallocate": "f n", "File_get_size": "f -", "File_set_info": "f i",
	"File_set_view": "f n t t s i", "File_seek": "f n w", "File_seek_shared": "f n w",
	"File_get_position": "f -", "File_get_position_shared": "f -", "File_set_atomicity": "f n", "File_sync": "f",

	"Cart_create": "c n l:ndims l:ndims n C", "Cart_sub": "c l:dims_of(comm) C",
	"Graph_create":               "c n l:nnodes l:nnodes>0?indx[nnodes-1]:0 n C",
	"Dist_graph_create":          "c n l:n l:n l:sum(degrees,n) - i n C",
	"Dist_graph_create_adjacent": "c n l:indegree - n l:outdegree - i n C",

	"Comm_create": "c g C", "Comm_create_group": "c g n C", "Comm_dup": "c C", "Comm_dup_with_info": "c i C",
	"Comm_idup": "c C Q", "Comm_idup_with_info": "c i C Q", "Comm_free": "x", "Comm_disconnect": "x",
	"Comm_split": "c u n C", "Comm_split_type": "c n n i G",
	"Intercomm_create": "c n c r n C", "Intercomm_merge": "c n C",

	"Probe": "r k c R", "Mprobe": "r k c M R", "Mrecv": "- n t d R", "Imrecv": "- n t d Q",
	"Recv": "- n t r k c R", "Irecv": "- n t r k c Q", "Recv_init": "- n t r k c P",
	"Sendrecv": "- n t r k - n t r k c R", "Isendrecv": "- n t r k - n t r k c Q",
	"Sendrecv_replace": "- n t r k r k c R", "Isendrecv_replace": "- n t r k r k c Q",
	"Psend_init": "- n n t r k c i P", "Precv_init": "- n n t r k c i P",
	"Buffer_attach": "- n", "Buffer_detach": "- -",

	"Request_free": "q", "Cancel": "q", "Start": "q",
	"Pready": "n q", "Pready_range": "n n q", "Pready_list": "n l:length q",

	"Barrier": "c", "Bcast": "- n t r c",
	"Allgather": "b n t:sendbuf!=MPI_IN_PLACE - n t c", "Allgatherv": "b n t:sendbuf!=MPI_IN_PLACE - l:comm_size(comm) l:comm_size(comm) t c",
	"Allreduce": "b - n t o c", "Scan": "b - n t o c", "Exscan": "b - n t o c", "Reduce": "b - n t o r c",
	"Reduce_scatter": "b - l:comm_size(comm) t o c", "Reduce_scatter_block": "b - n t o c",
	"Alltoall":  "b n t:sendbuf!=MPI_IN_PLACE - n t c",
	"Alltoallv": "b l:sendbuf==MPI_IN_PLACE?-1:comm_size(comm) l:sendbuf==MPI_IN_PLACE?-1:comm_size(comm) t:sendbuf!=MPI_IN_PLACE - l:comm_size(comm) l:comm_size(comm) t c",
	"Alltoallw": "b l:sendbuf==MPI_IN_PLACE?-1:comm_size(comm) l:sendbuf==MPI_IN_PLACE?-1:comm_size(comm) T:sendbuf==MPI_IN_PLACE?-1:comm_size(comm) - l:comm_size(comm) l:comm_size(comm) T:comm_size(comm) c",
	"Gather":    "b n t:sendbuf!=MPI_IN_PLACE&&is_leaf(comm,root) - n t:is_root(comm,root) r c",
	"Gatherv":   "b n t:sendbuf!=MPI_IN_PLACE&&is_leaf(comm,root) - l:is_root(comm,root)?comm_size(comm):-1 l:is_root(comm,root)?comm_size(comm):-1 t:is_root(comm,root) r c",
	"Scatter":   "- n t:is_root(comm,root) b n t:recvbuf!=MPI_IN_PLACE&&is_leaf(comm,root) r c",
	"Scatterv":  "- l:is_root(comm,root)?comm_size(comm):-1 l:is_root(comm,root)?comm_size(comm):-1 t:is_root(comm,root) b n t:recvbuf!=MPI_IN_PLACE&&is_leaf(comm,root) r c",

	"Neighbor_allgather": "- n t - n t c", "Neighbor_allgatherv": "- n t - l:degree(comm,0) l:degree(comm,0) t c",
	"Neighbor_alltoall":  "- n t - n t c",
	"Neighbor_alltoallv": "- l:degree(comm,1) l:degree(comm,1) t - l:degree(comm,0) l:degree(comm,0) t c",
	"Neighbor_alltoallw": "- l:degree(comm,1) l:degree(comm,1) T:degree(comm,1) - l:degree(comm,0) l:degree(comm,0) T:degree(comm,0) c",
}

// accesses are the data accesses of files: the words after the file.
var accesses = map[string]string{
	"File_%s_at": "n - n t -", "File_%s_at_all": "n - n t -", "File_%s": "- n t -", "File_%s_all": "- n t -",
	"File_%s_shared": "- n t -", "File_%s_ordered": "- n t -",
	"File_i%s_at": "n - n t Q", "File_i%s_at_all": "n - n t Q", "File_i%s": "- n t Q", "File_i%s_all": "- n t Q", "File_i%s_shared": "- n t Q",
	"File_%s_at_all_begin": "n - n t", "File_%s_all_begin": "- n t", "File_%s_ordered_begin": "- n t",
	"File_%s_at_all_end": "- -", "File_%s_all_end": "- -", "File_%s_ordered_end": "- -",
}

// noted are functions that order ranks or move data in ways that a world does not have: only
// that they were called is recorded.
var noted = []string{
	"Win_create", "Win_allocate", "Win_allocate_shared", "Win_create_dynamic", "Win_fence", "Win_lock", "Win_lock_all", "Win_start", "Win_post",
	"Comm_spawn", "Comm_spawn_multiple", "Comm_accept", "Comm_connect", "Comm_join", "Comm_get_parent", "Session_init",
	"Grequest_start", "Register_datarep",
}

// special are the functions whose wrappers are in calls.c.
var special = map[string]string{
	"Wait": "q>le", "Waitall": "l>le", "Waitany": "l>nle", "Waitsome": "l>lle",
	"Iprobe": "rkc>RKe", "Improbe": "rkc>MRKe", "Startall": "l>e",
}

func init() {
	for name, words := range accesses {
		for _, way := range []string{"read", "write"} {
			specs[strings.ReplaceAll(name, "%s", way)] = "f " + words
		}
	}
	for _, name := range []string{"Send", "Ssend", "Bsend", "Rsend"} {
		specs[name] = "- n t r k c"
		specs["I"+strings.ToLower(name)] = "- n t r k c Q"
		specs[name+"_init"] = "- n t r k c P"
	}
	for _, name := range strings.Fields("Barrier Bcast Allgather Allgatherv Allreduce Scan Exscan Reduce Reduce_scatter Reduce_scatter_block " +
		"Alltoall Alltoallv Alltoallw Gather Gatherv Scatter Scatterv " +
		"Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw") {
		specs["I"+strings.ToLower(name[:1])+name[1:]] = specs[name] + " Q"
		specs[name+"_init"] = specs[name] + " i P"
	}
}
