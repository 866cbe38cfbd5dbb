package storetest_test

import (
	"testing"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/storetest"
)

// wrapped forwards each method, as a user's store around another one does. It hides the
// optional methods of the inner store.
type wrapped struct{ iofile.Store }

func (w wrapped) Open(name string, flag iofile.OpenFlag) (iofile.Backing, error) {
	b, err := w.Store.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return struct{ iofile.Backing }{b}, nil
}

func memory(testing.TB) iofile.Store { return iofile.NewMemStore() }

func directory(tb testing.TB) iofile.Store {
	s, err := iofile.NewDirStore(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// If this fails, a program that works on one store breaks on another.
func TestStores(t *testing.T) {
	t.Run("IO-SIZE-10 memory", func(t *testing.T) { storetest.Run(t, memory) })
	t.Run("IO-SIZE-10 directory", func(t *testing.T) { storetest.Run(t, directory) })
	t.Run("wrapped", func(t *testing.T) {
		storetest.Run(t, func(tb testing.TB) iofile.Store { return wrapped{memory(tb)} })
	})
}
