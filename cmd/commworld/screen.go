package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/rivo/uniseg"

	"github.com/commworld/commworld/internal/brief"
)

// A verbatim command prints what is read by programs or copied as a whole, so that its lines are
// not wrapped.
type verbatim interface {
	verbatim() bool
}

func (c *runCommand) verbatim() bool {
	return c.Fix || c.Width != nil || c.SVG == "-" || c.HTML == "-"
}

func (c *litmusCommand) verbatim() bool    { return c.Show || c.Quiz && c.Mark == "" }
func (c *explainCommand) verbatim() bool   { return c.Sheet != "" }
func (c *courseShow) verbatim() bool       { return c.Wrong }
func (*exportCommand) verbatim() bool      { return true }
func (*suiteShowCommand) verbatim() bool   { return true }
func (*suiteDetectCommand) verbatim() bool { return true }
func (*completionCommand) verbatim() bool  { return true }
func (*manCommand) verbatim() bool         { return true }

// screenWidth returns at which column the output of a command is wrapped; 0: never. Only text on a
// terminal is wrapped.
func screenWidth(w io.Writer, chosen any) int {
	v, ok := chosen.(verbatim)
	flags := reflect.ValueOf(chosen).Elem()
	asJSON, format := flags.FieldByName("JSON"), flags.FieldByName("Format")
	switch {
	case !terminal(w), ok && v.verbatim(), asJSON.IsValid() && asJSON.Bool(), format.IsValid() && format.String() != "text":
		return 0
	}
	return columns(w)
}

// cells returns how many columns of a terminal a text takes: none for colour codes, two for wide
// characters.
func cells(text string) int {
	n := 0
	for {
		before, rest, coloured := strings.Cut(text, "\x1b[")
		n += uniseg.StringWidth(before)
		if !coloured {
			return n
		}
		_, text, _ = strings.Cut(rest, "m")
	}
}

// fold breaks a line between words so that each part takes at most width columns, unless a word is
// wider. Further parts begin below the text of the first: behind its margin, or below the last of
// its columns that begins left of three fifths of the line.
func fold(line string, width int) string {
	if width < 1 || cells(line) <= width {
		return line
	}
	var b strings.Builder
	margin := hanging(line, width)
	line = strings.TrimRight(line, " ")
	at, begun := 0, false
	for line != "" {
		space := line[:len(line)-len(strings.TrimLeft(line, " "))]
		line = line[len(space):]
		word, _, _ := strings.Cut(line, " ")
		line = line[len(word):]
		n := cells(word)
		if begun && at+len(space)+n > width {
			b.WriteString("\n" + strings.Repeat(" ", margin))
			space, at = "", margin
		}
		b.WriteString(space + word)
		at += len(space) + n
		begun = true
	}
	return b.String()
}

// hanging returns the column in which further parts of a line begin.
func hanging(line string, width int) int {
	margin := len(line) - len(strings.TrimLeft(line, " "))
	if margin > width/2 {
		return 0
	}
	for i := margin; i < len(line); i++ {
		if line[i] != ' ' && i > margin+1 && line[i-1] == ' ' && line[i-2] == ' ' {
			if at := cells(line[:i]); at <= width*3/5 {
				margin = at
			}
		}
	}
	return margin
}

// pad returns a text with spaces behind it, up to n columns.
func pad(text string, n int) string { return text + strings.Repeat(" ", max(0, n-cells(text))) }

// clip shortens a text to n columns.
func clip(text string, n int) string {
	if cells(text) <= n {
		return text
	}
	var b strings.Builder
	for used := 0; text != ""; {
		cluster, rest, size, _ := uniseg.FirstGraphemeClusterInString(text, -1)
		if used += size; used > n-2 {
			break
		}
		b.WriteString(cluster)
		text = rest
	}
	return b.String() + ".."
}

// wrapped writes what c has to a terminal of c.wrap columns, line by line.
func (c *cleanWriter) wrapped(text []byte) error {
	c.line = append(c.line, text...)
	end := bytes.LastIndexByte(c.line, '\n')
	if end < 0 {
		return nil
	}
	var b strings.Builder
	for line := range strings.Lines(string(c.line[:end+1])) {
		b.WriteString(fold(strings.TrimSuffix(line, "\n"), c.wrap) + "\n")
	}
	c.line = append(c.line[:0], c.line[end+1:]...)
	_, err := io.WriteString(c.w, b.String())
	return err
}

// reflowed returns a page in Markdown whose paragraphs are one line each, for a terminal that
// wraps them, with its tables drawn for lines of width columns. Lists, headings and code keep their lines.
func reflowed(page string, width int) string {
	var b strings.Builder
	fenced, open := false, false // open: the last line may go on
	lines := strings.Split(strings.TrimRight(page, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		rows := i
		for !fenced && rows < len(lines) && strings.HasPrefix(lines[rows], "|") {
			rows++
		}
		if rows > i {
			if open {
				b.WriteString("\n")
			}
			b.WriteString(drawnTable(lines[i:rows], width))
			open, i = false, rows-1
			continue
		}
		starts := strings.HasPrefix(line, "```")
		fenced = fenced != starts
		keeps := fenced || starts || line == "" || strings.HasPrefix(line, "    ") || line[0] == '#'
		item := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || line != "" && line[0] >= '0' && line[0] <= '9' && strings.Contains(line[:min(4, len(line))], ". ")
		switch {
		case open && !keeps && !item:
			b.WriteString(" " + strings.TrimSpace(line))
		case open:
			b.WriteString("\n" + line)
		default:
			b.WriteString(line)
		}
		if open = !keeps; keeps {
			b.WriteString("\n")
		}
	}
	if open {
		b.WriteString("\n")
	}
	return b.String()
}

// A ticker shows on a terminal what a command is doing, once that has taken a second.
type ticker struct {
	mu    sync.Mutex
	w     io.Writer // nil: it shows nothing
	width int
	began time.Time
	now   string // what is being done
	shown bool
	next  *time.Timer
}

// How soon and how often a ticker shows something.
const (
	tickAfter = time.Second
	tickEach  = 250 * time.Millisecond
)

// ticking starts a ticker if stderr is a terminal; elsewhere it shows nothing. say sets its text, hide
// removes it until the next time, end for good.
func ticking(stderr io.Writer, doing string) *ticker {
	t := &ticker{began: time.Now(), now: doing}
	if terminal(stderr) && os.Getenv("TERM") != "dumb" {
		t.start(raw(stderr), columns(stderr), tickAfter, tickEach)
	}
	return t
}

func (t *ticker) start(w io.Writer, width int, after, each time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.w, t.width = w, width
	t.next = time.AfterFunc(after, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.w != nil {
			io.WriteString(t.w, "\r\x1b[K"+t.text(time.Since(t.began)))
			t.shown = true
			t.next.Reset(each)
		}
	})
}

func (t *ticker) say(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = fmt.Sprintf(format, args...)
}

func (t *ticker) hide() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clear()
}

func (t *ticker) clear() {
	if t.shown {
		io.WriteString(t.w, "\r\x1b[K")
		t.shown = false
	}
}

func (t *ticker) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clear()
	if t.w = nil; t.next != nil {
		t.next.Stop()
	}
}

// text returns the line that is shown after some time.
func (t *ticker) text(took time.Duration) string {
	return clip(fmt.Sprintf("%s, %d s", brief.Show(strings.ToValidUTF8(t.now, "?")), int(took.Seconds())), max(10, t.width-1))
}
