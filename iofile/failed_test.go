package iofile_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/faults"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// A way is one of the calls that write, or read, six integers.
type way struct {
	name       string
	pointer    string // "", "own" or "shared"
	collective bool
	write      func(f *iofile.File, b types.Buffer) (iofile.Status, error)
	read       func(f *iofile.File, b types.Buffer) (iofile.Status, error)
}

func waiting(q *comm.Request, err error) (iofile.Status, error) { return completed(q, err) }

func pair(begin func(types.Buffer) error, end func(types.Buffer) (iofile.Status, error), b types.Buffer) (iofile.Status, error) {
	if err := begin(b); err != nil {
		return iofile.Status{}, err
	}
	return end(b)
}

var ways = []way{
	{"At", "", false, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return f.WriteAt(b, 1) }, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return f.ReadAt(b, 1) }},
	{"IAt", "", false, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return waiting(f.IWriteAt(b, 1)) }, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return waiting(f.IReadAt(b, 1)) }},
	{"AtAll", "", true, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return f.WriteAtAll(b, 1) }, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return f.ReadAtAll(b, 1) }},
	{"IAtAll", "", true, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return waiting(f.IWriteAtAll(b, 1)) }, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return waiting(f.IReadAtAll(b, 1)) }},
	{"", "own", false, (*iofile.File).Write, (*iofile.File).Read},
	{"I", "own", false, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return waiting(f.IWrite(b)) }, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return waiting(f.IRead(b)) }},
	{"All", "own", true, (*iofile.File).WriteAll, (*iofile.File).ReadAll},
	{"IAll", "own", true, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return waiting(f.IWriteAll(b)) }, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return waiting(f.IReadAll(b)) }},
	{"AllBegin/End", "own", true, func(f *iofile.File, b types.Buffer) (iofile.Status, error) {
		return pair(f.WriteAllBegin, f.WriteAllEnd, b)
	}, func(f *iofile.File, b types.Buffer) (iofile.Status, error) {
		return pair(f.ReadAllBegin, f.ReadAllEnd, b)
	}},
	{"Shared", "shared", false, (*iofile.File).WriteShared, (*iofile.File).ReadShared},
	{"IShared", "shared", false, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return waiting(f.IWriteShared(b)) }, func(f *iofile.File, b types.Buffer) (iofile.Status, error) { return waiting(f.IReadShared(b)) }},
	{"Ordered", "shared", true, (*iofile.File).WriteOrdered, (*iofile.File).ReadOrdered},
	{"OrderedBegin/End", "shared", true, func(f *iofile.File, b types.Buffer) (iofile.Status, error) {
		return pair(f.WriteOrderedBegin, f.WriteOrderedEnd, b)
	}, func(f *iofile.File, b types.Buffer) (iofile.Status, error) {
		return pair(f.ReadOrderedBegin, f.ReadOrderedEnd, b)
	}},
}

// If this fails, a program that writes until the store is full, or reads until it fails,
// does not know how many bytes were moved, or continues at a wrong position.
func TestFailedAccess(t *testing.T) {
	const total, items, asked = 24, 6, 10 // bytes of an access; ten of them move
	holes := types.Resized(types.Contiguous(2, types.Int), 0, 16)
	memory := types.Resized(types.Contiguous(1, types.Int), 0, 12) // with holes, too
	for _, how := range []struct {
		name string
		rep  string
		opts []iofile.OpenOption
		fill iofile.Option
	}{
		{name: "POSIX", fill: iofile.WithModel(consistency.POSIX)},
		{name: "session", fill: iofile.WithModel(consistency.Session)},
		{name: "external32", rep: "external32", fill: iofile.WithModel(consistency.POSIX)},
		{name: "progress", fill: iofile.WithModel(consistency.POSIX), opts: []iofile.OpenOption{iofile.WithCallbacks(iofile.Callbacks{})}},
		{name: "list", fill: iofile.WithModel(consistency.POSIX), opts: []iofile.OpenOption{iofile.WithStrategy(strategy.List{Most: 2})}},
		{name: "sieve", fill: iofile.WithModel(consistency.POSIX), opts: []iofile.OpenOption{iofile.WithStrategy(strategy.Sieve{Read: strategy.Disable, Write: strategy.Disable})}},
	} {
		for _, w := range ways {
			for _, write := range []bool{true, false} {
				verb := "read"
				if write {
					verb = "write"
				}
				t.Run(fmt.Sprintf("IO-DA-09 IO-IND-03 IO-SHP-05 IO-SHP-06 %s %s%s", how.name, verb, w.name), func(t *testing.T) {
					fsys, plan := planned(t, "", how.fill)
					put(t, fsys, "f", string(slices.Repeat([]byte{0}, 400)))
					ranks(t, 2, func(c *comm.Comm) error {
						f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite, how.opts...)
						if err != nil {
							return err
						}
						if err = f.SetView(iofile.View{Etype: types.Int, Filetype: holes, Rep: how.rep}); err != nil {
							return err
						}
						mem := make([]byte, 12*items)
						for i := range mem {
							mem[i] = 0x77
						}
						buf := types.Raw(mem, items, memory)
						call := w.read
						if write {
							call = w.write
						}
						if err := c.Barrier(); err != nil {
							return err
						}
						if c.Rank() == 0 {
							// rank 1 fails after ten bytes, in the middle of its third item
							assert.NoError(t, plan.Set(faults.Must(fmt.Sprintf("%s error=nospace after=%d rank=1", verb, asked))...))
						}
						if err := c.Barrier(); err != nil {
							return err
						}
						var st iofile.Status
						var failed error
						if w.collective || c.Rank() == 1 {
							st, failed = call(f, buf)
							assert.ErrorIs(t, failed, iofile.ErrNoSpace)
						}
						n, _ := st.Count(types.Byte)
						at := int64(0)
						if c.Rank() == 1 {
							moved := int64(asked)
							if !write {
								moved = 8 // the request to the store includes the bytes between: ten bytes from the first are two items
								if w.pointer == "" {
									moved = 4
								}
							}
							converts := how.rep != "" || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 // native is little-endian
							if converts && moved%4 != 0 {
								moved = moved/4*4 + 1 // part of an item: no whole count
							}
							assert.Equal(t, moved, n, "%v", failed)
							at = moved / 4
							if !write {
								for i := range moved / 4 {
									assert.NotEqual(t, byte(0x77), mem[12*i], "item %d was read", i)
								}
								assert.Equal(t, byte(0x77), mem[12*3], "item 3 was not")
							}
						} else if w.collective {
							assert.EqualValues(t, total, n)
							at = items
						}
						if w.pointer == "own" {
							pos, err := f.Position()
							assert.NoError(t, err)
							assert.EqualValues(t, at, pos)
						}
						if err := c.Barrier(); err != nil {
							return err
						}
						if w.pointer == "shared" {
							pos, err := f.PositionShared()
							assert.NoError(t, err)
							if w.collective {
								assert.Zero(t, pos, "an ordered access begins anew")
							} else {
								assert.LessOrEqual(t, int64(pos), int64(2))
								assert.NotZero(t, pos)
							}
						}
						if err := c.Barrier(); err != nil {
							return err
						}
						if c.Rank() == 0 {
							assert.NoError(t, plan.Set())
						}
						return f.Close()
					}, world.Unchecked())
				})
			}
		}
	}
	t.Run("IO-SHP-04 what others got at the shared pointer meanwhile they keep", func(t *testing.T) {
		fsys, plan := planned(t, "", iofile.WithModel(consistency.POSIX))
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			q, err := f.IWriteShared(chars("abc"))
			if err != nil {
				return err
			}
			assert.NoError(t, second(f.WriteShared(chars("def"))))
			assert.NoError(t, plan.Set(faults.Must("write error=io")...))
			_, err = q.Wait()
			assert.ErrorIs(t, err, iofile.ErrIO)
			assert.NoError(t, plan.Set())
			pos, err := f.PositionShared()
			assert.EqualValues(t, 6, pos)
			return err
		})
		assert.Equal(t, "\x00\x00\x00def", get(t, fsys, "f"))
	})
	t.Run("IO-IND-04 an individual pointer that was moved since stays", func(t *testing.T) {
		fsys, plan := planned(t, "", iofile.WithModel(consistency.POSIX))
		with(t, 1, fsys, "f", create, func(f *iofile.File, _ int) error {
			q, err := f.IWrite(chars("abc"))
			if err != nil {
				return err
			}
			assert.NoError(t, f.Seek(3, iofile.SeekSet), "where it is already")
			assert.NoError(t, plan.Set(faults.Must("write error=io")...))
			_, err = q.Wait()
			assert.ErrorIs(t, err, iofile.ErrIO)
			assert.NoError(t, plan.Set())
			pos, err := f.Position()
			assert.EqualValues(t, 3, pos)
			return err
		})
	})
	t.Run("IO-DA-09 what aggregators placed for a rank counts", func(t *testing.T) {
		fsys, plan := planned(t, "", iofile.WithModel(consistency.POSIX))
		two := strategy.TwoPhase{Nodes: 1, Buffer: 16, Write: strategy.Enable}
		with(t, 2, fsys, "f", create, func(f *iofile.File, r int) error {
			err := f.SetView(iofile.View{Disp: int64(4 * r), Etype: types.Char, Filetype: types.Resized(types.Contiguous(4, types.Char), 0, 8)})
			if err != nil {
				return err
			}
			return nil
		})
		assert.NoError(t, plan.Set(faults.Must("write error=nospace after=22")...))
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadWrite, iofile.WithStrategy(two))
			if err != nil {
				return err
			}
			r := c.Rank()
			if err := f.SetView(iofile.View{Disp: int64(4 * r), Etype: types.Char, Filetype: types.Resized(types.Contiguous(4, types.Char), 0, 8)}); err != nil {
				return err
			}
			st, err := f.WriteAll(chars([]string{"aaaabbbbcccc", "AAAABBBBCCCC"}[r]))
			assert.ErrorIs(t, err, iofile.ErrNoSpace)
			n, _ := st.Count(types.Byte)
			assert.EqualValues(t, []int64{12, 10}[r], n) // aaaaAAAAbbbbBBBBccccCC
			pos, err := f.Position()
			assert.Zero(t, pos)
			_ = f.Close()
			return err
		}, world.Unchecked())
		assert.Equal(t, "aaaaAAAAbbbbBBBBccccCC", get(t, fsys, "f"))
	})
}
