package trace_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/trace"
)

// Logs of two processes become those of one world. If this failed, a picture of a
// run under a library would draw arrows between messages that have nothing to do
// with each other.
func TestAssemble(t *testing.T) {
	var logs [][]byte
	for rank := range 2 {
		s := sched.New(1, sched.Options{NoClocks: true})
		l := trace.New(s, trace.Options{Events: true}).Log(0)
		s.Run(func(*sched.Rank) error {
			point := func(kind trace.Kind, tag int, number int64) {
				e := trace.Plain("message", "", "COMM_WORLD")
				e.Kind, e.Tag, e.Message, e.Far = kind, tag, number, 1-rank
				l.Point(e)
			}
			if rank == 0 {
				for _, tag := range []int{7, 8, 7} {
					point(trace.Out, tag, l.CountSend(1, 4))
				}
				return nil
			}
			first, second, third := l.Number(), l.Number(), l.Number()
			for _, x := range []struct {
				tag    int
				number int64
			}{{7, third}, {8, second}, {7, first}} { // completed the other way round
				l.CountReceive(4)
				point(trace.In, x.tag, x.number)
			}
			return nil
		})
		require.NoError(t, s.Cause())
		data, err := l.Pack(true)
		require.NoError(t, err)
		logs = append(logs, data)
	}
	w, err := trace.Assemble(logs)
	require.NoError(t, err)
	assert.Equal(t, 2, w.Len())
	assert.Equal(t, trace.Traffic{Count: 3, Bytes: 12}, w.Log(0).Sent)
	assert.Equal(t, trace.Traffic{Count: 3, Bytes: 12}, w.Log(1).Received)
	assert.Equal(t, trace.Traffic{Count: 3, Bytes: 12}, *w.Log(0).To[1])
	out, in := w.Messages(0), w.Messages(1)
	assert.Equal(t, []int64{out[2], out[1], out[0]}, in)
	var picture bytes.Buffer
	require.NoError(t, w.WriteChrome(&picture, "free", nil))
	assert.Equal(t, 3, bytes.Count(picture.Bytes(), []byte(`"ph":"f"`)))
	_, err = trace.Assemble([][]byte{logs[0], logs[1][:5]})
	assert.Error(t, err)
}
