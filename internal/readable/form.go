package readable

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A Form says how the bytes of a file are shown: as the values of its items.
type Form struct {
	Quoted bool       // as text
	Kind   types.Kind // as items of this kind, which all accesses have; KindNone: as bytes
	Base   int64      // the offset of an item, below the size of the kind
	Arch   *reps.Arch // the machine whose form the items have
}

// HasItems reports whether the bytes are shown as items of one kind.
func (f Form) HasItems() bool { return f.Kind != types.KindNone }

// Show returns bytes of the file, from offset off on, as the values of their items, text in
// quotes, or in hexadecimal; equal neighbours become V*N. Items with a byte that hole marks
// are "?".
func (f Form) Show(off int64, bs []byte, hole func(off, n int64) bool) string {
	if f.HasItems() {
		size := f.Arch.Sizeof(f.Kind)
		if (off-f.Base)%size == 0 && int64(len(bs))%size == 0 {
			return f.items(off, bs, size, hole)
		}
	}
	var parts []string
	for i := 0; i < len(bs); {
		j := i + 1
		switch {
		case f.Quoted && Printable(bs[i]):
			for j < len(bs) && Printable(bs[j]) {
				j++
			}
			parts = append(parts, QuoteRun(string(bs[i:j])))
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

func (f Form) items(off int64, bs []byte, size int64, hole func(off, n int64) bool) string {
	var items []string
	for at := int64(0); at < int64(len(bs)); at += size {
		if hole != nil && (at+off < 0 || hole(off+at, size)) {
			items = append(items, "?")
			continue
		}
		items = append(items, ValueText(bs[at:at+size], f.Kind, f.Arch))
	}
	return RunLengths(items)
}

// ValueText returns one item of a kind in the form of a's memory, or the part of it that b
// has.
func ValueText(b []byte, k types.Kind, a *reps.Arch) string {
	if len(b) == int(a.Sizeof(k)) && len(b) <= 8 {
		var u uint64
		for i := range b {
			if a.Order() == binary.LittleEndian {
				u |= uint64(b[i]) << (8 * i)
			} else {
				u = u<<8 | uint64(b[i])
			}
		}
		switch k.Family() {
		case types.FamilySigned:
			shift := 64 - 8*len(b)
			return strconv.FormatInt(int64(u<<shift)>>shift, 10)
		case types.FamilyUnsigned, types.FamilyBool, types.FamilyOpaque, types.FamilyCharacter:
			return strconv.FormatUint(u, 10)
		case types.FamilyFloat:
			switch len(b) {
			case 4:
				return strconv.FormatFloat(float64(math.Float32frombits(uint32(u))), 'g', -1, 32)
			case 8:
				return strconv.FormatFloat(math.Float64frombits(u), 'g', -1, 64)
			}
		}
	}
	return "0x" + hex.EncodeToString(b)
}

// RunLengths joins items; equal neighbours become V*N.
func RunLengths(items []string) string {
	var parts []string
	for i := 0; i < len(items); {
		n := 1
		for i+n < len(items) && items[i+n] == items[i] {
			n++
		}
		if parts = append(parts, items[i]); n > 1 {
			parts[len(parts)-1] += fmt.Sprintf("*%d", n)
		}
		i += n
	}
	return strings.Join(parts, " ")
}

// Printable reports whether b is a character of ASCII that can be shown.
func Printable(b byte) bool { return b >= ' ' && b <= '~' }

// QuoteRun returns text as scripts write it; a run of one letter becomes "A"*N.
func QuoteRun(s string) string {
	if len(s) > 16 && strings.Count(s, s[:1]) == len(s) {
		return fmt.Sprintf("%s*%d", Quote(s[:1]), len(s))
	}
	return Quote(s)
}

// Quote returns text in quotes, with bytes beyond ASCII as escapes: text is bytes, not
// UTF-8.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case Printable(c):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
