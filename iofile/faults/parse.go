package faults

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/commworld/commworld/errclass"
)

// Parse reads rules, one on a line, or several with semicolons between; a comment begins
// with #. Errors: ErrArg, with the place in the text.
func Parse(text string) ([]Rule, error) {
	var rules []Rule
	for n, line := range strings.Split(text, "\n") {
		for line = strings.TrimSpace(line); line != ""; {
			r, rest, err := parseRule(line)
			if err != nil {
				return nil, argument(fmt.Sprintf("line %d, at %.40q: %v", n+1, line, err))
			}
			if r != nil {
				rules = append(rules, *r)
			}
			line = rest
		}
	}
	return rules, nil
}

// Must is [Parse] for rules in a program's source. It panics if they are wrong.
func Must(text string) []Rule {
	rules, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return rules
}

// parseRule reads one rule and returns the rest of the line; the rule is nil if there is
// only a comment.
func parseRule(line string) (*Rule, string, error) {
	var r Rule
	seen := map[string]bool{}
	for {
		word, rest, err := token(line)
		if err != nil {
			return nil, "", err
		}
		if word == "" || word == ";" || word == "#" {
			if word == "#" {
				rest = ""
			}
			if r.Op == "" && len(seen) == 0 {
				return nil, rest, nil
			}
			if r.Torn > 0 && r.Error == 0 {
				r.Error = errclass.IO
			}
			if err := r.Check(); err != nil {
				return nil, "", err.(*errclass.Error).Err
			}
			return &r, rest, nil
		}
		line = rest
		if r.Op == "" {
			r.Op = Op(word)
			continue
		}
		key, value, given := strings.Cut(word, "=")
		if seen[key] {
			return nil, "", fmt.Errorf("%s is there twice", key)
		}
		seen[key] = true
		if err := r.set(key, value, given); err != nil {
			return nil, "", fmt.Errorf("%.40q: %w", word, err)
		}
	}
}

// token returns the next word of a line, and the rest. A word ends at space, ; or #, unless
// they are inside quotes.
func token(line string) (word, rest string, err error) {
	line = strings.TrimLeftFunc(line, unicode.IsSpace)
	if line == "" {
		return "", "", nil
	}
	if line[0] == ';' || line[0] == '#' {
		return line[:1], line[1:], nil
	}
	for i, c := range line {
		switch {
		case unicode.IsSpace(c) || c == ';' || c == '#':
			return line[:i], line[i:], nil
		case c == '"':
			q, err := strconv.QuotedPrefix(line[i:])
			if err != nil {
				return "", "", fmt.Errorf("the quotes at %.40q do not end", line[i:])
			}
			end := i + len(q)
			if end < len(line) && !strings.ContainsAny(line[end:end+1], " \t\r;#") {
				return "", "", fmt.Errorf("after the quotes at %.40q a space is missing", line[i:])
			}
			return line[:end], line[end:], nil
		}
	}
	return line, "", nil
}

// set sets the field of a rule for one word after the first.
func (r *Rule) set(key, value string, given bool) error {
	switch {
	case key == "kill" && given:
		return fmt.Errorf("kill comes without a value")
	case key == "kill":
		r.Kill = true
		return nil
	case !given || value == "":
		return fmt.Errorf("a value is missing, or this word is not part of rules")
	}
	var err error
	switch key {
	case "error":
		c, ok := classOf[value]
		if !ok {
			return fmt.Errorf("no such error class; there are io, nospace, quota, access and so on")
		}
		r.Error = c
	case "torn":
		r.Torn, err = positive(value)
	case "short":
		r.Short, err = positive(value)
	case "delay":
		var n int64
		n, err = positive(value)
		r.Delay = int(min(n, math.MaxInt32))
	case "rank":
		err = r.setRanks(value)
	case "file":
		err = r.setFile(value)
	case "call":
		r.First, r.Last, err = parseSpan(value, 1)
	case "bytes":
		if r.From, r.To, err = parseSpan(value, 0); err == nil && r.To < math.MaxInt64 {
			r.To++
		}
	case "after":
		r.After, err = positive(value)
	case "odds":
		r.Odds, err = positive(value)
	case "seed":
		if r.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			err = fmt.Errorf("the seed is a number from 0 to %d", uint64(math.MaxUint64))
		}
	default:
		return fmt.Errorf("no such word; there are error, torn, short, delay, kill, rank, file, call, bytes, after, odds, seed")
	}
	return err
}

func (r *Rule) setFile(value string) (err error) {
	if r.File = value; value[0] == '"' {
		r.File, err = strconv.Unquote(value)
	} else if strings.Contains(value, `"`) {
		err = fmt.Errorf("quotes stand around the whole name")
	}
	if err == nil && r.File == "" {
		err = fmt.Errorf("the name is empty")
	}
	return err
}

func (r *Rule) setRanks(value string) error {
	for part := range strings.SplitSeq(value, ",") {
		rank, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return fmt.Errorf("%.40q is not a rank; use numbers from 0, separated by commas", part)
		}
		if !slices.Contains(r.Ranks, int(rank)) {
			r.Ranks = append(r.Ranks, int(rank))
		}
	}
	return nil
}

func positive(s string) (int64, error) {
	n, err := parseNumber(s)
	if err == nil && n < 1 {
		err = fmt.Errorf("the number is at least 1")
	}
	return n, err
}

// parseNumber reads a number, or returns an error in the words of a rule.
func parseNumber(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%.40s is too large; numbers go to %d", s, int64(math.MaxInt64))
	case err != nil:
		return 0, fmt.Errorf("%.40q is not a whole number", s)
	}
	return n, nil
}

// parseSpan reads N, N-M or N-.
func parseSpan(value string, least int64) (first, last int64, err error) {
	a, b, isRange := strings.Cut(value, "-")
	if first, err = parseNumber(a); err != nil {
		return 0, 0, err
	}
	switch {
	case !isRange:
		last = first
	case b == "":
		last = math.MaxInt64
	default:
		last, err = parseNumber(b)
	}
	if err == nil && (first < least || last < first) {
		err = fmt.Errorf("a range goes up, from %d or more", least)
	}
	return first, last, err
}
