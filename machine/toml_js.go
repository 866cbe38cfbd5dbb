package machine

import (
	"fmt"
	"io"
)

// Decode is an error: a page has no machines in text.
func Decode(io.Reader) (Machine, error) {
	return Machine{}, fault("machines in text cannot be read in a browser")
}

// String returns the values of the machine.
func (m Machine) String() string {
	type values Machine
	return fmt.Sprintf("%+v", values(m))
}
