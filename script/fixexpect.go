package script

import (
	"slices"
	"strconv"
	"strings"
)

// mostAllowed bounds the number of outcomes in the allow line of a repaired script.
const mostAllowed = 256

// allowed returns the allow line that the outcomes of a report meet, restricted to the
// results and files that the asked equations name. It returns false if there are too many
// outcomes, or if one cannot be written in a script.
func (r *Report) allowed(asked []Equation) (Expectation, bool) {
	e := Expectation{Kind: Allow}
	known := map[string]bool{}
	var about []Equation
	for _, q := range asked {
		if key := strconv.Itoa(q.Rank) + ":" + q.Name + " " + q.File; !known[key] {
			known[key] = true
			about = append(about, q)
		}
	}
	had := map[string]bool{}
	for i := range r.Outcomes {
		o, ok := r.Outcomes[i].Ending.equations(about)
		if !ok || len(e.Outcomes) == mostAllowed {
			return e, false
		}
		if text := o.String(); len(o) > 0 && !had[text] {
			had[text] = true
			e.Outcomes = append(e.Outcomes, o)
		}
	}
	return e, len(e.Outcomes) > 0
}

// equations returns the ending's values for the results and files that the given
// equations name.
func (e *Ending) equations(about []Equation) (Outcome, bool) {
	var all Outcome
	for _, q := range about {
		if q.File != "" {
			c, there := e.Files[q.File]
			all = append(all, Equation{File: q.File, Absent: !there, Bytes: c.stretches()})
			continue
		}
		name, part := q.split()
		res, there := e.Results[q.Rank][name]
		if !there {
			continue // its statement failed, or was removed
		}
		vs := []Value{{Text: strconv.FormatInt(res.part(part), 10), Repeat: 1}}
		if part == "" && res.IsData {
			ok := false
			if vs, ok = res.values(); !ok {
				return nil, false
			}
		}
		all = append(all, Equation{Rank: q.Rank, Name: q.Name, Values: vs})
	}
	return all, true
}

// values returns the data as scripts write them, if they can.
func (r Result) values() ([]Value, bool) {
	if len(r.Data) == 0 {
		return nil, true
	}
	var vs []Value
	for _, text := range strings.Fields(r.Text()) {
		text, times, many := strings.Cut(text, "*")
		v := Value{Text: text, Repeat: 1}
		if many {
			v.Repeat, _ = strconv.ParseInt(times, 10, 64)
		}
		vs = append(vs, v)
	}
	bs, err := encode(vs, r.Stmt.datatype(), host)
	return vs, err == nil && slices.Equal(bs, r.Data)
}

// stretches returns the bytes as scripts write them.
func (c Content) stretches() []Stretch {
	var all []Stretch
	for i := 0; i < len(c.Bytes); {
		blank := c.Blank != nil && c.Blank[i]
		n := i + 1
		for n < len(c.Bytes) && (c.Blank != nil && c.Blank[n]) == blank && (blank || c.Bytes[n] == c.Bytes[i]) {
			n++
		}
		t := Stretch{Bytes: []byte{c.Bytes[i]}, Blank: blank, Repeat: int64(n - i)}
		if blank {
			t.Bytes = []byte{0}
		}
		all = append(all, t)
		i = n
	}
	return all
}
