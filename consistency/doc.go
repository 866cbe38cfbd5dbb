// Package consistency says what a read of a shared file may return, and what
// is wrong with a program that cannot rely on it.
//
//   - A [Model] says when a write becomes visible: [Weakest] is what the standard
//     guarantees and the default, [POSIX] what a laptop does.
//   - A [RaceError] names two accesses that the program does not order, and what
//     is missing between them; a [Profile] says whose promises count.
//   - An [Origin] says who wrote a byte.
//   - [Allowed] lists every outcome that the standard allows a [History], a small
//     program; [Explains] says whether it allows what was observed.
//   - [Litmus] and [Twins] are programs of a few lines that show each rule.
//
// The bytes themselves are kept by internal/image.
//
// # Map
//
//   - model.go: models: when a write becomes visible
//   - detector.go, race.go: which accesses race, and what to tell about them;
//     advice.go, viewrace.go: fixes in words; rerun.go: fixes tried on the recorded run
//   - ledger.go: who wrote a byte
//   - audit.go: which syncs were needed
//   - shared.go: calls at the shared pointer whose order is open
//   - hindsight.go, holes.go: what shows at the end: holes that were read, old bytes left behind
//   - extents.go, row.go: the bytes of accesses, as the detector keeps them
//   - reach.go: how long a file is for a reader, whatever surfaced
//   - program.go, allowed.go, resize.go: all outcomes that the standard allows a program
//   - scene.go, past.go, resolved.go: what an exploration tries of that where accesses race, in one run and of a program
//   - litmus.go: the litmus tests, as scripts
//
// # Borders
//
// It decides and has no goroutines, no clock and no waiting.
package consistency
