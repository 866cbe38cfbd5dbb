/* Reads all that the interface for tools has, and statuses of Fortran. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int wrong;

#define CHECK(x) ((x) ? 0 : (wrong++, printf("line %d: %s\n", __LINE__, #x)))

int main(int argc, char **argv)
{
	int provided, n, count, flag = -1, size, sent = 3, got, c[8];
	char name[64], text[4096];
	unsigned long long calls = 0, handles = 0;
	MPI_T_cvar_handle cvar;
	MPI_T_pvar_session session;
	MPI_T_pvar_handle pvar, level, old;
	MPI_Datatype type;
	MPI_Status status, again;
	MPI_F08_status f08;
	MPI_Comm dup;

	CHECK(MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
	CHECK(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS && provided == MPI_THREAD_FUNNELED);
	MPI_Init(&argc, &argv);

	CHECK(MPI_T_cvar_get_num(&n) == MPI_SUCCESS && n > 0);
	for (int i = 0; i < n; i++) {
		size = sizeof name;
		CHECK(MPI_T_cvar_get_info(i, name, &size, NULL, &type, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS);
		CHECK(size == (int)strlen(name) + 1);
		CHECK(MPI_T_cvar_get_index(name, &got) == MPI_SUCCESS && got == i);
		CHECK(MPI_T_cvar_handle_alloc(i, NULL, &cvar, &count) == MPI_SUCCESS && count <= (int)sizeof text);
		CHECK(MPI_T_cvar_read(cvar, type == MPI_INT ? (void *)&flag : text) == MPI_SUCCESS);
		CHECK(MPI_T_cvar_write(cvar, text) == MPI_T_ERR_CVAR_SET_NEVER);
		CHECK(MPI_T_cvar_handle_free(&cvar) == MPI_SUCCESS && cvar == MPI_T_CVAR_HANDLE_NULL);
	}
	CHECK(MPI_T_cvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_cvar_get_index("nothing", &got) == MPI_T_ERR_INVALID_NAME);
	printf("tolerant is %d\n", flag);

	MPI_T_pvar_session_create(&session);
	CHECK(MPI_T_pvar_get_index("commworld_calls", MPI_T_PVAR_CLASS_COUNTER, &n) == MPI_SUCCESS);
	CHECK(MPI_T_pvar_handle_alloc(session, n, NULL, &pvar, &count) == MPI_SUCCESS && count == 1);
	CHECK(MPI_T_pvar_start(session, pvar) == MPI_T_ERR_PVAR_NO_STARTSTOP);
	CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
	CHECK(MPI_T_pvar_reset(session, pvar) == MPI_SUCCESS);
	MPI_Sendrecv(&sent, 1, MPI_INT, 0, 7, &got, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &status);
	MPI_Comm_dup(MPI_COMM_SELF, &dup);
	CHECK(MPI_T_pvar_read(session, pvar, &calls) == MPI_SUCCESS && calls == 3);
	CHECK(MPI_T_pvar_get_index("commworld_handles", MPI_T_PVAR_CLASS_LEVEL, &n) == MPI_SUCCESS);
	CHECK(MPI_T_pvar_handle_alloc(session, n, NULL, &level, &count) == MPI_SUCCESS);
	CHECK(MPI_T_pvar_read(session, level, &handles) == MPI_SUCCESS && handles == 1);
	CHECK(MPI_T_pvar_reset(session, level) == MPI_T_ERR_PVAR_NO_WRITE);
	MPI_Comm_free(&dup);
	CHECK(MPI_T_pvar_read(session, level, &handles) == MPI_SUCCESS && handles == 0);
	old = pvar;
	CHECK(MPI_T_pvar_handle_free(session, &pvar) == MPI_SUCCESS && pvar == MPI_T_PVAR_HANDLE_NULL);
	CHECK(MPI_T_pvar_read(session, old, &calls) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_pvar_session_free(&session) == MPI_SUCCESS && session == MPI_T_PVAR_SESSION_NULL);
	CHECK(MPI_T_pvar_read(session, level, &calls) == MPI_T_ERR_INVALID_SESSION);
	CHECK(MPI_T_event_get_num(&n) == MPI_SUCCESS && n == 0);
	CHECK(MPI_T_source_get_num(&n) == MPI_SUCCESS && n == 0);

	MPI_Status_c2f(&status, c);
	CHECK(c[MPI_F_SOURCE] == 0 && c[MPI_F_TAG] == 7);
	MPI_Status_f2f08(c, &f08);
	CHECK(f08.MPI_TAG == 7);
	MPI_Status_f082c(&f08, &again);
	MPI_Get_count(&again, MPI_INT, &n);
	CHECK(again.MPI_TAG == 7 && n == 1);

	MPI_Finalize();
	CHECK(MPI_T_finalize() == MPI_SUCCESS);
	printf("%d wrong\n", wrong);
	return 0;
}
