package lab

import (
	"context"
	"fmt"

	"github.com/commworld/commworld/script"
	"github.com/commworld/commworld/teach/exercise"
)

// mark marks the script of a request as the exercise of the lesson of its name.
func mark(ctx context.Context, q *Request) (any, error) {
	e, err := exercise.Find(q.Name)
	if err != nil {
		return nil, &fieldError{"name", err}
	}
	if s, err := script.Parse(q.Script); err == nil {
		if err := small(s); err != nil {
			return nil, &fieldError{"script", err}
		}
	}
	return e.Mark(ctx, q.Script)
}

// A judged says whether an answer to the question of a lesson is right. It has the remarks on
// all answers: who has answered may know.
type judged struct {
	Right   bool     `json:"right"`
	Answer  int      `json:"answer"` // the right one, from 0
	Remarks []string `json:"remarks"`
}

// judge judges answer Step, counted from 0, to the question of a lesson.
func judge(_ context.Context, q *Request) (any, error) {
	e, err := exercise.Find(q.Name)
	if err != nil {
		return nil, &fieldError{"name", err}
	}
	answers := e.Question.Answers
	if q.Step < 0 || q.Step >= len(answers) {
		return nil, &fieldError{"step", fmt.Errorf("answer %d: the question has answers 0 to %d", q.Step, len(answers)-1)}
	}
	a := &judged{Right: answers[q.Step].Right}
	for i := range answers {
		a.Remarks = append(a.Remarks, answers[i].Remark)
		if answers[i].Right {
			a.Answer = i
		}
	}
	return a, nil
}

// A trafficAnswer has the requests that a run of a script makes to a file system.
type trafficAnswer struct {
	Files []fileTraffic `json:"files"`
}

// A fileTraffic has the requests that reach one file, and the bytes that ranks sent to each
// other for it.
type fileTraffic struct {
	Name       string `json:"name"`
	Strategy   string `json:"strategy"`
	Reads      int64  `json:"reads"`
	ReadBytes  int64  `json:"read_bytes"`
	Writes     int64  `json:"writes"`
	WriteBytes int64  `json:"write_bytes"`
	Sent       int64  `json:"sent"`
	Rounds     int64  `json:"rounds"`
}

// traffic runs a script under one schedule and counts its requests.
func traffic(ctx context.Context, q *Request) (any, error) {
	s, o, err := q.program()
	if err != nil {
		return nil, err
	}
	rep, err := script.Run(ctx, s, o)
	if err != nil {
		return nil, err
	}
	a := &trafficAnswer{Files: []fileTraffic{}}
	if rep.World == nil {
		return a, nil
	}
	for i := range rep.World.Files {
		f := &rep.World.Files[i]
		r := &f.Requests
		a.Files = append(a.Files, fileTraffic{f.Name, f.Strategy, r.Reads, r.ReadBytes, r.Writes, r.WriteBytes, r.Sent, r.Rounds})
	}
	return a, nil
}
