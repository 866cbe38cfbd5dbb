package proptest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
)

// A manager is a layer with operations of its own: a refresh, and a count of its calls.
type manager struct {
	proptest.Layer
	broken bool
}

func (l manager) Operations() []proptest.Operation {
	return []proptest.Operation{{
		Name: "refresh", Effect: gen.Syncs,
		Call: func(c *comm.Comm, f proptest.File) error {
			if l.broken && c.Rank() > 0 {
				return nil
			}
			return f.(proptest.SyncAllFile).SyncAll()
		},
	}}
}

func (l manager) Open(c *comm.Comm, name string) (proptest.File, error) {
	f, err := l.Layer.Open(c, name)
	return refreshed{f, c}, err
}

type refreshed struct {
	proptest.File
	c *comm.Comm
}

// SyncAll is a sync, a barrier and a sync.
func (f refreshed) SyncAll() error {
	for _, call := range []func() error{f.Sync, f.c.Barrier, f.Sync} {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

func managers(broken bool) proptest.Maker {
	return func() (proptest.Layer, error) {
		l, err := proptest.Ours(nil)()
		return manager{l, broken}, err
	}
}

// TestOperations: if it fails, operations of a layer's own are not run, or not judged by
// their effects.
func TestOperations(t *testing.T) {
	t.Run("a program from its text", func(t *testing.T) {
		p := gen.MustParse(`ranks 2, schedule random:0
			0: write_at at 0 n 4
			all: own refresh, is a sync
			1: read_at at 0 n 4`)
		assert.NoError(t, proptest.Reference(managers(false), p))
		assert.Error(t, proptest.Reference(managers(true), p))
		assert.ErrorContains(t, proptest.Reference(proptest.Ours(nil), p), `no operation "refresh"`)
	})
	t.Run("CONS-SYNC-01 a group of the suite", func(t *testing.T) {
		assert.Nil(t, find(t, "operations", managers(false)))
		f := find(t, "operations", managers(true))
		if assert.NotNil(t, f) {
			assert.Contains(t, f.Error(), "own refresh, is a sync")
		}
	})
	t.Run("a layer without them", func(t *testing.T) {
		assert.NotEmpty(t, groupOf(t, "operations", proptest.Ours(nil)).Skipped)
	})
}

// find runs one group of the suite.
func find(t *testing.T, group string, mk proptest.Maker) *proptest.Failure {
	g := groupOf(t, group, mk)
	return g.Find(t.Name())
}

func ExampleOperator() {
	p := gen.MustParse(`ranks 2, schedule random:0
		0: write_at at 0 n 4
		all: own refresh, is a sync
		1: read_at at 0 n 4`)
	fmt.Println(proptest.Reference(managers(false), p))
	// Output: <nil>
}
