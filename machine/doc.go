// Package machine computes what a pattern of file accesses would cost on a cluster: a
// deterministic model in virtual time, whose figures are shapes and ratios, never
// the seconds of a real machine.
//
// Start here: take a [Machine], such as [Lustre], and a [Program], which says what
// each rank calls; [Run] returns a [Report] with the model's seconds, requests, bytes
// and lock transfers, and where each rank's time went.
//
// The calls of a Go program can be a Program, too: see world.Record. Option world.On runs a
// program in the model's time.
//
// Accesses become requests by the plans of [strategy.Strategy], the same that
// files of package iofile carry out; the model adds what each request, message and
// meeting costs. The page docs/machine.md states the assumptions, the parameters and
// where their values come from.
package machine
