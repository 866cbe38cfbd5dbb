/* The wrappers of functions whose recording needs more than their arguments. */

#define HERE __builtin_return_address(0), __builtin_frame_address(0)

int MPI_Init(int *argc, char ***argv)
{
	int rc = R_Init(argc, argv);
	if (rc == MPI_SUCCESS && !depth)
		begin(MPI_THREAD_SINGLE);
	return rc;
}
TWIN(Init)

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	int level, rc = R_Init_thread(argc, argv, required, &level);
	if (provided)
		*provided = level;
	if (rc == MPI_SUCCESS && !depth)
		begin(level);
	return rc;
}
TWIN(Init_thread)

int MPI_Finalize(void)
{
	struct rec_call k;
	if (!rec_begin(&k, FN_Finalize, HERE))
		return R_Finalize();
	rec_pending(&k);
	int rc = R_Finalize();
	rec_after();
	k.a[0] = rc != MPI_SUCCESS;
	rec_end(&k);
	finish();
	if (world_rank == 0) /* all other ranks have made their calls */
		write_lines();
	rec_done();
	return rc;
}
TWIN(Finalize)

int MPI_Type_free(MPI_Datatype *t)
{
	if (!depth && t) /* another type may get the handle */
		for (int i = 0; i < 256; i++)
			if (types[i].key == KEY(*t))
				types[i].hash.a = 0;
	return R_Type_free(t);
}
TWIN(Type_free)

/* A call that did not find what it asked for is not recorded: it orders nothing. */
static void forget(struct rec_call *k)
{
	(void)k;
	if (recording)
		window[at] = END;
	pending = 0;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	struct rec_call k;
	struct set s;
	MPI_Status own;
	if (!rec_begin(&k, FN_Wait, HERE))
		return R_Wait(request, status);
	k.a[0] = rec_request(request);
	rec_set(&s, 1, request);
	rec_pending(&k);
	if (status == MPI_STATUS_IGNORE && s.wild)
		status = &own;
	int rc = R_Wait(request, status);
	rec_after();
	k.a[1] = rec_completed(&s, NULL, s.n, status);
	k.a[2] = rc != MPI_SUCCESS;
	rec_end(&k);
	rec_done();
	return rc;
}
TWIN(Wait)

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	struct rec_call k;
	struct set s;
	MPI_Status own;
	if (!rec_begin(&k, FN_Wait, HERE))
		return R_Test(request, flag, status);
	k.a[0] = rec_request(request);
	rec_set(&s, 1, request);
	rec_pending(&k);
	if (status == MPI_STATUS_IGNORE && s.wild)
		status = &own;
	int rc = R_Test(request, flag, status);
	rec_after();
	if (rc == MPI_SUCCESS && !*flag) {
		forget(&k);
	} else {
		k.a[1] = rec_completed(&s, NULL, s.n, status);
		k.a[2] = rc != MPI_SUCCESS;
		rec_end(&k);
	}
	rec_done();
	return rc;
}
TWIN(Test)

/* all ends a call that has completed all requests of a set. A request that is still there after an
   error is not complete. */
static void all(struct rec_call *k, struct set *s, MPI_Request *q, MPI_Status *st, int rc)
{
	if (rc != MPI_SUCCESS && rc != MPI_ERR_IN_STATUS)
		for (int i = 0; i < s->n; i++)
			if (q[i] != MPI_REQUEST_NULL)
				s->e[i] = NULL;
	k->a[1] = rec_completed(s, NULL, s->n, st);
	k->a[2] = rc != MPI_SUCCESS;
	rec_end(k);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status *statuses)
{
	struct rec_call k;
	struct set s;
	if (!rec_begin(&k, FN_Waitall, HERE))
		return R_Waitall(count, requests, statuses);
	k.a[0] = rec_set(&s, count, requests);
	rec_pending(&k);
	MPI_Status *st = statuses_for(&s, statuses);
	int rc = R_Waitall(count, requests, st);
	rec_after();
	all(&k, &s, requests, st, rc);
	if (st != statuses)
		free(st);
	free_set(&s);
	rec_done();
	return rc;
}
TWIN(Waitall)

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status *statuses)
{
	struct rec_call k;
	struct set s;
	if (!rec_begin(&k, FN_Waitall, HERE))
		return R_Testall(count, requests, flag, statuses);
	k.a[0] = rec_set(&s, count, requests);
	rec_pending(&k);
	MPI_Status *st = statuses_for(&s, statuses);
	int rc = R_Testall(count, requests, flag, st);
	rec_after();
	if (rc == MPI_SUCCESS && !*flag)
		forget(&k);
	else
		all(&k, &s, requests, st, rc);
	if (st != statuses)
		free(st);
	free_set(&s);
	rec_done();
	return rc;
}
TWIN(Testall)

/* any ends a call that has completed one request of a set. */
static void any(struct rec_call *k, struct set *s, int index, MPI_Status *st, int rc)
{
	int which = index;
	k->a[1] = index == MPI_UNDEFINED ? -1 : index;
	k->a[2] = index == MPI_UNDEFINED || index < 0 || index >= s->n ? -1 : rec_completed(s, &which, 1, st);
	k->a[3] = rc != MPI_SUCCESS;
	rec_end(k);
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
	struct rec_call k;
	struct set s;
	MPI_Status own;
	if (!rec_begin(&k, FN_Waitany, HERE))
		return R_Waitany(count, requests, index, status);
	k.a[0] = rec_set(&s, count, requests);
	rec_pending(&k);
	if (status == MPI_STATUS_IGNORE && s.wild)
		status = &own;
	int rc = R_Waitany(count, requests, index, status);
	rec_after();
	any(&k, &s, *index, status, rc);
	free_set(&s);
	rec_done();
	return rc;
}
TWIN(Waitany)

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
	struct rec_call k;
	struct set s;
	MPI_Status own;
	if (!rec_begin(&k, FN_Waitany, HERE))
		return R_Testany(count, requests, index, flag, status);
	k.a[0] = rec_set(&s, count, requests);
	rec_pending(&k);
	if (status == MPI_STATUS_IGNORE && s.wild)
		status = &own;
	int rc = R_Testany(count, requests, index, flag, status);
	rec_after();
	if (rc == MPI_SUCCESS && !*flag)
		forget(&k);
	else
		any(&k, &s, *index, status, rc);
	free_set(&s);
	rec_done();
	return rc;
}
TWIN(Testany)

/* some ends a call that has completed some requests of a set. */
static void some(struct rec_call *k, struct set *s, int count, const int *indices, MPI_Status *st, int rc)
{
	k->a[1] = count == MPI_UNDEFINED ? -1 : rec_ints(indices, count);
	k->a[2] = count == MPI_UNDEFINED ? -1 : rec_completed(s, indices, count, st);
	k->a[3] = rc != MPI_SUCCESS;
	rec_end(k);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status *statuses)
{
	struct rec_call k;
	struct set s;
	if (!rec_begin(&k, FN_Waitsome, HERE))
		return R_Waitsome(count, requests, done, indices, statuses);
	k.a[0] = rec_set(&s, count, requests);
	rec_pending(&k);
	MPI_Status *st = statuses_for(&s, statuses);
	int rc = R_Waitsome(count, requests, done, indices, st);
	rec_after();
	some(&k, &s, *done, indices, st, rc);
	if (st != statuses)
		free(st);
	free_set(&s);
	rec_done();
	return rc;
}
TWIN(Waitsome)

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status *statuses)
{
	struct rec_call k;
	struct set s;
	if (!rec_begin(&k, FN_Waitsome, HERE))
		return R_Testsome(count, requests, done, indices, statuses);
	k.a[0] = rec_set(&s, count, requests);
	rec_pending(&k);
	MPI_Status *st = statuses_for(&s, statuses);
	int rc = R_Testsome(count, requests, done, indices, st);
	rec_after();
	if (rc == MPI_SUCCESS && *done == 0)
		forget(&k);
	else
		some(&k, &s, *done, indices, st, rc);
	if (st != statuses)
		free(st);
	free_set(&s);
	rec_done();
	return rc;
}
TWIN(Testsome)

int MPI_Startall(int count, MPI_Request requests[])
{
	struct rec_call k;
	struct set s;
	if (!rec_begin(&k, FN_Startall, HERE))
		return R_Startall(count, requests);
	k.a[0] = rec_set(&s, count, requests);
	rec_pending(&k);
	int rc = R_Startall(count, requests);
	rec_after();
	k.a[1] = rc != MPI_SUCCESS;
	rec_end(&k);
	free_set(&s);
	rec_done();
	return rc;
}
TWIN(Startall)

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	struct rec_call k;
	MPI_Status own;
	if (!rec_begin(&k, FN_Iprobe, HERE))
		return R_Iprobe(source, tag, comm, flag, status);
	k.a[0] = rec_rank(source);
	k.a[1] = rec_tag(tag);
	k.a[2] = rec_comm(comm);
	rec_pending(&k);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	int rc = R_Iprobe(source, tag, comm, flag, status);
	rec_after();
	if (rc == MPI_SUCCESS && !*flag) {
		forget(&k);
	} else {
		k.a[3] = rc == MPI_SUCCESS ? rec_rank(status->MPI_SOURCE) : -1;
		k.a[4] = rc == MPI_SUCCESS ? rec_tag(status->MPI_TAG) : -1;
		k.a[5] = rc != MPI_SUCCESS;
		rec_end(&k);
	}
	rec_done();
	return rc;
}
TWIN(Iprobe)

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
	struct rec_call k;
	MPI_Status own;
	if (!rec_begin(&k, FN_Improbe, HERE))
		return R_Improbe(source, tag, comm, flag, message, status);
	k.a[0] = rec_rank(source);
	k.a[1] = rec_tag(tag);
	k.a[2] = rec_comm(comm);
	rec_pending(&k);
	if (status == MPI_STATUS_IGNORE)
		status = &own;
	int rc = R_Improbe(source, tag, comm, flag, message, status);
	rec_after();
	if (rc == MPI_SUCCESS && !*flag) {
		forget(&k);
	} else {
		k.a[3] = rec_new_message(message, rc);
		k.a[4] = rc == MPI_SUCCESS ? rec_rank(status->MPI_SOURCE) : -1;
		k.a[5] = rc == MPI_SUCCESS ? rec_tag(status->MPI_TAG) : -1;
		k.a[6] = rc != MPI_SUCCESS;
		rec_end(&k);
	}
	rec_done();
	return rc;
}
TWIN(Improbe)
