package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// typeCommand is the command line of type.
type typeCommand struct {
	Expr    *string  `arg:"" optional:"" help:"Type expression, such as vector(3, 2, 4, int); without it, standard input is read, one expression a line."`
	Sizes   []string `default:"lp64le" enum:"lp64le,lp64be,ilp32le,ilp32be,external32" placeholder:"NAME" help:"Machines or representations to lay it out for, separated by commas: ${enum}."`
	Markers string   `default:"sticky" enum:"sticky,weak" help:"Force of the bounds of resized types, subarrays and darrays in larger types: ${enum}. The standard's are sticky."`
	Copies  int64    `default:"3" placeholder:"N" help:"Copies to draw, ${default}; 0 draws nothing."`
	JSON    bool     `name:"json" help:"Print one JSON object a line for each expression and each of --sizes."`
	SVG     string   `type:"output" name:"svg" placeholder:"FILE" help:"Write a drawing of one expression, as PNG if FILE ends in .png; - is standard output."`
	Limit   int64    `default:"1000" placeholder:"N" help:"Most items of the typemap, and most runs, that --json prints, ${default}."`
}

// mostCopies bounds --copies: a typing mistake should not fill the screen.
const mostCopies = 1000

// mostListed bounds --limit: a list is built in memory before it is printed.
const mostListed = 10_000_000

// sizesOf maps the names that --sizes accepts to sizes.
var sizesOf = map[string]types.Sizes{
	"lp64le": reps.LP64LE, "lp64be": reps.LP64BE, "ilp32le": reps.ILP32LE, "ilp32be": reps.ILP32BE,
	"external32": reps.External32,
}

// A laid is a type laid out under named sizes.
type laid struct {
	name  string
	sizes types.Sizes
	typ   *types.Type
	*types.Layout
}

// A typeWriter prints the output of the command type.
type typeWriter struct {
	*typeCommand
	out     *bufio.Writer
	errs    io.Writer
	width   int // columns of text
	colours bool
	said    bool // a report has been printed before
	good    []laid
}

func (c *typeCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	switch {
	case c.Copies < 0 || c.Copies > mostCopies:
		return 0, fmt.Errorf("--copies %d: 0 to %d can be drawn", c.Copies, mostCopies)
	case c.Limit < 0 || c.Limit > mostListed:
		return 0, fmt.Errorf("--limit %d: 0 to %d can be listed", c.Limit, mostListed)
	}
	switch {
	case c.SVG != "" && c.Expr == nil:
		return 0, errors.New("--svg draws one expression; give it as an argument")
	case c.SVG == "-" && c.JSON:
		return 0, errors.New("--svg - and --json both want standard output")
	}
	for i, name := range c.Sizes {
		if slices.Contains(c.Sizes[:i], name) {
			return 0, fmt.Errorf("--sizes names %s twice", name)
		}
	}
	w := &typeWriter{
		typeCommand: c, out: bufio.NewWriter(stdout), errs: stderr,
		width: columns(stdout), colours: colours(stdout),
	}
	if c.Expr == nil {
		return w.stream(ctx, os.Stdin)
	}
	if c.SVG == "-" {
		w.out.Reset(io.Discard)
	}
	good := w.expression(*c.Expr, "")
	err := w.out.Flush()
	if c.SVG != "" && good {
		err = errors.Join(err, writeDrawing(c.SVG, stdout, w.drawing().SVG()))
	}
	return exitCode(good), err
}

func exitCode(good bool) int {
	if good {
		return 0
	}
	return exitUsage
}

// stream answers each line of in at once, for interactive use.
func (w *typeWriter) stream(ctx context.Context, in *os.File) (int, error) {
	if term.IsTerminal(int(in.Fd())) {
		fmt.Fprintln(w.errs, "One type expression a line, such as vector(3, 2, 4, int); control-D ends.")
	}
	good := true
	lines := make(chan string)
	var failed error
	go func() { // an interrupt must not wait for the next line
		failed = readLines(ctx, in, lines)
		close(lines)
	}()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return exitUsage, w.out.Flush()
		case line, ok := <-lines:
			if !ok {
				return exitCode(good), failed
			}
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			good = w.expression(line, "line "+strconv.Itoa(n)+": ") && good
			if err := w.out.Flush(); err != nil {
				return 0, err
			}
		}
	}
}

// readLines sends the lines of in; a line may have any length.
func readLines(ctx context.Context, in io.Reader, lines chan<- string) error {
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			select {
			case lines <- line:
			case <-ctx.Done():
				return nil
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// expression prints the answer for one expression and reports whether it is valid. place is
// its position in the input, "" on the command line.
func (w *typeWriter) expression(expr, place string) bool {
	t, err := types.Parse(expr)
	if err != nil {
		w.bad(expr, place, "", err)
		return false
	}
	var good []laid
	for _, name := range w.Sizes {
		sizes := sizesOf[name]
		if w.Markers == "weak" {
			sizes = types.WeakMarkers(sizes)
		}
		l, err := t.Layout(sizes)
		if err != nil {
			w.bad(expr, place, "as "+name+": ", err)
			continue
		}
		good = append(good, laid{name, sizes, t, l})
	}
	w.good = good
	switch {
	case w.JSON:
		for _, l := range good {
			w.object(expr, l)
		}
	case len(good) > 0:
		if w.said {
			w.out.WriteByte('\n')
		}
		w.report(t, good)
		w.said = true
	}
	return len(good) == len(w.Sizes)
}

// bad prints the error of an expression: on stderr for people; in place of the answer if
// each line of the input has an expression and the output is JSON.
func (w *typeWriter) bad(expr, place, under string, err error) {
	var e *types.Error
	errors.As(err, &e) // package types returns no other errors
	what := under + fmt.Sprint(e.Err)
	fmt.Fprintf(w.errs, "commworld: %s%s (%s%s)\n", place, what, e.Class.Name(), plain.Comma(e.Rule))
	var s *types.SyntaxError
	if errors.As(err, &s) {
		fmt.Fprint(w.errs, plain.Pointer(expr, s.Column))
	}
	if w.JSON && w.Expr == nil {
		w.encode(struct {
			Expr  string `json:"expr"`
			Error string `json:"error"`
			Class string `json:"class"`
		}{expr, what, e.Class.Name()})
	}
}

// columns returns the width of w in characters: that of the terminal, or COLUMNS, or 80.
func columns(w io.Writer) int {
	if f := fileOf(w); f != nil {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return 80
}
