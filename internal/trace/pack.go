//go:build !js

package trace

import (
	"bytes"
	"encoding/gob"
	"time"

	"github.com/commworld/commworld/internal/sched"
)

// packed is a log in transfer between processes.
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

// Pack returns the log as bytes, with its events or without.
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

// Assemble returns the logs of a world, made from the results of Pack of all ranks, in
// order.
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
