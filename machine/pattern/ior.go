package pattern

import (
	"flag"
	"fmt"
	"math/rand/v2"

	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
)

var ior = Pattern{
	Name:    "ior",
	Summary: "each rank writes, then reads, blocks of equal transfers, in segments of all ranks",
	Source:  "hpc/ior, doc/sphinx/userDoc/options.rst",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		o := &iorOptions{
			block:    sizeFlag(fs, "b", 1<<20, "`size` of a block: adjacent bytes of one rank"),
			transfer: sizeFlag(fs, "t", 256<<10, "`size` of a transfer: bytes of one call"),
			align:    sizeFlag(fs, "J", 1, "data begin at a multiple of this `size`"),
			shift:    sizeFlag(fs, "shift", 0, "`size` of a header before the data"),
			segments: fs.Int64("s", 1, "`number` of segments"),
			alone:    fs.Bool("F", false, "a file for each rank"),
			together: fs.Bool("c", false, "collective calls"),
			shiftOne: fs.Bool("C", false, "read what the next rank wrote"),
			shuffled: fs.Bool("Z", false, "read what a random rank wrote"),
			random:   fs.Bool("z", false, "transfers of a rank in random order"),
			view:     fs.Bool("V", false, "a file view for each rank's blocks, and offsets in it"),
			sync:     fs.Bool("e", false, "sync after writing"),
			write:    fs.Bool("w", false, "write only"),
			read:     fs.Bool("r", false, "read only"),
		}
		return o.build
	},
}

type iorOptions struct {
	block, transfer, align, shift, segments *int64
	filetype                                *types.Type // of -V

	alone, together, shiftOne, shuffled, random, view, sync, write, read *bool
}

func (o *iorOptions) build(w *Workload) error {
	switch {
	case *o.transfer < 1 || *o.block < *o.transfer || *o.block%*o.transfer != 0:
		return fault("ior: block %d is not a multiple of transfer %d", *o.block, *o.transfer)
	case *o.segments < 1 || *o.segments > 1<<30:
		return fault("ior: %d segments; it needs 1 to %d", *o.segments, 1<<30)
	case *o.alone && *o.together:
		return fault("ior: -F and -c: a call of all ranks needs one file")
	case *o.align < 1:
		return fault("ior: -J %d; it needs 1 or more", *o.align)
	case *o.block/(*o.transfer) > 1<<30 || *o.block > 1<<50:
		return fault("ior: block %d is too large", *o.block)
	}
	if calls := *o.segments * (*o.block / *o.transfer); calls > 1<<30 {
		return fault("ior: %d transfers a rank; there are up to %d", calls, 1<<30)
	}
	if total := float64(*o.segments) * float64(*o.block) * float64(w.Ranks); total > 1<<60 {
		return fault("ior: %.3g bytes; a file has up to 2^60", total)
	}
	o.filetype = types.Resized(types.Contiguous(*o.block, types.Byte), 0, int64(w.Ranks)**o.block)
	both := *o.write == *o.read
	if both || *o.write {
		o.phase(w, true)
	}
	if both || *o.read {
		o.phase(w, false)
	}
	return nil
}

// phase adds the calls that write everything, or read everything.
func (o *iorOptions) phase(w *Workload, write bool) {
	op, label := machine.Read, "IOR read"
	if write {
		op, label = machine.Write, "IOR write"
	}
	calls := int(*o.segments * (*o.block / *o.transfer))
	o.ends(w, machine.Open, write)
	w.each(calls, func(rank, i int) Step {
		from := rank
		if !write {
			from = o.source(rank, w.Ranks)
		}
		s := o.transferOf(from, o.order(rank, i, calls), w.Ranks)
		s.Op, s.File, s.Label = op, o.file(from), label
		s.Together = *o.together
		return s
	})
	if write && *o.sync {
		o.ends(w, machine.Sync, write)
	}
	o.ends(w, machine.Close, write)
	w.all(Step{Op: machine.Barrier})
}

// ends adds an open, sync or close.
func (o *iorOptions) ends(w *Workload, op machine.Op, write bool) {
	if !*o.alone {
		w.all(Step{Op: op, File: "ior", Together: true})
		return
	}
	w.each(1, func(rank, _ int) Step {
		if !write {
			rank = o.source(rank, w.Ranks)
		}
		return Step{Op: op, File: o.file(rank)}
	})
}

func (o *iorOptions) file(rank int) string {
	if *o.alone {
		return fmt.Sprintf("ior.%08d", rank)
	}
	return "ior"
}

// source returns the rank whose data rank reads.
func (o *iorOptions) source(rank, ranks int) int {
	switch {
	case *o.shiftOne:
		return (rank + 1) % ranks
	case *o.shuffled: // a fixed permutation: one step of an affine walk whose factor is coprime to the number of ranks
		k := ranks/2 + 1
		for gcd(k, ranks) != 1 {
			k++
		}
		return (rank*k + ranks/3) % ranks
	}
	return rank
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// order returns which of rank's transfers its i-th call makes.
func (o *iorOptions) order(rank, i, calls int) int {
	if !*o.random || calls < 2 {
		return i
	}
	k := 1 + int(rand.New(rand.NewPCG(uint64(rank), 1)).Int64N(int64(calls)))
	for gcd(k, calls) != 1 {
		k++
	}
	return (i*k + rank) % calls
}

// transferOf returns the i-th transfer of rank.
func (o *iorOptions) transferOf(rank, i, ranks int) Step {
	base := (*o.shift + *o.align - 1) / *o.align * *o.align
	perBlock := *o.block / *o.transfer
	segment, within := int64(i)/perBlock, int64(i)%perBlock**o.transfer
	s := Step{Elem: types.Byte, Count: *o.transfer, Disp: base}
	switch {
	case *o.alone:
		s.Offset = segment**o.block + within
	case *o.view:
		s.Disp += int64(rank) * *o.block
		s.Filetype, s.Views = o.filetype, true
		s.Offset = segment**o.block + within
	default:
		s.Offset = (segment*int64(ranks)+int64(rank))**o.block + within
	}
	return s
}
