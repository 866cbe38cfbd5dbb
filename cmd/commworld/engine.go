package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// representations are those that every world has.
var representations = []string{"native", "internal", "external32"}

// An engine writes an input by every number of ranks in every decomposition and
// representation, reads it back, and compares. It prints nothing.
type engine struct {
	in     *input
	ranks  []int
	fsys   *iofile.FS
	keep   bool        // leave the files in fsys
	step   func(n int) // told of n files written or read
	faults faults

	owned map[ownedBy]*ownership
	local []byte // room for the parts of all ranks: together they are the array
}

type ownedBy struct{ decomposition, ranks int }

// faults break the world on purpose, so that a test can see verify notice.
type faults struct {
	view  func(v part, write bool, decomposition string, rank, ranks int) part // instead of the right view
	local func(data []byte, decomposition string, rank, ranks int)             // changes a writer's buffer
	lost  func(decomposition string, rank, ranks int) int64                    // elements that a writer leaves out
}

func newEngine(in *input, ranks []int, fsys *iofile.FS, keep bool) *engine {
	return &engine{
		in: in, ranks: ranks, fsys: fsys, keep: keep, step: func(int) {},
		owned: map[ownedBy]*ownership{}, local: make([]byte, len(in.array)),
	}
}

// steps is how many files all of a run writes and reads.
func (e *engine) steps() int {
	return len(representations) * len(decompositions) * len(e.ranks) * e.stepsEach()
}

// stepsEach is one file written, and read twice by each number of readers.
func (e *engine) stepsEach() int { return 1 + 2*len(e.ranks) }

// run stops at the first difference, which is no error but stands in the result.
func (e *engine) run(ctx context.Context) (*result, error) {
	res := &result{}
	for _, rep := range representations {
		ref := e.reference(rep)
		for d := range decompositions {
			row := tableRow{Representation: rep, Decomposition: decompositions[d].name}
			for i := range e.ranks {
				t := e.newTrial(rep, d, i)
				if err := t.run(ctx, ref, &row); err != nil {
					return nil, err
				}
				if t.diff != nil {
					res.add(row)
					res.Difference = t.diff
					return res, nil
				}
				e.step(e.stepsEach())
			}
			res.add(row)
		}
		if err := ref.drop(e); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// A reference is what the files in one representation have to hold. What the
// internal one looks like is nobody's business: there, all files have to equal
// the first.
type reference struct {
	bytes func() io.Reader // nil: the file called first
	first string
}

func (e *engine) reference(rep string) *reference {
	switch rep {
	case "native":
		return &reference{bytes: e.in.native}
	case "external32":
		return &reference{bytes: e.in.bigEndian}
	}
	return &reference{}
}

// drop deletes the first file, which stayed for comparison.
func (f *reference) drop(e *engine) error {
	if f.first == "" || e.keep {
		return nil
	}
	return iofile.Delete(e.fsys, f.first)
}

// ownership returns who owns what in a decomposition, made at the first call.
func (e *engine) ownership(decomposition, ranks int) *ownership {
	key := ownedBy{decomposition, ranks}
	if e.owned[key] == nil {
		e.owned[key] = own(decompositions[decomposition], e.in.shape, int64(ranks))
	}
	return e.owned[key]
}

// view returns what a rank sees of the array through a decomposition.
func (e *engine) view(decomposition, rank, ranks int, write bool) part {
	d := decompositions[decomposition]
	v := d.view(e.in.shape, int64(ranks), int64(rank), e.in.elem.typ)
	if e.faults.view != nil {
		v = e.faults.view(v, write, d.name, rank, ranks)
	}
	return v
}

// inspect compares the bytes of a written file with the reference.
func (t *trial) inspect(ref *reference, row *tableRow) error {
	f, err := t.fsys.Open(t.name)
	if err != nil {
		return err
	}
	defer f.Close()
	var want io.Reader
	if ref.bytes != nil {
		want = ref.bytes()
	} else {
		if ref.first == "" {
			ref.first = t.name
		}
		first, err := t.fsys.Open(ref.first)
		if err != nil {
			return err
		}
		defer first.Close()
		want = first
	}
	hash := sha256.New()
	m, n, err := compare(f, want, hash)
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	row.Files++
	row.Bytes += n
	row.digest(hex.EncodeToString(hash.Sum(nil)))
	if m != nil {
		t.diff = t.fileDifference(m)
	}
	return nil
}

// clean deletes the file of a trial unless somebody still needs it.
func (t *trial) clean(ref *reference) error {
	if t.keep || t.name == ref.first {
		return nil
	}
	return iofile.Delete(t.fsys, t.name)
}

// raw is n elements in mem.
func (e *engine) raw(mem []byte, n int64) types.Buffer { return types.Raw(mem, n, e.in.elem.typ) }
