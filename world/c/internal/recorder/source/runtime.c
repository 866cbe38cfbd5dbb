/* The recorder's run time: it writes what docs/traces.md describes. commworldrec compiles it with
   the wrappers that it makes for the functions of the library at hand.

   A rank's file is mapped into memory, so that what was written survives a process that is killed. */
#define _GNU_SOURCE
#include <mpi.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#define MAX_FIELDS 24
#define MAX_FRAMES 6
#define MAX_SITES 65000
#define SLOTS 4096
#define WINDOW (1 << 20)
#define SMALL 1024 /* room for every record but a blob */

enum { END = 0, HEAD, FUNCTION, MODULE, SITE, BLOB, COUNTING = 8, PENDING, EXITED, NOTE, RUN = 14, CALL = 15, SHORT_CALL = 16 };

struct function { const char *name, *fields; int inputs, n; };
extern const struct function rec_functions[];
extern const int rec_function_count;

struct rec_call {
	int function, site;
	int64_t a[MAX_FIELDS];
	struct rec_call *next;
};

/* What predicts the next call of a place; see package recording. */
struct site {
	int function, n, next;
	int64_t last[MAX_FIELDS], step[MAX_FIELDS];
};

static int recording, several; /* several: threads may call MPI at once */
static __thread int depth;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int fd = -1;
static uint8_t *window;
static int64_t window_at; /* in the file */
static size_t window_size;
static size_t at; /* in the window: the end of what was written */
static size_t run_at;
static uint64_t run;
static int pending; /* a call that has not returned is behind the end */

static struct site *sites;
static int site_count, last_site = -1;
static int function_number[2048], functions_written;

static void stop(const char *why, int error)
{
	fprintf(stderr, "commworldrec: recording ends here: %s%s%s\n", why, error ? ": " : "", error ? strerror(error) : "");
	recording = 0;
}

/* ---- the file */

static int move_window(int64_t to, size_t size)
{
	int64_t page = sysconf(_SC_PAGESIZE), from = to / page * page;
	size += (size_t)(to - from);
	size = (size + (size_t)page - 1) / (size_t)page * (size_t)page;
	if (window)
		munmap(window, window_size);
	window = NULL;
	int e = posix_fallocate(fd, from, (off_t)size);
	if (e) {
		stop("there is no room for the recording", e);
		return 0;
	}
	void *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, from);
	if (m == MAP_FAILED) {
		stop("the recording cannot be mapped", errno);
		return 0;
	}
	window = m;
	window_at = from;
	window_size = size;
	at = (size_t)(to - from);
	return 1;
}

static size_t put_number(size_t p, uint64_t x)
{
	while (x >= 0x80) {
		window[p++] = (uint8_t)(x | 0x80);
		x >>= 7;
	}
	window[p++] = (uint8_t)x;
	return p;
}

static void put_u64(size_t p, uint64_t x)
{
	for (int i = 0; i < 8; i++)
		window[p + i] = (uint8_t)(x >> 8 * i);
}

static uint64_t zigzag(int64_t x) { return (uint64_t)x << 1 ^ (uint64_t)(x >> 63); }

#define barrier() __asm__ volatile("" ::: "memory")

/* close_run writes the number of calls of a run in as few bytes as it needs. */
static void close_run(void)
{
	if (!run)
		return;
	size_t p = put_number(run_at + 1, run);
	window[p] = END;
	barrier();
	window[run_at] = RUN;
	at = p;
	run = 0;
}

/* room closes a run and makes room for a record. */
static int room(size_t n)
{
	close_run();
	if (at + n + 16 < window_size)
		return 1;
	return move_window(window_at + (int64_t)at, n + 16 > WINDOW ? n + 2 * WINDOW : WINDOW);
}

/* A record is written behind the end; commit makes it visible. */
static void commit(size_t end, uint8_t tag)
{
	window[end] = END;
	barrier();
	window[at] = tag;
	at = end;
	pending = 0;
}

static size_t put_text(size_t p, const char *s)
{
	size_t n = strlen(s);
	p = put_number(p, n);
	memcpy(window + p, s, n);
	return p + n;
}

static void note(const char *text)
{
	if (recording && room(SMALL + strlen(text)))
		commit(put_text(at + 1, text), NOTE);
}

/* ---- blobs: values that calls name by a number */

struct hash { uint64_t a, b; };
static struct hash slot_hash[SLOTS];
static int next_slot, slots_used;
static int bucket[2 * SLOTS], chain[SLOTS]; /* one more than the slot; 0: none */

static struct hash hash_of(const uint8_t *p, size_t n)
{
	struct hash h = {0xcbf29ce484222325u ^ n, 0x9e3779b97f4a7c15u};
	for (; n >= 8; p += 8, n -= 8) {
		uint64_t x;
		memcpy(&x, p, 8);
		h.a = (h.a ^ x) * 0xff51afd7ed558ccdu;
		h.a ^= h.a >> 32;
		h.b = (h.b + x) * 0xc4ceb9fe1a85ec53u;
		h.b ^= h.b >> 29;
	}
	for (; n; p++, n--) {
		h.a = (h.a ^ *p) * 0x100000001b3u;
		h.b = (h.b + *p) * 0xc4ceb9fe1a85ec53u;
		h.b ^= h.b >> 31;
	}
	h.a ^= h.a >> 33;
	return h;
}

static int find_slot(struct hash h)
{
	for (int i = bucket[h.a % (2 * SLOTS)]; i; i = chain[i - 1])
		if (slot_hash[i - 1].a == h.a && slot_hash[i - 1].b == h.b)
			return i - 1;
	return -1;
}

static void drop_slot(int s)
{
	int *i = &bucket[slot_hash[s].a % (2 * SLOTS)];
	while (*i && *i - 1 != s)
		i = &chain[*i - 1];
	if (*i)
		*i = chain[s];
}

/* blob returns the slot of a value, and writes the value if no slot has it. */
static int64_t blob(const uint8_t *p, size_t n)
{
	struct hash h = hash_of(p, n);
	int s = find_slot(h);
	if (s >= 0)
		return s;
	if (!room(SMALL + n))
		return -1;
	s = next_slot;
	next_slot = (s + 1) % SLOTS;
	if (s < slots_used)
		drop_slot(s);
	else
		slots_used++;
	slot_hash[s] = h;
	int *i = &bucket[h.a % (2 * SLOTS)];
	chain[s] = *i;
	*i = s + 1;
	size_t end = put_number(put_number(at + 1, (uint64_t)s), n);
	memcpy(window + end, p, n);
	commit(end + n, BLOB);
	return s;
}

/* A buffer for a value that is made. */
static uint8_t *made;
static size_t made_n, made_size;

static void make_room(size_t n)
{
	if (made_n + n <= made_size)
		return;
	size_t size = 2 * (made_n + n) + 1024;
	uint8_t *m = realloc(made, size);
	if (!m) {
		stop("no memory", 0);
		exit(1);
	}
	made = m;
	made_size = size;
}

static void make(uint8_t kind)
{
	made_n = 0;
	make_room(1);
	made[made_n++] = kind;
}

static void make_number(uint64_t x)
{
	make_room(10);
	while (x >= 0x80) {
		made[made_n++] = (uint8_t)(x | 0x80);
		x >>= 7;
	}
	made[made_n++] = (uint8_t)x;
}

static void make_bytes(const void *p, size_t n)
{
	make_room(n);
	memcpy(made + made_n, p, n);
	made_n += n;
}

static int64_t made_blob(void) { return blob(made, made_n); }

static int64_t rec_text(const char *s)
{
	if (!s)
		return -1;
	make('s');
	make_bytes(s, strlen(s));
	return made_blob();
}

/* LIST defines how an array of a type becomes a list. */
#define LIST(name, type)                                  \
	static int64_t name(const type *p, int64_t n)     \
	{                                                 \
		if (!p || n < 0)                          \
			return -1;                        \
		make('l');                                \
		make_number((uint64_t)n);                 \
		int64_t last = 0;                         \
		for (int64_t i = 0; i < n; i++) {         \
			int64_t x = (int64_t)p[i];        \
			make_number(zigzag(x - last));    \
			last = x;                         \
		}                                         \
		return made_blob();                       \
	}
LIST(rec_ints, int)
LIST(rec_longs, int64_t)

/* ---- places of the program */

static struct { const char *path; uintptr_t bias; } modules[1024];
static int module_count;

struct code { uintptr_t address, bias; const char *path; char id[80]; };

static int in_object(struct dl_phdr_info *o, size_t size, void *p)
{
	(void)size;
	struct code *c = p;
	int inside = 0;
	for (int i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &o->dlpi_phdr[i];
		uintptr_t from = o->dlpi_addr + h->p_vaddr;
		if (h->p_type == PT_LOAD && c->address >= from && c->address < from + h->p_memsz)
			inside = 1;
	}
	if (!inside)
		return 0;
	c->bias = o->dlpi_addr;
	c->path = o->dlpi_name;
	c->id[0] = 0;
	for (int i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &o->dlpi_phdr[i];
		if (h->p_type != PT_NOTE)
			continue;
		const char *p = (const char *)(o->dlpi_addr + h->p_vaddr), *end = p + h->p_memsz;
		while (p + 12 <= end) {
			uint32_t name, desc, type;
			memcpy(&name, p, 4);
			memcpy(&desc, p + 4, 4);
			memcpy(&type, p + 8, 4);
			const char *d = p + 12 + ((name + 3) & ~3u);
			if (type == 3 && name == 4 && !memcmp(p + 12, "GNU", 4) && desc <= 32)
				for (uint32_t k = 0; k < desc; k++)
					sprintf(c->id + 2 * k, "%02x", (uint8_t)d[k]);
			p = d + ((desc + 3) & ~3u);
		}
	}
	return 1;
}

/* module returns the number of the module with the code at an address, -1 if there is none, and
   makes the address one of the file. */
static int module(uintptr_t *address)
{
	struct code c = {.address = *address};
	if (!dl_iterate_phdr(in_object, &c))
		return -1;
	*address -= c.bias;
	for (int i = 0; i < module_count; i++)
		if (modules[i].bias == c.bias && !strcmp(modules[i].path, c.path))
			return i;
	if (module_count == 1024)
		return -1;
	char self[4096];
	const char *path = c.path;
	if (!*path) {
		ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
		self[n > 0 ? n : 0] = 0;
		path = self;
	}
	if (!room(SMALL + strlen(path)))
		return -1;
	commit(put_text(put_text(at + 1, path), c.id), MODULE);
	modules[module_count].path = strdup(c.path);
	modules[module_count].bias = c.bias;
	return module_count++;
}

/* A call from a stack that is known: its return addresses are still where they were. */
struct stack {
	int function, n, site;
	void *from, *frame;
	void *address[MAX_FRAMES];
	void **slot[MAX_FRAMES]; /* NULL: not known */
	struct stack *next;
};

#define STACKS 4096
#define MOST_STACKS 65536
static struct stack *stacks[STACKS];
static int stack_count;

struct walk { void *from; struct stack *s; int on; };

static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *p)
{
	struct walk *w = p;
	void *ip = (void *)_Unwind_GetIP(c);
	if (ip == w->from)
		w->on = 1;
	if (!w->on)
		return _URC_NO_REASON;
	if (!ip || w->s->n == MAX_FRAMES)
		return _URC_END_OF_STACK;
	void **slot = NULL;
#ifdef __x86_64__
	slot = (void **)_Unwind_GetCFA(c) - 1;
	if (*slot != ip)
		slot = NULL;
#endif
	w->s->address[w->s->n] = ip;
	w->s->slot[w->s->n++] = slot;
	return _URC_NO_REASON;
}

/* new_site writes the place of a call, unless it is known from another stack. */
static int new_site(struct stack *s)
{
	static struct { int function, n; void *address[MAX_FRAMES]; int site; } *known;
	static int known_size;
	uint64_t h = hash_of((uint8_t *)s->address, sizeof(void *) * (size_t)s->n).a + (uint64_t)s->function;
	if (!known) {
		known_size = 1 << 18;
		known = calloc((size_t)known_size, sizeof *known);
		if (!known)
			return -1;
	}
	size_t i = h % (size_t)known_size;
	for (; known[i].n; i = (i + 1) % (size_t)known_size)
		if (known[i].function == s->function && known[i].n == s->n &&
		    !memcmp(known[i].address, s->address, sizeof(void *) * (size_t)s->n))
			return known[i].site;
	if (site_count >= MAX_SITES) {
		stop("the program calls MPI from more than 65000 places", 0);
		return -1;
	}
	const struct function *f = &rec_functions[s->function];
	if (!function_number[s->function]) {
		if (!room(SMALL))
			return -1;
		commit(put_text(put_text(at + 1, f->name), f->fields), FUNCTION);
		function_number[s->function] = ++functions_written;
	}
	int in[MAX_FRAMES];
	uintptr_t address[MAX_FRAMES];
	for (int k = 0; k < s->n; k++) {
		address[k] = (uintptr_t)s->address[k];
		in[k] = module(&address[k]);
	}
	if (!recording || !room(SMALL))
		return -1;
	size_t end = put_number(put_number(at + 1, (uint64_t)function_number[s->function] - 1), (uint64_t)s->n);
	for (int k = 0; k < s->n; k++)
		end = put_number(put_number(end, (uint64_t)(in[k] + 1)), address[k]);
	commit(end, SITE);
	if (site_count % 64 == 0) {
		struct site *more = realloc(sites, sizeof *sites * (size_t)(site_count + 64));
		if (!more) {
			stop("no memory", 0);
			return -1;
		}
		sites = more;
	}
	memset(&sites[site_count], 0, sizeof *sites);
	sites[site_count].function = s->function;
	sites[site_count].n = f->n;
	sites[site_count].next = -1;
	known[i].function = s->function;
	known[i].n = s->n;
	memcpy(known[i].address, s->address, sizeof s->address);
	known[i].site = site_count;
	return site_count++;
}

static int site_of(int function, void *from, void *frame)
{
	struct stack **list = &stacks[((uintptr_t)from / 4 ^ (uintptr_t)frame / 16 ^ (uintptr_t)function * 97) % STACKS];
	for (struct stack *s = *list; s; s = s->next) {
		if (s->from != from || s->frame != frame || s->function != function)
			continue;
		int same = 1;
		for (int i = 1; i < s->n && same; i++)
			same = !s->slot[i] || *s->slot[i] == s->address[i];
		if (same)
			return s->site;
	}
	if (stack_count >= MOST_STACKS) {
		for (int i = 0; i < STACKS; i++)
			for (struct stack *s; (s = stacks[i]);) {
				stacks[i] = s->next;
				free(s);
			}
		stack_count = 0;
	}
	struct stack *s = calloc(1, sizeof *s);
	if (!s) {
		stop("no memory", 0);
		return -1;
	}
	s->function = function;
	s->from = from;
	s->frame = frame;
	struct walk w = {from, s, 0};
	_Unwind_Backtrace(step, &w);
	if (!s->n) {
		s->address[0] = from;
		s->n = 1;
	}
	s->site = new_site(s);
	s->next = *list;
	*list = s;
	stack_count++;
	return s->site;
}

/* ---- calls */

/* rec_begin returns whether a call is to be recorded: calls that the library itself makes are not. */
static int rec_begin(struct rec_call *k, int function, void *from, void *frame)
{
	if (!recording || depth)
		return 0;
	depth = 1;
	if (several)
		pthread_mutex_lock(&lock);
	k->function = function;
	k->site = site_of(function, from, frame);
	return 1;
}

static size_t put_call(size_t p, struct rec_call *k, int n)
{
	struct site *s = &sites[k->site];
	uint32_t mask = 0;
	for (int i = 0; i < n; i++)
		mask |= (uint32_t)(k->a[i] != s->last[i] + s->step[i]) << i;
	p = put_number(p, mask);
	for (int i = 0; mask; i++, mask >>= 1)
		if (mask & 1)
			p = put_number(p, zigzag((int64_t)((uint64_t)k->a[i] - ((uint64_t)s->last[i] + (uint64_t)s->step[i]))));
	return p;
}

/* write_pending writes a call that has not returned, behind the end: the next record replaces it. */
static void write_pending(struct rec_call *k)
{
	if (at + SMALL >= window_size && !room(SMALL))
		return;
	size_t p = put_call(put_number(at + 1, (uint64_t)k->site), k, rec_functions[k->function].inputs);
	window[p] = END;
	barrier();
	window[at] = PENDING;
	pending = 1;
}

/* Calls of several threads that have not returned, the oldest first: a file has that one. */
static struct rec_call *waiting;
static __thread struct rec_call *inside;
static int threads; /* that have called MPI; 2: more than one */
static pthread_t first_thread;

/* rec_pending is called when a call begins. */
static void rec_pending(struct rec_call *k)
{
	if (recording && k->site >= 0 && several) {
		if (!threads) {
			threads = 1;
			first_thread = pthread_self();
		} else if (threads == 1 && !pthread_equal(first_thread, pthread_self())) {
			threads = 2;
			note("threads: several threads called MPI");
		}
		struct rec_call **end = &waiting;
		while (*end)
			end = &(*end)->next;
		*end = inside = k;
		k->next = NULL;
	}
	if (recording && k->site >= 0)
		write_pending(several ? waiting : k);
	if (several)
		pthread_mutex_unlock(&lock);
}

/* rec_end writes a call that returns. */
static void rec_end(struct rec_call *k)
{
	struct site *s = &sites[k->site];
	if (!recording || k->site < 0)
		return;
	int predicted = last_site >= 0 && sites[last_site].next == k->site;
	for (int i = 0; predicted && i < s->n; i++)
		predicted = k->a[i] == s->last[i] + s->step[i];
	window[at] = END;
	pending = 0;
	barrier();
	if (predicted && run) {
		put_u64(run_at + 1, ++run);
	} else if (predicted) {
		if (!room(SMALL))
			return;
		run_at = at;
		run = 1;
		put_u64(at + 1, run);
		commit(at + 9, COUNTING);
	} else {
		if (!room(SMALL))
			return;
		size_t p = at + 1;
		if (k->site >= 256 - SHORT_CALL)
			p = put_number(p, (uint64_t)k->site);
		commit(put_call(p, k, s->n), (uint8_t)(k->site < 256 - SHORT_CALL ? SHORT_CALL + k->site : CALL));
	}
	for (int i = 0; i < s->n; i++) {
		s->step[i] = (int64_t)((uint64_t)k->a[i] - (uint64_t)s->last[i]);
		s->last[i] = k->a[i];
	}
	if (last_site >= 0)
		sites[last_site].next = k->site;
	last_site = k->site;
}

/* rec_after is called when the library has returned, rec_done at the end. */
static void rec_after(void)
{
	if (!several)
		return;
	pthread_mutex_lock(&lock);
	for (struct rec_call **k = &waiting; *k; k = &(*k)->next)
		if (*k == inside) {
			*k = inside->next;
			break;
		}
	inside = NULL;
}

static void rec_done(void)
{
	if (several && recording && waiting)
		write_pending(waiting);
	if (several)
		pthread_mutex_unlock(&lock);
	depth = 0;
}

/* ---- handles */

#define KEY(h) ((uint64_t)(uintptr_t)(h))

/* A table numbers the handles of one kind. Several objects may have one handle: libraries have
   requests that all completed sends share. */
struct entry { uint64_t key; const void *where; int id, wild, persistent, claimed; struct entry *next; };
struct table { struct entry *bucket[1024]; int *free, free_n, free_size, next; };
static struct table comms, files, requests, messages;

static struct entry *add(struct table *t, uint64_t key, const void *where)
{
	struct entry *e = calloc(1, sizeof *e);
	if (!e) {
		stop("no memory", 0);
		exit(1);
	}
	e->id = t->free_n ? t->free[--t->free_n] : t->next++;
	e->key = key;
	e->where = where;
	struct entry **end = &t->bucket[(key ^ key >> 10) % 1024];
	while (*end)
		end = &(*end)->next;
	*end = e;
	return e;
}

static struct entry *find(struct table *t, uint64_t key, const void *where)
{
	struct entry *first = NULL;
	for (struct entry *e = t->bucket[(key ^ key >> 10) % 1024]; e; e = e->next) {
		if (e->key != key || e->claimed)
			continue;
		if (e->where == where)
			return e;
		if (!first)
			first = e;
	}
	return first;
}

static void drop(struct table *t, struct entry *e)
{
	struct entry **i = &t->bucket[(e->key ^ e->key >> 10) % 1024];
	while (*i != e)
		i = &(*i)->next;
	*i = e->next;
	if (t->free_n == t->free_size) {
		t->free_size = 2 * t->free_size + 64;
		t->free = realloc(t->free, sizeof(int) * (size_t)t->free_size);
		if (!t->free) {
			stop("no memory", 0);
			exit(1);
		}
	}
	t->free[t->free_n++] = e->id;
	free(e);
}

/* UNKNOWN is a handle that the recorder has not seen made. */
enum { NONE = -1, UNKNOWN = -2 };

static int64_t rec_comm(MPI_Comm c)
{
	if (c == MPI_COMM_NULL)
		return NONE;
	struct entry *e = find(&comms, KEY(c), NULL);
	return e ? e->id : UNKNOWN;
}

static int64_t rec_new_comm(MPI_Comm *c, int rc)
{
	if (rc != MPI_SUCCESS || !c || *c == MPI_COMM_NULL)
		return NONE;
	return add(&comms, KEY(*c), NULL)->id;
}

static int64_t rec_drop(struct table *t, uint64_t key, int rc)
{
	struct entry *e = find(t, key, NULL);
	if (e && rc == MPI_SUCCESS)
		drop(t, e);
	return 0;
}

static int64_t rec_file(MPI_File f)
{
	if (f == MPI_FILE_NULL)
		return NONE;
	struct entry *e = find(&files, KEY(f), NULL);
	return e ? e->id : UNKNOWN;
}

static int64_t rec_new_file(MPI_File *f, int rc)
{
	return rc == MPI_SUCCESS && f && *f != MPI_FILE_NULL ? add(&files, KEY(*f), NULL)->id : NONE;
}

static int64_t rec_message(MPI_Message m)
{
	if (m == MPI_MESSAGE_NULL)
		return NONE;
	if (m == MPI_MESSAGE_NO_PROC)
		return UNKNOWN;
	struct entry *e = find(&messages, KEY(m), NULL);
	return e ? e->id : UNKNOWN;
}

static int64_t rec_new_message(MPI_Message *m, int rc)
{
	return rc == MPI_SUCCESS && m && *m != MPI_MESSAGE_NULL && *m != MPI_MESSAGE_NO_PROC ? add(&messages, KEY(*m), NULL)->id : NONE;
}

static int64_t rec_new_request(MPI_Request *q, int wild, int persistent, int rc)
{
	if (rc != MPI_SUCCESS || !q || *q == MPI_REQUEST_NULL)
		return NONE;
	struct entry *e = add(&requests, KEY(*q), q);
	e->wild = wild;
	e->persistent = persistent;
	return e->id;
}

static int64_t rec_request(MPI_Request *q)
{
	if (!q || *q == MPI_REQUEST_NULL)
		return NONE;
	struct entry *e = find(&requests, KEY(*q), q);
	return e ? e->id : UNKNOWN;
}

/* ---- values */

static int64_t rec_rank(int rank)
{
	if (rank == MPI_ANY_SOURCE)
		return -1;
	if (rank == MPI_PROC_NULL)
		return -2;
	if (rank == MPI_ROOT)
		return -3;
	return rank < 0 ? rank - 1000 : rank;
}

static int64_t rec_tag(int tag) { return tag == MPI_ANY_TAG ? -1 : tag < 0 ? tag - 1000 : tag; }
static int64_t rec_color(int color) { return color == MPI_UNDEFINED ? -1 : color < 0 ? color - 1000 : color; }

static int64_t rec_whence(int whence)
{
	return whence == MPI_SEEK_SET ? 0 : whence == MPI_SEEK_CUR ? 1 : whence == MPI_SEEK_END ? 2 : whence + 1000;
}

static int64_t rec_amode(int mode)
{
	static const int bits[] = {MPI_MODE_RDONLY, MPI_MODE_RDWR, MPI_MODE_WRONLY, MPI_MODE_CREATE, MPI_MODE_EXCL,
		MPI_MODE_DELETE_ON_CLOSE, MPI_MODE_UNIQUE_OPEN, MPI_MODE_SEQUENTIAL, MPI_MODE_APPEND};
	int64_t all = 0;
	for (int i = 0; i < 9; i++)
		if (mode & bits[i]) {
			all |= 1 << i;
			mode &= ~bits[i];
		}
	return all | (int64_t)(mode != 0) << 9;
}

static int64_t rec_op(MPI_Op op)
{
	const MPI_Op all[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR,
		MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
	if (op == MPI_OP_NULL)
		return NONE;
	for (int i = 0; i < 14; i++)
		if (op == all[i])
			return i;
	int commutes = 0;
	PMPI_Op_commutative(op, &commutes);
	return 100 + commutes;
}

static int64_t rec_info(MPI_Info info)
{
	int n = 0;
	if (info == MPI_INFO_NULL || PMPI_Info_get_nkeys(info, &n) != MPI_SUCCESS)
		return NONE;
	make('s');
	for (int i = 0; i < n; i++) {
		char key[MPI_MAX_INFO_KEY + 1], *value;
		int size = 0, has = 0;
		if (PMPI_Info_get_nthkey(info, i, key) != MPI_SUCCESS || PMPI_Info_get_valuelen(info, key, &size, &has) != MPI_SUCCESS || !has)
			continue;
		if (!(value = calloc((size_t)size + 1, 1)))
			continue;
		if (PMPI_Info_get(info, key, size, value, &has) == MPI_SUCCESS && has) {
			make_bytes(key, strlen(key) + 1);
			make_bytes(value, strlen(value) + 1);
		}
		free(value);
	}
	return made_blob();
}

/* rec_group returns the ranks of a group in the group of a communicator. */
static int64_t rec_group(MPI_Group g, MPI_Comm c)
{
	MPI_Group of;
	int n, inter = 0;
	if (g == MPI_GROUP_NULL || PMPI_Group_size(g, &n) != MPI_SUCCESS || PMPI_Comm_test_inter(c, &inter) != MPI_SUCCESS ||
	    PMPI_Comm_group(c, &of) != MPI_SUCCESS)
		return NONE;
	int *a = calloc(2 * (size_t)n + 1, sizeof(int)), *b = a + n;
	int64_t slot = NONE;
	if (a) {
		for (int i = 0; i < n; i++)
			a[i] = i;
		PMPI_Group_translate_ranks(g, n, a, of, b);
		slot = rec_ints(b, n);
		free(a);
	}
	PMPI_Group_free(&of);
	return slot;
}

/* rec_members returns the ranks of a communicator in MPI_COMM_WORLD. */
static int64_t rec_members(MPI_Comm *c, int rc)
{
	MPI_Group g;
	if (rc != MPI_SUCCESS || *c == MPI_COMM_NULL || PMPI_Comm_group(*c, &g) != MPI_SUCCESS)
		return NONE;
	int64_t slot = rec_group(g, MPI_COMM_WORLD);
	PMPI_Group_free(&g);
	return slot;
}

static int comm_size(MPI_Comm c)
{
	int n = 0, inter = 0;
	if (c == MPI_COMM_NULL || PMPI_Comm_test_inter(c, &inter) != MPI_SUCCESS)
		return 0;
	if (inter)
		PMPI_Comm_remote_size(c, &n);
	else
		PMPI_Comm_size(c, &n);
	return n;
}

static int is_root(MPI_Comm c, int root)
{
	int rank = -1, inter = 0;
	if (c == MPI_COMM_NULL || PMPI_Comm_test_inter(c, &inter) != MPI_SUCCESS)
		return 0;
	if (inter)
		return root == MPI_ROOT;
	PMPI_Comm_rank(c, &rank);
	return rank == root;
}

/* is_leaf reports whether a rank brings data to or gets data from a root. */
static int is_leaf(MPI_Comm c, int root)
{
	int inter = 0;
	PMPI_Comm_test_inter(c, &inter);
	return !inter || (root != MPI_ROOT && root != MPI_PROC_NULL);
}

/* degree returns how many neighbours a rank gets data from, or sends data to. */
static int degree(MPI_Comm c, int out)
{
	int kind = MPI_UNDEFINED, n = 0, m = 0, weighted, rank;
	PMPI_Topo_test(c, &kind);
	switch (kind) {
	case MPI_CART:
		PMPI_Cartdim_get(c, &n);
		return 2 * n;
	case MPI_GRAPH:
		PMPI_Comm_rank(c, &rank);
		PMPI_Graph_neighbors_count(c, rank, &n);
		return n;
	case MPI_DIST_GRAPH:
		PMPI_Dist_graph_neighbors_count(c, &n, &m, &weighted);
		return out ? m : n;
	}
	return 0;
}

static int dims_of(MPI_Comm c)
{
	int n = 0;
	PMPI_Cartdim_get(c, &n);
	return n;
}

static int sum(const int *p, int n)
{
	int all = 0;
	for (int i = 0; i < n; i++)
		all += p[i];
	return all;
}

/* rec_size returns the size of a file before it is opened, -1 if there is none. */
static int64_t rec_size(const char *name)
{
	struct stat s;
	const char *colon = name ? strchr(name, ':') : NULL;
	if (colon && colon > name + 1 && strspn(name, "abcdefghijklmnopqrstuvwxyz") == (size_t)(colon - name))
		name = colon + 1;
	if (!name || stat(name, &s))
		return -1;
	return (int64_t)s.st_size;
}

/* ---- datatypes */

static int combiner(int c)
{
	switch (c) {
	case MPI_COMBINER_DUP: return 102;
	case MPI_COMBINER_CONTIGUOUS: return 103;
	case MPI_COMBINER_VECTOR: return 104;
	case MPI_COMBINER_HVECTOR: return 105;
	case MPI_COMBINER_INDEXED: return 106;
	case MPI_COMBINER_HINDEXED: return 107;
	case MPI_COMBINER_INDEXED_BLOCK: return 108;
	case MPI_COMBINER_HINDEXED_BLOCK: return 109;
	case MPI_COMBINER_STRUCT: return 110;
	case MPI_COMBINER_SUBARRAY: return 111;
	case MPI_COMBINER_DARRAY: return 112;
	case MPI_COMBINER_F90_REAL: return 113;
	case MPI_COMBINER_F90_COMPLEX: return 114;
	case MPI_COMBINER_F90_INTEGER: return 115;
	case MPI_COMBINER_RESIZED: return 116;
	}
	return 0;
}

static int order(int o) { return o == MPI_ORDER_FORTRAN ? 15 : 12; }

static int distribution(int d)
{
	return d == MPI_DISTRIBUTE_BLOCK ? 17 : d == MPI_DISTRIBUTE_CYCLIC ? 18 : 16;
}

/* standard makes the constants of a constructor's arguments those of the standard ABI. */
static void standard(int c, int *ints)
{
	if (c == MPI_COMBINER_SUBARRAY)
		ints[3 * ints[0] + 1] = order(ints[3 * ints[0] + 1]);
	if (c != MPI_COMBINER_DARRAY)
		return;
	int n = ints[2];
	for (int i = 0; i < n; i++) {
		ints[3 + n + i] = distribution(ints[3 + n + i]);
		if (ints[3 + 2 * n + i] == MPI_DISTRIBUTE_DFLT_DARG)
			ints[3 + 2 * n + i] = 19;
	}
	ints[3 + 4 * n] = order(ints[3 + 4 * n]);
}

static void make_list(const int *p, int n)
{
	make_number((uint64_t)n);
	int64_t last = 0;
	for (int i = 0; i < n; i++) {
		make_number(zigzag(p[i] - last));
		last = p[i];
	}
}

static void make_type(MPI_Datatype t)
{
	int ni = 0, na = 0, nt = 0, c = MPI_COMBINER_NAMED;
	char name[MPI_MAX_OBJECT_NAME + 1] = "MPI_DATATYPE_NULL";
	int length;
	if (t != MPI_DATATYPE_NULL)
		PMPI_Type_get_envelope(t, &ni, &na, &nt, &c);
	int code = combiner(c);
	if (!code) {
		if (t != MPI_DATATYPE_NULL)
			PMPI_Type_get_name(t, name, &length);
		make_number(101);
		make_number(strlen(name));
		make_bytes(name, strlen(name));
		return;
	}
	int *ints = calloc((size_t)ni + 1, sizeof *ints);
	MPI_Aint *aints = calloc((size_t)na + 1, sizeof *aints);
	MPI_Datatype *parts = calloc((size_t)nt + 1, sizeof *parts);
	if (!ints || !aints || !parts) {
		stop("no memory", 0);
		exit(1);
	}
	PMPI_Type_get_contents(t, ni, na, nt, ints, aints, parts);
	standard(c, ints);
	make_number((uint64_t)code);
	make_list(ints, ni);
	make_number((uint64_t)na);
	int64_t last = 0;
	for (int i = 0; i < na; i++) {
		make_number(zigzag((int64_t)aints[i] - last));
		last = (int64_t)aints[i];
	}
	make_number((uint64_t)nt);
	for (int i = 0; i < nt; i++) {
		make_type(parts[i]);
		int a, b, d, k = MPI_COMBINER_NAMED;
		PMPI_Type_get_envelope(parts[i], &a, &b, &d, &k);
		if (k != MPI_COMBINER_NAMED && k != MPI_COMBINER_F90_REAL && k != MPI_COMBINER_F90_COMPLEX && k != MPI_COMBINER_F90_INTEGER)
			PMPI_Type_free(&parts[i]);
	}
	free(ints);
	free(aints);
	free(parts);
}

/* Types whose slot is known, by handle. A slot that has another value since is not used. */
static struct { uint64_t key; struct hash hash; int slot; } types[256];

static int64_t rec_type(MPI_Datatype t)
{
	uint64_t key = KEY(t);
	size_t i = (key ^ key >> 8 ^ key >> 16) % 256;
	if (types[i].key == key && slots_used && types[i].slot < slots_used &&
	    slot_hash[types[i].slot].a == types[i].hash.a && slot_hash[types[i].slot].b == types[i].hash.b && types[i].hash.a)
		return types[i].slot;
	make('t');
	make_type(t);
	int64_t slot = made_blob();
	if (slot >= 0) {
		types[i].key = key;
		types[i].slot = (int)slot;
		types[i].hash = slot_hash[slot];
	}
	return slot;
}

static int64_t rec_types(const MPI_Datatype *t, int n)
{
	if (!t || n < 0)
		return NONE;
	make('T');
	make_number((uint64_t)n);
	for (int i = 0; i < n; i++)
		make_type(t[i]);
	return made_blob();
}

/* ---- completions */

/* A set is the requests of one call. */
struct set { int n; struct entry **e; struct entry *few[16]; int wild; };

static int64_t rec_set(struct set *s, int n, MPI_Request *q)
{
	int ids_few[16], *ids = ids_few;
	s->n = n < 0 || !q ? 0 : n;
	s->e = s->few;
	s->wild = 0;
	if (s->n > 16) {
		s->e = calloc((size_t)s->n, sizeof *s->e);
		ids = calloc((size_t)s->n, sizeof *ids);
		if (!s->e || !ids) {
			stop("no memory", 0);
			exit(1);
		}
	}
	for (int i = 0; i < s->n; i++) {
		s->e[i] = q[i] == MPI_REQUEST_NULL ? NULL : find(&requests, KEY(q[i]), &q[i]);
		ids[i] = s->e[i] ? s->e[i]->id : q[i] == MPI_REQUEST_NULL ? NONE : UNKNOWN;
		if (s->e[i]) {
			s->e[i]->claimed = 1;
			s->wild |= s->e[i]->wild;
		}
	}
	for (int i = 0; i < s->n; i++)
		if (s->e[i])
			s->e[i]->claimed = 0;
	int64_t slot = rec_ints(ids, s->n);
	if (ids != ids_few)
		free(ids);
	return slot;
}

/* completed drops request i of a set, unless it can be started again, and notes what a receive
   from any source has matched. */
static void completed(struct set *s, int i, MPI_Status *st, int *matched, int *n)
{
	struct entry *e = s->e[i];
	if (!e)
		return;
	if (e->wild && st) {
		int cancelled = 0;
		PMPI_Test_cancelled(st, &cancelled);
		matched[(*n)++] = e->id;
		matched[(*n)++] = cancelled ? -2 : (int)rec_rank(st->MPI_SOURCE);
		matched[(*n)++] = cancelled ? -1 : st->MPI_TAG;
	}
	if (!e->persistent) {
		s->e[i] = NULL;
		drop(&requests, e);
	}
}

static void free_set(struct set *s)
{
	if (s->e != s->few)
		free(s->e);
}

static MPI_Status *statuses_for(struct set *s, MPI_Status *given)
{
	if (given != MPI_STATUSES_IGNORE || !s->wild)
		return given;
	return calloc((size_t)s->n + 1, sizeof(MPI_Status));
}

/* rec_completed writes which of a set's requests a call has completed: those in which, or all. */
static int64_t rec_completed(struct set *s, const int *which, int n, MPI_Status *st)
{
	int few[48], *matched = few, m = 0;
	int64_t slot = NONE;
	if (n > 16 && !(matched = calloc(3 * (size_t)n, sizeof *matched))) {
		stop("no memory", 0);
		exit(1);
	}
	for (int k = 0; k < n; k++)
		completed(s, which ? which[k] : k, st == MPI_STATUSES_IGNORE ? NULL : &st[k], matched, &m);
	if (m)
		slot = rec_ints(matched, m);
	if (matched != few)
		free(matched);
	return slot;
}

/* ---- the beginning and the end */

static int world_rank;

static void begin(int level)
{
	int rank, size, length;
	char library[MPI_MAX_LIBRARY_VERSION_STRING + 1], *dir = getenv("COMMWORLD_RECORD"), name[4096];
	if (!dir || !*dir || recording || fd >= 0)
		return;
	depth = 1;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	world_rank = rank;
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	PMPI_Get_library_version(library, &length);
	library[strcspn(library, "\n")] = 0;
	library[200 < sizeof library ? 200 : sizeof library - 1] = 0;
	uint64_t job = 0;
	if (rank == 0) {
		struct timespec now;
		clock_gettime(CLOCK_REALTIME, &now);
		job = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 44;
		mkdir(dir, 0777);
	}
	PMPI_Bcast(&job, (int)sizeof job, MPI_BYTE, 0, MPI_COMM_WORLD);
	mkdir(dir, 0777); /* another node may not see it yet */
	snprintf(name, sizeof name, "%s/rank.%d", dir, rank);
	fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		fprintf(stderr, "commworldrec: %s: %s: rank %d is not recorded\n", name, strerror(errno), rank);
	} else {
		recording = 1;
		if (move_window(0, WINDOW)) {
			memcpy(window, "cwtrace\1", 8);
			at = 8;
			commit(put_text(put_number(put_number(put_number(at + 1, (uint64_t)rank), (uint64_t)size), job), library), HEAD);
			add(&comms, KEY(MPI_COMM_WORLD), NULL);
			add(&comms, KEY(MPI_COMM_SELF), NULL);
			several = level == MPI_THREAD_MULTIPLE;
		}
	}
	depth = 0;
}

/* write_lines has commworldrec write the lines of the program into the recording. */
static void write_lines(void)
{
	char *command = getenv("COMMWORLD_RECORD_LINES"), *dir = getenv("COMMWORLD_RECORD");
	extern char **environ;
	int n = 0, keep = 0, status;
	pid_t pid;
	if (!command || !*command || !dir)
		return;
	while (environ[n])
		n++;
	char **env = calloc((size_t)n + 1, sizeof *env), *args[] = {command, "lines", "-q", dir, NULL};
	if (!env)
		return;
	for (int i = 0; i < n; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11))
			env[keep++] = environ[i];
	if (!posix_spawn(&pid, command, NULL, NULL, args, env))
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	free(env);
}

/* finish ends the file. */
static void finish(void)
{
	if (fd < 0)
		return;
	int64_t size = window_at + (int64_t)at;
	if (window) {
		if (pending) {
			size += SMALL;
		} else {
			close_run();
			size = window_at + (int64_t)at;
		}
		munmap(window, window_size);
		window = NULL;
		if (ftruncate(fd, (off_t)size))
			fprintf(stderr, "commworldrec: %s\n", strerror(errno));
	}
	close(fd);
	fd = -1;
	recording = 0;
}

__attribute__((destructor)) static void leave(void)
{
	if (recording && !pending && room(SMALL)) /* or the process ends within a call, such as MPI_Abort */
		commit(at + 1, EXITED);
	finish();
}
