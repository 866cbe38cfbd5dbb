package proptest

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/commworld/commworld/proptest/gen"
)

// A Disagreement is a place where a layer did not do what the definition of MPI-IO says.
type Disagreement struct {
	Program *gen.Program
	Op      int // index in Program.Ops; len(Ops): the file after the program
	Rank    int // -1: none, the file itself
	What    string
	Rule    string // id of the rule that is broken, see docs/CONFORMANCE.md

	// Bytes [Lo, Hi) of the file, for wrong bytes.
	Lo, Hi    int64
	Want, Got []byte

	View   string // of the rank
	Origin string // the write that should have written those bytes
}

// Error describes the difference. For wrong bytes it has a hexdump of the first range
// that differs, with the view and the write that they should come from.
func (d *Disagreement) Error() string {
	var b strings.Builder
	if d.Rank < 0 {
		b.WriteString("in the end: ")
	} else {
		fmt.Fprintf(&b, "rank %d, operation %d, %s: ", d.Rank, d.Op, d.Program.Ops[d.Op].Call())
	}
	b.WriteString(d.What)
	if d.Want != nil {
		fmt.Fprintf(&b, "\n  want\n%s  got\n%s", dump(d.Lo, d.Want), dump(d.Lo, d.Got))
	}
	if d.View != "" {
		fmt.Fprintf(&b, "\n  view of rank %d: %s", d.Rank, d.View)
	}
	if d.Origin != "" {
		fmt.Fprintf(&b, "\n  %s", d.Origin)
	}
	return b.String()
}

// mostDumped bounds a dump; a longer range ends with the number of bytes left out.
const mostDumped = 64

// dump returns a hexdump in the format of hexdump -C, with the offsets of the file.
func dump(lo int64, p []byte) string {
	var b strings.Builder
	shown := p[:min(len(p), mostDumped)]
	for len(shown) > 0 {
		row := shown[:min(len(shown), 16-int(lo%16))]
		line := strings.TrimRight(hex.Dump(row), "\n")
		fmt.Fprintf(&b, "    %08x%s\n", lo, line[8:])
		lo += int64(len(row))
		shown = shown[len(row):]
	}
	if rest := len(p) - mostDumped; rest > 0 {
		fmt.Fprintf(&b, "    and %d bytes more\n", rest)
	}
	return b.String()
}

func (ref *reference) differs(m *move, rule, what string) error {
	return &Disagreement{
		Program: ref.p, Op: m.op, Rank: m.rank, What: what, Rule: rule,
		View: m.v.String(),
	}
}

// atEnd reports a fault of the file after the program.
func (ref *reference) atEnd(format string, args ...any) error {
	return &Disagreement{Program: ref.p, Op: len(ref.p.Ops), Rank: -1, Rule: "IO-SIZE-08", What: fmt.Sprintf(format, args...)}
}

// lost is atEnd for bytes that were synced.
func (ref *reference) lost(format string, args ...any) error {
	return &Disagreement{Program: ref.p, Op: len(ref.p.Ops), Rank: -1, Rule: "CONS-SYNC-01", What: fmt.Sprintf(format, args...)}
}

// wrong reports the range of adjacent wrong bytes that begins with byte i of a move.
func (ref *reference) wrong(m *move, got []byte, i int64) error {
	d := &Disagreement{Program: ref.p, Op: m.op, Rank: m.rank, Lo: m.byteAt(i), Hi: m.byteAt(i)}
	first, _ := ref.bytes.at(d.Lo, m.user)
	for ; i < int64(len(got)) && m.byteAt(i) == d.Hi; i++ {
		c, known := ref.bytes.at(d.Hi, m.user)
		if _, amid := m.amid.at(d.Hi); !known || c.b == got[i] || amid {
			break
		}
		d.Want, d.Got = append(d.Want, c.b), append(d.Got, got[i])
		d.Hi++
	}
	d.What = fmt.Sprintf("bytes [%d, %d) of the file are wrong", d.Lo, d.Hi)
	d.Origin = fmt.Sprintf("byte %d was %s", d.Lo, ref.origin(&first))
	d.Rule = ref.ruleOfByte(m, &first)
	if m.rank >= 0 {
		d.View = m.v.String()
	}
	if by := ref.writerOf(d.Got, d.Want); by != "" {
		d.Origin += "; " + by
	}
	return d
}

func (ref *reference) origin(c *cell) string {
	return fmt.Sprintf("written by rank %d in operation %d, %s", c.rank, c.op, ref.p.Ops[c.op].Call())
}

// writerOf describes the bytes found: zeros, reversed bytes, or the bytes of another
// write.
func (ref *reference) writerOf(got, want []byte) string {
	switch {
	case strings.Trim(string(got), "\x00") == "":
		return "found: 0, as if no rank had written"
	case len(got) > 1 && reversed(got) == string(want):
		return "found: the same bytes in reverse"
	}
	for k := range ref.p.Ops {
		for r := range ref.p.Ranks {
			if o := &ref.p.Ops[k]; o.Do == gen.Write && o.By(r) && marked(got, r, k) {
				return fmt.Sprintf("found: bytes that rank %d wrote in operation %d, %s", r, k, o.Call())
			}
		}
	}
	return ""
}

func reversed(p []byte) string {
	b := make([]byte, len(p))
	for i := range p {
		b[len(p)-1-i] = p[i]
	}
	return string(b)
}

// marked reports whether p is a piece of the marks that a rank wrote in an operation.
func marked(p []byte, rank, op int) bool {
	for from := range int64(64) {
		i := 0
		for i < len(p) && p[i] == gen.Mark(rank, op, from+int64(i)) {
			i++
		}
		if i == len(p) {
			return len(p) > 1
		}
	}
	return false
}

// compare compares the bytes that a rank's view shows with those it should show, in the
// order of the file, and reports the first range of adjacent bytes that differ.
func (m *move) compare(p *gen.Program, want, got []byte, origin func(at int64) string) error {
	d := &Disagreement{
		Program: p, Op: m.op, Rank: m.rank, Rule: "IO-VIEW-02",
		View: m.v.String(),
	}
	for i := range want {
		if i >= len(got) {
			d.What = fmt.Sprintf("there are %d bytes, want %d: byte %d of the file is the first that is not there", len(got), len(want), m.byteAt(int64(i)))
			return d
		}
		if at := m.byteAt(int64(i)); got[i] != want[i] && (d.Want == nil || at == d.Hi) {
			if d.Want == nil {
				d.Lo, d.Origin = at, origin(at)
			}
			d.Want, d.Got, d.Hi = append(d.Want, want[i]), append(d.Got, got[i]), at+1
		} else if d.Want != nil {
			break
		}
	}
	if d.Want == nil {
		return nil
	}
	d.What = fmt.Sprintf("bytes [%d, %d) of the file are wrong", d.Lo, d.Hi)
	return d
}

// writtenBy returns a function that names the write that a byte should come from.
func writtenBy(p *gen.Program, op, rank int) func(int64) string {
	return func(at int64) string {
		return fmt.Sprintf("byte %d was written by rank %d in operation %d, %s", at, rank, op, p.Ops[op].Call())
	}
}
