package iofile_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
	"github.com/stretchr/testify/assert"
)

// matched opens a file under a policy, on one rank of architecture a.
func matched(t *testing.T, fsys *iofile.FS, p types.Policy, a *reps.Arch, body func(f *iofile.File) error) {
	t.Helper()
	ranks(t, 1, func(c *comm.Comm) error {
		f, err := iofile.Open(c, fsys, "f", create, iofile.WithMatch(p))
		if err != nil {
			return err
		}
		return errors.Join(body(f), f.Close())
	}, world.Arch(0, a))
}

var policies = []types.Policy{types.MatchFinal, types.MatchSource000, types.MatchSize}

// TestMatchVerdicts checks the table of verdicts by writes and reads of a file. If it
// fails, legal programs are refused, or illegal ones accepted.
func TestMatchVerdicts(t *testing.T) {
	intChar := types.Struct(types.Field{Count: 1, Disp: 0, Type: types.Int}, types.Field{Count: 1, Disp: 4, Type: types.Char})
	apart := types.Struct(types.Field{Count: 1, Disp: 8, Type: types.Int}, types.Field{Count: 1, Disp: 20, Type: types.Char})
	charInt := types.Struct(types.Field{Count: 1, Disp: 0, Type: types.Char}, types.Field{Count: 1, Disp: 4, Type: types.Int})
	pair := types.Contiguous(2, types.Int)
	for _, tc := range []struct {
		name  string
		etype *types.Type
		data  *types.Type
		count int64
		legal string // under final, source 000, size
	}{
		{"EX-TM-01 IO-TM-01 IO-TM-S1 int of int", types.Int, types.Int, 3, "yyy"},
		{"EX-TM-02 IO-TM-03 two ints of int", types.Int, pair, 1, "yyy"},
		{"EX-TM-03 IO-TM-03 half an etype", pair, types.Int, 4, "nny"},
		{"EX-TM-04 DIV-15 float of int", types.Int, types.Float, 1, "nny"},
		{"EX-TM-05 four chars of int", types.Int, types.Char, 4, "nny"},
		{"EX-TM-06 DIV-16 IO-TM-S3 three chars of int", types.Int, types.Char, 3, "nnn"},
		{"EX-TM-07 IO-TM-06 bytes of int", types.Int, types.Byte, 4, "nny"},
		{"EX-TM-08 IO-TM-02 IO-TM-S2 int of byte", types.Byte, types.Int, 1, "yny"},
		{"EX-TM-09 bytes of byte", types.Byte, types.Byte, 7, "yyy"},
		{"EX-TM-10 other displacements", intChar, apart, 1, "yyy"},
		{"EX-TM-11 other order", intChar, charInt, 1, "nny"},
		{"EX-TM-12 an empty datatype", types.Int, types.Contiguous(0, types.Int), 1, "yny"},
		{"EX-TM-13 IO-TM-08 packed of int", types.Int, types.Packed, 4, "yny"},
		{"EX-TM-14 long of int64", types.Long, types.Int64, 1, "nny"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for i, p := range policies {
				matched(t, iofile.NewMem(), p, reps.LP64LE, func(f *iofile.File) error {
					if err := f.SetView(iofile.View{Etype: tc.etype, Filetype: tc.etype}); err != nil {
						return err
					}
					for _, access := range []func(types.Buffer, iofile.Offset) (iofile.Status, error){f.WriteAt, f.ReadAt} {
						_, err := access(types.Raw(make([]byte, 64), tc.count, tc.data), 0)
						switch {
						case tc.legal[i] == 'y':
							assert.NoError(t, err, "%v", p)
						case p == types.MatchSize:
							assert.ErrorIs(t, err, iofile.ErrIO, "%v", p)
						default:
							assert.ErrorIs(t, err, iofile.ErrType, "%v", p)
						}
					}
					return nil
				})
			}
		})
	}
}

// TestOpenOptions: ranks that check by different rules would disagree about
// what failed.
func TestOpenOptions(t *testing.T) {
	t.Run("GEN-06 options are the same on all ranks", func(t *testing.T) {
		ranks(t, 2, func(c *comm.Comm) error {
			_, err := iofile.Open(c, iofile.NewMem(), "f", create, iofile.WithMatch(policies[c.Rank()]))
			assert.ErrorIs(t, err, iofile.ErrNotSame)
			return nil
		})
	})
	t.Run("IO-TM-S1 no such policy", func(t *testing.T) {
		ranks(t, 1, func(c *comm.Comm) error {
			_, err := iofile.Open(c, iofile.NewMem(), "f", create, iofile.WithMatch(9))
			refused(t, err, iofile.ErrArg, "IO-TM-S1")
			return nil
		})
	})
}

// TestLegalOnRead: if the program asks for the check, bytes that are not a value of the type
// of the read must be an error.
func TestLegalOnRead(t *testing.T) {
	for _, tc := range []struct {
		name, rep, file string
		arch            *reps.Arch
		kind            *types.Type
		bad             string // what the error says; empty if the file is legal
	}{
		{"IO-TM-S4 a truth value of 2", "native", "010002", reps.LP64LE, types.Bool, "element 2 of the access, bool at byte 2 of the file, bytes 02"},
		{"IO-TM-S4 truth values", "native", "000101", reps.LP64LE, types.Bool, ""},
		{"IO-TM-S4 REP-X32-05 any truth value in external32", "external32", "00017f", reps.LP64LE, types.Bool, ""},
		{"IO-TM-S4 half a surrogate pair", "external32", "20acd801", reps.LP64LE, types.WChar, "element 1 of the access, wchar at byte 2 of the file, bytes d8 01"},
		{"IO-TM-S4 a character beyond Unicode", "native", "00001100", reps.LP64LE, types.WChar, "bytes 00 00 11 00: there is no Unicode character 110000"},
		{"IO-TM-S4 the same elsewhere", "native", "00000011", reps.LP64BE, types.WChar, ""},
		{"IO-TM-S4 UTF-16", "native", "00d800dc", reps.LLP64LE, types.WChar, ""},
		{"IO-TM-S4 an x87 number without its leading bit", "native", "ffffffffffffff7f0040000000000000", reps.LP64LE, types.LongDouble, "leading bit"},
		{"IO-TM-S4 every double", "native", "ffffffffffffffff", reps.LP64LE, types.Double, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bytes, err := hex.DecodeString(tc.file)
			assert.NoError(t, err)
			for _, p := range policies {
				fsys := iofile.NewMem()
				put(t, fsys, "f", string(bytes))
				matched(t, fsys, p, tc.arch, func(f *iofile.File) error {
					if err := f.SetView(iofile.View{Etype: tc.kind, Filetype: tc.kind, Rep: tc.rep}); err != nil {
						return err
					}
					n := int64(len(bytes)) / tc.kind.Size(sizesOn(tc.rep, tc.arch))
					mem := make([]byte, 64)
					st, err := f.ReadAt(types.Raw(mem, n, tc.kind), 0)
					if p != types.MatchSource000 || tc.bad == "" {
						assert.NoError(t, err, "%v", p)
						got, _ := st.Count(tc.kind)
						assert.Equal(t, n, got)
						return nil
					}
					refused(t, err, iofile.ErrConversion, "IO-TM-S4")
					assert.ErrorContains(t, err, tc.bad)
					assert.Equal(t, make([]byte, 64), mem, "memory must stay")
					return nil
				})
			}
		})
	}
	t.Run("IO-TM-S2 IO-TM-S4 the place of the element, in a view with holes", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "\x00\x01.\x01\x01.\x00\x07.\x01\x00")
		matched(t, fsys, types.MatchSource000, reps.LP64LE, func(f *iofile.File) error {
			if err := f.SetView(iofile.View{Disp: 1, Etype: types.Bool, Filetype: types.Resized(types.Bool, 0, 3)}); err != nil {
				return err
			}
			_, err := f.ReadAt(types.Of(make([]bool, 3)), 1)
			assert.ErrorContains(t, err, "element 1 of the access, bool at byte 7 of the file, bytes 07")
			_, err = f.ReadAtAll(types.Of(make([]bool, 2)), 0)
			assert.NoError(t, err)
			_, err = f.ReadAtAll(types.Of(make([]bool, 4)), 0)
			assert.ErrorIs(t, err, iofile.ErrConversion)
			// the pointer has moved, the handle still works, and so does a write
			_, err = f.WriteAt(types.Of([]bool{true}), 2)
			assert.NoError(t, err)
			_, err = f.ReadAt(types.Of(make([]bool, 4)), 0)
			return err
		})
	})
	t.Run("IO-TM-S2 on every rank", func(t *testing.T) {
		fsys := iofile.NewMem()
		put(t, fsys, "f", "\x00\x05")
		ranks(t, 2, func(c *comm.Comm) error {
			f, err := iofile.Open(c, fsys, "f", iofile.ReadOnly, iofile.WithMatch(types.MatchSource000))
			if err != nil {
				return err
			}
			if err := f.SetView(iofile.View{Disp: int64(c.Rank()), Etype: types.Bool, Filetype: types.Bool}); err != nil {
				return err
			}
			_, err = f.ReadAtAll(types.Of(make([]bool, 1)), 0)
			assert.ErrorIs(t, err, iofile.ErrConversion, fmt.Sprint(c.Rank()))
			return f.Close()
		})
	})
	t.Run("REP-BYTE-01 DIV-28 under MatchSize the datatype converts", func(t *testing.T) {
		for p, want := range map[types.Policy]string{types.MatchFinal: string(types.Of([]int32{0x01020304}).Mem()), types.MatchSize: "\x01\x02\x03\x04"} {
			fsys := iofile.NewMem()
			matched(t, fsys, p, reps.LP64LE, func(f *iofile.File) error {
				if err := f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: "external32"}); err != nil {
					return err
				}
				_, err := f.WriteAt(types.Of([]int32{0x01020304}).As(types.Int), 0)
				return err
			})
			assert.Equal(t, want, get(t, fsys, "f"))
		}
	})
}

func sizesOn(rep string, a *reps.Arch) types.Sizes {
	if rep == "native" {
		return a
	}
	return reps.External32
}

// TestLegal asks for single items.
func TestLegal(t *testing.T) {
	t.Run("IO-TM-S4 one item", func(t *testing.T) {
		rep, err := reps.Lookup("native", reps.LP64LE)
		assert.NoError(t, err)
		assert.NoError(t, reps.Legal(types.KindBool, []byte{1}, rep))
		for want, err := range map[errclass.Class]error{
			reps.ErrConversion: reps.Legal(types.KindBool, []byte{2}, rep),
			reps.ErrArg:        reps.Legal(types.KindInt, []byte{2}, rep),
		} {
			assert.ErrorIs(t, err, want)
		}
		assert.ErrorIs(t, reps.Legal(types.KindInt, nil, nil), reps.ErrArg)
	})
}

// If this fails, the error of a typical first mistake does not say what to do.
func TestMatchWords(t *testing.T) {
	type cell struct{ N int }
	t.Run("P2P-MATCH-11 IO-DA-02 Go memory without a datatype, in every access", func(t *testing.T) {
		for want, buf := range map[string]types.Buffer{
			"[]int has no MPI type, because Go's int differs in size between machines: use []int32 or []int64": types.Of([]int{1}),
			"[]iofile_test.cell has no MPI type, because iofile_test.cell.N is an int":                         types.Of([]cell{{1}}),
			"[]string has no MPI type":    types.Of([]string{"a"}),
			"[][]float64 has no MPI type": types.Of([][]float64{{1}}).As(types.Double),
		} {
			with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
				for _, w := range allForms {
					for _, call := range []func(*iofile.File, types.Buffer) error{w.write, w.read} {
						err := call(f, buf)
						refused(t, err, iofile.ErrType, "P2P-MATCH-11")
						assert.ErrorContains(t, err, want, w.name)
					}
				}
				_, err := f.WriteAt(types.Buffer{}, 0)
				refused(t, err, iofile.ErrType, "IO-DA-02")
				assert.ErrorContains(t, err, "the datatype is nil")
				return nil
			})
		}
	})
	t.Run("IO-TM-03 IO-TM-06 the advice, and that it helps", func(t *testing.T) {
		i32, f64 := make([]int32, 2), make([]float64, 2)
		for _, c := range []struct {
			etype *types.Type
			buf   types.Buffer
			want  string
			again types.Buffer // as the advice says, through the same view
			set   *types.Type  // or with this etype
		}{
			{types.Double, types.Of(i32), "you %s int32 through a view whose etype is double; %s []float64, or set Etype: types.Int32", types.Of(f64), types.Int32},
			{types.Int, types.Of(f64), "you %s double through a view whose etype is int; %s types.Of([]int32).As(types.Int), or set Etype: types.Double", types.Of(i32).As(types.Int), types.Double},
			{types.Int, types.Of(i32), "you %s int32 through a view whose etype is int; to MPI int32 and int are different types, though both have 4 bytes: set Etype: types.Int32, or describe the memory with types.Of(x).As(types.Int)", types.Of(i32).As(types.Int), types.Int32},
			{types.Double, types.Of(make([]byte, 16)), "you %s byte through a view whose etype is double; BYTE as a datatype matches etype BYTE only: %s []float64, or set Etype: types.Byte", types.Of(f64), types.Byte},
			{types.Contiguous(2, types.Int), types.Of(i32).As(types.Int).Times(1), "you %s int through a view whose etype is contiguous(2, int): the datatype has to be a whole number of etypes, however many copies of it there are, and one int is less than one; describe the memory by the view's etype: types.Of(x).As(etype)", types.Of(i32).As(types.Contiguous(2, types.Int)), types.Int},
		} {
			with(t, 1, iofile.NewMem(), "f", create, func(f *iofile.File, _ int) error {
				for verb, call := range map[string]func(types.Buffer, iofile.Offset) (iofile.Status, error){"write": f.WriteAt, "read": f.ReadAt} {
					if err := f.SetView(v(0, c.etype, c.etype)); err != nil {
						return err
					}
					_, err := call(c.buf, 0)
					var m *types.Mismatch
					if !assert.ErrorAs(t, err, &m) {
						continue
					}
					into := verb
					if verb == "read" {
						into = "read into"
					}
					want := strings.Replace(c.want, "%s", verb, 1)
					assert.Equal(t, strings.Replace(want, "%s", into, 1), m.Error())
					_, err = call(c.again, 0)
					assert.NoError(t, err)
					if err = f.SetView(v(0, c.set, c.set)); err != nil {
						return err
					}
					_, err = call(c.buf, 0)
					assert.NoError(t, err)
				}
				return nil
			})
		}
	})
}

// allForms is every way to move data, with the request or the second half waited for.
var allForms = []struct {
	name        string
	write, read func(*iofile.File, types.Buffer) error
}{
	{"at", func(f *iofile.File, b types.Buffer) error { return second(f.WriteAt(b, here(f))) }, func(f *iofile.File, b types.Buffer) error { return second(f.ReadAt(b, here(f))) }},
	{"at all", func(f *iofile.File, b types.Buffer) error { return second(f.WriteAtAll(b, here(f))) }, func(f *iofile.File, b types.Buffer) error { return second(f.ReadAtAll(b, here(f))) }},
	{"individual", func(f *iofile.File, b types.Buffer) error { return second(f.Write(b)) }, func(f *iofile.File, b types.Buffer) error { return second(f.Read(b)) }},
	{"all", func(f *iofile.File, b types.Buffer) error { return second(f.WriteAll(b)) }, func(f *iofile.File, b types.Buffer) error { return second(f.ReadAll(b)) }},
	{"shared", func(f *iofile.File, b types.Buffer) error { return second(f.WriteShared(b)) }, func(f *iofile.File, b types.Buffer) error { return second(f.ReadShared(b)) }},
	{"ordered", func(f *iofile.File, b types.Buffer) error { return second(f.WriteOrdered(b)) }, func(f *iofile.File, b types.Buffer) error { return second(f.ReadOrdered(b)) }},
	{"i at", func(f *iofile.File, b types.Buffer) error { return waitedFor(f.IWriteAt(b, here(f))) }, func(f *iofile.File, b types.Buffer) error { return waitedFor(f.IReadAt(b, here(f))) }},
	{"i at all", func(f *iofile.File, b types.Buffer) error { return waitedFor(f.IWriteAtAll(b, here(f))) }, func(f *iofile.File, b types.Buffer) error { return waitedFor(f.IReadAtAll(b, here(f))) }},
	{"i individual", func(f *iofile.File, b types.Buffer) error { return waitedFor(f.IWrite(b)) }, func(f *iofile.File, b types.Buffer) error { return waitedFor(f.IRead(b)) }},
	{"i all", func(f *iofile.File, b types.Buffer) error { return waitedFor(f.IWriteAll(b)) }, func(f *iofile.File, b types.Buffer) error { return waitedFor(f.IReadAll(b)) }},
	{"i shared", func(f *iofile.File, b types.Buffer) error { return waitedFor(f.IWriteShared(b)) }, func(f *iofile.File, b types.Buffer) error { return waitedFor(f.IReadShared(b)) }},
	{"split at all", func(f *iofile.File, b types.Buffer) error {
		return halvesOf(f.WriteAtAllBegin(b, here(f)), f.WriteAtAllEnd, b)
	}, func(f *iofile.File, b types.Buffer) error {
		return halvesOf(f.ReadAtAllBegin(b, here(f)), f.ReadAtAllEnd, b)
	}},
	{"split all", func(f *iofile.File, b types.Buffer) error { return halvesOf(f.WriteAllBegin(b), f.WriteAllEnd, b) }, func(f *iofile.File, b types.Buffer) error { return halvesOf(f.ReadAllBegin(b), f.ReadAllEnd, b) }},
	{"split ordered", func(f *iofile.File, b types.Buffer) error {
		return halvesOf(f.WriteOrderedBegin(b), f.WriteOrderedEnd, b)
	}, func(f *iofile.File, b types.Buffer) error {
		return halvesOf(f.ReadOrderedBegin(b), f.ReadOrderedEnd, b)
	}},
}

// here is where the rank's own pointer is, so that explicit offsets follow it.
func here(f *iofile.File) iofile.Offset {
	pos, _ := f.Position()
	return pos
}

func waitedFor(r *comm.Request, err error) error {
	if err != nil {
		return err
	}
	_, err = r.Wait()
	return err
}

func halvesOf(err error, end func(types.Buffer) (iofile.Status, error), b types.Buffer) error {
	if err != nil {
		return err
	}
	return second(end(b))
}
