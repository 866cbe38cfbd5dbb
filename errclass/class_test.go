package errclass_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/errclass"
)

// TestClasses: a program that compares classes by number, or asks package
// errors, must find what the standard says.
func TestClasses(t *testing.T) {
	t.Run("ERR-07 numbers of the ABI and names", func(t *testing.T) {
		for _, tc := range []struct {
			class errclass.Class
			abi   int
			name  string
		}{
			{errclass.Success, 0, "MPI_SUCCESS"},
			{errclass.Type, 3, "MPI_ERR_TYPE"},
			{errclass.Arg, 13, "MPI_ERR_ARG"},
			{errclass.Truncate, 15, "MPI_ERR_TRUNCATE"},
			{errclass.Access, 20, "MPI_ERR_ACCESS"},
			{errclass.Amode, 21, "MPI_ERR_AMODE"},
			{errclass.Conversion, 25, "MPI_ERR_CONVERSION"},
			{errclass.File, 30, "MPI_ERR_FILE"},
			{errclass.IO, 35, "MPI_ERR_IO"},
			{errclass.NotSame, 40, "MPI_ERR_NOT_SAME"},
			{errclass.NoSuchFile, 42, "MPI_ERR_NO_SUCH_FILE"},
			{errclass.UnsupportedOperation, 55, "MPI_ERR_UNSUPPORTED_OPERATION"},
			{errclass.Errhandler, 61, "MPI_ERR_ERRHANDLER"},
			{errclass.LastCode, 16383, "MPI_ERR_LASTCODE"},
		} {
			assert.EqualValues(t, tc.abi, tc.class)
			assert.Equal(t, tc.name, tc.class.Name())
		}
	})
	t.Run("ERR-07 every number up to the last has a name and a text of its own", func(t *testing.T) {
		seen := map[string]bool{}
		for c := errclass.Success; c <= errclass.ABI; c++ {
			assert.NotContains(t, c.Error(), "error class", "class %d", c)
			assert.False(t, seen[c.Name()], c.Name())
			seen[c.Name()] = true
		}
		assert.Equal(t, "error class 99", errclass.Class(99).Error())
		assert.Equal(t, "MPI_ERR_99", errclass.Class(99).Name())
	})
	t.Run("ERR-07 cousins in package io/fs", func(t *testing.T) {
		for class, cousin := range map[errclass.Class]error{
			errclass.NoSuchFile: fs.ErrNotExist, errclass.FileExists: fs.ErrExist, errclass.Access: fs.ErrPermission,
			errclass.ReadOnly: fs.ErrPermission, errclass.File: fs.ErrClosed, errclass.BadFile: fs.ErrInvalid,
		} {
			assert.ErrorIs(t, class, cousin)
			assert.NotErrorIs(t, class, errors.ErrUnsupported)
		}
		assert.NotErrorIs(t, errclass.IO, fs.ErrNotExist)
	})
}

// TestError: all facts about a failure are on its one line, and available as fields.
func TestError(t *testing.T) {
	t.Run("ERR-07 GEN-02 text, class and cause", func(t *testing.T) {
		cause := errors.New("give Create")
		err := fmt.Errorf("outer: %w", &errclass.Error{
			Pkg: "iofile", Op: "Open", Rank: 2, Object: "a.dat", Class: errclass.NoSuchFile, Rule: "IO-AMODE-04", Err: cause,
		})
		assert.EqualError(t, err, `outer: iofile: rank 2: Open "a.dat": no such file: give Create (IO-AMODE-04)`)
		assert.ErrorIs(t, err, errclass.NoSuchFile)
		assert.ErrorIs(t, err, fs.ErrNotExist)
		assert.ErrorIs(t, err, cause)
		var e *errclass.Error
		assert.ErrorAs(t, err, &e)
		assert.Equal(t, 2, e.Rank)
	})
	t.Run("ERR-07 what is not known is left out", func(t *testing.T) {
		err := &errclass.Error{Pkg: "world", Op: "Run", Rank: errclass.NoRank, Class: errclass.Arg}
		assert.EqualError(t, err, "world: Run: invalid argument")
	})
}
