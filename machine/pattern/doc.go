// Package pattern has the access patterns of well-known parallel I/O benchmarks and
// applications as values: the opens, writes and reads of each rank, with their views and
// memory types.
//
// Start here: [Parse] makes a [Workload] from a line such as "ior -t 1m -b 16m -s 16";
// [Workload.Program] is the program that package machine runs in its model, and
// [Workload.Run] carries the pattern out on files, with real bytes, and checks every byte
// that it reads.
//
//	w, err := pattern.Parse("ior -t 1m -b 16m -c", 64)
//	report, err := machine.Run(ctx, machine.Lustre(64, 1<<20), w.Program(), machine.Options{})
package pattern
