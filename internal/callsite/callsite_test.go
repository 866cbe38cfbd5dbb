package callsite

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

// here finds the line that called it, as a library does.
//
//go:noinline
func here(c *Cache) (got, want uintptr) {
	var pcs [1]uintptr
	runtime.Callers(4, pcs[:])
	return c.Caller(4)[0], pcs[0]
}

//go:noinline
func run(c *Cache) (got, want uintptr) {
	got, want = here(c)
	return got, want
}

func library(c *Cache) (got, want uintptr) { return run(c) } // inlined

//go:noinline
func wrapped(c *Cache) (got, want uintptr) { return run(c) }

type inner struct{ c *Cache }

//go:noinline
func (i *inner) Write() (got, want uintptr) { return run(i.c) }

type outer struct{ *inner }

type writer interface{ Write() (got, want uintptr) }

// If two places were taken for one, a race would be reported with a line of the
// program that has nothing to do with it.
func TestCaller(t *testing.T) {
	var c Cache
	line := func(pc uintptr) int {
		f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		return f.Line
	}
	seen := map[int]bool{}
	check := func(got, want uintptr) {
		t.Helper()
		assert.Equal(t, want, got)
		seen[line(got)] = true
	}
	for range 3 {
		check(library(&c))
		check(library(&c))
		check(wrapped(&c))
		check(wrapped(&c))
		for range 2 {
			check(library(&c))
		}
		once := func() (got, want uintptr) { return library(&c) }
		check(once())
		var w writer = outer{&inner{&c}}
		check(w.Write())
		check(w.Write())
	}
	assert.Len(t, seen, 8)
	for _, p := range c.known { // and they come from the cache, not from the runtime
		assert.Equal(t, p.frames != Near{}, p.pcs[0] != 0)
	}
}

type relay struct{ writer }

// The compiler makes wrapper functions for promoted methods and for method values. They are
// no places in a program, and there may be more of them between a line and the library than
// the number of compared addresses.
func TestWrappers(t *testing.T) {
	var c Cache
	var w writer = &inner{&c}
	for range 5 {
		w = relay{w}
		write := w.Write
		for range 2 {
			pcs := map[uintptr]bool{}
			check := func(got, want uintptr) {
				t.Helper()
				assert.Equal(t, want, got)
				pcs[got] = true
			}
			check(w.Write())
			check(w.Write())
			check(write())
			check(write())
			assert.Len(t, pcs, 4)
		}
	}
}

//go:noinline
func led(c *Cache) (got, want PCs) {
	runtime.Callers(3, want[:])
	return *c.Caller(3), want
}

//go:noinline
func helper(c *Cache) (got, want PCs) {
	got, want = led(c)
	return got, want
}

//go:noinline
func deeper(c *Cache, n int) (got, want PCs) {
	if n > 0 {
		got, want = deeper(c, n-1)
		return got, want
	}
	got, want = helper(c)
	return got, want
}

// A helper function must not hide its caller: two calls of it from different lines
// would be one place.
func TestCallers(t *testing.T) {
	var c Cache
	chains := map[PCs]bool{}
	check := func(got, want PCs) {
		t.Helper()
		n := 0
		for n < len(got) && got[n] != 0 {
			n++
		}
		assert.Equal(t, want[:n], got[:n])
		assert.GreaterOrEqual(t, n, 3)
		chains[PCs{got[0], got[1], got[2]}] = true
	}
	for range 3 {
		check(helper(&c))
		check(helper(&c))
		check(deeper(&c, 0))
		for range 2 {
			check(deeper(&c, 0))
			check(deeper(&c, 1))
		}
		check(deeper(&c, 2))
		check(deeper(&c, 9))
	}
	assert.Len(t, chains, 2+1+1+1+1)
}

// If the walk followed the word above the first function of a goroutine, programs
// would crash.
func TestShallowStacks(t *testing.T) {
	var c Cache
	for range 2 {
		done := make(chan [2]uintptr)
		go func() {
			got, want := run(&c)
			done <- [2]uintptr{got, want}
		}()
		pcs := <-done
		assert.Equal(t, pcs[1], pcs[0])
	}
}

// path returns the call path to here, by Stack and by runtime.Callers.
//
//go:noinline
func path() (s Stack, pcs [8]uintptr) {
	s.Look()
	runtime.Callers(2, pcs[:])
	return s, pcs
}

func inlined() (Stack, [8]uintptr) { return path() }

// If two call paths had one stack, the cached call site of one would be reported for the
// other.
func TestStack(t *testing.T) {
	var s Stack
	if !s.Look() {
		t.Skip("no frame pointers here: nothing is remembered")
	}
	ways := map[Stack][8]uintptr{}
	check := func(s Stack, pcs [8]uintptr) {
		if was, ok := ways[s]; ok {
			assert.Equal(t, was, pcs)
		}
		ways[s] = pcs
	}
	var down func(n int)
	down = func(n int) {
		if n > 0 {
			down(n - 1)
		}
		check(path())
		check(inlined())
	}
	for range 3 {
		check(path())
		check(inlined())
		down(2)
		down(2)
		done := make(chan struct{})
		go func() {
			down(3)
			close(done)
		}()
		<-done
	}
	unlike := map[[8]uintptr]bool{}
	for _, pcs := range ways {
		unlike[pcs] = true
	}
	assert.Len(t, ways, 2+2*6+2*4)
	assert.Len(t, unlike, len(ways))
}

func BenchmarkCaller(b *testing.B) {
	var c Cache
	b.Run("cached", func(b *testing.B) {
		for b.Loop() {
			c.Caller(3)
		}
	})
	b.Run("asked", func(b *testing.B) {
		for b.Loop() {
			var pcs [1]uintptr
			ask(3, pcs[:])
		}
	})
}
