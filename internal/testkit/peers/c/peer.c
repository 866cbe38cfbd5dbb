/* One rank of an MPI library, asked about datatypes line by line. The
   questions and answers are described in ../doc.go. */

/* A build whose line stands in a file. */
static int load(const char *name) {
	static char *line;
	static size_t room;
	FILE *f = name ? fopen(name, "r") : NULL;
	ssize_t n = f ? getline(&line, &room, f) : 0;
	if (f)
		fclose(f);
	if (n <= 0 || !strtok(line, " \n"))
		return MPI_ERR_ARG;
	return build();
}

/* Memory of bytes lo..hi around a buffer's origin, and room to pack it. */
static struct { char *mem, *origin, *packed; long lo, hi, room; int count; } w;

static void fill(void) {
	for (long d = w.lo; d < w.hi; d++)
		w.origin[d] = (char)(((uint32_t)d * 2654435761u) >> 24);
}

static int window(void) {
	int rc, n = 0;
	w.count = number(), w.lo = number(), w.hi = number();
	if ((rc = MPI_Pack_size(w.count, type, MPI_COMM_SELF, &n)))
		return rc;
	free(w.mem);
	free(w.packed);
	w.room = n;
	if (posix_memalign((void **)&w.mem, 4096, w.hi - w.lo + 1) || posix_memalign((void **)&w.packed, 4096, n + 1))
		exit(3);
	w.origin = w.mem - w.lo;
	memset(w.packed, 1, n + 1);
	fill();
	return 0;
}

static uint64_t hash(const char *p, long n) {
	uint64_t h = 14695981039346656037u;
	for (long k = 0; k < n; k++)
		h = (h ^ (unsigned char)p[k]) * 1099511628211u;
	return h;
}

static int inside(MPI_Aint extent, MPI_Aint true_lb, MPI_Aint true_extent) {
	MPI_Aint far = (w.count - 1) * extent, lo = true_lb + (far < 0 ? far : 0), hi = true_lb + true_extent + (far > 0 ? far : 0);
	return lo >= w.lo && hi <= w.hi;
}

/* Bounds, and hashes of the packed bytes and of the memory that they unpack to. */
static int describe(void) {
	int size, rc, pos = 0, back = 0;
	MPI_Aint lb, extent, true_lb, true_extent;
	if ((rc = window()) || (rc = MPI_Type_size(type, &size)) || (rc = MPI_Type_get_extent(type, &lb, &extent)) ||
	    (rc = MPI_Type_get_true_extent(type, &true_lb, &true_extent)))
		return rc;
	printf("%d %ld %ld %ld %ld ", size, (long)lb, (long)extent, (long)true_lb, (long)true_extent);
	if (size && !inside(extent, true_lb, true_extent)) {
		printf("outside\n");
		return 0;
	}
	if ((rc = MPI_Pack(w.origin, w.count, type, w.packed, w.room, &pos, MPI_COMM_SELF)))
		return rc;
	memset(w.mem, 0, w.hi - w.lo);
	if ((rc = MPI_Unpack(w.packed, pos, &back, w.origin, w.count, type, MPI_COMM_SELF)))
		return rc;
	printf("%d %llx %llx\n", pos, (unsigned long long)hash(w.packed, pos), (unsigned long long)hash(w.mem, w.hi - w.lo));
	return 0;
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* Packs or unpacks n times after one time that does not count. */
static void measure(int packs) {
	long n = number();
	double start = 0;
	int pos = 0, end = 0;
	MPI_Pack(w.origin, w.count, type, w.packed, w.room, &end, MPI_COMM_SELF);
	for (long k = -1; k < n; k++) {
		if (k == 0)
			start = now();
		pos = 0;
		if (packs)
			MPI_Pack(w.origin, w.count, type, w.packed, w.room, &pos, MPI_COMM_SELF);
		else
			MPI_Unpack(w.packed, end, &pos, w.origin, w.count, type, MPI_COMM_SELF);
	}
	printf("%.9f\n", now() - start);
}

/* Packs the window in external32, for as many bytes as that takes; the hash of
   the bytes. */
static int external(MPI_Aint *end) {
	MPI_Aint need = 0;
	int rc = MPI_Pack_external_size("external32", w.count, type, &need);
	*end = 0;
	if (rc)
		return rc;
	if (need > w.room) {
		free(w.packed);
		if (posix_memalign((void **)&w.packed, 4096, need + 1))
			exit(3);
		w.room = need;
	}
	return MPI_Pack_external("external32", w.origin, w.count, type, w.packed, w.room, end);
}

static int external_bytes(void) {
	MPI_Aint end;
	int rc = external(&end);
	if (!rc)
		printf("%ld %llx\n", (long)end, (unsigned long long)hash(w.packed, end));
	return rc;
}

static int measure_external(int packs) {
	long n = number();
	double start = 0;
	MPI_Aint pos = 0, end = 0;
	int rc = external(&end);
	for (long k = -1; k < n && !rc; k++) {
		if (k == 0)
			start = now();
		pos = 0;
		if (packs)
			rc = MPI_Pack_external("external32", w.origin, w.count, type, w.packed, w.room, &pos);
		else
			rc = MPI_Unpack_external("external32", w.packed, end, &pos, w.origin, w.count, type);
	}
	if (!rc)
		printf("%.9f\n", now() - start);
	return rc;
}

/* Writes or reads a whole number of etypes through a view whose filetype is the
   type at hand, from or to memory in which they follow each other. */
static int transfer(int writes) {
	char *path = strtok(NULL, " \n"), *rep = strtok(NULL, " \n"), *name = strtok(NULL, " \n");
	long n = number();
	MPI_Datatype etype = name && strcmp(name, "self") ? predefined(name) : type;
	MPI_Aint lb, extent;
	MPI_File f;
	MPI_Status st;
	int rc, end, got = 0;
	if ((rc = MPI_Type_get_extent(etype, &lb, &extent)) ||
	    (rc = MPI_File_open(MPI_COMM_SELF, path, writes ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY, MPI_INFO_NULL, &f)))
		return rc;
	char *mem = need(n * extent);
	for (long d = 0; d < n * extent; d++)
		mem[d] = writes ? (char)(((uint32_t)d * 2654435761u) >> 24) : 0;
	if (!(rc = MPI_File_set_view(f, 0, etype, type, rep, MPI_INFO_NULL)))
		rc = writes ? MPI_File_write(f, mem, n, etype, &st) : MPI_File_read(f, mem, n, etype, &st);
	if (!rc)
		rc = MPI_Get_count(&st, etype, &got);
	end = MPI_File_close(&f);
	if (!rc && !(rc = end))
		printf("%d %llx\n", got, (unsigned long long)hash(mem, n * extent));
	free(mem);
	return rc;
}

/* Answers with the name of what a call returned, since libraries number classes
   their own way. */
static void result(int rc) {
	int class = 0;
	if (rc)
		MPI_Error_class(rc, &class);
	printf("%s\n", !rc ? "accepted" : class == MPI_ERR_DUP_DATAREP ? "DUP_DATAREP" : class == MPI_ERR_CONVERSION ? "CONVERSION" :
	       class == MPI_ERR_UNSUPPORTED_DATAREP ? "UNSUPPORTED_DATAREP" : class == MPI_ERR_OTHER ? "OTHER" : "another class");
}

static int converted(void *user, MPI_Datatype t, int n, void *file, MPI_Offset at, void *state) {
	(void)user, (void)t, (void)n, (void)file, (void)at, (void)state;
	return MPI_SUCCESS;
}

static int extended(MPI_Datatype t, MPI_Aint *extent, void *state) {
	MPI_Aint lb;
	(void)state;
	return MPI_Type_get_extent(t, &lb, extent);
}

/* Registers a representation with or without conversion functions. */
static int datarep(void) {
	char *name = strtok(NULL, " \n"), *how = strtok(NULL, " \n");
	if (!name || !how)
		return MPI_ERR_ARG;
	MPI_Datarep_conversion_function *f = strcmp(how, "plain") ? converted : MPI_CONVERSION_FN_NULL;
	result(MPI_Register_datarep(name, f, f, extended, NULL));
	return 0;
}

/* Sets a view of bytes in a representation; answers what the file calls it, or
   why not. Then writes the type at hand through it, once. */
static int byte_view(void) {
	char *path = strtok(NULL, " \n"), *rep = strtok(NULL, " \n"), name[MPI_MAX_DATAREP_STRING] = "";
	char mem[64];
	MPI_Offset disp;
	MPI_Datatype etype, filetype;
	MPI_File f;
	MPI_Status st;
	int end, rc = path && rep ? MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f) : MPI_ERR_ARG;
	if (rc)
		return rc;
	for (int d = 0; d < (int)sizeof mem; d++)
		mem[d] = (char)d;
	if ((rc = MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, rep, MPI_INFO_NULL))) {
		result(rc);
		rc = 0;
	} else if (!(rc = MPI_File_get_view(f, &disp, &etype, &filetype, name)) && !(rc = MPI_File_write(f, mem, 1, type, &st))) {
		printf("%s\n", name);
	}
	end = MPI_File_close(&f);
	return rc ? rc : end;
}

/* The extent of the type at hand in a file of a representation. */
static int file_extent(void) {
	char *path = strtok(NULL, " \n"), *rep = strtok(NULL, " \n");
	MPI_Aint extent = 0;
	MPI_File f;
	int end, rc = MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	if (rc)
		return rc;
	if (!(rc = MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, rep, MPI_INFO_NULL)))
		rc = MPI_File_get_type_extent(f, type, &extent);
	end = MPI_File_close(&f);
	if (!rc && !(rc = end))
		printf("%ld\n", (long)extent);
	return rc;
}

static int answer(const char *verb) {
	int rc = 0, n;
	if (!strcmp(verb, "build") || !strcmp(verb, "load") || !strcmp(verb, "window")) {
		if (!(rc = *verb == 'b' ? build() : *verb == 'l' ? load(strtok(NULL, " \n")) : window()))
			printf("ok\n");
	} else if (!strcmp(verb, "describe")) {
		rc = describe();
	} else if (!strcmp(verb, "pack") || !strcmp(verb, "unpack")) {
		measure(*verb == 'p');
	} else if (!strcmp(verb, "packx") || !strcmp(verb, "unpackx")) {
		rc = measure_external(*verb == 'p');
	} else if (!strcmp(verb, "external")) {
		rc = external_bytes();
	} else if (!strcmp(verb, "store") || !strcmp(verb, "fetch")) {
		rc = transfer(*verb == 's');
	} else if (!strcmp(verb, "datarep")) {
		rc = datarep();
	} else if (!strcmp(verb, "byteview")) {
		rc = byte_view();
	} else if (!strcmp(verb, "extent")) {
		rc = file_extent();
	} else if (!strcmp(verb, "version")) {
		char text[MPI_MAX_LIBRARY_VERSION_STRING];
		MPI_Get_library_version(text, &n);
		printf("%.*s\n", (int)strcspn(text, "\n"), text);
	} else {
		rc = MPI_ERR_ARG;
	}
	return rc;
}

int main(int argc, char **argv) {
	char *line = NULL;
	size_t room = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	while (getline(&line, &room, stdin) > 0) {
		char *verb = strtok(line, " \n");
		int class = 0, rc = verb ? answer(verb) : MPI_ERR_ARG;
		if (rc) {
			MPI_Error_class(rc, &class);
			printf("error %d\n", class);
		}
		fflush(stdout);
	}
	drop(&type, 1);
	MPI_Finalize();
	return 0;
}
