package pattern

import (
	"flag"
	"math/rand/v2"

	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
)

var hpio = Pattern{
	Name:    "hpio",
	Summary: "regions of equal size and spacing, adjacent or not in the file and in memory",
	Source:  "HPIO, by its parameters: region count, size and spacing",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		count := fs.Int64("count", 4096, "`number` of a rank's regions")
		size := sizeFlag(fs, "size", 64, "`size` of a region")
		spacing := sizeFlag(fs, "spacing", 128, "`size` of the gap behind a region")
		file := fs.String("file", "nc", "`c` or nc: the regions of a rank are adjacent in the file, or spaced")
		memory := fs.String("memory", "c", "`c` or nc: the same in memory")
		m := modes(fs)
		return func(w *Workload) error {
			if err := positive("hpio: --count", *count); err != nil {
				return err
			}
			if err := positive("hpio: --size", *size); err != nil {
				return err
			}
			if err := checkShape("hpio", []int64{*count, *size + *spacing, int64(w.Ranks)}, 1); err != nil {
				return err
			}
			for _, v := range []string{*file, *memory} {
				if v != "c" && v != "nc" {
					return fault("hpio: %q; there are c and nc", v)
				}
			}
			region := types.Contiguous(*size, types.Byte)
			each := *size + *spacing
			var view, mem *types.Type
			if *file == "nc" { // the regions of the ranks alternate
				view = types.Resized(region, 0, each*int64(w.Ranks))
			}
			if *memory == "nc" {
				mem = types.HVector(*count, 1, each, region)
			}
			w.once("hpio", "HPIO", m, 1, func(rank, _ int) Step {
				s := Step{Elem: types.Byte, Filetype: view, Views: view != nil, Count: *count * *size, Memory: mem}
				if s.Disp = int64(rank) * each; view == nil {
					s.Disp = int64(rank) * *count * *size
				}
				return s
			})
			return nil
		}
	},
}

var noncontig = Pattern{
	Name:    "noncontig",
	Summary: "ints of all ranks interleaved one by one, not adjacent in memory either",
	Source:  "ROMIO's noncontig test, for any number of ranks",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		n := fs.Int64("elements", 1209, "`number` of a rank's ints")
		m := modes(fs)
		return func(w *Workload) error {
			if err := checkShape("noncontig", []int64{*n, int64(w.Ranks)}, 4); err != nil {
				return err
			}
			view := types.Resized(types.Int32, 0, 4*int64(w.Ranks))
			memory := types.Vector(*n, 1, 2, types.Int32)
			w.once("noncontig", "noncontig", m, 1, func(rank, _ int) Step {
				return Step{Elem: types.Int32, Filetype: view, Views: true, Disp: 4 * int64(rank), Count: *n, Memory: memory}
			})
			return nil
		}
	},
}

var e3sm = Pattern{
	Name:    "e3sm",
	Summary: "long lists of indices: columns of a climate model in scattered runs, for each level and variable",
	Source:  "the decompositions of E3SM's PIO: runs of 1 to 16 columns, scattered; drawn here from a seed",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		columns := fs.Int64("columns", 1000, "`columns` of a rank, about")
		levels := fs.Int64("levels", 4, "`levels` of each variable")
		vars := fs.Int64("vars", 3, "`number` of variables")
		m := modes(fs)
		return func(w *Workload) error {
			if err := positive("e3sm: --columns", *columns); err != nil {
				return err
			}
			if err := checkShape("e3sm", []int64{*columns, *levels, *vars, int64(w.Ranks)}, 8); err != nil {
				return err
			}
			if *columns*int64(w.Ranks) > 1<<28 {
				return fault("e3sm: %d columns in all; there are up to %d", *columns*int64(w.Ranks), 1<<28)
			}
			lists := scatter(*columns*int64(w.Ranks), w.Ranks)
			all := *columns * int64(w.Ranks)
			views := &perRank[blockView]{make: func(rank int) blockView {
				level := types.Resized(types.Indexed(lists[rank], types.Double), 0, 8*all)
				n := int64(0)
				for _, b := range lists[rank] {
					n += b.Len
				}
				return blockView{types.Contiguous(*levels, level), n * *levels}
			}}
			w.once("e3sm", "E3SM", m, int(*vars), func(rank, i int) Step {
				v := views.of(rank)
				s := Step{Elem: types.Double, Views: true, Disp: int64(i) * all * *levels * 8, Count: v.count}
				if v.count > 0 {
					s.Filetype = v.t
				}
				return s
			})
			return nil
		}
	},
}

// scatter cuts n columns into runs of 1 to 16, and gives each run to a random rank. The
// same arguments give the same lists.
func scatter(n int64, ranks int) [][]types.Block {
	random := rand.New(rand.NewPCG(uint64(n), uint64(ranks)))
	lists := make([][]types.Block, ranks)
	for at := int64(0); at < n; {
		k := min(1+random.Int64N(16), n-at)
		r := random.IntN(ranks)
		list := lists[r]
		if i := len(list) - 1; i >= 0 && list[i].Disp+list[i].Len == at {
			list[i].Len += k
		} else {
			lists[r] = append(list, types.Block{Len: k, Disp: at})
		}
		at += k
	}
	return lists
}

var logAppend = Pattern{
	Name:    "log",
	Summary: "each rank appends lines to one file by the shared pointer",
	Source:  "logging with write_shared; --ordered: write_ordered; --prefix: write_at_all behind a prefix sum",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		lines := fs.Int64("lines", 100, "`number` of a rank's lines")
		bytes := sizeFlag(fs, "bytes", 80, "`size` of a line")
		ordered := fs.Bool("ordered", false, "write_ordered: in the order of ranks")
		prefix := fs.Bool("prefix", false, "write_at_all: each rank computes its place")
		return func(w *Workload) error {
			if err := checkShape("log", []int64{*lines, *bytes, int64(w.Ranks)}, 1); err != nil {
				return err
			}
			if *lines > 1<<30 {
				return fault("log: %d lines; there are up to %d", *lines, 1<<30)
			}
			if *ordered && *prefix {
				return fault("log: --ordered and --prefix; there is one way at a time")
			}
			w.open("log")
			w.each(int(*lines), func(rank, i int) Step {
				s := Step{
					Op: machine.Write, File: "log", Elem: types.Byte, Count: *bytes, Pointer: machine.Shared, Label: "log line",
					Offset: (int64(i)*int64(w.Ranks) + int64(rank)) * *bytes,
				}
				switch {
				case *ordered:
					s.Pointer, s.Together = machine.Ordered, true
				case *prefix:
					s.Pointer, s.Together = machine.Explicit, true
				}
				return s
			})
			w.close("log")
			return nil
		}
	},
}

var csr = Pattern{
	Name:    "csr",
	Summary: "a sparse matrix in compressed rows: row starts, column numbers and values of all ranks, some of which have nothing",
	Source:  "the ATPESC tutorial's CSR file: header, row pointers, columns, values",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		rows := fs.Int64("rows", 1000, "`rows` of a rank that has any")
		most := fs.Int64("most", 20, "`number` of values of the fullest row")
		empty := fs.Int64("empty", 4, "every so `many`-th rank has no rows; 0: none")
		m := modes(fs)
		return func(w *Workload) error {
			if err := checkShape("csr", []int64{*rows, *most, int64(w.Ranks)}, 8); err != nil {
				return err
			}
			if *empty < 0 {
				return fault("csr: --empty %d; it needs 0 or more", *empty)
			}
			rowsOf, first := make([]int64, w.Ranks+1), make([]int64, w.Ranks+1) // sums of rows and of values before each rank
			for r := range w.Ranks {
				n := *rows
				if *empty > 0 && int64(r)%*empty == *empty-1 {
					n = 0
				}
				random := rand.New(rand.NewPCG(uint64(r), 7))
				values := int64(0)
				if n > 0 {
					values = n + random.Int64N(n*(*most-1)+1)
				}
				rowsOf[r+1], first[r+1] = rowsOf[r]+n, first[r]+values
			}
			const header = 24
			starts := header + 8*rowsOf[w.Ranks]
			values := starts + 4*first[w.Ranks]
			values += (8 - values%8) % 8
			w.once("csr", "CSR", m, 3, func(rank, i int) Step {
				switch i {
				case 0:
					return Step{Elem: types.Int64, Disp: header, Offset: rowsOf[rank], Count: rowsOf[rank+1] - rowsOf[rank]}
				case 1:
					return Step{Elem: types.Int32, Disp: starts, Offset: first[rank], Count: first[rank+1] - first[rank]}
				}
				return Step{Elem: types.Double, Disp: values, Offset: first[rank], Count: first[rank+1] - first[rank]}
			})
			return nil
		}
	},
}
