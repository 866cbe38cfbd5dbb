//go:build linux && cgo && (amd64 || arm64)

/* glibc's checked longjmp takes a change of stacks for a mistake. */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include "frame.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#include "stubs.h"

/* Of Go: reports that a thread that is not a rank called MPI, from an address in the object that begins at base. */
void commworldStranger(uintptr_t address, uintptr_t base);

/* The frame that this thread runs, NULL while it runs Go. */
static __thread struct frame *current;

/* The process of the ranks, and whether this is one that a rank has forked. */
static pid_t process;
static int forked;

static pid_t this_process(void) { return syscall(SYS_getpid); }

static void after_fork(void);

/* Looks where the thread's variable is anew; a compiler may think that it stays. */
static __attribute__((noinline)) struct frame *running(void)
{
	__asm__ volatile("");
	return current;
}

/* Bytes of stacks: at least what Linux gives, and what is unlimited. */
#define LEAST ((size_t)8 << 20)
#define MOST ((size_t)1 << 30)

/*
 * Bytes of the guard below a stack. It takes addresses, not memory. The first touch of a
 * function with large arrays has to meet the guard, and not the memory of another rank; where
 * addresses are limited a small one has to do.
 */
static const size_t guards[] = {(size_t)1 << 30, 64 << 10};

/* How large stacks are: as ulimit -s says. */
static size_t stack_size(void)
{
	struct rlimit l;
	if (getrlimit(RLIMIT_STACK, &l) != 0 || l.rlim_cur < LEAST)
		return LEAST;
	if (l.rlim_cur == RLIM_INFINITY)
		return MOST;
	return l.rlim_cur & ~(size_t)0xffff;
}

struct frame *commworld_new(void)
{
	struct frame *f = calloc(1, sizeof *f);
	if (f == NULL)
		return NULL;
	const size_t stack = stack_size();
	for (size_t i = 0; i < sizeof guards / sizeof *guards; i++) {
		f->guard = guards[i];
		f->size = stack + f->guard;
		f->stack = mmap(NULL, f->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
		if (f->stack != MAP_FAILED)
			break;
	}
	if (f->stack == MAP_FAILED || mprotect(f->stack + f->guard, stack, PROT_READ | PROT_WRITE) != 0) {
		if (f->stack != MAP_FAILED)
			munmap(f->stack, f->size);
		free(f);
		return NULL;
	}
	return f;
}

/* Makes what a rank owns, of a program whose code is from low to high. */
struct owner *commworld_owner(int rank, uintptr_t base, uintptr_t low, uintptr_t high, struct position *position)
{
	struct owner *o = calloc(1, sizeof *o);
	if (o == NULL)
		return NULL;
	initstate_r(1, o->random_state, sizeof o->random_state, &o->random);
	o->rank = rank;
	o->base = base;
	o->low = base + low;
	o->high = base + high;
	o->position = position;
	if (position != NULL)
		*position = (struct position){.used = 1, .function = -1};
	return o;
}

void commworld_free(struct frame *f)
{
	munmap(f->stack, f->size);
	free(f);
}

/* Notes a call of MPI where it can be read when this process is gone. */
static void note_position(const struct frame *f, int inside)
{
	struct position *p = f->owner->position;
	if (inside)
		p->function = f->function;
	for (int i = 0; i < FRAME_LINES; i++)
		p->lines[i] = f->lines[i] == 0 ? 0 : f->lines[i] - f->owner->base;
	p->inside = inside;
}

/*
 * Notes that the code of f does not come back, and may hold locks, such as that of the heap:
 * Go may never run again.
 */
static __attribute__((noinline)) void note_crash(const struct frame *f, int state)
{
	if (f->owner->position != NULL) {
		note_position(f, 0);
		if (state == FRAME_SIGNAL)
			f->owner->position->signal = f->result;
	}
	commworld_crashed();
}

/* Ends a stay in f: control goes back to Go. */
static inline _Noreturn void leave(struct frame *f, int state)
{
	if (state == FRAME_SIGNAL || state == FRAME_STOP)
		note_crash(f, state);
	f->state = state;
	RETURN_TO(f->go);
}

static void call_all(struct exit_function **list)
{
	while (*list != NULL) {
		struct exit_function e = **list;
		free(*list);
		*list = e.next;
		e.call(e.argument);
	}
}

/* Calls what the rank wanted called at its exit. */
static void run_exits(struct owner *o)
{
	call_all(&o->thread_exits);
	call_all(&o->exits);
}

static _Noreturn void leave_child(struct frame *f, int status);

static void enter(unsigned low, unsigned high)
{
	struct frame *f = (struct frame *)((uintptr_t)high << 32 | low);
	int64_t result = f->entry(f->in[0], f->in[1], f->in[2], f->in[3], f->in[4], f->in[5]);
	if (forked)
		leave_child(f, (int)result);
	struct frame *now = running(); /* maybe in another thread */
	if (now != f)
		leave(now, FRAME_JUMP);
	if (f->is_main)
		run_exits(f->owner);
	f->result = result; /* a call of MPI has its result there, too */
	leave(f, FRAME_DONE);
}

/* Exchanges two streams, if the rank has one of its own. */
static void exchange_stream(FILE **process, FILE **own)
{
	FILE *f = *process;
	if (*own != NULL) {
		*process = *own;
		*own = f;
	}
}

/*
 * What the C library keeps for a process is each rank's own. Beginning with 0 has getopt
 * forget where the rank before was.
 */
static void exchange(struct owner *o)
{
	int index = optind;
	char *argument = optarg;
	optind = o->option_index;
	optarg = o->option_argument;
	o->option_index = index;
	o->option_argument = argument;
	exchange_stream(&stdout, &o->out);
	exchange_stream(&stderr, &o->errs);
}

/* A stream that begins each line by the rank that printed it. */
struct labelled { int fd, rank; };

/* Who printed the line that has not ended yet, on each of the first descriptors; 0 if none did. */
static int unfinished[3];

static ssize_t write_labelled(void *cookie, const char *text, size_t n)
{
	const struct labelled *l = cookie;
	int *before = &unfinished[l->fd];
	for (size_t i = 0; i < n;) {
		const char *newline = memchr(text + i, '\n', n - i);
		size_t size = newline == NULL ? n - i : (size_t)(newline - text - i) + 1;
		if (*before != l->rank + 1)
			dprintf(l->fd, "%srank %d: ", *before == 0 ? "" : "\n", l->rank);
		for (size_t done = 0; done < size;) {
			ssize_t m = write(l->fd, text + i + done, size - done);
			if (m < 0)
				return i + done;
			done += m;
		}
		*before = newline == NULL ? l->rank + 1 : 0;
		i += size;
	}
	return n;
}

static FILE *labelled(int fd, int rank)
{
	struct labelled *l = malloc(sizeof *l);
	if (l == NULL)
		return NULL;
	*l = (struct labelled){fd, rank};
	FILE *f = fopencookie(l, "w", (cookie_io_functions_t){.write = write_labelled});
	if (f != NULL)
		setvbuf(f, NULL, _IOLBF, BUFSIZ);
	return f;
}

/* Has what the rank prints begin each line with its number. */
int commworld_label(struct owner *o, int rank)
{
	o->out = labelled(1, rank);
	o->errs = labelled(2, rank);
	return o->out != NULL && o->errs != NULL;
}

/* Has what the rank prints go to files. */
int commworld_divert(struct owner *o, const char *out, const char *errs)
{
	o->out = fopen(out, "w");
	o->errs = fopen(errs, "w");
	if (o->out == NULL || o->errs == NULL)
		return 0;
	setvbuf(o->out, NULL, _IOLBF, BUFSIZ);
	setvbuf(o->errs, NULL, _IONBF, 0);
	return 1;
}

static pid_t this_thread(void)
{
	static __thread pid_t id;
	if (id == 0)
		id = syscall(SYS_gettid);
	return id;
}

void commworld_resume(uintptr_t frame)
{
	struct frame *f = (struct frame *)frame;
	exchange(f->owner);
	current = f;
	f->owner->thread = this_thread();
	if (MARK(f->go) == 0) {
		errno = f->owner->error;
		if (f->state != FRAME_NEW)
			RETURN_TO(f->program);
		ucontext_t c;
		getcontext(&c);
		c.uc_stack.ss_sp = f->stack + f->guard;
		c.uc_stack.ss_size = f->size - f->guard;
		c.uc_link = NULL;
		makecontext(&c, (void (*)(void))enter, 2, (unsigned)(uintptr_t)f, (unsigned)((uintptr_t)f >> 32));
		setcontext(&c);
	}
	f->owner->error = errno;
	current = NULL;
	f->owner->thread = 0;
	exchange(f->owner);
}

/*
 * Notes the return addresses of a call by its frame pointers, as far as they stay on the
 * stack and rise; code that was compiled without them ends the list early.
 */
static void note_lines_from(struct frame *f, int i, void *fp)
{
	uintptr_t low = (uintptr_t)f->stack + f->guard, high = (uintptr_t)f->stack + f->size - 2 * sizeof(uintptr_t), at = (uintptr_t)fp;
	while (i < FRAME_LINES && at >= low && at <= high && at % sizeof(uintptr_t) == 0) {
		f->lines[i++] = ((uintptr_t *)at)[1];
		low = at + 1;
		at = *(uintptr_t *)at;
	}
	while (i < FRAME_LINES)
		f->lines[i++] = 0;
}

static void note_lines(struct frame *f, void *fp) { note_lines_from(f, 0, fp); }

/* Ends a process that a rank has forked and that wants MPI to go on. */
static _Noreturn void refuse_child(void)
{
	static const char text[] = "commworld: a function of MPI was called by a process that a rank has forked: only ranks call MPI\n";
	if (write(2, text, sizeof text - 1) < 0)
		abort();
	REAL(_exit)(1);
	__builtin_unreachable();
}

/*
 * Ends a process that a rank has forked: a function that Go called has returned in it. If that
 * is main, the process ends as others do; Go, which has no threads there, must not go on.
 */
static _Noreturn void leave_child(struct frame *f, int status)
{
	if (!f->is_main)
		refuse_child();
	run_exits(f->owner);
	REAL(exit)(status);
	__builtin_unreachable();
}

/*
 * Ends the process: a thread that is not a rank called MPI, from address.
 */
static void refuse(uintptr_t address)
{
	if (forked)
		refuse_child();
	Dl_info info = {0};
	dladdr((void *)address, &info);
	commworldStranger(address, (uintptr_t)info.dli_fbase);
	fflush(NULL);
	REAL(_exit)(1);
}

int64_t commworld_call(int function, int large, int64_t *args, int n, void *fp)
{
	struct frame *f = running();
	if (f == NULL || forked)
		refuse(((uintptr_t *)fp)[1]);
	f->function = function;
	f->large = large;
	f->args = args;
	f->n = n;
	if ((char *)fp < f->stack + f->guard || (char *)fp >= f->stack + f->size)
		leave(f, FRAME_JUMP);
	note_lines(f, fp);
	if (f->owner->position != NULL)
		note_position(f, 1);
	if (MARK(f->program) == 0)
		leave(f, FRAME_CALL);
	if (f->owner->position != NULL)
		f->owner->position->inside = 0;
	return f->result; /* maybe in another thread */
}

/* The frame of the rank that calls, NULL if what calls is not a rank. */
static struct frame *caller(void) { return current != NULL && this_process() == process ? current : NULL; }

struct frame *commworld_caller(void) { return caller(); }

/* Ends the frame as the program asks for, if a rank does; fp is the frame of what it called. */
static __attribute__((noinline)) void end(int state, int64_t result, void *fp)
{
	struct frame *f = caller();
	if (f == NULL)
		return;
	note_lines(f, fp);
	f->result = result;
	leave(f, state);
}

/* What would end the process ends the rank. */
void exit(int status)
{
	struct frame *f = caller();
	if (f == NULL) {
		if (forked && current != NULL)
			run_exits(current->owner);
		REAL(exit)(status);
	}
	uintptr_t lines[FRAME_LINES];
	note_lines(f, __builtin_frame_address(0));
	memcpy(lines, f->lines, sizeof lines);
	run_exits(f->owner);
	memcpy(f->lines, lines, sizeof lines);
	f->result = status;
	leave(f, FRAME_EXIT);
}

void _exit(int status)
{
	end(FRAME_EXIT, status, __builtin_frame_address(0));
	REAL(_exit)(status);
	__builtin_unreachable();
}

void quick_exit(int status)
{
	end(FRAME_EXIT, status, __builtin_frame_address(0));
	REAL(quick_exit)(status);
	__builtin_unreachable();
}

void _Exit(int status)
{
	end(FRAME_EXIT, status, __builtin_frame_address(0));
	REAL(_exit)(status);
	__builtin_unreachable();
}

/* A rank that replaced its process by another program would replace all ranks. */
static __attribute__((noinline)) void end_by_exec(const char *program, void *fp)
{
	struct frame *f = caller();
	if (f == NULL)
		return;
	f->address = (int64_t)program;
	end(FRAME_EXEC, 0, fp);
}

int execve(const char *program, char *const argv[], char *const envp[])
{
	end_by_exec(program, __builtin_frame_address(0));
	return REAL(execve)(program, argv, envp);
}

int execv(const char *program, char *const argv[])
{
	end_by_exec(program, __builtin_frame_address(0));
	return REAL(execv)(program, argv);
}

int execvp(const char *program, char *const argv[])
{
	end_by_exec(program, __builtin_frame_address(0));
	return REAL(execvp)(program, argv);
}

int execvpe(const char *program, char *const argv[], char *const envp[])
{
	end_by_exec(program, __builtin_frame_address(0));
	return REAL(execvpe)(program, argv, envp);
}

int fexecve(int fd, char *const argv[], char *const envp[])
{
	end_by_exec("a file descriptor", __builtin_frame_address(0));
	return REAL(fexecve)(fd, argv, envp);
}

/* How many strings there are before a NULL. */
static size_t listed(va_list *list)
{
	size_t n = 0;
	while (va_arg(*list, char *) != NULL)
		n++;
	return n;
}

/* Puts the n strings of a list and its NULL behind the first one. */
static void gather(char **argv, const char *first, size_t n, va_list *list)
{
	argv[0] = (char *)first;
	for (size_t i = 0; i <= n; i++)
		argv[1 + i] = va_arg(*list, char *);
}

/* Declares argv, with first and what follows it. */
#define ARGUMENTS(first)                                       \
	va_list list;                                          \
	va_start(list, first);                                 \
	const size_t n = listed(&list);                        \
	va_end(list);                                          \
	char *argv[n + 2];                                     \
	va_start(list, first);                                 \
	gather(argv, first, n, &list)

int execl(const char *program, const char *first, ...)
{
	end_by_exec(program, __builtin_frame_address(0));
	ARGUMENTS(first);
	va_end(list);
	return REAL(execv)(program, argv);
}

int execlp(const char *program, const char *first, ...)
{
	end_by_exec(program, __builtin_frame_address(0));
	ARGUMENTS(first);
	va_end(list);
	return REAL(execvp)(program, argv);
}

int execle(const char *program, const char *first, ...)
{
	end_by_exec(program, __builtin_frame_address(0));
	ARGUMENTS(first);
	char *const *environment = va_arg(list, char *const *);
	va_end(list);
	return REAL(execve)(program, argv, environment);
}

static int call_at_exit(struct exit_function **list, void (*function)(void *), void *argument)
{
	struct exit_function *e = malloc(sizeof *e);
	if (e == NULL)
		return -1;
	*e = (struct exit_function){function, argument, *list};
	*list = e;
	return 0;
}

/* What is registered while the program is loaded is called when it is given up. */
int __cxa_atexit(void (*function)(void *), void *argument, void *object)
{
	struct frame *f = caller();
	if (f == NULL)
		return REAL(__cxa_atexit)(function, argument, object);
	return call_at_exit(&f->owner->exits, function, argument);
}

int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *object);

/* A variable of a rank's thread lasts as long as its main; glibc would keep it longer. */
int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *object)
{
	struct frame *f = caller();
	if (f == NULL)
		return REAL(__cxa_thread_atexit_impl)(function, argument, object);
	return call_at_exit(&f->owner->thread_exits, function, argument);
}

void abort(void)
{
	end(FRAME_SIGNAL, SIGABRT, __builtin_frame_address(0));
	REAL(abort)();
	__builtin_unreachable();
}

void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
	fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, what);
	end(FRAME_SIGNAL, SIGABRT, __builtin_frame_address(0));
	REAL(abort)();
	__builtin_unreachable();
}

/* Each rank has its own place where strtok goes on. */
char *strtok(char *text, const char *delimiters)
{
	static char *token;
	return strtok_r(text, delimiters, current == NULL ? &token : &current->owner->token);
}

/* Each rank has random numbers of its own: those that it would have as a process. */
long random(void)
{
	int32_t n;
	if (current == NULL)
		return REAL(random)();
	random_r(&current->owner->random, &n);
	return n;
}

int rand(void) { return random(); }

void srandom(unsigned seed)
{
	if (current == NULL)
		REAL(srandom)(seed);
	else
		srandom_r(seed, &current->owner->random);
}

void srand(unsigned seed) { srandom(seed); }

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
static struct sigaction before[_NSIG];
static int stop_signal;

/* A signal that a rank raises, and that it does not handle itself, ends the rank. */
int raise(int signal)
{
	struct sigaction now;
	if (caller() != NULL && signal > 0 && signal < _NSIG && sigaction(signal, NULL, &now) == 0 && now.sa_sigaction == before[signal].sa_sigaction &&
	    signal != SIGCHLD && signal != SIGCONT && signal != SIGURG && signal != SIGWINCH)
		end(FRAME_SIGNAL, signal, __builtin_frame_address(0));
	return syscall(SYS_tgkill, this_process(), syscall(SYS_gettid), signal);
}

/* No process has this number or a greater one: Linux's limit. */
enum { PROCESSES = 1 << 22 };

/*
 * Each rank has a process number of its own, as if it were a process: programs make names
 * of files from it. That of rank 0 is the real one, those of others belong to no process.
 */
static pid_t number_of(int rank)
{
	if (rank == 0)
		return process;
	return PROCESSES + (pid_t)(((uint64_t)process * 512 + rank) % (INT32_MAX - PROCESSES));
}

pid_t getpid(void)
{
	const struct frame *f = caller();
	return f == NULL ? this_process() : number_of(f->owner->rank);
}

/* A signal that a rank sends to itself is one that it raises. */
int kill(pid_t to, int signal)
{
	const struct frame *f = caller();
	if (f != NULL && to == number_of(f->owner->rank))
		return signal == 0 ? 0 : raise(signal);
	return REAL(kill)(to, signal);
}

static uintptr_t program_counter(const ucontext_t *c)
{
#ifdef __x86_64__
	return (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#else
	return (uintptr_t)c->uc_mcontext.pc;
#endif
}

static uintptr_t stack_pointer(const ucontext_t *c)
{
#ifdef __x86_64__
	return (uintptr_t)c->uc_mcontext.gregs[REG_RSP];
#else
	return (uintptr_t)c->uc_mcontext.sp;
#endif
}

static uintptr_t frame_pointer(const ucontext_t *c)
{
#ifdef __x86_64__
	return (uintptr_t)c->uc_mcontext.gregs[REG_RBP];
#else
	return (uintptr_t)c->uc_mcontext.regs[29];
#endif
}

static int in_program(const struct owner *o, uintptr_t address) { return address >= o->low && address < o->high; }

/* Reports whether the instruction before address is a call. */
static int after_call(const struct owner *o, uintptr_t address)
{
	const unsigned char *p = (const unsigned char *)address;
	if (address < o->low + 8 || address >= o->high)
		return 0;
#ifdef __x86_64__
	if (p[-5] == 0xe8)
		return 1;
	for (int i = 2; i <= 7; i++)
		if (p[-i] == 0xff && (p[1 - i] & 0x38) == 0x10)
			return 1;
	return 0;
#else
	return address % 4 == 0 && ((p[-1] & 0xfc) == 0x94 || (p[-1] == 0xd6 && (p[-2] & 0xe0) == 0x20));
#endif
}

/*
 * Notes the return addresses of code that goes on at pc. Libraries are compiled without frame
 * pointers: of these the address to which they return is looked for on the stack, from sp on,
 * and with it the frame of the caller, which they may have saved.
 */
static void note_from(struct frame *f, uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
	const struct owner *o = f->owner;
	if (in_program(o, pc - 1)) {
		f->lines[0] = pc;
		note_lines_from(f, 1, (void *)fp);
		return;
	}
	uintptr_t low = (uintptr_t)f->stack + f->guard, high = (uintptr_t)f->stack + f->size - 2 * sizeof(uintptr_t);
	uintptr_t first = sp < low || sp > high ? low : sp & ~(sizeof(uintptr_t) - 1), at = first;
	while (at < high && !after_call(o, *(uintptr_t *)at))
		at += sizeof(uintptr_t);
	f->lines[0] = at < high ? *(uintptr_t *)at : 0;
	for (uintptr_t saved = first; (fp <= at || fp > high || fp % sizeof(uintptr_t) != 0 || !in_program(o, ((uintptr_t *)fp)[1])) && saved < at; saved += sizeof(uintptr_t))
		fp = *(uintptr_t *)saved;
	note_lines_from(f, 1, fp > at ? (void *)fp : NULL);
}

static void note_interrupted(struct frame *f, const ucontext_t *c)
{
	note_from(f, program_counter(c) + 1, stack_pointer(c), frame_pointer(c)); /* as a return address */
}

/* Copies the return addresses of a call whose function has the frame fp, also if a library made it. */
void commworld_lines(struct frame *f, void *fp, uintptr_t *lines)
{
	const uintptr_t *saved = fp; /* the frame of the caller, and where it goes on */
	if ((char *)fp < f->stack + f->guard || (char *)fp >= f->stack + f->size) { /* a stack of the program's own */
		memset(lines, 0, sizeof f->lines);
		lines[0] = saved[1];
		return;
	}
	note_from(f, saved[1], (uintptr_t)(saved + 2), saved[0]);
	memcpy(lines, f->lines, sizeof f->lines);
}

/*
 * A fault of C code ends its frame. It runs on the thread's stack for signals, which is
 * left for good by the jump. Faults of Go are Go's.
 */
static void fault(int signal, siginfo_t *info, void *context)
{
	struct frame *f = caller();
	if (f == NULL) {
		before[signal].sa_sigaction(signal, info, context);
		return;
	}
	note_interrupted(f, context);
	f->result = signal;
	f->address = (int64_t)info->si_addr;
	f->full = (char *)info->si_addr >= f->stack && (char *)info->si_addr < f->stack + f->guard;
	leave(f, FRAME_SIGNAL);
}

/* Ends a frame whose world has ended, unless it is in a library that may hold a lock. */
static void stop(int signal, siginfo_t *info, void *context)
{
	extern char __executable_start, etext;
	struct frame *f = caller();
	uintptr_t pc = program_counter(context);
	if (f == NULL || (pc >= (uintptr_t)&__executable_start && pc < (uintptr_t)&etext))
		return;
	if (!in_program(f->owner, pc) && info->si_value.sival_int == 0)
		return;
	note_interrupted(f, context);
	leave(f, FRAME_STOP);
}

/* Stops the code of a rank, even in a library if it has to be; without effect while it waits in a call of MPI. */
void commworld_stop(struct owner *o, int force)
{
	pid_t thread = o->thread;
	if (thread == 0)
		return;
	siginfo_t info = {0};
	info.si_signo = stop_signal;
	info.si_code = SI_QUEUE;
	info.si_value.sival_int = force;
	syscall(SYS_rt_tgsigqueueinfo, process, thread, stop_signal, &info);
}

/* Replaced by a program that watches over the ranks: a rank got a signal, or cannot be stopped. */
__attribute__((weak)) void commworld_crashed(void) {}

/*
 * In a process that a rank has forked there is no Go: what Go would do about a signal is done
 * by the kernel. Signals wait until that is arranged: the parent may send one at once.
 */
static __thread sigset_t unforked;

static void before_fork(void)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &unforked);
}

static void after_fork_here(void) { pthread_sigmask(SIG_SETMASK, &unforked, NULL); }

static void after_fork(void)
{
	forked = 1;
	for (int i = 1; i < _NSIG; i++) {
		struct sigaction now, kernel = {.sa_handler = SIG_DFL};
		if (sigaction(i, NULL, &now) != 0 || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)
			continue;
		if (now.sa_sigaction == before[i].sa_sigaction || now.sa_sigaction == fault || now.sa_sigaction == stop)
			sigaction(i, &kernel, NULL);
	}
	after_fork_here();
}

/* Whether a rank has started a thread. */
static volatile int threads;

/*
 * Starts a thread, of a rank or of Go. What a rank starts may outlive main, as nothing does in
 * a process: so the program's code stays where it is from now on.
 */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	if (current != NULL)
		threads = 1;
	return REAL(pthread_create)(thread, attributes, start, argument);
}

int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	if (current != NULL)
		threads = 1;
	return REAL(thrd_create)(thread, start, argument);
}

static void note_key(pthread_key_t key)
{
	struct owner *o = current->owner;
	if (o->keys_used == o->keys_room) {
		int room = o->keys_room == 0 ? 8 : 2 * o->keys_room;
		pthread_key_t *keys = realloc(o->keys, room * sizeof *keys);
		if (keys == NULL)
			return;
		o->keys = keys;
		o->keys_room = room;
	}
	o->keys[o->keys_used++] = key;
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	int code = REAL(pthread_key_create)(key, destructor);
	if (code == 0 && current != NULL && destructor != NULL)
		note_key(*key);
	return code;
}

int tss_create(tss_t *key, tss_dtor_t destructor)
{
	int code = REAL(tss_create)(key, destructor);
	if (code == thrd_success && current != NULL && destructor != NULL)
		note_key(*key);
	return code;
}

/*
 * Has the end of the calling thread, which is the rank's, call no destructors of keys that the
 * rank has created: main has returned, and a process calls none then.
 */
void commworld_forget_keys(struct owner *o)
{
	for (int i = 0; i < o->keys_used; i++)
		pthread_setspecific(o->keys[i], NULL);
	free(o->keys);
	o->keys = NULL;
	o->keys_used = o->keys_room = 0;
}

void commworld_signals(void)
{
	process = this_process();
	pthread_atfork(before_fork, after_fork_here, after_fork);
	struct sigaction a = {0};
	a.sa_sigaction = fault;
	a.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
	for (int i = 1; i < _NSIG; i++)
		sigaction(i, NULL, &before[i]);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigaction(faults[i], &a, NULL);
	stop_signal = SIGRTMAX - 1;
	a.sa_sigaction = stop;
	sigaction(stop_signal, &a, NULL);
}

/* Writes what the ranks have printed. After a crash a stream may be locked for ever. */
void commworld_flush(int crashed)
{
	if (!crashed) {
		fflush(NULL);
		return;
	}
	FILE *all[] = {stdout, stderr};
	for (int i = 0; i < 2; i++)
		if (ftrylockfile(all[i]) == 0) {
			fflush_unlocked(all[i]);
			funlockfile(all[i]);
		}
}

void *commworld_load(int fd, char **message)
{
	char name[64];
	snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)this_process(), fd); /* a debugger opens it, too */
	void *program = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (program == NULL)
		*message = strdup(dlerror());
	return program;
}

/* Calls the destructors of a program as dlclose does, and leaves its code where it is. */
static void finish(void *program)
{
	struct link_map *map;
	void (**array)(void) = NULL, (*last)(void) = NULL;
	size_t n = 0;
	if (dlinfo(program, RTLD_DI_LINKMAP, &map) != 0)
		return;
	for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_FINI_ARRAY)
			array = (void (**)(void))(map->l_addr + d->d_un.d_ptr);
		else if (d->d_tag == DT_FINI_ARRAYSZ)
			n = d->d_un.d_val / sizeof *array;
		else if (d->d_tag == DT_FINI)
			last = (void (*)(void))(map->l_addr + d->d_un.d_ptr);
	}
	while (n > 0)
		array[--n]();
	if (last != NULL)
		last();
}

void commworld_unload(void *program)
{
	if (threads)
		finish(program);
	else
		dlclose(program);
}

void *commworld_symbol(void *program, const char *name) { return dlsym(program, name); }

/* The address at which the object of a symbol begins, 0 if it is unknown. */
uintptr_t commworld_base(void *symbol)
{
	Dl_info info;
	if (dladdr(symbol, &info) == 0)
		return 0;
	return (uintptr_t)info.dli_fbase;
}
