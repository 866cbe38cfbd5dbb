package proptest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
)

// groupOf returns one group of the suite.
func groupOf(t *testing.T, name string, mk proptest.Maker, opts ...proptest.Option) proptest.Group {
	groups, err := proptest.Groups(mk, opts...)
	require.NoError(t, err)
	i := slices.IndexFunc(groups, func(g proptest.Group) bool { return g.Name == name })
	require.GreaterOrEqual(t, i, 0)
	return groups[i]
}

// An exclusive layer lets a rank open one file at a time; a nameless layer has one file
// for all names.
type exclusive struct {
	proptest.Layer
	open [16]bool // by rank
}

func (l *exclusive) Open(c *comm.Comm, name string) (proptest.File, error) {
	if l.open[c.Rank()] {
		return nil, errors.New("a file is open already")
	}
	l.open[c.Rank()] = true
	f, err := l.Layer.Open(c, name)
	return &onlyFile{f, &l.open[c.Rank()]}, err
}

type onlyFile struct {
	proptest.File
	open *bool
}

func (f *onlyFile) Close() error {
	*f.open = false
	return f.File.Close()
}

// A frail layer fails to return the stored bytes, because it has no room for two handles.
type frail struct{ proptest.Layer }

func (l frail) Stored(string) ([]byte, error) { return make([]byte, -len(os.Args)), nil }

type nameless struct{ proptest.Layer }

func (l nameless) Open(c *comm.Comm, _ string) (proptest.File, error) { return l.Layer.Open(c, "x") }

// TestSecondHandle: if it fails, the suite reports a layer because its ranks cannot have
// two handles, or does not test two handles although they can.
func TestSecondHandle(t *testing.T) {
	files := proptest.Files(t.TempDir())
	ones := func() (proptest.Layer, error) {
		l, err := files()
		return &exclusive{Layer: l}, err
	}
	broken := func() (proptest.Layer, error) {
		l, err := files()
		return frail{l}, err
	}
	unnamed := func() (proptest.Layer, error) {
		l, err := files()
		return nameless{l}, err
	}
	for _, c := range []struct {
		mk            proptest.Maker
		handles, file string // why not
	}{
		{files, "", ""},
		{proptest.Ours(nil), "", ""},
		{ones, "open already", "open already"},
		{unnamed, "", "two files open"},
		{broken, "panic", "panic"},
	} {
		for name, want := range map[string]string{"handles": c.handles, "files": c.file} {
			why := groupOf(t, name, c.mk).Skipped
			assert.Equal(t, want == "", why == "", why)
			assert.Contains(t, why, want)
		}
	}
	assert.Contains(t, groupOf(t, "handles", files, proptest.Without(proptest.TwoHandles)).Skipped, "no two handles")
	assert.Empty(t, groupOf(t, "handles", ones, proptest.With(proptest.TwoHandles)).Skipped, "the layer promises it")
}

// TestHandlesOfModels: if it fails, the suite requires that two handles of one rank know
// more of each other than the standard says.
func TestHandlesOfModels(t *testing.T) {
	t.Run("CONS-D04 CONS-C3 two handles under all models", func(t *testing.T) {
		for seed := range uint64(60) {
			for _, name := range []string{"handles", "files"} {
				p := groupOf(t, name, proptest.Ours(nil)).Programs.Example(int(seed))
				for _, m := range gen.Models(seed) {
					require.NoError(t, proptest.Reference(proptest.Ours([]iofile.Option{iofile.WithModel(m)}), p), "model %v", m)
				}
			}
		}
	})
}

// A tardy layer shows a handle the writes through another handle only after its own sync
// or, with the bug, not even then.
type tardy struct {
	dir  string
	late bool
}

func (l *tardy) Open(c *comm.Comm, name string) (proptest.File, error) {
	f, err := os.OpenFile(filepath.Join(l.dir, fmt.Sprintf("%s%d", name, c.Rank())), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	t := &tardyFile{d: f, late: l.late}
	return t, t.fetch()
}

type tardyFile struct {
	d    *os.File
	late bool
	seen []byte
}

func (f *tardyFile) fetch() error {
	all, err := os.ReadFile(f.d.Name())
	f.seen = all
	return err
}

func (f *tardyFile) ReadAt(p []byte, off int64) (int, error) {
	if off > int64(len(f.seen)) {
		return 0, nil
	}
	return copy(p, f.seen[off:]), nil
}

func (f *tardyFile) WriteAt(p []byte, off int64) (int, error) {
	if _, err := f.d.WriteAt(p, off); err != nil {
		return 0, err
	}
	if more := off + int64(len(p)) - int64(len(f.seen)); more > 0 {
		f.seen = append(f.seen, make([]byte, more)...)
	}
	return copy(f.seen[off:], p), nil
}

func (f *tardyFile) Sync() error {
	if f.late {
		return nil
	}
	return f.fetch()
}

func (f *tardyFile) Close() error { return f.d.Close() }

// TestHandOver: if it fails, the suite does not check that a handle sees writes through
// another one, or checks it too early.
func TestHandOver(t *testing.T) {
	write := gen.Op{Do: gen.Write, N: 4}
	read := gen.Op{Do: gen.Read, N: 4, Second: true}
	for _, c := range []struct {
		over  gen.Over
		wrong bool // with the bug
	}{
		{gen.FirstToSecond, true},
		{gen.BothHandles, true},
		{gen.SecondToFirst, false}, // it says nothing about these writes
	} {
		p := &gen.Program{Ranks: 1, Second: gen.SameFile, Ops: []gen.Op{read, write, {Do: gen.Sync, All: true, Over: c.over}, read}}
		for _, late := range []bool{false, true} {
			dir := t.TempDir()
			err := proptest.Reference(func() (proptest.Layer, error) { return &tardy{dir, late}, nil }, p)
			if !late || !c.wrong {
				assert.NoError(t, err, "%v", p)
				continue
			}
			var d *proptest.Disagreement
			if assert.ErrorAs(t, err, &d, "%v", p) {
				assert.Equal(t, 3, d.Op)
				assert.Contains(t, err.Error(), "read_at at 0 n 4, second handle: read 0 bytes")
			}
		}
	}
	assert.Contains(t, (&gen.Op{Do: gen.Sync, All: true, Over: gen.FirstToSecond}).String(), "all: sync from the first handle to the second")
}
