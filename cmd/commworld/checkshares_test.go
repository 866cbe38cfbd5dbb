package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If this fails, each check without findings says that it did not look for shared variables, or
// a check of a program that may have some does not.
func TestProgramsThatMayShare(t *testing.T) {
	for name, c := range map[string]struct {
		outside, rank, main string
		want                bool
	}{
		"nothing":                    {"", "x := 1; x++; var y [2]int; y[0] = x", "", false},
		"a constant variable":        {"var size = 3", "use(size)", "", false},
		"a variable of main":         {"", "use(local)", "local++", false},
		"set before the ranks begin": {"var size int", "use(size)", "size = 4", false},
		"a package variable":         {"var count int", "count++", "", true},
		"its parts":                  {"var all struct{ a []int }", "all.a[0] = 1", "", true},
		"by a function":              {"var count int\nfunc add() { count += 1 }", "add()", "", true},
		"hidden by another":          {"var count int\nfunc add() { count := 1; count++ }", "add()", "", false},
		"a variable around ranks":    {"", "local++", "", true},
		"a channel around ranks":     {"", "<-wait", "", true},
		"sent to":                    {"", "wait <- 1", "", true},
		"a result inside":            {"", "var err error; defer func() { err = use(1) }(); use(err)", "", false},
		"a goroutine":                {"", "go use(1)", "", true},
	} {
		t.Run("WORLD-01 "+name, func(t *testing.T) {
			text := "package main\n" + c.outside + "\nfunc main() {\n\tlocal, wait := 0, make(chan int)\n\t" + c.main +
				"\n\tworld.Run(nil, 2, func(_ context.Context, c *comm.Comm) error {\n\t\t" + c.rank + "\n\t\treturn nil\n\t})\n}\n"
			f, err := parser.ParseFile(token.NewFileSet(), "main.go", text, parser.SkipObjectResolution)
			require.NoError(t, err, text)
			assert.Equal(t, c.want, filesShare([]*ast.File{f}))
		})
	}
}
