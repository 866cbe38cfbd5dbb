// Package faults says what goes wrong with files, where and when: rules of one
// line each, and plans that count calls and tell which of them a rule strikes.
//
//	write error=nospace after=4096 rank=2 file=grid
//	read short=10 call=3
//	sync error=io rank=1
//
// A rule names what it strikes, one thing that happens, and conditions, all of
// which must hold. What it may strike:
//
//   - open, size, sync, close, delete: those calls of package iofile, each once
//     for every rank that takes part
//   - read, write: bytes moving between a rank and the store, which for writes
//     may be later than the call that wrote
//   - convert: a conversion function of the user's
//   - the name of a data access, such as WriteAtAll: its bytes moving, whatever
//     the store says; call is any of them
//
// What happens:
//
//	error=CLASS  it fails; CLASS is the standard's without MPI_ERR_ and underscores
//	torn=N       for read and write: it fails when N bytes have moved
//	short=N      for read and write: at most N bytes move, and the caller goes on
//	delay=N      for accesses: N turns of the scheduler pass first
//	kill         the rank dies, and the world with it
//
// error may be given with torn, which alone means error=io. Conditions:
//
//	rank=R,R...  made by these ranks of the world
//	file=NAME    of this file; * ? [] match as in path.Match, quotes as in Go
//	call=N       the N-th that the other conditions hold for, counted for each
//	             rank from 1; N-M and N- are ranges
//	bytes=N-M    for read and write: of these bytes of the file; N- is open
//	after=N      for read and write: once N bytes have passed, counted for each
//	             rank if rank is given and for all together if not; what fits moves
//	odds=N       one in N, by seed=S and the rank's count: the same in every run
//
// Counting for each rank makes a rule strike the same calls however the ranks
// are scheduled; only after without rank depends on who comes first.
//
// # Borders
//
// What a fault leads to is decided where files are used, in package iofile. A
// plan knows nothing of files but their names.
package faults
