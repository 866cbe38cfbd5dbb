package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

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

	piece int64 // elements that a rank reads or writes by one call, at most
	owned map[ownedBy]*ownership
	local [][]byte // the memory of each rank
}

type ownedBy struct{ decomposition, ranks int }

// faults break the world on purpose, so that a test can see verify notice.
type faults struct {
	view  func(v part, write bool, decomposition string, rank int) part // instead of the right view
	local func(data []byte, decomposition string, rank int)             // changes a writer's buffer
	lost  func(decomposition string, rank int) int64                    // elements at its end that a writer leaves out
}

func newEngine(in *input, ranks []int, fsys *iofile.FS, keep bool) *engine {
	return &engine{
		in: in, ranks: ranks, fsys: fsys, keep: keep, step: func(int) {},
		piece: 64 << 10 / in.elem.size, owned: map[ownedBy]*ownership{}, local: make([][]byte, slices.Max(ranks)),
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

// open returns what the file called name has to hold.
func (ref *reference) open(e *engine, name string) (io.ReadCloser, error) {
	if ref.bytes != nil {
		return io.NopCloser(ref.bytes()), nil
	}
	if ref.first == "" {
		if err := ref.adopt(e, name); err != nil {
			return nil, err
		}
		return ref.open(e, name)
	}
	return e.fsys.Open(ref.first)
}

// adopt makes the file called name the reference. If it looks like FILE in one
// byte order or the other it need not be kept for that, which spares memory.
func (ref *reference) adopt(e *engine, name string) error {
	for _, known := range []func() io.Reader{e.in.native, e.in.bigEndian} {
		f, err := e.fsys.Open(name)
		if err != nil {
			return err
		}
		m, _, err := compare(f, known(), io.Discard)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if m == nil {
			ref.bytes = known
			return nil
		}
	}
	ref.first = name
	return nil
}

// drop deletes the first file, if it stayed for comparison.
func (ref *reference) drop(e *engine) error {
	if ref.first == "" || e.keep {
		return nil
	}
	return iofile.Delete(e.fsys, ref.first)
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
		v = e.faults.view(v, write, d.name, rank)
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
	want, err := ref.open(t.engine, t.name)
	if err != nil {
		return err
	}
	defer want.Close()
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

// raw is mem as a buffer of elements.
func (e *engine) raw(mem []byte) types.Buffer {
	return types.Raw(mem, int64(len(mem))/e.in.elem.size, e.in.elem.typ)
}
