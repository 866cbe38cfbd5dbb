package records_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/examples/records"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// tour returns one program that uses every call of the library once, right and wrong.
func tour(fsys *iofile.FS, v records.Version, b records.Bug) func(context.Context, *comm.Comm) error {
	return func(_ context.Context, c *comm.Comm) error {
		if err := refused(c, fsys, b); err != nil {
			return err
		}
		d, err := records.Create(c, fsys, "tour.nc", v, b)
		if err != nil {
			return err
		}
		t := &tourist{d: d, rank: int64(c.Rank()), ranks: int64(c.Size())}
		for _, step := range []func() error{t.define, t.write, t.check, t.mistake, t.redefine, t.check} {
			if err := step(); err != nil {
				return errors.Join(err, d.Close())
			}
		}
		return d.Close()
	}
}

// refused opens a file that is not NetCDF.
func refused(c *comm.Comm, fsys *iofile.FS, b records.Bug) error {
	f, err := iofile.Open(c, fsys, "other", iofile.Create|iofile.ReadWrite)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if _, err = records.Open(c, fsys, "other", iofile.ReadOnly, b); err == nil {
		return errors.New("an empty file was opened")
	}
	return nil
}

type tourist struct {
	d           *records.Dataset
	rank, ranks int64
}

// The variables of the tour.
const (
	height = iota
	depth
	heat
	late
)

func (t *tourist) define() error {
	time, e1 := t.d.DefDim("time", records.Growing)
	lat, e2 := t.d.DefDim("lat", 5)
	lon, e3 := t.d.DefDim("lon", 3)
	_, e4 := t.d.DefVar("height", types.Short, []int{lat, lon}, records.Text("units", "m"))
	_, e5 := t.d.DefVar("depth", types.Short, []int{time, lon}, records.Text("units", "m"))
	_, e6 := t.d.DefVar("heat", types.Double, []int{time, lat, lon}, records.Text("units", "K"), records.Doubles("range", 200, 350.5))
	return errors.Join(e1, e2, e3, e4, e5, e6, t.d.PutAttrs(records.Text("title", "tour")), t.d.EndDef())
}

// stripe is every n-th row of one record, or none.
func (t *tourist) stripe(record int64) records.Region {
	rows := max(0, (5-t.rank+t.ranks-1)/t.ranks)
	first := t.rank
	if rows == 0 {
		first = 0
	}
	return records.Region{Start: []int64{record, first, 0}, Count: []int64{1, rows, 3}, Stride: []int64{1, t.ranks, 1}}
}

func shorts(from, n int64) types.Buffer {
	var xs []int16
	for i := range n {
		xs = append(xs, int16(from+i))
	}
	return types.Of(xs)
}

func doubles(r records.Region) []float64 {
	var xs []float64
	for i := range r.Count[1] {
		for j := range r.Count[2] {
			xs = append(xs, float64(100*r.Start[0]+10*(r.Start[1]+i*r.Stride[1])+j)+0.5)
		}
	}
	return xs
}

// write has rank 0 write a fixed variable, all ranks two records together, and each rank a
// record of a narrow variable alone.
func (t *tourist) write() error {
	if t.rank == 0 {
		whole := records.Region{Start: []int64{0, 0}, Count: []int64{5, 3}}
		if _, err := t.d.Put(height, whole, shorts(1, 15)); err != nil {
			return err
		}
	}
	for record := range int64(2) {
		r := t.stripe(record)
		if _, err := t.d.PutAll(heat, r, types.Of(doubles(r))); err != nil {
			return err
		}
	}
	mine := records.Region{Start: []int64{t.rank + 1, 0}, Count: []int64{1, 3}}
	if _, err := t.d.Put(depth, mine, shorts(10*t.rank, 3)); err != nil {
		return err
	}
	return t.d.Sync()
}

// check reads what the other ranks wrote.
func (t *tourist) check() error {
	if n := t.d.NumRecs(); n != max(2, t.ranks+1) {
		return fmt.Errorf("rank %d: %d records, want %d", t.rank, n, max(2, t.ranks+1))
	}
	next := (t.rank + 1) % t.ranks
	if err := t.has(depth, records.Region{Start: []int64{next + 1, 0}, Count: []int64{1, 3}}, 10*next); err != nil {
		return err
	}
	if err := t.has(height, records.Region{Start: []int64{0, 0}, Count: []int64{5, 3}}, 1); err != nil {
		return err
	}
	r := records.Region{Start: []int64{1, 0, 0}, Count: []int64{1, 5, 3}, Stride: []int64{1, 1, 1}}
	got := make([]float64, 15)
	if _, err := t.d.GetAll(heat, r, types.Of(got)); err != nil {
		return err
	}
	if want := doubles(r); !slices.Equal(got, want) {
		return fmt.Errorf("heat of record 1: %v, want %v", got, want)
	}
	return nil
}

func (t *tourist) has(v int, r records.Region, from int64) error {
	n := r.Items()
	got, want := make([]int16, n), shorts(from, n).Mem()
	if _, err := t.d.Get(v, r, types.Of(got)); err != nil {
		return err
	}
	if !slices.Equal(types.Of(got).Mem(), want) {
		return fmt.Errorf("rank %d, variable %d: %v, want %d and so on", t.rank, v, got, from)
	}
	return nil
}

// mistake is a collective call that is wrong on the last rank: all get an error.
func (t *tourist) mistake() error {
	r := t.stripe(0)
	if t.rank == t.ranks-1 {
		r.Start[1] = 5
		r.Count[1] = 1
	}
	if _, err := t.d.PutAll(heat, r, types.Of(make([]float64, r.Items()))); err == nil {
		return errors.New("an element beyond the edge was written")
	}
	return nil
}

// redefine makes the header longer, so that the data move.
func (t *tourist) redefine() error {
	if err := t.d.Redef(); err != nil {
		return err
	}
	_, err := t.d.DefVar("late", types.Float, []int{0}, records.Text("note", "this variable makes the header and each record longer"))
	if err := errors.Join(err, t.d.EndDef()); err != nil {
		return err
	}
	r := records.Region{Start: []int64{t.rank}, Count: []int64{1}}
	_, err = t.d.PutAll(late, r, types.Of([]float32{float32(t.rank)}))
	return err
}

// careful runs the tour once with all checks, in both orders of the ranks.
func careful(ctx context.Context, b records.Bug) error {
	return world.Strict(ctx, 3, func() (func(context.Context, *comm.Comm) error, func() any) {
		return tour(iofile.NewMem(), records.CDF2, b), nil
	}, world.Careful("CONS-SYNC-05")) // a library does not know which of its syncs the program needs
}

// If this fails, a call of the library does not do what it says.
func TestTour(t *testing.T) { require.NoError(t, careful(t.Context(), "")) }

// meet is a program of one write, one sync and one read, for every schedule.
func meet(b records.Bug) world.Setup {
	return func() (func(context.Context, *comm.Comm) error, func() any) {
		fsys := iofile.NewMem()
		return func(_ context.Context, c *comm.Comm) error {
			d, err := records.Create(c, fsys, "meet.nc", records.CDF2, b)
			if err != nil {
				return err
			}
			t := &tourist{d: d, rank: int64(c.Rank()), ranks: int64(c.Size())}
			return errors.Join(t.define(), t.exchange(), d.Close())
		}, nil
	}
}

// exchange has each rank write a record, and read that of the other.
func (t *tourist) exchange() error {
	if t.d.NumRecs() != 0 {
		return fmt.Errorf("%d records at the beginning", t.d.NumRecs())
	}
	if _, err := t.d.Put(depth, records.Region{Start: []int64{t.rank, 0}, Count: []int64{1, 3}}, shorts(10*t.rank, 3)); err != nil {
		return err
	}
	if err := t.d.Sync(); err != nil {
		return err
	}
	next := (t.rank + 1) % t.ranks
	return t.has(depth, records.Region{Start: []int64{next, 0}, Count: []int64{1, 3}}, 10*next)
}

// If this fails, a sync is not enough under some schedule.
func TestEverySchedule(t *testing.T) {
	x, err := world.Explore(t.Context(), 2, meet(""))
	require.NoError(t, err)
	require.True(t, x.Complete, "%v", x)
	require.Len(t, x.Outcomes, 1)
	require.NoError(t, x.Outcomes[0].Err)
}

// dump writes the tour's file, and the file of a single narrow variable, into a folder.
func dump(ctx context.Context, dir string, b records.Bug) error {
	fsys, err := iofile.NewDir(dir)
	if err != nil {
		return err
	}
	defer fsys.Close()
	for _, v := range []records.Version{records.CDF1, records.CDF2, records.CDF5} {
		if err := world.Run(ctx, 3, tour(fsys, v, b), world.Seed(1)); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(dir, "tour.nc"), filepath.Join(dir, fmt.Sprintf("tour%d.nc", v))); err != nil {
			return err
		}
	}
	return world.Run(ctx, 1, func(_ context.Context, c *comm.Comm) error { return single(c, fsys, b) })
}

// single writes a file with one narrow variable that grows.
func single(c *comm.Comm, fsys *iofile.FS, b records.Bug) error {
	d, err := records.Create(c, fsys, "single.nc", records.CDF5, b)
	if err != nil {
		return err
	}
	i, e1 := d.DefDim("i", records.Growing)
	v, e2 := d.DefVar("x", types.Short, []int{i})
	if err := errors.Join(e1, e2, d.EndDef()); err != nil {
		return errors.Join(err, d.Close())
	}
	_, err = d.Put(v, records.Region{Start: []int64{0}, Count: []int64{5}}, shorts(7, 5))
	return errors.Join(err, d.Close())
}

// ncdump reads the files that dump writes, and returns the difference between the text of
// one and the required text.
func ncdump(dir string, update bool) error {
	for _, name := range []string{"tour1", "tour2", "tour5", "single"} {
		out, err := exec.Command("ncdump", filepath.Join(dir, name+".nc")).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w: %s", name, err, out)
		}
		golden := filepath.Join("testdata", name+".cdl")
		if update {
			if err := os.WriteFile(golden, out, 0o644); err != nil {
				return err
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			return err
		}
		if string(out) != string(want) {
			return fmt.Errorf("%s: ncdump prints\n%s\nwant\n%s", name, out, want)
		}
	}
	return nil
}

// If this fails, other programs cannot read the files.
func TestNcdump(t *testing.T) {
	for _, tool := range []struct{ name, packages string }{{"ncdump", "netcdf-bin"}, {"ncvalidator", "pnetcdf-bin"}} {
		if _, err := exec.LookPath(tool.name); err != nil {
			t.Skipf("SKIPPED: no %s here: apt-get install %s", tool.name, tool.packages)
		}
	}
	dir := t.TempDir()
	require.NoError(t, dump(t.Context(), dir, ""))
	require.NoError(t, ncdump(dir, *update))
	for _, name := range []string{"tour1", "tour2", "tour5", "single"} {
		out, err := exec.Command("ncvalidator", filepath.Join(dir, name+".nc")).CombinedOutput()
		assert.NoError(t, err, "%s", out)
		assert.Contains(t, string(out), "is a valid NetCDF classic", name)
	}
}

// If this fails, a header is not read as it was written, or rubbish is taken for one.
func TestHeader(t *testing.T) {
	fsys := iofile.NewMem()
	require.NoError(t, world.Run(t.Context(), 2, tour(fsys, records.CDF5, ""), world.Seed(1)))
	file, err := fs.ReadFile(fsys, "tour.nc")
	require.NoError(t, err)
	h, err := records.Decode(file)
	require.NoError(t, err)
	again := h.Encode()
	assert.Equal(t, file[:len(again)], again)
	before := *h
	h.LayOut()
	assert.Equal(t, before.RecordSize, h.RecordSize)
	assert.Equal(t, again, h.Encode())
	for n := range again {
		_, err := records.Decode(again[:n])
		assert.Error(t, err, "%d bytes", n)
	}
	for _, wrong := range []struct {
		at   int
		to   byte
		says string
	}{{0, 'X', "does not begin with CDF"}, {3, 9, "version 9 of the format"}, {15, 0x0f, "tag 0xf in the header, want 0xa"}, {16, 0x7f, "the header is cut off"}} {
		bad := slices.Clone(again)
		bad[wrong.at] = wrong.to
		_, err := records.Decode(bad)
		assert.ErrorContains(t, err, wrong.says)
	}
}

// If this fails, a call in the wrong mode, or with wrong arguments, is not refused with a clear error.
func TestRefused(t *testing.T) {
	fsys := iofile.NewMem()
	err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
		_, err := records.Create(c, fsys, "x", 3)
		assert.EqualError(t, err, "records: version 3 of the format: CDF1, CDF2 and CDF5 are known")
		d, err := records.Create(c, fsys, "x", records.CDF1)
		if err != nil {
			return err
		}
		_, err = d.Put(0, records.Region{}, types.Of([]byte{1}))
		assert.EqualError(t, err, "records: the dataset is in define mode: call EndDef first")
		tm, _ := d.DefDim("time", records.Growing)
		v, err := d.DefVar("x", types.Int, []int{tm})
		if err := errors.Join(err, d.EndDef()); err != nil {
			return err
		}
		_, err = d.DefDim("y", 1)
		assert.EqualError(t, err, "records: the dataset is in data mode: call Redef first")
		one := records.Region{Start: []int64{0}, Count: []int64{1}}
		_, err = d.Get(v, one, types.Of([]int32{0}))
		assert.ErrorIs(t, err, records.ErrEdge)
		_, err = d.Put(v, one, types.Of([]float32{0}))
		assert.EqualError(t, err, `records: variable "x" has type int, the buffer type float`)
		_, err = d.Put(v, one, types.Of([]int32{0, 1}))
		assert.EqualError(t, err, `records: variable "x": the region has 1 elements, the buffer 2`)
		_, err = d.Put(v, records.Region{Start: []int64{0, 0}, Count: []int64{1, 1}}, types.Of([]int32{0}))
		assert.EqualError(t, err, `records: variable "x" has 1 dimensions, the region has 2, 2, 0 (start, count, stride)`)
		if err := d.Close(); err != nil {
			return err
		}
		d, err = records.Create(c, fsys, "y", records.CDF1)
		if err != nil {
			return err
		}
		_, err = d.DefDim("time", -1)
		assert.ErrorContains(t, err, `dimension "time" has -1 elements`)
		assert.ErrorContains(t, d.Close(), "closed in define mode")
		return nil
	})
	assert.NoError(t, err)
}

// If this fails, ranks that define unlike things make a file.
func TestDefinitionsDiffer(t *testing.T) {
	err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
		d, err := records.Create(c, iofile.NewMem(), "x", records.CDF2)
		if err != nil {
			return err
		}
		_, err = d.DefDim("x", int64(c.Rank()+1))
		return errors.Join(err, d.EndDef(), d.Close())
	})
	assert.Error(t, err)
}
