package script_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/script"
)

func TestLinks(t *testing.T) {
	s, err := script.Parse(`ranks 3
0:
  send 1 7 int 5
1:
  recv 0 7 int*1 -> x
all:
  open h f rdwr|create
  barrier
2:
  bcast 2 int 1
0-1:
  bcast 2 int*1 -> y
all:
  close h
`)
	require.NoError(t, err)
	rep, err := script.Run(context.Background(), s, script.Options{})
	require.NoError(t, err)
	require.True(t, rep.OK(), rep.Unmet)
	l := rep.Links()
	at := func(rank, line int) int {
		for i, e := range rep.Log {
			if e.Rank == rank && e.Stmt.Line == line {
				return i
			}
		}
		t.Fatalf("rank %d never ran line %d", rank, line)
		return 0
	}
	t.Run("CONS-D09 messages and data of collectives", func(t *testing.T) {
		assert.Contains(t, l.Messages, [2]int{at(0, 3), at(1, 5)})
		assert.Contains(t, l.Messages, [2]int{at(2, 10), at(0, 12)})
		assert.Contains(t, l.Messages, [2]int{at(2, 10), at(1, 12)})
		assert.Len(t, l.Messages, 3)
	})
	t.Run("CONS-D09 a barrier orders, opening and closing do not", func(t *testing.T) {
		var lines [][2]any
		for _, m := range l.Meetings {
			assert.Len(t, m.Events, 3)
			lines = append(lines, [2]any{rep.Log[m.Events[0]].Stmt.Line, m.Barrier})
		}
		assert.Equal(t, [][2]any{{7, false}, {8, true}, {14, false}}, lines)
		assert.True(t, l.Before(rep, at(0, 3), at(1, 5)), "the send and its receive")
		assert.False(t, l.Before(rep, at(0, 3), at(2, 7)), "the send and the open of rank 2")
		assert.True(t, l.Before(rep, at(0, 3), at(2, 8)), "the send and the barrier of rank 2")
		assert.True(t, l.Before(rep, at(0, 7), at(2, 8)), "the open of rank 0 and the barrier of rank 2")
		assert.False(t, l.Before(rep, at(0, 8), at(2, 8)), "rank 0 may leave the barrier later")
		assert.False(t, l.Before(rep, at(1, 12), at(0, 14)), "who only receives is not waited for")
	})
}
