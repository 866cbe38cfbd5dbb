#ifndef COMMWORLD_FRAME_H
#define COMMWORLD_FRAME_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <ucontext.h>

enum { FRAME_ARGS = 16, FRAME_LINES = 6 };

/* What a frame came to when Go gets it back. */
enum {
	FRAME_NEW,    /* has not run yet */
	FRAME_CALL,   /* calls a function of MPI */
	FRAME_DONE,   /* has returned; result is what */
	FRAME_EXIT,   /* has called exit; result is the status */
	FRAME_JUMP,   /* has jumped to the stack of another frame, by longjmp */
	FRAME_SIGNAL, /* got a signal; result is which, address where memory was touched */
	FRAME_STOP,   /* was stopped, because its world has ended */
	FRAME_EXEC,   /* has called a function such as execve; address is that of the program's name */
};

/*
 * Where control is to come back to. Functions of the C library cost more: they hide the
 * address and look for handlers of cancelled threads.
 */
#ifdef __x86_64__
typedef void *return_point[5];
#define MARK(point) __builtin_setjmp(point)
#define RETURN_TO(point) __builtin_longjmp(point, 1)
#else
typedef jmp_buf return_point;
#define MARK(point) _setjmp(point)
#define RETURN_TO(point) _longjmp(point, 1)
#endif

/* A function that the program wants called when it exits. */
struct exit_function {
	void (*call)(void *);
	void *argument;
	struct exit_function *next;
};

/* The last call of MPI that a rank has made, in memory that may outlive the process. */
struct position {
	int32_t used, inside; /* whether the rank has begun, and whether the call has not returned */
	int64_t function;     /* its number, -1 before the first call */
	uint64_t lines[FRAME_LINES]; /* return addresses, relative to the program's beginning */
	int64_t signal;       /* that the rank got at these lines, 0 if none */
};

/* What a call of POSIX or stdio did to a file. */
enum { FILE_READ, FILE_WRITE, FILE_TRUNCATE, FILE_REMOVE, FILE_RENAME, FILE_CLOSE };

/* A call of POSIX or stdio on a file by a rank. */
struct file_call {
	struct file_call *next;
	int kind, fd;         /* fd is -1 if the file is not open, or how long it is is unknown */
	const char *function; /* such as fopen */
	char *path;           /* absolute, without links; NULL if fd says it */
	uintptr_t lines[FRAME_LINES];
};

/* What a rank has in place of what a process has once. */
struct owner {
	struct random_data random; /* of rand and random, as glibc begins them */
	char random_state[128];
	int option_index;
	char *option_argument; /* optind and optarg of getopt */
	struct exit_function *exits; /* the last one first */
	struct exit_function *thread_exits; /* of thread_local variables of C++ */
	pthread_key_t *keys;   /* that the rank has created: their destructors are not called when a process ends */
	int keys_used, keys_room;
	int error;             /* errno */
	char *token;           /* where strtok goes on */
	FILE *out, *errs;      /* standard output and error of its own, or NULL */
	uintptr_t low, high;   /* where the code of the program is */
	int rank;
	struct position *position; /* NULL if no one wants to know */
	uintptr_t base;            /* of the program's copy */
	struct file_call *file_calls, *last_file_call; /* since the rank's last call of MPI */
	int kept_file_calls, lost_file_calls;          /* their number, and whether there were more */
	volatile pid_t thread; /* that runs the rank's code, 0 while none does */
};

/*
 * A frame is C code that runs on a stack of its own: a rank's main, or a function of the
 * program that Go calls. Go resumes it; it gives up control by a call of MPI, by returning,
 * by exit, or by a signal. So no frame of Go is ever below one of C, and a rank can wait in
 * any way that Go has.
 */
struct frame {
	return_point go, program;
	char *stack;  /* begins with memory that may not be touched */
	size_t guard; /* bytes of it */
	size_t size;  /* with the guard */
	int full;     /* a signal came from touching the guard */
	int64_t (*entry)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);
	int64_t in[6];

	struct owner *owner;
	int is_main; /* it runs main, and not a function that Go calls */
	int state, function, large, n;
	int64_t result, address;
	int64_t *args;
	uintptr_t lines[FRAME_LINES]; /* return addresses of the call, innermost first */
};

/* The function of the C library that one of the same name here stands for. */
#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

struct frame *commworld_caller(void);
void commworld_lines(struct frame *f, void *fp, uintptr_t *lines);
void commworld_watch_files(void);
void commworld_free_file_calls(struct file_call *c);
struct owner *commworld_owner(int rank, uintptr_t base, uintptr_t low, uintptr_t high, struct position *position);
int commworld_label(struct owner *o, int rank);
int commworld_divert(struct owner *o, const char *out, const char *errs);
void commworld_stop(struct owner *o, int force);
struct frame *commworld_new(void);
void commworld_free(struct frame *f);
void commworld_resume(uintptr_t frame);
void commworld_forget_keys(struct owner *o);
void commworld_signals(void);
void commworld_crashed(void);
void commworld_flush(int crashed);
void *commworld_load(int fd, char **message);
void commworld_unload(void *program);
void *commworld_symbol(void *program, const char *name);
uintptr_t commworld_base(void *symbol);

#endif
