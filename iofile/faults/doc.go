// Package faults injects faults into calls on files: rules of one line each say which calls
// fail and how, and plans count calls and apply the rules.
//
// Start here: pass rules to a run, world.Faults(faults.Must("sync error=io rank=1")...).
//
//	write error=nospace after=4096 rank=2 file=grid
//	read short=10 call=3
//	sync error=io rank=1
//
// A rule has a target, one fault, and conditions, all of which must hold. Targets:
//
//   - open, view, seek, info, size, sync, close, delete: those calls of package iofile,
//     each once for every rank that takes part. view is SetView; seek is Seek and SeekShared;
//     info is Info and SetInfo; size is Size, SetSize and Preallocate
//   - read, write: bytes that move between a rank and the store; for writes
//     that may be later than the call that wrote them
//   - convert: a conversion function of the user's
//   - the name of a data access, such as WriteAtAll: the movement of its bytes,
//     whatever the store does; call means any data access
//
// Faults:
//
//	error=CLASS  it fails; CLASS is the standard's without MPI_ERR_ and underscores
//	torn=N       for read and write: it fails when N bytes have moved
//	short=N      for read and write: at most N bytes move, and the caller continues
//	delay=N      for accesses: N turns of the scheduler pass first
//	kill         the rank is killed, and its world ends
//
// error may be combined with torn, which alone means error=io. Conditions:
//
//	rank=R,R...  made by these ranks of the world
//	file=NAME    of this file; * ? [] match as in path.Match, quotes as in Go
//	call=N       the N-th for which the other conditions hold, counted for each
//	             rank from 1; N-M and N- are ranges
//	bytes=N-M    for read and write: of these bytes of the file; N- has no end
//	after=N      for read and write: once N bytes have passed, counted for each
//	             rank if rank is given and for all ranks together if not; bytes
//	             up to N still move
//	odds=N       one in N, by seed=S and the rank's count: the same in every run
//
// Because calls are counted for each rank, a rule applies to the same calls however the
// ranks are scheduled; only after without rank depends on the order of ranks.
//
// # Borders
//
// Package iofile decides the effect of a fault. A plan knows only the names of files.
package faults
