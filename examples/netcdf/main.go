// Netcdf writes a NetCDF file of each classic format, CDF-1, CDF-2 and CDF-5, with any
// number of ranks: every rank has some rows of every variable and writes them through a view
// in external32, which is what NetCDF stores. The bytes are the same for any number of
// ranks.
//
//	go run ./examples/netcdf               # in memory: prints what came out
//	go run ./examples/netcdf DIR           # into a directory: see them with ncdump
//	go run ./examples/netcdf -ranks 6 DIR
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "netcdf:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("netcdf", flag.ContinueOnError)
	ranks := flags.Int("ranks", 0, "number of ranks (default 1, 2, 3, 4, 5 and 7)")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case flags.NArg() > 1:
		return fmt.Errorf("%q: one directory at most", flags.Arg(1))
	case *ranks < 0 || *ranks > 1000:
		return fmt.Errorf("-ranks %d: 1 to 1000", *ranks)
	}
	numbers := []int{1, 2, 3, 4, 5, 7}
	if *ranks > 0 {
		numbers = []int{*ranks}
	}
	fsys := iofile.NewMem()
	if flags.NArg() > 0 {
		dir, err := iofile.NewDir(flags.Arg(0))
		if err != nil {
			return err
		}
		defer dir.Close()
		fsys = dir
	}
	for _, v := range []version{cdf1, cdf2, cdf5} {
		name := fmt.Sprintf("cdf%d.nc", v)
		for _, n := range numbers {
			if err := write(fsys, name, v, n); err != nil {
				return err
			}
			file, err := fs.ReadFile(fsys, name)
			if err != nil {
				return err
			}
			fmt.Printf("%s by %d ranks: %d bytes, sha256 %.8x\n", name, n, len(file), sha256.Sum256(file))
		}
	}
	return nil
}

// weather returns a small dataset in which all numbers are odd, so that no rank's part is
// even.
func weather(v version) *dataset {
	d := &dataset{
		version: v, records: 3, title: "weather of nowhere",
		dims: []dim{{"time", 0}, {"lat", 5}, {"lon", 3}},
		vars: []*variable{
			{name: "lat", typ: types.Float, dims: []int{1}, units: "degrees_north"},
			{name: "height", typ: types.Short, dims: []int{1, 2}, units: "m"},
			{name: "temperature", typ: types.Double, dims: []int{0, 1, 2}, units: "K"},
			{name: "visitors", typ: types.Int, dims: []int{0, 1, 2}, units: "1"},
		},
	}
	if v == cdf5 {
		d.vars = append(d.vars, &variable{name: "population", typ: types.LongLong, dims: []int{1, 2}, units: "1"})
	}
	d.layOut()
	return d
}

// write writes the dataset with n ranks.
func write(fsys *iofile.FS, name string, v version, n int) error {
	if err := iofile.Delete(fsys, name); err != nil && !errors.Is(err, iofile.ErrNoSuchFile) {
		return err
	}
	return world.Run(context.Background(), n, func(_ context.Context, c *comm.Comm) error {
		d := weather(v)
		f, err := iofile.Open(c, fsys, name, iofile.Create|iofile.WriteOnly)
		if err != nil {
			return err
		}
		err = d.writeFrame(f, c.Rank())
		for _, x := range d.vars {
			if err != nil {
				break
			}
			err = d.writeVariable(f, c, x)
		}
		return errors.Join(err, f.Close())
	})
}

// writeFrame lets rank 0 write everything except data: the header, and the bytes that
// fill a variable up to a multiple of 4.
func (d *dataset) writeFrame(f *iofile.File, rank int) error {
	if rank != 0 {
		return nil
	}
	_, err := f.WriteAt(types.Of(d.header()), 0)
	for _, v := range d.vars {
		n := d.items(v) * itemSize[v.typ]
		for r := range max(1, d.recordsOf(v)) {
			if err == nil && n < v.size {
				_, err = f.WriteAt(types.Of(make([]byte, v.size-n)), iofile.Offset(v.begin+r*d.record+n))
			}
		}
	}
	return err
}

func (d *dataset) recordsOf(v *variable) int64 {
	if d.isRecord(v) {
		return d.records
	}
	return 1
}

// writeVariable writes this rank's rows of a variable, record by record: one view cannot
// show all records, because the size of a record is not a multiple of the size of every item.
func (d *dataset) writeVariable(f *iofile.File, c *comm.Comm, v *variable) error {
	grid := types.Grid{Size: int64(c.Size()), Rank: int64(c.Rank()), Order: types.OrderC}
	for _, at := range v.dims {
		if n := d.dims[at].n; n > 0 { // rows are dealt out, columns are not
			g := types.GridDim{Size: n, Dist: types.DistNone, Arg: types.DefaultArg, Procs: 1}
			if d.dims[at].name == "lat" {
				g.Dist, g.Procs = types.DistBlock, int64(c.Size())
			}
			grid.Dims = append(grid.Dims, g)
		}
	}
	mine := types.Darray(grid, v.typ)
	n := int64(c.Size())
	rows := (d.rows() + n - 1) / n // of a full block
	first := min(int64(c.Rank())*rows, d.rows()) * (d.items(v) / d.rows())
	for r := range d.recordsOf(v) {
		view := iofile.View{Disp: v.begin + r*d.record, Etype: v.typ, Filetype: mine, Rep: "external32"}
		if err := f.SetView(view); err != nil {
			return err
		}
		if _, err := f.WriteAtAll(values(v.typ, r*d.items(v)+first, mine.Signature().Len()), 0); err != nil {
			return err
		}
	}
	return nil
}

func (d *dataset) rows() int64 { return d.dims[1].n }

// values makes n items from item first on.
func values(t *types.Type, first, n int64) types.Buffer {
	var shorts []int16
	var ints []int32
	var longs []int64
	var floats []float32
	var doubles []float64
	for k := first; k < first+n; k++ {
		shorts = append(shorts, int16(100*k-300))
		ints = append(ints, int32(7*k))
		longs = append(longs, 10_000_000_000*(k+1))
		floats = append(floats, float32(30*k)-60)
		doubles = append(doubles, 273.15+float64(k)/8)
	}
	switch t {
	case types.Short:
		return types.Of(shorts).As(t)
	case types.Int:
		return types.Of(ints).As(t)
	case types.LongLong:
		return types.Of(longs).As(t)
	case types.Float:
		return types.Of(floats).As(t)
	}
	return types.Of(doubles).As(t)
}
