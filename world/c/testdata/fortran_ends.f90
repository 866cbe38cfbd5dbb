program ends
  use mpi
  integer :: rank, how, ierr, i, a(10)
  character(len=2) :: text
  integer, pointer :: nothing
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  print '(a)', 'begins'
  call get_command_argument(1, text)
  read (text, *) how
  nullify (nothing)
  if (rank == 1) call finish(how)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine finish(how)
    integer, intent(in) :: how
    select case (how)
    case (1)
      stop 3
    case (2)
      stop
    case (3)
      error stop 'stopped by the program'
    case (4)
      call exit(4)
    case (5)
      a(how + 6) = 1
    case (6)
      nothing = 1
    case (7)
      call MPI_Send(rank, 1, MPI_INTEGER, 5, 0, MPI_COMM_WORLD, ierr)
    case (8)
      call MPI_Abort(MPI_COMM_WORLD, 5, ierr)
    end select
  end subroutine
end program
