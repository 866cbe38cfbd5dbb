"""Calls MPI by ctypes, which releases the interpreter's lock: rank 0 writes a file, rank 1 reads it."""

import ctypes
import sys
import threading

mpi = ctypes.CDLL("libmpi_abi.so.1")
world, byte = ctypes.c_void_p(0x101), ctypes.c_void_p(0x247)
null = ctypes.c_void_p(0x130)


def check(code):
    assert code == 0, code


def write(file):
    check(mpi.MPI_File_write_at(file, ctypes.c_int64(0), b"\x07", 1, byte, None))


check(mpi.MPI_Init_thread(None, None, 4096, ctypes.byref(ctypes.c_int())))  # MPI_THREAD_MULTIPLE
rank = ctypes.c_int()
check(mpi.MPI_Comm_rank(world, ctypes.byref(rank)))
how = sys.argv[1]
if how == "raise" and rank.value == 1:
    raise SystemExit(4)
if how == "threads":
    done = []

    def sizes():
        n = ctypes.c_int()
        for i in range(200):
            check(mpi.MPI_Comm_size(world, ctypes.byref(n)))
        done.append(n.value)

    threads = [threading.Thread(target=sizes) for i in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(done)
if how == "operation":
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int), ctypes.c_void_p)

    def add(a, b, n, t):
        ctypes.c_int.from_address(b).value += ctypes.c_int.from_address(a).value

    function, op, total = kind(add), ctypes.c_void_p(), ctypes.c_int()
    check(mpi.MPI_Op_create(function, 1, ctypes.byref(op)))
    check(mpi.MPI_Allreduce(ctypes.byref(rank), ctypes.byref(total), 1, ctypes.c_void_p(0x209), op, world))
    check(mpi.MPI_Op_free(ctypes.byref(op)))
    print("sum", total.value)
if how in ("leaks", "handled"):
    file, comm, group, info, request = (ctypes.c_void_p() for i in range(5))
    assert mpi.MPI_File_open(world, b"nothing", 16, null, ctypes.byref(file)) != 0
    if how == "leaks":
        check(mpi.MPI_Comm_dup(world, ctypes.byref(comm)))
        check(mpi.MPI_Comm_group(world, ctypes.byref(group)))
        check(mpi.MPI_Info_create(ctypes.byref(info)))
        check(mpi.MPI_File_open(world, b"kept.dat", 258, null, ctypes.byref(file)))
        check(mpi.MPI_Irecv(ctypes.create_string_buffer(1), 1, byte, 0, 0, world, ctypes.byref(request)))
if how == "stale":
    file = ctypes.c_void_p()
    check(mpi.MPI_File_open(world, b"stale.dat", 34, null, ctypes.byref(file)))
    if rank.value == 0:
        write(file)
    check(mpi.MPI_Barrier(world))
    if rank.value == 1:
        got = ctypes.create_string_buffer(1)
        check(mpi.MPI_File_read_at(file, ctypes.c_int64(0), got, 1, byte, None))
    check(mpi.MPI_File_close(ctypes.byref(file)))
check(mpi.MPI_Finalize())
