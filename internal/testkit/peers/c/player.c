/* One rank that plays its part of programs over files, line by line, and writes
   down what it saw. The lines are described in ../played.go. */

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static FILE *out;
static int self, current = -1;

/* An error of the library ends the run: the others may be waiting for this rank. */
static void must(int rc, const char *call) {
	char text[MPI_MAX_ERROR_STRING];
	int n = 0, class = 0;
	if (!rc)
		return;
	MPI_Error_class(rc, &class);
	MPI_Error_string(rc, text, &n);
	fprintf(out, "failed %d %s class %d: %s\n", current, call, class, text);
	fflush(out);
	MPI_Abort(MPI_COMM_WORLD, 9);
}

#define MUST(call) must(MPI_##call, #call)

/* A rank that is stuck asks for messages for ever, and so notices by the time that it
   has computed. A clock on the wall would take ranks for stuck that only wait for a
   processor. */
static void stuck(int signal) {
	static const char text[] = "\nfailed -1 no rank went on for 4 s of its own time\n";
	(void)signal;
	if (write(fileno(out), text, sizeof text - 1) < 0)
		_exit(8);
	_exit(9);
}

static void be_patient(void) {
	const struct itimerval once = {{0, 0}, {4, 0}};
	signal(SIGPROF, stuck);
	setitimer(ITIMER_PROF, &once, NULL);
}

static uint64_t scramble(uint64_t x) {
	x ^= x >> 31;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

/* The byte i that a rank writes in operation op; see gen.Mark, whose bytes repeat after 65521. */
static char mark(uint64_t rank, uint64_t op, uint64_t i) {
	uint64_t at = scramble(rank * 0x9e3779b97f4a7c15u + op * 0xbf58476d1ce4e5b9u) % 65521;
	return (char)(scramble((at + i) % 65521 * 0x94d049bb133111ebu + 1) % 126 + 1);
}

static MPI_File f;
static MPI_Datatype etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
static int unit, item; /* bytes of an etype and of one of its items */
static char path[4096];

static void forget(void) {
	drop(&etype, 1);
	drop(&filetype, 1);
	etype = filetype = MPI_DATATYPE_NULL;
}

static void open_file(void) {
	forget();
	etype = filetype = MPI_BYTE;
	unit = item = 1;
	MUST(File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
}

/* The type on the next line of the script. */
static MPI_Datatype next_type(FILE *in) {
	static char *line;
	static size_t room;
	if (getline(&line, &room, in) <= 0 || !strtok(line, " \n"))
		exit(4);
	type = MPI_DATATYPE_NULL; /* given away */
	must(build(), "Type_create");
	return type;
}

static void view(FILE *in) {
	char rep[64];
	long disp = number();
	item = number();
	snprintf(rep, sizeof rep, "%s", strtok(NULL, " \n"));
	forget();
	etype = next_type(in);
	filetype = next_type(in);
	type = MPI_DATATYPE_NULL;
	MUST(Type_size(etype, &unit));
	MUST(File_set_view(f, disp, etype, filetype, rep, MPI_INFO_NULL));
}

enum { EXPLICIT, INDIVIDUAL, SHARED };
enum { BLOCKING, NONBLOCKING, SPLIT };

/* The 34 accesses and the ends of those that are split. CALL picks the direction. */
#define CALL(r, w, ...) must(writes ? MPI_File_##w(f, __VA_ARGS__) : MPI_File_##r(f, __VA_ARGS__), writes ? #w : #r)
static void move(int writes, int at, int all, int form, MPI_Offset off, char *p, int n, MPI_Request *q, MPI_Status *st) {
	switch (form * 10 + at * 2 + all) {
	case 0: CALL(read_at, write_at, off, p, n, etype, st); break;
	case 1: CALL(read_at_all, write_at_all, off, p, n, etype, st); break;
	case 2: CALL(read, write, p, n, etype, st); break;
	case 3: CALL(read_all, write_all, p, n, etype, st); break;
	case 4: CALL(read_shared, write_shared, p, n, etype, st); break;
	case 5: CALL(read_ordered, write_ordered, p, n, etype, st); break;
	case 10: CALL(iread_at, iwrite_at, off, p, n, etype, q); break;
	case 11: CALL(iread_at_all, iwrite_at_all, off, p, n, etype, q); break;
	case 12: CALL(iread, iwrite, p, n, etype, q); break;
	case 13: CALL(iread_all, iwrite_all, p, n, etype, q); break;
	case 14: CALL(iread_shared, iwrite_shared, p, n, etype, q); break;
	case 21: CALL(read_at_all_begin, write_at_all_begin, off, p, n, etype); break;
	case 23: CALL(read_all_begin, write_all_begin, p, n, etype); break;
	case 25: CALL(read_ordered_begin, write_ordered_begin, p, n, etype); break;
	default: exit(5);
	}
}

/* An access whose form is not blocking, until it is completed. */
struct begun {
	int op, writes, at, form, n, used;
	char *p;
	MPI_Offset pos, shared;
	MPI_Request q;
	MPI_Status st;
};

static struct begun begun[64]; /* more than a program has operations */

static void end(struct begun *b) {
	int writes = b->writes;
	if (b->form == NONBLOCKING)
		MUST(Wait(&b->q, &b->st));
	if (b->form == SPLIT)
		switch (b->at) {
		case EXPLICIT: CALL(read_at_all_end, write_at_all_end, b->p, &b->st); break;
		case INDIVIDUAL: CALL(read_all_end, write_all_end, b->p, &b->st); break;
		case SHARED: CALL(read_ordered_end, write_ordered_end, b->p, &b->st); break;
		}
	int got = 0;
	MUST(Get_elements(&b->st, etype, &got));
	if (got == MPI_UNDEFINED) {
		MUST(Get_count(&b->st, MPI_BYTE, &got));
		got /= item;
	}
	fprintf(out, "access %d %d %lld %lld ", b->op, got * item, (long long)b->pos, (long long)b->shared);
	if (!writes)
		for (long i = 0; i < (long)b->n * unit; i++)
			fprintf(out, "%02x", (unsigned char)b->p[i]);
	fprintf(out, ".\n");
	free(b->p);
	b->used = 0;
}

static void access_file(void) {
	int op = number(), writes = number(), at = number(), all = number(), form = number(), late = number();
	MPI_Offset off = number();
	struct begun *b = begun;
	while (b < begun + 64 && b->used)
		b++;
	if (b == begun + 64)
		exit(5);
	*b = (struct begun){.op = op, .writes = writes, .at = at, .form = form, .n = number(), .used = 1, .pos = -1, .shared = -1, .q = MPI_REQUEST_NULL};
	b->p = need((size_t)b->n * unit);
	for (long i = 0; i < (long)b->n * unit; i++)
		b->p[i] = writes ? mark(self, op, i) : 0;
	move(writes, at, all, form, off, b->p, b->n, &b->q, &b->st);
	if (at == INDIVIDUAL)
		MUST(File_get_position(f, &b->pos));
	if (at == SHARED && !all)
		MUST(File_get_position_shared(f, &b->shared));
	if (!late)
		end(b);
}

static void complete(int op) {
	for (struct begun *b = begun; b < begun + 64; b++)
		if (b->used && b->op == op) {
			end(b);
			return;
		}
	exit(5);
}

static void told(const char *what, int op, MPI_Offset n) { fprintf(out, "%s %d %lld\n", what, op, (long long)n); }

static void perform(const char *verb, FILE *in) {
	MPI_Offset n;
	if (!strcmp(verb, "program")) {
		current = number();
		fprintf(out, "program %d\n", current);
		fflush(out);
		be_patient();
		snprintf(path, sizeof path, "%s", strtok(NULL, " \n"));
		open_file();
	} else if (!strcmp(verb, "access")) {
		access_file();
	} else if (!strcmp(verb, "complete")) {
		complete(number());
	} else if (!strcmp(verb, "view")) {
		view(in);
	} else if (!strcmp(verb, "sync")) {
		MUST(File_sync(f));
	} else if (!strcmp(verb, "barrier")) {
		MUST(Barrier(MPI_COMM_WORLD));
	} else if (!strcmp(verb, "size")) {
		int op = number();
		MUST(File_get_size(f, &n));
		told("size", op, n);
	} else if (!strcmp(verb, "seek")) {
		const int whence[] = {MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END};
		int op = number();
		n = number();
		MUST(File_seek(f, n, whence[number()]));
		MUST(File_get_position(f, &n));
		told("pos", op, n);
	} else if (!strcmp(verb, "seek_shared")) {
		MUST(File_seek_shared(f, number(), MPI_SEEK_SET));
	} else if (!strcmp(verb, "set_size")) {
		MUST(File_set_size(f, number()));
	} else if (!strcmp(verb, "preallocate")) {
		MUST(File_preallocate(f, number()));
	} else if (!strcmp(verb, "atomic")) {
		MUST(File_set_atomicity(f, number()));
	} else if (!strcmp(verb, "open")) {
		open_file();
	} else if (!strcmp(verb, "close")) {
		MUST(File_close(&f));
		forget();
	} else {
		exit(4);
	}
}

/* player SCRIPT TOLD: the rank is added to both names. */
int main(int argc, char **argv) {
	char name[4096], *line = NULL;
	size_t room = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &self);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	snprintf(name, sizeof name, "%s.%d", argv[1], self);
	FILE *in = fopen(name, "r");
	snprintf(name, sizeof name, "%s.%d", argv[2], self);
	out = fopen(name, "w");
	if (!in || !out)
		exit(4);
	while (getline(&line, &room, in) > 0) {
		char *verb = strtok(line, " \n");
		if (verb)
			perform(verb, in);
	}
	fclose(out);
	MPI_Finalize();
	return 0;
}
