package seen_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/seen"
)

// An error counts as seen when the program prints it or asks errors.Is about it,
// and not when it is only compared with nil.
func TestSeenErrors(t *testing.T) {
	for name, look := range map[string]func(error){
		"printed":         func(err error) { _ = fmt.Sprint(err) },
		"asked":           func(err error) { _ = errors.Is(err, errclass.Arg) },
		"wrapped, asked":  func(err error) { _ = errors.Is(fmt.Errorf("so: %w", err), errclass.Arg) },
		"joined, printed": func(err error) { _ = errors.Join(err, nil).Error() },
	} {
		t.Run(name, func(t *testing.T) {
			err := &errclass.Error{Pkg: "iofile", Op: "Open", Class: errclass.Amode}
			look(err)
			seen.Watch(err)
			assert.False(t, seen.End(err), "a look before the watch")
			seen.Watch(err)
			look(err)
			assert.True(t, seen.End(err))
			assert.False(t, seen.End(err), "the watch has ended")
		})
	}
	t.Run("ignored", func(t *testing.T) {
		err := &errclass.Error{Pkg: "iofile", Op: "Open", Class: errclass.Amode}
		seen.Watch(err)
		_ = errors.Join(error(err), nil) // it only keeps the error
		assert.False(t, seen.End(err))
	})
}
