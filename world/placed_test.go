package world_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// thisLine is the line that calls it.
func thisLine() string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

func second[T any](_ T, err error) error { return err }

// A made is a datatype with the line that made it.
type made struct {
	*types.Type
	at string
}

// columns is the helper of a library: its caller's line is to be seen.
func columns(n int64) made { return made{types.Vector(n, 1, 4, types.Double), thisLine()} }

// TestConstructorErrorsNameLines: if it fails, the error of a constructor, a codec or
// a parser does not say which line of the program gave it the wrong argument.
func TestConstructorErrorsNameLines(t *testing.T) {
	type answer struct {
		err error
		at  string
	}
	for name, call := range map[string]func(c *comm.Comm) answer{
		"types": func(*comm.Comm) answer {
			x, at := columns(-1), thisLine()
			return answer{x.Err(), x.at + " < " + at}
		},
		"a type of a broken one": func(*comm.Comm) answer {
			x, at := columns(-1), thisLine()
			return answer{types.Contiguous(2, x.Type).Err(), x.at + " < " + at}
		},
		"a Go type":       func(*comm.Comm) answer { return answer{types.TypeOf[int]().Err(), thisLine()} },
		"a Go type again": func(*comm.Comm) answer { return answer{types.TypeOf[int]().Err(), thisLine()} },
		"a Go slice":      func(*comm.Comm) answer { return answer{types.Of([]int{1}).Check(types.Host), thisLine()} },
		"an expression":   func(*comm.Comm) answer { return answer{second(types.Parse("vector(1)")), thisLine()} },
		"reps":            func(*comm.Comm) answer { return answer{second(reps.Lookup("text", reps.LP64LE)), thisLine()} },
		"packing": func(*comm.Comm) answer {
			return answer{second(reps.PackExternalSize("external32", reps.LP64LE, -1, types.Int)), thisLine()}
		},
		"faults": func(*comm.Comm) answer { return answer{second(faults.Parse("x")), thisLine()} },
		"codes":  func(c *comm.Comm) answer { return answer{c.ErrorCodes().RemoveErrorCode(3), thisLine()} },
	} {
		t.Run(name, func(t *testing.T) {
			var got answer
			var body string
			err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
				got, body = call(c), thisLine()
				return got.err
			})
			var e *errclass.Error
			require.ErrorAs(t, got.err, &e)
			assert.Equal(t, got.at+" < "+body, e.Place.Chain())
			assert.ErrorContains(t, err, "at "+got.at+" < "+body+": ")
		})
	}
}

// TestErrorsNameLinesOfTypes: if it fails, the error of a call that is given a
// datatype with an error in it does not say where to correct it.
func TestErrorsNameLinesOfTypes(t *testing.T) {
	var from, viewed, sent string
	err := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
		bad, at := columns(-1), thisLine()
		from = "Vector (" + bad.at + " < " + at + "): count -1 is negative"
		f, err := iofile.Open(c, iofile.NewMem(), "grid", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		var view, send error
		view, viewed = f.SetView(iofile.View{Etype: types.Double, Filetype: bad.Type}), thisLine()
		send, sent = c.Send(types.Raw(make([]byte, 8), 1, bad.Type), 0, 0), thisLine()
		return errors.Join(view, send, f.Close())
	})
	assert.ErrorContains(t, err, `SetView "grid": at `+viewed+`: invalid count: filetype: `+from)
	assert.ErrorContains(t, err, `Send "COMM_WORLD": at `+sent+`: invalid count: `+from)
}
