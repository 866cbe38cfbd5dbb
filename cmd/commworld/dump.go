package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/internal/show/views"
	"github.com/commworld/commworld/types"
)

// dumpCommand is the command line of dump.
type dumpCommand struct {
	File   string `arg:"" help:"File to show; - is standard input. With --who it may be a script."`
	Type   string `placeholder:"EXPR" help:"Type of an element; the next element begins one extent later."`
	Rep    string `default:"native" placeholder:"REP[@ARCH]" help:"Data representation, ${default}, and for native ones the architecture, lp64le."`
	Offset int64  `placeholder:"BYTES" help:"Where element 0 begins: the length of a header."`
	Skip   int64  `placeholder:"N" help:"Number of elements to skip at the beginning."`
	Limit  int64  `default:"-1" placeholder:"N" help:"Number of elements to show; without it, all."`
	JSON   bool   `name:"json" help:"Print one JSON object a line for each item."`

	Who    bool   `help:"Show who wrote the bytes instead of their values: for a file with FILE.who beside it, or for the files that a script (.mpio) leaves."`
	Of     string `placeholder:"NAME" help:"With --who of a script: the file to show; without it, all."`
	Seed   uint64 `placeholder:"N" help:"With --who of a script: the schedule, as for run."`
	Replay string `placeholder:"WITNESS" help:"With --who of a script: the schedule, as for run."`
}

// Help returns the text of --help between the summary and the flags.
func (*dumpCommand) Help() string {
	return `Each line is an item: its byte in the file, its path within the file's elements, its
kind, its bytes, and its value.

  commworld dump grid.dat --type "struct([1,3],[0,8],[int,double])"
  commworld dump grid.dat --type double --rep external32 --offset 512 --limit 10
  commworld dump old.dat --type long --rep native@ilp32be --json

Paths: [3] is element 3; .0 .1 are fields of a struct, .value and .index those of a
pair; [2] is copy or block 2, [2][0] the first copy of block 2; [4,7] is a place in
the whole array of a subarray or darray.

Architectures are lp64le, lp64be, ilp32le, ilp32be and llp64le. external32 and
internal look the same on all of them.

If the file ends inside an element, dump prints the part that exists, marked "cut".

--json prints {"offset","element","path","type","hex","value"} a line; value is a
number, true or false, [re,im], or "NaN", "+Inf", "-Inf", for which JSON has no
number. An item that is cut has "cut":true and no value.

--who lists the bytes in the order of the file. A row has the rank that wrote them,
its call and line, the etype and representation of its view, and whether the write
was synced since. Other rows are holes, which no rank wrote, and bytes from before
the file was first opened. Rows that repeat at equal distances are shown once.

  commworld dump --who story.mpio --of grid       runs the script, then shows its file
  commworld dump --who grid.dat                   needs grid.dat.who

A file on disk has no record of its writers. A program that made its file system
with iofile.WithTracking(iofile.Provenance) can write one, grid.dat.who, with
FS.ExportProvenance. The record has a checksum: if the file has changed since, dump
reports an error. With --who, --limit counts rows, and --json prints
{"file","bytes":[lo,hi],"from":"write","hole" or
"before","rank","op","source","line","type","rep","synced"} a line.

The exit status is 0, also with a cut element, or 2 for wrong use.`
}

func (c *dumpCommand) run(ctx context.Context, stdout, stderr io.Writer) (int, error) {
	switch {
	case c.Who:
		return c.who(ctx, stdout, stderr)
	case c.Of != "" || c.Seed != 0 || c.Replay != "":
		return 0, errors.New("--of, --seed and --replay are for --who of a script")
	case c.Type == "":
		return 0, errors.New("give --type with the type of an element, or --who")
	case c.Offset < 0:
		return 0, fmt.Errorf("--offset %d is negative", c.Offset)
	case c.Skip < 0:
		return 0, fmt.Errorf("--skip %d is negative", c.Skip)
	case c.Limit < -1:
		return 0, fmt.Errorf("--limit %d is negative", c.Limit)
	}
	form, err := views.ParseForm(c.Rep)
	if err != nil {
		return 0, views.Refusal("--rep ", err)
	}
	e, code := readElement(c.Type, form, stderr)
	if e == nil {
		return code, nil
	}
	if c.Offset+e.TrueLB < 0 {
		return 0, fmt.Errorf("element 0 begins at byte %d: give --offset %d or more", c.Offset+e.TrueLB, -e.TrueLB)
	}
	var src source
	err = interruptible(ctx, func() (err error) { // a pipe may have no writer yet
		src, err = openSource(c.File, e.forward())
		return err
	})
	if err != nil {
		return 0, err
	}
	d := &dumper{dumpCommand: c, fileElement: e, src: src, out: bufio.NewWriter(stdout), values: newValuer(form)}
	err = interruptible(ctx, func() error { return errors.Join(d.dump(ctx), d.out.Flush(), src.Close()) })
	return 0, err
}

// A fileElement is a type as it is laid out in a file.
type fileElement struct {
	*types.Layout
	form  views.Form
	sig   types.Signature
	route route
}

// readElement parses a type expression; after an error, which it prints, the element is
// nil.
func readElement(expr string, form views.Form, stderr io.Writer) (*fileElement, int) {
	t, err := types.Parse(expr)
	var l *types.Layout
	if err == nil {
		l, err = t.Layout(form.Sizes())
	}
	if err != nil {
		fmt.Fprintf(stderr, "commworld: %v\n", views.Refusal("--type ", err))
		var s *types.SyntaxError
		if errors.As(err, &s) {
			fmt.Fprint(stderr, plain.Pointer(expr, s.Column))
		}
		return nil, exitUsage
	}
	switch {
	case l.Size == 0:
		fmt.Fprintf(stderr, "commworld: --type %s has no data\n", plain.Shorten(expr))
		return nil, exitUsage
	case l.Extent <= 0:
		fmt.Fprintf(stderr, "commworld: --type %s has extent %d; elements that follow one another need a positive one\n", plain.Shorten(expr), l.Extent)
		return nil, exitUsage
	}
	return &fileElement{l, form, t.Signature(), routeOf(t)}, 0
}

// forward reports whether the items in the file are in the order of the type.
func (e *fileElement) forward() bool {
	return e.Monotone() && e.TrueUB-e.TrueLB <= e.Extent
}

// dumper prints items.
type dumper struct {
	*dumpCommand
	*fileElement
	src    source
	out    *bufio.Writer
	values *valuer
	wide   struct{ offset, path, kind, hex int }
	cut    string // text for an incomplete element
}

func (d *dumper) dump(ctx context.Context) error {
	if !d.JSON {
		d.head()
	}
	shown := int64(0)
	for k := d.Skip; d.Limit < 0 || k-d.Skip < d.Limit; k++ {
		if k > (math.MaxInt64-d.Offset-d.TrueUB)/d.Extent {
			break
		}
		there, err := d.one(k, d.Offset+k*d.Extent)
		if err != nil {
			return err
		}
		if there {
			shown++
		}
		if !there || d.cut != "" {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if !d.JSON {
		fmt.Fprintf(d.out, "%s of %s%s\n", plain.Count(shown, "element"), plain.Count(d.Size, "byte"), d.cut)
	}
	return nil
}

// one prints an element that begins at byte base; there reports whether at least its first
// byte exists.
func (d *dumper) one(k, base int64) (there bool, err error) {
	c := types.Tiling{L: d.Layout, Disp: base}.Cursor(0)
	item, have := int64(0), int64(0)
	for kind, n := range d.sig.Runs() {
		size := d.form.Sizes().Sizeof(kind)
		for ; n > 0; n-- {
			off, _ := c.Next(size)
			raw, err := d.src.bytes(off, int(size))
			if err != nil {
				return there, err
			}
			have += int64(len(raw))
			if len(raw) > 0 {
				there = true
				if err := d.item(k, item, off, kind, raw, size); err != nil {
					return there, err
				}
			}
			item++
			if int64(len(raw)) < size && d.forward() {
				break
			}
		}
		if n > 0 {
			break
		}
	}
	if there && have < d.Size {
		d.cut = fmt.Sprintf("; element %d is cut: %d of %d bytes", k, have, d.Size)
	}
	return there, nil
}

// item prints one item, possibly an incomplete one.
func (d *dumper) item(k, item, off int64, kind types.Kind, raw []byte, size int64) error {
	cut := int64(len(raw)) < size
	var v value
	if !cut {
		var err error
		if v, err = d.values.of(kind, raw); err != nil {
			return fmt.Errorf("byte %d: %w", off, err)
		}
	}
	path := d.route.name(index(nil, k), item)
	if d.JSON {
		fmt.Fprintf(d.out, `{"offset":%d,"element":%d,"path":"%s","type":"%v","hex":"%x",`, off, k, path, kind, raw)
		if cut {
			d.out.WriteString("\"cut\":true}\n")
		} else {
			fmt.Fprintf(d.out, "\"value\":%s}\n", v.json)
		}
		return nil
	}
	text := v.text
	if cut {
		text = fmt.Sprintf("cut: %d of %d bytes", len(raw), size)
	}
	d.line(strconv.FormatInt(off, 10), string(path), kind.String(), raw, text)
	return nil
}

// hexBytes is how many bytes are printed on a line.
const hexBytes = 8

// line prints a row; bytes that do not fit are printed below.
func (d *dumper) line(offset, path, kind string, raw []byte, text string) {
	hex := func(p []byte) string { return fmt.Sprintf("% x", p) }
	first := raw[:min(len(raw), hexBytes)]
	fmt.Fprintf(d.out, "%*s  %-*s  %-*s  %-*s  %s\n", d.wide.offset, offset, d.wide.path, path, d.wide.kind, kind, d.wide.hex, hex(first), text)
	indent := d.wide.offset + d.wide.path + d.wide.kind + 6
	for raw = raw[len(first):]; len(raw) > 0; raw = raw[min(len(raw), hexBytes):] {
		fmt.Fprintf(d.out, "%*s%s\n", indent, "", hex(raw[:min(len(raw), hexBytes)]))
	}
}

// head sets the widths of columns from the first items and prints their names.
func (d *dumper) head() {
	const looked, digits = 4096, 3
	largest := int64(1)
	d.wide.path, d.wide.kind, d.wide.offset = len("path"), len("type"), len("offset")
	for i := range min(d.Items(), looked) {
		d.wide.path = max(d.wide.path, len(d.route.name(index(nil, d.Skip), i)))
	}
	last := len(d.route.name(index(nil, d.Skip), d.Items()-1))
	d.wide.path = min(30, max(d.wide.path, last)+digits-1)
	runs := 0
	for kind := range d.sig.Runs() {
		d.wide.kind = max(d.wide.kind, len(kind.String()))
		largest = max(largest, d.form.Sizes().Sizeof(kind))
		if runs++; runs > looked {
			break
		}
	}
	d.wide.hex = max(len("bytes"), int(min(hexBytes, largest))*3-1)
	header := fmt.Sprintf("%*s  %-*s  %-*s  %-*s  value", d.wide.offset, "offset", d.wide.path, "path", d.wide.kind, "type", d.wide.hex, "bytes")
	fmt.Fprintf(d.out, "%s\n%s\n", header, strings.Repeat("-", len(header)))
}
