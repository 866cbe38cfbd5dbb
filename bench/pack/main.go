// Command pack measures how fast datatypes are packed and unpacked: by this
// module, by the MPI libraries installed here, and by a loop written by hand for
// each regular shape.
//
//	go run ./bench/pack            # all shapes
//	go run ./bench/pack vector     # those with vector in their name
//	go run ./bench/pack --payload 64 # with 64 KiB of data instead of 1024
//
// All are measured in one run and in turns, since one figure alone says more
// about the host and its load than about the code. A row shows MiB/s of payload
// (median of all rounds), the median over the rounds of ours against the better
// library and against the loop, and how often one call of ours allocates.
//
// # Map
//
//   - shapes.go: what is packed
//   - hand.go: the loops
//   - external.go: the same in external32, beside packing natively
//   - contest.go: whose turn it is, and the figures
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/commworld/commworld/internal/peers"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) error {
	flags := flag.NewFlagSet("pack", flag.ContinueOnError)
	kib := flags.Int64("payload", usual>>10, "KiB of data of each shape, a multiple of 32 up to 1024")
	if err := flags.Parse(args); err != nil {
		return err
	}
	payload, names := *kib<<10, flags.Args()
	if payload < least || payload > usual || payload%least != 0 {
		return fmt.Errorf("a payload of %d KiB is no multiple of %d up to %d", *kib, least>>10, usual>>10)
	}
	libs, err := start(w)
	defer func() {
		for _, p := range libs {
			_ = p.Close()
		}
	}()
	if err != nil {
		return err
	}
	peers.Conditions(w, libs...)
	fmt.Fprintf(w, "%d KiB of data a shape\n", *kib)
	for _, d := range []direction{packing, unpacking, packingX, unpackingX} {
		header(w, d)
		for _, s := range shapes(payload) {
			if !chosen(s.name, names) {
				continue
			}
			row, err := s.contest(d, libs)
			if err != nil {
				return fmt.Errorf("%s %s: %w", d, s.name, err)
			}
			row.print(w)
		}
	}
	fmt.Fprintf(w, "\nload average at the end %s\n", peers.Load())
	return nil
}

// start starts every library there is, and says so of those that are missing.
func start(w io.Writer) ([]*peers.Peer, error) {
	var all []*peers.Peer
	for _, lib := range peers.All() {
		if err := lib.Missing(); err != nil {
			fmt.Fprintln(w, err)
			continue
		}
		p, err := lib.Start()
		if err != nil {
			return all, err
		}
		all = append(all, p)
	}
	return all, nil
}

func chosen(name string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(name, part) {
			return true
		}
	}
	return len(parts) == 0
}
