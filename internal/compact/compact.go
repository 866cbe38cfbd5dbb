// Package compact keeps long lists of small values in little memory: the record of a run has
// one for each rank and each file, in every program.
//
// Start here: put values without pointers into a [List], so that the garbage collector need
// not look at them, and numbers of a [Table] in place of values that occur again and again.
//
// # Borders
//
// A list only grows. It knows nothing of what it holds.
package compact

// mostChunk is the most values of one chunk of a List.
const mostChunk = 64

// A List is a list that only grows. It is kept in chunks, because to move the values as
// their number grows would take longer than to make them. The zero List is empty.
type List[V any] struct {
	chunks [][]V
	n      int
}

// Len returns the number of values.
func (l *List[V]) Len() int { return l.n }

// Add adds a value at the end.
func (l *List[V]) Add(v V) {
	last := len(l.chunks) - 1
	if last < 0 || len(l.chunks[last]) == cap(l.chunks[last]) {
		l.chunks = append(l.chunks, make([]V, 0, min(l.n+8, mostChunk)))
		last++
	}
	l.chunks[last] = append(l.chunks[last], v)
	l.n++
}

// All yields the values in their order, with their numbers.
func (l *List[V]) All(yield func(int, V) bool) {
	i := 0
	for _, c := range l.chunks {
		for _, v := range c {
			if !yield(i, v) {
				return
			}
			i++
		}
	}
}

// mostLooked is the most values of a Table among which Number looks for one.
const mostLooked = 8

// A Table gives numbers to values of which a few occur over and over. The zero Table is
// empty.
type Table[V comparable] struct{ vals []V }

// Number returns a number of v: that of one of the last new values if it is equal, else a new
// one.
func (t *Table[V]) Number(v V) int32 {
	last := len(t.vals) - 1
	for i := last; i >= 0 && i > last-mostLooked; i-- {
		if t.vals[i] == v {
			return int32(i)
		}
	}
	t.vals = append(t.vals, v)
	return int32(last + 1)
}

// At returns the value with a number that Number returned.
func (t *Table[V]) At(i int32) V { return t.vals[i] }
