// Command commworld shows the simulated MPI world at work.
//
// Start here: commworld check tests a program of your own, commworld run a rank script;
// commworld --help has all commands.
//
//	commworld verify                  on the first million bytes of this program
//	commworld verify --whole          on all of them
//	commworld verify FILE --type int --width 100 --ranks 1,5,12
//	commworld verify FILE --json      one JSON object
//	commworld verify FILE --keep DIR  leaves the written files in DIR
//
//	commworld type "vector(3, 2, 4, int)"
//	commworld type EXPR --sizes lp64le,external32 --copies 3 --markers weak
//	commworld type --json < FILE      one answer for each line
//
//	commworld view --ranks 4 --etype int --disp "r*4" --filetype "resized(int, 0, n*4)"
//	commworld view --ranks 4 --etype T --filetype T --width 8 --svg FILE
//	commworld view --ranks 4 --etype T --filetype T --json --bytes 4096
//
//	commworld convert IN OUT --type EXPR --from native@ilp32be --to external32
//	commworld dump FILE --type EXPR --rep external32 --offset 512 --limit 10
//	commworld dump FILE --type EXPR --json
//
//	commworld check --ranks 1,2,3,4 ./cmd/heat   a package of your module
//	commworld check FILE.mpio                    a script
//	commworld export --c FILE.mpio               a script as a C program; --go as a Go program
//
// verify reads FILE as a 2-D array. Every number of ranks writes it through every
// decomposition and representation into a new shared file; then every number of ranks reads
// that file through another decomposition, collectively and independently. All files of one
// representation must be equal, native ones equal to FILE, and every reader must get FILE's
// bytes. The exit status is 0 if all are identical, 1 if not, 2 for wrong use or a file
// that cannot be read or written.
//
// type explains a datatype: size, bounds, signature, loop nest, and a map of its first
// copies byte by byte. Without EXPR it reads expressions from standard input, one on a
// line. The exit status is 0, or 2 if an expression was wrong.
//
// view shows which bytes of a file each rank sees through its view: r and n in its
// expressions stand for the rank and the number of ranks. It draws a strip with rulers in
// bytes and etypes, the file as rows of --width etypes, both as SVG, and lists gaps and
// overlaps. --json prints one object:
//
//	{"ranks":[{"rank":0,"disp":0,"etype_extent":4,"extent":256,"runs":[[off,len], ...]}, ...],
//	 "overlaps":[{"bytes":[lo,hi],"ranks":[0,1]}, ...],"gaps":[[lo,hi], ...]}
//
// for the bytes from 0 to --bytes; [lo,hi] is byte lo up to, not including, hi.
// "notes":[{"ranks":[0,1],"rule":"IO-VIEW-06","text":"..."}, ...] follows if there are
// views that are legal, but probably not what you meant. A rank whose view shows a byte
// twice is listed twice in "ranks". If --limit cut the output, the rank has
// "truncated":true, and "complete_to" is the byte up to which overlaps and gaps are known.
// The exit status is 0, or 2 if a view breaks a rule; then class, rule, rank and the place
// in the filetype are printed.
//
// convert rewrites a file of elements laid out by EXPR from one representation or
// architecture to another, in constant memory: OUT appears or is replaced when the whole
// file is converted, and nothing is written if IN ends inside an element or a value does
// not fit (--lossy keeps low bytes, and prints how many it cut). Holes of OUT are 0. The
// exit status is 0, or 2 if nothing was written.
//
// dump prints such a file, one item on a line: byte, path in the element, kind, bytes and
// value. --json prints one object on a line:
//
//	{"offset":40,"element":1,"path":"[1].1[0]","type":"double","hex":"000000000000f83f","value":1.5}
//
// with "cut":true in place of the value for an item that the end of the file cuts. The exit
// status is 0, also then, or 2 for wrong use.
//
// check runs a program with every check, see world.Careful, in a process of its own with
// limits of time and memory. The exit status is 0 without findings, 1 with findings, 2 for
// a program that cannot be built or starts no world, 3 if all findings are races.
//
// Every command writes what it prints to a file with -o FILE.
//
// # Borders
//
// A program like any other: it uses public packages, and those that draw.
package main
