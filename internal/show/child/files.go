package child

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/world"
)

// A Variant is a run of a program that others are compared with.
type Variant struct {
	Ranks   int // number of ranks
	Records []world.CareRecord
}

// A FileDifference is a file that runs with different numbers of ranks left different.
type FileDifference struct {
	Name string
	With []int  // numbers of ranks
	Text string // which bytes differ
	Fix  string
}

// A likeness is the same content of a file in several runs.
type likeness struct {
	ranks []int
	file  *world.CareFile // nil: there is no file
}

// A fileKey names a file of a run: file systems may differ between worlds.
type fileKey struct {
	world int64
	name  string
}

// CompareFiles compares the files at the end of the worlds of runs. Their records need the
// word files of [world.CareVariable].
func CompareFiles(runs []Variant) (all []FileDifference) {
	var keys []fileKey
	files := make([]map[fileKey]*world.CareFile, len(runs))
	for i, r := range runs {
		files[i] = map[fileKey]*world.CareFile{}
		for _, rec := range r.Records {
			for k := range rec.Files {
				f := &rec.Files[k]
				key := fileKey{rec.World, f.Name}
				if files[i][key] = f; !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		}
	}
	slices.SortStableFunc(keys, func(a, b fileKey) int { return cmp.Compare(a.world, b.world) })
	for _, key := range keys {
		var alike []likeness
		for i, r := range runs {
			f := files[i][key]
			if f != nil && f.Error != "" { // such as a file that was deleted
				f = nil
			}
			at := slices.IndexFunc(alike, func(l likeness) bool { _, _, differ := difference(l.file, f); return !differ })
			if at < 0 {
				at = len(alike)
				alike = append(alike, likeness{file: f})
			}
			alike[at].ranks = append(alike[at].ranks, r.Ranks)
		}
		if len(alike) > 1 {
			all = append(all, fileDifference(key.name, alike))
		}
	}
	return all
}

// fileDifference describes a file that is not alike in all runs.
func fileDifference(name string, alike []likeness) FileDifference {
	const most = 8
	d := FileDifference{Name: name, Fix: "write the same bytes with each number of ranks"}
	if alike[0].file == nil { // the others are compared with a file
		slices.Reverse(alike)
	}
	first := alike[0]
	var text strings.Builder
	fmt.Fprintf(&text, "file %q is not the same with each number of ranks: with %s it has %s", name, numbers(first.ranks), plain.Count(first.file.Size, "byte"))
	for i, l := range alike {
		d.With = append(d.With, l.ranks...)
		switch {
		case i == 0:
		case i == most:
			fmt.Fprintf(&text, "; there are %d more versions", len(alike)-i)
		case i > most:
		case l.file == nil:
			fmt.Fprintf(&text, "; with %s there is no such file", numbers(l.ranks))
		default:
			lo, hi, _ := difference(first.file, l.file)
			from := fmt.Sprintf("differs from byte %d on", lo)
			if hi > lo {
				from = fmt.Sprintf("differs from one of the bytes %d to %d on", lo, hi)
			}
			if l.file.Size != first.file.Size {
				from = fmt.Sprintf("has %s and ", plain.Count(l.file.Size, "byte")) + from
			}
			fmt.Fprintf(&text, "; with %s it %s", numbers(l.ranks), from)
		}
	}
	slices.Sort(d.With)
	if d.Text = text.String(); undivided(alike) {
		d.Text += "; likely cause: the number of items is not divisible by the number of ranks, and n / ranks leaves out the rest"
		d.Fix = "let rank r have items r*n/ranks to (r+1)*n/ranks - 1: these have no rest"
	}
	return d
}

// undivided reports whether each smaller version of a file has a size that is divisible by
// its number of ranks, which the size of the largest is not.
func undivided(alike []likeness) bool {
	whole := int64(0)
	for _, l := range alike {
		if l.file != nil {
			whole = max(whole, l.file.Size)
		}
	}
	smaller := false
	for _, l := range alike {
		switch {
		case l.file == nil:
			return false
		case l.file.Size < whole:
			smaller = true
			for _, n := range l.ranks {
				if l.file.Size%int64(n) != 0 || whole%int64(n) == 0 {
					return false
				}
			}
		}
	}
	return smaller
}

// difference returns the first byte in which two files differ, which is one of bytes lo to
// hi; differ is false if they agree as far as the records go. A missing file is nil.
func difference(a, b *world.CareFile) (lo, hi int64, differ bool) {
	if a == nil || b == nil {
		return 0, 0, a != b
	}
	n := min(a.Size, b.Size)
	m := min(int64(len(a.Bytes)), int64(len(b.Bytes)))
	for i := range m {
		if a.Bytes[i] != b.Bytes[i] {
			return i, i, true
		}
	}
	if m == n { // the records have all bytes of one
		return n, n, a.Size != b.Size
	}
	for i := m / world.CarePiece; i < int64(min(len(a.Sums), len(b.Sums))); i++ {
		from, to := i*world.CarePiece, (i+1)*world.CarePiece
		if a.Sums[i] != b.Sums[i] && from < n {
			return from, min(to-1, n), true
		}
	}
	return n, n, a.Size != b.Size
}

// ComparedInPart returns a text for each file of a run whose record has only its beginning.
func ComparedInPart(r Variant) (all []string) {
	for _, rec := range r.Records {
		for _, f := range rec.Files {
			if known := int64(len(f.Sums)) * world.CarePiece; f.Error == "" && known < f.Size {
				all = append(all, fmt.Sprintf("of file %q only the first %s of %d were compared", f.Name, plain.Count(known, "byte"), f.Size))
			}
		}
	}
	return all
}

// numbers returns numbers of ranks as text, such as "1, 2 ranks".
func numbers(list []int) string {
	if len(list) == 1 {
		return plain.Count(list[0], "rank")
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]") + " ranks"
}
