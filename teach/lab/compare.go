package lab

import (
	"context"
	"fmt"
	"strings"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/show/picture"
	"github.com/commworld/commworld/script"
)

// A comparison has the bytes that each rank may read of a file at a moment, by model.
type comparison struct {
	Drawing string       `json:"drawing"`
	Words   string       `json:"words"`
	Models  []modelState `json:"models"`
}

type modelState struct {
	Model   string        `json:"model"`
	Handles []handleState `json:"handles"`
}

// compare shows, side by side, the bytes that each rank may read under every model; allowed
// has those that the standard allows.
func compare(ctx context.Context, m *script.Moment, file string, allowed []*script.HandleMoment) (*comparison, error) {
	c := &comparison{}
	strip := &picture.Strip{Title: "file " + file + " under each model", Rows: []picture.StripRow{published(m.Files[file])}}
	var under [len(compared)][]*script.HandleMoment
	for i, model := range compared {
		all := allowed
		if i > 0 {
			var err error
			if all, err = m.Under(ctx, model, file); err != nil {
				return nil, err
			}
		}
		under[i] = all
		s := modelState{model.String(), []handleState{}}
		for _, h := range all {
			s.Handles = append(s.Handles, stateOf(h))
		}
		c.Models = append(c.Models, s)
	}
	for k := range under[0] { // each handle is open under every model
		for i, model := range compared {
			strip.Rows = append(strip.Rows, rowUnder(model, under[i][k], m.Files[file]))
		}
	}
	d := strip.Draw()
	c.Drawing, c.Words = d.Fragment(), d.Description()
	return c, nil
}

// rowUnder returns the bytes that may be read through a handle under a model, and the
// reason.
func rowUnder(m consistency.Model, h *script.HandleMoment, file script.Content) picture.StripRow {
	row := rowOf(h, file)
	row.Name += ": " + m.String()
	if h.Unknown != "" {
		return row
	}
	switch {
	case m == consistency.Weakest:
		row.Note = "all that the standard allows"
	case h.Atomic:
		row.Note = "atomic: every write so far"
	case m == consistency.POSIX:
		row.Note = "every write so far, as on a laptop"
	case m == consistency.Commit:
		row.Note = "what others have synced so far, as in a burst buffer"
	case h.Adopted != nil:
		row.Note = fmt.Sprintf("what others had written at line %d (%s), as on a network file system", h.Adopted.Line, h.Adopted.Routine)
	}
	if m.Poison(1) != 0 {
		return row
	}
	for i := range row.Parts {
		for k := range row.Parts[i].Values {
			if v := &row.Parts[i].Values[k]; v.Rank == picture.Hole {
				v.Text, v.Tip = strings.Replace(v.Text, "?", "00", 1), v.Tip+": holes read as 0"
			}
		}
	}
	return row
}
