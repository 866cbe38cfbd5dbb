package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/teach/course"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// If a line were broken inside a word or measured wrongly, a terminal would show it torn.
func TestFold(t *testing.T) {
	for _, row := range []struct{ line, want string }{
		{"short", "short"},
		{"one two three four five six", "one two three four\nfive six"},
		{"  fix      add a sync here and there", "  fix      add a\n           sync here\n           and there"},
		{"  view     日本語 日本語 日本語", "  view     日本語\n           日本語\n           日本語"},
		{"\x1b[1;31mone two three\x1b[0m four five", "\x1b[1;31mone two three\x1b[0m four\nfive"},
		{"a-word-that-is-longer-than-the-line and more", "a-word-that-is-longer-than-the-line\nand more"},
		{strings.Repeat(" ", 15) + "far in and on", strings.Repeat(" ", 15) + "far\nin and on"},
	} {
		assert.Equal(t, row.want, fold(row.line, 20))
	}
	assert.Equal(t, "one two", fold("one two", 0), "no width, no wrapping")
}

// Whatever a line has, its parts fit or are one word, and no word is broken or lost.
func TestFoldOfAnyLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z日é()=]{1,30}`), 0, 20).Draw(t, "words")
		line := rapid.StringMatching(` {0,20}`).Draw(t, "margin") + strings.Join(words, rapid.SampledFrom([]string{" ", "  "}).Draw(t, "between"))
		width := rapid.IntRange(1, 60).Draw(t, "width")
		got := fold(line, width)
		require.Equal(t, strings.Fields(line), strings.Fields(got))
		for part := range strings.SplitSeq(got, "\n") {
			assert.True(t, cells(part) <= width || len(strings.Fields(part)) == 1, "%q in %d", part, width)
		}
	})
}

// If clip counted bytes or broke a character, columns of a table would be moved.
func TestClip(t *testing.T) {
	for text, want := range map[string]string{"abcdef": "abcdef", "abcdefg": "abcd..", "日本語": "日本語", "日本語x": "日本..", "日a本語": "日a..", "e\u0301bcdefg": "e\u0301bcd.."} {
		assert.Equal(t, want, clip(text, 6))
		assert.LessOrEqual(t, cells(clip(text, 6)), 6)
	}
	assert.Equal(t, "日  ", pad("日", 4))
}

// If colours did not follow --color, a pager would get none, or a log too many.
func TestColor(t *testing.T) {
	const racy = "../../examples/stale.mpio"
	for flag, want := range map[string]bool{"--color=auto": false, "--color=never": false, "--color=always": true} {
		_, out, _ := cli("run", flag, racy)
		assert.Equal(t, want, strings.Contains(out, "\x1b[1;31m"), flag)
		name := t.TempDir() + "/out"
		code, _, errs := cli("run", flag, racy, "-o", name)
		assert.Equal(t, exitRace, code, errs)
	}
	code, _, errs := cli("run", "--color=blue", racy)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errs, `--color must be one of "auto","always","never"`)
}

// If names that are almost right had no suggestion, the user would have to search the lists.
func TestDidYouMean(t *testing.T) {
	for line, want := range map[string]string{
		"litmus barier-only":                          "barrier-only",
		"litmus --quiz barier-only":                   "barrier-only",
		"pattern show oir":                            "ior",
		"cost --pattern oir --ranks 2":                "ior",
		"cost --pattern ior --ranks 2 --machine lust": "lustre",
		"course show misssing-sync":                   "missing-sync",
		"course mark 17-missin-sync x":                "17-missing-sync",
		"suite show barier-only/bad":                  "barrier-only",
		"suite detect barier-only":                    "barrier-only",
		"explain MPI_File_writ_at":                    "MPI_File_write_at",
		"litums":                                      "litmus",
		"run --explor x":                              "--explore",
	} {
		code, _, errs := cli(strings.Fields(line)...)
		assert.Equal(t, exitUsage, code, line)
		assert.Contains(t, errs, "did you mean", line)
		assert.Contains(t, errs, want, line)
	}
	_, _, errs := cli("pattern", "show", "nothing-like-it-at-all")
	assert.NotContains(t, errs, "did you mean")
}

// If the first words of the program were its whole manual, a newcomer would not know where to begin.
func TestFirstSteps(t *testing.T) {
	code, out, errs := cli()
	assert.Equal(t, exitUsage, code)
	assert.Empty(t, out)
	names := commandNames(t)
	lines := 0
	for line := range strings.Lines(errs) {
		assert.LessOrEqual(t, cells(line), 80, line)
		if words := strings.Fields(line); strings.HasPrefix(line, "  commworld ") {
			lines++
			assert.True(t, contains(names, words[1]) || contains(names, words[1]+" "+words[2]), line)
		}
	}
	assert.Equal(t, 5, lines)
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// A told is told of each write.
type told struct{ wrote chan string }

func (w *told) Write(p []byte) (int, error) {
	w.wrote <- string(p)
	return len(p), nil
}

// If a ticker left its line, or wrote after its end, it would mix with the output.
func TestTicker(t *testing.T) {
	w := &told{wrote: make(chan string, 1000)}
	tick := &ticker{began: time.Now(), now: "working on \x1b[31m"}
	tick.start(w, 30, 0, time.Hour)
	assert.Equal(t, "\r\x1b[Kworking on ?[31m, 0 s", <-w.wrote)
	tick.say("%s", strings.Repeat("long ", 20))
	assert.LessOrEqual(t, cells(tick.text(time.Minute)), 29)
	tick.hide()
	assert.Equal(t, "\r\x1b[K", <-w.wrote)
	tick.end()
	tick.end()
	assert.Empty(t, w.wrote, "nothing more")
	quiet := ticking(&bytes.Buffer{}, "no terminal")
	assert.Nil(t, quiet.next)
	quiet.end()
}

// If paragraphs kept their lines, a terminal narrower than these would show long and short lines in
// turns.
func TestReflowed(t *testing.T) {
	const page = "# Title\n\nOne line\nand the next.\n\n- an item\n  goes on\n- another\n\n```\ncode  a\n  b\n```\n| a | b |\n| --- | --- |\n| `x\\|y` | long cells fold |\nText\n    shown\n"
	const want = "# Title\n\nOne line and the next.\n\n- an item goes on\n- another\n\n```\ncode  a\n  b\n```\na      b\n-----  ----------\n`x|y`  long cells\n       fold\nText\n    shown\n"
	assert.Equal(t, want, reflowed(page, 17))
}

// TestTablesOfLessons: tables of the pages fit a terminal and keep each word.
func TestTablesOfLessons(t *testing.T) {
	tables := 0
	for _, l := range course.Lessons() {
		for _, width := range []int{40, 80, 132} {
			var rows []string
			for line := range strings.Lines(l.Text() + "\n") {
				if strings.HasPrefix(line, "|") {
					rows = append(rows, strings.TrimRight(line, "\n"))
					continue
				}
				if len(rows) == 0 {
					continue
				}
				drawn := drawnTable(rows, width)
				tables++
				for line := range strings.Lines(drawn) {
					if !strings.HasPrefix(line, "  ") { // a list is folded later
						assert.LessOrEqual(t, cells(strings.TrimRight(line, "\n")), width, "%s: %s", l.Name, line)
					}
				}
				letters := func(s string) int { return len(strings.Join(strings.Fields(strings.Trim(s, "-")), "")) }
				all := 0
				for i, r := range rows {
					for _, cell := range cellsOf(r) {
						if i != 1 {
							all += letters(cell)
						}
					}
				}
				assert.GreaterOrEqual(t, letters(drawn), all, "%s loses words at %d columns", l.Name, width)
				rows = nil
			}
		}
	}
	assert.Positive(t, tables)
}
