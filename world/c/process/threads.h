/*
 * Threads. One thread of the process is in a call at a time; others wait at the gate, in the order
 * in which they came. With MPI_THREAD_MULTIPLE a call that would wait for another rank does not:
 * its operation is started, and looked at from time to time, while other threads make their calls.
 */
#include <dirent.h>
#include <sys/stat.h>
#include <time.h>

static struct {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	uint32_t next, serving; /* tickets: given, and of the thread that is in */
	pid_t owner;            /* that thread, 0: none */
	int depth;              /* of its calls: functions of the program may call MPI, too */
	int fresh;              /* threads that wait with a call that has not begun */
	uint32_t arrivals;      /* of these, as a futex */
} gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, 0, 0, 0};

/* A call of a thread from its begin to its return; the list is under the lock of the gate. */
struct flight {
	int function;
	const int64_t *args;
	uint64_t lines[BOX_LINES];
	struct flight *next;
};

static struct flight *flights;
static struct clash *clash; /* of the call that the thread in the gate begins */

static pid_t this_thread(void)
{
	static __thread pid_t id, of;
	if (of != owner) { /* a child has another one */
		of = owner;
		id = syscall(SYS_gettid);
	}
	return id;
}

/* Enters if this needs no wait. */
static int try_enter(void)
{
	pthread_mutex_lock(&gate.lock);
	const int own = gate.depth > 0 && gate.owner == this_thread(), can = own || (gate.depth == 0 && gate.next == gate.serving);
	if (can) {
		if (!own)
			gate.next++;
		gate.owner = this_thread();
		gate.depth++;
	}
	pthread_mutex_unlock(&gate.lock);
	return can;
}

/* Enters after those that came before; function is what the thread calls, -1 if its call has begun. */
static void enter(int function)
{
	pthread_mutex_lock(&gate.lock);
	const uint32_t ticket = gate.next++;
	if (ticket != gate.serving && function >= 0) {
		gate.fresh++;
		box->waits = function + 1;
		gate.arrivals++;
		futex(&gate.arrivals, FUTEX_WAKE, INT32_MAX);
	}
	const int waits = ticket != gate.serving;
	while (ticket != gate.serving)
		pthread_cond_wait(&gate.moved, &gate.lock);
	if (waits && function >= 0 && --gate.fresh == 0)
		box->waits = 0;
	gate.owner = this_thread();
	gate.depth = 1;
	pthread_mutex_unlock(&gate.lock);
}

static void leave_gate(void)
{
	pthread_mutex_lock(&gate.lock);
	if (--gate.depth == 0) {
		gate.owner = 0;
		gate.serving++;
		pthread_cond_broadcast(&gate.moved);
	}
	pthread_mutex_unlock(&gate.lock);
}

/* The communicator of a call, 0: none. */
static int64_t comm_of(const struct use *u, const int64_t *args)
{
	if (u->comm == 0)
		return 0;
	const int64_t word = args[u->comm - 1];
	return !u->frees ? word : word != 0 ? (int64_t)(uintptr_t)*(MPI_Comm *)word : 0;
}

/* The requests of a call. */
static const MPI_Request *requests_of(const struct use *u, const int64_t *args, int *n)
{
	*n = u->request == 0 || args[u->request - 1] == 0 ? 0 : u->requests == 0 ? 1 : (int)args[u->requests - 1];
	return *n > 0 ? (const MPI_Request *)args[u->request - 1] : NULL;
}

/* Reports why two calls must not be under way at one time. */
static int clash_of(const struct flight *a, const struct flight *b)
{
	const struct use *u = &box->uses[a->function], *v = &box->uses[b->function];
	const int64_t comm = comm_of(u, a->args);
	if (comm != 0 && comm == comm_of(v, b->args)) {
		if (u->frees || v->frees)
			return CLASH_FREE;
		if (u->collective && v->collective)
			return CLASH_COLLECTIVES;
	}
	int n, m;
	const MPI_Request *p = requests_of(u, a->args, &n), *q = requests_of(v, b->args, &m);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m && p[i] != MPI_REQUEST_NULL; j++)
			if (p[i] == q[j])
				return CLASH_REQUEST;
	return CLASH_NONE;
}

/* Adds a call to those under way, and finds one with which it must not be. */
static void begin_flight(struct flight *mine, struct clash *found)
{
	pthread_mutex_lock(&gate.lock);
	for (const struct flight *f = flights; f != NULL && found->what == CLASH_NONE; f = f->next) {
		found->what = clash_of(mine, f);
		found->function = f->function;
		memcpy(found->lines, f->lines, sizeof found->lines);
	}
	mine->next = flights;
	flights = mine;
	pthread_mutex_unlock(&gate.lock);
}

static void end_flight(struct flight *mine)
{
	pthread_mutex_lock(&gate.lock);
	struct flight **at = &flights;
	while (*at != mine)
		at = &(*at)->next;
	*at = mine->next;
	pthread_mutex_unlock(&gate.lock);
}

/* A call that waits for other ranks. The list is of the thread in the gate. */
struct pending {
	const MPI_Request *requests;
	int n;
	int all; /* it needs all of the requests */
	int probes; /* 1: it waits for a message to probe */
	struct probe probe;
	struct pending *next;
};

static struct pending *all_pending;
static int vain; /* looks at pending calls that found nothing, since something changed */

/* Reports whether thread id sleeps until another thread wakes it. */
static int sleeps(const char *id)
{
	char path[64], text[256];
	snprintf(path, sizeof path, "/proc/self/task/%s/syscall", id);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return fd < 0 && errno == ENOENT; /* it has ended */
	text[n] = 0;
	unsigned long number, word, operation, value, timeout;
	if (sscanf(text, "%lu %lx %lx %lx %lx", &number, &word, &operation, &value, &timeout) != 5 || number != SYS_futex)
		return 0;
	operation &= FUTEX_CMD_MASK;
	return (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET || operation == FUTEX_LOCK_PI) && timeout == 0;
}

/* Reports whether no other thread can do anything before a call of this process returns. */
static int quiet(void)
{
	struct stat s;
	if (stat("/proc/self/task", &s) == 0 && s.st_nlink == 3)
		return 1; /* this is the only thread */
	DIR *tasks = opendir("/proc/self/task");
	if (tasks == NULL)
		return 0;
	int all = 1;
	for (struct dirent *d; all && (d = readdir(tasks)) != NULL;)
		if (d->d_name[0] != '.' && atoi(d->d_name) != this_thread())
			all = sleeps(d->d_name);
	closedir(tasks);
	return all && __atomic_load_n(&gate.fresh, __ATOMIC_SEQ_CST) == 0;
}

/* A call that looks whether a pending one is complete. */
struct look {
	int function, large, n;
	int64_t args[BOX_ARGS];
};

static int64_t carry_out(int function, int large, const int64_t *args, int n, void *fp, const struct places *places);

/* Lets the others of this process make calls. looks is how often the call was looked at before. */
static void give_way(int looks)
{
	const struct timespec pause = {.tv_nsec = looks < 50 ? 0 : looks < 500 ? 20000 : 1000000};
	const uint32_t seen = __atomic_load_n(&gate.arrivals, __ATOMIC_SEQ_CST);
	const int busy = __atomic_load_n(&gate.next, __ATOMIC_SEQ_CST) - gate.serving > 1;
	void *python = python_release();
	leave_gate();
	if (!busy && pause.tv_nsec > 0)
		syscall(SYS_futex, &gate.arrivals, FUTEX_WAIT, seen, &pause, NULL, 0);
	else
		sched_yield();
	enter(-1);
	python_restore(python);
}

/*
 * Waits until any operation of a pending call is done, if all threads wait. So a deadlock is found
 * as in a call that waits for all of them.
 */
static int await_any(void *fp, const struct places *places, int64_t *result)
{
	int n = 0, calls = 0, probes = 0, index, flag;
	for (struct pending *p = all_pending; p != NULL; p = p->next) {
		n += p->n;
		probes += p->probes;
		calls++;
	}
	MPI_Request *list = malloc((n + calls + 1) * sizeof *list + probes * sizeof(struct probe));
	if (list == NULL)
		return 0;
	struct probe *probe = (void *)(list + n + calls + 1);
	n = probes = 0;
	for (struct pending *p = all_pending; p != NULL; p = p->next)
		if (p->probes)
			probe[probes++] = p->probe;
	for (int all = 0; all < 2; all++) /* groups of which all are needed come last, behind null handles */
		for (struct pending *p = all_pending; p != NULL; p = p->next) {
			if (p->all != all)
				continue;
			if (all)
				list[n++] = MPI_REQUEST_NULL;
			for (int i = 0; i < p->n; i++)
				if (p->requests[i] != MPI_REQUEST_NULL)
					list[n++] = p->requests[i];
		}
	const int64_t args[] = {n, WORD(list), WORD(&index), WORD(&flag), WORD(MPI_STATUS_IGNORE)};
	box->block = 1;
	box->probes = probes;
	box->probe = (uint64_t)(uintptr_t)probe;
	*result = carry_out(box->await, 0, args, 5, fp, places);
	box->block = box->probes = 0;
	free(list);
	vain = 0;
	return 1;
}

/* Carries out look until *done, which it sets, and lets other threads make their calls meanwhile. */
static int64_t look_until(const struct look *look, const volatile int32_t *done, struct pending mine, void *fp, const struct places *places)
{
	struct pending **at;
	int64_t result = 0;
	mine.next = all_pending;
	all_pending = &mine;
	for (int looks = 0; (result = carry_out(look->function, look->large, look->args, look->n, fp, places)) == MPI_SUCCESS && !*done; looks++) {
		int calls = 0;
		for (struct pending *p = all_pending; p != NULL; p = p->next)
			calls++;
		if (++vain >= calls && gate.fresh == 0 && quiet() && await_any(fp, places, &result)) {
			if (result != MPI_SUCCESS)
				break;
			continue;
		}
		give_way(looks);
	}
	vain = 0;
	for (at = &all_pending; *at != &mine; at = &(*at)->next)
		;
	*at = mine.next;
	return result;
}

/* Carries out a call of MPI_THREAD_MULTIPLE. */
static int64_t carry_out_shared(int function, int large, const int64_t *args, int n, void *fp, const struct places *places)
{
	const struct way *w = &box->ways[function];
	if (w->how == WAY_WHOLE || (all_pending == NULL && gate.fresh == 0 && quiet()))
		return carry_out(function, large, args, n, fp, places);
	struct look look = {.function = w->look, .large = 0, .n = n};
	memcpy(look.args, args, n * sizeof *args);
	volatile int32_t done = 0;
	if (w->how == WAY_LOOK) {
		struct pending mine = {.n = 0};
		if (w->probes)
			mine = (struct pending){.probes = 1, .probe = {function, args[0], args[1], args[2]}};
		else if (function == box->wait)
			mine = (struct pending){.requests = (void *)args[0], .n = 1};
		else if (w->requests)
			mine = (struct pending){.requests = (void *)args[1], .n = (int)args[0], .all = w->requests > 1};
		if (w->flag < 0) /* MPI_Waitsome says how many are done */
			return look_until(&look, (int32_t *)args[2], mine, fp, places);
		memmove(look.args + w->flag + 1, look.args + w->flag, (n - w->flag) * sizeof *args);
		look.args[w->flag] = WORD(&done);
		look.n++;
		return look_until(&look, &done, mine, fp, places);
	}
	MPI_Request request = MPI_REQUEST_NULL;
	const int status = w->how == WAY_STATUS;
	int64_t start[BOX_ARGS];
	memcpy(start, args, n * sizeof *args);
	start[n - status] = WORD(&request);
	box->stands_in = 1;
	const int64_t result = carry_out(w->look, large, start, n - status + 1, fp, places);
	box->stands_in = 0;
	if (result != MPI_SUCCESS)
		return result;
	look = (struct look){.function = box->test, .n = 3, .args = {WORD(&request), WORD(&done), status ? args[n - 1] : WORD(MPI_STATUS_IGNORE)}};
	return look_until(&look, &done, (struct pending){.requests = &request, .n = 1}, fp, places);
}
