package iofile_test

import (
	"context"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

func TestMismatchNamesLines(t *testing.T) {
	for _, started := range []bool{false, true} {
		name, write := "GEN-06 all ranks wait", "WriteAtAll"
		if started {
			name, write = "GEN-06 one rank starts its call", "IWriteAtAll"
		}
		t.Run(name, func(t *testing.T) {
			fs := iofile.NewMem()
			_ = world.Run(t.Context(), 4, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fs, "f", iofile.Create|iofile.ReadWrite)
				if err != nil {
					return err
				}
				buf := types.Of(make([]byte, 8))
				switch {
				case c.Rank() != 1:
					_, err = f.ReadAtAll(buf, 0)
				case started:
					var q *comm.Request
					if q, err = f.IWriteAtAll(buf, 0); err == nil {
						_, err = q.Wait()
					}
				default:
					_, err = f.WriteAtAll(buf, 0)
				}
				line := ` \(mismatch_test.go:\d+( < [^)]*)?\)`
				waiting := line
				if started {
					waiting = "" // a rank that waits meets no other again to give its line
				}
				assert.ErrorIs(t, err, iofile.ErrNotSame)
				if assert.Error(t, err) {
					assert.Regexp(t, "ranks are in different collective calls: ranks 0, 2-3 in ReadAtAll"+waiting+", rank 1 in "+write+line+"; all ranks", err.Error())
				}
				return f.Close()
			})
		})
	}
}
