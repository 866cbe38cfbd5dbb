//go:build !js

package machine

import (
	"io"
	"strings"

	"github.com/BurntSushi/toml"
)

// A page has no machines in text: without this file it is smaller.

// Decode reads a machine in TOML. The key "base" names a predefined machine, which gives the
// values that the text leaves out. Errors: ErrArg for invalid TOML, unknown keys and invalid
// values.
func Decode(r io.Reader) (Machine, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxText+1))
	switch {
	case err != nil:
		return Machine{}, err
	case len(text) > maxText:
		return Machine{}, fault("a machine of more than %d bytes of text", maxText)
	}
	if line := tooDeep(string(text)); line > 0 {
		return Machine{}, fault("toml: line %d: values or names nested deeper than %d; a machine has none", line, maxNested)
	}
	var base struct {
		Base string `toml:"base"`
	}
	if _, err := toml.Decode(string(text), &base); err != nil {
		return Machine{}, fault("%w", err)
	}
	type plainMachine Machine
	whole := struct {
		Base string `toml:"base"`
		plainMachine
	}{}
	if base.Base != "" {
		m, ok := Named(base.Base)
		if !ok {
			return Machine{}, fault("base %q; there are %s", base.Base, strings.Join(Names, ", "))
		}
		whole.plainMachine = plainMachine(m)
	}
	meta, err := toml.Decode(string(text), &whole)
	if err != nil {
		return Machine{}, fault("%w", err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return Machine{}, fault("unknown key %q", unknown[0].String())
	}
	m := Machine(whole.plainMachine)
	return m, m.Check()
}

// Bounds of a machine's text, checked before the parser reads it: the time and memory that it
// takes grow with the square of the text for some texts that nest.
const (
	maxText   = 64 << 10 // bytes
	maxNested = 16       // brackets that are open, and parts of one dotted name
)

// tooDeep returns the first line of a TOML text that nests deeper than maxNested, 0 if none
// does. Strings and comments do not count; what is wrong in them is left to the parser.
func tooDeep(text string) int {
	line, open, dots := 1, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			line, dots = line+1, 0
		case '[', '{':
			open, dots = open+1, 0
		case ']', '}':
			open = max(open-1, 0)
			dots = 0
		case '=', ',':
			dots = 0
		case '.':
			dots++
		case '#':
			i += lineLength(text[i:]) - 1
		case '"', '\'':
			n := quoted(text[i:])
			line += strings.Count(text[i:i+n], "\n")
			i += n - 1
		}
		if open > maxNested || dots >= maxNested {
			return line
		}
	}
	return 0
}

// lineLength returns the bytes of text before the end of its first line.
func lineLength(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}

// quoted returns the bytes of the string that text begins with, its quotes included. Strings
// of one quote end with the line, those of three with the text.
func quoted(text string) int {
	quote := text[:1]
	if three := strings.Repeat(quote, 3); strings.HasPrefix(text, three) {
		quote = three
	}
	end := len(text)
	if len(quote) == 1 {
		end = lineLength(text)
	}
	for i := len(quote); i < end; i++ {
		switch {
		case text[i] == '\\' && quote[0] == '"':
			i++
		case strings.HasPrefix(text[i:end], quote):
			return i + len(quote)
		}
	}
	return end
}

// String returns the machine in TOML, as [Decode] reads it.
func (m Machine) String() string {
	var b strings.Builder
	if err := toml.NewEncoder(&b).Encode(m); err != nil {
		return err.Error()
	}
	return b.String()
}
