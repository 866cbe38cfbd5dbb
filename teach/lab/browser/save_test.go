package browser

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hook keeps the files that the page would download, in place of a download.
const hook = `window.saved = [];
HTMLAnchorElement.prototype.click = function () { window.names = [...(window.names ?? []), this.download]; };
const make = URL.createObjectURL;
URL.createObjectURL = (blob) => { window.saved.push(blob); return make.call(URL, blob); };`

// TestSave: what a pane shows is saved as a drawing with literal light colours, also from a dark page, and
// as a picture.
func TestSave(t *testing.T) {
	b := newTab(t, served(t), nil)
	b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	b.do(chromedp.Evaluate(hook, nil))
	b.click("save-svg")
	b.until(`document.getElementById("saved").textContent === "Saved commworld-run.svg."`)
	b.do(chromedp.Evaluate(`window.saved[0].text().then((t) => { window.text = t; })`, nil))
	b.until(`window.text`)
	var svg string
	b.do(chromedp.Evaluate(`window.text`, &svg))
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
	assert.NotContains(t, svg, "var(")
	assert.Contains(t, svg, ".cw .page{fill:#fff}")
	assert.Contains(t, svg, "write_at h 0 int 5")
	assert.GreaterOrEqual(t, strings.Count(svg, "<svg"), 3, "the state of the file and the diagram, in one drawing")
	if _, err := exec.LookPath("rsvg-convert"); err != nil {
		t.Log("SKIPPED: no rsvg-convert here, so no test looks at the saved drawing")
	} else {
		c := exec.Command("rsvg-convert", "-o", filepath.Join(t.TempDir(), "out.png"))
		if dir := os.Getenv("LAB_SCREENSHOTS"); dir != "" {
			c.Args[2] = filepath.Join(dir, "saved.png")
		}
		c.Stdin = strings.NewReader(svg)
		text, err := c.CombinedOutput()
		require.NoError(t, err, "%s", text)
	}
	b.click("save-png")
	b.until(`!document.getElementById("saved").textContent.includes("run.svg")`)
	require.Equal(t, "Saved commworld-run.png.", b.text("saved"))
	b.do(chromedp.Evaluate(`window.saved.at(-1).arrayBuffer().then((a) => { window.png = btoa(Array.from(new Uint8Array(a), (b) => String.fromCharCode(b)).join("")); })`, nil))
	b.until(`window.png`)
	var packed string
	b.do(chromedp.Evaluate(`window.png`, &packed))
	raw, err := base64.StdEncoding.DecodeString(packed)
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(raw))
	require.NoError(t, err)
	r, _, _, _ := img.At(2, 2).RGBA()
	assert.Greater(t, r, uint32(0xf000), "the paper is white")
	b.quiet()
}
