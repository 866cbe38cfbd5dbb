package brief

import (
	"strings"
	"unicode"
)

// Visible returns c, or a question mark in place of a character that a terminal may obey
// rather than show: control characters except newline and tab, and characters that only
// change the look of others, such as those that reverse the direction of text.
func Visible(c rune) rune {
	switch {
	case c == '\n' || c == '\t' || c < 0x7f && c >= ' ':
		return c
	case unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
		return '?'
	}
	return c
}

// Show returns s with only [Visible] characters; invalid UTF-8 becomes question marks.
func Show(s string) string { return strings.Map(Visible, strings.ToValidUTF8(s, "?")) }
