package dropped

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If this fails, a program that handles an error is accused of ignoring it, or one that drops
// an error is not.
func TestFate(t *testing.T) {
	for name, c := range map[string]struct {
		line string // with the call f.Sync, before other lines of the function, which ends with "return err"
		want bool
	}{
		"statement":                    {"f.Sync()", true},
		"blank":                        {"_ = f.Sync()", true},
		"blank of several":             {"n, _ := f.Sync(); _ = n", true},
		"blank in parallel":            {"n, _ := g(), f.Sync(); _ = n", true},
		"the other is blank":           {"_, err = g(), f.Sync()", false},
		"blank declared":               {"var n, _ = f.Sync(); _ = n", true},
		"go":                           {"go f.Sync()", true},
		"parentheses":                  {"_ = (f.Sync())", true},
		"assigned":                     {"err = f.Sync()", false},
		"declared":                     {"var e = f.Sync(); err = e", false},
		"assigned again":               {"err = f.Sync(); err = f.Close()", true},
		"assigned again later":         {"err = f.Sync(); n := 1; n++; g(n); err = f.Close()", true},
		"assigned again with another":  {"_, err = f.Sync(); n, err := f.Close(); _ = n", true},
		"joined":                       {"err = f.Sync(); err = errors.Join(err, f.Close())", false},
		"used by the next call":        {"err = f.Sync(); g(err); err = f.Close()", false},
		"retried":                      {"err = f.Sync(); if err != nil { err = f.Close() }", false},
		"retried in a loop":            {"for err != nil { err = f.Sync() }", false},
		"compared":                     {"if f.Sync() != nil { return nil }", false},
		"in an if":                     {"if err := f.Sync(); err != nil { return err }", false},
		"left":                         {"if true { err = f.Sync(); return nil }", true},
		"left with it":                 {"if true { err = f.Sync(); return err }", false},
		"left behind an if":            {"if true { err = f.Sync(); if n > 0 { g(1) }; return nil }", true},
		"a jump":                       {"for { err = f.Sync(); if n > 0 { break }; err = nil }", false},
		"end of a block":               {"if true { err = f.Sync() }", false},
		"in a case":                    {"switch { case true: err = f.Sync(); err = f.Close() }", true},
		"an argument":                  {"g(f.Sync())", false},
		"given to a function":          {"err = errors.Join(f.Sync(), f.Sync())", false},
		"twice, one dropped":           {"f.Sync(); err = f.Sync()", false},
		"a closure uses it":            {"defer func() { g(err) }(); err = f.Sync(); err = f.Close()", false},
		"in a closure":                 {"h(func() error { f.Sync(); return nil })", true},
		"in a closure, returned":       {"h(func() error { return f.Sync() })", false},
		"a helper returns it, dropped": {"k.helper(f)", true},
		"a helper returns it, used":    {"err = k.helper(f)", false},
		"a helper checks it":           {"k.checks(f)", false},
	} {
		t.Run("WORLD-01 "+name, func(t *testing.T) {
			text := "package p\n\nimport \"errors\"\n\nfunc body(f F, n int) error {\n\tvar err error\n\t" + c.line + "\n\treturn err\n}\n\n" +
				"func (K) helper(f F) error { return f.Sync() }\n\nfunc (K) checks(f F) error { err := f.Sync(); if err != nil { return nil }; return err }\n"
			s := parse("p.go", text)
			require.NotNil(t, s, text)
			const line = 7
			switch {
			case strings.Contains(c.line, "k."):
				inner := map[bool]int{true: 11, false: 13}[strings.Contains(c.line, "helper")]
				drops, passes, function := s.fate(lastResult, "Sync", inner)
				assert.False(t, drops)
				if passes {
					drops, _, _ = s.fate(lastResult, function, line)
				}
				assert.Equal(t, c.want, drops)
			default:
				drops, _, _ := s.fate(lastResult, "Sync", line)
				assert.Equal(t, c.want, drops)
			}
		})
	}
	t.Run("WORLD-01 deferred", func(t *testing.T) {
		s := parse("p.go", "package p\n\nfunc body(f F) error {\n\tdefer f.Close()\n\treturn nil\n}\n")
		drops, _, _ := s.fate(lastResult, "Close", 5)
		assert.True(t, drops, "Go runs it in the line of the return")
		drops, _, _ = s.fate(lastResult, "Sync", 5)
		assert.False(t, drops)
	})
	t.Run("WORLD-01 a named result", func(t *testing.T) {
		s := parse("p.go", "package p\n\nfunc body(f F) (err error) {\n\terr = f.Sync()\n\treturn\n}\n")
		drops, _, _ := s.fate(lastResult, "Sync", 4)
		assert.False(t, drops)
	})
	t.Run("WORLD-01 completed by another call", func(t *testing.T) {
		s := parse("p.go", "package p\n\nimport \"types\"\n\nfunc body(q Q) {\n\tq.Wait(types.Of(1))\n}\n")
		drops, _, _ := s.fate(lastResult, "IWriteAt", 6)
		assert.True(t, drops)
	})
	t.Run("WORLD-01 no source", func(t *testing.T) {
		assert.Nil(t, sourceOf("not/there.go"))
		assert.Nil(t, sourceOf("main.c"))
		assert.Nil(t, parse("p.go", "no Go"))
	})
}

// If this fails, a program that looks at how much it has read is accused of not looking, or
// the other way round.
func TestFateOfStatus(t *testing.T) {
	for name, c := range map[string]struct {
		line string // with the call f.Read, as for TestFate
		want bool
	}{
		"statement":            {"f.Read()", true},
		"blank":                {"_, err = f.Read()", true},
		"blank in an if":       {"if _, err := f.Read(); err != nil { return err }", true},
		"error dropped":        {"st, _ := f.Read(); g(st)", false},
		"used":                 {"st, err := f.Read(); g(st.Count())", false},
		"assigned again":       {"st, err := f.Read(); st, err = f.Read2(); g(st)", true},
		"given on":             {"g(f.Read())", false},
		"a helper returns it":  {"k.helper(f)", true},
		"a helper, and used":   {"st, err := k.helper(f); g(st)", false},
		"a helper of errors":   {"err = k.checks(f)", true},
		"returned by closures": {"h(func() (S, error) { return f.Read() })", false},
	} {
		t.Run("IO-DA-09 "+name, func(t *testing.T) {
			text := "package p\n\nfunc body(f F, n int) error {\n\tvar err error\n\t" + c.line + "\n\treturn err\n}\n\n" +
				"func (K) helper(f F) (S, error) { return f.Read() }\n\nfunc (K) checks(f F) error { _, err := f.Read(); return err }\n"
			s := parse("p.go", text)
			require.NotNil(t, s, text)
			line, op := 5, "Read"
			switch {
			case strings.Contains(c.line, "k.helper"):
				drops, passes, function := s.fate(firstResult, op, 9)
				require.False(t, drops)
				require.True(t, passes)
				op = function
			case strings.Contains(c.line, "k.checks"):
				line = 11
			}
			drops, _, _ := s.fate(firstResult, op, line)
			assert.Equal(t, c.want, drops, text)
		})
	}
}
