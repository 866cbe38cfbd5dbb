/*
 * The library of MPI's standard ABI in a rank that is a process. Each function of stubs.c puts its
 * call into a mailbox that the launcher shares, and waits for what the launcher answers: the
 * result, or a function of the program to call. The launcher reads and writes the memory of the
 * process by itself.
 */
#define _GNU_SOURCE
#include "frame.h"
#include "mailbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "stubs.h"


static struct mailbox *box;    /* NULL while the process is not a rank */
static pid_t owner;            /* the process that box belongs to */
static const char *refusal;    /* why there is no box */
static char refusal_text[512];
static int stop_signal;
static __thread uintptr_t inner; /* the frame that calls the program's function, 0: none */

static void say(const char *text)
{
	if (write(2, text, strlen(text)) < 0)
		abort();
}

static long futex(uint32_t *word, int operation, uint32_t value)
{
	return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

#ifdef __x86_64__
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() __asm__ volatile("yield")
#endif

enum { MOST_SPINS = 200, SPIN_AGAIN = 64 };

/* Passes the turn to the launcher and waits until it comes back. */
static void converse(int event)
{
	box->event = event;
	__atomic_store_n(&box->turn, TURN_LAUNCHER, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&box->sleeps[TURN_LAUNCHER], __ATOMIC_SEQ_CST))
		futex(&box->turn, FUTEX_WAKE, 1);
	/* Most calls take less time than to sleep and to be woken. */
	static int spins = MOST_SPINS;
	static unsigned calls;
	int i = 0;
	if (++calls % SPIN_AGAIN == 0)
		spins = MOST_SPINS;
	while (i < spins && __atomic_load_n(&box->turn, __ATOMIC_ACQUIRE) != TURN_PROCESS) {
		PAUSE();
		i++;
	}
	spins = i < spins ? MOST_SPINS : spins / 2 + 1;
	while (__atomic_load_n(&box->turn, __ATOMIC_SEQ_CST) != TURN_PROCESS) {
		__atomic_store_n(&box->sleeps[TURN_PROCESS], 1, __ATOMIC_SEQ_CST);
		futex(&box->turn, FUTEX_WAIT, TURN_LAUNCHER);
		__atomic_store_n(&box->sleeps[TURN_PROCESS], 0, __ATOMIC_SEQ_CST);
	}
}

/* The end of this thread's stack, above all of its frames. */
static uintptr_t stack_end(void)
{
	extern void *__libc_stack_end __attribute__((weak));
	static __thread uintptr_t end;
	if (end != 0)
		return end;
	if (getpid() == (pid_t)syscall(SYS_gettid) && &__libc_stack_end != NULL)
		return end = (uintptr_t)__libc_stack_end;
	pthread_attr_t a;
	void *low;
	size_t size;
	if (pthread_getattr_np(pthread_self(), &a) != 0)
		return 0;
	if (pthread_attr_getstack(&a, &low, &size) == 0)
		end = (uintptr_t)low + size;
	pthread_attr_destroy(&a);
	return end;
}

/* Notes the return addresses of a call by its frame pointers, as far as they rise on the stack. */
static void note_lines(uint64_t *lines, void *fp)
{
	uintptr_t at = (uintptr_t)fp, low = at, high = stack_end();
	int i = 0;
	lines[i++] = ((uintptr_t *)at)[1]; /* the function that was called has a frame pointer */
	at = *(uintptr_t *)at;
	while (i < BOX_LINES && at > low && at + 2 * sizeof(uintptr_t) <= high && at % sizeof(uintptr_t) == 0) {
		lines[i++] = ((uintptr_t *)at)[1];
		low = at;
		at = *(uintptr_t *)at;
	}
	while (i < BOX_LINES)
		lines[i++] = 0;
}

/* What posix.c notes of the main thread. */
static struct owner self;
static struct frame self_frame = {.owner = &self};

struct frame *commworld_caller(void)
{
	return box != NULL && owner == getpid() && owner == (pid_t)syscall(SYS_gettid) ? &self_frame : NULL;
}

/* Finds the code of the object that begins at self.base. */
static int find_code(struct dl_phdr_info *info, size_t size, void *unused)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && (self.base == 0 || (self.base >= info->dlpi_addr && self.base < info->dlpi_addr + p->p_vaddr + p->p_memsz))) {
			self.low = info->dlpi_addr + p->p_vaddr;
			self.high = self.low + p->p_memsz;
			return 1;
		}
	}
	return 0;
}

/*
 * Copies the return addresses of a call whose function has the frame fp. If a library made it, the
 * first one on the stack in the code of the program is looked for.
 */
void commworld_lines(struct frame *f, void *fp, uintptr_t *lines)
{
	uint64_t all[BOX_LINES];
	note_lines(all, fp);
	if (self.high == 0) {
		self.base = (uintptr_t)dlsym(RTLD_DEFAULT, "main"); /* of a shared object that the host runs */
		dl_iterate_phdr(find_code, NULL);                   /* or of the executable, the first object */
	}
	if (self.high != 0 && (all[0] < self.low || all[0] >= self.high))
		for (const uintptr_t *at = fp, *end = (uintptr_t *)stack_end() - 1; at < end; at++)
			if (*at >= self.low && *at < self.high) {
				all[0] = *at;
				all[1] = 0;
				break;
			}
	for (int i = 0; i < FRAME_LINES; i++)
		lines[i] = all[i];
}

/* Ends this process, whose output is written. */
static _Noreturn void leave(int status)
{
	fflush(NULL);
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}

static _Noreturn void refuse(void)
{
	if (box != NULL && owner != getpid())
		refusal = "commworld: a function of MPI was called by a process that a rank has forked: only ranks call MPI\n";
	if (refusal != NULL)
		say(refusal);
	fflush(NULL);
	syscall(SYS_exit_group, 1);
	__builtin_unreachable();
}

/* Has the launcher carry out what box says, and returns the result. */
static int64_t wait_for_result(int event)
{
	for (;;) {
		struct file_call *files = self.file_calls;
		box->files = (uint64_t)(uintptr_t)files;
		box->lost_files = self.lost_file_calls;
		self.file_calls = self.last_file_call = NULL;
		self.kept_file_calls = self.lost_file_calls = 0;
		converse(event);
		commworld_free_file_calls(files);
		if (box->watch)
			commworld_watch_files();
		switch (box->answer) {
		case ANSWER_RESULT:
			return box->result;
		case ANSWER_CALL: {
			int64_t (*entry)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t) = (void *)box->entry;
			int64_t a[6];
			const uintptr_t outer = inner;
			memcpy(a, box->in, sizeof a);
			inner = (uintptr_t)__builtin_frame_address(0);
			int64_t result = entry(a[0], a[1], a[2], a[3], a[4], a[5]);
			inner = outer;
			if (owner != getpid())
				refuse(); /* the function has forked, and returned in the child, too */
			box->result = result;
			event = EVENT_DONE;
			break;
		}
		default:
			leave(1);
		}
	}
}

#include "python.h"

#include "threads.h"

/* Has the launcher carry out one call. */
static int64_t carry_out(int function, int large, const int64_t *args, int n, void *fp, const struct places *places)
{
	box->function = function;
	box->large = large;
	box->n = n;
	box->thread = this_thread();
	box->main_thread = owner == box->thread;
	box->clash.what = CLASH_NONE;
	if (clash != NULL)
		box->clash = *clash;
	clash = NULL;
	memcpy(box->args, args, n * sizeof *args);
	box->text = places->used;
	memcpy(box->places, places->text, places->used);
	note_lines(box->lines, fp);
	const uintptr_t outer = inner;
	int jumped = inner != 0 && (uintptr_t)fp > inner;
	int64_t result = wait_for_result(jumped ? EVENT_JUMP : EVENT_CALL);
	inner = outer;
	return result;
}

int64_t commworld_call(int function, int large, int64_t *args, int n, void *fp)
{
	struct places places;
	if (box == NULL || owner != getpid())
		refuse();
	python_places(&places);
	const struct use *u = &box->uses[function];
	struct clash found = {CLASH_NONE};
	struct flight mine = {.function = function, .args = args};
	const int flies = box->multiple && (u->comm != 0 || u->request != 0);
	if (flies) {
		note_lines(mine.lines, fp);
		begin_flight(&mine, &found);
	}
	if (!try_enter()) {
		void *thread = python_release();
		if (!box->multiple) {
			found.what = CLASH_CALLS;
			found.function = box->function;
			memcpy(found.lines, box->lines, sizeof found.lines);
		}
		enter(function);
		python_restore(thread);
	}
	found.own = function;
	if (found.what != CLASH_NONE)
		clash = &found;
	vain = 0; /* what the call does may end the wait of another one */
	int64_t result = box->multiple && gate.depth == 1 && inner == 0 ? carry_out_shared(function, large, args, n, fp, &places)
	                                                                 : carry_out(function, large, args, n, fp, &places);
	leave_gate();
	if (flies)
		end_flight(&mine);
	return result;
}

/* Notes which line of the program calls a function that ends the process. */
static int note_end(void *fp)
{
	if (box == NULL || owner != getpid() || box->ends)
		return 0;
	note_lines(box->end_lines, fp);
	box->ends = 1;
	return 1;
}

void exit(int status)
{
	note_end(__builtin_frame_address(0));
	REAL(exit)(status);
	__builtin_unreachable();
}

void _exit(int status)
{
	note_end(__builtin_frame_address(0));
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}

void _Exit(int status)
{
	note_end(__builtin_frame_address(0));
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}

void quick_exit(int status)
{
	note_end(__builtin_frame_address(0));
	REAL(quick_exit)(status);
	__builtin_unreachable();
}

/* The program may handle the signal, and go on. */
int raise(int signal)
{
	const int noted = note_end(__builtin_frame_address(0));
	const int result = syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
	if (noted)
		box->ends = 0;
	return result;
}

__attribute__((destructor)) static void pass_files(void)
{
	if (self.file_calls != NULL && box != NULL && owner == getpid())
		wait_for_result(EVENT_FILES);
}

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
static struct sigaction before[_NSIG];

static void note_registers(const ucontext_t *c)
{
#ifdef __x86_64__
	box->counter = c->uc_mcontext.gregs[REG_RIP];
	box->stack = c->uc_mcontext.gregs[REG_RSP];
	box->frame = c->uc_mcontext.gregs[REG_RBP];
#else
	box->counter = c->uc_mcontext.pc;
	box->stack = c->uc_mcontext.sp;
	box->frame = c->uc_mcontext.regs[29];
#endif
}

/* Tells the launcher of a signal that ends the process, while the stack is still there. */
static void fault(int signal, siginfo_t *info, void *context)
{
	sigaction(signal, &before[signal], NULL);
	if (box == NULL || owner != getpid() || __atomic_load_n(&box->turn, __ATOMIC_SEQ_CST) != TURN_PROCESS)
		return; /* what caused it happens again, or abort goes on */
	note_registers(context);
	box->result = signal;
	box->address = (int64_t)info->si_addr;
	converse(EVENT_SIGNAL);
	if (info->si_code <= 0) /* sent, by raise or another process: it does not come again by itself */
		syscall(SYS_tgkill, owner, syscall(SYS_gettid), signal);
}

static void stop(int signal, siginfo_t *info, void *context)
{
	if (box == NULL || owner != getpid() || __atomic_load_n(&box->turn, __ATOMIC_SEQ_CST) != TURN_PROCESS)
		return;
	note_registers(context);
	converse(EVENT_STOP);
	syscall(SYS_exit_group, 1);
}

static void handle_signals(void)
{
	static char stack[64 << 10];
	stack_t s = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction a = {0};
	sigaltstack(&s, NULL);
	a.sa_flags = SA_SIGINFO | SA_ONSTACK;
	a.sa_sigaction = fault;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		if (sigaction(faults[i], NULL, &before[faults[i]]) == 0 && before[faults[i]].sa_handler == SIG_DFL)
			sigaction(faults[i], &a, NULL);
	stop_signal = SIGRTMAX - 1;
	a.sa_sigaction = stop;
	a.sa_flags |= SA_RESTART;
	sigaction(stop_signal, &a, NULL);
}

/* Says how to start the program, from the command line of this process. */
static void explain_start(void)
{
	char line[256];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
	if (fd >= 0)
		close(fd);
	n = n < 1 ? 0 : n - 1;
	line[n] = 0;
	for (ssize_t i = 0; i < n; i++)
		if (line[i] == 0)
			line[i] = ' ';
	snprintf(refusal_text, sizeof refusal_text, "commworld: a function of MPI was called by a program that commworldrun did not start: run\n  commworldrun -n 4 %s\n", line);
	refusal = refusal_text;
}

/* Finds the mailbox of this rank and tells the launcher of the process. */
__attribute__((constructor)) static void join(void)
{
	const char *variable = getenv(BOX_VARIABLE);
	if (box != NULL)
		return;
	if (variable == NULL) {
		explain_start();
		return;
	}
	const size_t n = strlen(COMMWORLD_VERSION);
	if (strncmp(variable, COMMWORLD_VERSION ":", n + 1) != 0) {
		snprintf(refusal_text, sizeof refusal_text, "commworld: this library of MPI is of version " COMMWORLD_VERSION
			" and commworldrun of version %.*s: leave the path of the library to commworldrun\n", (int)strcspn(variable, ":"), variable);
		refusal = refusal_text;
		return;
	}
	int fd = open(variable + n + 1, O_RDWR | O_CLOEXEC);
	struct mailbox *b = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (b == MAP_FAILED || b->magic != BOX_MAGIC) {
		snprintf(refusal_text, sizeof refusal_text, "commworld: the memory that commworldrun shares with this rank cannot be opened: %s\n", strerror(errno));
		refusal = refusal_text;
		return;
	}
	int32_t none = 0;
	owner = getpid();
	if (!__atomic_compare_exchange_n(&b->process, &none, owner, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) && none != owner) {
		snprintf(refusal_text, sizeof refusal_text, "commworld: a function of MPI was called by process %d, but process %d is rank %d: a rank is one process\n",
			(int)owner, (int)none, (int)b->rank);
		refusal = refusal_text;
		return;
	}
	prctl(PR_SET_PTRACER, b->launcher, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	b->here = (uint64_t)(uintptr_t)b;
	b->allocate = (uint64_t)(uintptr_t)malloc;
	b->release = (uint64_t)(uintptr_t)free;
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	handle_signals();
	box = b;
	wait_for_result(EVENT_HELLO);
}
