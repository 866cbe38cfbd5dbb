/* What a rank that is a process and the launcher that carries out its calls have in common. */
#ifndef COMMWORLD_MAILBOX_H
#define COMMWORLD_MAILBOX_H

#include <stdint.h>

enum { BOX_ARGS = 16, BOX_LINES = 6, BOX_TEXT = 8 << 10, BOX_CELLS = 4 << 10, BOX_FUNCTIONS = 640 };

#define BOX_VARIABLE "COMMWORLD_PROCESS" /* of the environment: the version and the path of the mailbox */
#define BOX_MAGIC 0x636f6d6d776f726cULL

/* Who has the mailbox. */
enum { TURN_PROCESS, TURN_LAUNCHER, TURN_GONE /* the process has ended */ };

/* What the process says. */
enum {
	EVENT_HELLO,  /* it has loaded the library */
	EVENT_CALL,   /* it calls a function of MPI */
	EVENT_DONE,   /* a function that the launcher wanted called has returned */
	EVENT_JUMP,   /* it has left such a function by longjmp */
	EVENT_SIGNAL, /* a signal ends it; result is which, address where memory was touched */
	EVENT_FILES,  /* it has called POSIX or stdio since its last call of MPI, and exits */
	EVENT_STOP,   /* it was stopped, because its world has ended */
};

/* What the launcher answers. */
enum {
	ANSWER_RESULT, /* the call returns result */
	ANSWER_CALL,   /* call the function at entry with the arguments in */
	ANSWER_END,    /* end the process */
};

/* How a call that may wait for other ranks lets other threads of the process make calls. */
enum {
	WAY_WHOLE,      /* not */
	WAY_LOOK,       /* look is a function that does not wait, with a flag */
	WAY_START,      /* look starts the operation, with a request in addition */
	WAY_STATUS,     /* the same, in place of the status */
};

struct way {
	int16_t look;     /* number of a function */
	int8_t how, flag; /* which argument of it is the flag, -1: it returns a number of requests */
	int8_t requests;  /* the call has requests: 1 if it needs one of them, 2 if it needs all */
	int8_t probes;    /* it is a probe */
};

/* What a function does that threads must not do at one time. Arguments are numbered from 1, 0: none. */
struct use {
	int8_t comm;       /* the communicator, */
	int8_t collective; /* on which it is collective, */
	int8_t frees;      /* or which it frees, at the address */
	int8_t request;    /* the address of requests that it may complete, */
	int8_t requests;   /* and their number, 0: it is one */
};

/* A call that began while one of another thread was under way with which it must not be. */
enum { CLASH_NONE, CLASH_COLLECTIVES, CLASH_FREE, CLASH_REQUEST, CLASH_CALLS };

struct clash {
	int32_t what, own;         /* the function that the program calls */
	int32_t function;          /* that of the other thread, */
	uint64_t lines[BOX_LINES]; /* and its lines */
};

/* A probe of a thread that waits for a message. */
struct probe {
	int64_t function, source, tag, comm;
};

/*
 * The mailbox: memory of both. Whose turn it is may read and write all of it; the other one waits
 * for turn to change, with FUTEX_WAIT if it has set its flag in sleeps.
 */
struct mailbox {
	uint64_t magic;
	uint32_t turn, sleeps[2];
	int32_t process; /* that has loaded the library, 0 while none has */
	int32_t launcher, rank;

	/* Of the process. */
	int32_t event, function, large, n;
	int32_t main_thread;                /* the call comes from it */
	int32_t thread;                     /* that makes the call */
	struct clash clash;                 /* with the call */
	int64_t args[BOX_ARGS], result, address;
	uint64_t lines[BOX_LINES];          /* return addresses, innermost first */
	uint64_t counter, stack, frame;     /* registers, of EVENT_SIGNAL and EVENT_STOP */
	int32_t text;                       /* bytes used of places */
	char places[BOX_TEXT];              /* lines of Python: for each file, function, line, ended by zeros */
	int32_t ends;                       /* exit or raise was called, from end_lines */
	uint64_t end_lines[BOX_LINES];
	uint64_t files;                     /* address of its calls of POSIX and stdio since the last event */
	int32_t lost_files;                 /* and there were more */
	int32_t waits;                      /* function that another thread wants to call, plus 1 */
	int32_t stands_in;                  /* the call starts what the program waits for */
	int32_t block;                      /* MPI_Request_get_status_any waits until a request is complete */
	int32_t probes;                     /* or one of so many probes, */
	uint64_t probe;                     /* which are struct probe at this address, finds a message */
	uint64_t here, allocate, release;   /* addresses of this mailbox, malloc and free in the process */

	/* Of the launcher. */
	int32_t answer;
	int64_t entry, in[6];
	int32_t watch;                      /* a file was opened through MPI */
	int32_t multiple;                   /* MPI_THREAD_MULTIPLE */
	int32_t test, wait, await;          /* numbers of MPI_Test, MPI_Wait, MPI_Request_get_status_any */
	struct way ways[BOX_FUNCTIONS];     /* of the functions, if multiple is set */
	struct use uses[BOX_FUNCTIONS];     /* the same */

	char cells[BOX_CELLS]; /* small arguments of functions that the process calls for the launcher */
};

#endif
