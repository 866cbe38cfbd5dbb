package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
)

// An Error says where a file of a recording is wrong.
type Error struct {
	File   string
	Offset int64 // of the record
	Err    error
}

// Error names the file and the offset.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: at byte %d: %v", e.File, e.Offset, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// A Call is one call of a rank. Args is valid until the next call is read.
type Call struct {
	*Function
	Site     int     // a number for the line, and the function, in the order of their first calls
	Args     []int64 // one for each field
	Returned bool    // false: the job ended while the rank was in the call; only the inputs are known
}

// An End says how the file of a rank ends.
type End int

// The ends.
const (
	Cut       End = iota // the process was killed, or still runs
	Finalized            // MPI_Finalize returned
	Exited               // the process ended without MPI_Finalize
)

// A Reader reads the calls of one rank.
type Reader struct {
	Head
	file string
	in   input

	functions []Function
	modules   []Module
	blobs     []any
	types     *typeCache
	model     model
	notes     []string

	run   uint64 // calls left of a run
	call  Call
	calls int64
	end   End
	done  error
}

// A Head is what a rank says of its job.
type Head struct {
	Rank, Ranks int
	Job         uint64 // the same for all ranks of a job
	Library     string // as MPI_Get_library_version says, its first line
}

// A Module is an executable or a library that calls come from.
type Module struct {
	Path    string
	BuildID string // in hexadecimal; empty: it has none
}

// newReader reads the beginning of a rank's file.
func newReader(file string, in source, types *typeCache) (*Reader, error) {
	r := &Reader{file: file, in: input{from: in}, model: newModel(), types: types}
	var m [len(magic)]byte
	for i := range m {
		b, err := r.in.byte()
		if err != nil {
			return nil, r.failed(0, errors.New("not the file of a recording: it is too short"))
		}
		m[i] = b
	}
	switch {
	case string(m[:len(m)-1]) != magic[:len(m)-1]:
		return nil, r.failed(0, errors.New("not the file of a recording"))
	case m[len(m)-1] != magic[len(m)-1]:
		return nil, r.failed(0, fmt.Errorf("version %d of the format; this program reads version %d", m[len(m)-1], magic[len(m)-1]))
	}
	at := r.in.offset()
	tag, err := r.in.byte()
	if err == nil && tag != tagHead {
		err = errors.New("the head is missing")
	}
	if err == nil {
		err = r.head()
	}
	if err != nil {
		return nil, r.failed(at, err)
	}
	return r, nil
}

func (r *Reader) failed(at int64, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the file ends within a record")
	}
	r.done = &Error{r.file, at, err}
	return r.done
}

func (r *Reader) head() (err error) {
	var rank, ranks uint64
	if rank, err = r.in.uvarint(); err == nil {
		ranks, err = r.in.uvarint()
	}
	if err == nil {
		r.Job, err = r.in.uvarint()
	}
	if err == nil {
		r.Library, err = r.text()
	}
	if err == nil && (ranks > math.MaxInt32 || rank >= ranks) {
		err = fmt.Errorf("rank %d of %d", rank, ranks)
	}
	r.Rank, r.Ranks = int(rank), int(ranks)
	return err
}

// End says how the file ends. It is known when Next has returned io.EOF.
func (r *Reader) End() End { return r.end }

// Calls returns how many calls were read.
func (r *Reader) Calls() int64 { return r.calls }

// Notes returns what the recorder noted, such as that several threads called MPI.
func (r *Reader) Notes() []string { return r.notes }

// Frames returns the return addresses of a site, innermost first.
func (r *Reader) Frames(site int) []Frame { return r.model.sites[site].frames }

// Module returns a module.
func (r *Reader) Module(i int) Module { return r.modules[i] }

// Next returns the next call. Errors: io.EOF at the end, *Error.
func (r *Reader) Next() (*Call, error) {
	for r.done == nil {
		if r.run > 0 {
			r.run--
			return r.predicted()
		}
		at := r.in.offset()
		tag, err := r.in.byte()
		if err == io.EOF {
			r.done = io.EOF
			break
		}
		if err == nil {
			var call *Call
			if call, err = r.record(tag); call != nil {
				return call, nil
			}
		}
		if err == io.EOF {
			r.done = err
		} else if err != nil {
			return nil, r.failed(at, err)
		}
	}
	return nil, r.done
}

// record reads a record. It returns a call if the record is one.
func (r *Reader) record(tag byte) (*Call, error) {
	switch {
	case tag >= shortCall:
		return r.given(uint64(tag-shortCall), true)
	case tag == tagEnd:
		return nil, r.zeros()
	case r.end != Cut:
		return nil, errors.New("a record after the end of the program")
	}
	switch tag {
	case tagFunction:
		return nil, r.function()
	case tagModule:
		return nil, r.module()
	case tagSite:
		return nil, r.site()
	case tagBlob:
		return nil, r.blob()
	case tagCounting, tagRun:
		return nil, r.runOf(tag == tagCounting)
	case tagCall, tagPending:
		n, err := r.in.uvarint()
		if err != nil {
			return nil, err
		}
		return r.given(n, tag == tagCall)
	case tagExit:
		r.end = Exited
		return nil, nil
	case tagNote:
		text, err := r.text()
		r.notes = append(r.notes, text)
		if len(r.notes) > maxFields {
			err = errors.New("too many notes")
		}
		return nil, err
	}
	return nil, fmt.Errorf("there is no record %#x", tag)
}

// mostTorn is the length of what may follow the end: a record that a process which was killed
// was writing, or a call that had returned since.
const mostTorn = 1024

// zeros checks that nothing but zeros follows, behind a record that is not whole.
func (r *Reader) zeros() error {
	end := r.in.offset()
	for {
		b, err := r.in.byte()
		switch {
		case err == io.EOF:
			return io.EOF
		case err != nil:
			return err
		case b != 0 && r.in.offset()-end > mostTorn:
			return fmt.Errorf("the end of the recording is followed by byte %#x at %d", b, r.in.offset()-1)
		}
	}
}

func (r *Reader) function() error {
	name, err := r.text()
	if err != nil {
		return err
	}
	fields, err := r.text()
	if err != nil {
		return err
	}
	f, err := parseFields(name, fields)
	if err == nil && len(r.functions) == maxFunctions {
		err = fmt.Errorf("more than %d functions", maxFunctions)
	}
	r.functions = append(r.functions, f)
	return err
}

func (r *Reader) module() error {
	path, err := r.text()
	if err != nil {
		return err
	}
	id, err := r.text()
	if err == nil && len(r.modules) == maxModules {
		err = fmt.Errorf("more than %d modules", maxModules)
	}
	r.modules = append(r.modules, Module{path, id})
	return err
}

func (r *Reader) site() error {
	f, err := r.below(len(r.functions), "function")
	if err != nil {
		return err
	}
	n, err := r.below(maxFrames+1, "number of return addresses")
	if err != nil {
		return err
	}
	frames := make([]Frame, n)
	for i := range frames {
		m, err := r.below(len(r.modules)+1, "module")
		if err != nil {
			return err
		}
		frames[i].Module = m - 1
		if frames[i].Address, err = r.in.uvarint(); err != nil {
			return err
		}
	}
	if len(r.model.sites) == maxSites {
		return fmt.Errorf("more than %d sites", maxSites)
	}
	r.model.add(f, len(r.functions[f].Fields), frames)
	return nil
}

func (r *Reader) runOf(counting bool) (err error) {
	var n uint64
	if counting {
		var b [8]byte
		for i := range b {
			if b[i], err = r.in.inside(); err != nil {
				return err
			}
		}
		n = binary.LittleEndian.Uint64(b[:])
	} else if n, err = r.in.uvarint(); err != nil {
		return err
	}
	if r.model.next() < 0 {
		return errors.New("a run of calls that nothing predicts")
	}
	r.run = n
	return nil
}

// predicted returns the next call of a run.
func (r *Reader) predicted() (*Call, error) {
	n := r.model.next()
	if n < 0 {
		return nil, r.failed(r.in.offset(), errors.New("a run of calls that nothing predicts"))
	}
	s := r.model.sites[n]
	args := r.args(len(s.args))
	for i := range args {
		args[i] = s.predicted(i)
	}
	return r.made(n, true), nil
}

func (r *Reader) args(n int) []int64 {
	if cap(r.call.Args) < n {
		r.call.Args = make([]int64, n, maxFields)
	}
	r.call.Args = r.call.Args[:n]
	return r.call.Args
}

// made returns the call whose arguments are in r.call.
func (r *Reader) made(site int, returned bool) *Call {
	r.call.Function = &r.functions[r.model.sites[site].function]
	r.call.Site, r.call.Returned = site, returned
	if returned {
		r.model.made(site, r.call.Args)
		if r.call.Name == "Finalize" {
			r.end = Finalized
		}
	}
	r.calls++
	return &r.call
}

// given reads a call that is not as predicted.
func (r *Reader) given(n uint64, returned bool) (*Call, error) {
	if r.end != Cut {
		return nil, errors.New("a call after the end of the program")
	}
	if n >= uint64(len(r.model.sites)) {
		return nil, fmt.Errorf("there is no site %d", n)
	}
	s := r.model.sites[n]
	args := r.args(len(s.args))
	for i := range args {
		args[i] = s.predicted(i)
	}
	mask, err := r.in.uvarint()
	if err != nil {
		return nil, err
	}
	if bits.Len64(mask) > len(args) {
		return nil, fmt.Errorf("a call with %d fields of %d", bits.Len64(mask), len(args))
	}
	for ; mask != 0; mask &= mask - 1 {
		d, err := r.in.uvarint()
		if err != nil {
			return nil, err
		}
		args[bits.TrailingZeros64(mask)] += unzigzag(d)
	}
	return r.made(int(n), returned), nil
}

// below reads a number less than n.
func (r *Reader) below(n int, what string) (int, error) {
	x, err := r.in.uvarint()
	if err == nil && x >= uint64(n) {
		err = fmt.Errorf("%s %d: there are %d", what, x, n)
	}
	return int(x), err
}

// text reads a text.
func (r *Reader) text() (string, error) {
	n, err := r.below(maxText, "length of a text")
	if err != nil {
		return "", err
	}
	b, err := r.in.bytes(n)
	return string(b), err
}

// A source is what a rank's file is read from, in pieces.
type source interface {
	io.ReaderAt
	Size() int64
}

// An onDisk is a file that is only open while a piece of it is read: a job may have more ranks
// than a process may open files.
type onDisk struct {
	name string
	size int64
}

func (f onDisk) Size() int64 { return f.size }

func (f onDisk) ReadAt(p []byte, off int64) (int, error) {
	file, err := os.Open(f.name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	n, err := file.ReadAt(p, off)
	if errors.Is(err, io.EOF) && off+int64(len(p)) <= f.size {
		// A rank that ends cuts the unused bytes off, all of them 0, which a reader may have seen.
		clear(p[n:])
		return len(p), nil
	}
	return n, err
}

// piece is how much of a file is read at a time.
const piece = 32 << 10

// An input reads the bytes of a source.
type input struct {
	from source
	buf  []byte
	next int   // in buf
	read int64 // bytes read from the source
}

func (in *input) offset() int64 { return in.read - int64(len(in.buf)-in.next) }

// left returns how many bytes there are.
func (in *input) left() int64 { return in.from.Size() - in.offset() }

// byte returns the next byte. Errors: io.EOF, those of the source.
func (in *input) byte() (byte, error) {
	if in.next == len(in.buf) {
		if err := in.fill(); err != nil {
			return 0, err
		}
	}
	b := in.buf[in.next]
	in.next++
	return b, nil
}

func (in *input) fill() error {
	n := min(piece, in.from.Size()-in.read)
	if n <= 0 {
		return io.EOF
	}
	if int64(cap(in.buf)) < n {
		in.buf = make([]byte, n)
	}
	in.buf, in.next = in.buf[:n], 0
	if got, err := in.from.ReadAt(in.buf, in.read); int64(got) < n {
		in.buf = in.buf[:0]
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	in.read += n
	return nil
}

// inside returns the next byte of a record.
func (in *input) inside() (byte, error) {
	b, err := in.byte()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

func (in *input) uvarint() (x uint64, err error) {
	for shift := 0; ; shift += 7 {
		b, err := in.inside()
		if err != nil {
			return 0, err
		}
		if shift == 63 && b > 1 {
			return 0, errors.New("a number has more than 64 bits")
		}
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return x, nil
		}
	}
}

func (in *input) bytes(n int) ([]byte, error) {
	if int64(n) > in.left() {
		return nil, io.ErrUnexpectedEOF
	}
	all := make([]byte, n)
	for i := range all {
		b, err := in.inside()
		if err != nil {
			return nil, err
		}
		all[i] = b
	}
	return all, nil
}
