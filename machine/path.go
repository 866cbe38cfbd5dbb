package machine

import "slices"

// A stride is a piece of a critical path, with a link to the piece before it.
type stride struct {
	Stretch
	before *stride
}

// stride returns the work of rank since it last waited for another rank.
func (s *sim) stride(rank int, before string) *stride {
	return &stride{Stretch{Rank: rank, Before: before, Parts: s.since[rank]}, s.paths[rank]}
}

// walk continues the critical paths of all members from one piece.
func (s *sim) walk(g *members, last *stride) {
	for rank := range g.all() {
		s.since[rank], s.paths[rank] = Parts{}, last
	}
}

// pathTo returns the critical path to the end of rank.
func (s *sim) pathTo(rank int) (list []Stretch) {
	for at := s.stride(rank, "the end"); at != nil; at = at.before {
		list = append(list, at.Stretch)
	}
	slices.Reverse(list)
	return list
}
