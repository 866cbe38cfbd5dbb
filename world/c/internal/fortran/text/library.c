/*
 * What the ranks' copies of libgfortran call in place of the C library: each rank has a copy
 * of its own, and with it units of its own.
 */

/* Lines of print and write go where those of printf go. */
ssize_t commworld_write(int fd, const void *text, size_t n)
{
	FILE *f = fd == 1 ? stdout : stderr;
	if (fd != 1 && fd != 2)
		return write(fd, text, n);
	return fwrite(text, 1, n, f) == n ? (ssize_t)n : -1;
}

/* Standard streams of C are flushed by C. */
FILE *commworld_stdin, *commworld_stdout, *commworld_stderr;
int commworld_fflush(FILE *f) { return f == NULL ? fflush(NULL) : 0; }

/* Units 0 and 6 keep no text, which would come out at the end of the rank. */
__attribute__((constructor(101))) static void unbuffered(void) { setenv("GFORTRAN_UNBUFFERED_PRECONNECTED", "y", 1); }

/* Asynchronous transfers are made at once: libgfortran takes no thread to mean that. */
int async_io;
void _gfortrani_init_async_unit(void *unit) { (void)unit; }
void _gfortrani_async_close(void *unit) { (void)unit; }
int _gfortrani_async_wait(void *call, void *unit) { return 0; }
int _gfortrani_async_wait_id(void *call, void *unit, int id) { return 0; }
int _gfortrani_collect_async_errors(void *call, void *unit) { return 0; }
void _gfortrani_enqueue_close(void *unit) { (void)unit; }
void _gfortrani_enqueue_data_transfer_init(void *unit, void *call, int read) {}
void _gfortrani_enqueue_done(void *unit, int type) {}
int _gfortrani_enqueue_done_id(void *unit, int type) { return 0; }
void _gfortrani_enqueue_transfer(void *unit, void *argument, int type) {}

/* What ends a program, with frames that lead to its line. */
void _gfortran_stop_numeric(int code, _Bool quiet)
{
	if (!quiet)
		fprintf(stderr, "STOP %d\n", code);
	exit(code);
}

void _gfortran_stop_string(const char *text, size_t n, _Bool quiet)
{
	if (!quiet && text != NULL)
		fprintf(stderr, "STOP %.*s\n", (int)n, text);
	exit(0);
}

void _gfortran_error_stop_numeric(int code, _Bool quiet)
{
	if (!quiet)
		fprintf(stderr, "ERROR STOP %d\n", code);
	exit(code);
}

void _gfortran_error_stop_string(const char *text, size_t n, _Bool quiet)
{
	if (!quiet)
		fprintf(stderr, "ERROR STOP %.*s\n", (int)n, text != NULL ? text : "");
	exit(1);
}

void _gfortran_exit_i4(int *status) { exit(status != NULL ? *status : 0); }
void _gfortran_exit_i8(long *status) { exit(status != NULL ? (int)*status : 0); }
void _gfortran_abort(void) { abort(); }

static void fail(const char *where, const char *kind, const char *message, va_list list)
{
	if (where != NULL)
		fprintf(stderr, "%s\n", where);
	fprintf(stderr, "%s: ", kind);
	vfprintf(stderr, message, list);
	fputc('\n', stderr);
}

#define FAIL(where, kind, status)                                                                                      \
	do {                                                                                                           \
		va_list list;                                                                                          \
		va_start(list, message);                                                                               \
		fail(where, kind, message, list);                                                                      \
		va_end(list);                                                                                          \
		exit(status);                                                                                          \
	} while (0)

void _gfortran_runtime_error(const char *message, ...) { FAIL(NULL, "Fortran runtime error", 2); }
void _gfortran_runtime_error_at(const char *where, const char *message, ...) { FAIL(where, "Fortran runtime error", 2); }
void _gfortran_os_error_at(const char *where, const char *message, ...) { FAIL(where, "Error", 1); }
