package sched

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// If writers were not alone, or a waiting goroutine were forgotten, pages of files
// would be torn or ranks hang. A reader that comes later must not pass a writer
// for ever.
func TestRWMutex(t *testing.T) {
	const each = 2000
	var m RWMutex
	var all sync.WaitGroup
	var a, b int // equal whenever there is no writer
	for i := range 4 {
		all.Go(func() {
			for range each {
				m.Lock()
				a++
				b++
				m.Unlock()
			}
		})
		all.Go(func() {
			for k := range each {
				m.RLock()
				if a != b {
					t.Error("a reader saw half of a change")
				}
				if k%(i+2) == 0 {
					runtime.Gosched() // to have others wait
				}
				m.RUnlock()
			}
		})
	}
	all.Wait()
	assert.Equal(t, 4*each, a)
	assert.Zero(t, m.state.Load())
}

// While readers take turns so that there always is one, a writer still comes.
func TestRWMutexWriterIsNotStarved(t *testing.T) {
	var m RWMutex
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					m.RLock()
					for range 1000 {
						_ = m.state.Load()
					}
					m.RUnlock()
				}
			}
		})
	}
	came := 0
	for range 100 {
		m.Lock()
		came++
		m.Unlock()
	}
	close(stop)
	readers.Wait()
}
