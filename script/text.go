package script

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/readable"
	"github.com/commworld/commworld/types"
)

// Text returns the data as the values of their items, as scripts write them; equal
// neighbours become V*N. Data without such a form is in hexadecimal, after 0x. Letters
// are in quotes if the script gives text for the file or the messages; ? represents an
// item with bytes that no rank wrote. Empty data is "nothing". A number is itself.
func (r Result) Text() string {
	if !r.IsData {
		return strconv.FormatInt(r.Number, 10)
	}
	if len(r.Data) == 0 {
		return "nothing"
	}
	sig := r.Stmt.datatype().Signature()
	var parts []string
	var count []int
	add := func(text string) {
		if k := len(parts) - 1; k >= 0 && parts[k] == text {
			count[k]++
			return
		}
		parts, count = append(parts, text), append(count, 1)
	}
	var letters []byte
	flush := func() {
		if len(letters) > 0 {
			parts, count = append(parts, readable.QuoteRun(string(letters))), append(count, 1)
			letters = letters[:0]
		}
	}
	for at, rest := int64(0), r.Data; len(rest) > 0; at++ {
		k := sig.At(at % sig.Len())
		n := min(int(host.Sizeof(k)), len(rest))
		from := len(r.Data) - len(rest)
		switch {
		case !r.zero && r.Blank != nil && slices.Contains(r.Blank[from:from+n], true):
			flush()
			add(unknown)
		case r.quoted && n == 1 && readable.Printable(rest[0]) && k.Family() != types.FamilyBool:
			letters = append(letters, rest[0])
		default:
			flush()
			add(readable.ValueText(rest[:n], k, host))
		}
		rest = rest[n:]
	}
	flush()
	for i, n := range count {
		if n > 1 {
			parts[i] = fmt.Sprintf("%s*%d", parts[i], n)
		}
	}
	return strings.Join(parts, " ")
}

// A Var is a result with its name, "RANK.NAME".
type Var struct {
	Name string
	Result
}

// List returns all results, by rank and name.
func (e *Ending) List() []Var {
	var all []Var
	for r, results := range e.Results {
		for _, name := range slices.Sorted(maps.Keys(results)) {
			all = append(all, Var{fmt.Sprintf("%d.%s", r, name), results[name]})
		}
	}
	return all
}

// Result returns the result of an event's statement, if it has one.
func (e *Event) Result() (Result, bool) { return e.result, e.result.Stmt != nil }

// Text returns the statement with its result.
func (e *Event) Text() string {
	text := e.Stmt.String()
	if res, ok := e.Result(); ok {
		text += " = " + res.Text()
	}
	if e.Look != nil {
		text += " = " + e.Look.Text()
	}
	return text
}
