package findings_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/internal/show/findings"
	"github.com/commworld/commworld/world"
)

// hard has what formats must escape.
const hard = "50% of <bytes> & \"x\"\r\n::error::a, b: c\x1b\x00 \u2028 \xff"

func report(text string) findings.Report {
	r := findings.New("check", "./cmd/heat")
	work, _ := filepath.Abs("/work")
	other, _ := filepath.Abs("/else/lib.go")
	r.Add(work, findings.Finding{Finding: world.Finding{
		Kind: world.KindRace, Rule: "CONS-C2", Ranks: []int{0, 1}, Text: text, Fix: "add a sync",
		Places: []world.Place{{File: filepath.Join(work, "a,b:c%", "main.go"), Line: 4, Caller: &world.Place{File: filepath.Join(work, "top.go"), Line: 9}}, {File: other, Line: 2}},
	}}, findings.Finding{Finding: world.Finding{Kind: world.KindLint, Text: "a lint", Places: []world.Place{{}}}})
	r.End(1, nil)
	return r
}

func written(t require.TestingT, format string, r findings.Report) string {
	var out bytes.Buffer
	require.NoError(t, findings.Write(&out, format, &r, &r))
	return out.String()
}

// If an annotation named its file or its message in a form that GitHub does not read, it would be
// beside no line, or a text of the program could give commands to the workflow.
func TestGitHub(t *testing.T) {
	out := written(t, "github", report(hard))
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	require.Len(t, lines, 3)
	assert.True(t, strings.HasPrefix(lines[0], "::error file=a%2Cb%3Ac%25/main.go,line=4,title=race (CONS-C2)::50%25 of <bytes> & \"x\"%0D%0A::error::a, b"), lines[0])
	assert.True(t, strings.HasPrefix(lines[1], "::warning title=lint::a lint"), "a lint has no line here: %s", lines[1])
	assert.Equal(t, "2 findings of commworld check ./cmd/heat (exit status 1)", lines[2])
}

// If the XML were not well formed, or counted wrongly, readers of JUnit would show no failure.
func TestJUnit(t *testing.T) {
	type suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Suite    []struct {
			Cases []struct {
				Name    string `xml:"name,attr"`
				File    string `xml:"file,attr"`
				Line    int    `xml:"line,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
				Error *struct{} `xml:"error"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	read := func(r findings.Report) (s suites) {
		require.NoError(t, xml.Unmarshal([]byte(written(t, "junit", r)), &s))
		return s
	}
	s := read(report(hard))
	assert.Equal(t, []int{2, 2, 0}, []int{s.Tests, s.Failures, s.Errors})
	c := s.Suite[0].Cases[0]
	assert.Equal(t, "a,b:c%/main.go", c.File)
	assert.Equal(t, 4, c.Line)
	assert.Contains(t, c.Failure.Text, "50% of <bytes>")
	assert.Contains(t, c.Failure.Text, "fix: add a sync")

	good := findings.New("check", ".")
	good.End(0, nil)
	s = read(good)
	assert.Equal(t, []int{1, 0, 0}, []int{s.Tests, s.Failures, s.Errors})
	failed := findings.New("check", ".")
	failed.End(2, errors.New("it does not build"))
	s = read(failed)
	assert.Equal(t, []int{1, 0, 1}, []int{s.Tests, s.Failures, s.Errors})
	assert.NotNil(t, s.Suite[0].Cases[0].Error)
	silent := findings.New("check", ".")
	silent.End(1, nil)
	s = read(silent)
	assert.Equal(t, []int{1, 1, 0}, []int{s.Tests, s.Failures, s.Errors}, "a status without a finding still fails")
}

// If a place were absolute or named from another folder, a click would open nothing.
func TestSARIFPlaces(t *testing.T) {
	type place struct {
		PhysicalLocation struct {
			ArtifactLocation struct{ URI string }
			Region           struct{ StartLine int }
		}
	}
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID, Level    string
				Locations        []place
				RelatedLocations []place
				Stacks           []struct {
					Frames []struct{ Location place }
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(written(t, "sarif", report("x"))), &log))
	r := log.Runs[0].Results
	require.Len(t, r, 2)
	assert.Equal(t, "./a,b:c%25/main.go", r[0].Locations[0].PhysicalLocation.ArtifactLocation.URI)
	assert.Equal(t, 4, r[0].Locations[0].PhysicalLocation.Region.StartLine)
	assert.Regexp(t, "^file:///.*else/lib.go$", r[0].RelatedLocations[0].PhysicalLocation.ArtifactLocation.URI)
	assert.Equal(t, "top.go", r[0].Stacks[0].Frames[1].Location.PhysicalLocation.ArtifactLocation.URI)
	assert.Equal(t, "warning", r[1].Level)
	assert.Empty(t, r[1].Locations)
}

// Whatever a program puts into a text, each format can be read, and the text is in it.
func TestFormatsOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		r := report(text)
		r.Findings[0].Places[0].File = filepath.ToSlash(rapid.String().Draw(t, "file"))
		for _, format := range []string{"json", "sarif"} {
			assert.True(t, json.Valid([]byte(written(t, format, r))), format)
		}
		var any struct{}
		require.NoError(t, xml.Unmarshal([]byte(written(t, "junit", r)), &any))
		out := written(t, "github", r)
		assert.Equal(t, 3, strings.Count(out, "\n"), "a line for each finding, and one more: %q", out)
	})
}

// A format that does not exist is an error that names the others.
func TestUnknownFormat(t *testing.T) {
	r := findings.New("check", ".")
	assert.EqualError(t, findings.Write(&bytes.Buffer{}, "xml", &r, &r), `unknown format "xml"; use json, sarif, junit, github`)
}
