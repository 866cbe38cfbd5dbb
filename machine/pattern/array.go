package pattern

import (
	"flag"
	"strconv"
	"strings"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/machine"
	"github.com/commworld/commworld/types"
)

// A grid is a number of ranks in each dimension of an array; ranks count row-major.
type grid []int

// gridOf arranges ranks in dims dimensions, as MPI_Dims_create does.
func gridOf(ranks, dims int) (grid, error) { return comm.DimsCreate(ranks, make([]int, dims)) }

// at returns the coordinates of rank.
func (g grid) at(rank int) []int64 {
	at := make([]int64, len(g))
	for i := len(g) - 1; i >= 0; i-- {
		at[i] = int64(rank % g[i])
		rank /= g[i]
	}
	return at
}

// share divides n elements among parts ranks, and returns the first element and the number
// of elements of rank i. If n is not a multiple of parts, the first ranks get one more.
func share(n, parts, i int64) (from, count int64) {
	each, more := n/parts, n%parts
	return i*each + min(i, more), each + b2i(i < more)
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// block returns rank's block of an array of this shape, divided over the grid.
func (g grid) block(shape []int64, rank int) []types.Slab {
	at := g.at(rank)
	slabs := make([]types.Slab, len(shape))
	for i, n := range shape {
		from, count := share(n, int64(g[i]), at[i])
		slabs[i] = types.Slab{Size: n, Sub: count, Start: from}
	}
	return slabs
}

func volume(slabs []types.Slab) int64 {
	v := int64(1)
	for _, s := range slabs {
		v *= s.Sub
	}
	return v
}

// A blockView is a rank's block of an array as a view; t is nil if it is empty.
type blockView struct {
	t     *types.Type
	count int64
}

// views returns the block of each rank of an array of elements.
func (g grid) views(shape []int64, elem *types.Type) *perRank[blockView] {
	return &perRank[blockView]{make: func(rank int) blockView {
		slabs := g.block(shape, rank)
		n := volume(slabs)
		if n == 0 {
			return blockView{}
		}
		return blockView{types.Subarray(types.OrderC, slabs, elem), n}
	}}
}

// checkShape returns an error if an array has no elements for some rank, or is too large.
func checkShape(name string, shape []int64, elem int64) error {
	total := float64(elem)
	for _, n := range shape {
		if err := positive(name+": a dimension", n); err != nil {
			return err
		}
		total *= float64(n)
	}
	if total > 1<<58 {
		return fault("%s: an array of %.3g bytes; there are up to 2^58", name, total)
	}
	return nil
}

// A shape is the dimensions of an array, as a flag.
type shape []int64

func (s *shape) String() string {
	if s == nil {
		return ""
	}
	words := make([]string, len(*s))
	for i, n := range *s {
		words[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(words, ",")
}

// Set reads dimensions, such as 512,512,512 or 512x512x512.
func (s *shape) Set(text string) error {
	list := shape{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == 'x' }) {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 1 {
			return fault("invalid dimension %q", word)
		}
		list = append(list, n)
	}
	if len(list) == 0 || len(list) > 8 {
		return fault("invalid shape %q; use sizes such as 512x512x512", text)
	}
	*s = list
	return nil
}

// A modeFlags has the flags that choose how a pattern writes and reads.
type modeFlags struct{ write, read, alone *bool }

func modes(fs *flag.FlagSet) modeFlags {
	return modeFlags{
		fs.Bool("w", false, "write only"), fs.Bool("r", false, "read only"),
		fs.Bool("independent", false, "calls of each rank by itself, not collective ones"),
	}
}

// ops returns the operations: writing, then reading, unless the flags select one.
func (m modeFlags) ops() []machine.Op {
	switch {
	case *m.write == *m.read:
		return []machine.Op{machine.Write, machine.Read}
	case *m.write:
		return []machine.Op{machine.Write}
	}
	return []machine.Op{machine.Read}
}

// once adds, for each operation: open the file, n accesses of each rank, close.
func (w *Workload) once(file, label string, m modeFlags, n int, access func(rank, i int) Step) {
	for _, op := range m.ops() {
		w.open(file)
		w.each(n, func(rank, i int) Step {
			s := access(rank, i)
			s.Op, s.File, s.Together = op, file, !*m.alone
			s.Label = label + " " + op.String()
			return s
		})
		w.close(file)
	}
}

var blocks = Pattern{
	Name:    "blocks",
	Summary: "each rank writes, then reads, its block of an array of any shape, in one call",
	Source:  "the standard's subarray datatype; the grid of ranks is that of MPI_Dims_create",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		s := shape{512, 512, 512}
		fs.Var(&s, "shape", "`dimensions` of the array")
		element := fs.Int64("element", 8, "`bytes` of an element")
		header := sizeFlag(fs, "shift", 0, "`size` of a header before the array")
		m := modes(fs)
		return func(w *Workload) error {
			if err := positive("blocks: --element", *element); err != nil {
				return err
			}
			if err := checkShape("blocks", s, *element); err != nil {
				return err
			}
			g, err := gridOf(w.Ranks, len(s))
			if err != nil {
				return err
			}
			elem := elementOf(*element)
			views := g.views(s, elem)
			w.once("blocks", "blocks", m, 1, func(rank, _ int) Step {
				v := views.of(rank)
				return Step{Elem: elem, Filetype: v.t, Views: true, Count: v.count, Disp: *header}
			})
			return nil
		}
	},
}

// elementOf returns a datatype of n bytes.
func elementOf(n int64) *types.Type {
	switch n {
	case 1:
		return types.Byte
	case 4:
		return types.Int32
	case 8:
		return types.Double
	}
	return types.Contiguous(n, types.Byte)
}

var bench = Pattern{
	Name:    "benchio",
	Summary: "each rank has a cube of doubles of a global 3-D array, written and read in one collective call",
	Source:  "EPCCed/benchio",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		n := fs.Int64("n", 256, "`side` of a rank's cube")
		m := modes(fs)
		return func(w *Workload) error {
			if err := positive("benchio: -n", *n); err != nil {
				return err
			}
			g, err := gridOf(w.Ranks, 3)
			if err != nil {
				return err
			}
			s := shape{int64(g[0]) * *n, int64(g[1]) * *n, int64(g[2]) * *n}
			if err := checkShape("benchio", s, 8); err != nil {
				return err
			}
			views := g.views(s, types.Double)
			w.once("benchio", "benchio", m, 1, func(rank, _ int) Step {
				v := views.of(rank)
				return Step{Elem: types.Double, Filetype: v.t, Views: true, Count: v.count}
			})
			return nil
		}
	},
}

var collPerf = Pattern{
	Name:    "coll-perf",
	Summary: "ROMIO's coll_perf: a 3-D array of ints in blocks, one collective write and one read",
	Source:  "pmodels/mpich, src/mpi/romio/test/coll_perf.c",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		s := shape{128 * 17, 128 * 9, 128 * 11}
		fs.Var(&s, "shape", "`dimensions` of the array")
		m := modes(fs)
		return func(w *Workload) error {
			if err := checkShape("coll-perf", s, 4); err != nil {
				return err
			}
			g, err := gridOf(w.Ranks, len(s))
			if err != nil {
				return err
			}
			views := &perRank[blockView]{make: func(rank int) blockView {
				dims := make([]types.GridDim, len(s))
				n := int64(1)
				at := g.at(rank)
				for i := range s {
					dims[i] = types.GridDim{Size: s[i], Dist: types.DistBlock, Arg: types.DefaultArg, Procs: int64(g[i])}
					each := (s[i]-1)/int64(g[i]) + 1
					n *= max(0, min(each, s[i]-at[i]*each))
				}
				if n == 0 {
					return blockView{}
				}
				return blockView{types.Darray(types.Grid{Size: int64(w.Ranks), Rank: int64(rank), Dims: dims}, types.Int32), n}
			}}
			w.once("coll_perf", "coll_perf", m, 1, func(rank, _ int) Step {
				v := views.of(rank)
				return Step{Elem: types.Int32, Filetype: v.t, Views: true, Count: v.count}
			})
			return nil
		}
	},
}

var tile = Pattern{
	Name:    "mpi-tile-io",
	Summary: "each rank has a tile of a dense 2-D data set; reads may overlap the neighbours' tiles",
	Source:  "mpi-tile-io of the Parallel I/O Benchmarking Consortium, by its flags",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		nx := fs.Int64("nr_tiles_x", 0, "`tiles` in x; 0: as MPI_Dims_create puts the ranks")
		ny := fs.Int64("nr_tiles_y", 0, "`tiles` in y")
		sx := fs.Int64("sz_tile_x", 100, "`elements` of a tile in x")
		sy := fs.Int64("sz_tile_y", 100, "`elements` of a tile in y")
		element := fs.Int64("sz_element", 32, "`bytes` of an element")
		ox := fs.Int64("overlap_x", 0, "`elements` that a read shares with each neighbour in x")
		oy := fs.Int64("overlap_y", 0, "`elements` that a read shares with each neighbour in y")
		header := sizeFlag(fs, "header_bytes", 0, "`size` of a header before the data")
		m := modes(fs)
		return func(w *Workload) error {
			for _, p := range []struct {
				name string
				n    int64
			}{{"sz_tile_x", *sx}, {"sz_tile_y", *sy}, {"sz_element", *element}} {
				if err := positive("mpi-tile-io: --"+p.name, p.n); err != nil {
					return err
				}
			}
			g, err := gridOf(w.Ranks, 2)
			if err != nil {
				return err
			}
			if *nx != 0 || *ny != 0 {
				g = grid{int(*ny), int(*nx)}
			}
			if *nx < 0 || *ny < 0 || int64(g[0])*int64(g[1]) != int64(w.Ranks) {
				return fault("mpi-tile-io: %d x %d tiles for %d ranks; there is one tile a rank", g[1], g[0], w.Ranks)
			}
			if *ox < 0 || *oy < 0 || *ox > *sx || *oy > *sy {
				return fault("mpi-tile-io: overlaps of %d and %d elements; they need 0 to the tile's %d and %d", *ox, *oy, *sx, *sy)
			}
			all := shape{int64(g[0]) * *sy, int64(g[1]) * *sx}
			if err := checkShape("mpi-tile-io", all, *element); err != nil {
				return err
			}
			elem := elementOf(*element)
			views := func(oy, ox int64) *perRank[blockView] {
				return &perRank[blockView]{make: func(rank int) blockView {
					at := g.at(rank)
					slabs := []types.Slab{wider(at[0]**sy, *sy, oy, all[0]), wider(at[1]**sx, *sx, ox, all[1])}
					return blockView{types.Subarray(types.OrderC, slabs, elem), volume(slabs)}
				}}
			}
			for _, op := range m.ops() {
				v := views(0, 0)
				if op == machine.Read {
					v = views(*oy, *ox)
				}
				only := m
				yes, no := true, false
				only.write, only.read = &no, &yes
				if op == machine.Write {
					only.write, only.read = &yes, &no
				}
				w.once("tiles", "mpi-tile-io", only, 1, func(rank, _ int) Step {
					b := v.of(rank)
					return Step{Elem: elem, Filetype: b.t, Views: true, Count: b.count, Disp: *header}
				})
			}
			return nil
		}
	},
}

// wider returns a part of a dimension extended by overlap on both sides, as far as the
// dimension goes.
func wider(from, n, overlap, size int64) types.Slab {
	lo, hi := max(0, from-overlap), min(size, from+n+overlap)
	return types.Slab{Size: size, Sub: hi - lo, Start: lo}
}

var s3d = Pattern{
	Name:    "s3d",
	Summary: "S3D's checkpoint: four arrays of doubles, 3-D and 4-D, in blocks of three dimensions",
	Source:  "the S3D-IO kernel: mass of 11 species, temperature, pressure, velocity of 3 components",
	flags: func(fs *flag.FlagSet) func(*Workload) error {
		n := fs.Int64("n", 50, "`side` of a rank's cube")
		dumps := fs.Int64("dumps", 1, "`number` of checkpoints, each in a file of its own")
		m := modes(fs)
		return func(w *Workload) error {
			if err := positive("s3d: -n", *n); err != nil {
				return err
			}
			if err := positive("s3d: --dumps", *dumps); err != nil {
				return err
			}
			g, err := gridOf(w.Ranks, 3)
			if err != nil {
				return err
			}
			space := []int64{int64(g[0]) * *n, int64(g[1]) * *n, int64(g[2]) * *n}
			four := append(grid{1}, g...)
			var views []*perRank[blockView]
			var disps []int64
			disp := int64(0)
			for _, components := range []int64{11, 1, 1, 3} {
				s := append([]int64{components}, space...)
				if err := checkShape("s3d", s, 8); err != nil {
					return err
				}
				views, disps = append(views, four.views(s, types.Double)), append(disps, disp)
				disp += components * space[0] * space[1] * space[2] * 8
			}
			for d := range *dumps {
				w.once("s3d."+strconv.FormatInt(d, 10), "S3D", m, len(views), func(rank, i int) Step {
					v := views[i].of(rank)
					return Step{Elem: types.Double, Filetype: v.t, Views: true, Count: v.count, Disp: disps[i]}
				})
			}
			return nil
		}
	},
}
