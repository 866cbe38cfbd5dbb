package records

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// A Dataset is one rank's handle of an open file. Callers may read its Header, but not
// change it.
type Dataset struct {
	Header
	c        *comm.Comm
	f        *iofile.File
	all      *iofile.File // of collective accesses: f
	defining bool
	stored   int64   // number of records in the file's header, on rank 0
	before   *Header // of the file, while it is redefined

	bug  Bug
	kept map[int64][]byte // blocks that a bug keeps
}

// Create makes a new file, in define mode; one that exists is replaced. Collective.
func Create(c *comm.Comm, fsys *iofile.FS, name string, v Version, bugs ...Bug) (*Dataset, error) {
	if v != CDF1 && v != CDF2 && v != CDF5 {
		return nil, fmt.Errorf("records: version %d of the format: CDF1, CDF2 and CDF5 are known", v)
	}
	d, err := open(c, fsys, name, iofile.Create|iofile.ReadWrite, bugs)
	if err != nil {
		return nil, err
	}
	if err := d.f.SetSize(0); err != nil {
		return nil, errors.Join(err, d.f.Close())
	}
	d.Version, d.defining = v, true
	return d, nil
}

// Open opens a file that exists, in data mode. Collective.
func Open(c *comm.Comm, fsys *iofile.FS, name string, mode iofile.Mode, bugs ...Bug) (*Dataset, error) {
	d, err := open(c, fsys, name, mode, bugs)
	if err != nil {
		return nil, err
	}
	if err := d.load(); err != nil {
		if d.bug == LeaksFile {
			return nil, err
		}
		return nil, errors.Join(err, d.closeFiles())
	}
	return d, nil
}

func open(c *comm.Comm, fsys *iofile.FS, name string, mode iofile.Mode, bugs []Bug) (*Dataset, error) {
	f, err := iofile.Open(c, fsys, name, mode)
	if err != nil {
		return nil, err
	}
	d := &Dataset{c: c, f: f, all: f, bug: first(bugs)}
	if d.bug == TwoHandles {
		if d.all, err = iofile.Open(c, fsys, name, mode); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return d, nil
}

// mostHeader is the greatest length of a header.
const mostHeader = 1 << 26

// load reads the header on rank 0, which alone writes it, and sends it to all ranks.
func (d *Dataset) load() error {
	var header []byte
	var err error
	if d.c.Rank() == 0 {
		header, err = d.readHeader()
	}
	// The read may go beyond the header: other ranks may write those bytes only after
	// sync, agreement, sync.
	err = errors.Join(err, d.syncFiles())
	length := []int64{int64(len(header))}
	if err := d.agree(err, nil); err != nil {
		return err
	}
	if err := d.c.Bcast(types.Of(length), 0); err != nil {
		return err
	}
	if d.c.Rank() > 0 {
		header = make([]byte, length[0])
	}
	if err := d.c.Bcast(types.Of(header), 0); err != nil {
		return err
	}
	h, err := Decode(header)
	if err != nil {
		return err
	}
	d.Header, d.stored = *h, h.Records
	return d.syncFiles()
}

// readHeader reads the header from the beginning of the file.
func (d *Dataset) readHeader() ([]byte, error) {
	for n := int64(1 << 10); ; n *= 4 {
		p := make([]byte, n)
		st, err := d.f.ReadAt(types.Of(p), 0)
		if err != nil {
			return nil, err
		}
		got, _ := st.Count(types.Byte)
		_, err = Decode(p[:got])
		if got < n || n >= mostHeader || !errors.Is(err, errShort) {
			return p[:got], err
		}
	}
}

// agree returns an error on all ranks if some rank has one, and sets records to the largest
// of all ranks. Collective.
func (d *Dataset) agree(err error, records *int64) error {
	if err != nil && d.bug == ErrorAlone {
		return err
	}
	give, got := []int64{0, 0}, []int64{0, 0}
	if err != nil {
		give[0] = int64(d.c.Rank()) + 1
	}
	if records != nil {
		give[1] = *records
	}
	if e := d.c.AllReduce(types.Of(give), types.Of(got), comm.Max); e != nil {
		return errors.Join(err, e)
	}
	if records != nil {
		*records = got[1]
	}
	if err == nil && got[0] > 0 {
		return fmt.Errorf("records: rank %d has an error in this collective call", got[0]-1)
	}
	return err
}

// define returns an error unless the dataset is in define mode.
func (d *Dataset) define() error {
	if !d.defining {
		return errors.New("records: the dataset is in data mode: call Redef first")
	}
	return nil
}

// DefDim defines a dimension, Growing or of a fixed length, and returns its index.
// All ranks define the same, in the same order.
func (d *Dataset) DefDim(name string, length int64) (int, error) {
	if err := d.define(); err != nil {
		return 0, err
	}
	d.Dims = append(d.Dims, Dim{name, length})
	return len(d.Dims) - 1, d.Header.check()
}

// DefVar defines a variable and returns its index. All ranks define the same, in the
// same order.
func (d *Dataset) DefVar(name string, t *types.Type, dims []int, attrs ...Attr) (int, error) {
	if err := d.define(); err != nil {
		return 0, err
	}
	d.Vars = append(d.Vars, &Var{Name: name, Type: t, Dims: slices.Clone(dims), Attrs: attrs})
	return len(d.Vars) - 1, d.Header.check()
}

// PutAttrs adds attributes of the file.
func (d *Dataset) PutAttrs(attrs ...Attr) error {
	if err := d.define(); err != nil {
		return err
	}
	d.Attrs = append(d.Attrs, attrs...)
	return nil
}

// Redef goes back to define mode: dimensions, variables and attributes can be added.
// Collective.
func (d *Dataset) Redef() error {
	if d.defining {
		return errors.New("records: the dataset is in define mode already")
	}
	if err := d.Sync(); err != nil {
		return err
	}
	old := d.Header
	old.Vars = nil
	for _, v := range d.Vars {
		copied := *v
		old.Vars = append(old.Vars, &copied)
	}
	d.before, d.defining = &old, true
	return nil
}

// EndDef lays the file out, writes the header and begins data mode. Data that were in
// the file move to their new places. Collective; it returns an error if ranks have not
// defined the same.
func (d *Dataset) EndDef() error {
	if err := d.agree(d.define(), nil); err != nil {
		return err
	}
	d.layOut()
	err := d.Header.check()
	h := fnv.New64a()
	_, _ = h.Write(d.Encode())
	sum := int64(h.Sum64() >> 1)
	high, low := sum, -sum
	if err := errors.Join(d.agree(err, &high), d.agree(nil, &low)); err != nil {
		return err
	}
	if high != -low {
		return errors.New("records: ranks have defined unlike dimensions, variables or attributes")
	}
	if d.c.Rank() == 0 {
		err = d.move()
	}
	if err == nil && (d.c.Rank() == 0 || d.bug == AllWriteHeader) {
		_, err = d.f.WriteAt(types.Of(d.Encode()), 0)
	}
	d.defining, d.before, d.stored = false, nil, d.Records
	return d.publish(err)
}

// move moves the data in the file to the offsets of the new header, on one rank. No data
// move towards the beginning, so the last bytes go first.
func (d *Dataset) move() error {
	if d.before == nil {
		return nil
	}
	type piece struct{ from, to, n int64 }
	var pieces []piece
	for i, v := range d.before.Vars {
		if !d.before.IsRecord(v) {
			pieces = append(pieces, piece{v.Begin, d.Vars[i].Begin, v.Size})
		}
	}
	for r := range d.Records {
		for i, v := range d.before.Vars {
			if d.before.IsRecord(v) {
				n := min(v.Size, d.before.RecordSize)
				pieces = append(pieces, piece{v.Begin + r*d.before.RecordSize, d.Vars[i].Begin + r*d.RecordSize, n})
			}
		}
	}
	if d.bug != MovesUp {
		slices.Reverse(pieces)
	}
	const most = 1 << 20
	for _, p := range pieces {
		for end := p.n; end > 0 && p.from != p.to; end -= most {
			at := max(0, end-most)
			if err := d.copyBytes(p.from+at, p.to+at, end-at); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Dataset) copyBytes(from, to, n int64) error {
	p := make([]byte, n)
	st, err := d.f.ReadAt(types.Of(p), iofile.Offset(from))
	if err != nil {
		return err
	}
	got, _ := st.Count(types.Byte)
	_, err = d.f.WriteAt(types.Of(p[:got]), iofile.Offset(to))
	return err
}

// Sync makes the earlier writes of all ranks visible to the later reads of all: one call
// publishes, orders and fetches. All ranks then know the same number of records, and the
// header has it. Collective.
func (d *Dataset) Sync() error {
	if d.defining {
		return errors.New("records: the dataset is in define mode: call EndDef first")
	}
	return d.publish(d.writeCount())
}

// writeCount writes the number of records on rank 0, if it has changed.
func (d *Dataset) writeCount() error {
	if d.bug == CountOfEach {
		_, err := d.f.WriteAt(types.Of(d.count()), countAt)
		return err
	}
	records := d.Records
	if err := d.agree(nil, &records); err != nil {
		return err
	}
	if d.bug != StaleCount || d.c.Rank() == 0 {
		d.Records = records
	}
	if d.c.Rank() > 0 || records == d.stored {
		return nil
	}
	d.stored = records
	_, err := d.f.WriteAt(types.Of(d.swapped(d.count())), countAt)
	return err
}

// publish makes the three steps of a sync. An earlier error of any rank becomes an error on
// all.
func (d *Dataset) publish(err error) error {
	if d.bug != NoFirstSync {
		err = errors.Join(err, d.syncFiles())
	}
	if d.bug != NoBarrier {
		if err := d.agree(err, nil); err != nil {
			return err
		}
	}
	if d.bug != NoSecondSync {
		err = errors.Join(err, d.syncFiles())
	}
	if d.bug == DropsError {
		return nil
	}
	return err
}

func (d *Dataset) syncFiles() error {
	err := d.f.Sync()
	if d.all != d.f {
		err = errors.Join(err, d.all.Sync())
	}
	return err
}

// Close syncs, makes the file as long as its records need, and closes it. Collective.
func (d *Dataset) Close() error {
	if d.defining {
		return errors.Join(errors.New("records: closed in define mode: the definitions are lost; call EndDef first"), d.closeFiles())
	}
	err := d.Sync()
	if err == nil {
		err = d.fill()
	}
	return errors.Join(err, d.closeFiles())
}

// fill makes the file as long as the header requires.
func (d *Dataset) fill() error {
	if mode, err := d.f.Amode(); err != nil || mode&iofile.ReadOnly != 0 {
		return err
	}
	end := int64(0)
	for _, v := range d.Vars {
		switch {
		case !d.IsRecord(v):
			end = max(end, v.Begin+v.Size)
		case d.Records > 0:
			end = max(end, v.Begin+(d.Records-1)*d.RecordSize+min(v.Size, d.RecordSize))
		}
	}
	size, err := d.f.Size()
	missing := end - size
	if err := d.agree(err, &missing); err != nil || missing <= 0 {
		return err
	}
	return d.f.SetSize(end)
}

func (d *Dataset) closeFiles() error {
	err := d.f.Close()
	if d.all != d.f {
		err = errors.Join(err, d.all.Close())
	}
	return err
}
