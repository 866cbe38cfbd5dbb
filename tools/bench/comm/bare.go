package comm

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A letterbox only carries messages of 8 bytes from one goroutine to another: a lock, a
// queue of messages that have arrived, and a queue of receives. It has one sender and one
// tag, and no checks and no listeners.
type letterbox struct {
	mu      sync.Mutex
	arrived fifo[[8]byte]
	posted  fifo[*wanted]
	sleeper chan struct{} // capacity 1
}

// A wanted is a receive.
type wanted struct {
	state atomic.Uint32
	data  [8]byte
}

// The states of a wanted.
const (
	here uint32 = iota
	open
	slept // the receiver sleeps until the message is here
)

type fifo[T any] struct {
	items []T
	head  int
}

func (f *fifo[T]) push(x T) { f.items = append(f.items, x) }

func (f *fifo[T]) pop() (x T, ok bool) {
	if f.head == len(f.items) {
		return x, false
	}
	x = f.items[f.head]
	if f.head++; f.head == len(f.items) {
		f.items, f.head = f.items[:0], 0
	}
	return x, true
}

func newLetterbox() *letterbox { return &letterbox{sleeper: make(chan struct{}, 1)} }

func (b *letterbox) send(m [8]byte) {
	b.mu.Lock()
	w, ok := b.posted.pop()
	if !ok {
		b.arrived.push(m)
	}
	b.mu.Unlock()
	if !ok {
		return
	}
	w.data = m
	if w.state.Swap(here) == slept {
		b.sleeper <- struct{}{}
	}
}

func (b *letterbox) post(w *wanted) {
	b.mu.Lock()
	m, ok := b.arrived.pop()
	if ok {
		w.data = m
	} else {
		w.state.Store(open)
		b.posted.push(w)
	}
	b.mu.Unlock()
}

// wait yields once before it sleeps, as ranks do.
func (b *letterbox) wait(w *wanted) {
	if w.state.Load() == here {
		return
	}
	runtime.Gosched()
	if w.state.CompareAndSwap(open, slept) {
		<-b.sleeper
	}
}

// exchange sends windows of messages in one direction, which receive takes, and one
// answer in the other.
func exchange(count int, receive func(b *letterbox)) {
	there, back := newLetterbox(), newLetterbox()
	var receiver sync.WaitGroup
	receiver.Go(func() {
		for range count {
			receive(there)
			back.send([8]byte{})
		}
	})
	for range count {
		for i := range window {
			there.send([8]byte{byte(i)})
		}
		inRow(1)(back)
	}
	receiver.Wait()
}

// inRow receives one message after the other.
func inRow(n int) func(b *letterbox) {
	return func(b *letterbox) {
		var w wanted
		for range n {
			b.post(&w)
			b.wait(&w)
		}
	}
}

// atOnce posts all receives and then waits for them, the last one first.
func atOnce(b *letterbox) {
	all := make([]wanted, window)
	for i := range all {
		b.post(&all[i])
	}
	for i := range all {
		b.wait(&all[len(all)-1-i])
	}
}
