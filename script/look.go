package script

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/readable"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// A Look is the result of a look statement: what a read in its place might have returned.
// A look is not an access, so it orders nothing and takes part in no race.
type Look struct {
	Handle *HandleMoment // its May has the bytes looked at, in the order of the file

	runs    []consistency.Run // of the file, in the order of the view
	inPlace bool              // the file holds the items as memory does
	quoted  bool              // the script writes this file's bytes as text
	moment  *Moment
}

// mostLookRuns bounds the separate stretches of the file that one statement looks at.
const mostLookRuns = 1000

// look finds the bytes of the file that a read in its place would return.
func (k *rank) look(s *Stmt) error {
	f := k.file(s)
	if _, err := f.ByteOffset(iofile.Offset(s.Offset)); err != nil {
		return err
	}
	v, err := f.View()
	if err != nil {
		return err
	}
	sizes := types.Sizes(k.comm.Arch())
	r, err := k.converter(f)
	if err != nil {
		return err
	}
	if r != nil {
		sizes = r.Sizes()
	}
	var etype, tile, item *types.Layout
	for _, x := range []struct {
		to   **types.Layout
		from *types.Type
	}{{&etype, v.Etype}, {&tile, v.Filetype}, {&item, s.Want.Type}} {
		if *x.to, err = x.from.Layout(sizes); err != nil {
			return err
		}
	}
	l := &Look{inPlace: r == nil && likeHost(k.comm.Arch()), quoted: k.run.quotes[k.history.handles[s.Handle].file]}
	n := item.Size * s.Want.Count
	for off, size := range (types.Tiling{L: tile, Disp: v.Disp}).Runs(s.Offset*etype.Size, n) {
		if len(l.runs) == mostLookRuns {
			return fmt.Errorf("the bytes are in more than %d separate places; look at fewer", mostLookRuns)
		}
		l.runs = append(l.runs, consistency.Run{Off: off, Len: size})
	}
	k.looked = l
	return nil
}

// look computes the results of all look statements of the run. It fails only if ctx ends.
func (r *Report) look(ctx context.Context) error {
	for _, e := range r.Log {
		l := e.Look
		if l == nil {
			continue
		}
		file := l.moment.run.ranks[e.Rank].history.fileOf(e.Stmt, l.moment.steps[e.Rank])
		all, err := l.moment.handles(ctx, file, l, true)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			e.Look = nil
			continue
		}
		l.Handle = all[0]
		var may []Readable
		for _, x := range l.Handle.May {
			for _, run := range l.runs {
				if run.Off <= x.Lo && x.Hi <= run.Off+run.Len {
					may = append(may, x)
					break
				}
			}
		}
		l.Handle.May = may
	}
	return nil
}

// fileOf returns the file that the handle of s was opened on, according to the first n
// steps.
func (t *history) fileOf(s *Stmt, n int) (file string) {
	for _, x := range t.steps[:n] {
		if x.access != nil && x.Do == consistency.DoOpen && x.stmt.Handle == s.Handle {
			file = x.file
		}
	}
	return file
}

// Text returns the result: for each stretch of bytes the values that a read may return,
// then which version of the file the rank sees.
func (l *Look) Text() string {
	h := l.Handle
	if h.Unknown != "" {
		return "not known: " + h.Unknown
	}
	var parts []string
	for _, r := range h.May {
		var choices []string
		for _, c := range r.Choices {
			text := l.value(r, c)
			if c.Stmt != nil && len(r.Choices) > 1 {
				text += fmt.Sprintf(" (rank %d, line %d)", c.Rank, c.Stmt.Line)
			}
			choices = append(choices, text)
		}
		parts = append(parts, strings.Join(choices, " or "))
	}
	text := strings.Join(parts, ", ")
	if text == "" {
		text = "nothing"
	}
	return text + "; " + h.sees()
}

// sees returns which version of the file a handle sees, and which unpublished bytes of
// its own.
func (h *HandleMoment) sees() string {
	text := fmt.Sprintf("sees version %d of %d", h.Version, h.Newest)
	if h.Version < 0 {
		text = fmt.Sprintf("sees each version at once, now %d", h.Newest)
	}
	const most = 3
	for i, w := range h.Unpublished {
		switch {
		case i == most:
			return text + " and more"
		case i == 0:
			text += fmt.Sprintf(", and its own bytes %d to %d", w.Lo, w.Hi-1)
		default:
			text += fmt.Sprintf(", %d to %d", w.Lo, w.Hi-1)
		}
	}
	return text
}

// value returns the items of a stretch if it begins and ends at item borders, else its
// bytes in hexadecimal.
func (l *Look) value(r Readable, c Choice) string {
	switch c.From {
	case FromHole:
		return unknown
	case FromEnd, FromAnyLength:
		return c.From.String()
	}
	sig := l.moment.Event.Stmt.Want.Type.Signature()
	if l.quoted && host.Sizeof(sig.Only()) == 1 {
		return readable.Form{Quoted: true}.Show(r.Lo, c.Bytes, nil)
	}
	pos := l.packed(r.Lo)
	if !l.inPlace || sig.Len() == 0 || pos < 0 || int64(len(c.Bytes)) != r.Hi-r.Lo {
		return "0x" + hex.EncodeToString(c.Bytes)
	}
	first, exact := sig.ItemsIn(pos, host)
	last, exactly := sig.ItemsIn(pos+r.Hi-r.Lo, host)
	if !exact || !exactly {
		return "0x" + hex.EncodeToString(c.Bytes)
	}
	var items []string
	rest := c.Bytes
	for at := first; at < last; at++ {
		k := sig.At(at % sig.Len())
		n := host.Sizeof(k)
		items = append(items, readable.ValueText(rest[:n], k, host))
		rest = rest[n:]
	}
	return readable.RunLengths(items)
}

// packed returns the index in the data of a byte of the file; -1 if it has none.
func (l *Look) packed(off int64) int64 {
	pos := int64(0)
	for _, run := range l.runs {
		if run.Off <= off && off < run.Off+run.Len {
			return pos + off - run.Off
		}
		pos += run.Len
	}
	return -1
}
