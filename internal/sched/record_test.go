package sched

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A world keeps marks whether or not a race occurs. If they had pointers, the garbage
// collector would look at all of them each time, which once took as long as the calls.
func TestMarksAreSmall(t *testing.T) {
	m := reflect.TypeFor[mark]()
	assert.LessOrEqual(t, m.Size(), uintptr(32))
	for i := range m.NumField() {
		assert.LessOrEqual(t, m.Field(i).Type.Kind(), reflect.Uint64, m.Field(i).Name)
	}
}

// If a mark came back with another call, line or clock than it was made with, fixes would be
// tried on a run that never was.
func TestMarks(t *testing.T) {
	s, objects := New(2, Options{}), []any{nil, "a file", 3}
	clocks := make(chan Clock, 2)
	s.Run(func(r *Rank) error {
		if r.ID() == 1 {
			r.Tick()
			clocks <- r.Publish(false)
			return nil
		}
		s.RecordMarks(0, 6)
		c := <-clocks
		for i, o := range objects {
			r.MarkCall("call", o, i, 2*i)
			assert.Equal(t, r.Clock().Time(), r.Publish(true).Time(), "the mark of the beginning is enough")
		}
		r.Tick()
		r.Publish(true)
		r.Join(c)
		r.Publish(false)
		_, whole := s.Marks(0)
		assert.True(t, whole, "the next one is too many")
		r.Publish(false)
		return nil
	})
	assert.Empty(t, s.Failures())
	marks, whole := s.Marks(0)
	assert.False(t, whole)
	assert.Len(t, marks, 6)
	for i, m := range marks[:3] {
		assert.Equal(t, []any{"call", uint64(i + 1), objects[i], int32(i), int32(2 * i), uint64(0)},
			[]any{m.Op, m.Time, m.Object, m.Round, m.Ranks, m.Knows(1)})
		assert.Equal(t, i > 0, m.Meets())
		assert.Equal(t, "record_test.go", m.Place().Base()[:len("record_test.go")])
	}
	for i, knows := range []uint64{0, 1, 1} {
		m := marks[3+i]
		assert.Equal(t, []any{"", uint64(5 + i), nil, knows}, []any{m.Op, m.Time, m.Object, m.Knows(1)})
	}
	marks, whole = s.Marks(1)
	assert.True(t, whole)
	assert.Empty(t, marks)
}
