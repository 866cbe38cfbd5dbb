package records

import (
	"errors"
	"fmt"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// NumRecs returns the number of records that this rank knows: its own, those of collective
// writes, and after a Sync those of all ranks.
func (d *Dataset) NumRecs() int64 { return d.Records }

// Put writes a region, on this rank alone. The buffer has as many elements as the region, of
// the variable's type; the last dimension is the fastest. It returns the number of written
// elements, which is lower if there is an error.
func (d *Dataset) Put(v int, r Region, buf types.Buffer) (int64, error) {
	data, runs, err := d.encode(v, r, buf)
	if err != nil {
		return 0, err
	}
	x := d.Vars[v]
	done := int64(0)
	for _, run := range runs {
		n, err := d.writeRun(data[done:done+run.Len], run.Disp)
		done += n
		if err != nil && d.bug != DropsError {
			return done / itemSize(x.Type), err
		}
	}
	if d.bug != LosesCount {
		d.Records = d.after(x, r)
	}
	return r.Items(), nil
}

// PutAll is Put by all ranks together; a rank without data gives a region of no elements.
// Afterwards all know the same number of records. Collective; an error of one rank is an
// error on all.
func (d *Dataset) PutAll(v int, r Region, buf types.Buffer) (int64, error) {
	data, runs, err := d.encode(v, r, buf)
	if err == nil && d.bug == EmptyStaysAway && len(data) == 0 {
		return 0, nil
	}
	records := d.Records
	if err == nil {
		records = d.after(d.Vars[v], r)
	}
	if err := d.agree(err, &records); err != nil {
		return 0, err
	}
	n, err := d.together(runs, func() (iofile.Status, error) { return d.all.WriteAtAll(types.Of(data), 0) })
	if err != nil {
		return n / itemSize(d.Vars[v].Type), err
	}
	d.Records = records
	return r.Items(), nil
}

// Get reads a region, on this rank alone. It returns an error with ErrEdge for records that
// this rank does not know, see NumRecs.
func (d *Dataset) Get(v int, r Region, buf types.Buffer) (int64, error) {
	if err := d.fresh(); err != nil {
		return 0, err
	}
	data, runs, err := d.space(v, r, buf)
	if err != nil {
		return 0, err
	}
	x := d.Vars[v]
	done := int64(0)
	for _, run := range runs {
		n, err := d.readRun(data[done:done+run.Len], run.Disp)
		if err != nil {
			whole := (done + n) / itemSize(x.Type)
			return whole, errors.Join(err, d.decode(data, buf, whole*itemSize(x.Type)))
		}
		done += run.Len // bytes beyond the end of the file are zero
	}
	return r.Items(), d.decode(data, buf, int64(len(data)))
}

// GetAll is Get by all ranks together. Collective; an error of one rank is an error
// on all.
func (d *Dataset) GetAll(v int, r Region, buf types.Buffer) (int64, error) {
	data, runs, err := d.space(v, r, buf)
	if err := d.agree(err, nil); err != nil {
		return 0, err
	}
	n, err := d.together(runs, func() (iofile.Status, error) { return d.all.ReadAtAll(types.Of(data), 0) })
	size := itemSize(d.Vars[v].Type)
	if err != nil {
		return n / size, errors.Join(err, d.decode(data, buf, n/size*size))
	}
	return r.Items(), d.decode(data, buf, int64(len(data)))
}

// space checks an access and returns memory for the bytes of the file, and their places.
func (d *Dataset) space(v int, r Region, buf types.Buffer) ([]byte, []types.Block, error) {
	return d.prepare(v, r, buf, false)
}

func (d *Dataset) prepare(v int, r Region, buf types.Buffer, writing bool) ([]byte, []types.Block, error) {
	if err := d.check(v, r, writing); err != nil {
		return nil, nil, err
	}
	x := d.Vars[v]
	n := r.Items()
	if n > 0 || buf.Count() > 0 {
		have, ok := externalOf(buf.Type())
		want, _ := externalOf(x.Type)
		if !ok || have.code != want.code {
			return nil, nil, fmt.Errorf("records: variable %q has type %v, the buffer type %v", x.Name, x.Type, buf.Type())
		}
	}
	if buf.Count() != n {
		return nil, nil, fmt.Errorf("records: variable %q: the region has %d elements, the buffer %d", x.Name, n, buf.Count())
	}
	return make([]byte, n*itemSize(x.Type)), d.runs(x, r), nil
}

// encode checks a write and returns its bytes in the form of the file.
func (d *Dataset) encode(v int, r Region, buf types.Buffer) ([]byte, []types.Block, error) {
	data, runs, err := d.prepare(v, r, buf, true)
	if err != nil || len(data) == 0 {
		return nil, nil, err
	}
	_, err = reps.PackExternal("external32", d.c.Arch(), buf, data, 0)
	return data, runs, err
}

// decode puts the first n bytes of the file into the buffer.
func (d *Dataset) decode(data []byte, buf types.Buffer, n int64) error {
	if n == 0 {
		return nil
	}
	e, _ := externalOf(buf.Type())
	_, err := reps.UnpackExternal("external32", d.c.Arch(), data[:n], 0, buf.Times(n/e.size))
	return err
}

func bytesOf(st iofile.Status, err error) (int64, error) {
	n, _ := st.Count(types.Byte)
	return n, err
}

// bytewise is the view of independent accesses.
var bytewise = iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: "native"}

// together sets a view of the bytes of a region for one collective access.
func (d *Dataset) together(runs []types.Block, access func() (iofile.Status, error)) (int64, error) {
	view := bytewise
	if len(runs) > 0 {
		view.Filetype = types.HIndexed(runs, types.Byte)
	}
	if err := d.all.SetView(view); err != nil {
		return 0, err
	}
	n, err := bytesOf(access())
	return n, errors.Join(err, d.all.SetView(bytewise))
}
