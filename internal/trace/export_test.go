package trace

// Messages are the numbers of the messages of a rank, in the order of its events.
func (w *World) Messages(rank int) (numbers []int64) {
	for e := range w.logs[rank].all() {
		numbers = append(numbers, e.Message)
	}
	return numbers
}
