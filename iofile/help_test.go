package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const create = iofile.Create | iofile.ReadWrite

// ranks runs body on n ranks and fails the test with what they return.
func ranks(t *testing.T, n int, body func(c *comm.Comm) error, opts ...world.Option) {
	t.Helper()
	require.NoError(t, world.Run(t.Context(), n, func(_ context.Context, c *comm.Comm) error { return body(c) }, opts...))
}

// with opens a file on n ranks, runs body and closes the file.
func with(t *testing.T, n int, fsys *iofile.FS, name string, amode iofile.Mode, body func(f *iofile.File, rank int) error, opts ...world.Option) {
	t.Helper()
	ranks(t, n, func(c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, name, amode)
		if err != nil {
			return err
		}
		return errors.Join(body(f, c.Rank()), f.Close())
	}, opts...)
}

// put makes a file of these bytes.
func put(t *testing.T, fsys *iofile.FS, name, text string) {
	t.Helper()
	with(t, 1, fsys, name, create, func(f *iofile.File, _ int) error {
		_, err := f.WriteAt(types.Of([]byte(text)), 0)
		return err
	})
}

// get returns the bytes of a file; those no rank wrote are dots.
func get(t *testing.T, fsys *iofile.FS, name string) string {
	t.Helper()
	b, err := fs.ReadFile(fsys, name)
	require.NoError(t, err)
	for i := range b {
		if b[i] == 0xa5 {
			b[i] = '.'
		}
	}
	return string(b)
}

// refused checks class and rule of an error, and that it names its rank.
func refused(t *testing.T, err error, class errclass.Class, rule string) {
	t.Helper()
	var e *iofile.Error
	if assert.ErrorAs(t, err, &e) {
		assert.Equal(t, class.Name(), e.Class.Name(), "%v", err)
		assert.Equal(t, rule, e.Rule, "%v", err)
		assert.ErrorIs(t, err, class)
	}
}

// chars is data for etype char.
func chars(s string) types.Buffer { return types.Of([]byte(s)).As(types.Char) }

// linesOfErrors matches the line of the call in the text of an error.
var linesOfErrors = regexp.MustCompile(`: at \w+\.go:\d+( < \w+\.go:\d+)*: `)

// unplaced is the text of err without the lines of calls.
func unplaced(err error) string { return linesOfErrors.ReplaceAllString(fmt.Sprint(err), ": ") }
