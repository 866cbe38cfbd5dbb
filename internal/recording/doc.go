// Package recording reads and writes recordings of MPI programs: the calls that each rank of a
// job made of an MPI library, with the arguments that matter to order and bytes, the messages
// that receives matched, and the lines of the program. docs/traces.md has the format.
//
// Start here: [Open] opens the folder of a recording, and [Trace.Rank] reads the calls of one
// rank, one after the other. [Create] writes the file of a rank.
//
//	t, err := recording.Open("trace")
//	r, err := t.Rank(3)
//	for call, err := r.Next(); err != io.EOF; call, err = r.Next() { ... }
//
// # Map
//
//   - format.go: the records, and the prediction that reader and writer share
//   - reader.go: the calls of a rank; blob.go: texts, lists and datatypes
//   - writer.go: writing them
//   - trace.go: the folder: whether its files belong together
//
// # Borders
//
// The package knows no function of MPI: a recording says what the fields of each function are.
// Package rerun carries the calls out again.
package recording
