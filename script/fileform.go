package script

import (
	"fmt"
	"strings"

	"github.com/commworld/commworld/types"
)

// A fileForm says how the bytes of a file are shown.
type fileForm struct {
	quoted bool       // as text: the script writes this file's bytes as text
	kind   types.Kind // as items of this kind, which all accesses and views have; KindNone: as bytes
	base   int64      // the offset of an item, below the size of the kind
}

// fileForms returns the forms of the files that the script opens. A file has items of one
// kind if all views of its handles, and all data of its accesses, have that kind only, in the
// representation of memory and at whole items from each other.
func (s *Script) fileForms() map[string]fileForm {
	type found struct {
		fileForm
		seen, viewed, mixed bool
	}
	files, handles := map[string]*found{}, map[string]map[*found]bool{}
	each := func(do func(st *Stmt, f *found)) {
		for _, b := range s.Blocks {
			for _, st := range b.Stmts {
				for f := range handles[st.Handle] {
					do(st, f)
				}
			}
		}
	}
	for _, b := range s.Blocks {
		for _, st := range b.Stmts {
			if st.Routine != "open" {
				continue
			}
			if files[st.File] == nil {
				files[st.File] = &found{}
			}
			if handles[st.Handle] == nil {
				handles[st.Handle] = map[*found]bool{}
			}
			handles[st.Handle][files[st.File]] = true
		}
	}
	add := func(f *found, t *types.Type) {
		if t == nil || t.Signature().Len() == 0 {
			return
		}
		kind := t.Signature().Only()
		f.mixed = f.mixed || f.seen && f.kind != kind
		f.seen, f.kind = true, kind
	}
	each(func(st *Stmt, f *found) {
		if st.Data != nil {
			add(f, st.Data.Type)
		}
		if st.Want != nil {
			add(f, st.Want.Type)
		}
		if st.View.Etype != nil {
			f.mixed = f.mixed || st.View.Rep != "" && st.View.Rep != "native"
			add(f, st.View.Etype)
		}
	})
	each(func(st *Stmt, f *found) {
		size := max(host.Sizeof(f.kind), 1)
		if st.View.Etype == nil || f.mixed {
			return
		}
		base := max(st.View.Disp, 0) % size
		f.mixed = f.viewed && f.base != base
		f.viewed, f.base = true, base
	})
	each(func(st *Stmt, f *found) {
		f.mixed = f.mixed || !f.viewed && st.Offset%max(host.Sizeof(f.kind), 1) != 0
	})
	forms := map[string]fileForm{}
	quotes := s.quotes()
	for name, f := range files {
		switch {
		case quotes[name]:
			forms[name] = fileForm{quoted: true}
		case !f.mixed && host.Sizeof(f.kind) > 1:
			forms[name] = f.fileForm
		}
	}
	return forms
}

// HasItems reports whether Text begins with a type: all accesses of the file have it.
func (c Content) HasItems() bool { return c.form.kind != types.KindNone && len(c.Bytes) > 0 }

// items returns the values of the file's items, with the name of their type; bytes that
// are not whole items are in hexadecimal.
func (c Content) items() string {
	size, n := host.Sizeof(c.form.kind), int64(len(c.Bytes))
	lo := min(c.form.base, n)
	hi := lo + (n-lo)/size*size
	var parts []string
	add := func(from, to int64, text func(part Content) string) {
		if from == to {
			return
		}
		part := Content{Bytes: c.Bytes[from:to], form: c.form}
		part.form.base = 0
		if c.Blank != nil {
			part.Blank = c.Blank[from:to]
		}
		parts = append(parts, text(part))
	}
	add(0, lo, Content.String)
	add(lo, hi, func(part Content) string { return c.form.kind.String() + " " + part.Show(0, part.Bytes) })
	add(hi, n, func(part Content) string { return "bytes " + part.String() })
	return strings.Join(parts, " ")
}

// Show returns bytes of the file, from offset off on, as the values of their items, text in
// quotes, or in hexadecimal; equal neighbours become V*N.
func (c Content) Show(off int64, bs []byte) string {
	if size := host.Sizeof(c.form.kind); c.form.kind != types.KindNone && (off-c.form.base)%size == 0 && int64(len(bs))%size == 0 {
		var items []string
		for at := int64(0); at < int64(len(bs)); at += size {
			if at+off < 0 || c.hole(off+at, size) {
				items = append(items, unknown)
				continue
			}
			items = append(items, valueText(bs[at:at+size], c.form.kind))
		}
		return runLengths(items)
	}
	var parts []string
	for i := 0; i < len(bs); {
		j := i + 1
		switch {
		case c.form.quoted && printable(bs[i]):
			for j < len(bs) && printable(bs[j]) {
				j++
			}
			parts = append(parts, quoteRun(string(bs[i:j])))
		default:
			for j < len(bs) && bs[j] == bs[i] {
				j++
			}
			text := fmt.Sprintf("%02x", bs[i])
			if j-i > 3 {
				text += fmt.Sprintf("*%d", j-i)
			} else {
				text = strings.Repeat(text, j-i)
			}
			parts = append(parts, text)
		}
		i = j
	}
	return strings.Join(parts, " ")
}

// hole reports whether no rank wrote some of the n bytes at off.
func (c Content) hole(off, n int64) bool {
	for i := off; i < off+n && i < int64(len(c.Blank)); i++ {
		if c.Blank[i] {
			return true
		}
	}
	return false
}
