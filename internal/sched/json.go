package sched

import (
	"encoding/json"
	"fmt"
)

// InJSON returns the JSON form of err: err itself if it marshals itself, otherwise an
// object with its text; nil for nil.
func InJSON(err error) any {
	switch e := err.(type) {
	case nil:
		return nil
	case json.Marshaler:
		return e
	}
	return struct {
		Text string `json:"text"`
	}{err.Error()}
}

// AnyInJSON returns the JSON form of a value of the program: the value itself, or its text
// if it cannot be marshalled.
func AnyInJSON(v any) any {
	if err, ok := v.(error); ok {
		return InJSON(err)
	}
	if _, err := json.Marshal(v); err != nil {
		return fmt.Sprint(v)
	}
	return v
}

// MarshalJSON writes the rank and its error.
func (e *RankError) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Rank int `json:"rank"`
		Err  any `json:"error"`
	}{e.Rank, InJSON(e.Err)})
}

// MarshalJSON writes the value, as text if it does not marshal, the place and the stack.
func (e *PanicError) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Text  string `json:"text"`
		Panic any    `json:"panic"`
		Place Place  `json:"place"`
		Stack string `json:"stack"`
	}{e.Error(), AnyInJSON(e.Value), e.Place, string(e.Stack)})
}

// MarshalJSON writes the text and the place.
func (e *GoexitError) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Text  string `json:"text"`
		Place Place  `json:"place"`
	}{e.Error(), e.Place})
}

// MarshalJSON writes the text, what each rank does, and the cycle.
func (e *DeadlockError) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Text  string    `json:"text"`
		Ranks []Waiting `json:"ranks"`
		Cycle []int     `json:"cycle,omitempty"`
	}{e.Error(), e.Ranks, e.Cycle})
}

// MarshalJSON writes the text and both calls.
func (e *UncontrolledError) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Text      string `json:"text"`
		Rank      int    `json:"rank"`   // -1: not known
		Choice    int    `json:"choice"` // -1: at the end of a run
		Before    string `json:"before"`
		BeforeAt  Place  `json:"before_at,omitzero"`
		Now       string `json:"now"`
		NowAt     Place  `json:"now_at,omitzero"`
		Reordered bool   `json:"reordered"`
	}{e.Error(), e.Rank, e.Choice, e.Before, e.BeforeAt, e.Now, e.NowAt, e.Reordered})
}
