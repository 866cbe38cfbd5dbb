package script

import (
	"strings"

	"github.com/commworld/commworld/internal/readable"
	"github.com/commworld/commworld/types"
)

// fileForms returns the forms of the files that the script opens. A file has items of one
// kind if all views of its handles, and all data of its accesses, have that kind only, in the
// representation of memory and at whole items from each other.
func (s *Script) fileForms() map[string]readable.Form {
	type found struct {
		readable.Form
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
		f.mixed = f.mixed || f.seen && f.Kind != kind
		f.seen, f.Kind = true, kind
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
		size := max(host.Sizeof(f.Kind), 1)
		if st.View.Etype == nil || f.mixed {
			return
		}
		base := max(st.View.Disp, 0) % size
		f.mixed = f.viewed && f.Base != base
		f.viewed, f.Base = true, base
	})
	each(func(st *Stmt, f *found) {
		f.mixed = f.mixed || !f.viewed && st.Offset%max(host.Sizeof(f.Kind), 1) != 0
	})
	forms := map[string]readable.Form{}
	quotes := s.quotes()
	for name, f := range files {
		switch {
		case quotes[name]:
			forms[name] = readable.Form{Quoted: true}
		case !f.mixed && host.Sizeof(f.Kind) > 1:
			f.Arch = host
			forms[name] = f.Form
		}
	}
	return forms
}

// HasItems reports whether Text begins with a type: all accesses of the file have it.
func (c Content) HasItems() bool { return c.form.HasItems() && len(c.Bytes) > 0 }

// items returns the values of the file's items, with the name of their type; bytes that
// are not whole items are in hexadecimal.
func (c Content) items() string {
	size, n := host.Sizeof(c.form.Kind), int64(len(c.Bytes))
	lo := min(c.form.Base, n)
	hi := lo + (n-lo)/size*size
	var parts []string
	add := func(from, to int64, text func(part Content) string) {
		if from == to {
			return
		}
		part := Content{Bytes: c.Bytes[from:to], form: c.form}
		part.form.Base = 0
		if c.Blank != nil {
			part.Blank = c.Blank[from:to]
		}
		parts = append(parts, text(part))
	}
	add(0, lo, Content.String)
	add(lo, hi, func(part Content) string { return c.form.Kind.String() + " " + part.Show(0, part.Bytes) })
	add(hi, n, func(part Content) string { return "bytes " + part.String() })
	return strings.Join(parts, " ")
}

// Show returns bytes of the file, from offset off on, as the values of their items, text in
// quotes, or in hexadecimal; equal neighbours become V*N.
func (c Content) Show(off int64, bs []byte) string { return c.form.Show(off, bs, c.hole) }

// hole reports whether no rank wrote some of the n bytes at off.
func (c Content) hole(off, n int64) bool {
	for i := off; i < off+n && i < int64(len(c.Blank)); i++ {
		if c.Blank[i] {
			return true
		}
	}
	return false
}
