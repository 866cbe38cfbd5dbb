package trace

import (
	"io"
	"maps"
	"slices"

	"github.com/commworld/commworld/internal/sched"
)

// A KeptFile is a file that a rank opened, for reading its bytes after the world has ended.
type KeptFile struct {
	Name string
	Open func() (r io.ReadCloser, size int64, err error) // its bytes

	// Writes returns the writers of the first bytes, in the order of the file: at most limit
	// ranges.
	Writes func(bytes int64, limit int) []KeptWrite

	Hints func() map[string]string // that the program gave, when the world has ended
}

// A KeptWrite is a range of a file and the call that wrote it last.
type KeptWrite struct {
	Lo, Hi int64
	Rank   int
	Op     string
	Type   string // etype of the view
	Rep    string // data representation of the view
	Place  sched.Place
}

// KeepsFiles reports whether the world keeps the files that ranks open.
func (l *Log) KeepsFiles() bool { return l != nil && l.w.opts.Files }

// A Copies is a line of the program that accesses a file through several copies of a derived
// type of memory.
type Copies struct {
	Place sched.Place
	Type  string
	Count int64
}

// KeepCopies records such a line once.
func (l *Log) KeepCopies(c Copies) {
	l.copiesOnce.Lock()
	defer l.copiesOnce.Unlock()
	const most = 64 // lines
	if len(l.copies) < most && !slices.ContainsFunc(l.copies, func(o Copies) bool { return o.Place == c.Place }) {
		l.copies = append(l.copies, c)
	}
}

// A Concealed is a line of the program that starts an operation into whose buffer data
// arrive later.
type Concealed struct {
	Op    string
	Place sched.Place
}

// KeepConcealed records such a line once.
func (l *Log) KeepConcealed(c Concealed) {
	const most = 64 // lines
	same := func(o Concealed) bool {
		return o.Op == c.Op && o.Place.File == c.Place.File && o.Place.Line == c.Place.Line
	}
	if len(l.concealed) < most && !slices.ContainsFunc(l.concealed, same) {
		l.concealed = append(l.concealed, c)
	}
}

// Concealed returns the recorded lines. Call it when the world has ended.
func (l *Log) Concealed() []Concealed {
	if l == nil {
		return nil
	}
	return l.concealed
}

// A ShortRead is a line of the program whose reads of a file found fewer bytes than they
// asked for.
type ShortRead struct {
	Op, File   string
	Place      sched.Place
	Got, Asked int64 // of the first one
}

// KeepShortRead records such a line once.
func (l *Log) KeepShortRead(s ShortRead) {
	l.copiesOnce.Lock()
	defer l.copiesOnce.Unlock()
	const most = 64 // lines
	if len(l.short) < most && !slices.ContainsFunc(l.short, func(o ShortRead) bool { return o.Place.Chain() == s.Place.Chain() && o.File == s.File }) {
		l.short = append(l.short, s)
	}
}

// ShortReads returns the recorded lines. Call it when the world has ended.
func (l *Log) ShortReads() []ShortRead { return l.short }

// Copies returns the recorded lines. Call it when the world has ended.
func (l *Log) Copies() []Copies {
	if l == nil {
		return nil
	}
	return l.copies
}

// keptFiles holds the files of a world by name.
type keptFiles struct {
	mu  sched.Mutex
	all map[string]KeptFile
}

// KeepFile records that the rank opened a file. If several file systems have a file of that
// name, the last one counts. It does nothing unless the world keeps files; see [Options].
func (l *Log) KeepFile(f KeptFile) {
	if !l.KeepsFiles() {
		return
	}
	k := &l.w.kept
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[string]KeptFile{}
	}
	k.all[f.Name] = f
}

// KeptFiles returns the files that ranks opened, by name. Call it when the world has
// ended.
func (w *World) KeptFiles() []KeptFile {
	var list []KeptFile
	for _, name := range slices.Sorted(maps.Keys(w.kept.all)) {
		list = append(list, w.kept.all[name])
	}
	return list
}
