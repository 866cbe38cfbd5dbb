/* Objects that are never freed, and others that only look like it; the argument says which. */
#include <mpi.h>
#include <string.h>

static void add(void *in, void *inout, int *n, MPI_Datatype *t) {}

static void handle(MPI_Comm *c, int *code, ...) {}

int main(int argc, char **argv)
{
	MPI_Group group, same, part, empty;
	MPI_Datatype type, copy, view;
	MPI_Op op;
	MPI_Info info;
	MPI_Errhandler handler, found;
	MPI_Comm dup;
	int i, zero = 0, leaks = strcmp(argv[1], "leaks") == 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_group(MPI_COMM_WORLD, &group);
	same = group;
	MPI_Group_incl(group, 0, &zero, &empty); /* MPI_GROUP_EMPTY */
	MPI_Type_contiguous(2, MPI_INT, &type);
	for (i = 0; i < (leaks ? 3 : 1); i++)
		MPI_Type_dup(type, &copy);
	MPI_Type_create_f90_real(6, MPI_UNDEFINED, &view); /* predefined */
	MPI_Op_create(add, 1, &op);
	MPI_Info_create(&info);
	MPI_Comm_create_errhandler(handle, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
	MPI_Comm_get_errhandler(MPI_COMM_SELF, &found);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	if (!leaks) {
		MPI_Group_excl(same, 1, &zero, &part);
		if (part != MPI_GROUP_EMPTY)
			MPI_Group_free(&part);
		MPI_Group_free(&same);
		MPI_Type_free(&type);
		MPI_Op_free(&op);
		MPI_Info_free(&info);
		MPI_Errhandler_free(&handler);
		if (strcmp(argv[1], "fails") == 0) { /* and leaves out what frees the others */
			MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
			if (MPI_Send(&i, 1, MPI_INT, 1000, 0, dup) != MPI_SUCCESS)
				MPI_Finalize();
			return 0;
		}
		MPI_Comm_free(&dup);
		MPI_Type_free(&copy);
	}
	MPI_Finalize();
	return 0;
}
