! A file that rank 1 reads after a barrier, and no sync.
program f
  use mpi
  implicit none
  integer :: fh, rank, ierr, x(4)
  integer(kind=MPI_OFFSET_KIND) :: off = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_File_open(MPI_COMM_WORLD, 'f.out', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, fh, ierr)
  if (rank == 0) call MPI_File_write_at(fh, off, x, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_File_read_at(fh, off, x, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_close(fh, ierr)
  call MPI_Finalize(ierr)
end program
