package comm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/commworld/commworld/comm"
)

// A library hands hints from a program to files through an Info; a lost or
// changed hint would change how they are laid out, and nothing would report it.
func TestInfo(t *testing.T) {
	t.Run("INFO-01 any calls against a map and a list", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			in, order, vals := comm.NewInfo(), []string{}, map[string]string{}
			key := rapid.SampledFrom([]string{"a", "b", "cb_nodes", "ä", "\x00"})
			t.Repeat(map[string]func(*rapid.T){
				"set": func(t *rapid.T) {
					k, v := key.Draw(t, "key"), rapid.StringN(0, 5, -1).Draw(t, "value")
					assert.NoError(t, in.Set(k, v))
					if _, ok := vals[k]; !ok {
						order = append(order, k)
					}
					vals[k] = v
				},
				"delete": func(t *rapid.T) {
					k := key.Draw(t, "key")
					_, ok := vals[k]
					err := in.Delete(k)
					if ok {
						assert.NoError(t, err)
					} else {
						refused(t, err, comm.ErrInfoNoKey, "INFO-01")
					}
					delete(vals, k)
					order = slices.DeleteFunc(order, func(o string) bool { return o == k })
				},
				"dup": func(t *rapid.T) {
					old := in
					in = in.Dup()
					assert.NoError(t, old.Set("only in the old one", "x"))
				},
				"": func(t *rapid.T) {
					got := []string{}
					for k, v := range in.All() {
						got = append(got, k)
						assert.Equal(t, vals[k], v)
					}
					assert.Equal(t, order, got)
					assert.Equal(t, len(order), in.NKeys())
					for i, k := range order {
						nth, err := in.NthKey(i)
						assert.NoError(t, err)
						assert.Equal(t, k, nth)
						v, ok := in.Get(k)
						assert.True(t, ok)
						assert.Equal(t, vals[k], v)
					}
				},
			})
		})
	})
	t.Run("INFO-01 limits", func(t *testing.T) {
		in := comm.NewInfo()
		assert.NoError(t, in.Set(strings.Repeat("k", comm.MaxInfoKey), strings.Repeat("v", comm.MaxInfoVal)))
		refused(t, in.Set(strings.Repeat("k", comm.MaxInfoKey+1), ""), comm.ErrInfoKey, "INFO-01")
		refused(t, in.Set("", "v"), comm.ErrInfoKey, "INFO-01")
		refused(t, in.Set("k", strings.Repeat("v", comm.MaxInfoVal+1)), comm.ErrInfoValue, "INFO-01")
		assert.Equal(t, 1, in.NKeys(), "a refused call changes nothing")
		for _, n := range []int{-1, 1} {
			_, err := in.NthKey(n)
			refused(t, err, comm.ErrArg, "INFO-01")
		}
	})
	t.Run("INFO-01 nil is INFO_NULL: read, not written", func(t *testing.T) {
		var in *comm.Info
		_, ok := in.Get("k")
		assert.False(t, ok)
		assert.Zero(t, in.NKeys())
		assert.Equal(t, "INFO_NULL", in.String())
		for range in.All() {
			t.Error("a hint from nowhere")
		}
		refused(t, in.Set("k", "v"), comm.ErrInfo, "INFO-01")
		refused(t, in.Delete("k"), comm.ErrInfo, "INFO-01")
		assert.NoError(t, in.Dup().Set("k", "v"))
	})
	t.Run("INFO-01 text", func(t *testing.T) {
		in := comm.NewInfo()
		assert.NoError(t, errors.Join(in.Set("b", "4"), in.Set("a", `x"y`), in.Set("b", "5")))
		assert.Equal(t, `{b="5" a="x\"y"}`, in.String())
	})
	t.Run("INFO-01 the environment", func(t *testing.T) {
		for _, key := range []string{"command", "wdir", "arch", "thread_level", "host"} {
			v, ok := comm.InfoEnv().Get(key)
			assert.True(t, ok, key)
			assert.NotEmpty(t, v, key)
		}
	})
}

// Hints and names belong to one communicator: a library that sets them on its duplicate must
// not change its caller's.
func TestHintsAndNames(t *testing.T) {
	t.Run("COMM-01 INFO-01 hints are copied, merged and not handed on", func(t *testing.T) {
		ranks(t, 3, func(c *comm.Comm) error {
			in := comm.NewInfo()
			err := errors.Join(in.Set("a", "1"), in.Set("b", "2"), c.SetInfo(in), in.Set("a", "9"))
			two := comm.NewInfo()
			err = errors.Join(err, two.Set("b", "3"), c.SetInfo(two), c.SetInfo(nil))
			got, e := c.Info()
			err = errors.Join(err, e, equal(`{a="1" b="3"}`, got.String()), got.Set("a", "7"))
			got, e = c.Info()
			err = errors.Join(err, e, equal(`{a="1" b="3"}`, got.String()))
			d, e := c.Dup()
			if err = errors.Join(err, e); err != nil {
				return err
			}
			plain, e := d.Info()
			w, e2 := c.DupWithInfo(two)
			if err := errors.Join(e, e2); err != nil {
				return err
			}
			with, err := w.Info()
			return errors.Join(err, equal("{}", plain.String()), equal(`{b="3"}`, with.String()), d.Free(), w.Free())
		})
	})
	t.Run("COMM-01 SetInfo is collective", func(t *testing.T) {
		for _, err := range start(2, setting{}, func(c *comm.Comm) error {
			if c.Rank() == 0 {
				return c.SetInfo(nil)
			}
			return c.Barrier()
		}) {
			refused(t, err, comm.ErrNotSame, "GEN-06")
		}
	})
	t.Run("COMM-01 names", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			d, err := c.Dup()
			if err != nil {
				return err
			}
			err = errors.Join(d.SetName("halo"), equal("halo", d.Name()))
			refused(t, d.SetName(strings.Repeat("x", comm.MaxName+1)), comm.ErrArg, "COMM-01")
			said := d.Send(ints(1), 9, 0)
			e, err2 := d.Dup()
			if err = errors.Join(err, err2); err != nil {
				return err
			}
			if said == nil || !strings.Contains(said.Error(), `"halo"`) {
				err = errors.Join(err, errors.New("the error does not name the communicator"))
			}
			err = errors.Join(err, equal("halo", d.Name()), equal("", e.Name()), d.SetName(""),
				equal("", d.Name()), e.Free(), d.Free())
			refused(t, d.SetName("late"), comm.ErrComm, "COMM-01")
			return err
		})
	})
}
