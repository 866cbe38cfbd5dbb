package consistency

import (
	"encoding/json"
	"fmt"

	"github.com/commworld/commworld/internal/sched"
)

// From says where bytes of a file come from.
type From uint8

// The values of From.
const (
	FromHole   From = iota // no rank wrote them: their value is undefined
	FromBefore             // they were in the file before it was first opened
	FromWrite              // from a known call
)

// An Origin is the source of bytes [Lo, Hi) of a file.
type Origin struct {
	Lo, Hi int64
	From   From

	// For a write:
	Rank   int         // in the world
	Op     string      // the call
	Place  sched.Place // in the program
	Type   string      // etype of the view
	Rep    string      // data representation of the view
	Synced bool        // the handle has been synced or closed since the write
}

// String returns the origin as a line of a list.
func (o Origin) String() string {
	bytes := fmt.Sprintf("bytes %d to %d: ", o.Lo, o.Hi-1)
	switch o.From {
	case FromHole:
		return bytes + "hole, never written"
	case FromBefore:
		return bytes + "left over from before the file was opened"
	}
	who := Party{Rank: o.Rank, Op: o.Op, Place: o.Place}
	text := fmt.Sprintf("%s%v, %s %s", bytes, &who, o.Rep, o.Type)
	if !o.Synced {
		text += ", not synced"
	}
	return text
}

// String returns "hole", "before" or "write".
func (f From) String() string {
	switch f {
	case FromHole:
		return "hole"
	case FromBefore:
		return "before"
	}
	return "write"
}

// originJSON is an [Origin] for programs.
type originJSON struct {
	Bytes  [2]int64 `json:"bytes"`
	From   string   `json:"from"`
	Rank   *int     `json:"rank,omitempty"`
	Op     string   `json:"op,omitempty"`
	Source string   `json:"source,omitempty"`
	Line   int      `json:"line,omitempty"`

	Caller *sched.Place `json:"caller,omitempty"` // the line that called Place's function
	Type   string       `json:"type,omitempty"`
	Rep    string       `json:"rep,omitempty"`
	Synced *bool        `json:"synced,omitempty"`
}

// MarshalJSON writes the bytes [lo, hi), from ("hole", "before" or "write") and, for a
// write, rank, op, source, line, type, rep and synced.
func (o Origin) MarshalJSON() ([]byte, error) {
	j := originJSON{Bytes: [2]int64{o.Lo, o.Hi}, From: o.From.String()}
	if o.From == FromWrite {
		j.Rank, j.Op, j.Source, j.Line = &o.Rank, o.Op, o.Place.File, o.Place.Line
		j.Caller, j.Type, j.Rep, j.Synced = o.Place.Caller, o.Type, o.Rep, &o.Synced
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Origin) UnmarshalJSON(text []byte) error {
	var j originJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*o = Origin{Lo: j.Bytes[0], Hi: j.Bytes[1], Op: j.Op, Place: sched.Place{File: j.Source, Line: j.Line, Caller: j.Caller}, Type: j.Type, Rep: j.Rep}
	switch j.From {
	case "hole":
	case "before":
		o.From = FromBefore
	case "write":
		o.From = FromWrite
	default:
		return fmt.Errorf("unknown origin %q", j.From)
	}
	if o.Lo < 0 || o.Hi <= o.Lo {
		return fmt.Errorf("bytes from %d up to %d are none", o.Lo, o.Hi)
	}
	if j.Rank != nil {
		o.Rank = *j.Rank
	}
	if j.Synced != nil {
		o.Synced = *j.Synced
	}
	return nil
}

// Join appends o, cut to bytes [lo, hi), to a list that ends at or before lo; if it
// continues the last origin, it becomes part of that.
func Join(all []Origin, o Origin, lo, hi int64) []Origin {
	if k := len(all) - 1; k >= 0 && all[k].Hi == lo {
		o.Lo, o.Hi = all[k].Lo, all[k].Hi
		if o == all[k] {
			all[k].Hi = hi
			return all
		}
	}
	o.Lo, o.Hi = lo, hi
	return append(all, o)
}
