package commport

// A Leftover is an entry for an object that a rank has open and that must not outlive the
// world, such as a file; its handle contains the entry. See Port.AtEnd.
type Leftover struct {
	end  Ender
	list *Leftovers
	at   int // index in the list
}

// An Ender gives up an object that a rank left open, and returns the error to report.
type Ender interface{ End() error }

// An EndFunc is a function as an [Ender].
type EndFunc func() error

// End calls f.
func (f EndFunc) End() error {
	if f == nil {
		return nil
	}
	return f()
}

// End gives up the object of l.
func (l *Leftover) End() error { return l.end.End() }

// Closed removes l from its list. It does nothing if l is in none.
func (l *Leftover) Closed() {
	if l == nil || l.list == nil {
		return
	}
	open := l.list.open
	last := len(open) - 1
	if last < l.at || open[l.at] != l {
		return // the world has ended
	}
	open[last].at = l.at
	open[l.at], open[last] = open[last], nil
	l.list.open = open[:last]
}

// Leftovers are the open objects of one rank.
type Leftovers struct{ open []*Leftover }

// Add adds l to the list. end gives up the object of l.
func (s *Leftovers) Add(l *Leftover, end Ender) {
	*l = Leftover{end, s, len(s.open)}
	s.open = append(s.open, l)
}

// AddFirst adds an object that is given up before all others. It cannot be closed.
func (s *Leftovers) AddFirst(end Ender) {
	s.open = append([]*Leftover{{end: end, list: s}}, s.open...)
	for i, l := range s.open {
		l.at = i
	}
}

// All returns the open objects, in the order in which they are to be given up.
func (s *Leftovers) All() []*Leftover { return s.open }

// Clear removes all objects: the world has ended.
func (s *Leftovers) Clear() { s.open = nil }
