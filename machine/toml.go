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

// maxText bounds the bytes of a machine's text.
const maxText = 1 << 20

// String returns the machine in TOML, as [Decode] reads it.
func (m Machine) String() string {
	var b strings.Builder
	if err := toml.NewEncoder(&b).Encode(m); err != nil {
		return err.Error()
	}
	return b.String()
}
