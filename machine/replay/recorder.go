package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/brief"
)

// ReadRecorder reads the text that recorder2text makes of a trace of Recorder: a
// directory with a file for each rank, such as 0.txt and 1.txt, in fsys or in its
// directory _text. If a file has POSIX calls, it keeps these. It keeps the calls of
// MPI-IO only of files without POSIX calls, and only if their views have predefined
// types: the text does not describe other types. The name is used in errors.
//
// Error: ErrArg with file, line and reason for text that is not of this form, and for one
// that has nothing to replay; that of fsys.
func ReadRecorder(name string, fsys fs.FS) (*Trace, error) {
	dir, ranks, err := rankFiles(fsys)
	if err != nil {
		return nil, err
	}
	if len(ranks) == 0 {
		return nil, fault("%s: no file such as 0.txt, nor in _text: this is not what recorder2text makes", name)
	}
	p := &recorderReader{files: map[string]*recorderFile{}}
	for rank, file := range ranks {
		if file == "" {
			return nil, fault("%s: no text of rank %d, but of rank %d", name, rank, len(ranks)-1)
		}
		if err := p.rank(path.Join(name, dir, file), rank, fsys, path.Join(dir, file)); err != nil {
			return nil, err
		}
	}
	return p.end(name, len(ranks))
}

// rankFiles returns the directory of the text and the file of each rank; "" for a rank
// without one.
func rankFiles(fsys fs.FS) (dir string, ranks []string, err error) {
	for _, dir := range []string{".", "_text"} {
		list, err := fs.ReadDir(fsys, dir)
		if err != nil {
			if dir == "_text" && errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return "", nil, err
		}
		for _, f := range list {
			digits, ok := strings.CutSuffix(f.Name(), ".txt")
			rank, err := strconv.ParseUint(digits, 10, 31)
			if !ok || err != nil || f.IsDir() {
				continue
			}
			if rank >= mostRanks {
				return "", nil, fault("%s: there are ranks 0 to %d", path.Join(dir, f.Name()), mostRanks-1)
			}
			if need := int(rank) + 1; need > len(ranks) {
				ranks = append(ranks, make([]string, need-len(ranks))...)
			}
			ranks[rank] = f.Name()
		}
		if len(ranks) > 0 {
			return dir, ranks, nil
		}
	}
	return "", nil, nil
}

// A recorderReader reads the text of the ranks, one after the other.
type recorderReader struct {
	files map[string]*recorderFile
	total int
	left  int // calls that are left out because they are not on files
}

// A recorderFile is a file with the accesses of both layers.
type recorderFile struct {
	File
	requests, calls []Access
	unknown         error // the first call whose bytes cannot be determined, with its line
}

// A rankState is the files that a rank has open.
type rankState struct {
	p       *recorderReader
	rank    int
	at      map[string]*position // of files opened by POSIX calls
	handles map[string]*handle   // of MPI-IO
	begin   float64
	end     float64
}

// A position is the file pointer of a rank, and a lower bound of the file's size.
type position struct{ at, end int64 }

// A handle is a file opened by MPI-IO.
type handle struct {
	name  string
	disp  int64
	etype int64 // bytes
	at    int64 // etypes
	why   string
}

func (p *recorderReader) rank(name string, rank int, fsys fs.FS, file string) error {
	f, err := fsys.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	s := &rankState{p: p, rank: rank, at: map[string]*position{}, handles: map[string]*handle{}}
	return lines(name, f, func(number int, text string) error { return s.line(name, number, text) })
}

// The layers of calls.
const (
	posixLayer = 0
	mpiioLayer = 1
)

// line reads "begin end function level layer ( arguments )".
func (s *rankState) line(name string, number int, text string) (err error) {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	head, args, ok := strings.Cut(text, "(")
	f := strings.Fields(head)
	if !ok || len(f) != 5 {
		return errors.New("no record of Recorder: begin, end, function, level, layer and (arguments)")
	}
	args = strings.TrimSpace(args)
	if args, ok = strings.CutSuffix(args, ")"); !ok {
		return errors.New("the arguments do not end: the text is cut off")
	}
	for i, at := range []*float64{&s.begin, &s.end} {
		if *at, err = strconv.ParseFloat(f[i], 64); err != nil {
			return fmt.Errorf("%q is not a number of seconds", brief.String(f[i]))
		}
	}
	layer, err := strconv.Atoi(f[4])
	if err != nil {
		return fmt.Errorf("layer %q is not a number", brief.String(f[4]))
	}
	switch layer {
	case posixLayer:
		return s.posix(f[2], strings.Fields(args))
	case mpiioLayer:
		return s.mpiio(name, number, f[2], strings.Fields(args))
	}
	return nil
}

// named joins the parts of a file's name, which may contain blanks: the call has n
// arguments, and the name-th is the file's name.
func named(args []string, n, name int) ([]string, error) {
	if len(args) < n {
		return nil, fmt.Errorf("%d arguments; the call has %d", len(args), n)
	}
	more := len(args) - n
	list := slices.Clone(args[:name])
	list = append(list, strings.Join(args[name:name+more+1], " "))
	return append(list, args[name+more+1:]...), nil
}

func number(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", brief.String(text))
	}
	return n, nil
}

// posixForms has, for each call, the number of its arguments and which of them is the
// file.
var posixForms = map[string]struct{ n, name int }{
	"open": {2, 0}, "open64": {2, 0}, "creat": {2, 0}, "creat64": {2, 0}, "fopen": {2, 0}, "fopen64": {2, 0},
	"lseek": {3, 0}, "lseek64": {3, 0}, "fseek": {3, 0}, "fseeko": {3, 0},
	"read": {3, 0}, "write": {3, 0}, "pread": {4, 0}, "pread64": {4, 0}, "pwrite": {4, 0}, "pwrite64": {4, 0},
	"readv": {3, 0}, "writev": {3, 0}, "fread": {4, 3}, "fwrite": {4, 3}, "fprintf": {2, 0}, "vfprintf": {2, 0},
	"close": {1, 0}, "fclose": {1, 0},
}

// appends is the flag O_APPEND of Linux.
const appends = 0o2000

// posix reads a call of the POSIX layer.
func (s *rankState) posix(call string, args []string) error {
	form, ok := posixForms[call]
	if !ok {
		return nil
	}
	if strings.HasPrefix(call, "open") && len(args) > 2 { // the mode is present if the call may create a file
		if _, err := number(args[len(args)-2]); err == nil {
			form.n = 3
		}
	}
	args, err := named(args, form.n, form.name)
	if err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	name := args[form.name]
	if special(name) {
		s.p.left++
		return nil
	}
	at := s.at[name]
	if at == nil {
		at = new(position)
		s.at[name] = at
	}
	switch call {
	case "open", "open64", "creat", "creat64", "fopen", "fopen64":
		at.open(call, args)
		return nil
	case "close", "fclose":
		at.at = 0
		return nil
	case "lseek", "lseek64", "fseek", "fseeko":
		return at.seek(call, args)
	}
	a := Access{Rank: s.rank, Write: !strings.Contains(call, "read"), Begin: s.begin, End: s.end, Off: at.at}
	explicit, err := a.place(call, args)
	if err == nil {
		err = a.check()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	if !explicit {
		at.at += a.Len
	}
	at.end = max(at.end, a.Off+a.Len)
	f := s.p.file(name)
	f.requests = append(f.requests, a)
	return s.p.count()
}

// place reads the length of a POSIX access, and its offset if it is explicit.
func (a *Access) place(call string, args []string) (explicit bool, err error) {
	switch call {
	case "pread", "pread64", "pwrite", "pwrite64":
		explicit = true
		if a.Len, err = number(args[2]); err == nil {
			a.Off, err = number(args[3])
		}
	case "fread", "fwrite":
		var size, n int64
		if size, err = number(args[1]); err == nil {
			n, err = number(args[2])
		}
		if err == nil && (size < 0 || n < 0 || size > 0 && n > math.MaxInt64/8/size) {
			err = fmt.Errorf("%d items of %d bytes", n, size)
		}
		a.Len = size * n
	case "readv", "writev", "fprintf", "vfprintf":
		a.Len, err = number(args[1])
	default:
		a.Len, err = number(args[2])
	}
	return explicit, err
}

// special reports whether a name is not of a file of a parallel file system, but of a
// device or the like.
func special(name string) bool {
	for _, dir := range []string{"/dev/", "/proc/", "/sys/"} {
		if strings.HasPrefix(name, dir) {
			return true
		}
	}
	return name == "stdin" || name == "stdout" || name == "stderr" || strings.HasPrefix(name, "pipe:") || strings.HasPrefix(name, "socket:")
}

func (p *position) open(call string, args []string) {
	p.at = 0
	flags, err := strconv.ParseInt(args[1], 10, 64)
	if err == nil && flags&appends != 0 || strings.HasPrefix(call, "fopen") && strings.HasPrefix(args[1], "a") {
		p.at = p.end
	}
}

func (p *position) seek(call string, args []string) error {
	by, err := number(args[1])
	if err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	from := int64(0)
	switch args[2] {
	case "0", "SEEK_SET":
	case "1", "SEEK_CUR":
		from = p.at
	case "2", "SEEK_END":
		from = p.end
	default:
		return fmt.Errorf("%s: whence %q", call, brief.String(args[2]))
	}
	if by > math.MaxInt64/4 || from+by < 0 {
		return fmt.Errorf("%s: to %d from %d", call, by, from)
	}
	p.at = from + by
	return nil
}

func (p *recorderReader) file(name string) *recorderFile {
	f := p.files[name]
	if f == nil {
		f = &recorderFile{File: File{Name: strings.Clone(name)}}
		p.files[f.Name] = f
	}
	return f
}

func (p *recorderReader) count() error {
	if p.total++; p.total > mostAccesses {
		return fmt.Errorf("more than %d accesses", mostAccesses)
	}
	return nil
}

// mpiio reads a call of MPI-IO.
func (s *rankState) mpiio(file string, line int, call string, args []string) error {
	rest, ok := strings.CutPrefix(call, "MPI_File_")
	if !ok {
		return nil
	}
	if rest == "open" {
		args, err := named(args, 5, 1)
		if err != nil {
			return fmt.Errorf("%s: %w", call, err)
		}
		s.handles[args[4]] = &handle{name: args[1], etype: 1}
		return nil
	}
	if len(args) == 0 {
		return nil
	}
	h := s.handles[args[0]]
	write, kind, data := dataCall(rest)
	switch {
	case h == nil && data:
		return fmt.Errorf("%s of file %q, which was not opened", call, brief.String(args[0]))
	case h == nil:
		return nil
	case rest == "close":
		delete(s.handles, args[0])
		return nil
	case rest == "set_view":
		return h.view(call, args)
	case rest == "seek":
		return h.seek(call, args)
	case !data:
		return nil
	}
	if kind == byShared {
		h.why = call + " uses the shared pointer"
	}
	a, err := h.access(call, kind, args)
	if err != nil {
		return err
	}
	f := s.p.file(h.name)
	if h.why != "" {
		if f.unknown == nil {
			f.unknown = wrong(file, line, fmt.Errorf("%s, so which bytes %s moves is not in the text; trace POSIX calls, too (RECORDER_POSIX_TRACING=1)", h.why, call))
		}
		return s.p.count()
	}
	a.Rank, a.Write, a.Begin, a.End = s.rank, write, s.begin, s.end
	if err := a.check(); err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	f.calls = append(f.calls, a)
	return s.p.count()
}

// The kinds of file pointers of data accesses.
const (
	byOffset = iota
	byOwn
	byShared
)

// dataCall parses the name of a data access without MPI_File_. It ignores the second half
// of a split collective: it moves no more bytes.
func dataCall(name string) (write bool, kind int, ok bool) {
	name = strings.TrimPrefix(name, "i")
	switch {
	case strings.HasSuffix(name, "_end"):
		return false, 0, false
	case strings.HasPrefix(name, "write"):
		write = true
	case !strings.HasPrefix(name, "read"):
		return false, 0, false
	}
	switch {
	case strings.Contains(name, "_at"):
		kind = byOffset
	case strings.Contains(name, "_shared"), strings.Contains(name, "_ordered"):
		kind = byShared
	default:
		kind = byOwn
	}
	return write, kind, true
}

// view reads handle, disp, etype, filetype, representation and info.
func (h *handle) view(call string, args []string) error {
	if len(args) < 4 {
		return fmt.Errorf("%s: %d arguments; the call has 6", call, len(args))
	}
	disp, err := number(args[1])
	if err != nil || disp < 0 {
		return fmt.Errorf("%s: displacement %q", call, brief.String(args[1]))
	}
	size, known := typeSizes[args[2]]
	h.disp, h.etype, h.at, h.why = disp, size, 0, ""
	if !known || args[3] != args[2] {
		h.why = fmt.Sprintf("the view has etype %s and filetype %s", brief.String(args[2]), brief.String(args[3]))
		h.etype = 1
	}
	return nil
}

func (h *handle) seek(call string, args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("%s: %d arguments; the call has 3", call, len(args))
	}
	by, err := number(args[1])
	if err != nil {
		return fmt.Errorf("%s: %w", call, err)
	}
	switch args[2] {
	case "MPI_SEEK_SET", "0", "600":
		h.at = by
	case "MPI_SEEK_CUR", "1", "602":
		h.at += by
	default:
		h.why = call + " goes to the end of the file"
	}
	if h.at < 0 || h.at > math.MaxInt64/4 {
		return fmt.Errorf("%s: to etype %d", call, h.at)
	}
	return nil
}

// access returns the bytes of a data access.
func (h *handle) access(call string, kind int, args []string) (a Access, err error) {
	at, k := h.at, 2 // index of the count argument
	if kind == byOffset {
		k = 3
	}
	if len(args) < k+2 {
		return a, fmt.Errorf("%s: %d arguments; the call has %d or more", call, len(args), k+2)
	}
	if kind == byOffset {
		if at, err = number(args[1]); err != nil {
			return a, fmt.Errorf("%s: offset %w", call, err)
		}
	}
	count, err := number(args[k])
	if err != nil {
		return a, fmt.Errorf("%s: count %w", call, err)
	}
	size, known := typeSizes[args[k+1]]
	if !known && h.why == "" && count != 0 {
		h.why = fmt.Sprintf("%s has datatype %s", call, brief.String(args[k+1]))
	}
	if at < 0 || count < 0 || at > math.MaxInt64/32/max(1, h.etype) || count > math.MaxInt64/32/max(1, size) || h.disp > math.MaxInt64/8 {
		return a, fmt.Errorf("%s: %d items at etype %d", call, count, at)
	}
	a.Off, a.Len = h.disp+at*h.etype, count*size
	if kind == byOwn {
		h.at += a.Len / h.etype
	}
	return a, nil
}

// typeSizes are the sizes of predefined types on the usual platforms.
var typeSizes = map[string]int64{
	"MPI_BYTE": 1, "MPI_PACKED": 1, "MPI_CHAR": 1, "MPI_SIGNED_CHAR": 1, "MPI_UNSIGNED_CHAR": 1, "MPI_CHARACTER": 1, "MPI_C_BOOL": 1, "MPI_CXX_BOOL": 1,
	"MPI_SHORT": 2, "MPI_UNSIGNED_SHORT": 2, "MPI_WCHAR": 4, "MPI_INT": 4, "MPI_UNSIGNED": 4, "MPI_LONG": 8, "MPI_UNSIGNED_LONG": 8, "MPI_LONG_LONG": 8,
	"MPI_LONG_LONG_INT": 8, "MPI_UNSIGNED_LONG_LONG": 8, "MPI_FLOAT": 4, "MPI_DOUBLE": 8, "MPI_LONG_DOUBLE": 16,
	"MPI_INT8_T": 1, "MPI_INT16_T": 2, "MPI_INT32_T": 4, "MPI_INT64_T": 8, "MPI_UINT8_T": 1, "MPI_UINT16_T": 2, "MPI_UINT32_T": 4, "MPI_UINT64_T": 8,
	"MPI_AINT": 8, "MPI_OFFSET": 8, "MPI_COUNT": 8, "MPI_INTEGER": 4, "MPI_LOGICAL": 4, "MPI_REAL": 4, "MPI_DOUBLE_PRECISION": 8, "MPI_COMPLEX": 8,
	"MPI_DOUBLE_COMPLEX": 16, "MPI_INTEGER1": 1, "MPI_INTEGER2": 2, "MPI_INTEGER4": 4, "MPI_INTEGER8": 8, "MPI_REAL4": 4, "MPI_REAL8": 8, "MPI_REAL16": 16,
	"MPI_C_FLOAT_COMPLEX": 8, "MPI_C_COMPLEX": 8, "MPI_C_DOUBLE_COMPLEX": 16,
}

// end makes the trace from the lines read.
func (p *recorderReader) end(name string, ranks int) (*Trace, error) {
	t := &Trace{Name: name, Ranks: ranks}
	list := make([]*recorderFile, 0, len(p.files))
	for _, f := range p.files {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *recorderFile) int { return cmp.Compare(a.Name, b.Name) })
	for _, f := range list {
		switch {
		case len(f.requests) > 0:
			f.Accesses = f.requests
			if len(f.calls) > 0 || f.unknown != nil {
				t.Notes = append(t.Notes, fmt.Sprintf("%q: its %d POSIX calls are replayed, not the calls of MPI-IO that made them", brief.String(f.Name), len(f.requests)))
			}
		case f.unknown != nil:
			return nil, f.unknown
		default:
			f.Accesses, f.Calls = f.calls, true
		}
		t.Files = append(t.Files, &f.File)
	}
	if err := t.finish(); err != nil {
		return nil, err
	}
	if p.left > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d calls on devices, pipes and standard streams are left out", p.left))
	}
	return t, nil
}
