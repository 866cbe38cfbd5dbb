package records_test

import (
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/examples/records"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/types"
)

// If this fails, one growing variable of bytes does not behave like a file.
func TestConformance(t *testing.T) { proptest.Conformance(t, layers("")) }

// A layer plays files with datasets of one variable: bytes, in records of one.
type layer struct {
	fsys *iofile.FS
	plan *faults.Plan
	bug  records.Bug
}

func layers(b records.Bug) proptest.Maker {
	return func() (proptest.Layer, error) { return &layer{fsys: iofile.NewMem(), bug: b}, nil }
}

// Fail lets files fail by rules.
func (l *layer) Fail(rules ...faults.Rule) error {
	if l.plan == nil {
		l.plan = new(faults.Plan)
		l.fsys = iofile.NewMem(iofile.WithFaults(l.plan))
	}
	return l.plan.Set(rules...)
}

// Remember makes the file system record the possible results of a crash.
func (l *layer) Remember() error {
	l.fsys = iofile.NewMem(iofile.WithTracking(iofile.Crashes))
	return nil
}

// Crashed returns a possible content of the file after a crash.
func (l *layer) Crashed(name string, seed uint64) ([]byte, error) {
	left, err := l.fsys.Crash(seed)
	if err != nil {
		return nil, err
	}
	return stored(left, name)
}

// Stored returns the records of the file.
func (l *layer) Stored(name string) ([]byte, error) { return stored(l.fsys, name) }

func stored(fsys *iofile.FS, name string) ([]byte, error) {
	all, err := fs.ReadFile(fsys, name)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	h, err := records.Decode(all)
	if err != nil {
		return nil, err
	}
	begin := h.Vars[0].Begin
	data := make([]byte, h.Records)
	copy(data, all[min(begin, int64(len(all))):])
	return data, nil
}

func (l *layer) Open(c *comm.Comm, name string) (proptest.File, error) {
	d, err := records.Open(c, l.fsys, name, iofile.ReadWrite, l.bug)
	if errors.Is(err, iofile.ErrNoSuchFile) {
		d, err = l.create(c, name)
	}
	if err != nil {
		return nil, err
	}
	return &file{d}, nil
}

func (l *layer) create(c *comm.Comm, name string) (*records.Dataset, error) {
	d, err := records.Create(c, l.fsys, name, records.CDF5, l.bug)
	if err != nil {
		return nil, err
	}
	at, err := d.DefDim("at", records.Growing)
	if err == nil {
		_, err = d.DefVar("bytes", types.UChar, []int{at})
	}
	if err == nil {
		err = d.EndDef()
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

type file struct{ d *records.Dataset }

func place(p []byte, off int64) (int, records.Region, types.Buffer) {
	r := records.Region{Start: []int64{off}, Count: []int64{int64(len(p))}}
	return 0, r, types.Raw(p, int64(len(p)), types.UChar)
}

// clip returns the bytes before the end of the file.
func (f *file) clip(p []byte, off int64) []byte {
	return p[:max(0, min(int64(len(p)), f.d.NumRecs()-off))]
}

func count(n int64, err error) (int, error) { return int(n), err }

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	if _, err := f.d.Get(place(nil, 0)); err != nil {
		return 0, err
	}
	return count(f.d.Get(place(f.clip(p, off), off)))
}
func (f *file) WriteAt(p []byte, off int64) (int, error) { return count(f.d.Put(place(p, off))) }
func (f *file) ReadAtAll(p []byte, off int64) (int, error) {
	return count(f.d.GetAll(place(f.clip(p, off), off)))
}

func (f *file) WriteAtAll(p []byte, off int64) (int, error) { return count(f.d.PutAll(place(p, off))) }
func (f *file) Sync() error                                 { return f.d.Sync() }
func (f *file) SyncAll() error                              { return f.d.Sync() }
func (f *file) Close() error                                { return f.d.Close() }

// If this fails, files depend on how many ranks write them, or are not read back.
func TestAnyProcessCount(t *testing.T) { proptest.AnyProcessCount(t, pattern("")) }

// pattern has all kinds of variables: fixed and growing, of sizes that need padding.
func pattern(b records.Bug) proptest.Pattern {
	open := func(p *proptest.Part) (*records.Dataset, error) {
		if p.Step > 0 {
			return records.Open(p.Comm, p.FS, p.Name, iofile.ReadWrite, b)
		}
		d, err := records.Create(p.Comm, p.FS, p.Name, records.CDF2, b)
		if err != nil {
			return nil, err
		}
		return d, errors.Join(define(d, p.Arrays), d.EndDef())
	}
	return proptest.Pattern{
		Ranks: 4,
		Reps:  []string{"external32"},
		Arrays: []proptest.Variable{
			{Name: "mask", Elem: types.Short, Most: []int64{3, 5}},
			{Name: "series", Elem: types.Short, Most: []int64{6, 3}, Grows: true},
			{Name: "heat", Elem: types.Double, Most: []int64{6, 4, 3}, Grows: true},
		},
		Write: func(p *proptest.Part) error {
			d, err := open(p)
			if err != nil {
				return err
			}
			return errors.Join(each(p, d.Put, d.PutAll), d.Close())
		},
		Read: func(p *proptest.Part) error {
			d, err := records.Open(p.Comm, p.FS, p.Name, iofile.ReadOnly, b)
			if err != nil {
				return err
			}
			return errors.Join(each(p, d.Get, d.GetAll), d.Close())
		},
	}
}

// define defines the dimensions of each array anew, but for the record dimension.
func define(d *records.Dataset, arrays []*proptest.Slab) error {
	growing, err := d.DefDim("time", records.Growing)
	for _, a := range arrays {
		var dims []int
		for k, n := range a.Shape {
			if a.Grows && k == 0 {
				dims = append(dims, growing)
				continue
			}
			i, e := d.DefDim(a.Name+string(rune('a'+k)), n)
			dims, err = append(dims, i), errors.Join(err, e)
		}
		_, e := d.DefVar(a.Name, a.Elem, dims, records.Text("units", "1"))
		err = errors.Join(err, e)
	}
	return err
}

func each(p *proptest.Part, alone, together func(int, records.Region, types.Buffer) (int64, error)) error {
	for i, a := range p.Arrays {
		access := alone
		if p.Collective {
			access = together
		}
		_, err := access(i, records.Region{Start: a.Start, Count: a.Count, Stride: slices.Clone(a.Stride)}, a.Buffer())
		if err != nil {
			return err
		}
	}
	return nil
}
