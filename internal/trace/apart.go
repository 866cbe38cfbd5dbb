package trace

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"slices"
	"time"

	"github.com/commworld/commworld/internal/sched"
)

// Logs of ranks in processes of their own: each keeps the log of its rank, as that
// of a world of one, and at the end they are put together.

// Await counts a wait in a library, which began at start.
func (l *Log) Await(start time.Time) {
	l.Waits.Waits++
	l.Waits.Waited += time.Since(start)
}

// Number gives a receive its place among those of the rank. In a library, where a
// message brings no number along, those that ranks gave their ends of it are
// what [Assemble] joins them by.
func (l *Log) Number() int64 {
	l.received++
	return l.received
}

// packed is a log on its way between processes.
type packed struct {
	Waits          sched.Watch
	Sent, Received Traffic
	To             map[int]*Traffic
	Calls          map[Call]*Traffic
	Files          map[string]*File
	Lints          []Lint
	Events         []Event
	Places         []sched.Place // of the events
}

// Pack is the log as bytes, with its events or without.
func (l *Log) Pack(events bool) ([]byte, error) {
	p := packed{l.Waits, l.Sent, l.Received, l.To, l.Calls, l.Files, l.Lints, nil, nil}
	if events {
		for e := range l.all() {
			at := *e
			at.Line = nil
			p.Events, p.Places = append(p.Events, at), append(p.Places, e.Line.Place())
		}
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(&p)
	return b.Bytes(), err
}

// Assemble makes the logs of all ranks, in order, as Pack gave them, those of a
// world.
func Assemble(logs [][]byte) (*World, error) {
	w := &World{logs: make([]Log, len(logs)), start: time.Now()}
	for rank, data := range logs {
		var p packed
		if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&p); err != nil {
			return nil, err
		}
		l := &w.logs[rank]
		l.w, l.Waits, l.Sent, l.Received, l.To, l.Calls, l.Files, l.Lints = w, p.Waits, p.Sent, p.Received, p.To, p.Calls, p.Files, p.Lints
		for i := range l.Lints {
			l.Lints[i].Rank = rank
		}
		for i := range p.Events {
			if p.Places[i] != (sched.Place{}) {
				p.Events[i].Line = sched.LineAt(p.Places[i])
			}
		}
		if len(p.Events) > 0 {
			l.events = [][]Event{p.Events}
		}
	}
	w.join()
	return w, nil
}

// A path is what messages do not overtake each other on: that is how both ends of
// one are known. Communicators are told apart by their names.
type path struct {
	from, to, tag int
	object        string
}

// join numbers messages alike at both ends.
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
		for _, list := range both { // In events stand in the order in which the receives were completed
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
