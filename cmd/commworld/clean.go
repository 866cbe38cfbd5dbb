package main

import (
	"cmp"
	"io"
	"os"
	"regexp"
	"unicode/utf8"

	"github.com/commworld/commworld/internal/brief"
)

// A cleanWriter writes all text output of the program. It replaces control characters,
// which may come from arguments, scripts and files, by question marks. On a terminal with
// colours, the program's own colour codes pass.
type cleanWriter struct {
	w       io.Writer
	colours bool
	always  bool   // colours were asked for, whatever w is
	wrap    int    // columns at which lines are wrapped; 0: never
	line    []byte // of a writer that wraps: the line whose end has not come yet
	part    []byte // the beginning of a character or a colour code whose end has not come yet
	err     error  // of the first write that failed
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
		if text[0] == '\r' { // at the end of a line, as in the scripts of Windows
			if len(text) == 1 {
				break
			}
			if text[1] == '\n' {
				out, text = append(out, '\r', '\n'), text[2:]
				continue
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
	if err := c.pass(out); err != nil {
		c.err = cmp.Or(c.err, err)
		return 0, err
	}
	return len(p), nil
}

// pass writes clean text.
func (c *cleanWriter) pass(text []byte) error {
	if c.wrap > 0 {
		return c.wrapped(text)
	}
	_, err := c.w.Write(text)
	return err
}

// end writes an incomplete line or character at the end of the output.
func (c *cleanWriter) end() {
	text := string(c.line)
	if c.wrap > 0 {
		text = fold(text, c.wrap)
	}
	if len(c.part) > 0 {
		text += brief.Show(string(c.part))
	}
	if c.line, c.part = nil, nil; text != "" {
		_, _ = io.WriteString(c.w, text)
	}
}

// paint sets whether colours pass, as --color says.
func (c *cleanWriter) paint(when string) {
	switch when {
	case "always":
		c.colours, c.always = true, true
	case "never":
		c.colours = false
	}
}

// raw returns the writer behind a cleanWriter, for data and for cursor movements.
func raw(w io.Writer) io.Writer {
	if c, ok := w.(*cleanWriter); ok {
		return c.w
	}
	return w
}

// fileOf returns the file that w writes to, or nil.
func fileOf(w io.Writer) *os.File {
	f, _ := raw(w).(*os.File)
	return f
}
