package script

import "fmt"

// A SyntaxError says which line of a script is wrong, and where in it.
type SyntaxError struct {
	Line   int
	Column int    // in bytes, from 1
	Text   string // of the line
	Err    error
}

// Error gives line, column and what is wrong there.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %v", e.Line, e.Column, e.Err)
}

// Unwrap returns what is wrong.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Show is Error followed by the line, with a mark under the place.
func (e *SyntaxError) Show() string {
	mark := make([]byte, 0, e.Column)
	for i := 0; i < e.Column-1 && i < len(e.Text); i++ {
		c := byte(' ')
		if e.Text[i] == '\t' {
			c = '\t'
		}
		mark = append(mark, c)
	}
	return fmt.Sprintf("%v\n    %s\n    %s^", e, e.Text, mark)
}
