package faults

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/fault"
)

// An Op is the target of a rule: a word of this package, or the name of a data access such
// as WriteAtAll.
type Op string

// The targets other than a data access by name.
const (
	Open    Op = "open"
	Read    Op = "read"
	Write   Op = "write"
	View    Op = "view"
	Seek    Op = "seek"
	Info    Op = "info"
	Size    Op = "size"
	Sync    Op = "sync"
	Close   Op = "close"
	Delete  Op = "delete"
	Convert Op = "convert"
	Call    Op = "call" // any data access
)

var words = []Op{Open, Read, Write, View, Seek, Info, Size, Sync, Close, Delete, Convert, Call}

// operations returns the list of words, for an error.
func operations() string {
	var all []string
	for _, w := range words {
		all = append(all, string(w))
	}
	return strings.Join(all, ", ")
}

// A Rule describes a fault and its conditions. The zero value of a condition always holds.
// [Parse] makes rules from text, and [Rule.String] returns that text.
type Rule struct {
	Op Op

	Error errclass.Class // the error
	Torn  int64          // bytes that move before the error
	Short int64          // at most so many bytes move
	Delay int            // turns that pass first
	Kill  bool           // the rank is killed

	Ranks []int
	File  string
	First int64 // call, from 1
	Last  int64 // call
	From  int64 // byte
	To    int64 // byte after the last
	After int64 // bytes
	Odds  int64
	Seed  uint64
}

// moves reports whether the rule is about bytes that move to or from the store.
func (r *Rule) moves() bool { return r.Op == Read || r.Op == Write }

// access reports whether the rule is about data accesses as the program makes them.
func (r *Rule) access() bool { return r.Op == Call || r.Op != "" && unicode.IsUpper(rune(r.Op[0])) }

// Check returns an error of class ErrArg for an invalid rule.
func (r *Rule) Check() error {
	happens := 0
	for _, one := range []bool{r.Error != 0 || r.Torn > 0, r.Short > 0, r.Delay > 0, r.Kill} {
		if one {
			happens++
		}
	}
	_, pattern := path.Match(r.File, "")
	for _, c := range []struct {
		wrong bool
		text  string
	}{
		{!slices.Contains(words, r.Op) && !isName(string(r.Op)), fmt.Sprintf("%.40q is not one of %s, nor the name of a data access such as WriteAtAll", r.Op, operations())},
		{happens == 0, "nothing happens; give error, torn, short, delay or kill"},
		{happens > 1, "of error (with or without torn), short, delay and kill a rule has one"},
		{r.Error != 0 && className(r.Error) == "", fmt.Sprintf("there is no error class %d", int(r.Error))},
		{min(r.Torn, r.Short, int64(r.Delay), r.First, r.Last, r.From, r.To, r.After, r.Odds) < 0, "a number is negative"},
		{slices.ContainsFunc(r.Ranks, func(rank int) bool { return rank < 0 }), "a rank is negative"},
		{!r.moves() && (r.Torn > 0 || r.Short > 0 || r.To > 0 || r.After > 0), "torn, short, bytes and after are for read and write"},
		{!r.access() && r.Delay > 0, "delay is for data accesses: call, or a name such as IWriteAt"},
		{pattern != nil, fmt.Sprintf("file %.40q is not a pattern", r.File)},
		{(r.First == 0) != (r.Last == 0) || r.Last < r.First, "calls count from 1, and the last is not before the first"},
		{r.To <= r.From && r.To+r.From > 0 && r.To < math.MaxInt64, "the last byte is before the first"},
		{r.Seed != 0 && r.Odds == 0, "seed is for odds"},
	} {
		if c.wrong {
			return argument(c.text)
		}
	}
	return nil
}

// isName reports whether s may be the name of a data access.
func isName(s string) bool {
	return s != "" && unicode.IsUpper(rune(s[0])) && strings.IndexFunc(s, func(c rune) bool {
		return c > unicode.MaxASCII || !unicode.IsLetter(c)
	}) < 0
}

func argument(text string) error {
	return fault.OfCall("faults", "Parse", "", errclass.Arg, "", "%w", errors.New(text))
}

// String returns the rule as [Parse] reads it.
func (r Rule) String() string {
	var b strings.Builder
	b.WriteString(string(r.Op))
	put := func(given bool, key string, value any) {
		if given {
			fmt.Fprintf(&b, " %s=%v", key, value)
		}
	}
	put(r.Error != 0, "error", className(r.Error))
	put(r.Torn > 0, "torn", r.Torn)
	put(r.Short > 0, "short", r.Short)
	put(r.Delay > 0, "delay", r.Delay)
	if r.Kill {
		b.WriteString(" kill")
	}
	ranks := make([]string, len(r.Ranks))
	for i, rank := range r.Ranks {
		ranks[i] = strconv.Itoa(rank)
	}
	put(len(ranks) > 0, "rank", strings.Join(ranks, ","))
	put(r.File != "", "file", quoted(r.File))
	put(r.First > 0, "call", span(r.First, r.Last))
	put(r.To > 0, "bytes", span(r.From, last(r.To)))
	put(r.After > 0, "after", r.After)
	put(r.Odds > 0, "odds", r.Odds)
	put(r.Seed > 0, "seed", r.Seed)
	return b.String()
}

// last returns the last byte before to; the greatest number means no end.
func last(to int64) int64 {
	if to == math.MaxInt64 {
		return to
	}
	return to - 1
}

// span returns a range of numbers as text.
func span(first, last int64) string {
	switch last {
	case first:
		return strconv.FormatInt(first, 10)
	case math.MaxInt64:
		return fmt.Sprintf("%d-", first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// quoted returns a name as it is written in a rule.
func quoted(name string) string {
	if q := strconv.Quote(name); strings.ContainsAny(name, " \t;#\"") || q != `"`+name+`"` {
		return q
	}
	return name
}

// className returns an error class as rules spell it, "" if there is none.
func className(c errclass.Class) string { return classes[c] }

var classes, classOf = spellings()

func spellings() (map[errclass.Class]string, map[string]errclass.Class) {
	names, back := map[errclass.Class]string{}, map[string]errclass.Class{}
	for c := errclass.Class(1); c < 128; c++ {
		name, ok := strings.CutPrefix(c.Name(), "MPI_ERR_")
		if _, err := strconv.Atoi(name); ok && err != nil { // others have no name
			name = strings.ToLower(strings.ReplaceAll(name, "_", ""))
			names[c], back[name] = name, c
		}
	}
	return names, back
}
