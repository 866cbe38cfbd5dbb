package errclass

import (
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/commworld/commworld/internal/careenv"
)

// A Place is a line of a program that made a call, with the lines that led to it. Frames
// inside commworld are left out, so that a helper function, of a program or of a library
// above this one, does not hide its caller.
type Place struct {
	File   string `json:"file,omitempty"`   // as the compiler knows it
	Line   int    `json:"line,omitempty"`   // 0: the place is unknown
	Func   string `json:"func,omitempty"`   // with its package
	Caller *Place `json:"caller,omitempty"` // the line that called Func; nil if Func is the rank's body, or if it was not recorded
}

// The number of innermost frames that [Place.String] and [Place.Chain] print.
const (
	shortChain = 3
	longChain  = 8
)

// String returns the innermost three frames of the chain, files without their directories:
// "tile.go:90 < tile.go:634 < main.go:20". It is empty if the place is unknown.
func (p Place) String() string { return p.chain(shortChain) }

// Chain is String with up to eight frames, which mostly reach the rank's body.
func (p Place) Chain() string { return p.chain(longChain) }

func (p Place) chain(most int) string {
	if p.Line <= 0 {
		return ""
	}
	text := p.Base()
	if p.Caller == nil {
		return text
	}
	var b strings.Builder
	b.WriteString(text)
	for at, n := p.Caller, 1; at != nil && n < most; at, n = at.Caller, n+1 {
		b.WriteString(" < ")
		b.WriteString(at.Base())
	}
	return b.String()
}

// Base returns the innermost frame alone, "tile.go:90".
func (p Place) Base() string {
	if p.Line <= 0 {
		return ""
	}
	return careenv.ShortName(p.File) + ":" + strconv.Itoa(p.Line)
}

// IsZero reports whether the place is not known.
func (p Place) IsZero() bool { return p.Line <= 0 }

// PlaceOf returns the place of the first of the given frames, with those that led to it. It
// is for packages above this one.
func PlaceOf(chain []runtime.Frame) Place {
	var p Place
	for i := len(chain) - 1; i >= 0; i-- {
		q := Place{File: chain[i].File, Line: chain[i].Line, Func: chain[i].Function}
		if p.Line > 0 {
			q.Caller = callers.intern(p)
		}
		p = q
	}
	return p
}

// callers holds each caller place once, so that equal places are equal by ==.
var callers interned

type interned struct {
	mu    sync.Mutex
	known map[Place]*Place
}

func (c *interned) intern(p Place) *Place {
	c.mu.Lock()
	defer c.mu.Unlock()
	if q := c.known[p]; q != nil {
		return q
	}
	if c.known == nil {
		c.known = map[Place]*Place{}
	}
	c.known[p] = &p
	return &p
}
