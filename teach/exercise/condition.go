package exercise

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/script"
)

// A condition bounds how often a rank makes some calls, or how many requests a file gets, or asks that each byte of
// a file is written by the rank that writes it in the solution.
type condition struct {
	rank     int    // anyRank: each rank
	file     string // of requests, or of writers
	writers  bool
	waits    bool // standard sends wait for their receive
	most     bool
	n        int64
	routines []string
	sentence string
}

const anyRank = -1

// messages are the calls that move data from rank to rank.
var messages = []string{
	"send", "ssend", "isend", "recv", "irecv", "bcast", "scatter", "gather", "allgather", "reduce", "allreduce",
}

// parseConditions reads conditions, one a line, which may go on in lines that begin with two
// spaces: "all: most 1 write: SENTENCE", "1: least 1 read: SENTENCE",
// "file f: most 2 requests: SENTENCE", "file f: same writers: SENTENCE",
// "all: sends wait: SENTENCE".
func parseConditions(text string) (all []condition, err error) {
	for line := range strings.Lines(strings.ReplaceAll(text, "\n  ", " ")) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		c := condition{rank: anyRank}
		parts := strings.SplitN(line, ": ", 3)
		if len(parts) != 3 {
			return nil, fmt.Errorf("%q: not WHO: BOUND: SENTENCE", line)
		}
		c.sentence = parts[2]
		bound := strings.Fields(parts[1])
		if parts[1] == "sends wait" {
			c.waits = true
			all = append(all, c)
			continue
		}
		if file, ok := strings.CutPrefix(parts[0], "file "); ok && parts[1] == "same writers" {
			c.file, c.writers = file, true
			all = append(all, c)
			continue
		}
		if len(bound) != 3 || bound[0] != "least" && bound[0] != "most" {
			return nil, fmt.Errorf("%q: not least or most N CALLS", parts[1])
		}
		c.most, c.routines = bound[0] == "most", strings.Split(bound[2], ",")
		if c.n, err = strconv.ParseInt(bound[1], 10, 64); err != nil {
			return nil, err
		}
		if file, ok := strings.CutPrefix(parts[0], "file "); ok {
			if c.file = file; bound[2] != "requests" {
				return nil, errors.New("a condition of a file is about requests")
			}
		} else if parts[0] != "all" {
			if c.rank, err = strconv.Atoi(parts[0]); err != nil {
				return nil, err
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// names reports whether a statement counts for one of the condition's words: "write" and
// "read" are all calls that begin such an access of at least one item, "message" is each that moves data from rank
// to rank, a word in quotes is a part of the statement, and other words are routines.
func (c *condition) names(s *script.Stmt) bool {
	routine := s.Routine
	return slices.ContainsFunc(c.routines, func(word string) bool {
		if part, ok := strings.CutPrefix(word, `"`); ok {
			return strings.Contains(s.String(), strings.TrimSuffix(part, `"`))
		}
		switch word {
		case "write", "read":
			empty := s.Data != nil && s.Data.Count() == 0 || s.Want != nil && s.Want.Count == 0
			return strings.HasPrefix(strings.TrimPrefix(routine, "i"), word) && !strings.HasSuffix(routine, "_end") && !empty
		case "message":
			return slices.Contains(messages, routine)
		}
		return word == routine
	})
}

// broken reports whether a number of calls or requests is not within the bound.
func (c *condition) broken(n int64) bool { return c.most && n > c.n || !c.most && n < c.n }

// broke returns a sentence if a script does not keep the condition; for one about a file, rep is a run, and given
// one of the solution.
func (c *condition) broke(s *script.Script, rep, given *script.Report) string {
	if c.waits {
		return "" // a send that waits for ever is a deadlock, which marking reports
	}
	if c.writers {
		if !slices.Equal(writersOf(rep, c.file), writersOf(given, c.file)) {
			return c.sentence
		}
		return ""
	}
	if c.file != "" {
		var n int64
		for i := range rep.World.Files {
			if f := &rep.World.Files[i]; f.Name == c.file {
				n += f.Requests.Reads + f.Requests.Writes
			}
		}
		if c.broken(n) {
			return fmt.Sprintf("%s (%s)", c.sentence, plain.Count(n, "request"))
		}
		return ""
	}
	calls := make([]int64, s.Ranks)
	for _, b := range s.Blocks {
		for _, st := range b.Stmts {
			if !c.names(st) {
				continue
			}
			for _, r := range b.Ranks {
				calls[r]++
			}
		}
	}
	if c.rank != anyRank {
		calls = calls[c.rank : c.rank+1]
	}
	if slices.ContainsFunc(calls, c.broken) {
		return c.sentence
	}
	return ""
}

// writersOf returns the rank that wrote each byte of a file at the end of a run.
func writersOf(rep *script.Report, file string) []int {
	if len(rep.Outcomes) == 0 {
		return nil
	}
	content := rep.Outcomes[0].Ending.Files[file]
	all := make([]int, len(content.Bytes))
	for i := range all {
		all[i] = anyRank
	}
	for _, o := range content.Origins {
		if o.From != consistency.FromWrite {
			continue
		}
		for at := max(o.Lo, 0); at < min(o.Hi, int64(len(all))); at++ {
			all[at] = o.Rank
		}
	}
	return all
}
