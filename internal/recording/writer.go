package recording

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/commworld/commworld/types"
)

// A Writer writes the file of one rank. The recorder of C programs writes the same format; this
// one is for tests and for other sources.
type Writer struct {
	out   *bufio.Writer
	file  *os.File
	model model
	funcs map[string]int
	all   []Function
	blobs map[string]int
	keys  []string // by slot
	next  int      // the slot to replace
	mods  int
	run   uint64
	err   error
}

// Create creates the file of a rank in the folder of a recording.
func Create(dir string, h Head) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, fileName(h.Rank)))
	if err != nil {
		return nil, err
	}
	w := &Writer{out: bufio.NewWriterSize(f, piece), file: f, model: newModel(), funcs: map[string]int{}, blobs: map[string]int{}}
	w.raw(magic)
	w.byte(tagHead)
	w.numbers(uint64(h.Rank), uint64(h.Ranks), h.Job)
	w.text(h.Library)
	return w, w.err
}

func (w *Writer) byte(b byte) {
	if err := w.out.WriteByte(b); w.err == nil {
		w.err = err
	}
}

func (w *Writer) raw(s string) {
	if _, err := w.out.WriteString(s); w.err == nil {
		w.err = err
	}
}

func (w *Writer) numbers(all ...uint64) {
	var b [binary.MaxVarintLen64]byte
	for _, x := range all {
		w.raw(string(b[:binary.PutUvarint(b[:], x)]))
	}
}

func (w *Writer) text(s string) {
	w.numbers(uint64(len(s)))
	w.raw(s)
}

// define ends a run, so that a definition can follow.
func (w *Writer) define(tag byte) {
	if w.run > 0 {
		w.byte(tagRun)
		w.numbers(w.run)
		w.run = 0
	}
	w.byte(tag)
}

// Module adds a module and returns its number.
func (w *Writer) Module(m Module) int {
	w.define(tagModule)
	w.text(m.Path)
	w.text(m.BuildID)
	w.mods++
	return w.mods - 1
}

// Site adds a place that calls a function, whose fields are described as in docs/traces.md, and
// returns its number.
func (w *Writer) Site(function, fields string, frames ...Frame) (int, error) {
	f, err := parseFields(function, fields)
	if err != nil {
		return 0, err
	}
	n, ok := w.funcs[function]
	if !ok {
		w.define(tagFunction)
		w.text(function)
		w.text(fields)
		n = len(w.all)
		w.funcs[function] = n
		w.all = append(w.all, f)
	}
	w.define(tagSite)
	w.numbers(uint64(n), uint64(len(frames)))
	for _, f := range frames {
		w.numbers(uint64(f.Module+1), f.Address)
	}
	w.model.add(n, len(f.Fields), frames)
	return len(w.model.sites) - 1, w.err
}

// Text stores a text and returns its slot.
func (w *Writer) Text(s string) int64 { return w.blob(string(rune(blobText)) + s) }

// List stores integers and returns their slot.
func (w *Writer) List(all ...int64) int64 {
	return w.blob(string(appendList(binary.AppendUvarint([]byte{blobList}, uint64(len(all))), all)))
}

// Type stores a datatype and returns its slot.
func (w *Writer) Type(t *types.Type) int64 {
	b, err := appendType([]byte{blobType}, t)
	if w.err == nil {
		w.err = err
	}
	return w.blob(string(b))
}

func appendList(b []byte, all []int64) []byte {
	last := int64(0)
	for _, x := range all {
		b = binary.AppendUvarint(b, zigzag(x-last))
		last = x
	}
	return b
}

func appendType(b []byte, t *types.Type) ([]byte, error) {
	e := t.Envelope()
	b = binary.AppendUvarint(b, uint64(e.Combiner))
	if e.Combiner == types.CombinerNamed {
		for name, o := range named {
			if o == t {
				return append(binary.AppendUvarint(b, uint64(len(name))), name...), nil
			}
		}
		return b, fmt.Errorf("%v has no name in a recording", t)
	}
	c, err := t.Contents()
	if err != nil {
		return b, err
	}
	for _, list := range [][]int64{c.Integers, c.Addresses} {
		b = appendList(binary.AppendUvarint(b, uint64(len(list))), list)
	}
	b = binary.AppendUvarint(b, uint64(len(c.Types)))
	for _, part := range c.Types {
		if b, err = appendType(b, part); err != nil {
			return b, err
		}
	}
	return b, nil
}

func (w *Writer) blob(content string) int64 {
	if slot, ok := w.blobs[content]; ok {
		return int64(slot)
	}
	slot := w.next
	if w.next = (w.next + 1) % slots; slot == len(w.keys) {
		w.keys = append(w.keys, "")
	} else {
		delete(w.blobs, w.keys[slot])
	}
	w.keys[slot], w.blobs[content] = content, slot
	w.define(tagBlob)
	w.numbers(uint64(slot))
	w.text(content)
	return int64(slot)
}

// Call writes a call with all its fields.
func (w *Writer) Call(site int, args ...int64) error {
	s := w.model.sites[site]
	if len(args) != len(s.args) {
		return fmt.Errorf("%d fields of a call that has %d", len(args), len(s.args))
	}
	mask := s.mask(args)
	if mask == 0 && w.model.next() == site {
		w.run++
	} else {
		if site < 256-shortCall {
			w.define(byte(shortCall + site))
		} else {
			w.define(tagCall)
			w.numbers(uint64(site))
		}
		w.changed(s, mask, args)
	}
	w.model.made(site, args)
	return w.err
}

// mask has a bit for each field that is not as predicted.
func (s *site) mask(args []int64) (mask uint64) {
	for i, a := range args {
		if a != s.predicted(i) {
			mask |= 1 << i
		}
	}
	return mask
}

func (w *Writer) changed(s *site, mask uint64, args []int64) {
	w.numbers(mask)
	for i, a := range args {
		if mask>>i&1 != 0 {
			w.numbers(zigzag(a - s.predicted(i)))
		}
	}
}

// Pending writes a call that does not return, with its inputs. It is the last record.
func (w *Writer) Pending(site int, inputs ...int64) error {
	w.define(tagPending)
	w.numbers(uint64(site))
	s := w.model.sites[site]
	w.changed(s, s.mask(inputs), inputs)
	return w.err
}

// Note writes a remark for people.
func (w *Writer) Note(text string) {
	w.define(tagNote)
	w.text(text)
}

// Exit writes that the process ended without MPI_Finalize.
func (w *Writer) Exit() { w.define(tagExit) }

// Close writes what is left.
func (w *Writer) Close() error {
	if w.run > 0 {
		w.byte(tagRun)
		w.numbers(w.run)
	}
	return errors.Join(w.err, w.out.Flush(), w.file.Close())
}

// fileName returns the name of a rank's file.
func fileName(rank int) string { return fmt.Sprintf("rank.%d", rank) }

// rankOf returns the rank of a file; false if the name is not that of a rank's file.
func rankOf(name string) (rank int, ok bool) {
	digits, ok := strings.CutPrefix(name, "rank.")
	if !ok || fmt.Sprintf("%.9s", digits) != digits {
		return 0, false
	}
	n, err := fmt.Sscanf(digits, "%d", &rank)
	return rank, n == 1 && err == nil && fileName(rank) == name
}
