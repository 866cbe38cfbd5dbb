package image

import (
	"math/bits"
	"sync"
)

const (
	smallest = 512     // first chunk: a world of a million ranks has as many of them
	pooled   = 1 << 16 // chunks from this size on are recycled
	largest  = 1 << 20 // chunks grow up to this size
)

// buffers recycles byte slices by the logarithm of their size: touching new
// memory is slower than any copy.
var buffers [64]sync.Pool

// takeBuffer returns a slice of length 0 and at least n bytes of capacity. What
// it holds is left over from earlier use.
func takeBuffer(n int) []byte {
	if n < pooled {
		return make([]byte, 0, n)
	}
	k := bits.Len(uint(n - 1))
	if b, ok := buffers[k].Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return make([]byte, 0, 1<<k)
}

// giveBuffer takes back a slice that nobody looks at any more.
func giveBuffer(b []byte) {
	if c := cap(b); c >= pooled && c&(c-1) == 0 {
		buffers[bits.Len(uint(c-1))].Put(&b)
	}
}

// An arena holds the packed bytes of a log.
type arena struct {
	chunk []byte   // the part in use
	full  [][]byte // earlier chunks
	given []byte   // what space returned last, and nobody has written yet
}

// space returns n bytes, behind the bytes returned before if they fit there.
func (a *arena) space(n int) []byte {
	if cap(a.chunk)-len(a.chunk) < n {
		size := max(n, min(2*cap(a.chunk), largest), smallest)
		if cap(a.chunk) > 0 {
			a.full = append(a.full, a.chunk)
		}
		a.chunk = takeBuffer(size)
	}
	at := len(a.chunk)
	a.chunk = a.chunk[:at+n]
	a.given = a.chunk[at : at+n : at+n]
	return a.given
}

// owns reports whether p is what space returned last, or after its first part is
// the next part of it.
func (a *arena) owns(p []byte) bool {
	if len(p) == 0 || len(p) > len(a.given) || &p[0] != &a.given[0] {
		return false
	}
	a.given = a.given[len(p):]
	return true
}

// grow joins p, which is of the arena, to old if it lies right behind it.
func (a *arena) grow(old, p []byte) ([]byte, bool) {
	start := len(a.chunk) - len(p) - len(old)
	if start < 0 || len(old) == 0 || &a.chunk[start] != &old[0] {
		return nil, false
	}
	return a.chunk[start:len(a.chunk):len(a.chunk)], true
}

// lose forgets all bytes and leaves its memory to others.
func (a *arena) lose() (chunks [][]byte) {
	chunks = append(a.full, a.chunk)
	*a = arena{}
	return chunks
}

// reset forgets all bytes.
func (a *arena) reset() {
	for _, c := range a.full {
		giveBuffer(c)
	}
	a.full, a.given = nil, nil
	if cap(a.chunk) >= pooled {
		giveBuffer(a.chunk)
		a.chunk = nil
	}
	a.chunk = a.chunk[:0]
}
