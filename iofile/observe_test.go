package iofile_test

import (
	"fmt"
	"testing"

	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/stretchr/testify/assert"
)

// TestObserver: if it fails, an observer of a program sees other bytes
// than it moved.
func TestObserver(t *testing.T) {
	t.Run("IO-DA-01 every completed access is observed with its bytes", func(t *testing.T) {
		var seen []string
		fsys := iofile.NewMem(iofile.WithCallbacks(iofile.Callbacks{Access: func(o *iofile.Observed) {
			line := fmt.Sprint(o.Op, " ", o.Write, " ", o.Offset, ":")
			for off, n := range o.Runs() {
				line += fmt.Sprintf(" %d+%d", off, n)
			}
			seen = append(seen, line)
		}}))
		put(t, fsys, "f", "0123456789ab")
		with(t, 1, fsys, "f", iofile.ReadWrite, func(f *iofile.File, _ int) error {
			if err := f.SetView(v(1, types.Short, types.Vector(2, 1, 2, types.Short))); err != nil {
				return err
			}
			buf := types.Raw(make([]byte, 6), 3, types.Short)
			if _, err := completed(f.IReadAt(buf, 1)); err != nil {
				return err
			}
			if err := f.WriteAllBegin(buf); err != nil {
				return err
			}
			if _, err := f.WriteAllEnd(buf); err != nil {
				return err
			}
			_, err := f.Read(buf)
			return err
		})
		assert.Equal(t, []string{"WriteAt true 0: 0+12", "IReadAt false 1: 5+4 11+1", "WriteAllEnd true 0: 1+2 5+4", "Read false 3: 11+1"}, seen)
	})
}
