program stale
  use mpi
  integer :: rank, file, ierr, x
  integer(MPI_OFFSET_KIND) :: zero = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_File_open(MPI_COMM_WORLD, 'stale.dat', &
    MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file, ierr)
  if (rank == 0) call put(7)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 1) then
    call MPI_File_read_at(file, zero, x, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    print '(a,i0)', 'read ', x
  end if
  call MPI_File_close(file, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine put(n)
    integer, intent(in) :: n
    call MPI_File_write_at(file, zero, n, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  end subroutine
end program
