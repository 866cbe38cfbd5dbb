package browser

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// axe returns the program of axe-core, which npm fetches; an error where it cannot.
func axe(ctx context.Context, dir string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	npm := exec.CommandContext(ctx, "npm", "pack", "--silent", "axe-core@4")
	npm.Dir = dir
	if text, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, text)
	}
	packs, err := filepath.Glob(filepath.Join(dir, "axe-core-*.tgz"))
	if err != nil || len(packs) != 1 {
		return "", fmt.Errorf("npm made %v: %w", packs, err)
	}
	f, err := os.Open(packs[0])
	if err != nil {
		return "", err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return "", errors.New("the package has no axe.min.js")
		}
		if err != nil {
			return "", err
		}
		if strings.HasSuffix(h.Name, "/axe.min.js") {
			text, err := io.ReadAll(r)
			return string(text), err
		}
	}
}

// violations lists what axe finds against WCAG 2, levels A and AA.
const violations = `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }).then((r) =>
	r.violations.map((v) => v.impact + ": " + v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.target + " " + n.failureSummary).join("; ")))`

// axe-core finds nothing against WCAG in any pane, nor in the page of run --html, in light
// and dark colours; nor in the pages of a vote.
func TestAxe(t *testing.T) {
	program, err := axe(t.Context(), t.TempDir())
	if err != nil {
		fmt.Fprintln(os.Stderr, "SKIPPED: no axe-core from npm here, only chromium's own accessibility tree is checked:", err)
		t.Skip(err)
	}
	check := func(t *testing.T, b *tab, what string) {
		t.Helper()
		var found []string
		b.do(chromedp.Evaluate(violations, &found, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
		assert.Empty(t, found, what)
	}
	b := newTab(t, served(t), nil)
	b.do(chromedp.Evaluate(program+"; null", nil))
	b.click("compare")
	for range 6 {
		b.click("next")
	}
	b.until(`document.getElementById("sees").textContent.includes("POSIX")`)
	// looks calls look for both colour schemes, and for a phone.
	looks := func(look func(how string)) {
		for _, scheme := range []string{"light", "dark"} {
			b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
			look(scheme)
		}
		b.do(emulation.SetDeviceMetricsOverride(360, 740, 1, true))
		look("phone")
		b.do(emulation.ClearDeviceMetricsOverride())
	}
	looks(func(how string) {
		for _, pane := range []string{"outcomes", "models", "view", "requests", "run"} {
			b.click("tab-" + pane)
			b.until(fmt.Sprintf(`!document.getElementById("pane-%s").hidden && document.querySelector("#pane-%[1]s svg, #pane-%[1]s table")`, pane))
			b.do(chromedp.Evaluate(`document.querySelectorAll("details").forEach((d) => { d.open = true; }); null`, nil))
			check(t, b, how+", "+pane)
		}
	})

	page := filepath.Join(t.TempDir(), "page.html")
	c := exec.CommandContext(t.Context(), command, "run", "--html", page, "teach/lab/lessons/01-stale.mpio")
	c.Dir = "../../.."
	text, err := c.CombinedOutput()
	var exit *exec.ExitError
	require.True(t, errors.As(err, &exit) && exit.ExitCode() == 3, "the script has a race: %s", text)
	b.do(chromedp.Navigate("file://"+page), chromedp.WaitVisible("#at", chromedp.ByQuery), chromedp.Evaluate(program+"; null", nil))
	looks(func(how string) { check(t, b, how+", run --html") })

	for _, page := range []string{"index.html", "course/17-missing-sync.html", "docs/CONFORMANCE.html", "litmus.html"} {
		b.do(chromedp.Navigate(site(t)+page), chromedp.WaitVisible(`body[data-ready="yes"]`, chromedp.ByQuery), chromedp.Evaluate(program+"; null", nil))
		looks(func(how string) { check(t, b, how+", "+page) })
	}

	url, students, code := class(t)
	teacher, student := newTab(t, url+"?lesson=01-stale", nil), newTab(t, students, nil)
	pages := map[string]*tab{"teacher": teacher, "student": student}
	on := func(when string) {
		for _, name := range []string{"teacher", "student"} {
			page := pages[name]
			page.do(chromedp.Evaluate(program+`; document.querySelectorAll("details").forEach((d) => { d.open = true; }); null`, nil))
			for _, scheme := range []string{"light", "dark"} {
				page.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
				check(t, page, "vote, "+name+", "+scheme+", "+when)
			}
		}
	}
	on("before the question")
	student.do(chromedp.SendKeys("#code", code, chromedp.ByID), chromedp.Click("#join button", chromedp.ByQuery))
	student.until(`!document.getElementById("class").hidden`)
	teacher.do(chromedp.Click("#ask button", chromedp.ByQuery))
	student.until(`document.querySelectorAll("#values input").length === 2`)
	on("with the question")
	student.do(chromedp.Click("#values input", chromedp.ByQuery), chromedp.Click("#ballot button", chromedp.ByQuery))
	teacher.until(`document.getElementById("status").textContent === "1 of 1 have voted."`)
	teacher.click("reveal")
	student.until(`document.querySelector(".values > li")`)
	on("with the answer")
}
