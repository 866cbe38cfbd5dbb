package browser

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A lessonFile is the exercise of a lesson as its file has it.
type lessonFile struct {
	name     string // 17-missing-sync
	solution string
	wrong    []string // names
}

func lessonFiles(t *testing.T) (all []lessonFile) {
	names, err := filepath.Glob("../../exercise/lessons/*.txtar")
	require.NoError(t, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		l := lessonFile{name: strings.TrimSuffix(filepath.Base(name), ".txtar")}
		for _, part := range strings.Split("\n"+string(text), "\n-- ")[1:] {
			head, body, _ := strings.Cut(part, " --\n")
			if wrong, ok := strings.CutPrefix(head, "wrong/"); ok {
				l.wrong = append(l.wrong, wrong)
			} else if head == "solution.mpio" {
				l.solution = body + "\n"
			}
		}
		all = append(all, l)
	}
	require.Len(t, all, 24)
	return all
}

// said is what course mark of the terminal says of a script.
type said struct{ Verdict, Summary string }

// marked marks a script in the terminal.
func marked(t *testing.T, lesson, script string) (s said) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.mpio")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o600))
	out, err := exec.CommandContext(t.Context(), command, "course", "mark", lesson, file, "--json").Output()
	if err != nil {
		require.IsType(t, &exec.ExitError{}, err)
	}
	require.NoError(t, json.Unmarshal(out, &s), "%s", out)
	return s
}

// mark marks a script in the page.
func (b *tab) mark(script string) (s said) {
	b.t.Helper()
	text, err := json.Marshal(script)
	require.NoError(b.t, err)
	b.do(chromedp.Evaluate(fmt.Sprintf(`{ const s = document.querySelector("section.exercise"); s.querySelector("textarea").value = %s;
		delete s.querySelector(".marking").dataset.verdict; s.querySelector("[data-do=mark]").click(); }`, text), nil))
	b.until(`document.querySelector(".marking").dataset.verdict`)
	b.do(chromedp.Evaluate(`document.querySelector(".marking").dataset.verdict`, &s.Verdict), chromedp.Evaluate(`document.querySelector(".marking .verdict").textContent`, &s.Summary))
	return s
}

// visit opens a lesson.
func (b *tab) visit(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(url), chromedp.WaitVisible(`body[data-lesson-ready="yes"]`, chromedp.ByQuery))
}

// open opens a lesson as a new reader sees it.
func (b *tab) open(url string) {
	b.t.Helper()
	b.visit(url)
	b.do(chromedp.Evaluate("localStorage.clear()", nil))
	b.visit(url)
}

// press presses a button wherever it is: the page may still grow above it.
func (b *tab) press(selector string) {
	b.t.Helper()
	b.do(chromedp.Evaluate(fmt.Sprintf("document.querySelector(%q).click()", selector), nil))
}

// Each lesson is a page that works in both transports: its programs run, its solution is marked right, and wrong
// scripts wrong, with the sentence of the terminal. Asked for by name, the test tries all wrong scripts, and all
// lessons without a server.
func TestLessons(t *testing.T) {
	all := flag.Lookup("test.run").Value.String() != ""
	lessons := lessonFiles(t)
	verdicts := map[string]said{} // of the terminal
	for _, transport := range []struct {
		name  string
		start func(*testing.T) string
	}{{"served", func(t *testing.T) string { return served(t) + "course/" }}, {"static", func(t *testing.T) string { return site(t) + "course/" }}} {
		t.Run(transport.name, func(t *testing.T) {
			url := transport.start(t)
			b := newTab(t, url+"index.html", nil)
			for i, l := range lessons {
				if !all && transport.name == "static" && i%8 != 0 {
					continue // each page starts the program anew
				}
				t.Run(l.name, func(t *testing.T) {
					b := b.in(t)
					b.open(url + l.name + ".html")
					b.press(".skip-question")
					b.do(chromedp.Evaluate(`document.querySelectorAll(".pane").forEach((p) => p.scrollIntoView()); null`, nil))
					b.until(`[...document.querySelectorAll("section.pane")].every((p) => { p.scrollIntoView(); return (p.dataset.shown || p.matches("form") && p.querySelector(".shown svg")); })`)
					b.until(`[...document.querySelectorAll("form.view")].every((p) => { p.scrollIntoView(); return p.querySelector(".shown svg"); })`)
					var programs int
					b.do(chromedp.Evaluate(`document.querySelectorAll("section.pane").length`, &programs))
					assert.GreaterOrEqual(t, programs, 1)
					b.shot(transport.name + "-lesson-" + l.name)

					assert.Equal(t, said{"right", "Right."}, b.mark(l.solution))
					b.until(`document.querySelector("nav [aria-current] .done")`)
					wrong := l.wrong
					if !all {
						wrong = wrong[:1]
					}
					for _, name := range wrong {
						script, err := exec.CommandContext(t.Context(), command, "course", "show", l.name, "--wrong", "script-"+name).Output()
						require.NoError(t, err)
						want, ok := verdicts[l.name+name]
						if !ok {
							want = marked(t, l.name, string(script))
							verdicts[l.name+name] = want
						}
						assert.Equal(t, "wrong", want.Verdict)
						assert.Equal(t, want, b.mark(string(script)), name)
					}
					b.quiet()
				})
			}
		})
	}
}

// A student works through lesson 17 by keyboard, on a phone: answers first, reads then, repairs the script, and finds
// it all again on the next day.
func TestStudent(t *testing.T) {
	url := site(t) + "course/"
	b := newTab(t, url+"index.html", nil)
	b.do(emulation.SetDeviceMetricsOverride(360, 740, 1, true))
	b.open(url + "17-missing-sync.html")
	var hidden bool
	b.do(chromedp.Evaluate(`document.querySelector(".later").hidden`, &hidden))
	assert.True(t, hidden, "the answer is not shown before the question is answered")
	b.do(chromedp.Focus(".question input", chromedp.ByQuery), chromedp.KeyEvent(" "), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector(".judged").textContent.includes("not right")`)
	b.until(`!document.querySelector(".later").hidden && document.querySelector(".question .ok .remark").textContent.startsWith("Yes.")`)
	b.do(chromedp.Focus(".exercise [data-do=mark]", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector(".marking").dataset.verdict === "wrong"`)
	b.do(chromedp.Evaluate(`{ const box = document.querySelector(".exercise textarea"), at = box.value.indexOf("  # what"); box.focus(); box.setSelectionRange(at, box.value.indexOf("1:\n")); }`, nil))
	b.do(chromedp.KeyEvent("  sync h\n  barrier\n  sync h\n"))
	b.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(2)))
	b.until(`document.querySelector(".marking").dataset.verdict === "right"`)
	b.shot("student")
	b.visit(url + "17-missing-sync.html")
	b.until(`document.querySelector(".judged").textContent.includes("not right") && !document.querySelector(".later").hidden`)
	b.until(`document.querySelector(".exercise textarea").value.includes("sync h\n  barrier\n  sync h")`)
	b.until(`document.getElementById("progress").textContent.startsWith("1 of 24")`)
	b.follow("p.next a")
	b.until(`location.pathname.endsWith("18-atomic.html")`)
	b.quiet()
}

// A program in the text of a lesson has what the lab has: the board of each step, completion, what if, the fix.
func TestLessonPane(t *testing.T) {
	b := newTab(t, served(t)+"course/index.html", nil)
	b.open(b.url[:strings.LastIndex(b.url, "/")+1] + "17-missing-sync.html")
	b.press(".skip-question")
	pane := `document.querySelector("section.pane")`
	of := func(expression string) string { return strings.ReplaceAll(expression, "$", pane+".querySelector") }
	b.press("section.pane [data-do=run]")
	b.until(of(`$(".board .ranks svg") && $(".now").textContent.startsWith("step 1 of")`))
	b.press("section.pane .next")
	b.until(of(`$(".now").textContent.startsWith("step 2 of") && $(".line i.runs")`))
	b.press("section.pane [data-do=outcomes]")
	b.until(of(`$(".verdict").textContent.includes("1 race") && $(".changes button")`))
	b.do(chromedp.Evaluate(of(`[...$(".changes").children].find((e) => e.textContent === "in atomic mode").click()`), nil))
	b.until(of(`$(".whatif").textContent.startsWith("1 outcome can no longer occur")`))
	b.press("section.pane .fix")
	b.until(of(`$(".verdict").textContent.includes("1 outcome;") && $(".status").textContent.startsWith("Applied:")`))
	b.press("section.pane .undo")
	b.until(of(`$(".verdict").textContent.includes("1 race")`))
	b.do(chromedp.Evaluate(of(`{ const s = $("textarea"); s.value = "ranks 2\nall:\n  open h f rdwr|create\n  sy"; s.focus(); s.setSelectionRange(s.value.length, s.value.length); s.dispatchEvent(new Event("input")); }`), nil))
	b.until(of(`$(".options button")?.textContent.startsWith("sync") && $(".line.wrong")`))
	b.do(chromedp.KeyEvent(kb.Tab))
	b.until(of(`$("textarea").value.endsWith("  sync")`))
	b.shot("lesson-pane")
	b.quiet()
}

// Pages of lessons fit screens, and axe-core finds nothing in them.
func TestLessonLayouts(t *testing.T) {
	program, err := axe(t.Context(), t.TempDir())
	if err != nil {
		fmt.Fprintln(os.Stderr, "SKIPPED: no axe-core from npm here:", err)
	}
	url := served(t) + "course/"
	b := newTab(t, url+"index.html", nil)
	names := []string{"05-views", "17-missing-sync", "15-data-sieving", "21-deadlocks"}
	if flag.Lookup("test.run").Value.String() == "" {
		names = names[:2]
	}
	for _, name := range names {
		b.open(url + name + ".html")
		b.press(".question input")
		b.press(".question [type=submit]")
		b.until(`[...document.querySelectorAll(".pane")].every((p) => { p.scrollIntoView(); return (p.dataset.shown || p.matches("form") && p.querySelector(".shown svg")); })`)
		b.do(chromedp.Evaluate(`document.querySelectorAll("section.pane [data-do=run]").forEach((s) => s.click()); null`, nil))
		b.press(".exercise [data-do=mark]")
		b.until(`document.querySelector(".marking").dataset.verdict === "wrong" && [...document.querySelectorAll("section.pane")].every((p) => !p.hasAttribute("aria-busy"))`)
		b.do(chromedp.Evaluate(`document.querySelectorAll("details").forEach((d) => { d.open = true; }); null`, nil))
		for _, width := range []int64{1400, 768, 360} {
			b.do(emulation.SetDeviceMetricsOverride(width, 900, 1, width == 360))
			var got int64
			b.do(chromedp.Evaluate("document.documentElement.scrollWidth", &got))
			assert.LessOrEqual(t, got, width, name)
			b.shot(fmt.Sprint("layout-", name, "-", width))
		}
		if program == "" {
			continue
		}
		b.do(chromedp.Evaluate(program+"; null", nil))
		for _, scheme := range []string{"light", "dark"} {
			b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
			var found []string
			b.do(chromedp.Evaluate(violations, &found, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
			assert.Empty(t, found, "%s %s", name, scheme)
		}
	}
	b.quiet()
}
