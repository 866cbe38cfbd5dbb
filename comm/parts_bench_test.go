package comm

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commworld/commworld/internal/callsite"
	"github.com/commworld/commworld/internal/sched"
)

// BenchmarkParts measures the parts of a short message alone. Their sum, in
// tools/bench/RESULTS.md, is a lower bound for the message.
func BenchmarkParts(b *testing.B) {
	e := envelope{1, 0, 1}
	b.Run("lock", func(b *testing.B) {
		var mu sched.Mutex
		n := 0
		for b.Loop() {
			mu.Lock()
			n++
			mu.Unlock()
		}
	})
	b.Run("completion", func(b *testing.B) {
		var c completion
		for b.Loop() {
			c.open()
			if atomic.SwapUint32(&c.state, complete) == awaited {
				b.Fatal("no rank waits")
			}
		}
	})
	b.Run("match, unexpected", func(b *testing.B) {
		var m matcher
		x := &transfer{env: e}
		for b.Loop() {
			if m.receiver(e) == nil {
				m.arrive(x)
			}
			m.withdraw(m.message(e))
		}
	})
	b.Run("match, posted", func(b *testing.B) {
		var m matcher
		x := &transfer{env: e}
		for b.Loop() {
			if m.message(e) == nil {
				m.post(x)
			}
			m.receiver(e)
		}
	})
	b.Run("call site", func(b *testing.B) {
		for b.Loop() {
			var calls callsite.Near
			calls.Look(0)
		}
	})
	b.Run("status and request, memory", func(b *testing.B) { // of both ends, 64 messages at a time
		b.ReportAllocs()
		for b.Loop() {
			for range 2 {
				kept.statuses, kept.requests = make([]Status, 64), make([]Request, 64)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/message")
	})
	b.Run("word, there and back", func(b *testing.B) { // between two processors, if -cpu gives two
		var there, back line
		go func() {
			for i := range uint32(b.N) {
				there.await(i + 1)
				back.word.Store(i + 1)
			}
		}()
		for i := range uint32(b.N) {
			there.word.Store(i + 1)
			back.await(i + 1)
		}
	})
	b.Run("ring of cache lines", func(b *testing.B) { // a line a message, which nothing else accompanies
		var ring [256]line
		var read line
		go func() {
			for i := range uint32(b.N) {
				ring[i%256].await(i + 1)
				if i%64 == 63 {
					read.word.Store(i/64 + 1)
				}
			}
			read.word.Store(0)
		}()
		for i := range uint32(b.N) {
			if i%64 == 0 && i >= 256 {
				read.await(i/64 - 3)
			}
			ring[i%256].word.Store(i + 1)
		}
		for read.word.Load() != 0 {
			runtime.Gosched()
		}
	})
	b.Run("locked queue of two goroutines", func(b *testing.B) { // nothing is checked, matched or reported
		for b.Loop() {
			var q struct {
				mu   sync.Mutex
				list [64][8]byte
				n    int
			}
			done := make(chan bool)
			go func() {
				for got := 0; got < 64; {
					q.mu.Lock()
					more := q.n - got
					q.mu.Unlock()
					if got += more; more == 0 {
						runtime.Gosched()
					}
				}
				done <- true
			}()
			for i := range 64 {
				q.mu.Lock()
				q.list[i][0], q.n = byte(i), i+1
				q.mu.Unlock()
			}
			<-done
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/message")
	})
}

// A line is a word that has a cache line, and the one that is fetched with it, to itself.
type line struct {
	word atomic.Uint32
	_    [124]byte
}

// await spins until the word is at least n; where there is no other processor, it yields.
func (l *line) await(n uint32) {
	for i := 1; l.word.Load() < n; i++ {
		if i%(1<<12) == 0 {
			runtime.Gosched()
		}
	}
}

// kept has the values that a program keeps of its messages.
var kept struct {
	statuses []Status
	requests []Request
}
