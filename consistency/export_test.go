package consistency

// Remembered counts the pieces that im remembers of older versions.
func (im *Image) Remembered() int {
	n := 0
	for i := range int64(Stripes) {
		for _, list := range im.stripeAt(i).undo {
			n += len(list)
		}
	}
	return n
}

// Records counts the records in the log of h.
func (h *Handle) Records() int { return h.log.recs.n }

// PageHead is how long a page is at first.
const PageHead = pageHead
