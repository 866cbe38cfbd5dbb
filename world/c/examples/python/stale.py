"""Rank 0 writes a number, and rank 1 reads it after a barrier: without Sync it may read the old one."""

import sys

from mpi4py import MPI


def save(file, number):
    file.Write_at(0, bytearray([number]))


def load(file):
    got = bytearray(1)
    file.Read_at(0, got)
    return got[0]


synced = "--sync" in sys.argv
comm = MPI.COMM_WORLD
file = MPI.File.Open(comm, "stale.dat", MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE)
if comm.rank == 0:
    save(file, 7)
if synced:
    file.Sync()
comm.Barrier()
if synced:
    file.Sync()
if comm.rank == 1:
    print("read", load(file))
file.Close()
