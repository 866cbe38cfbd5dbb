//go:build linux && cgo && (amd64 || arm64)

#define _GNU_SOURCE
#include "supervise.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void *supervise_memory;
int supervise_died, supervise_status, supervise_child;

/*
 * What the child tells this process, in the shared memory: that it has reported, how many of its
 * ranks have crashed, how many of these crashes were in runs that have ended, and how many runs
 * have.
 */
struct news { int reported, crashed, survived, runs; };

static volatile struct news *news(void) { return (volatile struct news *)((char *)supervise_memory + SUPERVISE_BYTES); }

static pid_t supervisor;

/*
 * Called when a rank has got a signal, or does not stop when it has to. Its code may hold the
 * lock of the heap, so that the child may never report, nor heed a signal that asks it to end.
 */
void commworld_crashed(void)
{
	if (supervise_memory == NULL)
		return;
	__atomic_add_fetch(&news()->crashed, 1, __ATOMIC_SEQ_CST);
	kill(supervisor, SIGCHLD);
}

void supervise_survived(void)
{
	if (supervise_memory == NULL)
		return;
	news()->survived = news()->crashed;
	news()->runs++;
}

void supervise_end(void)
{
	if (supervise_memory != NULL)
		news()->reported = 1;
}

/* Reports whether a debugger runs this process, which is then the one that it has to see. */
static int traced(void)
{
	char line[256];
	int tracer = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return tracer != 0;
}

/* Signals that this process passes on. */
static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};

/* Reports whether a process has computed for a tenth of a second since used was set, and sets it. */
static int computes(pid_t process, struct timespec *used)
{
	clockid_t clock;
	struct timespec before = *used;
	if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, used) != 0)
		return 0;
	return (used->tv_sec - before.tv_sec) * 10 + (used->tv_nsec - before.tv_nsec) / 100000000 > 0;
}

/*
 * Waits until child ends and returns its status. A signal of the terminal reaches the child
 * without help; others were sent to this process alone. A child that crashed and does not end
 * is ended, and so is one that stands still in a later run, in which the crashed code may still
 * hold the lock of the heap; then *stuck is 1.
 */
static int wait_for(pid_t child, const sigset_t *waited, int *stuck)
{
	int seen = 0; /* crashes and runs, when the deadline was set */
	struct timespec now, deadline = {0}, used = {0};
	for (;;) {
		int status, signal;
		siginfo_t info;
		if (waitpid(child, &status, WNOHANG) == child)
			return status;
		clock_gettime(CLOCK_MONOTONIC, &now);
		int crashed = news()->crashed;
		if (seen != crashed + news()->runs) {
			seen = crashed + news()->runs;
			deadline = now;
			deadline.tv_sec += SUPERVISE_PATIENCE;
			computes(child, &used);
		}
		if (crashed > 0) {
			struct timespec left = {deadline.tv_sec - now.tv_sec, deadline.tv_nsec - now.tv_nsec};
			if (left.tv_nsec < 0) {
				left.tv_nsec += 1000000000;
				left.tv_sec--;
			}
			if (left.tv_sec < 0 && crashed == news()->survived && computes(child, &used)) {
				deadline = now;
				deadline.tv_sec += SUPERVISE_PATIENCE;
				continue;
			}
			if (left.tv_sec < 0) {
				kill(child, SIGKILL);
				waitpid(child, &status, 0);
				*stuck = WIFSIGNALED(status);
				return status;
			}
			signal = sigtimedwait(waited, &info, &left);
		} else {
			signal = sigwaitinfo(waited, &info);
		}
		if (signal > 0 && signal != SIGCHLD && (info.si_code != SI_KERNEL || signal == SIGALRM))
			kill(child, signal);
	}
}

/*
 * Has the ranks run in a child, before the runtime of Go starts. This process outlives it,
 * and comes to Go only if the child ended without a report. Without memory or processes,
 * the ranks run here.
 */
__attribute__((constructor)) static void supervise(void)
{
	sigset_t waited, before;
	pid_t parent = supervisor = getpid();
	int stuck = 0;
	if (traced())
		return;
	supervise_memory = mmap(NULL, SUPERVISE_BYTES + sizeof(struct news), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (supervise_memory == MAP_FAILED) {
		supervise_memory = NULL;
		return;
	}
	sigemptyset(&waited);
	sigaddset(&waited, SIGCHLD);
	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
		sigaddset(&waited, passed[i]);
	sigprocmask(SIG_BLOCK, &waited, &before);
	pid_t child = fork();
	if (child > 0) {
		signal(SIGCHLD, SIG_DFL); /* a shell may have had it ignored */
		int status = wait_for(child, &waited, &stuck);
		supervise_status = WEXITSTATUS(status);
		supervise_child = child;
		if (WIFEXITED(status) && news()->reported)
			_exit(supervise_status);
		supervise_died = stuck ? SUPERVISE_STUCK : WIFEXITED(status) ? SUPERVISE_LEFT : WTERMSIG(status);
	} else if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (supervise_died == SIGPIPE) { /* no one reads what is printed */
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
}
