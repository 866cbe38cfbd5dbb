package c

import "github.com/commworld/commworld/iofile"

// Options say how a [Program] runs. They are set before the first rank starts.
type Options struct {
	// Dir is the directory of files with relative names; empty means the working
	// directory.
	Dir string

	// Tolerant does what common libraries do where they are not as strict as the
	// standard: data of a file access match their view by size alone, and messages their
	// receives, some ranks may call MPI_File_write_all while others call
	// MPI_File_write_at_all, datatypes need no MPI_Type_commit, logical operations reduce
	// MPI_AINT, MPI_COUNT and MPI_OFFSET, the
	// error handler of the result of MPI_Comm_idup may be set before it is made, and
	// errors of calls that belong to no communicator and no file are handled by that of
	// MPI_COMM_WORLD, not of MPI_COMM_SELF.
	Tolerant bool

	// Label begins each line that a rank prints with its number.
	Label bool

	// Output is a directory where each rank's standard output and standard error go,
	// to files rank.0.out, rank.0.err and so on. With it or Label, ranks have to take
	// turns: the world needs [world.Seed] or [world.Replay].
	Output string

	// Record, if it is there, is where each rank notes its last call of MPI, for
	// [Program.LastCalls]. It is aligned memory that another process shares, so that this
	// one can be killed. 72 bytes are needed for each rank; others note nothing.
	Record []byte

	// Copy, unless it is empty, is a copy of the directory Original in which the ranks run. Reports
	// name sources of Python in Original.
	Copy, Original string

	// Files are options of all files.
	Files []iofile.Option

	// Open are options of every open.
	Open []iofile.OpenOption
}
