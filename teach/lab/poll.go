package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/commworld/commworld/script"
)

// A Poll is a question for a class: which values may a result of a script have? Values are sorted, so
// that their order tells nothing.
type Poll struct {
	Variable  string      `json:"variable"`  // such as 1.x, or "file f"
	Variables []string    `json:"variables"` // all that could be asked for
	Program   string      `json:"program"`   // without comments before it and expectations, which tell the answer; with the numbers of its lines
	Values    []PollValue `json:"values"`
	Extra     []string    `json:"extra"` // wrong values of the teacher, in the form of the possible ones
}

// A PollValue is a value that may come out, and a way to it with the fewest switches between ranks.
type PollValue struct {
	Text    string   `json:"text"`
	Reason  string   `json:"reason"` // what the runs with this value have in common; may be empty
	Witness string   `json:"witness"`
	Steps   []string `json:"steps"` // of the run with the fewest switches between ranks
}

// maxValues bounds the values of a poll: more are not a question for a class.
const maxValues = 12

// NewPoll returns the question of a script for one of its results; an empty name means the first one.
func NewPoll(ctx context.Context, q *Request) (*Poll, error) {
	s, o, err := q.program()
	if err != nil {
		return nil, err
	}
	rep, err := exploreFor(ctx, longest.exploring, s, o)
	if err != nil {
		return nil, err
	}
	if !rep.Complete { // a value that is missing would be told to be wrong
		return nil, &fieldError{"script", errors.New("not every result of this program was found, so a vote on it cannot be judged: make it smaller")}
	}
	lines, first := programOf(s)
	for i, l := range lines {
		lines[i] = fmt.Sprintf("%3d  %s", first+i, l) // reasons and steps name lines
	}
	p := &Poll{Variable: q.Name, Program: strings.Join(lines, "\n"), Variables: []string{}, Values: []PollValue{}, Extra: []string{}}
	for i := range rep.Outcomes {
		for name := range resultsOf(&rep.Outcomes[i]) {
			if !slices.Contains(p.Variables, name) {
				p.Variables = append(p.Variables, name)
			}
		}
	}
	slices.Sort(p.Variables)
	if p.Variable == "" && len(p.Variables) > 0 {
		p.Variable = p.Variables[0]
	}
	if !slices.Contains(p.Variables, p.Variable) {
		return nil, &fieldError{"name", fmt.Errorf("the script has no result %q; it has %s", p.Variable, strings.Join(p.Variables, ", "))}
	}
	if err := p.addValues(ctx, rep, o); err != nil {
		return nil, err
	}
	return p, p.addExtra(q.Extra)
}

// addExtra adds the values of a list with commas that cannot come out. Each has the form of those that can: a
// number beside numbers, text beside text.
func (p *Poll) addExtra(list string) error {
	var like string // a possible value whose form others have
	for _, v := range p.Values {
		if v.Text != "nothing" {
			like = v.Text
		}
	}
	for e := range strings.SplitSeq(list, ",") {
		e = strings.TrimSpace(e)
		if strings.HasPrefix(like, `"`) && !strings.HasPrefix(e, `"`) && e != "" {
			e = strconv.Quote(e)
		}
		if e == "" || slices.Contains(p.Extra, e) || slices.ContainsFunc(p.Values, func(v PollValue) bool { return v.Text == e }) {
			continue
		}
		if form := formOf(like); form != "" && formOf(e) != form {
			return &fieldError{"extra", fmt.Errorf("%.60s cannot be a value of %s, which is %s, such as %.60s", e, p.Variable, form, like)}
		}
		p.Extra = append(p.Extra, e)
	}
	return nil
}

// formOf says what the text of a value is; empty: something else.
func formOf(text string) string {
	numbers := strings.Fields(text)
	for _, n := range numbers {
		if _, err := strconv.ParseFloat(n, 64); err != nil {
			numbers = nil
		}
	}
	switch {
	case strings.HasPrefix(text, `"`):
		return "text"
	case len(numbers) == 1:
		return "a number"
	case len(numbers) > 1:
		return "numbers"
	}
	return ""
}

// resultsOf returns the results of an outcome as text, by name.
func resultsOf(o *script.Seen) map[string]string {
	all := map[string]string{}
	for _, v := range o.Ending.List() {
		all[v.Name] = v.Text()
	}
	for name, c := range o.Ending.Files {
		all["file "+name] = c.Text()
	}
	return all
}

// addValues finds the values of the variable, and runs the script once for each.
func (p *Poll) addValues(ctx context.Context, rep *script.Report, o script.Options) error {
	for i := range rep.Outcomes {
		outcome := &rep.Outcomes[i]
		text, ok := resultsOf(outcome)[p.Variable]
		if !ok {
			text = "nothing" // the rank did not come so far
		}
		if slices.ContainsFunc(p.Values, func(v PollValue) bool { return v.Text == text }) {
			continue
		}
		if len(p.Values) == maxValues {
			return fmt.Errorf("%s may have more than %d values, too many for a vote", p.Variable, maxValues)
		}
		run := o
		run.Replay = outcome.Witness
		one, err := script.Run(ctx, rep.Script, run)
		if err != nil {
			return err
		}
		v := PollValue{Text: text, Reason: outcome.Why, Witness: outcome.Witness, Steps: []string{}}
		for _, stage := range one.Stages() {
			v.Steps = append(v.Steps, stage.String())
		}
		p.Values = append(p.Values, v)
	}
	slices.SortFunc(p.Values, func(a, b PollValue) int { return strings.Compare(a.Text, b.Text) })
	return nil
}

// poll answers with a question for a class about a script.
func poll(ctx context.Context, q *Request) (any, error) { return NewPoll(ctx, q) }
