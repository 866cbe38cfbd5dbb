! use mpi_f08: types of handles, statuses, large counts, sections, callbacks, optional ierror.
module operations
  use mpi_f08
contains
  subroutine add(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    real, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    if (datatype /= MPI_REAL) print *, 'datatype of operation', datatype%MPI_VAL
    b = a + b
  end subroutine
end module

program f08
  use operations
  implicit none
  type(MPI_Comm) :: comm
  type(MPI_Op) :: op
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_File) :: file
  type(MPI_Datatype) :: vector
  integer :: rank, nproc, n, i, flags(3), ierror
  integer(MPI_COUNT_KIND) :: long
  integer(MPI_OFFSET_KIND) :: offset, length
  real :: x(10), y(10), z(3)
  integer :: old(MPI_STATUS_SIZE)
  logical :: flag
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  if (comm == MPI_COMM_WORLD .or. comm == MPI_COMM_NULL) print *, 'comm'
  x = [(real(rank * 10 + i), i = 1, 10)]
  y = -1
  call MPI_Irecv(y(1:9:2), 5, MPI_REAL, modulo(rank - 1, nproc), 3, comm, requests(1))
  long = 5
  call MPI_Isend(x(2:10:2), long, MPI_REAL, modulo(rank + 1, nproc), 3, comm, requests(2))
  call MPI_Waitall(2, requests, statuses)
  call MPI_Get_count(statuses(1), MPI_REAL, n)
  if (n /= 5 .or. statuses(1)%MPI_TAG /= 3 .or. statuses(1)%MPI_SOURCE /= modulo(rank - 1, nproc)) print *, 'status', n
  if (any(y(1:9:2) /= [(real(modulo(rank - 1, nproc) * 10 + i), i = 2, 10, 2)]) .or. any(y(2:10:2) /= -1)) print *, 'section', y
  call MPI_Status_f082f(statuses(1), old)
  if (old(MPI_TAG) /= 3) print *, 'old status', old
  call MPI_Op_create(add, .true., op)
  call MPI_Allreduce([real(rank), 1.0, 2.0], z, 3, MPI_REAL, op, comm)
  if (any(z /= [nproc * (nproc - 1) / 2.0, real(nproc), 2.0 * nproc])) print *, 'add', z
  call MPI_Op_free(op)
  if (op /= MPI_OP_NULL) print *, 'op'
  call MPI_File_open(comm, 'f08.dat', ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file)
  offset = rank * 20
  call MPI_File_write_at_all(file, offset, x(1:9:2), 5, MPI_REAL, status)
  call MPI_Get_count(status, MPI_REAL, long)
  if (long /= 5) print *, 'written', long
  call MPI_File_sync(file)
  call MPI_Barrier(comm)
  call MPI_File_sync(file)
  call MPI_File_get_size(file, length)
  if (length /= 20 * nproc) print *, 'size', length
  y = 0
  call MPI_File_iread_at(file, offset, y(2:10:2), 5, MPI_REAL, requests(1))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  if (any(y(2:10:2) /= x(1:9:2))) print *, 'read', y
  call MPI_File_close(file)
  ! A section whose elements do not fit its datatype is an error for a call that goes on.
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
  call MPI_Type_vector(2, 1, 2, MPI_REAL, vector)
  call MPI_Type_commit(vector)
  call MPI_Isend(x(1:9:2), 1, vector, rank, 4, comm, requests(1), ierror)
  call MPI_Error_class(ierror, n)
  if (n /= MPI_ERR_BUFFER) print *, 'section of a vector', n
  ! It is right for one that waits: elements 1 and 3 of the section.
  y = 0
  call MPI_Sendrecv(x(1:9:2), 1, vector, rank, 5, y, 2, MPI_REAL, rank, 5, comm, MPI_STATUS_IGNORE)
  if (any(y(1:2) /= x(1:5:4))) print *, 'vector', y
  call MPI_Type_free(vector)
  call MPI_Comm_free(comm)
  write (*, '(a,i0,a)') 'rank ', rank, ' done'
  call MPI_Finalize()
end program
