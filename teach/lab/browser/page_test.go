package browser

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// command is the path of the command, built once; temporary is the folder that it is in.
var command, temporary string

func TestMain(m *testing.M) {
	os.Exit(runAll(m))
}

func runAll(m *testing.M) int {
	if chromium() == "" {
		fmt.Fprintln(os.Stderr, "SKIPPED: no chromium here: the page of the lab is not tried in a browser")
		return 0
	}
	var err error
	if temporary, err = os.MkdirTemp("", "lab-browser"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(temporary)
	command = filepath.Join(temporary, "commworld")
	build := exec.Command("go", "build", "-o", command, "./cmd/commworld")
	build.Dir = "../../.."
	if text, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, text)
		return 1
	}
	return m.Run()
}

func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// served starts the command's own server and returns its address.
func served(t *testing.T) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), command, "lab", "--addr", "127.0.0.1:0")
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	url, _, _ := strings.Cut(strings.TrimPrefix(line, "The lab is at "), " ")
	return url
}

// static returns the address of the page on the site.
func static(t *testing.T) string { return site(t) + "lab/" }

// site writes the site and serves it as any web server would, with a strict policy.
func site(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(temporary, "site")
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		c := exec.CommandContext(t.Context(), command, "site", dir)
		c.Dir = "../../.."
		text, err := c.CombinedOutput()
		require.NoError(t, err, "%s", text)
	}
	files := http.FileServer(http.Dir(dir))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'")
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/"
}

// transports are the two ways in which the page asks.
var transports = []struct {
	name  string
	start func(*testing.T) string
}{{"served", served}, {"static", static}}

// A tab is one page of the browser.
type tab struct {
	context.Context
	t   *testing.T
	url string

	mu       sync.Mutex
	problems []string // errors on the console
}

// newTab opens the page of a transport; state is the state in the address, nil for none.
func newTab(t *testing.T, url string, state map[string]any) *tab {
	t.Helper()
	alloc, stop := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium()), chromedp.NoSandbox, chromedp.WSURLReadTimeout(2*time.Minute), chromedp.WindowSize(1400, 1100))...)
	t.Cleanup(stop)
	ctx, stop := chromedp.NewContext(alloc)
	t.Cleanup(stop)
	b := &tab{Context: ctx, t: t, url: url}
	chromedp.ListenTarget(ctx, func(e any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			b.problems = append(b.problems, e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError {
				b.problems = append(b.problems, e.Entry.Text+" "+e.Entry.URL)
			}
		}
	})
	if state != nil {
		text, err := json.Marshal(state)
		require.NoError(t, err)
		url += "#" + base64.RawURLEncoding.EncodeToString(text)
	}
	b.do(log.Enable(), chromedp.Navigate(url), chromedp.WaitVisible(`body[data-ready="yes"]`, chromedp.ByQuery))
	return b
}

func (b *tab) do(actions ...chromedp.Action) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Run(b.Context, actions...))
}

// text returns the text of an element.
func (b *tab) text(id string) (s string) {
	b.t.Helper()
	b.do(chromedp.Evaluate(fmt.Sprintf("document.getElementById(%q).textContent", id), &s))
	return s
}

// until waits until an expression of the page is true.
func (b *tab) until(expression string) {
	b.t.Helper()
	var ok bool
	b.do(chromedp.Poll("!!("+expression+")", &ok, chromedp.WithPollingTimeout(2*time.Minute)))
}

// ready waits for an expression on a page that is being opened: what was asked of the page before it ends in an error,
// and is asked again.
func (b *tab) ready(expression string) {
	b.t.Helper()
	for {
		err := chromedp.Run(b.Context, chromedp.Poll(expression, nil, chromedp.WithPollingTimeout(2*time.Minute)))
		if err != nil && strings.Contains(err.Error(), "Cannot find context") {
			continue
		}
		require.NoError(b.t, err)
		return
	}
}

func (b *tab) click(id string) {
	b.t.Helper()
	b.do(chromedp.Click("#"+id, chromedp.ByQuery))
}

// state returns the state in the address.
func (b *tab) state() (state map[string]any) {
	b.t.Helper()
	var link string
	b.do(chromedp.Location(&link))
	_, text, _ := strings.Cut(link, "#")
	held, err := base64.RawURLEncoding.DecodeString(text)
	require.NoError(b.t, err)
	require.NoError(b.t, json.Unmarshal(held, &state))
	return state
}

// quiet fails if the console had an error.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.Empty(b.t, b.problems)
}

// shot takes a screenshot, if a folder for them is named.
func (b *tab) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("LAB_SCREENSHOTS")
	if dir == "" {
		return
	}
	var picture []byte
	b.do(chromedp.FullScreenshot(&picture, 100))
	require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o666))
}

func TestPage(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			url := transport.start(t)
			b := newTab(t, url, nil)

			t.Run("the slider changes what a rank may read", func(t *testing.T) {
				b := b.in(t)
				values := func() (n int) {
					b.do(chromedp.Evaluate(`document.querySelectorAll("#sees svg rect title").length`, &n))
					return n
				}
				before := values()
				for range 5 {
					b.click("next")
				}
				b.until(`document.getElementById("now").textContent.startsWith("step 5")`)
				b.until(`document.getElementById("sees").textContent.includes("bands")`)
				assert.Greater(t, values(), before)
				b.shot(transport.name + "-stale")
			})

			t.Run("the line that each rank runs is marked", func(t *testing.T) {
				b := b.in(t)
				var at, runs []string
				marked := func(class string, to *[]string) {
					b.do(chromedp.Evaluate(fmt.Sprintf(`[...document.querySelectorAll("#lines i.%s")].map((i) => i.className.split(" ")[0] + " line " + i.parentElement.firstChild.textContent)`, class), to))
				}
				marked("at", &at)
				marked("runs", &runs)
				assert.Equal(t, []string{"r0 line 10", "r1 line 10"}, runs, "a barrier is one step of both")
				assert.Empty(t, at)
				b.click("next")
				b.until(`document.getElementById("now").textContent.startsWith("step 6 of 7: rank 1, line 12")`)
				marked("at", &at)
				marked("runs", &runs)
				assert.Equal(t, []string{"r1 line 12"}, runs)
				assert.Equal(t, []string{"r0 line 10"}, at)
				b.do(chromedp.Evaluate(`[...document.querySelectorAll(".band")].map((e) => e.className + " " + e.style.top)`, &runs))
				assert.Equal(t, []string{"band r1 calc(.5rem + 11 * var(--row))"}, runs)
				b.click("back")
			})

			t.Run("each rank has its memory and what it may read beside the file", func(t *testing.T) {
				b := b.in(t)
				b.until(`document.getElementById("board-words").textContent.includes("rank 1, may read of f by h (version 0 of 1, by line 9): byte 0: 0 (before the run) or 5 (rank 0, line 7)")`)
				var titles []string
				b.do(chromedp.Evaluate(`[...document.querySelectorAll("#board svg")].map((s) => s.getAttribute("aria-label"))`, &titles))
				assert.Equal(t, []string{"file f", "rank 0", "rank 1"}, titles)
			})

			t.Run("models stand side by side, and a link keeps that", func(t *testing.T) {
				b := b.in(t)
				b.click("compare")
				b.until(`document.getElementById("sees").textContent.includes("rank 1, h: POSIX")`)
				b.shot(transport.name + "-compared")
				other := newTab(t, url, b.state())
				other.until(`document.getElementById("compare").checked && document.getElementById("sees").textContent.includes("rank 1, h: session")`)
				b.click("compare")
				b.until(`!document.getElementById("sees").textContent.includes("POSIX")`)
			})

			t.Run("requests are those of the program's accesses", func(t *testing.T) {
				b := b.in(t)
				b.click("tab-requests")
				b.until(`document.getElementById("p-access").options.length === 2 && document.getElementById("plans").textContent.includes("as the program does it")`)
				b.click("tab-run")
			})

			t.Run("what if the barrier were not there", func(t *testing.T) {
				b := b.in(t)
				b.click("tab-outcomes")
				b.do(chromedp.Evaluate(`[...document.querySelectorAll("#changes button")].find((e) => e.textContent === "in atomic mode").click()`, nil))
				b.until(`document.getElementById("whatif").textContent.startsWith("1 outcome can no longer occur; there is no race any more.")`)
				b.until(`document.querySelector("#whatif td.gone").textContent === "cannot occur"`)
				b.shot(transport.name + "-whatif")
				b.click("tab-run")
			})

			t.Run("applying the fix turns the race off", func(t *testing.T) {
				b := b.in(t)
				b.click("tab-outcomes")
				assert.Contains(t, b.text("verdict"), "1 race")
				b.do(chromedp.Click(".card button:last-child", chromedp.ByQuery))
				b.until(`document.getElementById("verdict").textContent.includes("1 outcome;")`)
				assert.NotContains(t, b.text("verdict"), "1 race")
				b.click("undo")
				b.until(`document.getElementById("verdict").textContent.includes("1 race")`)
			})

			t.Run("a link shows the same again", func(t *testing.T) {
				b := b.in(t)
				b.click("tab-run")
				b.do(chromedp.SetValue("#step", "4", chromedp.ByID), chromedp.Evaluate(`document.getElementById("step").dispatchEvent(new Event("input"))`, nil))
				b.until(`document.getElementById("now").textContent.startsWith("step 4")`)
				other := newTab(t, url, b.state())
				other.until(`document.getElementById("now").textContent.startsWith("step 4")`)
				assert.Equal(t, b.text("now"), other.text("now"))
				assert.Equal(t, map[string]any{"lesson": "01-stale", "step": 4.0}, b.state(), "what is as at the beginning makes no link longer")
				b.do(chromedp.Evaluate(`(() => { const s = document.getElementById("script"); s.value += "# mine\n"; s.dispatchEvent(new Event("input")); })()`, nil))
				b.click("go")
				b.until(`document.getElementById("verdict").textContent.includes("1 race")`)
				mine := newTab(t, url, b.state())
				mine.until(`document.getElementById("script").value.endsWith("# mine\n")`)
				var address string
				b.do(chromedp.Location(&address))
				assert.Less(t, len(address), 400)
				b.do(chromedp.Evaluate(`history.back()`, nil))
				b.until(`!document.getElementById("script").value.includes("# mine") && document.getElementById("now").textContent.startsWith("step 4")`)
			})

			t.Run("the browser goes back to the program before", func(t *testing.T) {
				b := b.in(t)
				before := b.text("now")
				b.do(chromedp.SetValue("#model", "chaos", chromedp.ByID), chromedp.Evaluate(`document.getElementById("model").dispatchEvent(new Event("change"))`, nil))
				b.until(`document.querySelector("#spacetime svg").getAttribute("aria-label").includes("chaos")`)
				b.until(`!document.getElementById("seed").hidden && document.getElementById("verdict").textContent !== "exploring ..."`)
				b.do(chromedp.Evaluate(`history.back()`, nil))
				b.until(`document.getElementById("model").value === "weakest" && document.getElementById("seed").hidden`)
				b.until(fmt.Sprintf(`document.getElementById("now").textContent === %q`, before))
			})

			t.Run("views are those of the program", func(t *testing.T) {
				b := b.in(t)
				write := func(script string) {
					b.do(chromedp.Evaluate(fmt.Sprintf(`(() => { const s = document.getElementById("script"); window.kept ??= s.value;
						s.value = %s; s.dispatchEvent(new Event("input")); })()`, script), nil))
				}
				b.click("tab-view")
				own := `document.querySelector("#v-drawing svg") && document.getElementById("v-step").options.length === 1 && document.querySelector("#v-ranks tbody").textContent === "050intintnative150intintnative"`
				b.until(own)
				write(`"ranks 2\nall:\n  open h f rdwr|create\n  view h r*4 int resized(int,0,n*4) native\n  write_at_all h 0 int r\n  close h\n"`)
				b.until(`document.querySelector("#v-drawing svg") && document.getElementById("v-ranks").textContent.includes("resized(int, 0, 8)")`)
				b.shot(transport.name + "-views")
				b.do(chromedp.SetValue("#v-bytes", "-1", chromedp.ByID), chromedp.Evaluate(`document.getElementById("v-bytes").dispatchEvent(new Event("input"))`, nil))
				b.until(`document.getElementById("v-problem").textContent.includes("at least 0") && document.getElementById("v-bytes").getAttribute("aria-invalid") === "true"`)
				b.do(chromedp.SetValue("#v-bytes", "16", chromedp.ByID), chromedp.Evaluate(`document.getElementById("v-bytes").dispatchEvent(new Event("input"))`, nil))
				b.until(`document.getElementById("v-problem").textContent === ""`)
				write(`"ranks 2\nall:\n  open h f rdwr|create\n  write_at_all h r byte 1\n  close h\n"`)
				b.until(`document.getElementById("v-note").textContent.includes("sets no view") && document.getElementById("viewform").hidden && !document.querySelector("#v-drawing svg")`)
				write("window.kept")
				b.until(own)
				b.click("tab-run")
			})

			t.Run("typing answers by itself", func(t *testing.T) {
				b := b.in(t)
				b.typed("ranks 2\nfile f = 00*4\nall:\n  open h f rdwr\n  write_at h 0 byte 1\n  close h")
				b.until(`document.getElementById("verdict").textContent.includes("1 race")`)
				b.typed("ranks 2\nfile f = 00*4\nall:\n  open h f rdwr\n  close h")
				b.until(`document.getElementById("verdict").textContent.includes("no errors, no races")`)
				b.typed("ranks 2\nfile f = 00*4\nall:\n  open h f rdwr\n  sy")
				b.until(`!document.getElementById("old").hidden && document.querySelector("#lines .wrong")`)
				b.until(`document.querySelector("#options button").textContent.startsWith("sync")`)
				b.do(chromedp.Focus("#script", chromedp.ByID), chromedp.KeyEvent(kb.Tab))
				b.until(`document.getElementById("script").value.endsWith("  sync")`)
				b.until(`document.getElementById("hint").textContent.startsWith("sync HANDLEPublishes the writes of the rank")`)
				b.shot(transport.name + "-typing")
			})

			t.Run("an answer that is not wanted any more does not hold up the next one", func(t *testing.T) {
				b := b.in(t)
				b.typed("ranks 6\nall:\n  open h f rdwr|create\n  write_at h 0 int r\n  read_at h 0 int -> x\n  close h")
				b.until(`document.getElementById("verdict").textContent === "exploring ..."`)
				b.typed("ranks 1\nall:\n  barrier")
				var took float64
				b.do(chromedp.Evaluate(`new Promise((done) => { const from = performance.now(); const look = () =>
					document.getElementById("verdict").textContent.includes("no errors") ? done(performance.now() - from) : setTimeout(look, 5); look(); })`, &took,
					func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
				assert.Less(t, took, 2500.0, "milliseconds; the first answer would take 3 seconds")
				t.Logf("%s: answered %.0f ms after the last letter", transport.name, took)
			})

			t.Run("a wrong script is marked at its line", func(t *testing.T) {
				b := b.in(t)
				b.do(chromedp.Evaluate(`(() => { const s = document.getElementById("script"); s.value = "ranks 2\nall:\n  opne h"; s.dispatchEvent(new Event("input")); })()`, nil))
				b.click("go")
				b.until(`document.getElementById("problem").textContent.includes("line 3")`)
				b.until(`document.querySelector("#lines .wrong").textContent.trim() === "3" && document.querySelector(".wavy").style.left.includes("2ch")`)
			})

			t.Run("the page goes on after a program that is too large", func(t *testing.T) {
				b := b.in(t)
				b.do(chromedp.Evaluate(`(() => { const s = document.getElementById("script");
					s.value = "ranks 12\nall:\n  open h f rdwr|create\n" + Array.from({ length: 40 }, (_, i) => "  write_at h 0 int 1\n  read_at h 0 int*1 -> x" + i + "\n").join("") + "  close h";
					s.dispatchEvent(new Event("input")); })()`, nil))
				b.click("go")
				b.until(`/incomplete|longer|took/.test(document.getElementById("verdict").textContent)`)
				b.do(chromedp.SetValue("#lesson", "05-message", chromedp.ByID), chromedp.Evaluate(`document.getElementById("lesson").dispatchEvent(new Event("change"))`, nil))
				b.until(`document.getElementById("verdict").textContent.includes("as the script expects")`)
			})
			b.quiet()
		})
	}
}

// typed puts a text into the editor, as typing does.
func (b *tab) typed(text string) {
	b.t.Helper()
	b.do(chromedp.Evaluate(fmt.Sprintf(`(() => { const s = document.getElementById("script"); s.value = %q; s.focus(); s.setSelectionRange(s.value.length, s.value.length); s.dispatchEvent(new Event("input")); })()`, text), nil))
}

// in is the tab for the tests of a part.
func (b *tab) in(t *testing.T) *tab {
	return &tab{Context: b.Context, t: t, url: b.url}
}

// Every pane opens, for every lesson, without an error on the console.
func TestPanes(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			b := newTab(t, transport.start(t), nil)
			var names []string
			b.do(chromedp.Evaluate(`[...document.querySelectorAll("#lesson optgroup:first-of-type option")].map((o) => o.value)`, &names))
			require.Greater(t, len(names), 10)
			for _, name := range names {
				b.do(chromedp.SetValue("#lesson", name, chromedp.ByID), chromedp.Evaluate(`document.body.dataset.ready = "no"; document.getElementById("lesson").dispatchEvent(new Event("change"))`, nil))
				b.until(`document.getElementById("verdict").textContent !== "exploring ..." && document.querySelector("#spacetime svg")`)
				for _, pane := range []string{"run", "outcomes", "models", "view", "requests"} {
					b.click("tab-" + pane)
					b.until(fmt.Sprintf(`!document.getElementById("pane-%s").hidden`, pane))
				}
				b.until(`document.querySelector("#models table") && (document.querySelector("#v-drawing svg") || document.getElementById("v-note").textContent.includes("sets no view")) && (document.querySelector("#plans svg") || document.getElementById("p-problem").textContent.includes("moves no bytes"))`)
				b.shot(transport.name + "-" + name)
			}
			b.quiet()
		})
	}
}

// The whole page works on a phone of 360 pixels, with the keyboard, and every control has a
// name.
func TestAccess(t *testing.T) {
	b := newTab(t, served(t), nil)
	t.Run("nothing is wider than a phone", func(t *testing.T) {
		b := b.in(t)
		b.do(emulation.SetDeviceMetricsOverride(360, 740, 1, true))
		for _, pane := range []string{"run", "outcomes", "models", "view", "requests"} {
			b.click("tab-" + pane)
			b.until(fmt.Sprintf(`document.querySelector("#pane-%s :is(svg, table)")`, pane))
			var wide int
			b.do(chromedp.Evaluate(`document.documentElement.scrollWidth`, &wide))
			assert.LessOrEqual(t, wide, 360, pane)
			b.shot("phone-" + pane)
		}
		b.do(emulation.ClearDeviceMetricsOverride())
	})
	t.Run("tabs by keyboard", func(t *testing.T) {
		b := b.in(t)
		b.click("tab-run")
		b.do(chromedp.Focus("#tab-run", chromedp.ByID), chromedp.KeyEvent(kb.ArrowRight))
		b.until(`document.activeElement.id === "tab-outcomes" && !document.getElementById("pane-outcomes").hidden`)
	})
	t.Run("every control has a name", func(t *testing.T) {
		b := b.in(t)
		for _, pane := range []string{"run", "outcomes", "models", "view", "requests"} {
			b.click("tab-" + pane)
			var unnamed []string
			b.do(chromedp.Evaluate(`[...document.querySelectorAll("button, input, select, textarea, a, [role=tabpanel], svg[role=img]")].filter((e) =>
				!(e.labels?.length || e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.textContent.trim())).map((e) => e.outerHTML)`, &unnamed))
			assert.Empty(t, unnamed, pane)
		}
	})
	t.Run("what a screen reader finds", func(t *testing.T) {
		b := b.in(t)
		for _, pane := range []string{"run", "outcomes", "models", "view", "requests"} {
			b.click("tab-" + pane)
			b.until(fmt.Sprintf(`!document.getElementById("pane-%s").hidden`, pane))
			b.tree(pane)
		}
	})
	b.quiet()
}

// tree checks the accessibility tree of the page as chromium gives it to screen readers:
// names of all controls and pictures, one main region, headings without gaps, no control
// with a role that is not for it, and enough contrast of all text.
func (b *tab) tree(pane string) {
	b.t.Helper()
	type value struct {
		Value any `json:"value"`
	}
	var all struct {
		Nodes []struct {
			Ignored    bool  `json:"ignored"`
			Role, Name value // chromium knows more properties than package accessibility
		} `json:"nodes"`
	}
	var text json.RawMessage
	b.do(chromedp.ActionFunc(func(ctx context.Context) error { return cdp.Execute(ctx, "Accessibility.getFullAXTree", nil, &text) }))
	require.NoError(b.t, json.Unmarshal(text, &all))
	name := func(v value) string {
		s, _ := v.Value.(string)
		return s
	}
	roles := map[string]int{}
	for _, n := range all.Nodes {
		if n.Ignored {
			continue
		}
		role := name(n.Role)
		roles[role]++
		switch role {
		case "button", "link", "textbox", "combobox", "spinbutton", "slider", "tab", "tabpanel", "image", "img", "searchbox", "checkbox", "MenuListPopup":
			if role != "MenuListPopup" {
				assert.NotEmpty(b.t, name(n.Name), "%s: a %s has no name", pane, role)
			}
		}
	}
	for role, want := range map[string]int{"main": 1, "tablist": 1, "tab": 5, "tabpanel": 1, "banner": 1} {
		assert.Equal(b.t, want, roles[role], "%s: %s", pane, role)
	}
	var faint []string
	b.do(chromedp.Evaluate(contrast, &faint))
	assert.Empty(b.t, faint, "%s: text with too little contrast", pane)
	var ids []string
	b.do(chromedp.Evaluate(`[...document.querySelectorAll("[id]")].map((e) => e.id).filter((id, i, all) => all.indexOf(id) !== i)`, &ids))
	assert.Empty(b.t, ids, "%s: ids that are there twice", pane)
	var headings []int
	b.do(chromedp.Evaluate(`[...document.querySelectorAll("h1, h2, h3, h4")].filter((e) => e.offsetParent).map((e) => Number(e.tagName[1]))`, &headings))
	for i, n := range headings {
		if i > 0 {
			assert.LessOrEqual(b.t, n, headings[i-1]+1, "%s: a heading leaves a level out: %v", pane, headings)
		}
	}
}

// contrast lists texts whose contrast with their background is below 4.5 to 1.
const contrast = `(() => {
	const parse = (c) => { const m = c.match(/[\d.]+/g)?.map(Number); return m && { rgb: m.slice(0, 3), a: m[3] ?? 1 }; };
	const light = ([r, g, b]) => { const f = (x) => (x /= 255) <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
	const back = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c && c.a === 1) return c.rgb; } return [255, 255, 255]; };
	const all = [];
	for (const e of document.querySelectorAll("body *")) {
		if (!e.offsetParent || e.closest("svg") || e.disabled || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
		const ink = light(parse(getComputedStyle(e).color).rgb), page = light(back(e));
		const ratio = (Math.max(ink, page) + 0.05) / (Math.min(ink, page) + 0.05);
		if (ratio < 4.5) all.push(ratio.toFixed(1) + " " + e.tagName + " " + e.textContent.trim().slice(0, 40));
	}
	return all;
})()`

// drawnContrast lists texts of drawings whose contrast with the rectangle behind them is below 4.5 to 1.
const drawnContrast = `(() => {
	const parse = (c) => { const m = c.match(/[\d.]+/g)?.map(Number); return m && { rgb: m.slice(0, 3), a: m[3] ?? 1 }; };
	const light = ([r, g, b]) => { const f = (x) => (x /= 255) <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
	const all = [];
	for (const s of document.querySelectorAll("[role=tabpanel]:not([hidden]) svg.cw")) {
		const behind = [];
		for (const e of s.querySelectorAll("rect, text")) {
			const box = e.getBoundingClientRect(), fill = parse(getComputedStyle(e).fill);
			if (e.tagName === "rect") {
				if (fill && fill.a === 1 && getComputedStyle(e).fillOpacity === "1" && !e.closest("defs")) behind.push([box, fill.rgb]);
				continue;
			}
			const x = box.left + Math.min(4, box.width / 2), y = box.top + box.height / 2;
			const under = behind.filter(([b]) => b.left <= x && x <= b.right && b.top <= y && y <= b.bottom).pop();
			if (!under || !fill || !e.textContent.trim()) continue;
			const ink = light(fill.rgb), page = light(under[1]);
			const ratio = (Math.max(ink, page) + 0.05) / (Math.min(ink, page) + 0.05);
			if (ratio < 4.5) all.push(ratio.toFixed(1) + " " + e.textContent);
		}
	}
	return [...new Set(all)].slice(0, 20);
})()`

// Both colour schemes keep the contrast, and paper shows all panes without controls.
func TestColours(t *testing.T) {
	b := newTab(t, served(t), nil)
	for _, scheme := range []string{"light", "dark"} {
		b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		for range 6 {
			b.click("next")
		}
		for _, pane := range []string{"outcomes", "models", "view", "requests", "run"} {
			b.click("tab-" + pane)
			b.until(fmt.Sprintf(`!document.getElementById("pane-%s").hidden`, pane))
			var faint []string
			b.do(chromedp.Evaluate(contrast, &faint))
			assert.Empty(t, faint, "%s, %s: text with too little contrast", scheme, pane)
			b.do(chromedp.Evaluate(drawnContrast, &faint))
			assert.Empty(t, faint, "%s, %s: text of drawings with too little contrast", scheme, pane)
			b.shot(scheme + "-" + pane)
		}
	}
	b.do(emulation.SetEmulatedMedia().WithMedia("print"))
	b.until(`!document.querySelector(".stepper").offsetParent && document.querySelector("#outcomes table").offsetParent && document.querySelector("#spacetime svg").getBoundingClientRect().height > 0`)
	b.shot("print")
	b.quiet()
}
