//go:build linux && cgo && (amd64 || arm64)

/*
 * The unit that a thread of libgfortran works for, in the copies of all ranks: there are no
 * such threads.
 */
__thread void *commworld_async_unit;
