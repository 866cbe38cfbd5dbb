package image

import (
	"math/bits"
	"sync"
)

const (
	smallest = 512     // size of the first chunk: a world of a million ranks has a million of them
	pooled   = 1 << 16 // chunks from this size on are recycled
	largest  = 1 << 20 // chunks grow up to this size
)

// buffers recycles byte slices by the logarithm of their size: touching new memory is
// slower than copying.
var buffers [64]sync.Pool

// takeBuffer returns a slice of length 0 and a capacity of at least n bytes. Its memory
// holds bytes of its last use.
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

// giveBuffer takes back a slice that is no longer used.
func giveBuffer(b []byte) {
	if c := cap(b); c >= pooled && c&(c-1) == 0 {
		buffers[bits.Len(uint(c-1))].Put(&b)
	}
}

// An arena holds the packed bytes of a log.
type arena struct {
	chunk []byte   // the chunk in use
	full  [][]byte // earlier chunks
	given []byte   // the last result of space, while not yet written
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

// owns reports whether p is the last result of space, or the next part of it.
func (a *arena) owns(p []byte) bool {
	if len(p) == 0 || len(p) > len(a.given) || &p[0] != &a.given[0] {
		return false
	}
	a.given = a.given[len(p):]
	return true
}

// grow joins p, a slice of the arena, to old if it follows it directly, and reports whether
// it did.
func (a *arena) grow(old, p []byte) ([]byte, bool) {
	start := len(a.chunk) - len(p) - len(old)
	if start < 0 || len(old) == 0 || &a.chunk[start] != &old[0] {
		return nil, false
	}
	return a.chunk[start:len(a.chunk):len(a.chunk)], true
}

// release forgets all bytes and returns their memory, for the caller to use.
func (a *arena) release() (chunks [][]byte) {
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
