// Package file measures how fast files are written, read, opened and closed: by this
// module, and by the MPI libraries installed here.
//
//	go run ./bench file                    # the whole table; some six minutes, most of them the libraries'
//	go run ./bench file -list              # the names of its rows
//	go run ./bench file -ranks 4 '3-D|IOR' # rows whose names match a regular expression, with 4 ranks
//	go run ./bench file -peers=false       # ours only
//	go run ./bench file -mib 16 -reps 1    # smaller files, one repetition a turn
//
// A repetition lasts from the first rank's start to the last one's end, on one clock; the
// first of a turn (two of a library's, four of ours), which touch memory that no one used
// before, do not count. A row shows MiB/s or microseconds a call (median of all rounds):
//
//   - POSIX, default: our memory files under [consistency.POSIX], which do what the
//     libraries do, and under the default model, which needs a sync then; the sync is part
//     of the time. d/P is the default's time over that of POSIX
//   - watch: the time with the race detector over the time without; all other figures are
//     with it. The worse of both models
//   - copy: what copying the same pieces takes, by as many ranks, from their memory to
//     memory that they share and back: no file can be faster
//   - the libraries, with files in -dir: MPICH as it comes and with romio_cb_write and
//     romio_cb_read disabled, Open MPI with OMPIO and with romio321, set to yield where
//     ranks outnumber the processors
//   - better/P: the median over the rounds of the better library's time over ours under
//     POSIX; a goal that is not reached is marked
//
// Ranks of this module are goroutines, those of a library processes, built for a processor
// each. If a library takes longer than -limit for a row, the row is stopped, not tried again
// in the next round, and reported below the table. tools/bench/RESULTS.md has figures and what
// limits them.
//
// # Map
//
//   - rows.go: the measurements, and the ratios wanted
//   - ours.go, c/peer.c: the same calls twice
//   - contest.go: the sides, and the table
package file
