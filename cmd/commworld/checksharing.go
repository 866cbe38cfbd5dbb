package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/show/child"
	"github.com/commworld/commworld/world"
)

// sharingTool is the analyzer of variables that ranks share, a separate program.
const sharingTool = "sharing"

// noSharingTool says how to install the analyzer for a program in a directory: from the
// clone that the program uses, or else by its version.
func noSharingTool(ctx context.Context, dir string) string {
	install := "go install github.com/commworld/commworld/tools/sharing@latest"
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/commworld/commworld")
	list.Dir = dir
	if clone, err := list.Output(); err == nil {
		tool := filepath.Join(strings.TrimSpace(string(clone)), "tools", sharingTool)
		if _, err := os.Stat(filepath.Join(tool, "go.mod")); err == nil {
			if strings.ContainsAny(tool, " '") {
				tool = strconv.Quote(tool)
			}
			install = "go -C " + tool + " install ."
		}
	}
	return "Go variables that ranks share. To look for them, install the analyzer: " + install
}

// A diagnostic is one finding in the output of go vet -json.
type diagnostic struct {
	Category string `json:"category"`
	Posn     string `json:"posn"`
	Message  string `json:"message"`
}

// sharing runs the analyzer, if it is in PATH, and adds the variables that ranks share in
// the source of the program; temp is a folder for the go command. It reports whether locks or channels are among them.
func (c *checkCommand) sharing(ctx context.Context, all *checked, temp string, stderr io.Writer) (waits bool, err error) {
	tool, err := exec.LookPath(sharingTool)
	from, target := child.InDirectory(c.Target)
	if err != nil {
		all.Unchecked, all.mayShare = noSharingTool(ctx, from), mayShare(ctx, c.Target)
		return false, nil
	}
	cmd := exec.CommandContext(ctx, "go", "vet", "-vettool="+tool, "-json", "--", target)
	cmd.Dir, cmd.Env = from, child.WithTemp(temp)
	cmd.Stderr = stderr
	child.Contain(cmd)
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("go vet -vettool=%s: %w", tool, err)
	}
	found, err := readDiagnostics(out)
	if err != nil {
		return false, fmt.Errorf("go vet -vettool=%s: %w", tool, err)
	}
	for _, d := range found {
		waits = waits || d.Category == "ordering" || d.Category == "channel"
		at := placeOf(d.Posn)
		if !slices.Contains(c.Allow, string(kindSharing)) && !strings.HasSuffix(at.File, "_test.go") {
			all.add(0, []world.Finding{{Kind: kindSharing, Ranks: []int{}, Places: []world.Place{at}, Text: d.Message}})
		}
	}
	return waits, nil
}

// readDiagnostics parses the output of go vet -json: an object for each package, by package
// and analyzer, and lines that begin with #.
func readDiagnostics(out []byte) (all []diagnostic, err error) {
	var text []byte
	for line := range bytes.Lines(out) {
		if !bytes.HasPrefix(line, []byte("#")) {
			text = append(text, line...)
		}
	}
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var packages map[string]map[string][]diagnostic
		switch err := dec.Decode(&packages); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		for _, analyzers := range packages {
			for _, found := range analyzers {
				all = append(all, found...)
			}
		}
	}
}

var posn = regexp.MustCompile(`^(.*?):(\d+)(:\d+)?$`)

// placeOf parses a position such as main.go:3:2.
func placeOf(text string) world.Place {
	m := posn.FindStringSubmatch(text)
	if m == nil {
		return world.Place{File: text}
	}
	line, _ := strconv.Atoi(m[2])
	return world.Place{File: m[1], Line: line}
}
