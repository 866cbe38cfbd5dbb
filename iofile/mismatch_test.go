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

// If it fails, advice says to access nothing where a rank has to end an access or to close a file.
func TestMismatchAdvice(t *testing.T) {
	const advice = "a rank without data calls WriteAtAll with no items"
	for _, c := range []struct {
		name, advice string
		other        func(f *iofile.File, rank int) error
	}{
		{"GEN-06 the others close the file", advice, func(f *iofile.File, _ int) error { return f.Close() }},
		{"GEN-06 one closes it, one does something else", "", func(f *iofile.File, rank int) error {
			if rank == 1 {
				return f.Sync()
			}
			return f.Close()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := iofile.NewMem()
			_ = world.Run(t.Context(), 3, func(_ context.Context, p *comm.Comm) error {
				f, err := iofile.Open(p, fs, "f", iofile.Create|iofile.ReadWrite)
				if err != nil {
					return err
				}
				if p.Rank() == 0 {
					_, err = f.WriteAtAll(types.Of(make([]byte, 8)), 0)
				} else {
					err = c.other(f, p.Rank())
				}
				assert.ErrorIs(t, err, iofile.ErrNotSame)
				if c.advice == "" {
					assert.NotContains(t, err.Error(), "no items")
				} else {
					assert.ErrorContains(t, err, c.advice)
				}
				return err
			})
		})
	}
	t.Run("GEN-06 one ends its access, one closes the file", func(t *testing.T) {
		fs := iofile.NewMem()
		_ = world.Run(t.Context(), 2, func(_ context.Context, p *comm.Comm) error {
			f, err := iofile.Open(p, fs, "f", iofile.Create|iofile.ReadWrite)
			if err != nil {
				return err
			}
			buf := types.Of(make([]byte, 8))
			if err := f.WriteAtAllBegin(buf, 0); err != nil {
				return err
			}
			if p.Rank() == 0 {
				_, err = f.WriteAtAllEnd(buf)
			} else {
				err = f.Close()
			}
			if assert.ErrorIs(t, err, iofile.ErrNotSame) {
				assert.NotContains(t, err.Error(), "no items")
			}
			return err
		})
	})
}
