package script

import (
	"errors"
	"strings"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/types"
)

// Text returns the error in the words of scripts: names of statements, and advice about lines of the script. The
// rule that was broken is not in it, see [Failure.Rule].
func (f *Failure) Text() string { return inWords(f.Err, f.Stmt) }

// ErrorText returns the error of the event in the words of scripts, as [Failure.Text] does; empty if it has none.
func (e *Event) ErrorText() string {
	if e.Err == nil {
		return ""
	}
	return inWords(e.Err, e.Stmt)
}

func inWords(err error, s *Stmt) string {
	var e *errclass.Error
	if !errors.As(err, &e) {
		return InWords(err.Error())
	}
	text := s.Routine
	if e.Object != "" {
		text += " of " + e.Object
	}
	if text += ": " + e.Class.Error(); e.Err != nil {
		var m *types.Mismatch
		if errors.As(e.Err, &m) {
			return text + ": " + mismatch(m)
		}
		text += ": " + InWords(e.Err.Error())
	}
	return text
}

// mismatch says what does not match, and what to change in the script.
func mismatch(m *types.Mismatch) string {
	head, rest, advised := strings.Cut(m.Error(), "; ")
	switch {
	case !advised:
		return head
	case strings.HasPrefix(rest, "describe"):
		return head + "; give the data the type of the etype"
	}
	why := ""
	if to, _, ok := strings.Cut(rest, ": "); ok && (strings.HasPrefix(to, "to MPI") || strings.HasPrefix(to, "BYTE")) {
		why = to + ": "
	}
	verb := m.Verb
	if verb == "" {
		verb = "use"
	}
	return head + "; " + why + verb + " " + m.Etype.String() + ", or give the view the etype " + m.Datatype.String()
}

// statements has the names that scripts have for calls, by those of this module.
var statements = func() map[string]string {
	all := map[string]string{"SetView": "view", "SetAtomicity": "atomic", "SSend": "ssend"}
	for name := range forms {
		call := ""
		for _, word := range strings.Split(name, "_") {
			if i := strings.TrimPrefix(word, "i"); i != word && (i == "read" || i == "write" || i == "send" || i == "recv") {
				call, word = "I", i
			}
			call += strings.ToUpper(word[:1]) + word[1:]
		}
		all[call] = name
	}
	return all
}()

// InWords returns a text of the library with the names that scripts have for calls.
func InWords(text string) string {
	var b strings.Builder
	for text != "" {
		n := 0
		for n < len(text) && isName(text[n]) {
			n++
		}
		if n == 0 {
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		name := text[:n]
		if s := statements[name]; s != "" && name != "Test" && name != "Delete" { // words of sentences, too
			name = s
		}
		b.WriteString(name)
		text = text[n:]
	}
	return b.String()
}
