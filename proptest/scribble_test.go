package proptest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/proptest/gen"
)

// A scribbler is our layer whose reads change the last byte of their memory, also behind the
// bytes that they moved.
type scribbler struct{ *oursInMemory }

func (l scribbler) Open(c *comm.Comm, name string) (File, error) {
	f, err := l.oursInMemory.Open(c, name)
	if err != nil {
		return nil, err
	}
	return &scribblingFile{f.(*ourFile)}, nil
}

func (l scribbler) OpenHinted(c *comm.Comm, name string, hints map[string]string) (File, error) {
	f, err := l.oursInMemory.OpenHinted(c, name, hints)
	if err != nil {
		return nil, err
	}
	return &scribblingFile{f.(*ourFile)}, nil
}

type scribblingFile struct{ *ourFile }

// scribble changes the last byte if a read moved fewer.
func scribble(p []byte) func(n int, err error) (int, error) {
	return func(n int, err error) (int, error) {
		if n < len(p) {
			p[len(p)-1] ^= 0xff
		}
		return n, err
	}
}

func (f *scribblingFile) ReadAt(p []byte, off int64) (int, error) {
	return scribble(p)(f.ourFile.ReadAt(p, off))
}

func (f *scribblingFile) ReadAtAll(p []byte, off int64) (int, error) {
	return scribble(p)(f.ourFile.ReadAtAll(p, off))
}

func (f *scribblingFile) Read(p []byte) (int, error)    { return scribble(p)(f.ourFile.Read(p)) }
func (f *scribblingFile) ReadAll(p []byte) (int, error) { return scribble(p)(f.ourFile.ReadAll(p)) }
func (f *scribblingFile) ReadShared(p []byte) (int, error) {
	return scribble(p)(f.ourFile.ReadShared(p))
}

func (f *scribblingFile) ReadOrdered(p []byte) (int, error) {
	return scribble(p)(f.ourFile.ReadOrdered(p))
}

func (f *scribblingFile) Start(a gen.Access, p []byte, off int64) (Request, error) {
	q, err := f.ourFile.Start(a, p, off)
	if err != nil || a.Write {
		return q, err
	}
	return waiter(func() (int, error) { return scribble(p)(q.Wait()) }), nil
}

// IO-DA-07: each group whose programs read finds a read that changes memory behind the bytes
// that it moved. "hang" looks for hangs only, and programs of "roundtrip" and "appends"
// read nothing behind the end.
func TestScribble(t *testing.T) {
	groups, err := Groups(func() (Layer, error) {
		l, err := Ours(nil)()
		return scribbler{l.(*oursInMemory)}, err
	})
	require.NoError(t, err)
	found := map[string]bool{}
	for _, g := range groups {
		if g.Skipped != "" || g.draw == nil {
			t.Log(g.Name, g.Skipped)
			continue
		}
		f := g.Find("TestScribble/" + g.Name)
		found[g.Name] = f != nil
		if f != nil {
			assert.ErrorContains(t, f.Err, "memory", g.Name)
		}
	}
	for name, yes := range found {
		assert.Equal(t, name != "hang", yes, "group %s finds it", name)
	}
	assert.Greater(t, len(found), 15)
}
