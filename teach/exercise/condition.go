package exercise

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/internal/show/plain"
	"github.com/commworld/commworld/script"
)

// A condition bounds how often a rank makes some calls, or how many requests a file gets.
type condition struct {
	rank     int    // anyRank: each rank
	file     string // of requests
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
// "file f: most 2 requests: SENTENCE".
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
// "read" are all calls that begin such an access, "message" is each that moves data from rank
// to rank, a word in quotes is a part of the statement, and other words are routines.
func (c *condition) names(s *script.Stmt) bool {
	routine := s.Routine
	return slices.ContainsFunc(c.routines, func(word string) bool {
		if part, ok := strings.CutPrefix(word, `"`); ok {
			return strings.Contains(s.String(), strings.TrimSuffix(part, `"`))
		}
		switch word {
		case "write", "read":
			return strings.HasPrefix(strings.TrimPrefix(routine, "i"), word) && !strings.HasSuffix(routine, "_end")
		case "message":
			return slices.Contains(messages, routine)
		}
		return word == routine
	})
}

// broken reports whether a number of calls or requests is not within the bound.
func (c *condition) broken(n int64) bool { return c.most && n > c.n || !c.most && n < c.n }

// broke returns a sentence if a script does not keep the condition; for one about requests,
// rep is a run.
func (c *condition) broke(s *script.Script, rep *script.Report) string {
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
