// Command pack measures how fast datatypes are packed and unpacked: by this
// module, by the MPI libraries installed here, and by a loop written by hand for
// each regular shape.
//
//	go run ./bench/pack            # all shapes
//	go run ./bench/pack vector     # those with vector in their name
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
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/commworld/commworld/internal/peers"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(names []string, w io.Writer) error {
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
	for _, d := range []direction{packing, unpacking, packingX, unpackingX} {
		header(w, d)
		for _, s := range shapes() {
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
