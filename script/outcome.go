package script

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/readable"
	"github.com/commworld/commworld/iofile"
)

// A Content is the content of a file.
type Content struct {
	Bytes  []byte
	Blank  []bool // bytes that no rank wrote; nil: none
	Absent bool

	Origins []consistency.Origin // where the bytes come from, in order

	form   readable.Form
	writes map[int]readable.Form // by line; see fileForm
}

// Text returns the bytes: the values of their items if all accesses of the file have one
// type, text in quotes if the script gives text for this file, else hexadecimal; ".." for
// a byte that no rank wrote.
func (c Content) Text() string {
	if c.form.HasItems() {
		return c.items()
	}
	if len(c.writes) > 0 {
		return c.mixed()
	}
	return c.source()
}

// source returns the bytes as scripts write them: text in quotes if the script gives text
// for this file, else hexadecimal; ".." for a byte that no rank wrote.
func (c Content) source() string {
	if !c.form.Quoted {
		return c.String()
	}
	var parts []string
	for i := 0; i < len(c.Bytes); {
		text := c.letter(i)
		j := i + 1
		for j < len(c.Bytes) && c.letter(j) == text {
			j++
		}
		part := Content{Bytes: c.Bytes[i:j]}
		if c.Blank != nil {
			part.Blank = c.Blank[i:j]
		}
		if text {
			parts = append(parts, readable.QuoteRun(string(part.Bytes)))
		} else {
			parts = append(parts, part.String())
		}
		i = j
	}
	return strings.Join(parts, " ")
}

// letter reports whether byte i was written and can be shown as text.
func (c Content) letter(i int) bool {
	return readable.Printable(c.Bytes[i]) && (c.Blank == nil || !c.Blank[i])
}

// String returns the bytes in hexadecimal; ".." is a byte that no rank wrote.
func (c Content) String() string {
	return hexWith(c.Bytes, c.Blank)
}

// hexWith returns bytes in hexadecimal; ".." is a blank byte.
func hexWith(bs []byte, blank []bool) string {
	text := []byte(hex.EncodeToString(bs))
	for i, b := range blank {
		if b {
			text[2*i], text[2*i+1] = '.', '.'
		}
	}
	return string(text)
}

// contents reads every file of a store. A file may have most bytes, or MaxBuffer if most is 0.
func (r *run) contents(most int64) (map[string]Content, error) {
	fsys, forms := r.fsys, r.forms
	if most == 0 {
		most = MaxBuffer
	}
	all := map[string]Content{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Size() > most {
			return fmt.Errorf("file %s has %d bytes: at most %d are looked at", name, info.Size(), most)
		}
		bs, err := fsys.ReadFile(name)
		c := Content{Bytes: bs, form: forms[name].Form, writes: forms[name].writes}
		if r.unset.Load() {
			c.writes = nil
		}
		if err == nil && len(bs) > 0 {
			if c.Origins, err = fsys.Provenance(name, 0, int64(len(bs))); errors.Is(err, iofile.ErrNoSuchFile) { // no rank has opened it
				c.Origins, err = []consistency.Origin{{Hi: int64(len(bs)), From: consistency.FromBefore}}, nil
			}
			c.Blank = blanks(c.Origins, int64(len(bs)))
		}
		all[name] = c
		return err
	})
	return all, err
}

// blanks marks the bytes of a file that no rank wrote.
func blanks(origins []consistency.Origin, size int64) []bool {
	var blank []bool
	for _, o := range origins {
		if o.From != consistency.FromHole {
			continue
		}
		if blank == nil {
			blank = make([]bool, size)
		}
		for i := max(o.Lo, 0); i < min(o.Hi, size); i++ {
			blank[i] = true
		}
	}
	return blank
}

// holds reports whether a file meets an equation.
func (q Equation) holds(c Content, there bool) bool {
	if q.Absent || !there {
		return q.Absent && !there
	}
	at := 0
	for _, t := range q.Bytes {
		for range t.Repeat {
			for _, b := range t.Bytes {
				if at >= len(c.Bytes) {
					return false
				}
				blank := c.Blank != nil && c.Blank[at]
				if t.Blank != blank || !blank && b != c.Bytes[at] {
					return false
				}
				at++
			}
		}
	}
	return at == len(c.Bytes)
}

func (q Equation) asNumber() (int64, error) {
	if len(q.Values) != 1 || q.Values[0].Quoted || q.Values[0].Repeat != 1 {
		return 0, fmt.Errorf("a number is one value")
	}
	n, err := strconv.ParseInt(q.Values[0].Text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", q.Values[0].Text)
	}
	return n, nil
}

// split returns the name of a result, and the suffix that asks for a part of it.
func (q Equation) split() (name, part string) {
	for _, suffix := range []string{countOf, positionAfter} {
		if base, ok := strings.CutSuffix(q.Name, suffix); ok {
			return base, suffix
		}
	}
	return q.Name, ""
}

// met reports whether a rank's result meets an equation.
func (q Equation) met(results map[string]Result) bool {
	name, part := q.split()
	res, ok := results[name]
	if !ok {
		return false
	}
	if part == "" && res.IsData {
		bs, open, err := encodeOpen(q.Values, res.Stmt.datatype(), host)
		return err == nil && res.equals(bs, open)
	}
	n, err := q.asNumber()
	return err == nil && n == res.part(part)
}

// equals compares data with the expected bytes; a byte that is marked open must be of an
// item with bytes that no rank wrote.
func (r Result) equals(want []byte, open []bool) bool {
	if len(want) != len(r.Data) {
		return false
	}
	sig := r.Stmt.datatype().Signature()
	for at, i := int64(0), 0; i < len(want); at++ {
		n := i + int(host.Sizeof(sig.At(at%sig.Len())))
		n = min(n, len(want))
		blank := r.Blank != nil && slices.Contains(r.Blank[i:n], true)
		switch {
		case open != nil && open[i]:
			if !blank {
				return false
			}
		case blank && !r.zero, string(want[i:n]) != string(r.Data[i:n]):
			return false
		}
		i = n
	}
	return true
}

func (r Result) part(suffix string) int64 {
	switch suffix {
	case countOf:
		return r.Count
	case positionAfter:
		return r.Pos
	}
	return r.Number
}

// An Ending is the end of one run: the data that every rank read, and the contents of the
// files.
type Ending struct {
	Results []map[string]Result // by rank
	Files   map[string]Content
}

// Fits reports whether the ending meets an outcome.
func (e *Ending) Fits(o Outcome) bool {
	return !slices.ContainsFunc(o, func(q Equation) bool {
		if q.File != "" {
			c, there := e.Files[q.File]
			return !q.holds(c, there)
		}
		return !q.met(e.Results[q.Rank])
	})
}

// Vars returns the results by "RANK.NAME": data as text in hexadecimal, with ".."
// for each byte that no rank wrote, numbers as int64. Counts and positions are there if the script asks for them.
func (e *Ending) Vars(s *Script) map[string]any {
	asked := map[string]bool{}
	for _, x := range s.Expect {
		for _, o := range x.Outcomes {
			for _, q := range o {
				if q.File == "" {
					asked[strconv.Itoa(q.Rank)+"."+q.Name] = true
				}
			}
		}
	}
	vars := map[string]any{}
	for r, results := range e.Results {
		for name, res := range results {
			key := strconv.Itoa(r) + "." + name
			if !res.IsData {
				vars[key] = res.Number
				continue
			}
			vars[key] = res.hex()
			for _, suffix := range []string{countOf, positionAfter} {
				if asked[key+suffix] {
					vars[key+suffix] = res.part(suffix)
				}
			}
		}
	}
	return vars
}

// hex returns the data in hexadecimal; ".." is a byte that no rank wrote.
func (r Result) hex() string {
	if r.zero {
		return hex.EncodeToString(r.Data)
	}
	return hexWith(r.Data, r.Blank)
}

// Text returns the ending on one line; equal endings have equal texts.
func (e *Ending) Text(s *Script) string { return e.line(e.Vars(s), Content.String) }

// AsAllowed returns the ending on one line in the form of an allow line, with all results
// and files.
func (e *Ending) AsAllowed() string {
	var parts []string
	for r, results := range e.Results {
		for _, name := range slices.Sorted(maps.Keys(results)) {
			q := Equation{Rank: r, Name: name}
			text := fmt.Sprintf("%d:%s = %s", r, name, results[name].Text())
			if o, ok := e.equations([]Equation{q}); ok {
				text = o.String()
			}
			parts = append(parts, text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Files)) {
		c := e.Files[name]
		q := Equation{File: name, Bytes: c.stretches()}
		text := q.String()
		if c.form.Quoted {
			text = fmt.Sprintf("file %s = %s", name, c.Text())
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// Texts returns each result and each file of the ending, values by their types, such as "1.x = 5".
func (e *Ending) Texts() []string {
	texts := []string{}
	for _, v := range e.List() {
		texts = append(texts, v.Name+" = "+v.Text())
	}
	for _, name := range slices.Sorted(maps.Keys(e.Files)) {
		texts = append(texts, "file "+name+" = "+cmp.Or(e.Files[name].Text(), "empty"))
	}
	return texts
}

// shown returns Text with values in the form of scripts.
func (e *Ending) shown(s *Script) string {
	vars := e.Vars(s)
	for _, v := range e.List() {
		vars[v.Name] = v.Text()
	}
	return e.line(vars, Content.Text)
}

func (e *Ending) line(vars map[string]any, content func(Content) string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		parts = append(parts, fmt.Sprint(name, " = ", vars[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Files)) {
		parts = append(parts, fmt.Sprint("file ", name, " = ", content(e.Files[name])))
	}
	return strings.Join(parts, ", ")
}
