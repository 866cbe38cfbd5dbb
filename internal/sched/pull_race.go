//go:build race

package sched

// pull is [iter.Pull] without values and without stop, by channels. The race detector never
// frees the 5 KB that it keeps for each goroutine of iter.Pull, and tests create a million
// of them. Unlike with iter.Pull, a goroutine that ends by runtime.Goexit ends no other.
func pull(body func(yield func(struct{}) bool)) (resume func() (struct{}, bool)) {
	wakes := [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}
	at := 0 // the goroutine suspended in the slot waits for wakes[at]
	change := func() bool {
		here, there := wakes[1-at], wakes[at]
		at = 1 - at
		there <- struct{}{}
		<-here
		return true
	}
	begun := false
	return func() (struct{}, bool) {
		if begun {
			return struct{}{}, change()
		}
		begun = true
		go func() {
			defer func() { wakes[at] <- struct{}{} }()
			body(func(struct{}) bool { return change() })
		}()
		<-wakes[0]
		return struct{}{}, true
	}
}
