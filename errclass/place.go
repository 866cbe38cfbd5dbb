package errclass

import (
	"path"
	"strconv"
	"strings"
)

// A Place is a line of a program that made a call, with the lines that led to it.
// Frames inside commworld are left out, so that a helper function, of a program or of
// a library above this one, does not hide its caller.
type Place struct {
	File   string `json:"file,omitempty"`   // as the compiler knows it
	Line   int    `json:"line,omitempty"`   // 0: the place is not known
	Func   string `json:"func,omitempty"`   // with its package
	Caller *Place `json:"caller,omitempty"` // the line that called Func; nil if Func is the rank's body, or if it was not recorded
}

// Innermost frames that [Place.String] and [Place.Chain] print.
const (
	shortChain = 3
	longChain  = 8
)

// String returns the innermost three frames of the chain, files without their directories:
// "tile.go:90 < tile.go:634 < main.go:20". It is empty if the place is not known.
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
	return path.Base(p.File) + ":" + strconv.Itoa(p.Line)
}

// IsZero reports whether the place is not known.
func (p Place) IsZero() bool { return p.Line <= 0 }
