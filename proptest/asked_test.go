package proptest_test

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/proptest"
	"github.com/commworld/commworld/proptest/gen"
)

// TestLayerOfAsked is run by TestAsked, as the test of an author.
func TestLayerOfAsked(t *testing.T) {
	files := proptest.Files(t.TempDir())
	switch os.Getenv(faultyLayer) {
	case "":
		t.Skip("TestAsked runs it")
	case "exclusive":
		proptest.Conformance(t, func() (proptest.Layer, error) {
			l, err := files()
			return &exclusive{Layer: l}, err
		})
	case "loses":
		proptest.Conformance(t, losing(files)) // the test's line
	}
}

func losing(mk proptest.Maker) proptest.Maker {
	return func() (proptest.Layer, error) {
		l, err := mk()
		return faulty{l, false}, err
	}
}

// output runs TestLayerOfAsked with a bug in a process of its own.
func output(t *testing.T, bug string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"-test.run=^TestLayerOfAsked$", "-rapid.checks=20", "-rapid.nofailfile"}, args...)...)
	cmd.Env = append(os.Environ(), faultyLayer+"="+bug)
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// TestAsked: if it fails, an author does not see how much was tested, or what was not.
func TestAsked(t *testing.T) {
	t.Run("without -v", func(t *testing.T) {
		out := output(t, "exclusive")
		assert.Regexp(t, `(?m)^proptest: TestLayerOfAsked: \d+ programs, \d+ operations \(\d+ writes, \d+ reads, .*\d+ syncs`, out)
		assert.Contains(t, out, "handles (the smallest program with two handles FAILS, see go test -v; declare With or Without(TwoHandles))")
		assert.Contains(t, out, "collective views representations")
		assert.Equal(t, 2, strings.Count(out, "\n"), out)
	})
	t.Run("with -v", func(t *testing.T) {
		out := output(t, "exclusive", "-test.v")
		assert.Regexp(t, `write_at +\d+ #{40}`, out)
		assert.Contains(t, out, "programs by ranks")
		assert.Contains(t, out, "programs by operations, at least")
	})
}

// TestReport: if it fails, a report lacks what an author needs to make a regression test.
func TestReport(t *testing.T) {
	out := output(t, "loses", "-test.run=^TestLayerOfAsked$/^offsets$", "-rapid.seed=1")
	source, err := os.ReadFile("asked_test.go")
	require.NoError(t, err)
	line := 1 + strings.Count(strings.Split(string(source), "// the test's "+"line")[0], "\n")
	assert.Contains(t, out, "Test: asked_test.go:"+strconv.Itoa(line)+"\n")
	assert.Contains(t, out, "As a regression test: proptest.Reference(newLayer, gen.MustParse(`the program above`))")
	assert.Regexp(t, `\n +Broken: IO-\S+ \(commworld explain IO-\S+\)\n`, out)
	text := regexp.MustCompile(`(?s)( *ranks \d.*?\n)\s*(rank \d+, operation|in the end)`).FindStringSubmatch(out)
	require.NotNil(t, text, out)
	p, err := gen.Parse(text[1])
	require.NoError(t, err, out)
	assert.NoError(t, proptest.Reference(proptest.Files(t.TempDir()), p))
	assert.Error(t, proptest.Reference(losing(proptest.Files(t.TempDir())), p))
}
