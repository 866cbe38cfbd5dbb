package mutants

import (
	"maps"
	"sync"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
)

// A shared is the state besides the file that the ranks of a layer share.
type shared struct {
	mu   sync.Mutex
	kept map[int64][]byte // pages that outlive a handle, for the bug
}

// A paged file reads, changes and writes whole pages, under a lock, and keeps the pages
// that it has read until the next sync.
type paged struct {
	c     *comm.Comm
	d     proptest.Disk
	b     bug
	page  int64
	sh    *shared
	cache map[int64][]byte // by number
	ends  int64            // of own writes since the sync
	syncs int              // until now
	old   [32]map[int64][]byte
}

func newPaged(page int64) func(b bug) func(*comm.Comm, proptest.Disk, *shared) proptest.File {
	return func(b bug) func(*comm.Comm, proptest.Disk, *shared) proptest.File {
		return func(c *comm.Comm, d proptest.Disk, sh *shared) proptest.File {
			f := &paged{c: c, d: d, b: b, page: page, sh: sh, cache: map[int64][]byte{}}
			if b == "pages outlive the close" && sh.kept != nil {
				f.cache = maps.Clone(sh.kept)
			}
			return f
		}
	}
}

var pagedBugs = []bug{
	"pages are changed without a lock",
	"pages outlive a sync",
	"pages outlive a sync if the file has not grown",
	"the page read last outlives a sync",
	"pages outlive 16 syncs",
	"pages outlive 32 syncs",
	"pages outlive the close",
	"a sync drops every other page",
	"a sync without own writes drops no pages",
	"a short page is taken for the end of the file",
	"the last page is not written if it is short",
	"own writes do not reach the page that is kept",
	"only the first page of a write is written",
	"a write is as long as its page",
	"two pages are written in one, from the first page's bytes",
}

// load returns a page from the file; it is shorter at the end of the file.
func (f *paged) load(k int64) ([]byte, error) {
	if p, ok := f.cache[k]; ok {
		return p, nil
	}
	p := make([]byte, f.page)
	n, err := untilEnd(f.d.ReadAt(p, k*f.page))
	if err == nil {
		f.cache[k] = p[:n]
	}
	return p[:n], err
}

func (f *paged) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		k, at := (off+int64(n))/f.page, (off+int64(n))%f.page
		page, err := f.load(k)
		if err != nil {
			return n, err
		}
		moved := copy(p[n:], page[min(at, int64(len(page))):])
		n += moved
		if at+int64(moved) == f.page {
			continue
		}
		if n == len(p) || f.b == "a short page is taken for the end of the file" {
			break
		}
		more, err := f.hole(p[n:], off+int64(n), f.page-at-int64(moved))
		n += more
		if err != nil || int64(more) < f.page-at-int64(moved) {
			return n, err
		}
	}
	return n, nil
}

// hole fills the bytes that a kept page lacks: this rank may have made the file longer
// since.
func (f *paged) hole(p []byte, off, most int64) (int, error) {
	p = p[:min(int64(len(p)), most)]
	size, err := sizeOf(f.d)
	if err != nil {
		return 0, err
	}
	p = p[:max(0, min(int64(len(p)), size-off))]
	return untilEnd(f.d.ReadAt(p, off))
}

func (f *paged) WriteAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		k, at := (off+int64(n))/f.page, (off+int64(n))%f.page
		moved := min(int64(len(p)-n), f.page-at)
		if err := f.change(k, at, p[n:n+int(moved)]); err != nil {
			return n, err
		}
		if f.b == "only the first page of a write is written" {
			break
		}
		n += int(moved)
		if n < len(p) && f.b == "two pages are written in one, from the first page's bytes" {
			copy(p[n:], p[:min(n, len(p)-n)])
		}
	}
	if f.b == "only the first page of a write is written" {
		return len(p), nil
	}
	f.ends = max(f.ends, off+int64(len(p)))
	return n, nil
}

// change writes a part of a page: it reads the page, changes it and writes it back.
func (f *paged) change(k, at int64, p []byte) error {
	if f.b != "pages are changed without a lock" {
		if err := proptest.Lock(f.c, &f.sh.mu); err != nil {
			return err
		}
		defer f.sh.mu.Unlock()
	}
	page := make([]byte, f.page)
	n, err := untilEnd(f.d.ReadAt(page, k*f.page))
	if err != nil {
		return err
	}
	copy(page[at:], p)
	end := max(int64(n), at+int64(len(p)))
	if f.b == "a write is as long as its page" {
		end = f.page
	}
	if f.b == "the last page is not written if it is short" && end < f.page && k > 0 {
		return nil
	}
	if _, err := f.d.WriteAt(page[:end], k*f.page); err != nil {
		return err
	}
	kept, ok := f.cache[k]
	if !ok || f.b == "own writes do not reach the page that is kept" {
		return nil
	}
	for int64(len(kept)) < at {
		kept = append(kept, page[len(kept)]) // between its end and the write
	}
	if int64(len(kept)) < at+int64(len(p)) {
		kept = append(kept[:at], p...)
	} else {
		copy(kept[at:], p)
	}
	f.cache[k] = kept
	return nil
}

func (f *paged) ReadAtAll(p []byte, off int64) (int, error)  { return f.ReadAt(p, off) }
func (f *paged) WriteAtAll(p []byte, off int64) (int, error) { return f.WriteAt(p, off) }

func (f *paged) Sync() error {
	size, err := sizeOf(f.d)
	switch f.b {
	case "pages outlive 16 syncs":
		f.wrap(16)
	case "pages outlive 32 syncs":
		f.wrap(32)
	case "pages outlive a sync":
	case "pages outlive a sync if the file has not grown":
		if size > f.ends && f.ends > 0 {
			clear(f.cache)
		}
	case "the page read last outlives a sync":
		last := int64(-1)
		for k := range f.cache {
			last = max(last, k)
		}
		maps.DeleteFunc(f.cache, func(k int64, _ []byte) bool { return k != last })
	case "a sync drops every other page":
		maps.DeleteFunc(f.cache, func(k int64, _ []byte) bool { return k%2 == 1 })
	case "a sync without own writes drops no pages":
		if f.ends > 0 {
			clear(f.cache)
		}
	default:
		clear(f.cache)
	}
	f.ends = 0
	return err
}

// wrap takes pages for valid that were read when the number of syncs was the same modulo n.
func (f *paged) wrap(n int) {
	f.old[f.syncs%n] = f.cache
	f.syncs++
	f.cache = maps.Clone(f.old[f.syncs%n])
	if f.cache == nil {
		f.cache = map[int64][]byte{}
	}
}

func (f *paged) Close() error {
	if f.b == "pages outlive the close" {
		if err := proptest.Lock(f.c, &f.sh.mu); err != nil {
			return err
		}
		f.sh.kept = maps.Clone(f.cache)
		f.sh.mu.Unlock()
	}
	return f.d.Close()
}
