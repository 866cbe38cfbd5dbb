/* Runs a shared object of commworldcc as a process: commworld-host PROGRAM ARGUMENTS... */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "commworld-host PROGRAM ARGUMENTS...\n");
		return 2;
	}
	void *program = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
	if (program == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	int (*entry)(int, char **) = (int (*)(int, char **))dlsym(program, "main");
	if (entry == NULL) {
		fprintf(stderr, "%s has no main\n", argv[1]);
		return 2;
	}
	return entry(argc - 1, argv + 1);
}
