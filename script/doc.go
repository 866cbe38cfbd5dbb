// Package script runs rank scripts: small MPI-IO programs, written as the calls of each
// rank, with the expected results.
//
// Start here: read a script, run all its schedules, look at the report.
//
//	s, err := script.Parse(text)
//	rep, err := script.Explore(ctx, s, script.Options{})
//	rep.OK()       // everything came as the script says
//	rep.Outcomes   // each outcome, how often it was seen, a schedule that shows it
//	script.Fixes(ctx, rep, script.Options{})   // for each race what to change, tried before it is given
//
// # The language
//
//	# what a missing sync leaves open             a comment, up to the end of the line
//	ranks 2
//	machine 1 lp64be                              rank 1 is such a machine; the others are lp64le
//	markers weak                                  bounds of resized types act like data; else: sticky
//	type col = vector(4, 1, 4, int)               a name for a datatype, as types.Parse reads it
//	file f = 00*40                                what a file holds before; not named: it does not exist
//
//	all:                                          the statements of these ranks, in order
//	  open h f rdwr|create                        "self open h f ..." opens over the rank alone
//	  view h 0 int int native
//	0:
//	  write_at h 0 int 5*10
//	1:
//	  read_at h 0 int*10 -> x
//	all:
//	  close h
//
//	allow 1:x = 5*10 | 1:x = 0*10
//	race
//
// Ranks of a block are "all", or a list such as "0,2-4"; blocks of one rank
// follow each other, those of different ranks have no order. A statement after
// the colon is the block's first.
//
//	open HANDLE FILE MODE          MODE: rdonly wronly rdwr create excl append sequential
//	close HANDLE                   unique_open delete_on_close, joined by |; hints may
//	                               follow, such as cb_nodes=4 romio_cb_write=enable, and
//	                               match=final|source000|size|written, see iofile.WithMatch
//	delete FILE
//	view HANDLE DISP ETYPE FILETYPE REP           DISP in bytes, or "current"
//	seek HANDLE OFFSET set|cur|end                seek_shared
//	set_size HANDLE BYTES                         preallocate
//	sync HANDLE
//	atomic HANDLE on|off
//	get_size HANDLE -> NAME                       get_position, get_position_shared
//	get_byte_offset HANDLE OFFSET -> NAME
//	type_extent HANDLE TYPE -> NAME
//	look HANDLE OFFSET TYPE*N                     no access, and part of no race: [Run] reports what
//	                                              a read there may return, and which version of the
//	                                              file the rank sees
//	read_at HANDLE OFFSET WANT                    write_at HANDLE OFFSET DATA
//	read HANDLE WANT                              write HANDLE DATA
//	... with _all, _shared, _ordered; with i in front and "as REQUEST" behind; _begin and _end
//	wait REQUEST                                  waitall [REQUEST ...]; test REQUEST -> NAME
//	send RANK TAG DATA                            ssend; isend ... as REQUEST
//	recv RANK|any TAG|any WANT                    irecv ... as REQUEST
//	probe RANK|any TAG|any -> NAME                whose message there is
//	barrier
//	bcast ROOT DATA                               on the others: bcast ROOT WANT
//	scatter ROOT DATA                             a block for every rank; on the others: scatter ROOT WANT
//	gather ROOT DATA -> NAME                      NAME on the root: the blocks of all; allgather DATA -> NAME
//	reduce OP ROOT DATA -> NAME                   NAME on the root
//	allreduce OP DATA -> NAME                     sum prod max min land lor lxor band bor bxor
//
//	DATA: TYPE VALUE ...      items in the order of the typemap, whole copies of TYPE; V*N is V,
//	                          N times; "text" is a byte a character; without TYPE, type byte
//	WANT: TYPE*N -> NAME      at most N copies, for all of which there is memory (in Go and C a
//	                          receive may have less); NAME is what arrived, in the order of the typemap,
//	                          NAME.count how many whole copies, NAME.pos the file pointer afterwards
//	FILE bytes: pairs of hexadecimal digits or "text", each with *N if need be
//
// In a block r is the rank that makes a statement and n the number of ranks: offsets, sizes,
// displacements, ranks, tags and the integers of types may be expressions of both, without
// blanks, such as r*4 or (r+1)%n; a value is r, n or an expression in braces, such as {r*10+1}.
// A statement of several ranks with r in it is one of each of them. A block may be repeated:
//
//	repeat 3:                 the rest of the line, and the lines below that are indented
//	  write h int r           further; result x is x_2 the second time, then x_3
//
// Offsets count etypes. Expectations are at the end:
//
//	allow RANK:NAME = VALUE ..., file FILE = BYTES | ...
//	                          the outcomes, each a list of equations joined by commas; ? is an item
//	                          of which no rank wrote all bytes, ".." such a byte of a file, and
//	                          "file FILE absent" a file that does not exist
//	race | norace             whether there is a data race
//	race MISSING [RULE [at RANK:LINE RANK:LINE]]
//	                          this one: what it lacks first, writer-sync, order or reader-sync, the
//	                          case of the standard, CONS-C1 to CONS-C3, and the two statements;
//	                          there is no race besides those that such lines name
//	error CLASS at RANK:LINE  a statement that fails; the rank then goes on
//	deadlock                  no rank can go on
//
// [Explore] wants every outcome that is allowed to be seen, and no other; a
// single [Run] only the latter. An error, a deadlock or, if no line is about
// races, a race that is not announced is reported. A handle that is never closed is
// an error of the statement that opened it. (A script that writes all 256 bytes
// leaves none to mark those that no rank wrote: there ? does not appear.)
//
// # Borders
//
// A program like others above the library: it uses public packages, and reports
// internal/sched which line each rank is at.
package script
