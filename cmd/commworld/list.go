package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/brief"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
)

// maxListed is the largest number of lines of a list.
const maxListed = 50_000_000

// readList reads lines "rank,offset,length": the bytes of the file that each rank accesses. A first line without
// numbers is a heading. ranks is at least the number of parts.
func readList(name string, ranks int) ([]strategy.Part, error) {
	in := io.Reader(os.Stdin)
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	parts, err := partsOf(bufio.NewScanner(in), ranks)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", brief.Name(name), err)
	}
	return parts, nil
}

func partsOf(lines *bufio.Scanner, ranks int) ([]strategy.Part, error) {
	blocks := make([][]types.Block, ranks)
	n := 0
	for ; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || n == 0 && !strings.ContainsAny(text[:1], "0123456789-") {
			continue
		}
		rank, b, err := parseRow(text)
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		case n >= maxListed:
			return nil, fmt.Errorf("line %d: more than %d lines", n+1, maxListed)
		case rank >= maxPlanRanks:
			return nil, fmt.Errorf("line %d: rank %d; there are up to %d ranks", n+1, rank, maxPlanRanks)
		}
		for rank >= len(blocks) {
			blocks = append(blocks, nil)
		}
		if own := blocks[rank]; len(own) > 0 && own[len(own)-1].Disp+own[len(own)-1].Len > b.Disp {
			return nil, fmt.Errorf("line %d: rank %d has offset %d after bytes up to %d; give the lines of a rank in the order of the file, without overlap",
				n+1, rank, b.Disp, own[len(own)-1].Disp+own[len(own)-1].Len)
		}
		blocks[rank] = append(blocks[rank], b)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	parts := make([]strategy.Part, len(blocks))
	for r, own := range blocks {
		if len(own) == 0 {
			continue
		}
		l, err := types.HIndexed(own, types.Byte).Layout(types.Host)
		if err != nil {
			return nil, fmt.Errorf("rank %d: %w", r, err)
		}
		parts[r] = strategy.Part{At: types.Tiling{L: l}, N: l.Size}
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("no lines of rank,offset,length")
	}
	return parts, nil
}

// parseRow parses one line.
func parseRow(text string) (rank int, b types.Block, err error) {
	fields := strings.Split(text, ",")
	if len(fields) != 3 {
		return 0, b, fmt.Errorf("%q has %d fields; it needs rank,offset,length", brief.Name(text), len(fields))
	}
	var v [3]int64
	for i, f := range fields {
		if v[i], err = strconv.ParseInt(strings.TrimSpace(f), 10, 64); err != nil || v[i] < 0 || v[i] > 1<<60 {
			return 0, b, fmt.Errorf("%q: %s %q; it needs a number from 0 to 2^60", brief.Name(text), []string{"rank", "offset", "length"}[i], brief.Name(f))
		}
	}
	if v[2] == 0 {
		return 0, b, fmt.Errorf("%q: length 0; leave the line out", brief.Name(text))
	}
	return int(min(v[0], maxPlanRanks)), types.Block{Disp: v[1], Len: v[2]}, nil
}

// listProgram returns a program in which each rank opens the file of a list, accesses its bytes in one call and closes
// the file.
func listProgram(name string, parts []strategy.Part, write, together bool) machine.Program {
	calls := []machine.Call{
		{Op: machine.Open, File: name, Together: true},
		{Op: machine.Read, File: name, Together: together},
		{Op: machine.Close, File: name, Together: true},
	}
	if write {
		calls[1].Op = machine.Write
	}
	return machine.Program{
		Ranks: len(parts), Name: name,
		Calls: func(int) int { return len(calls) },
		Call: func(rank, i int) machine.Call {
			c := calls[i]
			if i == 1 {
				c.Part = parts[rank]
			}
			return c
		},
	}
}
