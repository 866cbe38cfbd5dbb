package lab

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/views"
	"github.com/commworld/commworld/script"
)

// MaxRequest is the most bytes that a request may have.
const MaxRequest = script.MaxText + 64<<10

// Limits of a request: the page is for small programs.
const (
	maxSchedules = 20_000
	maxRanks     = 64
	maxCalls     = 8_000   // of all ranks together
	maxBytes     = 4 << 20 // of a file; of the text of all outcomes
	maxAnswer    = 32 << 20
)

// A Request asks for one answer. Do names the question; the other fields are its arguments.
type Request struct {
	Do string `json:"do"`

	Script string       `json:"script,omitempty"` // text of a rank script
	Name   string       `json:"name,omitempty"`   // of a lesson, litmus test or twin; to mark and judge: of a lesson of the course
	Extra  string       `json:"extra,omitempty"`  // of a poll: values that cannot come out, with commas
	Replay string       `json:"replay,omitempty"` // the schedule of a run; empty: that of seed 0
	Model  string       `json:"model,omitempty"`  // weakest, session, commit, posix or chaos:SEED; empty: weakest
	View   *ViewRequest `json:"view,omitempty"`
	Plan   *PlanRequest `json:"plan,omitempty"`
	WhatIf *WhatIf      `json:"whatif,omitempty"`

	Step    int  `json:"step,omitempty"`    // of a run: how many steps have been made; to judge: the answer, from 0
	Line    int  `json:"line,omitempty"`    // of a token, from 1
	Column  int  `json:"column,omitempty"`  // of a token, from 0
	Compare bool `json:"compare,omitempty"` // of a step: under every model
}

// A Problem is the reason why there is no answer.
type Problem struct {
	Text   string `json:"text"`
	Line   int    `json:"line,omitempty"` // of the script, from 1
	Column int    `json:"column,omitempty"`
	Field  string `json:"field,omitempty"` // of the request

	Picture string `json:"picture,omitempty"` // lines of text that show the place
	Drawing string `json:"drawing,omitempty"` // the same, drawn
}

// questions are all values of Request.Do.
var questions = map[string]func(context.Context, *Request) (any, error){
	"lessons":  lessons,
	"lesson":   lesson,
	"run":      run,
	"step":     step,
	"explore":  explore,
	"fix":      fix,
	"models":   models,
	"view":     view,
	"views":    setViews,
	"poll":     poll,
	"mark":     mark,
	"judge":    judge,
	"traffic":  traffic,
	"token":    token,
	"changes":  changesOf,
	"whatif":   whatIf,
	"accesses": accesses,
	"access":   access,
}

// Answer answers one request with a JSON object: the fields of the question's answer, or the
// one field "problem", a [Problem]. It has no other errors, takes bounded memory, and ends
// soon after ctx.
func Answer(ctx context.Context, request []byte) []byte {
	v, err := answer(ctx, request)
	if err != nil {
		v = map[string]any{"problem": problemOf(err)}
	}
	text, err := appendJSON(nil, reflect.ValueOf(v))
	if err == nil && len(text) > maxAnswer {
		err = fmt.Errorf("the answer has %d bytes; at most %d are sent: make the program smaller", len(text), maxAnswer)
	}
	if err != nil {
		text = append(appendText([]byte(`{"problem":{"text":`), err.Error()), "}}"...)
	}
	return append(text, '\n')
}

func answer(ctx context.Context, request []byte) (any, error) {
	if len(request) > MaxRequest {
		return nil, fmt.Errorf("the request has %d bytes; at most %d are read", len(request), MaxRequest)
	}
	q, err := readRequest(request)
	if err != nil {
		return nil, err
	}
	do := questions[q.Do]
	if do == nil {
		return nil, &fieldError{"do", fmt.Errorf("there is no question %q", q.Do)}
	}
	return do(ctx, q)
}

// A fieldError is an error in one field of the request.
type fieldError struct {
	field string
	err   error
}

func (e *fieldError) Error() string { return e.err.Error() }
func (e *fieldError) Unwrap() error { return e.err }

func problemOf(err error) Problem {
	p := Problem{Text: err.Error()}
	if f := (*fieldError)(nil); errors.As(err, &f) {
		p.Field = f.field
	}
	if s := (*script.SyntaxError)(nil); errors.As(err, &s) {
		p.Line, p.Column, p.Field = s.Line, s.Column, "script"
	}
	if v := (*views.Refused)(nil); errors.As(err, &v) {
		p.Field, p.Picture = strings.ToLower(v.Field), v.Picture
		if d := v.Drawing(); d != nil {
			p.Drawing = d.Fragment()
		}
	}
	return p
}

// program returns the script of a request and the options of its run.
func (q *Request) program() (*script.Script, script.Options, error) {
	s, err := script.Parse(q.Script)
	if err != nil {
		return nil, script.Options{}, err
	}
	m, err := ModelOf(q.Model)
	if err != nil {
		return nil, script.Options{}, &fieldError{"model", err}
	}
	if err := small(s); err != nil {
		return nil, script.Options{}, &fieldError{"script", err}
	}
	return s, script.Options{Replay: q.Replay, Model: m, MaxSchedules: maxSchedules, MaxBytes: maxBytes}, nil
}

// small returns an error for a program whose answer would take too much memory. The command
// runs such programs.
func small(s *script.Script) error {
	calls := 0
	for _, b := range s.Blocks {
		calls += len(b.Ranks) * len(b.Stmts)
	}
	switch {
	case s.Ranks > maxRanks:
		return fmt.Errorf("%d ranks: the page shows at most %d; try `commworld run`", s.Ranks, maxRanks)
	case calls > maxCalls:
		return fmt.Errorf("the ranks make %d calls together: the page shows at most %d; try `commworld run`", calls, maxCalls)
	}
	return nil
}

// ModelOf returns the model of a name: weakest, session, commit, posix or chaos:SEED; an
// empty name is weakest.
func ModelOf(name string) (consistency.Model, error) {
	if name == "" {
		return consistency.Weakest, nil
	}
	for _, m := range compared {
		if strings.EqualFold(name, m.String()) {
			return m, nil
		}
	}
	if seed, ok := strings.CutPrefix(name, "chaos:"); ok {
		if n, err := strconv.ParseUint(seed, 10, 64); err == nil {
			return consistency.Chaos(n), nil
		}
	}
	return consistency.Model{}, fmt.Errorf("there is no model %q: weakest, session, commit, posix or chaos:SEED", name)
}
