package consistency

import "sort"

// A Clock is a rank's clock at some moment: Covers reports whether an event of another
// rank, given by its time there, had happened before. A nil Clock covers no event of
// other ranks.
type Clock interface {
	Covers(rank int, time uint64) bool
}

// A Stamped is a step of a run with its position in the order of the run: the time of its
// rank, and the rank's clock.
type Stamped struct {
	Step
	Time  uint64
	Clock Clock
}

// HistoryOf returns the history of a run from the steps of each rank, in its order. Messages
// represent the order between ranks in their stamps, for any cause of that order in the run.
func HistoryOf(init []byte, ranks [][]Stamped) History {
	h := History{Init: init, Ranks: make([][]Step, len(ranks))}
	sends, receives := make([]map[int][]int, len(ranks)), make([]map[int][]int, len(ranks))
	for r := range ranks {
		sends[r], receives[r] = map[int][]int{}, map[int][]int{}
	}
	message := 0
	for r, steps := range ranks {
		known := make([]int, len(ranks)) // by rank, the number of steps that the clock covers
		for i := range steps {
			for q := range ranks {
				if k := steps[i].covered(ranks[q], q); q != r && k > known[q] {
					message++
					sends[q][k] = append(sends[q][k], message)
					receives[r][i] = append(receives[r][i], message)
					known[q] = k
				}
			}
		}
	}
	for r, steps := range ranks {
		for i := range steps {
			for _, id := range receives[r][i] {
				h.Ranks[r] = append(h.Ranks[r], Step{Do: DoRecv, ID: id})
			}
			h.Ranks[r] = append(h.Ranks[r], steps[i].Step)
			for _, id := range sends[r][i+1] {
				h.Ranks[r] = append(h.Ranks[r], Step{Do: DoSend, ID: id})
			}
		}
	}
	return h
}

// covered returns how many of the steps of rank q had happened before s.
func (s *Stamped) covered(steps []Stamped, q int) int {
	if s.Clock == nil {
		return 0
	}
	return sort.Search(len(steps), func(i int) bool { return !s.Clock.Covers(q, steps[i].Time) })
}
