package world_test

import (
	"context"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// stale is a program in which rank 0 writes, and rank 1 reads after a barrier; with sync,
// after sync, barrier and sync.
func stale(sync bool) func(context.Context, *comm.Comm) error {
	fsys := iofile.NewMem()
	return func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "data", iofile.ReadWrite|iofile.Create)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			if _, err := f.WriteAt(types.Of([]byte("AB")), 0); err != nil {
				return err
			}
		}
		if sync {
			if err := f.Sync(); err != nil {
				return err
			}
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		if sync {
			if err := f.Sync(); err != nil {
				return err
			}
		}
		if c.Rank() == 1 {
			if _, err := f.ReadAt(types.Of(make([]byte, 2)), 0); err != nil && !errors.Is(err, io.EOF) {
				return err
			}
		}
		return f.Close()
	}
}

// pageSteps returns the steps of a page.
func pageSteps(t *testing.T, page string) (all []string) {
	t.Helper()
	for _, s := range strings.Split(page, `<section class="step"`)[1:] {
		s, _, _ = strings.Cut(s, "</section>")
		all = append(all, s)
	}
	require.NotEmpty(t, all)
	return all
}

// A page must show every collective call, and the fix of each race.
func TestHTMLIsComplete(t *testing.T) {
	fsys := iofile.NewMem()
	var page strings.Builder
	err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "data", iofile.ReadWrite|iofile.Create)
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			_, err = f.WriteAt(types.Of([]byte("AB")), 0)
		}
		err = errors.Join(err, f.SetAtomicity(false), f.SetSize(8), f.SeekShared(1, iofile.SeekSet), c.Barrier())
		if c.Rank() == 1 {
			_, e := f.ReadAt(types.Of(make([]byte, 2)), 0)
			err = errors.Join(err, e)
		}
		return errors.Join(err, f.Close())
	}, world.Trace(&page, world.HTML))
	var races consistency.Races
	require.ErrorAs(t, err, &races)
	for _, call := range []string{"SetAtomicity", "SetSize", "SeekShared", "Close"} {
		assert.Equal(t, 2, strings.Count(page.String(), "1: "+call)+strings.Count(page.String(), "0: "+call), call)
	}
	for _, r := range races {
		assert.Contains(t, html.UnescapeString(page.String()), r.Report())
	}
}

func TestHTML(t *testing.T) {
	t.Run("CONS-D01 a page of its own shows what a read may return", func(t *testing.T) {
		var page strings.Builder
		err := world.Run(t.Context(), 2, stale(false), world.Trace(&page, world.HTML))
		assert.ErrorContains(t, err, "race")
		if file := os.Getenv("WORLD_HTML"); file != "" {
			require.NoError(t, os.WriteFile(file, []byte(page.String()), 0o666))
		}
		text := page.String()
		assert.NotContains(t, strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""), "http", "it needs nothing from elsewhere")
		assert.NotContains(t, text, "{{")
		assert.Less(t, len(text), 100_000)
		all := pageSteps(t, text)
		assert.Len(t, all, 9, "before the first call, and two calls each of Open, Barrier, Close, one of WriteAt and ReadAt")
		assert.NotContains(t, all[0], "<svg")
		open := false
		for i, s := range all {
			if strings.Contains(s, "WriteAt") {
				open = true
			}
			if open && strings.Contains(s, "rank 1: ReadAt") {
				assert.Contains(t, all[i-1], "the file may end before them", "an old file, or the new bytes")
				assert.Contains(t, all[i-1], `&#34;AB&#34;`)
			}
		}
		assert.True(t, open)
		assert.Contains(t, text, "race 1")
	})
	t.Run("after sync, barrier and sync there is one value", func(t *testing.T) {
		var page strings.Builder
		require.NoError(t, world.Run(t.Context(), 2, stale(true), world.Trace(&page, world.HTML)))
		all := pageSteps(t, page.String())
		for i, s := range all {
			if strings.Contains(s, "rank 1: ReadAt") {
				assert.NotContains(t, all[i-1], "the file may end before them")
				assert.Contains(t, all[i-1], `&#34;AB&#34;`)
			}
		}
		assert.Contains(t, page.String(), "no errors, no races")
		assert.Regexp(t, `rank 1 has file data open from html_test.go:\d+ to html_test.go:\d+, syncs in html_test.go:\d+, html_test.go:\d+\.`, page.String())
	})
	t.Run("values are shown by the type of the accesses", func(t *testing.T) {
		for _, c := range []struct {
			name   string
			writes []types.Buffer
			want   string
			opts   []world.Option
		}{
			{"int", []types.Buffer{types.Of([]int32{5, -1})}, "5 -1", nil},
			{"double", []types.Buffer{types.Of([]float64{1.5})}, ">1.5<", nil},
			{"other byte order", []types.Buffer{types.Of([]int32{5})}, ">5<", []world.Option{world.Arch(0, reps.LP64BE)}},
			{"bytes", []types.Buffer{types.Of([]byte{1, 2})}, "01 02", nil},
			{"text", []types.Buffer{types.Of([]byte("AAAA\n"))}, "&#34;AAAA&#34; 0a", nil},
			{"several types", []types.Buffer{types.Of([]int32{5}), types.Of([]int16{7})}, "05 000000", nil},
		} {
			var page strings.Builder
			fsys := iofile.NewMem()
			require.NoError(t, world.Run(t.Context(), 1, func(_ context.Context, comm *comm.Comm) error {
				f, err := iofile.Open(comm, fsys, "data", iofile.ReadWrite|iofile.Create)
				if err != nil {
					return err
				}
				for i, b := range c.writes {
					if _, err := f.WriteAt(b, iofile.Offset(16*i)); err != nil {
						return err
					}
				}
				return f.Close()
			}, append(c.opts, world.Trace(&page, world.HTML))...), c.name)
			assert.Contains(t, page.String(), c.want, c.name)
		}
	})
	t.Run("the same run gives the same page", func(t *testing.T) {
		pages := [2]strings.Builder{}
		for i := range pages {
			require.NoError(t, world.Run(t.Context(), 2, stale(true), world.Trace(&pages[i], world.HTML), world.Seed(3)))
		}
		assert.Equal(t, pages[0].String(), pages[1].String())
	})
	t.Run("a deadlock, and text that is not markup", func(t *testing.T) {
		var page strings.Builder
		err := world.Run(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			if c.Rank() == 0 {
				if err := c.SetName("<b>&"); err != nil {
					return err
				}
			}
			_, err := c.Recv(types.Of([]byte{0}), 1-c.Rank(), 0)
			return err
		}, world.Trace(&page, world.HTML))
		assert.Error(t, err)
		assert.NotContains(t, page.String(), "<b>")
		d := xml.NewDecoder(strings.NewReader(page.String()[strings.Index(page.String(), `<div class="scroll" id="diagram"`):strings.Index(page.String(), "<script>")]))
		d.Strict = true
		for {
			if _, err := d.Token(); err != nil {
				assert.ErrorIs(t, err, io.EOF)
				break
			}
		}
	})
	t.Run("the page names unknown bytes", func(t *testing.T) {
		var page strings.Builder
		fsys := iofile.NewMem(iofile.WithModel(consistency.POSIX))
		require.NoError(t, world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "data", iofile.ReadWrite|iofile.Create)
			if err != nil {
				return err
			}
			return f.Close()
		}, world.Trace(&page, world.HTML)))
		assert.Contains(t, page.String(), "what ranks may read is not known")
	})
	t.Run("wrong options", func(t *testing.T) {
		body := func(context.Context, *comm.Comm) error { return nil }
		assert.ErrorContains(t, world.Run(t.Context(), 1, body, world.Trace(nil, world.HTML)), "the writer is nil")
		assert.ErrorContains(t, world.Run(t.Context(), 1, body, world.Trace(io.Discard, world.HTML), world.Unchecked()), "HTML need the clocks")
		assert.ErrorContains(t, world.Run(t.Context(), 1, body, world.Trace(io.Discard, world.HTML), world.Engine("mpi")), "HTML) needs the ranks in one process")
		assert.ErrorContains(t, world.Run(t.Context(), 1, body, world.Trace(failing{}, world.HTML)), "writing the page")
	})
	t.Run("no ranks did anything", func(t *testing.T) {
		var page strings.Builder
		require.NoError(t, world.Run(t.Context(), 3, func(context.Context, *comm.Comm) error { return nil }, world.Trace(&page, world.HTML)))
		assert.Len(t, pageSteps(t, page.String()), 1)
	})
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// A writer that takes a part of the page without an error must be reported, or the rest of
// the page would be lost.
func TestHTMLShortWrite(t *testing.T) {
	err := world.Run(t.Context(), 1, func(context.Context, *comm.Comm) error { return nil }, world.Trace(shortWriter{}, world.HTML))
	assert.ErrorIs(t, err, io.ErrShortWrite)
}

type shortWriter struct{}

func (shortWriter) Write([]byte) (int, error) { return 0, nil }
