package world

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/commworld/commworld/internal/sched"
)

// CareVariable is the environment variable that makes every [Run] and [RunReport] of a
// program careful, without a change of the program: COMMWORLD_CARE=on is [Careful]().
// commworld check sets it. Its value is a list with commas of
//
//	on             nothing else
//	ranks=N        worlds have N ranks, whatever number the program asks for
//	allow=RULE     as of Careful; several are several words
//	order=WORD     ranks take turns, one at a time: forward, the next higher one that can run,
//	               or backward, the next lower one; not where the program gives a schedule.
//	               Ranks that wait for each other by locks or channels cannot take turns
//	timeout=TIME   a world ends after this time, such as 30s
//	report=FILE    append a [CareRecord] to FILE, one JSON object a line, when a world
//	               begins and when it ends; the last word, as FILE may hold commas
//
// [Unchecked] of the program has no effect then, and other options stay as they are. In a
// program on an [Engine] it is an error.
const CareVariable = "COMMWORLD_CARE"

// A CareRecord is what a world says about itself where [CareVariable] names a file.
type CareRecord struct {
	Event    string    `json:"event"` // "begin" or "end"
	World    int64     `json:"world"` // 1, 2, ... in the order of their beginnings
	Ranks    int       `json:"ranks"`
	Asked    int       `json:"asked"`           // the number of ranks that the program asked for
	Schedule string    `json:"schedule"`        // as [Replay] reads it, such as "roundrobin"; "free" if all ranks run at once
	Place    Place     `json:"place"`           // of the call of Run
	Findings []Finding `json:"findings"`        // of "end"
	Error    string    `json:"error,omitempty"` // of "end": what Run returned
}

// surroundings is what CareVariable asks for.
type surroundings struct {
	ranks   int
	order   sched.Schedule // zero: the program's own
	allowed []string
	timeout time.Duration
	report  string
}

// parseCare reads the value of CareVariable; nil if there is none.
func parseCare(value string) (*surroundings, error) {
	if value == "" {
		return nil, nil
	}
	s := &surroundings{}
	for rest := value; rest != ""; {
		var word string
		if file, ok := strings.CutPrefix(rest, "report="); ok {
			s.report = file
			break
		}
		word, rest, _ = strings.Cut(rest, ",")
		key, arg, _ := strings.Cut(word, "=")
		var err error
		switch {
		case word == "on":
		case key == "ranks":
			if s.ranks, err = strconv.Atoi(arg); err == nil && s.ranks < 1 {
				err = errors.New("at least 1")
			}
		case word == "order=forward":
			s.order = sched.RoundRobin()
		case word == "order=backward":
			s.order = sched.ReverseRobin()
		case key == "allow":
			s.allowed = append(s.allowed, arg)
		case key == "timeout":
			if s.timeout, err = time.ParseDuration(arg); err == nil && s.timeout <= 0 {
				err = errors.New("more than 0")
			}
		default:
			err = errors.New("want on, ranks=N, order=forward, order=backward, allow=RULE, timeout=TIME or report=FILE")
		}
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %q: %w", CareVariable, value, word, err)
		}
	}
	return s, nil
}

// option makes a world careful as the surroundings want it.
func (s *surroundings) option(o *options) error {
	o.env = s
	return Careful(s.allowed...)(o)
}

// worlds counts the careful worlds of this process.
var worlds atomic.Int64

// attend begins a world in its surroundings, for which arguments were wrong if wrong is
// not nil. The function returned ends it with the error of Run.
func (s *surroundings) attend(ctx context.Context, asked int, o *options, wrong error) (context.Context, func(error)) {
	if s == nil {
		return ctx, func(error) {}
	}
	r := CareRecord{Event: "begin", World: worlds.Add(1), Ranks: o.ranks, Asked: asked, Schedule: o.order.String(), Place: sched.Caller(), Findings: []Finding{}}
	s.write(&r)
	stop := func() {}
	if s.timeout > 0 && wrong == nil {
		ctx, stop = context.WithTimeoutCause(ctx, s.timeout, fmt.Errorf("the world ran for %v, the longest time that %s allows", s.timeout, CareVariable))
	}
	return ctx, func(err error) {
		stop()
		r.Event = "end"
		if err != nil {
			r.Findings, r.Error = Findings(err), err.Error()
		}
		s.write(&r)
	}
}

// write appends a record. One that cannot be written is missed by the reader, and the
// program goes on.
func (s *surroundings) write(r *CareRecord) {
	if s.report == "" {
		return
	}
	line, err := json.Marshal(r)
	if err != nil {
		return
	}
	f, err := os.OpenFile(s.report, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, err = f.Write(append(line, '\n'))
	_ = cmp.Or(err, f.Close())
}
