package race

import "github.com/commworld/commworld/internal/sched"

// A source is one line of the program and how it accesses the handles of one open. It ends when
// the detector has forgotten all of its accesses.
type source struct {
	number uint64           // in the order in which the sources were found
	full   map[*source]bool // those with which the race was counted to the end
}

type sourceKey struct {
	op                    string
	where                 PCs
	line                  sched.Place
	write, atomic, resize bool
}

func (s *source) fill(o *source) {
	if s.full == nil {
		s.full = map[*source]bool{}
	}
	s.full[o] = true
}

// site returns a site of t, with its source.
func (t *Tracker) site(k siteKey) *site {
	key := sourceKey{k.op, k.where, k.line, k.write, k.atomic, k.resize}
	s := t.sources[key]
	if s == nil {
		t.d.newest++
		s = &source{number: t.d.newest}
		t.sources[key] = s
	}
	return &site{siteKey: k, source: s}
}
