package proptest_test

import (
	"sync"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
)

// BenchmarkStandard is the standard property: draw a program of 4 ranks and 20
// operations that may do everything, run it, judge it.
func BenchmarkStandard(b *testing.B) {
	mk := proptest.Ours(nil)
	b.ReportAllocs()
	seed := 0
	for b.Loop() {
		if err := proptest.Reference(mk, standard.Example(seed)); err != nil {
			b.Fatal(err)
		}
		seed++
	}
}

// BenchmarkShaped runs and judges 300 shaped programs of fixed seeds over a map and over
// files of the operating system. One iteration is one program.
func BenchmarkShaped(b *testing.B) {
	var programs []*gen.Program
	for _, use := range []gen.Use{0, gen.IncompleteSyncs | gen.Reopening, gen.Collectives} {
		shaped := gen.Programs(gen.Limits{Ranks: 4, Ops: 32, Use: gen.Shapes | use})
		for seed := range 100 {
			programs = append(programs, shaped.Example(seed))
		}
	}
	for _, over := range []struct {
		name string
		mk   proptest.Maker
	}{{"map", pages}, {"files", proptest.Files(b.TempDir())}} {
		b.Run(over.name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				if err := proptest.Reference(over.mk, programs[i%len(programs)]); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

// A pageLayer is the simplest layer over a map: pages of a file by their number.
type pageLayer struct {
	mu    sync.Mutex
	pages map[int64][]byte
	size  int64
}

const pageSize = 4096

func pages() (proptest.Layer, error) { return &pageLayer{pages: map[int64][]byte{}}, nil }

func (l *pageLayer) Open(*comm.Comm, string) (proptest.File, error) { return pageFile{l}, nil }

type pageFile struct{ l *pageLayer }

func (f pageFile) ReadAt(p []byte, off int64) (int, error) {
	f.l.mu.Lock()
	defer f.l.mu.Unlock()
	p = p[:max(0, min(int64(len(p)), f.l.size-off))]
	for n := 0; n < len(p); {
		at := off + int64(n)
		part := p[n:min(len(p), n+int(pageSize-at%pageSize))]
		if page := f.l.pages[at/pageSize]; page == nil {
			clear(part)
		} else {
			copy(part, page[at%pageSize:])
		}
		n += len(part)
	}
	return len(p), nil
}

func (f pageFile) WriteAt(p []byte, off int64) (int, error) {
	f.l.mu.Lock()
	defer f.l.mu.Unlock()
	for n := 0; n < len(p); {
		at := off + int64(n)
		page := f.l.pages[at/pageSize]
		if page == nil {
			page = make([]byte, pageSize)
			f.l.pages[at/pageSize] = page
		}
		n += copy(page[at%pageSize:], p[n:])
	}
	if len(p) > 0 {
		f.l.size = max(f.l.size, off+int64(len(p)))
	}
	return len(p), nil
}

func (f pageFile) ReadAtAll(p []byte, off int64) (int, error)  { return f.ReadAt(p, off) }
func (f pageFile) WriteAtAll(p []byte, off int64) (int, error) { return f.WriteAt(p, off) }
func (f pageFile) Sync() error                                 { return nil }
func (f pageFile) Close() error                                { return nil }
