package browser

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// follow clicks on a link, and waits for its page.
func (b *tab) follow(selector string) {
	b.t.Helper()
	_, err := chromedp.RunResponse(b.Context, chromedp.Click(selector, chromedp.ByQuery))
	require.NoError(b.t, err)
}

// Each page of the site loads without an error and fits a phone, its search finds, and its scripts open in
// the lab.
func TestSite(t *testing.T) {
	url := site(t)
	b := newTab(t, url+"index.html", nil)
	opened := `document.body.dataset.ready === "yes"`

	t.Run("every page", func(t *testing.T) {
		b := b.in(t)
		b.do(emulation.SetDeviceMetricsOverride(360, 740, 1, true))
		n := 0
		require.NoError(t, fs.WalkDir(os.DirFS(filepath.Join(temporary, "site")), ".", func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".html") || strings.HasPrefix(name, "lab/") {
				return err
			}
			n++
			var width int
			b.do(chromedp.Navigate(url + name))
			b.ready(opened)
			b.do(chromedp.Evaluate("document.documentElement.scrollWidth", &width))
			assert.LessOrEqual(t, width, 360, name)
			return nil
		}))
		assert.GreaterOrEqual(t, n, 40)
		b.do(emulation.ClearDeviceMetricsOverride())
		b.quiet()
	})
	t.Run("the search", func(t *testing.T) {
		b := b.in(t)
		b.do(chromedp.Navigate(url + "course/17-missing-sync.html"))
		b.ready(opened)
		b.do(chromedp.SendKeys("#search", "two-phase aggregators", chromedp.ByQuery))
		b.until(`document.querySelector("#found a")`)
		b.shot("site-search")
		var to string
		b.do(chromedp.Evaluate(`document.querySelector("#found a").href`, &to))
		b.follow("#found a")
		b.until(fmt.Sprintf(`location.href === %q && %s`, to, opened))
		b.until(`document.getElementById("text").textContent.toLowerCase().includes("aggregators")`)
		b.do(chromedp.SendKeys("#search", "qqqq", chromedp.ByQuery))
		b.until(`document.getElementById("found").textContent.includes("Nothing has all these words")`)
		b.quiet()
	})
	t.Run("a script in the lab", func(t *testing.T) {
		b := b.in(t)
		b.do(chromedp.Navigate(url + "litmus.html"))
		b.ready(opened)
		b.follow("p.open a")
		b.until(`document.getElementById("script")?.value.includes("LIT-01")`)
		b.until(`document.getElementById("pane-run").textContent.includes("no errors, no races")`)
		b.shot("site-lab")
		b.quiet()
	})
	t.Run("one pane in a frame", func(t *testing.T) {
		b := b.in(t)
		b.click("frame")
		var frame string
		b.until(`document.getElementById("status").textContent !== ""`)
		b.do(chromedp.Evaluate(`location.pathname.split("/").pop() + "?frame" + location.hash`, &frame))
		b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(url+"lab/"+frame), chromedp.WaitVisible(`body[data-ready="yes"]`, chromedp.ByQuery))
		b.until(`document.getElementById("pane-run").textContent.includes("no errors, no races")`)
		b.until(`document.getElementById("script").offsetParent === null && document.getElementById("tab-run").offsetParent === null`)
		b.shot("site-frame")
		b.quiet()
	})
}
