package measure

import (
	"slices"
	"time"
)

// Step returns the time of one step in seconds. It doubles the number of steps until they
// last a quarter of seconds, then runs that number three times, and returns the median.
// take makes that many steps and returns their time; agree makes all ranks continue or
// stop as the first rank would.
func Step(seconds float64, take func(steps int) (float64, error), agree func(again bool) (bool, error)) (float64, error) {
	steps := 1
	for ; ; steps *= 2 {
		t, err := take(steps)
		if err != nil {
			return 0, err
		}
		again, err := agree(t < seconds/4)
		if err != nil {
			return 0, err
		}
		if !again {
			break
		}
	}
	var t [3]float64
	for i := range t {
		one, err := take(steps)
		if err != nil {
			return 0, err
		}
		t[i] = one / float64(steps)
	}
	slices.Sort(t[:])
	return t[1], nil
}

// Alone is the agree of [Step] for one goroutine.
func Alone(again bool) (bool, error) { return again, nil }

// Laps are repetitions by several ranks. Each rank writes its own times; one of them reads
// the seconds when all have ended.
type Laps struct{ starts, ends [][]time.Time }

// NewLaps makes room for the times of so many laps of ranks.
func NewLaps(laps, ranks int) *Laps {
	l := &Laps{}
	for range laps {
		l.starts, l.ends = append(l.starts, make([]time.Time, ranks)), append(l.ends, make([]time.Time, ranks))
	}
	return l
}

// Len returns the number of laps.
func (l *Laps) Len() int { return len(l.starts) }

// Do runs a lap of a rank.
func (l *Laps) Do(lap, rank int, step func() error) error {
	l.starts[lap][rank] = time.Now()
	err := step()
	l.ends[lap][rank] = time.Now()
	return err
}

// Seconds returns the time from the first rank's start of a lap to the last one's end.
func (l *Laps) Seconds(lap int) float64 {
	return slices.MaxFunc(l.ends[lap], time.Time.Compare).Sub(slices.MinFunc(l.starts[lap], time.Time.Compare)).Seconds()
}
