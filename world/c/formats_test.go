//go:build linux && cgo && (amd64 || arm64)

package c_test

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A formatted is a report in JSON.
type formatted struct {
	OK             bool
	Version, Exit  int
	Command, Error string
	Findings       []struct {
		Kind, Rule, Text, Fix, Run string
		Ranks, With                []int
		Places                     []struct {
			File string
			Line int
		}
	}
}

// TestFormats: what commworldrun finds is one report with the exit status and lines of C, also if the
// process of the ranks ended, and what ranks print is not in it.
func TestFormats(t *testing.T) {
	stale, dropped, killed := compile(t, "stale"), compile(t, "dropped"), compile(t, "killed")
	for _, row := range []struct {
		name       string
		args       []string
		exit       int
		kind, rule string
		run        string
	}{
		{"a race", []string{"-n", "2", stale}, 3, "race", "CONS-C2", ""},
		{"of several seeds", []string{"-n", "2", "--seeds", "1..2", stale}, 3, "race", "CONS-C2", "--seed 1"},
		{"of all orders", []string{"-n", "2", "--explore", stale}, 3, "race", "CONS-C2", "--replay "},
		{"a dropped result", []string{"-n", "2", dropped, "open"}, 1, "ignored", "", ""},
		{"a signal", []string{"-n", "2", killed, "kill"}, 1, "died", "", ""},
		{"no program", []string{"nothing.so"}, 2, "", "", ""},
		{"nothing", []string{"-n", "1", compile(t, "hello")}, 0, "", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "findings")
			report := func(flags ...string) ([]byte, int) {
				cmd := exec.Command(filepath.Join(tools, "commworldrun"), append(flags, row.args...)...)
				cmd.Dir = t.TempDir()
				out, _ := combined(cmd)
				text, err := os.ReadFile(name)
				require.NoError(t, err, "%s", out)
				return text, cmd.ProcessState.ExitCode()
			}
			text, code := report("--json", "-o", name)
			var r formatted
			require.NoError(t, json.Unmarshal(text, &r), "%s", text)
			require.Equal(t, []int{row.exit, row.exit}, []int{code, r.Exit}, "%s", text)
			require.Equal(t, code == 0, r.OK)
			require.Equal(t, "commworldrun", r.Command)
			if row.kind == "" {
				require.Empty(t, r.Findings)
				require.Equal(t, code == 0, r.Error == "", r.Error)
			} else {
				f := r.Findings[0]
				require.Equal(t, row.kind, f.Kind)
				require.Contains(t, f.Rule, row.rule)
				require.True(t, strings.HasPrefix(f.Run, row.run), f.Run)
			}
			text, code = report("--format", "junit", "-o", name)
			require.Equal(t, row.exit, code)
			var suites struct {
				Failures int `xml:"failures,attr"`
				Errors   int `xml:"errors,attr"`
			}
			require.NoError(t, xml.Unmarshal(text, &suites))
			require.Equal(t, code != 0, suites.Failures+suites.Errors > 0)
			text, _ = report("--format=github", "-o", name)
			require.Equal(t, code != 0, strings.HasPrefix(string(text), "::error "), "%s", text)
		})
	}
	for flags, want := range map[string]string{
		"--format=xml":          "--format xml: use text, json, sarif, junit, github",
		"--json --format=sarif": "--json contradicts --format=sarif",
	} {
		cmd := exec.Command(filepath.Join(tools, "commworldrun"), append(strings.Fields(flags), stale)...)
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Equal(t, 2, cmd.ProcessState.ExitCode())
		require.Contains(t, string(out), want)
	}
	out, err := exec.Command(filepath.Join(tools, "commworldrun"), "--version").Output()
	require.NoError(t, err)
	require.Regexp(t, `^commworldrun .*\(.*commit.*, go1\.[^)]*\)\n$`, string(out))
}
