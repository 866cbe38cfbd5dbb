package world_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// careful runs a body on n ranks of a careful world.
func careful(t *testing.T, n int, body func(c *comm.Comm, fsys *iofile.FS) error, opts ...world.Option) error {
	t.Helper()
	fsys := iofile.NewMem()
	return world.Run(t.Context(), n, func(_ context.Context, c *comm.Comm) error { return body(c, fsys) },
		append([]world.Option{world.Careful()}, opts...)...)
}

// onFile is a body that opens a file, and closes it in the end.
func onFile(body func(c *comm.Comm, f *iofile.File) error) func(*comm.Comm, *iofile.FS) error {
	return func(c *comm.Comm, fsys *iofile.FS) error {
		f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite)
		if err != nil {
			return err
		}
		return errors.Join(body(c, f), f.Close())
	}
}

func closeFile(f *iofile.File) error { return f.Close() }

// If this fails, a program that drops an error goes on as if nothing had happened, and
// the report names another problem or none; or a program that handles errors is blamed.
func TestCarefulIgnoredErrors(t *testing.T) {
	type body = func(c *comm.Comm, f *iofile.File) error
	bad := iofile.View{Disp: -4, Etype: types.Int32, Filetype: types.Int32}
	for name, b := range map[string]body{
		"a file's": func(_ *comm.Comm, f *iofile.File) error {
			_ = f.SetView(bad)
			return nil
		},
		"overwritten": func(_ *comm.Comm, f *iofile.File) error {
			err := f.SetView(bad) //lint:ignore SA4006 the mistake
			err = f.Sync()
			return err
		},
		"a message's": func(c *comm.Comm, _ *iofile.File) error {
			_ = c.Send(types.Of([]int32{1}), 7, 0)
			return nil
		},
		"another call's is returned": func(c *comm.Comm, f *iofile.File) error {
			_ = f.SetView(bad)
			return c.Send(types.Of([]int32{1}), 7, 0)
		},
	} {
		t.Run("WORLD-01 reported: "+name, func(t *testing.T) {
			err := careful(t, 2, onFile(b))
			var found *world.IgnoredError
			require.ErrorAs(t, err, &found)
			assert.Equal(t, []int{0, 1}, found.Ranks)
			assert.Contains(t, found.Place.String(), "careful_test.go:")
			assert.Equal(t, 2, found.Count)
			assert.ErrorContains(t, err, found.Err.Op+" at careful_test.go:")
			assert.ErrorContains(t, err, "was ignored")
		})
	}
	for name, b := range map[string]body{
		"returned": func(_ *comm.Comm, f *iofile.File) error { return f.SetView(bad) },
		"wrapped":  func(_ *comm.Comm, f *iofile.File) error { return errors.Join(f.SetView(bad), nil) },
		"asked about": func(_ *comm.Comm, f *iofile.File) error {
			if err := f.SetView(bad); !errors.Is(err, iofile.ErrArg) {
				return errors.New("no error")
			}
			return nil
		},
		"retried": func(_ *comm.Comm, f *iofile.File) error {
			err := f.SetView(bad)
			if err != nil {
				err = f.SetView(iofile.View{Etype: types.Int32, Filetype: types.Int32})
			}
			return err
		},
		"in other words": func(_ *comm.Comm, f *iofile.File) error {
			if f.SetView(bad) != nil {
				return errors.New("no view, no program")
			}
			return nil
		},
		"given to a handler": func(_ *comm.Comm, f *iofile.File) error {
			err := f.SetErrhandler(iofile.NewErrhandler(func(*iofile.File, error) {}))
			_ = f.SetView(bad)
			return err
		},
	} {
		t.Run("WORLD-01 not reported: "+name, func(t *testing.T) {
			var found *world.IgnoredError
			assert.False(t, errors.As(careful(t, 2, onFile(b)), &found), "%v", found)
		})
	}
	closes := func(f *iofile.File) error { return f.Close() }
	for name, c := range map[string]struct {
		op   string // of the call whose error is ignored; empty: none
		body func(f *iofile.File) error
	}{
		"closed twice, in one line": {"Close", func(f *iofile.File) error {
			defer f.Close()
			return f.Close()
		}},
		"closed twice": {"Close", func(f *iofile.File) error {
			defer f.Close()
			err := f.Close()
			return err
		}},
		"closed twice by a literal": {"Close", func(f *iofile.File) error {
			defer func() { _ = f.Close() }()
			return f.Close()
		}},
		"closed twice by a helper, in one line": {"Close", func(f *iofile.File) error {
			defer closeFile(f)
			return closeFile(f)
		}},
		"closed twice by a function value": {"", func(f *iofile.File) error { // its name says nothing
			defer closes(f)
			return closes(f)
		}},
		"synced after Close, in one line": {"Sync", func(f *iofile.File) error {
			defer f.Sync()
			return errors.Join(f.Sync(), f.Close())
		}},
		"closed by defer alone": {"", func(f *iofile.File) error {
			defer f.Close()
			return f.Sync()
		}},
		"the explicit call fails and is returned": {"", func(f *iofile.File) error {
			defer f.Close()
			defer f.SetView(iofile.View{Etype: types.Int32, Filetype: types.Int32})
			return f.SetView(bad)
		}},
		"the explicit call fails, two deferred ones in a line do not": {"", func(f *iofile.File) error {
			defer f.Close()
			defer f.Sync()
			return f.SetView(bad)
		}},
		"the deferred error is returned": {"", func(f *iofile.File) (err error) {
			defer func() { err = errors.Join(err, f.Close()) }()
			return f.Close()
		}},
	} {
		t.Run("IO-CLOSE-04 deferred: "+name, func(t *testing.T) {
			err := careful(t, 2, func(w *comm.Comm, fsys *iofile.FS) error {
				f, err := iofile.Open(w, fsys, "f", iofile.Create|iofile.ReadWrite)
				if err != nil {
					return err
				}
				return c.body(f)
			})
			var found *world.IgnoredError
			if c.op == "" {
				assert.False(t, errors.As(err, &found), "%v", found)
				return
			}
			if !sched.QuickLines && strings.Contains(name, "one line") {
				t.Skip("only with frame pointers")
			}
			require.ErrorAs(t, err, &found)
			assert.Equal(t, []int{0, 1}, found.Ranks)
			assert.Equal(t, c.op, found.Err.Op)
			assert.Equal(t, "IO-CLOSE-04", found.Err.Rule)
			advice := "; leave out this call, or make it before Close"
			if c.op == "Close" {
				advice = "; close the handle once: leave out this call, or the one that closed it"
			}
			assert.True(t, strings.HasSuffix(found.Error(), advice), found.Error())
		})
	}
	t.Run("WORLD-01 reported: the nil handle of an Open is used", func(t *testing.T) {
		err := careful(t, 2, func(c *comm.Comm, fsys *iofile.FS) error {
			if _, err := iofile.Open(c, fsys, "first", iofile.ReadOnly); !errors.Is(err, iofile.ErrNoSuchFile) {
				return err
			}
			f, err := iofile.Open(c, fsys, "second", iofile.WriteOnly)
			if err != nil {
				t.Log("cannot open:", err)
			}
			_, err = f.WriteAt(types.Of([]int32{1}), 0)
			return err
		})
		var found *world.IgnoredError
		require.ErrorAs(t, err, &found)
		assert.Equal(t, []int{0, 1}, found.Ranks)
		assert.ErrorContains(t, err, "the handle is nil")
		assert.ErrorContains(t, found, "open it with Create")
		assert.ErrorContains(t, found, `"second"`)
		assert.NotContains(t, err.Error(), `"first"`)
	})
	t.Run("WORLD-01 allowed", func(t *testing.T) {
		drop := onFile(func(_ *comm.Comm, f *iofile.File) error { _ = f.SetView(bad); return nil })
		assert.NoError(t, careful(t, 1, drop, world.Careful("ignored")))
		assert.NoError(t, careful(t, 1, drop, world.Careful("IO-VIEW-12")))
		assert.Error(t, careful(t, 1, drop, world.Careful("IO-VIEW-07")))
		assert.ErrorIs(t, careful(t, 1, drop, world.Careful("everything")), world.ErrArg)
	})
}

// If this fails, an offset in bytes where etypes count leaves holes in silence.
func TestCarefulHoles(t *testing.T) {
	ints := iofile.View{Etype: types.Int32, Filetype: types.Int32}
	inBytes := func(c *comm.Comm, f *iofile.File) error {
		if err := f.SetView(ints); err != nil {
			return err
		}
		_, err := f.WriteAtAll(types.Of([]int32{1}), iofile.Offset(4*c.Rank()))
		return err
	}
	t.Run("IO-SIZE-06 between what ranks wrote", func(t *testing.T) {
		err := careful(t, 3, onFile(inBytes))
		var found *world.LintError
		require.ErrorAs(t, err, &found)
		assert.Equal(t, "IO-SIZE-06", found.Rule)
		assert.Contains(t, found.Text, "no rank wrote bytes 4 to 15 and 1 more range, 24 bytes in all; likely cause: the offset of WriteAtAll (careful_test.go:")
		assert.Contains(t, found.Text, "on rank 0 through view disp 0, etype int32, filetype int32 ends at byte 4")
		assert.Contains(t, found.Text, "on rank 1 through view disp 0, etype int32, filetype int32 writes byte 16")
		all := world.Findings(err)
		require.Len(t, all, 1)
		require.Len(t, all[0].Places, 1)
		assert.Contains(t, all[0].Places[0].String(), "careful_test.go:")
	})
	for name, b := range map[string]func(c *comm.Comm, f *iofile.File) error{
		"none": func(c *comm.Comm, f *iofile.File) error {
			_, err := f.WriteAtAll(types.Of([]int32{1}), iofile.Offset(4*c.Rank()))
			return err
		},
		"a header that is not written": func(c *comm.Comm, f *iofile.File) error {
			_, err := f.WriteAtAll(types.Of([]int32{1}), iofile.Offset(512+4*c.Rank()))
			return err
		},
		"the program set the size": func(c *comm.Comm, f *iofile.File) error {
			return errors.Join(f.SetSize(36), inBytes(c, f))
		},
		"padding of a structure": func(c *comm.Comm, f *iofile.File) error {
			pair := types.Resized(types.Struct(types.Field{Type: types.Char, Count: 1}, types.Field{Disp: 8, Type: types.Double, Count: 1}), 0, 16)
			if err := f.SetView(iofile.View{Etype: pair, Filetype: pair}); err != nil {
				return err
			}
			_, err := f.WriteAtAll(types.Raw(make([]byte, 16), 1, pair), iofile.Offset(c.Rank()))
			return err
		},
	} {
		t.Run("IO-SIZE-06 not reported: "+name, func(t *testing.T) { assert.NoError(t, careful(t, 3, onFile(b))) })
	}
	t.Run("IO-SIZE-06 allowed", func(t *testing.T) {
		assert.NoError(t, careful(t, 3, onFile(inBytes), world.Careful("IO-SIZE-06")))
	})
	t.Run("IO-SIZE-06 old bytes are not a hole", func(t *testing.T) {
		for size, wrong := range map[int]bool{4: true, 6: true, 8: false, 40: false} {
			fsys := iofile.NewMem()
			h, err := world.RunReport(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.WriteOnly)
				if err != nil {
					return err
				}
				_, err = f.WriteAt(types.Of(make([]byte, size)), 0)
				return errors.Join(err, f.Close())
			})
			require.NoError(t, err, h)
			err = world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
				f, err := iofile.Open(c, fsys, "f", iofile.WriteOnly)
				if err != nil {
					return err
				}
				_, err = f.WriteAt(types.Of(make([]byte, 4)), 8)
				return errors.Join(err, f.Close())
			}, world.Careful())
			assert.Equal(t, wrong, err != nil, "old size %d: %v", size, err)
		}
	})
}

// If this fails, a misspelt hint has no effect, without a report.
func TestCarefulHints(t *testing.T) {
	hints := func(kv ...string) func(c *comm.Comm, fsys *iofile.FS) error {
		return func(c *comm.Comm, fsys *iofile.FS) error {
			info := comm.NewInfo()
			for i := 0; i < len(kv); i += 2 {
				if err := info.Set(kv[i], kv[i+1]); err != nil {
					return err
				}
			}
			f, err := iofile.Open(c, fsys, "f", iofile.Create|iofile.ReadWrite, iofile.WithInfo(info))
			if err != nil {
				return err
			}
			return f.Close()
		}
	}
	t.Run("IO-INFO-04 unknown keys", func(t *testing.T) {
		err := careful(t, 2, hints("cb_node", "4"))
		var found *world.LintError
		require.ErrorAs(t, err, &found)
		assert.Equal(t, []int{0, 1}, found.Ranks)
		assert.Contains(t, found.Text, `the hint "cb_node" is unknown, so it has no effect; did you mean cb_nodes?`)
		assert.ErrorContains(t, careful(t, 1, hints("quite_something_else", "4")), `"quite_something_else" is unknown, so it has no effect (`)
		assert.ErrorContains(t, careful(t, 1, hints("romio_cb_alltoal", "4")), "did you mean romio_cb_alltoall?")
	})
	t.Run("IO-INFO-08 malformed values", func(t *testing.T) {
		assert.ErrorContains(t, careful(t, 1, hints("cb_nodes", "four")), `the hint "cb_nodes" has the malformed value "four"`)
	})
	t.Run("IO-INFO-04 good ones", func(t *testing.T) {
		assert.NoError(t, careful(t, 2, hints("cb_nodes", "2", "striping_factor", "4", "romio_no_indep_rw", "true", "io_node_list", "x")))
	})
}

// If this fails, a program that waits for a value by reading the file in a loop hangs.
func TestCarefulPolls(t *testing.T) {
	t.Run("CONS-C2 a rank that reads in a loop", func(t *testing.T) {
		err := careful(t, 2, onFile(func(c *comm.Comm, f *iofile.File) error {
			got := []int32{0}
			if c.Rank() == 0 {
				_, err := f.WriteAt(types.Of([]int32{7}), 0)
				return err
			}
			for got[0] != 7 {
				if _, err := f.ReadAt(types.Of(got), 0); err != nil {
					return err
				}
			}
			return nil
		}))
		assert.ErrorContains(t, err, "ReadAt")
		assert.ErrorContains(t, err, "131072 times in a row and waits for another value, which it never sees")
		assert.ErrorContains(t, err, "(CONS-C2)")
	})
	t.Run("CONS-C2 a rank that reads other bytes in between", func(t *testing.T) {
		for name, next := range map[string]func(i int) (n int, off iofile.Offset){
			"elsewhere": func(i int) (int, iofile.Offset) { return 4, iofile.Offset(4 * (i % 2)) },
			"more":      func(i int) (int, iofile.Offset) { return 4 + i%2, 0 },
		} {
			assert.NoError(t, careful(t, 1, onFile(func(_ *comm.Comm, f *iofile.File) error {
				mem := make([]byte, 8)
				if _, err := f.WriteAt(types.Of(mem), 0); err != nil {
					return err
				}
				for i := range 1<<17 + 2 {
					n, off := next(i)
					if _, err := f.ReadAt(types.Of(mem[:n]), off); err != nil {
						return err
					}
				}
				return nil
			})), name)
		}
	})
}

// If this fails, options that are given with Careful are lost, or contradict in silence.
func TestCarefulOptions(t *testing.T) {
	exchange := func(c *comm.Comm, _ *iofile.FS) error {
		other := 1 - c.Rank()
		if err := c.Send(types.Of([]int32{1}), other, 0); err != nil {
			return err
		}
		_, err := c.Recv(types.Of(make([]int32, 1)), other, 0)
		return err
	}
	t.Run("WORLD-01 Eager(0), or what the program gives", func(t *testing.T) {
		var stuck *world.DeadlockError
		assert.ErrorAs(t, careful(t, 2, exchange), &stuck)
		assert.NoError(t, careful(t, 2, exchange, world.Eager(100)))
		assert.NoError(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error { return exchange(c, nil) },
			world.Eager(100), world.Careful()))
	})
	t.Run("WORLD-01 buffers", func(t *testing.T) {
		assert.ErrorContains(t, careful(t, 1, onFile(func(_ *comm.Comm, f *iofile.File) error {
			mine := []int32{1}
			q, err := f.IWriteAt(types.Of(mine), 0)
			if err != nil {
				return err
			}
			mine[0] = 2
			_, err = q.Wait()
			return err
		})), "IO-DA-12")
	})
	t.Run("WORLD-01 communicators", func(t *testing.T) {
		assert.ErrorContains(t, careful(t, 1, func(c *comm.Comm, _ *iofile.FS) error {
			_, err := c.Dup()
			return err
		}), "never freed")
	})
	t.Run("WORLD-01 Unchecked contradicts", func(t *testing.T) {
		assert.ErrorIs(t, careful(t, 1, exchange, world.Unchecked()), world.ErrArg)
	})
	t.Run("WORLD-01 with Explore and RunReport", func(t *testing.T) {
		open := func(_ context.Context, c *comm.Comm) error { _, err := c.Dup(); return err }
		x, err := world.Explore(t.Context(), 2, func() (func(context.Context, *comm.Comm) error, func() any) { return open, nil }, world.Careful())
		require.NoError(t, err)
		require.Len(t, x.Outcomes, 1)
		assert.ErrorContains(t, x.Outcomes[0].Err, "never freed")
		rep, err := world.RunReport(t.Context(), 2, open, world.Careful())
		assert.ErrorContains(t, err, "never freed")
		assert.NotEmpty(t, rep.Lints)
	})
}

// sourceOf is the file of the test as the compiler knows it.
func sourceOf(t *testing.T) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(1)
	require.True(t, ok)
	return file
}

// If this fails, commworld check does not reach the worlds of a program, or reads
// nothing back.
func TestCareVariable(t *testing.T) {
	leak := func(_ context.Context, c *comm.Comm) error { _, err := c.Dup(); return err }
	records := func(t *testing.T, name string) (all []world.CareRecord) {
		t.Helper()
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range bytes.Lines(text) {
			var r world.CareRecord
			require.NoError(t, json.Unmarshal(line, &r))
			all = append(all, r)
		}
		return all
	}
	t.Run("WORLD-01 ranks and records", func(t *testing.T) {
		report := filepath.Join(t.TempDir(), "a,b")
		t.Setenv(world.CareVariable, "on,ranks=3,allow=IO-SHP-04,report="+report)
		size := 0
		err := world.Run(t.Context(), 2, func(ctx context.Context, c *comm.Comm) error {
			if c.Rank() == 0 {
				size = c.Size()
			}
			return leak(ctx, c)
		}, world.Unchecked())
		assert.ErrorContains(t, err, "never freed")
		assert.Equal(t, 3, size)
		_, err = world.RunReport(t.Context(), 2, func(context.Context, *comm.Comm) error { return nil })
		require.NoError(t, err)
		all := records(t, report)
		require.Len(t, all, 4)
		assert.Equal(t, "begin", all[0].Event)
		assert.Equal(t, 3, all[0].Ranks)
		assert.Equal(t, 2, all[0].Asked)
		assert.Contains(t, all[0].Place.String(), "careful_test.go:")
		assert.Equal(t, all[0].World, all[1].World)
		require.Len(t, all[1].Findings, 1)
		assert.Equal(t, []int{0, 1, 2}, all[1].Findings[0].Ranks)
		assert.Contains(t, all[1].Error, "never freed")
		assert.Empty(t, all[3].Findings)
	})
	t.Run("WORLD-01 orders", func(t *testing.T) {
		for word, schedule := range map[string]string{"forward": "roundrobin", "backward": "roundrobin:reverse"} {
			report := filepath.Join(t.TempDir(), "report")
			t.Setenv(world.CareVariable, "order="+word+",report="+report)
			want := [2]int{1, 2}
			if word == "backward" {
				want = [2]int{2, 1}
			}
			require.NoError(t, world.Run(t.Context(), 3, func(_ context.Context, c *comm.Comm) error {
				if c.Rank() > 0 {
					return c.Send(types.Of([]byte{1}), 0, 0)
				}
				var order [2]int
				for i := range order {
					st, err := c.Recv(types.Of(make([]byte, 1)), comm.AnySource, 0)
					if err != nil {
						return err
					}
					order[i] = st.Source
				}
				if order != want {
					return fmt.Errorf("received from %v", order)
				}
				return nil
			}))
			require.NoError(t, world.Run(t.Context(), 2, func(context.Context, *comm.Comm) error { return nil }, world.Seed(7)))
			all := records(t, report)
			require.Len(t, all, 4)
			assert.Equal(t, []string{schedule, "random:7"}, []string{all[0].Schedule, all[2].Schedule})
		}
	})
	t.Run("WORLD-01 full records", func(t *testing.T) {
		report := filepath.Join(t.TempDir(), "report")
		t.Setenv(world.CareVariable, "full,order=random:3,report="+report)
		fsys := iofile.NewMem()
		require.NoError(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "letters", iofile.Create|iofile.WriteOnly)
			if err == nil {
				_, err = f.WriteAtAll(types.Of([]byte{'a', 'b'}), iofile.Offset(2*c.Rank()))
				err = errors.Join(err, f.Close())
			}
			return err
		}))
		all := records(t, report)
		require.Len(t, all, 2)
		assert.Equal(t, "random:3", all[1].Schedule)
		require.Len(t, all[1].Files, 1)
		writes := all[1].Files[0].Writes
		require.Len(t, writes, 2)
		for rank, w := range writes {
			assert.Equal(t, fmt.Sprint(2*rank, 2*rank+2, rank, "WriteAtAll"), fmt.Sprint(w.Lo, w.Hi, w.Rank, w.Op))
			assert.Equal(t, "careful_test.go", filepath.Base(w.Place.File))
		}
		assert.Len(t, all[1].Files[0].Reads, all[1].Ranks)
		assert.Len(t, all[1].Files[0].Gathered, all[1].Ranks)
		all[1].Files[0].Writes, all[1].Files[0].Reads, all[1].Files[0].Gathered = nil, nil, nil
		assert.Equal(t, []world.CareFile{{Name: "letters", Size: 4, Bytes: []byte("abab")}}, all[1].Files)
		require.NotNil(t, all[1].Report)
		require.Len(t, all[1].Report.Files, 1)
		assert.EqualValues(t, 2, all[1].Report.Files[0].Writes.Count)
	})
	t.Run("WORLD-01 time", func(t *testing.T) {
		t.Setenv(world.CareVariable, "timeout=50ms")
		err := world.Run(t.Context(), 1, func(ctx context.Context, _ *comm.Comm) error {
			<-ctx.Done()
			return ctx.Err()
		})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "longest time that COMMWORLD_CARE allows")
	})
	t.Run("WORLD-01 wrong arguments are recorded", func(t *testing.T) {
		report := filepath.Join(t.TempDir(), "report")
		t.Setenv(world.CareVariable, "report="+report)
		assert.ErrorIs(t, world.Run(t.Context(), 0, leak), world.ErrArg)
		all := records(t, report)
		require.Len(t, all, 2)
		assert.NotEmpty(t, all[1].Findings)
	})
	for _, wrong := range []string{"off", "ranks=0", "ranks=x", "order=", "order=up", "order=random:x", "timeout=-1s", "timeout=x", "allow=everything", "on,,"} {
		t.Run("WORLD-01 refused: "+wrong, func(t *testing.T) {
			t.Setenv(world.CareVariable, wrong)
			err := world.Run(t.Context(), 1, leak)
			assert.ErrorIs(t, err, world.ErrArg)
		})
	}
}

// If this fails, Careful and the two orders of Strict cannot be had together.
func TestCarefulStrict(t *testing.T) {
	t.Run("WORLD-01 two orders, and what one careful run finds", func(t *testing.T) {
		turn := 0
		steps := []func() int{func() int { turn++; return turn }} // which no reading of the source sees through
		err := world.Strict(t.Context(), 3, func() (func(context.Context, *comm.Comm) error, func() any) {
			turn = 0
			return func(_ context.Context, c *comm.Comm) error {
				return c.AllGather(types.Of([]int64{int64(steps[0]())}), types.Of(make([]int64, c.Size())))
			}, nil
		}, world.Careful())
		var order *world.UncontrolledError
		require.ErrorAs(t, err, &order)
		assert.True(t, order.Reordered)
		err = world.Strict(t.Context(), 3, func() (func(context.Context, *comm.Comm) error, func() any) {
			return func(_ context.Context, c *comm.Comm) error { _, err := c.Dup(); return err }, nil
		}, world.Careful())
		var lint *world.LintError
		assert.ErrorAs(t, err, &lint)
	})
}

// If this fails, a receive that is right only as long as no longer message comes is not
// noticed, or a program that does it on purpose cannot be careful.
func TestCarefulShortReceive(t *testing.T) {
	exchange := func(count int64) func(c *comm.Comm, _ *iofile.FS) error {
		return func(c *comm.Comm, _ *iofile.FS) error {
			if c.Rank() == 0 {
				return errors.Join(c.Send(types.Of(make([]float32, 10)), 1, 0), c.Send(types.Of(make([]float32, 8)), 1, 0))
			}
			for range 2 {
				if _, err := c.Recv(types.Of(make([]float32, 10)).Times(count), 0, 0); err != nil {
					return err
				}
			}
			return nil
		}
	}
	t.Run("P2P-09 WORLD-01 reported once, with its line", func(t *testing.T) {
		err := careful(t, 2, exchange(15))
		var found *world.LintError
		require.ErrorAs(t, err, &found)
		assert.Equal(t, "P2P-09", found.Rule)
		assert.Equal(t, []int{1}, found.Ranks)
		assert.Contains(t, found.Place, "careful_test.go:")
		assert.ErrorContains(t, err, "the count, 15 x float, is more than the memory holds, 40 bytes for 10 items")
		var all *world.CarefulError
		require.ErrorAs(t, err, &all)
		assert.Len(t, all.Lints, 1)
	})
	t.Run("P2P-09 P2P-07 a partitioned receive is refused, and needs no lint", func(t *testing.T) {
		err := careful(t, 1, func(c *comm.Comm, _ *iofile.FS) error {
			_, err := c.PRecvInit(types.Of(make([]float32, 10)).Times(15), 1, 0, 0)
			return err
		})
		var found *world.LintError
		assert.ErrorIs(t, err, comm.ErrBuffer)
		assert.False(t, errors.As(err, &found), "%v", err)
	})
	t.Run("P2P-09 WORLD-01 not reported", func(t *testing.T) {
		assert.NoError(t, careful(t, 2, exchange(10)))
		assert.NoError(t, careful(t, 2, exchange(15), world.Careful("P2P-09")))
		assert.NoError(t, world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error { return exchange(15)(c, nil) }))
	})
}

// If this fails, a race that comes about because a call failed is blamed on the offsets, or one that
// does not on a call that failed later, on another file or on a rank that does not race.
func TestCarefulBlamesFailedCalls(t *testing.T) {
	bad := func(c *comm.Comm) iofile.View {
		return iofile.View{Disp: int64(4 * c.Rank()), Etype: types.Int32, Filetype: types.Int32, Rep: "natvie"}
	}
	write := func(f *iofile.File) error {
		_, err := f.WriteAtAll(types.Of([]int32{1}), 0)
		return err
	}
	for name, x := range map[string]struct {
		blamed string // empty: none
		body   func(c *comm.Comm, f *iofile.File) error
	}{
		"a view": {"SetView of ranks 0-1 had failed at careful_test.go:", func(c *comm.Comm, f *iofile.File) error {
			_ = f.SetView(bad(c))
			return write(f)
		}},
		"a seek of one rank": {"Seek of rank 1 had failed at careful_test.go:", func(c *comm.Comm, f *iofile.File) error {
			if c.Rank() == 1 {
				_ = f.Seek(-4, iofile.SeekSet)
			}
			_, err := f.WriteAll(types.Of([]int32{1}))
			return err
		}},
		"afterwards": {"", func(c *comm.Comm, f *iofile.File) error {
			err := write(f)
			_ = f.SetView(bad(c))
			return err
		}},
		"handled": {"", func(c *comm.Comm, f *iofile.File) error {
			if err := f.SetView(bad(c)); err == nil {
				return errors.New("a view of an unknown representation")
			}
			return write(f)
		}},
		"a message": {"", func(c *comm.Comm, f *iofile.File) error {
			_ = c.Send(types.Of([]int32{1}), 7, 0)
			return write(f)
		}},
		"another rank": {"", func(c *comm.Comm, f *iofile.File) error {
			if c.Rank() == 2 {
				_ = f.Seek(-4, iofile.SeekSet)
				return nil
			}
			_, err := f.WriteAt(types.Of([]int32{1}), 0)
			return err
		}},
	} {
		t.Run("WORLD-01 "+name, func(t *testing.T) {
			ranks := 2
			if name == "another rank" {
				ranks = 3
			}
			var race *consistency.RaceError
			require.ErrorAs(t, careful(t, ranks, onFile(x.body)), &race)
			if x.blamed == "" {
				assert.Empty(t, race.After)
				return
			}
			assert.Contains(t, race.After, x.blamed)
			assert.Equal(t, "first let these calls succeed, because the race may be their effect", race.Fix)
			assert.NotContains(t, race.Report(), "offset depend")
		})
	}
}
