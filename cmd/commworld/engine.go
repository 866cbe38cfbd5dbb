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
	step   func(n int) // called after n files were written or read
	faults faults

	piece int64 // greatest number of elements that a rank reads or writes in one call
	owned map[ownedBy]*ownership
	local [][]byte // the memory of each rank
}

type ownedBy struct{ decomposition, ranks int }

// faults make deliberate errors, so that a test can check that verify finds them.
type faults struct {
	view  func(v part, write bool, decomposition string, rank int) part // instead of the right view
	local func(data []byte, decomposition string, rank int)             // changes a writer's buffer
	lost  func(decomposition string, rank int) int64                    // number of elements at its end that a writer leaves out
}

func newEngine(in *input, ranks []int, fsys *iofile.FS, keep bool) *engine {
	return &engine{
		in: in, ranks: ranks, fsys: fsys, keep: keep, step: func(int) {},
		piece: 64 << 10 / in.elem.size, owned: map[ownedBy]*ownership{}, local: make([][]byte, slices.Max(ranks)),
	}
}

// steps returns how many files the whole run writes and reads.
func (e *engine) steps() int {
	return len(representations) * len(decompositions) * len(e.ranks) * e.stepsEach()
}

// stepsEach returns the steps for one file: written once, and read twice by each number of
// readers.
func (e *engine) stepsEach() int { return 1 + 2*len(e.ranks) }

// run stops at the first difference, which is not an error: the result contains it.
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

// A reference is the expected content of the files in one representation. The form of the
// internal representation is not defined: there, all files must equal the first.
type reference struct {
	bytes func() io.Reader // nil: the content is that of the file named first
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

// open returns the expected content of the file called name.
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

// adopt makes the file called name the reference. If its content is FILE's bytes in one of
// the byte orders, the file need not be kept, which saves memory.
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

// drop deletes the first file, if it was kept for comparison.
func (ref *reference) drop(e *engine) error {
	if ref.first == "" || e.keep {
		return nil
	}
	return iofile.Delete(e.fsys, ref.first)
}

// ownership returns the owners in a decomposition; it computes them at the first call.
func (e *engine) ownership(decomposition, ranks int) *ownership {
	key := ownedBy{decomposition, ranks}
	if e.owned[key] == nil {
		e.owned[key] = own(decompositions[decomposition], e.in.shape, int64(ranks))
	}
	return e.owned[key]
}

// view returns a rank's view of the array through a decomposition.
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

// clean deletes the file of a trial unless it is still needed.
func (t *trial) clean(ref *reference) error {
	if t.keep || t.name == ref.first {
		return nil
	}
	return iofile.Delete(t.fsys, t.name)
}

// raw returns mem as a buffer of elements.
func (e *engine) raw(mem []byte) types.Buffer {
	return types.Raw(mem, int64(len(mem))/e.in.elem.size, e.in.elem.typ)
}
