package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// tokenAt explains the place of the mark ^ in a text.
func tokenAt(text string) Token {
	before, after, _ := strings.Cut(text, "^")
	lines := strings.Split(before, "\n")
	return TokenAt(before+after, len(lines), len(lines[len(lines)-1]))
}

// Each place of a statement has a sentence, and the words that may stand there.
func TestTokenAt(t *testing.T) {
	const head = "ranks 2\ntype col = vector(2,1,2,int)\nfile f = 00*4\nall:\n  open hand f rdwr\n"
	for _, c := range []struct {
		text, about, form string
		options           []string
	}{
		{"ra^", "", "", []string{"race", "ranks"}},
		{"^ranks 2", "The number of ranks that run the script.", "", nil},
		{head + "  write_at_all_b^", "", "", []string{"write_at_all_begin"}},
		{head + "  sy^nc hand", "Publishes the writes of the rank and fetches what others have published; all ranks call it.", "sync HANDLE", nil},
		{head + "  sync ^", "HANDLE: a name for the open file.", "sync HANDLE", []string{"hand"}},
		{head + "  view hand 0 co^", "ETYPE: the etype: the unit in which offsets count.", "view HANDLE DISP ETYPE FILETYPE REP", []string{"col", "complex"}},
		{head + "  view hand 0 int int n^", "REP: the data representation: native, internal or external32.", "view HANDLE DISP ETYPE FILETYPE REP", []string{"native"}},
		{head + "  write_at hand 4^ int 5", "OFFSET: counts etypes of the view from its beginning.", "write_at HANDLE OFFSET DATA", nil},
		{head + "  open g f rdwr|cr^", "MODE: the access mode: rdonly, rdwr or wronly, with create, excl and others, joined by |.", "open HANDLE FILE MODE [HINT=VALUE ...]", []string{"create"}},
		{head + "1: iread_at hand 0 int -> x as q\n1: wait ^", "REQUEST: the name of a request that is under way.", "wait REQUEST", []string{"q"}},
		{head + "0-1^:", "The statements that follow are run by rank 0-1, in order.", "", nil},
		{head + "  nonsense ^", "", "", nil},
	} {
		got := tokenAt(c.text)
		assert.Equal(t, c.form, got.Form, c.text)
		if c.about != "" || c.form != "" {
			assert.Equal(t, c.about, got.About, c.text)
		}
		for _, o := range c.options {
			assert.Contains(t, got.Options, o, c.text)
		}
		for _, o := range got.Options {
			assert.GreaterOrEqual(t, len(o), got.Typed, c.text)
		}
	}
	assert.Equal(t, Token{}, TokenAt("ranks 2", 9, 0))
	assert.Equal(t, Token{}, TokenAt("ranks 2", 1, 90))
}

// Every statement and every argument has a sentence of plain words.
func TestEveryFormHasASentence(t *testing.T) {
	for name, f := range forms {
		assert.True(t, strings.HasSuffix(f.about, ".") && f.about[0] >= 'A' && f.about[0] <= 'Z', "%s: %q", name, f.about)
		for _, a := range f.args {
			assert.NotEmpty(t, a.about, "%s: %s", name, a.what)
		}
	}
	assert.Equal(t, "Reads at an offset; all ranks call it.", forms["read_at_all"].about)
	assert.Equal(t, "Starts to write at the shared file pointer.", forms["iwrite_shared"].about)
	assert.Equal(t, "Completes write_all_begin of the same handle; all ranks call it.", forms["write_all_end"].about)
}

// No place of any text makes TokenAt panic.
func FuzzTokenAt(f *testing.F) {
	f.Add("ranks 2\nall:\n  open h f rdwr\n  repeat i 0 3\n  write_at h i int r\nend\n1: read_at h 0 int*2 -> x\nallow 1:x = 0", 4, 3)
	f.Add("0: barrier # all", 1, 2)
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		TokenAt(text, line, column)
		for i := range min(20, strings.Count(text, "\n")+1) {
			TokenAt(text, i+1, column%40)
		}
	})
}
