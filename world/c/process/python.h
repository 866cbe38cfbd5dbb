/*
 * Lines of Python: where the interpreter is when it calls MPI through an extension module. The
 * functions of the interpreter are found at run time; without one of them there are no lines.
 */
struct places {
	int used;
	char text[BOX_TEXT];
};

enum { PYTHON_LINES = 4 };

static struct {
	int (*initialized)(void);
	int (*finalizing)(void);
	void *(*this_thread)(void);
	int (*holds)(void);
	int (*ensure)(void);
	void (*release)(int);
	void *(*save)(void);
	void (*restore)(void *);
	void *(*frame)(void);
	void *(*back)(void *);
	void *(*code)(void *);
	int (*line)(void *);
	void *(*attribute)(void *, const char *);
	const char *(*utf8)(void *, ssize_t *);
	void (*decrement)(void *);
	void (*fetch)(void **, void **, void **);
	void (*put_back)(void *, void *, void *);
} python;

static int python_here; /* 1: there is an interpreter with all functions, -1: there is not */

#define FIND(field, name) ((python.field = (__typeof__(python.field))dlsym(RTLD_DEFAULT, name)) != NULL)

static void find_python(void)
{
	if (!FIND(initialized, "Py_IsInitialized"))
		return; /* it may be loaded later */
	FIND(finalizing, "Py_IsFinalizing") || FIND(finalizing, "_Py_IsFinalizing");
	python_here = FIND(this_thread, "PyGILState_GetThisThreadState") && FIND(holds, "PyGILState_Check") && FIND(ensure, "PyGILState_Ensure") &&
	              FIND(release, "PyGILState_Release") && FIND(save, "PyEval_SaveThread") && FIND(restore, "PyEval_RestoreThread") &&
	              FIND(frame, "PyEval_GetFrame") && FIND(back, "PyFrame_GetBack") && FIND(code, "PyFrame_GetCode") && FIND(line, "PyFrame_GetLineNumber") &&
	              FIND(attribute, "PyObject_GetAttrString") && FIND(utf8, "PyUnicode_AsUTF8AndSize") && FIND(decrement, "Py_DecRef") &&
	              FIND(fetch, "PyErr_Fetch") && FIND(put_back, "PyErr_Restore") ? 1 : -1;
}

/* Reports whether this thread may ask the interpreter. */
static int python_runs(void)
{
	if (python_here == 0)
		find_python();
	return python_here > 0 && python.initialized() && (python.finalizing == NULL || !python.finalizing()) && python.this_thread() != NULL;
}

/* Adds an attribute of code that is a string, and the zero that ends it. */
static int add_text(struct places *p, void *code, const char *name)
{
	void *value = python.attribute(code, name);
	ssize_t n = 0;
	const char *text = value == NULL ? NULL : python.utf8(value, &n);
	const int fits = text != NULL && n + 1 <= BOX_TEXT - p->used;
	if (fits) {
		memcpy(p->text + p->used, text, n + 1);
		p->used += n + 1;
	}
	if (value != NULL)
		python.decrement(value);
	return fits;
}

static void python_places(struct places *p)
{
	p->used = 0;
	if (!python_runs())
		return;
	void *type, *value, *trace, *frame;
	const int state = python.ensure();
	python.fetch(&type, &value, &trace);
	frame = python.frame(); /* borrowed */
	for (int i = 0; i < PYTHON_LINES && frame != NULL; i++) {
		const int start = p->used, line = python.line(frame);
		void *code = python.code(frame), *next = python.back(frame);
		const int complete = add_text(p, code, "co_filename") && add_text(p, code, "co_name") && BOX_TEXT - p->used > 16;
		if (complete)
			p->used += snprintf(p->text + p->used, 16, "%d", line) + 1;
		else
			p->used = start;
		python.decrement(code);
		if (i > 0)
			python.decrement(frame);
		frame = next;
		if (!complete || i + 1 == PYTHON_LINES) {
			if (frame != NULL)
				python.decrement(frame);
			frame = NULL;
		}
	}
	python.put_back(type, value, trace);
	python.release(state);
}

/* Lets other threads of the interpreter run while this one waits for one of them. */
static void *python_release(void) { return python_runs() && python.holds() ? python.save() : NULL; }

static void python_restore(void *thread)
{
	if (thread != NULL)
		python.restore(thread);
}
