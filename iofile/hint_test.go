package iofile_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lintsOf runs a program on a file that holds old, "" for none, and returns the
// lints of its report, each as "rank op: text (rule)".
func lintsOf(t *testing.T, ranks int, old string, mode iofile.Mode, body func(f *iofile.File, c *comm.Comm) error, opts ...world.Option) []string {
	t.Helper()
	fsys := iofile.NewMem()
	if old != "" {
		put(t, fsys, "f", old)
	}
	rep, err := world.RunReport(t.Context(), ranks, func(_ context.Context, c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", mode)
		if err != nil {
			return err
		}
		return errors.Join(body(f, c), f.Close())
	}, opts...)
	require.NoError(t, err)
	list := []string{}
	for _, l := range rep.Lints {
		assert.Contains(t, l.Place, "_test.go:")
		assert.Contains(t, rep.String(), l.Text)
		list = append(list, fmt.Sprintf("%d %s: %s (%s)", l.Rank, l.Op, l.Text, l.Rule))
	}
	return list
}

func writeText(f *iofile.File, text string, at iofile.Offset) error {
	_, err := f.WriteAt(types.Of([]byte(text)), at)
	return err
}

func readBytes(f *iofile.File, n int, at iofile.Offset) error {
	_, err := f.ReadAt(types.Of(make([]byte, n)), at)
	return err
}

// If this fails, a program that reads bytes that no rank wrote, which differ between
// libraries, gets no report; or a program gets one for bytes that were written.
func TestHoleReads(t *testing.T) {
	const mode = iofile.Create | iofile.ReadWrite
	t.Run("IO-SIZE-06 bytes between what was written", func(t *testing.T) {
		assert.Equal(t, []string{"0 ReadAt: no rank ever wrote bytes 2 to 3 and 1 more range; a read there returns no particular value (IO-SIZE-06)"},
			lintsOf(t, 1, "", mode, func(f *iofile.File, _ *comm.Comm) error {
				return errors.Join(writeText(f, "ab", 0), writeText(f, "ef", 4), writeText(f, "i", 8), readBytes(f, 9, 0))
			}))
	})
	t.Run("IO-SIZE-06 a read that finds the end", func(t *testing.T) {
		assert.Equal(t, []string{"0 ReadAt: no rank ever wrote byte 1; a read there returns no particular value (IO-SIZE-06)"},
			lintsOf(t, 1, "", mode, func(f *iofile.File, _ *comm.Comm) error {
				return errors.Join(writeText(f, "a", 0), writeText(f, "c", 2), readBytes(f, 100, 0))
			}))
	})
	t.Run("IO-SIZE-01 what a size brought", func(t *testing.T) {
		assert.Equal(t, []string{"0 ReadAt: no rank ever wrote bytes 0 to 3; a read there returns no particular value; so on 2 more ranks (IO-SIZE-06)"},
			lintsOf(t, 3, "", mode, func(f *iofile.File, _ *comm.Comm) error {
				return errors.Join(f.SetSize(8), readBytes(f, 4, 0))
			}))
	})
	t.Run("IO-SIZE-01 what was cut off", func(t *testing.T) {
		assert.Equal(t, []string{"0 ReadAt: no rank ever wrote bytes 2 to 3; a read there returns no particular value (IO-SIZE-06)"},
			lintsOf(t, 1, "olds", mode, func(f *iofile.File, _ *comm.Comm) error {
				return errors.Join(f.SetSize(2), f.SetSize(8), readBytes(f, 4, 0))
			}))
	})
	t.Run("IO-SIZE-01 what was read before it was cut off", func(t *testing.T) {
		reads := map[string]func(f *iofile.File, c *comm.Comm) error{
			"blocking":    func(f *iofile.File, _ *comm.Comm) error { return readBytes(f, 8, 0) },
			"to the end":  func(f *iofile.File, _ *comm.Comm) error { return readBytes(f, 99, 0) },
			"collective":  func(f *iofile.File, _ *comm.Comm) error { return second(f.ReadAtAll(types.Of(make([]byte, 8)), 0)) },
			"by one rank": func(f *iofile.File, c *comm.Comm) error { return readBytes(f, 8*c.Rank(), 0) },
			"nonblocking": func(f *iofile.File, _ *comm.Comm) error {
				q, err := f.IReadAt(types.Of(make([]byte, 8)), 0)
				if err == nil {
					_, err = q.Wait()
				}
				return err
			},
		}
		cuts := map[string]func(f *iofile.File) error{
			"SetSize":             func(f *iofile.File) error { return f.SetSize(3) },
			"SetSize twice":       func(f *iofile.File) error { return errors.Join(f.SetSize(5), f.SetSize(0)) },
			"SetSize and longer":  func(f *iofile.File) error { return errors.Join(f.SetSize(3), f.SetSize(20)) },
			"SetSize and reserve": func(f *iofile.File) error { return errors.Join(f.SetSize(3), f.Preallocate(20)) },
		}
		for how, read := range reads {
			for by, cut := range cuts {
				assert.Empty(t, lintsOf(t, 2, "12345678", iofile.ReadWrite, func(f *iofile.File, c *comm.Comm) error {
					return errors.Join(read(f, c), c.Barrier(), cut(f))
				}), "%s, %s", how, by)
			}
		}
	})
	t.Run("IO-SIZE-06 what was there, and what others wrote", func(t *testing.T) {
		assert.Empty(t, lintsOf(t, 4, "olds", mode, func(f *iofile.File, c *comm.Comm) error {
			v := iofile.View{Disp: int64(4 + c.Rank()), Etype: types.Byte, Filetype: types.Resized(types.Byte, 0, 4)}
			err := errors.Join(f.SetView(v), writeText(f, strings.Repeat("x", 5000), 0))
			err = errors.Join(err, syncBarrierSync(f, c), f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte}))
			return errors.Join(err, readBytes(f, 20004, 0))
		}))
	})
	t.Run("IO-SIZE-06 in a long run, which forgets", func(t *testing.T) {
		body := func(read bool) func(f *iofile.File, c *comm.Comm) error {
			return func(f *iofile.File, c *comm.Comm) error {
				if err := f.SetSize(3000 * 2 * 7); err != nil {
					return err
				}
				for i := range 3000 {
					at := iofile.Offset(i*c.Size()+c.Rank()) * 7 // scattered, so that extents are many
					err := writeText(f, "abc", at)
					if read && i == 5 {
						err = errors.Join(err, readBytes(f, 5, at))
					}
					if i%100 == 99 {
						err = errors.Join(err, syncBarrierSync(f, c), readBytes(f, 3, at))
					}
					if err != nil {
						return err
					}
				}
				return nil
			}
		}
		for _, l := range lintsOf(t, 2, "", mode, body(false)) {
			assert.NotContains(t, l, "no rank ever wrote")
		}
		got := strings.Join(lintsOf(t, 2, "", mode, body(true)), "\n")
		assert.Contains(t, got, "0 ReadAt: no rank ever wrote bytes 73 to 74; ")
	})
}

// If this fails, no report says that a file still has the end of an older, longer file, and
// a reader takes that for data.
func TestLeftovers(t *testing.T) {
	const mode = iofile.Create | iofile.ReadWrite
	write := func(f *iofile.File, c *comm.Comm) error { return writeText(f, "new", iofile.Offset(3*c.Rank())) }
	t.Run("IO-AMODE-04 old bytes behind the new ones", func(t *testing.T) {
		assert.Equal(t, []string{"0 Open: Create leaves a file that exists as it is: it had 10 bytes, what this run wrote ends at 6, and bytes 6 to 9 are left over from before; " +
			"call SetSize, or delete the file first, unless they are meant to stay (IO-AMODE-04)"},
			lintsOf(t, 2, "0123456789", mode, write))
	})
	for name, c := range map[string]struct {
		old  string
		mode iofile.Mode
		body func(f *iofile.File, c *comm.Comm) error
	}{
		"IO-SIZE-01 SetSize":                  {"0123456789", mode, func(f *iofile.File, c *comm.Comm) error { return errors.Join(f.SetSize(0), write(f, c)) }},
		"IO-SIZE-01 SetSize afterwards":       {"0123456789", mode, func(f *iofile.File, c *comm.Comm) error { return errors.Join(write(f, c), f.SetSize(6)) }},
		"IO-AMODE-04 no Create: an update":    {"0123456789", iofile.ReadWrite, write},
		"IO-AMODE-04 all is overwritten":      {"012345", mode, write},
		"IO-AMODE-04 a new file":              {"", mode, write},
		"IO-AMODE-04 nothing is written":      {"0123456789", mode, func(*iofile.File, *comm.Comm) error { return nil }},
		"IO-AMODE-04 the end is read":         {"0123456789", mode, func(f *iofile.File, c *comm.Comm) error { return errors.Join(write(f, c), readBytes(f, 2, 8)) }},
		"IO-AMODE-09 Append":                  {"0123456789", mode | iofile.Append, func(f *iofile.File, _ *comm.Comm) error { _, err := f.WriteOrdered(types.Of([]byte("x"))); return err }},
		"IO-AMODE-06 the file is scaffolding": {"0123456789", mode | iofile.DeleteOnClose, write},
	} {
		t.Run(name, func(t *testing.T) { assert.Empty(t, lintsOf(t, 2, c.old, c.mode, c.body)) })
	}
}

// If this fails, no report says that a view after Append leads a program to write over old data, or
// a program that writes behind them gets a false report.
func TestAppendBeforeView(t *testing.T) {
	one := types.Of([]byte("x"))
	for name, c := range map[string]struct {
		want string // empty: no report
		body func(f *iofile.File) error
	}{
		"over old data":     {"0 Write: it writes over old data, from byte 0 of the 10 that the file had", func(f *iofile.File) error { return nil }},
		"from the last one": {"0 Write: it writes over old data, from byte 9 of the 10", func(f *iofile.File) error { return second(f.Read(types.Of(make([]byte, 9)))) }},
		"behind them":       {"", func(f *iofile.File) error { return second(f.Read(types.Of(make([]byte, 10)))) }},
		"after a seek":      {"", func(f *iofile.File) error { return f.Seek(0, iofile.SeekEnd) }},
	} {
		t.Run(name, func(t *testing.T) {
			got := lintsOf(t, 1, "0123456789", iofile.ReadWrite|iofile.Append, func(f *iofile.File, _ *comm.Comm) error {
				return errors.Join(f.SetView(v(0, types.Byte, types.Byte)), c.body(f), second(f.Write(one)))
			})
			if c.want == "" {
				assert.Empty(t, got)
				return
			}
			if assert.Len(t, got, 1) {
				assert.Contains(t, got[0], c.want)
			}
		})
	}
}

// If this fails, no report says that the order of records in a log depends on chance, or a
// program that orders them gets a false report.
func TestOrderAtTheSharedPointer(t *testing.T) {
	const mode = iofile.Create | iofile.ReadWrite
	one := types.Of([]byte("x"))
	writeShared := func(f *iofile.File) error { _, err := f.WriteShared(one); return err }
	open := func(op string) string {
		return "the order of ranks 0 and 1 at the shared pointer is not determined: " + op + " at hint_test.go:"
	}
	for name, c := range map[string]struct {
		want string // empty: it is determined
		body func(f *iofile.File, c *comm.Comm) error
	}{
		"IO-SHP-04 two writers": {"0 WriteShared: " + open("WriteShared"), func(f *iofile.File, _ *comm.Comm) error {
			return writeShared(f)
		}},
		"IO-SHP-04 in order by a barrier": {"", func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 0 {
				return errors.Join(writeShared(f), c.Barrier())
			}
			return errors.Join(c.Barrier(), writeShared(f))
		}},
		"IO-SHP-06 ordered": {"", func(f *iofile.File, _ *comm.Comm) error {
			_, err := f.WriteOrdered(one)
			_, e := f.WriteOrdered(one)
			return errors.Join(err, e)
		}},
		"IO-SHP-07 ordered and alone": {"0 WriteOrdered: " + open("WriteOrdered"), func(f *iofile.File, c *comm.Comm) (err error) {
			if c.Rank() == 1 {
				err = writeShared(f)
			}
			_, e := f.WriteOrdered(one)
			return errors.Join(err, e)
		}},
		"IO-SHP-08 seek_shared and alone": {"0 WriteShared: " + open("WriteShared"), func(f *iofile.File, c *comm.Comm) (err error) {
			if c.Rank() == 0 {
				err = writeShared(f)
			}
			return errors.Join(err, f.SeekShared(8, iofile.SeekSet))
		}},
		"IO-SHP-08 seek_shared by all": {"", func(f *iofile.File, _ *comm.Comm) error {
			return errors.Join(f.SeekShared(8, iofile.SeekSet), f.SeekShared(9, iofile.SeekSet))
		}},
		"IO-SHP-09 looking at it": {"0 PositionShared: " + open("PositionShared"), func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 1 {
				return writeShared(f)
			}
			_, err := f.PositionShared()
			return err
		}},
		"IO-SHP-09 two that look at it": {"", func(f *iofile.File, _ *comm.Comm) error {
			_, err := f.PositionShared()
			return err
		}},
		"IO-SHP-05 nonblocking, which moves it at once": {"0 IWriteShared: " + open("IWriteShared"), func(f *iofile.File, _ *comm.Comm) error {
			q, err := f.IWriteShared(one)
			if err == nil {
				_, err = q.Wait()
			}
			return err
		}},
		"IO-SHP-05 nonblocking, reported before its end": {"", func(f *iofile.File, c *comm.Comm) error {
			if c.Rank() == 1 {
				return errors.Join(c.Barrier(), writeShared(f))
			}
			q, err := f.IWriteShared(one)
			if err = errors.Join(err, c.Barrier()); err == nil {
				_, err = q.Wait()
			}
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(5) { // the report does not depend on the seed
				got := lintsOf(t, 2, "", mode, c.body, world.Seed(seed))
				if c.want == "" {
					assert.Empty(t, got)
					continue
				}
				advice := "; use WriteOrdered or ReadOrdered, or order the two by a message or barrier, if their order matters (IO-SHP-04)"
				if strings.Contains(c.want, "WriteOrdered") || strings.HasPrefix(name, "IO-SHP-08") {
					advice = "; the collective call need not wait for all ranks; put a barrier of all ranks between the two (IO-SHP-04)"
				}
				if assert.Len(t, got, 1) {
					assert.True(t, strings.HasPrefix(got[0], c.want), got[0])
					assert.True(t, strings.HasSuffix(got[0], advice), got[0])
				}
			}
		})
	}
	t.Run("IO-SHP-01 pointers of two opens", func(t *testing.T) {
		rep, err := world.RunReport(t.Context(), 2, func(_ context.Context, c *comm.Comm) error {
			f, err := iofile.Open(c.Self(), iofile.NewMem(), "f", mode)
			if err != nil {
				return err
			}
			return errors.Join(writeShared(f), f.Close())
		})
		require.NoError(t, err)
		assert.Empty(t, rep.Lints)
	})
}
