package trace

import (
	"cmp"
	"slices"
	"time"
)

// Logs of ranks in separate processes: each process keeps the log of its rank, as that of a
// world of one, and at the end Assemble joins them.

// Await counts a wait in a library, which began at start.
func (l *Log) Await(start time.Time) {
	l.Waits.Waits++
	l.Waits.Waited += time.Since(start)
}

// Number returns the number of a receive among those of the rank. In a library a message
// carries no number, so [Assemble] joins the two ends of a message by the numbers that the
// ranks gave them.
func (l *Log) Number() int64 {
	l.received++
	return l.received
}

// A path identifies messages that do not overtake each other, so that both ends of a
// message can be found. Communicators are distinguished by their names.
type path struct {
	from, to, tag int
	object        string
}

// join gives both ends of each message the same number.
func (w *World) join() {
	ends := map[path][2][]*Event{}
	for rank := range w.logs {
		for e := range w.logs[rank].all() {
			var p path
			switch e.Kind {
			case Out:
				p = path{rank, e.Far, e.Tag, e.Object}
			case In:
				p = path{e.Far, rank, e.Tag, e.Object}
			default:
				continue
			}
			both := ends[p]
			both[e.Kind-Out] = append(both[e.Kind-Out], e)
			ends[p] = both
		}
	}
	number := int64(0)
	for _, both := range ends {
		for _, list := range both { // In events are in the order in which the receives completed
			slices.SortFunc(list, func(a, b *Event) int { return cmp.Compare(a.Message, b.Message) })
		}
		for i := range max(len(both[0]), len(both[1])) {
			number++
			for _, list := range both {
				if i < len(list) {
					list[i].Message = number
				}
			}
		}
	}
}
