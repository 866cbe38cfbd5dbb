package script

import (
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// unknown is the text for a value with a byte that no rank wrote.
const unknown = "?"

// noPoison says that no byte value is free to mark the bytes that no rank wrote.
const noPoison = -1

// poisonOf returns a byte value that the script never writes, in any representation of its
// views. The store fills new bytes with it (the poison), so a byte read from a file has this
// value exactly if no rank wrote it. A script that writes all 256 values leaves none: then
// poisonOf returns noPoison.
func (p plan) poisonOf(s *Script) int {
	var used [256]bool
	use := func(bs []byte) {
		for _, b := range bs {
			used[b] = true
		}
	}
	for _, f := range s.Files {
		for _, t := range f.Bytes {
			use(t.Bytes)
		}
	}
	names := map[string]bool{}
	for _, b := range s.Blocks {
		for _, c := range b.Stmts {
			if c.View.Rep != "" {
				names[c.View.Rep] = true
			}
		}
	}
	for c, x := range p {
		for _, a := range s.archs() {
			packed := x.packed
			if a != host && c.Data != nil {
				packed, _ = c.Data.Encode(a) // a value that does not fit is never written
			}
			use(packed)
			for name := range names {
				if r, err := reps.Lookup(name, a); err == nil && !r.Plain(a) && len(packed) > 0 {
					form, _ := inForm(r, packed, c.Data.Type, a) // nor is one that cannot be converted
					use(form)
				}
			}
		}
	}
	if !used[consistency.Poison] {
		return consistency.Poison
	}
	for b := 255; b >= 0; b-- {
		if !used[b] {
			return b
		}
	}
	return noPoison
}

// inForm converts the whole items of packed data of type t, which have the form of the
// memory of a, into the form that a file with representation r holds.
func inForm(r reps.Rep, packed []byte, t *types.Type, a *reps.Arch) ([]byte, error) {
	sig := t.Signature()
	n, _ := sig.ItemsIn(int64(len(packed)), a)
	out := make([]byte, sig.BytesBefore(n, r.Sizes()))
	return out, r.Encode(out, packed[:sig.BytesBefore(n, a)], a, sig, 0, n)
}

// blankIn marks the bytes of data, read from f as items of t, that no rank wrote; it
// returns nil if there are none. A converted truth value is not marked.
func (k *rank) blankIn(f *iofile.File, data []byte, t *types.Type) []bool {
	if k.run.poison == noPoison {
		return nil
	}
	rep, err := k.converter(f)
	if err != nil {
		return nil
	}
	var blank []bool
	poison := byte(k.run.poison)
	mark := func(from, to int64, all bool) { // all of these bytes, or those that are poison
		for i := from; i < to; i++ {
			if all || data[i] == poison {
				if blank == nil {
					blank = make([]bool, len(data))
				}
				blank[i] = true
			}
		}
	}
	if rep == nil {
		mark(0, int64(len(data)), false)
		return blank
	}
	form, err := inForm(rep, data, t, k.comm.Arch())
	if err != nil {
		return nil
	}
	sig, sizes, arch := t.Signature(), rep.Sizes(), k.comm.Arch()
	for at, item := int64(0), int64(0); len(form) > 0; item++ {
		kind := sig.At(item % sig.Len())
		n, m := sizes.Sizeof(kind), arch.Sizeof(kind)
		switch missing := strings.Count(string(form[:n]), string([]byte{poison})); {
		case kind.Family() == types.FamilyBool: // true has one form in memory, whichever bytes it had in the file
		case missing == 0 && string(form[:n]) != string(throughMemory(rep, kind, poison, arch)):
		case n == m && missing > 0 && missing < int(n): // only moved
			mark(at, at+m, false)
		default:
			mark(at, at+m, true)
		}
		at, form = at+m, form[n:]
	}
	return blank
}

// throughMemory converts an item of poison bytes from the file's form to memory and back.
// The result differs from the input if the item is smaller in memory than in the file.
func throughMemory(r reps.Rep, k types.Kind, poison byte, a *reps.Arch) []byte {
	form := make([]byte, r.Sizes().Sizeof(k))
	for i := range form {
		form[i] = poison
	}
	mem, sig := make([]byte, a.Sizeof(k)), types.OfKind(k).Signature()
	if r.Decode(mem, form, a, sig, 0, 1) != nil || r.Encode(form, mem, a, sig, 0, 1) != nil {
		return nil
	}
	return form
}

// quotes returns the names of the files for which the script gives text; "" represents
// messages.
func (s *Script) quotes() map[string]bool {
	of, files := map[string]string{}, map[string]bool{}
	for _, f := range s.Files {
		for _, t := range f.Bytes {
			files[f.Name] = files[f.Name] || t.Text
		}
	}
	for _, b := range s.Blocks {
		for _, c := range b.Stmts {
			if c.Routine == "open" {
				of[c.Handle] = c.File
			}
			if c.Data == nil {
				continue
			}
			for _, v := range c.Data.Values {
				name := of[c.Handle]
				files[name] = files[name] || v.Quoted
			}
		}
	}
	return files
}
