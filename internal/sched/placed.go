package sched

// Placed returns the line that r was told to be at, if it was told; see
// [Rank.SetPlace]. It costs nothing, which looking at the stack does.
func (r *Rank) Placed() (Place, bool) {
	if r.at == nil {
		return Place{}, false
	}
	return *r.at, true
}
