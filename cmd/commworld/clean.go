package main

import (
	"io"
	"os"
	"regexp"
	"unicode/utf8"

	"github.com/commworld/commworld/internal/brief"
)

// A cleanWriter is where text leaves the program: control characters that arguments,
// scripts and files bring are question marks behind it. A terminal that shows colours
// gets those that the program itself uses.
type cleanWriter struct {
	w       io.Writer
	colours bool
	part    []byte // of a character, or of a colour, whose end is yet to come
}

func newCleanWriter(w io.Writer) *cleanWriter { return &cleanWriter{w: w, colours: colours(w)} }

var (
	colour      = regexp.MustCompile(`^\x1b\[(0|1;31|7;1|38;5;16;48;5;\d{1,3})m`)
	colourBegun = regexp.MustCompile(`^\x1b(\[[0-9;]{0,20})?$`)
)

func (c *cleanWriter) Write(p []byte) (int, error) {
	text := append(c.part, p...)
	c.part = nil
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		if text[0] == '\x1b' && c.colours {
			if own := colour.Find(text); own != nil {
				out, text = append(out, own...), text[len(own):]
				continue
			}
			if colourBegun.Match(text) {
				break
			}
		}
		if !utf8.FullRune(text) {
			break
		}
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			r = '?'
		}
		out, text = utf8.AppendRune(out, brief.Visible(r)), text[n:]
	}
	c.part = append(c.part, text...)
	if _, err := c.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// end writes what never got its end.
func (c *cleanWriter) end() {
	if len(c.part) > 0 {
		_, _ = io.WriteString(c.w, brief.Show(string(c.part)))
		c.part = nil
	}
}

// raw is the writer behind a cleanWriter, for data and for what moves the cursor.
func raw(w io.Writer) io.Writer {
	if c, ok := w.(*cleanWriter); ok {
		return c.w
	}
	return w
}

// fileOf is the file that w writes to, or nil.
func fileOf(w io.Writer) *os.File {
	f, _ := raw(w).(*os.File)
	return f
}
