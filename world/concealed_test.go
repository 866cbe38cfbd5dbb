package world_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// arriving holds operations that bring bytes into a buffer later. Each starts one of file f, or of
// a message of the same bytes that the rank sends itself, and returns how to complete it.
var arriving = map[string]func(c *comm.Comm, f *iofile.File, b types.Buffer, send func() error) (end func() error, err error){
	"IReadAt": func(_ *comm.Comm, f *iofile.File, b types.Buffer, _ func() error) (func() error, error) {
		return waiting(f.IReadAt(b, 0))
	},
	"IRead": func(_ *comm.Comm, f *iofile.File, b types.Buffer, _ func() error) (func() error, error) {
		return waiting(f.IRead(b))
	},
	"IReadAtAll": func(_ *comm.Comm, f *iofile.File, b types.Buffer, _ func() error) (func() error, error) {
		return waiting(f.IReadAtAll(b, 0))
	},
	"ReadAllBegin": func(_ *comm.Comm, f *iofile.File, b types.Buffer, _ func() error) (func() error, error) {
		return func() error { _, err := f.ReadAllEnd(b); return err }, f.ReadAllBegin(b)
	},
	"IRecv": func(c *comm.Comm, _ *iofile.File, b types.Buffer, send func() error) (func() error, error) {
		q, err := c.IRecv(b, c.Rank(), 0)
		return func() error { _, err := q.Wait(); return err }, errors.Join(err, send())
	},
	"RecvInit": func(c *comm.Comm, _ *iofile.File, b types.Buffer, send func() error) (func() error, error) {
		q, err := c.RecvInit(b, c.Rank(), 0)
		if err != nil {
			return nil, err
		}
		err = errors.Join(q.Start(), send())
		return func() error { _, err := q.Wait(); return errors.Join(err, q.Free()) }, err
	},
	"IRecv and Test": func(c *comm.Comm, _ *iofile.File, b types.Buffer, send func() error) (func() error, error) {
		q, err := c.IRecv(b, c.Rank(), 0)
		return func() error {
			for {
				if _, ok, err := q.Test(); ok || err != nil {
					return err
				}
			}
		}, errors.Join(err, send())
	},
	"IRecv and Status": func(c *comm.Comm, _ *iofile.File, b types.Buffer, send func() error) (func() error, error) {
		q, err := c.IRecv(b, c.Rank(), 0)
		return func() error {
			for {
				if _, ok, err := q.Status(); ok || err != nil {
					return errors.Join(err, q.Free())
				}
			}
		}, errors.Join(err, send())
	},
}

func waiting(q *comm.Request, err error) (func() error, error) {
	return func() error { _, err := q.Wait(); return err }, err
}

// If this fails, a careful run changes what a correct program reads, or shows the program the
// contents of a buffer before they are there.
func TestConcealedBuffers(t *testing.T) {
	shapes := map[string]*types.Type{
		"bytes": types.Byte, "strided": types.Resized(types.Byte, 0, 3), "backwards": types.Indexed([]types.Block{{Len: 1, Disp: 1}, {Len: 1, Disp: 0}}, types.Byte),
	}
	for name, begin := range arriving {
		t.Run("IO-DA-12 "+name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				shape := shapes[rapid.SampledFrom([]string{"bytes", "strided", "backwards"}).Draw(t, "shape")]
				count := rapid.IntRange(1, 40).Draw(t, "count")
				file := rapid.SliceOfN(rapid.Byte(), 0, 2*count).Draw(t, "file")
				if int64(len(file)) > shape.Size(types.Host)*int64(count) {
					file = file[:shape.Size(types.Host)*int64(count)]
				}
				old := rapid.SliceOfN(rapid.Byte(), 3*count, 3*count).Draw(t, "memory")
				order := rapid.SampledFrom([]world.Option{world.Replay("roundrobin"), world.Seed(3)}).Draw(t, "order")
				mem := bytes.Clone(old)
				b := types.Raw(mem, int64(count), shape)
				want := bytes.Clone(old)
				types.Raw(want, int64(count), shape).Unpack(file, 0, types.Host)
				hidden := bytes.Clone(old)
				types.Raw(hidden, int64(count), shape).Unpack(bytes.Repeat([]byte{0xA5}, int(shape.Size(types.Host))*count), 0, types.Host)
				fsys := iofile.NewMem()
				assert.NoError(t, fsys.Import("f", bytes.NewReader(file)))
				err := world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error {
					f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly)
					if err != nil {
						return err
					}
					sent := (*comm.Request)(nil)
					end, err := begin(c, f, b, func() (err error) {
						sent, err = c.ISend(types.Of(file), c.Rank(), 0)
						return err
					})
					if err != nil {
						return err
					}
					assert.Equal(t, hidden, mem, "until the operation is complete")
					err = end()
					assert.Equal(t, want, mem, "what has arrived, and what was there before")
					if sent != nil {
						_, err2 := sent.Wait()
						err = errors.Join(err, err2)
					}
					return errors.Join(err, f.Close())
				}, world.Careful("IO-DA-09"), order)
				assert.NoError(t, err)
			})
		})
	}
	t.Run("P2P-02 a receive that is cancelled, or given up", func(t *testing.T) {
		assert.NoError(t, world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
			mem := []byte("what was here")
			q, err := c.IRecv(types.Of(mem), 0, 0)
			if err != nil {
				return err
			}
			assert.NotEqual(t, "what was here", string(mem))
			if err := q.Cancel(); err != nil {
				return err
			}
			st, err := q.Wait()
			assert.True(t, st.Cancelled())
			assert.Equal(t, "what was here", string(mem))
			if err != nil {
				return err
			}
			if q, err = c.IRecv(types.Of(mem), 0, 0); err != nil {
				return err
			}
			if err := q.Free(); err != nil { // it can no longer be asked whether it is complete
				return err
			}
			assert.Equal(t, "what was here", string(mem))
			err = c.Send(types.Of([]byte("here is more!")), 0, 0)
			assert.Equal(t, "here is more!", string(mem))
			return err
		}, world.Careful()))
	})
}
