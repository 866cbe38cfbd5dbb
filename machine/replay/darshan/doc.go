// Package darshan reads the binary logs of Darshan, format versions 3.00 to 3.41 (releases
// 3.0 to 3.5), of either byte order.
//
// Start here: [Open] reads header, job, mount table and names of a [Log]; [Log.Counters],
// [Log.Layouts] and [Log.Traces] then read the records of the modules POSIX, MPI-IO and
// STDIO, of Lustre, and of DXT, one after the other. The other modules are skipped;
// [Log.Skipped] names them.
//
// A log is not trusted: memory depends on what the caller keeps and on the names, whose
// total is bounded, and an error has the region, the position and the reason.
package darshan
