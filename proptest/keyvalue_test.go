package proptest_test

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
)

// The next lines are on the page.

func TestStore(t *testing.T) { proptest.KeyValueConformance(t, newStore) }

func newStore() (proptest.KeyValueLayer, error) { return &table{map[string][]byte{}}, nil }

// A table is the store that all ranks share: put yours here.
type table struct{ values map[string][]byte }

func (l *table) OpenStore(c *comm.Comm, name string) (proptest.KeyValueHandle, error) {
	return &tableHandle{l, c, name + ":", map[string][]byte{}}, nil
}

// A tableHandle keeps a rank's changes until the next sync; nil is a deleted key.
type tableHandle struct {
	l       *table
	c       *comm.Comm
	head    string
	changes map[string][]byte
}

func (h *tableHandle) Get(key []byte) ([]byte, error) {
	if v, ok := h.changes[h.head+string(key)]; ok {
		return v, nil
	}
	return h.l.values[h.head+string(key)], nil
}

func (h *tableHandle) Put(key, value []byte) error {
	h.changes[h.head+string(key)] = append([]byte{}, value...)
	return nil
}

func (h *tableHandle) Delete(key []byte) error {
	h.changes[h.head+string(key)] = nil
	return nil
}

func (h *tableHandle) Sync() error {
	if err := h.c.Barrier(); err != nil { // no rank still reads
		return err
	}
	maps.Copy(h.l.values, h.changes)
	clear(h.changes)
	return h.c.Barrier()
}

func (h *tableHandle) Close() error { return h.Sync() }

// The page ends here.

// TestStorePage: if it fails, TESTING.md shows another store than the one that is tested here.
func TestStorePage(t *testing.T) {
	page, err := os.ReadFile("TESTING.md")
	require.NoError(t, err)
	code, err := os.ReadFile("keyvalue_test.go")
	require.NoError(t, err)
	_, code2, _ := strings.Cut(string(code), "// The next lines are on the page.\n\n")
	want, _, _ := strings.Cut(code2, "\n// The page ends here.")
	assert.Contains(t, string(page), "```go\n"+want+"```\n")
}

// TestKeyValues: if it fails, a store is blamed for what it may do, or not for what it may not.
func TestKeyValues(t *testing.T) {
	p := gen.MustParse(`ranks 2, schedule random:0
		0: put "a", 4 marks
		all: sync
		1: get "a"`)
	assert.NoError(t, proptest.KeyValues(newStore, p))
	lazy := func() (proptest.KeyValueLayer, error) {
		l, err := newStore()
		return lazyTable{l}, err
	}
	err := proptest.KeyValues(lazy, p)
	assert.ErrorContains(t, err, `rank 1, operation 2, get "a": found no value, want 4 bytes, `)
	assert.ErrorContains(t, err, "ranks 2, schedule random:0\n   0  0: put \"a\", 4 marks\n   1  all: sync\n")
	late := gen.MustParse(`ranks 2, schedule random:0
		0: put "a", 4 marks
		1: get "a"`)
	assert.NoError(t, proptest.KeyValues(lazy, late), "no sync, no promise")
	groups, err := proptest.KeyValueGroups(newStore)
	require.NoError(t, err)
	skipped := 0
	for _, g := range groups {
		if g.Skipped != "" {
			skipped++
		}
	}
	assert.Equal(t, 4, skipped, "lists, together, operations and crashes")
}

// TestOptionsOfStores: options change what the suites of stores and arrays ask, or are refused.
func TestOptionsOfStores(t *testing.T) {
	for kind, groupsOf := range map[string]func(...proptest.Option) ([]proptest.Group, error){
		"key-value stores":    func(o ...proptest.Option) ([]proptest.Group, error) { return proptest.KeyValueGroups(newStore, o...) },
		"libraries of arrays": func(o ...proptest.Option) ([]proptest.Group, error) { return proptest.ArrayGroups(newLibrary, o...) },
	} {
		two := map[string]string{"key-value stores": "stores", "libraries of arrays": "datasets"}[kind]
		groups, err := groupsOf(proptest.Without(proptest.TwoFiles), proptest.Exactly(3, 5))
		require.NoError(t, err)
		for i := range groups {
			g := &groups[i]
			assert.Equal(t, g.Name == two, g.Skipped == "Without excludes two files", "%s: %s", g.Name, g.Skipped)
			assert.Nil(t, g.Programs, "only programs over a file are run by other suites")
		}
		for _, o := range []proptest.Option{
			proptest.Without(proptest.Views), proptest.With(proptest.Atomic),
			proptest.WithHints(map[string][]string{"a": {"1"}}),
		} {
			_, err = groupsOf(o)
			assert.ErrorContains(t, err, kind)
		}
	}
	groups, err := proptest.ArrayGroups(newLibrary, proptest.Without(proptest.Recording, proptest.Far))
	require.NoError(t, err)
	for i := range groups {
		assert.Equal(t, groups[i].Name == "records" || groups[i].Name == "large", strings.HasPrefix(groups[i].Skipped, "Without"), groups[i].Name)
	}
}

// A lazyTable does not publish at a sync.
type lazyTable struct{ proptest.KeyValueLayer }

func (l lazyTable) OpenStore(c *comm.Comm, name string) (proptest.KeyValueHandle, error) {
	h, err := l.KeyValueLayer.OpenStore(c, name)
	return lazyHandle{h, c}, err
}

type lazyHandle struct {
	proptest.KeyValueHandle
	c *comm.Comm
}

func (h lazyHandle) Sync() error { return h.c.Barrier() }
