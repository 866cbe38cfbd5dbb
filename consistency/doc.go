// Package consistency has the vocabulary for what a read of a shared file may return, and
// for the races of programs that cannot rely on it.
//
// Start here: what a test asks of a race, and what reads of a small program may return.
//
//	var r *consistency.RaceError
//	if errors.As(err, &r) { fmt.Println(r.A, r.B, r.Fix) } // err of world.Run
//	fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))          // files as on a laptop
//	outcomes, err := consistency.Allowed(history)
//
// The words:
//
//   - A [Model] says when a write becomes visible: [Weakest] is what the standard
//     guarantees and the default, [POSIX] is how a laptop behaves.
//   - A [RaceError] names two accesses that the program does not order, and what
//     is missing between them; a [Profile] selects the guarantees that count.
//   - An [Origin] says which write a byte comes from.
//   - [Allowed] lists every outcome that the standard allows a [History], a small
//     program; [Explains] reports whether it allows an observed one.
//   - [Litmus] and [Twins] are programs of a few lines that show each rule.
//
// This is the vocabulary of reports and tests. Package internal/image keeps the bytes
// themselves; package internal/race finds races.
//
// # Borders
//
// The package only decides; it has no goroutines, no clock and no waiting.
package consistency
