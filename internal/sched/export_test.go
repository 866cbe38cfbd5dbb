package sched

// Rude makes the ranks of a free world sleep without yielding first, so that
// tests meet the moments around going to sleep more often.
func (s *Sched) Rude() *Sched {
	if f, ok := s.drv.(*free); ok {
		f.polite = -1
	}
	return s
}
