! use mpi: sections of arrays, user operations, error handlers, attributes, infos.
module shared
  integer :: counter = 0
contains
  subroutine largest(invec, inoutvec, len, datatype)
    use mpi
    integer :: len, datatype, i, size, ierr
    integer :: invec(len), inoutvec(len)
    call MPI_Type_size(datatype, size, ierr)
    if (size /= 4) print *, 'size in operation', size
    do i = 1, len
      inoutvec(i) = max(invec(i), inoutvec(i))
    end do
  end subroutine
  subroutine handler(comm, code)
    use mpi
    integer :: comm, code, rank, ierr
    call MPI_Comm_rank(comm, rank, ierr)
    counter = counter + 1
  end subroutine
  subroutine copy(comm, key, state, from, to, flag, ierr)
    use mpi
    integer :: comm, key, ierr
    integer(MPI_ADDRESS_KIND) :: state, from, to
    logical :: flag
    to = from + state
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine
  subroutine gone(comm, key, value, state, ierr)
    use mpi
    integer :: comm, key, ierr
    integer(MPI_ADDRESS_KIND) :: value, state
    counter = counter + int(value)
    ierr = MPI_SUCCESS
  end subroutine
  subroutine query(state, status, ierr)
    use mpi
    integer(MPI_ADDRESS_KIND) :: state
    integer :: status(MPI_STATUS_SIZE), ierr
    call MPI_Status_set_elements(status, MPI_BYTE, int(state), ierr)
    call MPI_Status_set_cancelled(status, .false., ierr)
    status(MPI_SOURCE) = MPI_UNDEFINED
    status(MPI_TAG) = MPI_UNDEFINED
  end subroutine
  subroutine release(state, ierr)
    use mpi
    integer(MPI_ADDRESS_KIND) :: state
    integer :: ierr
    state = -1
    ierr = MPI_SUCCESS
  end subroutine
  subroutine stop_it(state, complete, ierr)
    use mpi
    integer(MPI_ADDRESS_KIND) :: state
    logical :: complete
    integer :: ierr
    ierr = MPI_SUCCESS
  end subroutine
end module

program modules
  use, intrinsic :: iso_c_binding
  use mpi
  use shared
  implicit none
  integer :: ierr, rank, nproc, op, errh, comm, key, i, j, info, n, requests(2), word, type
  integer :: status(MPI_STATUS_SIZE)
  integer :: grid(6, 4), got(2, 4), mine(2), most(2)
  integer(MPI_ADDRESS_KIND) :: value, state
  logical :: flag
  type(c_ptr) :: memory
  integer, pointer :: allocated(:)
  character(len=20) :: text
  character(len=MPI_MAX_ERROR_STRING) :: message
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, ierr)
  grid = reshape([((100 * rank + 10 * j + i, i = 1, 6), j = 1, 4)], [6, 4])
  got = 0
  call MPI_Sendrecv(grid(2:4:2, :), 8, MPI_INTEGER, modulo(rank + 1, nproc), 1, &
    got, 8, MPI_INTEGER, modulo(rank - 1, nproc), 1, MPI_COMM_WORLD, status, ierr)
  if (any(got /= reshape([((100 * modulo(rank - 1, nproc) + 10 * j + i, i = 2, 4, 2), j = 1, 4)], [2, 4]))) print *, 'sendrecv', got
  ! A section stays in use after the call.
  call MPI_Irecv(grid(1:5:4, :), 8, MPI_INTEGER, modulo(rank - 1, nproc), 2, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(got, 8, MPI_INTEGER, modulo(rank + 1, nproc), 2, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  if (any(grid(5, :) /= [(100 * modulo(rank - 2, nproc) + 10 * j + 4, j = 1, 4)])) print *, 'irecv', grid(5, :)
  if (any(grid(6, :) /= [(100 * rank + 10 * j + 6, j = 1, 4)])) print *, 'beside', grid(6, :)
  call MPI_Op_create(largest, .true., op, ierr)
  mine = [rank, -rank]
  call MPI_Allreduce(mine, most, 2, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  if (any(most /= [nproc - 1, 0])) print *, 'largest', most
  call MPI_Type_contiguous(1, MPI_INTEGER, type, ierr)
  call MPI_Type_commit(type, ierr)
  call MPI_Allreduce(mine, most, 2, type, op, MPI_COMM_WORLD, ierr)
  if (any(most /= [nproc - 1, 0])) print *, 'largest of a type', most
  call MPI_Type_free(type, ierr)
  call MPI_Op_free(op, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  call MPI_Comm_create_errhandler(handler, errh, ierr)
  call MPI_Comm_set_errhandler(comm, errh, ierr)
  call MPI_Comm_get_errhandler(comm, n, ierr)
  if (n /= errh) print *, 'same handler', n, errh
  call MPI_Errhandler_free(n, ierr)
  call MPI_Send(rank, 1, MPI_INTEGER, nproc, 0, comm, ierr)
  if (counter /= 1) print *, 'handler', counter
  call MPI_Error_string(ierr, message, n, ierr)
  state = 5
  call MPI_Comm_create_keyval(copy, gone, key, state, ierr)
  value = 10
  call MPI_Comm_set_attr(comm, key, value, ierr)
  call MPI_Comm_dup(comm, requests(1), ierr)
  call MPI_Comm_get_attr(requests(1), key, value, flag, ierr)
  if (.not. flag .or. value /= 15) print *, 'copied', flag, value
  call MPI_Comm_free(requests(1), ierr)
  if (counter /= 16) print *, 'deleted', counter
  call MPI_Comm_delete_attr(comm, key, ierr)
  call MPI_Comm_free_keyval(key, ierr)
  call MPI_Errhandler_free(errh, ierr)
  call MPI_Comm_free(comm, ierr)
  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, ' key ', ' some value  ', ierr)
  call MPI_Info_get(info, 'key', 20, text, flag, ierr)
  if (.not. flag .or. text /= 'some value') print *, 'info ', flag, text
  n = len(text)
  call MPI_Info_get_string(info, 'key', n, text, flag, ierr)
  if (n /= 10 .or. text /= 'some value') print *, 'info ', n, text
  call MPI_Info_free(info, ierr)
  state = 3
  call MPI_Grequest_start(query, release, stop_it, state, requests(1), ierr)
  call MPI_Grequest_complete(requests(1), ierr)
  call MPI_Wait(requests(1), status, ierr)
  call MPI_Get_count(status, MPI_BYTE, n, ierr)
  if (n /= 3 .or. state /= -1) print *, 'generalized request', n, state
  value = 40
  call MPI_Alloc_mem(value, MPI_INFO_NULL, memory, ierr)
  call c_f_pointer(memory, allocated, [10])
  allocated = rank
  call MPI_Free_mem(allocated, ierr)
  call MPI_Sizeof(value, n, ierr)
  if (n /= 8) print *, 'sizeof', n
  if (MPI_Wtime() < 0) print *, 'time'
  write (*, '(a,i0,a)') 'rank ', rank, ' done'
  call MPI_Finalize(ierr)
end program
