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
// verify reads FILE as a 2-D array. For each number of ranks, decomposition and
// representation, it writes the array into a new shared file. Then it reads that file with
// each number of ranks through another decomposition, collectively and independently. All
// files of one representation must be equal, native ones equal to FILE, and every reader
// must get FILE's bytes. The exit status is 0 if all are identical, 1 if not, 2 for wrong
// use or a file that cannot be read or written.
//
// type explains a datatype: size, bounds, signature, loop nest, and a map of its first
// copies byte by byte. Without EXPR it reads expressions from standard input, one on a
// line. The exit status is 0, or 2 if an expression is invalid.
//
// view shows which bytes of a file each rank sees through its view: r and n in its
// expressions stand for the rank and the number of ranks. It draws a strip with rulers in
// bytes and etypes and, with --width, the file as rows of etypes; it lists gaps and
// overlaps. --svg writes the drawings as SVG. --json prints one object:
//
//	{"ranks":[{"rank":0,"disp":0,"etype_extent":4,"extent":256,"runs":[[off,len], ...]}, ...],
//	 "overlaps":[{"bytes":[lo,hi],"ranks":[0,1]}, ...],"gaps":[[lo,hi], ...]}
//
// The object covers the bytes from 0 to --bytes. [lo,hi] means the bytes from lo to
// hi-1. "notes":[{"ranks":[0,1],"rule":"IO-VIEW-06","text":"..."}, ...] follows if a
// view is legal, but probably not what you meant. A rank whose view shows a byte twice
// is listed twice in "ranks". If --limit cut the output, the rank has "truncated":true,
// and the lists of overlaps and gaps are complete up to byte "complete_to". The exit
// status is 0, or 2 if a view breaks a rule; then view prints the error class, the
// rule, the rank and the place in the filetype.
//
// convert rewrites a file of elements of type EXPR from one representation or
// architecture to another, in constant memory. It creates or replaces OUT only after the
// whole file is converted: it writes nothing if IN ends inside an element or a value
// does not fit. With --lossy it keeps the low bytes of such values, and prints how many
// it cut. Holes of OUT are 0. The exit status is 0, or 2 if nothing was written.
//
// dump prints such a file, one item on a line: byte, path in the element, kind, bytes and
// value. --json prints one object on a line:
//
//	{"offset":40,"element":1,"path":"[1].1[0]","type":"double","hex":"000000000000f83f","value":1.5}
//
// If the file ends inside an item, the object has "cut":true in place of the value, and the
// exit status is still 0. It is 2 for wrong use.
//
// check runs a program with every check (see world.Careful) in a separate process, with
// limits on time and memory. The exit status is 0 without findings, 3 if all findings are
// races, 1 for other findings, 2 if the program cannot be built or starts no world.
//
// With -o FILE, every command writes its output to FILE.
//
// # Borders
//
// The command runs worlds through the public packages, as any program does, and draws
// with those of internal/show.
package main
