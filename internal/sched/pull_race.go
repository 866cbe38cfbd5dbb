//go:build race

package sched

// pull is [iter.Pull] of nothing, without stop, by channels: the race detector never
// gives back what it keeps of a goroutine that iter.Pull made, 5 KB each, and tests
// make a million. A goroutine that leaves by runtime.Goexit takes no other along.
func pull(body func(yield func(struct{}) bool)) (resume func() (struct{}, bool)) {
	wakes := [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}
	at := 0 // the goroutine that lies in the place waits for wakes[at]
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
