package comm

// A leftover is something that a rank has open and that must not outlive the
// world, such as a file.
type leftover struct{ end func() error }

// AtEnd has end called when all ranks of the world have ended, unless the
// function returned is called before. For packages above this one: end gives
// up what the rank left open and returns what to tell about that. It runs
// alone.
func (c *Comm) AtEnd(end func() error) (closed func()) {
	p, l := c.proc, &leftover{end}
	p.open = append(p.open, l)
	return func() {
		for i := range p.open {
			if p.open[i] == l {
				last := len(p.open) - 1
				p.open[i], p.open[last] = p.open[last], nil
				p.open = p.open[:last]
				return
			}
		}
	}
}

// End ends the world: what ranks have left open is given up, and later calls on
// its communicators are errors. Package world calls it when all ranks have
// ended; tell gets every complaint.
func (u *Universe) End(tell func(rank int, err error)) {
	for i := range u.procs {
		p := &u.procs[i]
		for _, l := range p.open {
			if err := l.end(); err != nil {
				tell(i, err)
			}
		}
		p.open = nil
	}
	u.ended.Store(true)
}
