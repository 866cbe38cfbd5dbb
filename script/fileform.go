package script

import (
	"slices"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/readable"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A fileForm says how the bytes of a file are shown.
type fileForm struct {
	readable.Form
	writes map[int]readable.Form // in a file of several kinds: what the writes of a line leave there
}

// fileForms returns the forms of the files that the script opens. A file has items of one
// kind if all views of its handles, and all data of its accesses, have that kind only, in the
// representation of memory and at whole items from each other.
func (s *Script) fileForms() map[string]fileForm {
	type found struct {
		readable.Form
		seen, viewed, mixed bool
		writes              map[int]readable.Form
	}
	files, handles := map[string]*found{}, map[string]map[*found]bool{}
	eachOf := func(do func(ranks []int, st *Stmt, f *found)) {
		for _, b := range s.Blocks {
			for _, st := range b.Stmts {
				for f := range handles[st.Handle] {
					do(b.Ranks, st, f)
				}
			}
		}
	}
	each := func(do func(st *Stmt, f *found)) { eachOf(func(_ []int, st *Stmt, f *found) { do(st, f) }) }
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
	type handleOf struct {
		name string
		rank int
	}
	eachViewed := func(do func(st *Stmt, f *found, view readable.Form, viewed bool)) { // for each rank; not viewed: the default view
		views := map[handleOf]readable.Form{}
		eachOf(func(ranks []int, st *Stmt, f *found) {
			for _, r := range ranks {
				h := handleOf{st.Handle, r}
				switch view, viewed := views[h]; {
				case st.Routine == "open":
					delete(views, h)
				case st.View.Etype != nil:
					views[h] = viewForm(&st.View)
				default:
					do(st, f, view, viewed)
				}
			}
		})
	}
	eachViewed(func(st *Stmt, f *found, _ readable.Form, viewed bool) {
		if !viewed && (st.Data != nil || st.Want != nil) && strings.Contains(st.Routine, "_at") {
			f.mixed = f.mixed || (st.Offset-f.Base)%max(host.Sizeof(f.Kind), 1) != 0
		}
	})
	eachViewed(func(st *Stmt, f *found, view readable.Form, viewed bool) {
		if !f.mixed || len(handles[st.Handle]) != 1 || len(s.Machines) > 0 || st.Data == nil || st.Data.Type == nil {
			return
		}
		w := st.writeForm(view, viewed)
		if old, there := f.writes[st.Line]; there && w != old {
			w = readable.Form{} // it may be any of several
		}
		put(&f.writes, st.Line, w)
	})
	forms := map[string]fileForm{}
	quotes := s.quotes()
	for name, f := range files {
		switch {
		case quotes[name]:
			forms[name] = fileForm{readable.Form{Quoted: true}, f.writes}
		case !f.mixed && host.Sizeof(f.Kind) > 1 && !slices.ContainsFunc(s.archs(), func(a *reps.Arch) bool { return !likeHost(a) }):
			f.Arch = host
			forms[name] = fileForm{Form: f.Form}
		default:
			forms[name] = fileForm{writes: f.writes}
		}
	}
	return forms
}

// viewForm returns the form of what is written through a view whose etypes are one item, at whole items
// from each other; else one without a machine.
func viewForm(v *iofile.View) readable.Form {
	f := readable.Form{Kind: v.Etype.Signature().Only(), Arch: host}
	switch v.Rep {
	case "", "native":
	case "external32":
		f.Arch = reps.ILP32BE // its items have these sizes and this order
	default:
		return readable.Form{Kind: f.Kind}
	}
	if size := f.Arch.Sizeof(f.Kind); size > 1 {
		if _, extent := v.Filetype.Extent(f.Arch); extent%size != 0 {
			return readable.Form{Kind: f.Kind}
		}
		f.Base = v.Disp % size
	}
	return f
}

// writeForm returns the form of what a write leaves in a file: that of the view of its handle, if
// its etypes are of the kind that is written; or, through the default view, that of memory, if the
// write gives its offset. Else it is one without a kind.
func (st *Stmt) writeForm(view readable.Form, viewed bool) readable.Form {
	kind := st.Data.Type.Signature().Only()
	size := host.Sizeof(kind)
	switch {
	case size <= 1:
	case viewed && view.Kind == kind && view.Arch != nil:
		return view
	case !viewed && strings.Contains(st.Routine, "write_at"):
		return readable.Form{Kind: kind, Base: st.Offset % size, Arch: host}
	}
	return readable.Form{}
}

// HasItems reports whether Text begins with a type.
func (c Content) HasItems() bool {
	if len(c.Bytes) == 0 || c.form.HasItems() {
		return len(c.Bytes) > 0
	}
	_, _, ok := c.writeForm(0)
	return ok
}

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
	add(lo, hi, func(part Content) string { return c.form.Kind.String() + " " + part.Show(0, part.Bytes, 0) })
	add(hi, n, func(part Content) string { return "bytes " + part.String() })
	return strings.Join(parts, " ")
}

// mixed returns the bytes of a file of several kinds: what each line has written as values of its
// kind, with its name, where whole items of it are left; else as source does. Beside native values,
// those of external32 are called so.
func (c Content) mixed() string {
	var parts []string
	native := false
	for _, f := range c.writes {
		native = native || f.Arch == host
	}
	done := int64(0)
	plain := func(hi int64) {
		if part := (Content{Bytes: c.Bytes[done:hi], form: c.form}); done < hi {
			if c.Blank != nil {
				part.Blank = c.Blank[done:hi]
			}
			parts = append(parts, part.source())
		}
		done = hi
	}
	for i := 0; i < len(c.Origins); i++ {
		lo, hi := c.Origins[i].Lo, c.Origins[i].Hi
		f, size, ok := c.writeForm(i)
		if !ok {
			continue
		}
		for i+1 < len(c.Origins) && c.Origins[i+1].Lo == hi {
			g, _, ok := c.writeForm(i + 1)
			if !ok || g.Kind != f.Kind || g.Arch != f.Arch {
				break
			}
			i++
			hi = c.Origins[i].Hi
		}
		plain(lo)
		name := f.Kind.String()
		if native && f.Arch != host {
			name = "external32 " + name
		}
		parts = append(parts, name+" "+readable.Form{Kind: f.Kind, Base: lo % size, Arch: f.Arch}.Show(lo, c.Bytes[lo:hi], nil))
		done = hi
	}
	plain(int64(len(c.Bytes)))
	return strings.Join(parts, ", ")
}

// writeForm returns the form of a stretch of bytes with one origin, and the size of its items; ok
// is false if it is not whole items of a kind.
func (c Content) writeForm(i int) (f readable.Form, size int64, ok bool) {
	if i >= len(c.Origins) {
		return f, 0, false
	}
	o := c.Origins[i]
	f = c.writes[o.Place.Line]
	if !f.HasItems() {
		return f, 0, false
	}
	size = f.Arch.Sizeof(f.Kind)
	if o.From != consistency.FromWrite || o.Hi > int64(len(c.Bytes)) {
		return f, size, false
	}
	return f, size, (o.Lo-f.Base)%size == 0 && (o.Hi-o.Lo)%size == 0
}

// Show returns bytes of the file, from offset off on, as the values of their items, text in
// quotes, or in hexadecimal; equal neighbours become V*N. line is that of the write that left
// them, 0 if none did.
func (c Content) Show(off int64, bs []byte, line int) string {
	if f := c.writes[line]; f.HasItems() {
		if size := f.Arch.Sizeof(f.Kind); (off-f.Base)%size == 0 && int64(len(bs))%size == 0 {
			return f.Show(off, bs, nil)
		}
	}
	return c.form.Show(off, bs, c.hole)
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
