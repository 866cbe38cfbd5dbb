package pattern

import (
	"flag"
	"fmt"
	"strconv"

	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
)

var hacc = Pattern{
	Name:    "hacc-io",
	Summary: "particles of a cosmology code: nine variables one after the other for each rank, 38 bytes a particle",
	Source:  "the HACC-IO kernel: 7 floats, a 64-bit id and a 16-bit mask a particle",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		n := fs.Int64("particles", 100_000, "`number` of a rank's particles")
		alone := fs.Bool("F", false, "a file for each rank")
		header := sizeFlag(fs, "header", 24<<20, "`size` of the header, which is not written")
		m := modes(fs)
		return func(w *Workload) error {
			if err := positive("hacc-io: --particles", *n); err != nil {
				return err
			}
			if *alone && !*m.alone {
				*m.alone = true // a file of one rank has no collective calls
			}
			vars := []*types.Type{
				types.Float, types.Float, types.Float, types.Float, types.Float, types.Float, types.Float, types.Int64, types.UInt16,
			}
			const particle = 7*4 + 8 + 2
			for _, op := range m.ops() {
				file := func(rank int) string {
					if *alone {
						return fmt.Sprintf("hacc.%08d", rank)
					}
					return "hacc"
				}
				ends := func(op machine.Op) {
					if *alone {
						w.each(1, func(rank, _ int) Step { return Step{Op: op, File: file(rank)} })
						return
					}
					w.all(Step{Op: op, File: "hacc", Together: true})
				}
				ends(machine.Open)
				w.each(len(vars), func(rank, i int) Step {
					at := *header
					if !*alone {
						at += int64(rank) * *n * particle
					}
					for _, v := range vars[:i] {
						at += *n * v.Size(types.Host)
					}
					return Step{Op: op, File: file(rank), Together: !*m.alone, Elem: vars[i], Count: *n, Disp: at, Label: "HACC " + op.String()}
				})
				ends(machine.Close)
				w.all(Step{Op: machine.Barrier})
			}
			return nil
		}
	},
}

var btio = Pattern{
	Name:    "bt-io",
	Summary: "NAS BT-IO: five doubles a cell, cut over a square of ranks so that each has a diagonal of cells",
	Source:  "NAS Parallel Benchmarks BT, and wkliao/BTIO",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		n := fs.Int64("grid", 64, "`points` in each of three dimensions")
		dumps := fs.Int64("dumps", 5, "`number` of times that the array is written")
		method := fs.String("method", "full", "`full`: one collective call a dump; simple: a call a row; epio: a file for each rank")
		return func(w *Workload) error {
			q := 1
			for q*q < w.Ranks {
				q++
			}
			if err := positive("bt-io: --grid", *n); err != nil {
				return err
			}
			if err := positive("bt-io: --dumps", *dumps); err != nil {
				return err
			}
			switch {
			case q*q != w.Ranks:
				return fault("bt-io: %d ranks; it needs a square number, such as %d or %d", w.Ranks, (q-1)*(q-1), q*q)
			case *n < int64(q):
				return fault("bt-io: %d grid points for %d cells in a dimension", *n, q)
			}
			if err := checkShape("bt-io", []int64{*dumps, *n, *n, *n}, 40); err != nil {
				return err
			}
			b := &bt{n: *n, q: int64(q), dumps: int(*dumps)}
			switch *method {
			case "full":
				b.full(w)
			case "simple":
				b.simple(w)
			case "epio":
				b.alone(w)
			default:
				return fault("bt-io: --method %q; there are full, simple and epio", *method)
			}
			return nil
		}
	},
}

// bt is BT-IO on q x q ranks, each with q cells of a grid of n points a side.
type bt struct {
	n, q  int64
	dumps int
}

// cell returns the block of rank's c-th cell; dimension z comes first.
func (b *bt) cell(rank int, c int64) []types.Slab {
	col, row := int64(rank)%b.q, int64(rank)/b.q
	at := []int64{c, ((row-c)%b.q + b.q) % b.q, (col + c) % b.q}
	slabs := make([]types.Slab, 3)
	for i := range slabs {
		from, count := share(b.n, b.q, at[i])
		slabs[i] = types.Slab{Size: b.n, Sub: count, Start: from}
	}
	return slabs
}

// point is the five doubles of a grid point.
var point = types.Contiguous(5, types.Double)

func (b *bt) bytes() int64 { return b.n * b.n * b.n * 40 }

func (b *bt) full(w *Workload) {
	views := &perRank[blockView]{make: func(rank int) blockView {
		var fields []types.Field
		count := int64(0)
		for c := range b.q {
			slabs := b.cell(rank, c)
			fields = append(fields, types.Field{Count: 1, Type: types.Subarray(types.OrderC, slabs, point)})
			count += 5 * volume(slabs)
		}
		return blockView{types.Resized(types.Struct(fields...), 0, b.bytes()), count}
	}}
	w.open("btio")
	w.each(b.dumps, func(rank, i int) Step {
		v := views.of(rank)
		return Step{Op: machine.Write, File: "btio", Together: true, Elem: types.Double, Filetype: v.t, Views: true, Offset: int64(i) * v.count, Count: v.count, Label: "BT-IO write"}
	})
	w.close("btio")
}

func (b *bt) simple(w *Workload) {
	type row struct{ first, count int64 } // points
	rows := &perRank[[]row]{make: func(rank int) []row {
		var list []row
		for c := range b.q {
			s := b.cell(rank, c)
			for z := range s[0].Sub {
				for y := range s[1].Sub {
					list = append(list, row{((s[0].Start+z)*b.n+s[1].Start+y)*b.n + s[2].Start, s[2].Sub})
				}
			}
		}
		return list
	}}
	w.open("btio")
	w.some(func(rank int) int { return b.dumps * len(rows.of(rank)) }, func(rank, i int) Step {
		list := rows.of(rank)
		r := list[i%len(list)]
		return Step{
			Op: machine.Write, File: "btio", Elem: types.Double, Disp: int64(i/len(list)) * b.bytes(),
			Offset: 5 * r.first, Count: 5 * r.count, Label: "BT-IO write of a row",
		}
	})
	w.close("btio")
}

func (b *bt) alone(w *Workload) {
	file := func(rank int) string { return fmt.Sprintf("btio.%08d", rank) }
	counts := &perRank[int64]{make: func(rank int) (n int64) {
		for c := range b.q {
			n += 5 * volume(b.cell(rank, c))
		}
		return n
	}}
	w.each(1, func(rank, _ int) Step { return Step{Op: machine.Open, File: file(rank)} })
	w.each(b.dumps, func(rank, i int) Step {
		n := counts.of(rank)
		return Step{Op: machine.Write, File: file(rank), Elem: types.Double, Offset: int64(i) * n, Count: n, Label: "BT-IO write"}
	})
	w.each(1, func(rank, _ int) Step { return Step{Op: machine.Close, File: file(rank)} })
}

var flash = Pattern{
	Name:    "flash",
	Summary: "FLASH's checkpoint: for each variable the blocks of all ranks one after the other, guard cells left out",
	Source:  "the FLASH I/O benchmark: 24 variables of doubles; a plot file has 4 of floats",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		blocks := fs.Int64("blocks", 80, "`number` of a rank's blocks")
		side := fs.Int64("nxb", 8, "`cells` of a block in each dimension")
		guard := fs.Int64("guard", 4, "`cells` of guard at each side, in memory only")
		plot := fs.Bool("plot", false, "the plot file: 4 variables of floats")
		m := modes(fs)
		return func(w *Workload) error {
			for _, p := range []struct {
				name string
				n    int64
			}{{"blocks", *blocks}, {"nxb", *side}} {
				if err := positive("flash: --"+p.name, p.n); err != nil {
					return err
				}
			}
			if *guard < 0 || *guard > 1<<20 || *side > 1<<20 {
				return fault("flash: --guard %d, --nxb %d; they go up to %d", *guard, *side, 1<<20)
			}
			vars, elem, name := 24, types.Double, "flash.chk"
			if *plot {
				vars, elem, name = 4, types.Float, "flash.plt"
			}
			count := *blocks * *side * *side * *side
			if err := checkShape("flash", []int64{int64(vars), int64(w.Ranks), count}, 8); err != nil {
				return err
			}
			outer := *side + 2**guard
			slab := types.Slab{Size: outer, Sub: *side, Start: *guard}
			memory := types.Contiguous(*blocks, types.Subarray(types.OrderC, []types.Slab{slab, slab, slab}, elem))
			w.once(name, "FLASH", m, vars, func(rank, i int) Step {
				return Step{Elem: elem, Offset: (int64(i)*int64(w.Ranks) + int64(rank)) * count, Count: count, Memory: memory}
			})
			return nil
		}
	},
}

var madbench = Pattern{
	Name:    "madbench2",
	Summary: "an out-of-core matrix code: writes all bins, reads and writes each, then reads all",
	Source:  "MADbench2: the phases S, W and C, without computing",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		bins := fs.Int64("bins", 8, "`number` of matrices")
		chunk := sizeFlag(fs, "chunk", 4<<20, "`size` of a rank's part of a matrix")
		return func(w *Workload) error {
			if err := positive("madbench2: --bins", *bins); err != nil {
				return err
			}
			if err := checkShape("madbench2", []int64{*bins, int64(w.Ranks), *chunk}, 1); err != nil {
				return err
			}
			at := func(rank int, bin int64, op machine.Op, phase string) Step {
				return Step{
					Op: op, File: "madbench", Elem: types.Byte, Offset: (bin*int64(w.Ranks) + int64(rank)) * *chunk, Count: *chunk,
					Label: "MADbench2 " + phase + " " + op.String(),
				}
			}
			w.open("madbench")
			w.each(int(*bins), func(rank, i int) Step { return at(rank, int64(i), machine.Write, "S") })
			w.all(Step{Op: machine.Sync, File: "madbench", Together: true})
			w.all(Step{Op: machine.Barrier})
			w.each(int(2**bins), func(rank, i int) Step {
				return at(rank, int64(i/2), []machine.Op{machine.Read, machine.Write}[i%2], "W")
			})
			w.all(Step{Op: machine.Sync, File: "madbench", Together: true})
			w.all(Step{Op: machine.Barrier})
			w.each(int(*bins), func(rank, i int) Step { return at(rank, int64(i), machine.Read, "C") })
			w.close("madbench")
			return nil
		}
	},
}

var life = Pattern{
	Name:    "life",
	Summary: "the game of life: a header of three ints by rank 0, and rows of bytes of all ranks, for each checkpoint",
	Source:  "the ATPESC tutorial's life: rows with two ghost cells in memory",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		rows := fs.Int64("rows", 1024, "`rows` of the board")
		cols := fs.Int64("cols", 1024, "`columns` of the board")
		dumps := fs.Int64("dumps", 1, "`number` of checkpoints, each in a file of its own")
		m := modes(fs)
		return func(w *Workload) error {
			if err := positive("life: --dumps", *dumps); err != nil {
				return err
			}
			if err := checkShape("life", []int64{*rows, *cols}, 4); err != nil {
				return err
			}
			for d := range *dumps {
				file := "life." + strconv.FormatInt(d, 10)
				for _, op := range m.ops() {
					w.open(file)
					w.some(func(rank int) int { return int(b2i(rank == 0)) }, func(int, int) Step {
						return Step{Op: op, File: file, Elem: types.Int32, Count: 3, Label: "life header"}
					})
					w.each(1, func(rank, _ int) Step {
						from, n := share(*rows, int64(w.Ranks), int64(rank))
						s := Step{Op: op, File: file, Together: !*m.alone, Elem: types.Int32, Disp: 12, Offset: from * *cols, Count: n * *cols, Label: "life body"}
						if n > 0 {
							s.Memory = types.Subarray(types.OrderC, []types.Slab{{Size: n + 2, Sub: n, Start: 1}, {Size: *cols + 2, Sub: *cols, Start: 1}}, types.Int32)
						}
						return s
					})
					w.close(file)
				}
			}
			return nil
		}
	},
}
