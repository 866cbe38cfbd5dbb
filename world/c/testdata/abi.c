#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

/* The version, the layout of statuses, and the default block size of a distribution. */
int main(int argc, char **argv)
{
	int version, subversion, abi, sub, size, rank = 1, kinds[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
	int procs = 2, n = 7, dflt = MPI_DISTRIBUTE_DFLT_DARG, ints[8], ni, na, nd, combiner;
	MPI_Datatype t, base;

	MPI_Init(&argc, &argv);
	MPI_Get_version(&version, &subversion);
	MPI_Abi_get_version(&abi, &sub);
	printf("%d.%d, ABI %d.%d\n", version, subversion, abi, sub);
	printf("%d bytes: %d %d %d\n", (int)sizeof(MPI_Status), (int)offsetof(MPI_Status, MPI_SOURCE), (int)offsetof(MPI_Status, MPI_TAG), (int)offsetof(MPI_Status, MPI_ERROR));
	for (int i = 0; i < 2; i++) {
		MPI_Type_create_darray(2, rank, 1, &n, &kinds[i], &dflt, &procs, MPI_ORDER_C, MPI_BYTE, &t);
		MPI_Type_size(t, &size);
		MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner);
		MPI_Type_get_contents(t, 8, 0, 1, ints, NULL, &base);
		if (size != 3 || ni != 8 || ints[5] != MPI_DISTRIBUTE_DFLT_DARG)
			printf("size %d, %d integers, %d\n", size, ni, ints[5]);
		MPI_Type_free(&t);
	}
	MPI_Finalize();
	return 0;
}
