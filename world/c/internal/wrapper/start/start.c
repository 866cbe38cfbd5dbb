/*
 * Makes a program runnable by its name: control begins here, and goes to
 *
 *	/usr/bin/env commworldrun PROGRAM ARGUMENTS...
 *
 * The kernel starts this as it is, with no loader: nothing of it may need a relocation or a
 * library.
 */
#include <sys/syscall.h>

static inline long call(long number, long a, long b, long c)
{
#ifdef __x86_64__
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return result;
#else
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
#endif
}

enum { END = 0, NAME_OF_PROGRAM = 31 }; /* of the auxiliary vector */

__attribute__((visibility("hidden"), used, noreturn)) void commworld_begin(long *stack)
{
	static const char failed[] = "there is no /usr/bin/env: run the program by commworldrun\n";
	long argc = stack[0];
	char **argv = (char **)(stack + 1), **environment = argv + argc + 1, **e = environment;
	volatile char *line[argc + 4];

	while (*e)
		e++;
	line[0] = "env";
	line[1] = "commworldrun";
	line[2] = argv[0];
	for (long *v = (long *)(e + 1); v[0] != END; v += 2)
		if (v[0] == NAME_OF_PROGRAM)
			line[2] = (char *)v[1];
	for (long i = 1; i <= argc; i++)
		line[2 + i] = argv[i]; /* the last one is NULL */
	call(SYS_execve, (long)"/usr/bin/env", (long)line, (long)environment);
	call(SYS_write, 2, (long)failed, sizeof failed - 1);
	for (;;)
		call(SYS_exit_group, 127, 0, 0);
}

#ifdef __x86_64__
__asm__(".globl commworld_start\n.hidden commworld_start\n.type commworld_start, @function\n"
	"commworld_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall commworld_begin\n");
#else
__asm__(".globl commworld_start\n.hidden commworld_start\n.type commworld_start, %function\n"
	"commworld_start:\n\tmov x29, 0\n\tmov x30, 0\n\tmov x0, sp\n\tbl commworld_begin\n");
#endif
