package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// class starts a lab with a class, and returns the addresses of teacher and students, and the code.
func class(t *testing.T) (teacher, students, code string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), command, "lab", "--addr", "127.0.0.1:0", "--class", "127.0.0.1:0")
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "You ask at "); ok {
			teacher = strings.TrimSuffix(rest, ".")
		}
		if rest, ok := strings.CutPrefix(lines.Text(), "Students open "); ok {
			url, code, _ := strings.Cut(rest, " and type the code ")
			return teacher, url, strings.TrimSuffix(code, ".")
		}
	}
	require.Fail(t, "lab --class did not say where students go")
	return "", "", ""
}

// post sends a request of a student without a browser.
func post(t *testing.T, url string, request map[string]any) (answer map[string]any) {
	t.Helper()
	body, err := json.Marshal(request)
	require.NoError(t, err)
	r, err := http.Post(url+"class", "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	defer r.Body.Close()
	require.NoError(t, json.NewDecoder(r.Body).Decode(&answer))
	require.Equal(t, http.StatusOK, r.StatusCode, answer)
	return answer
}

// TestVote: a teacher asks five students what x may be in lesson 17, and reveals the answer. One of the
// students has a browser.
func TestVote(t *testing.T) {
	url, students, code := class(t)
	teacher := newTab(t, url+"?lesson=01-stale", nil)
	one := newTab(t, students, nil)
	one.do(chromedp.EmulateViewport(360, 640), chromedp.SendKeys("#code", strings.ToLower(code), chromedp.ByID), chromedp.Click("#join button", chromedp.ByQuery))
	one.until(`!document.getElementById("class").hidden`)
	var keys []any
	for range 4 {
		keys = append(keys, post(t, students, map[string]any{"do": "join", "code": code})["key"])
	}
	teacher.until(`document.getElementById("how").textContent.includes("5 joined")`)
	teacher.do(chromedp.SendKeys("#extra", "7", chromedp.ByID), chromedp.Click("#ask button", chromedp.ByQuery))
	teacher.until(`document.getElementById("question").textContent === "What may 1.x be?"`)
	for i, ticked := range [][]int{{1}, {0, 1}, {2}, {0, 1}} {
		post(t, students, map[string]any{"do": "vote", "key": keys[i], "number": 1, "ticked": ticked})
	}
	one.until(`document.querySelectorAll("#values input").length === 3`)
	one.do(chromedp.Click("#values input", chromedp.ByQuery), chromedp.Click("#ballot button", chromedp.ByQuery))
	one.until(`document.getElementById("status").textContent.startsWith("Your vote is in")`)
	assert.Empty(t, one.text("answer"), "nothing is shown before the teacher reveals it")
	one.shot("vote-student")
	teacher.until(`document.getElementById("status").textContent === "5 of 5 have voted."`)
	teacher.click("reveal")
	for _, b := range []*tab{teacher, one} {
		b.until(`document.querySelectorAll(".values > li").length === 3`)
		var rows []string
		b.do(chromedp.Evaluate(`[...document.querySelectorAll(".values > li")].map((li) => li.className + " " + li.textContent)`, &rows))
		for k, want := range []string{"can 0 can come out  3 of 5", "can 5 can come out  3 of 5", "cannot 7 cannot come out  1 of 5"} {
			assert.True(t, strings.HasPrefix(rows[k], want), rows[k])
		}
		assert.Contains(t, rows[0], "read_at h 0 int*1 -> x = 0", "a way to the stale value")
		assert.Contains(t, b.text("answer"), "2 of 5 ticked exactly what can come out.")
		var over bool
		b.do(chromedp.Evaluate(`document.documentElement.scrollWidth > document.documentElement.clientWidth`, &over))
		assert.False(t, over, "the page fits its width")
		b.quiet()
	}
	assert.Contains(t, one.text("answer"), "You ticked: 0")
	teacher.shot("vote-teacher")
	one.shot("vote-answer")
}

// TestHands: without a class the teacher types the hands that were shown, also on a page without a server.
func TestHands(t *testing.T) {
	b := newTab(t, served(t)+"vote.html?lesson=01-stale", nil)
	b.do(chromedp.SendKeys("#extra", "7", chromedp.ByID), chromedp.Click("#ask button", chromedp.ByQuery))
	b.until(`document.getElementById("hand-2")`)
	b.do(chromedp.SetValue("#hand-0", "4", chromedp.ByID), chromedp.SetValue("#hand-1", "11", chromedp.ByID), chromedp.Click("#reveal", chromedp.ByID))
	b.until(`document.querySelectorAll(".values > li").length === 3`)
	assert.Contains(t, b.text("answer"), "11 hands")
	assert.Contains(t, b.text("answer"), "read_at h 0 int*1 -> x = 0")
	b.quiet()
}
