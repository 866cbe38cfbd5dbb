package iofile_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/testkit/hostile"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/iofile/strategy"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
	"github.com/commworld/commworld/world"
)

// A stage is the environment of one call on one rank: its communicator, a file system of
// its own in which "f" has sixteen letters, and the functions to run after the call so
// that the handle can be closed.
type stage struct {
	c      *comm.Comm
	fsys   *iofile.FS
	file   *iofile.File
	finish []func() error
	text   []byte
}

// letters is the buffer of right calls. It is always the same one, so that the second half
// of a split call has the buffer of the first.
func (s *stage) letters() types.Buffer {
	if s.text == nil {
		s.text = []byte("abcdefgh")
	}
	return types.Of(s.text)
}

type value = hostile.Value[*stage]

func is[T any](name string, v T) value { return hostile.Is[*stage](name, v) }

func of[T any](name string, f func(s *stage) T) value { return hostile.Of(name, f) }

// arguments has the arguments of calls, and their handles.
var arguments = hostile.Table[*stage]{}

func given[T any](vs ...value) { arguments[reflect.TypeFor[T]()] = vs }

// opened opens "f" as asked, and does more to it.
func opened(name string, amode iofile.Mode, more func(s *stage, f *iofile.File) error, opts ...iofile.OpenOption) value {
	return of(name, func(s *stage) *iofile.File {
		f, err := iofile.Open(s.c, s.fsys, "f", amode, opts...)
		if err == nil && more != nil {
			err = more(s, f)
		}
		if err != nil {
			panic(fmt.Errorf("%s: %w", name, err))
		}
		s.file = f
		return f
	})
}

// viewed has a view.
func viewed(v iofile.View) func(s *stage, f *iofile.File) error {
	return func(_ *stage, f *iofile.File) error { return f.SetView(v) }
}

// underWay has an access under way.
func underWay(begin func(f *iofile.File, b types.Buffer) (*comm.Request, error)) func(s *stage, f *iofile.File) error {
	return func(s *stage, f *iofile.File) error {
		q, err := begin(f, types.Of([]byte("UNDERWAY")))
		s.finish = append(s.finish, func() error { return second(q.Wait()) })
		return err
	}
}

// halfway has the first half of a split collective behind it.
func halfway(begin func(f *iofile.File, b types.Buffer) error, end func(f *iofile.File, b types.Buffer) (iofile.Status, error)) func(s *stage, f *iofile.File) error {
	return func(s *stage, f *iofile.File) error {
		b := types.Of([]byte("SPLIT"))
		s.finish = append(s.finish, func() error { return second(end(f, b)) })
		return begin(f, b)
	}
}

var (
	rw   = iofile.ReadWrite
	boom = reps.Conversion{
		Read:   func(reps.Memory, *types.Type, int64, []byte, int64, any) error { panic("boom") },
		Write:  func(reps.Memory, *types.Type, int64, []byte, int64, any) error { return errors.New("will not") },
		Extent: func(*types.Type, any) (int64, error) { return 3, nil },
	}
	none = types.Contiguous(0, types.Byte)

	aFile   = opened("a file", rw, nil)
	panicky = opened("one whose handler panics", rw, func(_ *stage, f *iofile.File) error {
		return f.SetErrhandler(iofile.NewErrhandler(func(*iofile.File, error) { panic("handled") }))
	})
)

func init() {
	given[*iofile.File](
		aFile,
		is("nil", (*iofile.File)(nil)), is("one never opened", new(iofile.File)),
		opened("one closed", rw, func(_ *stage, f *iofile.File) error { return f.Close() }),
		of("one of a world that has ended", func(s *stage) (f *iofile.File) {
			_ = world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) (err error) {
				f, err = iofile.Open(c, s.fsys, "f", rw)
				return err
			}, world.Unchecked())
			return f
		}),
		opened("one to read", iofile.ReadOnly, nil), opened("one to write", iofile.WriteOnly, nil),
		opened("one to delete", rw|iofile.DeleteOnClose|iofile.UniqueOpen, nil), opened("one at its end", rw|iofile.Append, nil),
		opened("a stream to read", iofile.ReadOnly|iofile.Sequential, nil), opened("a stream to write", iofile.WriteOnly|iofile.Sequential, nil),
		opened("a stream that cuts", iofile.WriteOnly|iofile.Sequential, nil, iofile.WithTruncatingWrites()),
		opened("one in atomic mode", rw, func(_ *stage, f *iofile.File) error { return f.SetAtomicity(true) }),
		opened("one of POSIX", rw, nil, iofile.WithModel(consistency.POSIX)),
		opened("one in two phases", rw, nil, iofile.WithStrategy(strategy.TwoPhase{Read: strategy.Enable, Write: strategy.Enable})),
		opened("one that reports progress", rw, nil, iofile.WithCallbacks(iofile.Callbacks{Progress: func(iofile.Progress) {}})),
		opened("one of ints", rw, viewed(iofile.ViewOf[int32](0))),
		opened("one with holes", rw, viewed(iofile.View{Disp: 3, Etype: types.Byte, Filetype: types.Resized(types.Byte, 0, 2)})),
		opened("one with huge holes", rw, viewed(iofile.View{Etype: types.Byte, Filetype: types.Resized(types.Byte, 0, 1<<61)})),
		opened("one that begins at its last byte", rw, viewed(iofile.View{Disp: 1<<62 - 1, Etype: types.Byte, Filetype: types.Byte})),
		opened("one far out", rw, viewed(iofile.View{Disp: math.MaxInt64, Etype: types.Byte, Filetype: types.Byte})),
		opened("one that shows nothing", rw, viewed(iofile.View{Etype: types.Byte, Filetype: none})),
		opened("one in external32", rw, viewed(iofile.View{Etype: types.Int32, Filetype: types.Int32, Rep: "external32"})),
		opened("one whose functions fail", rw, func(s *stage, f *iofile.File) error {
			return errors.Join(iofile.RegisterDatarep(s.c, "boom", boom), f.SetView(iofile.View{Etype: types.Byte, Filetype: types.Byte, Rep: "boom"}))
		}),
		opened("one with a write under way", rw, underWay((*iofile.File).IWrite)),
		opened("one with a read under way", rw, underWay((*iofile.File).IReadShared)),
		opened("one with a collective under way", rw, underWay((*iofile.File).IWriteAll)),
		opened("one in the middle of a read", rw, halfway((*iofile.File).ReadAllBegin, (*iofile.File).ReadAllEnd)),
		opened("one in the middle of a write", rw, halfway((*iofile.File).WriteOrderedBegin, (*iofile.File).WriteOrderedEnd)),
		panicky,
	)
	given[types.Buffer](
		of("eight letters", (*stage).letters),
		is("the zero buffer", types.Buffer{}),
		is("nothing", types.Of([]byte(nil))),
		is("nil memory of 1 byte", types.Raw(nil, 1, types.Byte)),
		is("nil memory of 0 ints", types.Raw(nil, 0, types.Int)),
		is("-1 bytes", types.Raw(make([]byte, 8), -1, types.Byte)),
		is("too many bytes", types.Raw(make([]byte, 8), math.MaxInt64, types.Byte)),
		is("2^62 of none", types.Raw(make([]byte, 8), 1<<62, none)),
		is("2^62 times one byte", types.Raw(make([]byte, 8), 1<<62, types.Resized(types.Byte, 0, 0))),
		is("no type", types.Raw(make([]byte, 8), 1, nil)),
		is("a type never made", types.Raw(make([]byte, 8), 1, new(types.Type))),
		is("a broken type", types.Raw(make([]byte, 8), 1, types.Vector(-1, 1, 1, types.Byte))),
		is("one place twice", types.Raw(make([]byte, 8), 1, types.HVector(2, 1, 0, types.Byte))),
		is("a type below its memory", types.Raw(make([]byte, 8), 1, types.HIndexed([]types.Block{{Len: 1, Disp: -4}}, types.Byte))),
		of("a double", func(*stage) types.Buffer { return types.Of([]float64{1}) }),
		of("ints", func(*stage) types.Buffer { return types.Of([]int32{1, 2}) }),
		of("three bytes", func(*stage) types.Buffer { return types.Of([]byte("xyz")) }),
		of("packed", func(*stage) types.Buffer { return types.Raw([]byte("packed"), 6, types.Packed) }),
		is("InPlace", comm.InPlace),
		is("a long type below its memory", types.Raw(make([]byte, 8), 1, types.HIndexed(manyBlocks(-8), types.Byte))),
		is("a long type in one place", types.Raw(make([]byte, 8), 1, types.HIndexed(manyBlocks(0), types.Byte))),
		is("a deep type", types.Raw(make([]byte, 1<<17), 1, deepType())),
	)
	given[iofile.Offset](is("0", iofile.Offset(0)), is("3", iofile.Offset(3)), is("-1", iofile.Offset(-1)), is("2^62", iofile.Offset(1<<62)), is("2^62-1", iofile.Offset(1<<62-1)),
		is("MaxInt64", iofile.Offset(math.MaxInt64)), is("MinInt64", iofile.Offset(math.MinInt64)))
	given[iofile.Whence](is("SeekSet", iofile.SeekSet), is("SeekCur", iofile.SeekCur), is("SeekEnd", iofile.SeekEnd), is("0", iofile.Whence(0)), is("-1", iofile.Whence(-1)))
	given[int64](is("5", int64(5)), is("0", int64(0)), is("-1", int64(-1)), is("2^62", int64(1<<62)), is("2^62+1", int64(1<<62+1)), is("MaxInt64", int64(math.MaxInt64)), is("MinInt64", int64(math.MinInt64)))
	given[int](is("2", 2), is("0", 0), is("-1", -1), is("MaxInt", math.MaxInt), is("MinInt", math.MinInt))
	given[uint64](is("1", uint64(1)))
	given[bool](is("true", true), is("false", false))
	given[[]byte](of("3 bytes", func(*stage) []byte { return []byte("123") }), is("none", []byte(nil)))
	given[[]int32](of("2 ints", func(*stage) []int32 { return []int32{7, 8} }), is("none", []int32(nil)))
	given[[]string](of("2 words", func(*stage) []string { return []string{"a", "b"} }), is("none", []string(nil)))
	given[string](is("f", "f"), is("absent", "absent"), is("empty", ""), is("out", "../f"), is("absolute", "/none/f"), is("the root", "."), is("below a file", "f/g"), is("unclean", "./f//"),
		is("long", strings.Repeat("x", 1<<12)), is("very long", strings.Repeat("/x", 1<<16)), is("zero", "a\x00b"), is("no text", "\xff\xfe"))
	given[error](is("an error", errors.New("mine")), is[any]("nil", nil), is("a class", errclass.NoSpace))
	given[*comm.Comm](of("its own", func(s *stage) *comm.Comm { return s.c }), is("nil", (*comm.Comm)(nil)), is("one never made", new(comm.Comm)), of("one freed", func(s *stage) *comm.Comm {
		d, err := s.c.Dup()
		if err = errors.Join(err, d.Free()); err != nil {
			panic(err)
		}
		return d
	}), of("one of a world that has ended", func(*stage) (old *comm.Comm) {
		_ = world.Run(context.Background(), 1, func(_ context.Context, c *comm.Comm) error { old = c; return nil })
		return old
	}))
	given[*comm.Info](of("hints", func(*stage) *comm.Info {
		info := comm.NewInfo()
		_ = errors.Join(info.Set("cb_nodes", "-7"), info.Set("striping_unit", "99999999999999999999"), info.Set("access_style", ",,"), info.Set("mine", strings.Repeat("x", 100)))
		return info
	}), is("nil", (*comm.Info)(nil)), is("one never made", new(comm.Info)))
	given[*types.Type](is("Int", types.Int), is("nil", (*types.Type)(nil)), is("one never made", new(types.Type)), is("a broken one", types.Vector(-1, 1, 1, types.Int)), is("none", none),
		is("one that does not fit", types.Contiguous(1<<62, types.Double)), is("a long one", types.HIndexed(manyBlocks(8), types.Double)),
		is("a long one that does not fit", types.Contiguous(1<<62, types.HIndexed(manyBlocks(8), types.Double))))
	given[*iofile.Errhandler](is("ErrorsReturn", iofile.ErrorsReturn), is("nil", (*iofile.Errhandler)(nil)), is("without function", iofile.NewErrhandler(nil)))
	view := func(disp int64, etype, filetype *types.Type, rep string) iofile.View {
		return iofile.View{Disp: disp, Etype: etype, Filetype: filetype, Rep: rep}
	}
	given[iofile.View](
		is("bytes", view(0, types.Byte, types.Byte, "")), is("the zero view", iofile.View{}), is("no filetype", view(0, types.Byte, nil, "")),
		is("a current view", view(iofile.DisplacementCurrent, types.Byte, types.Byte, "")), is("disp -2", view(-2, types.Byte, types.Byte, "")), is("disp MaxInt64", view(math.MaxInt64, types.Byte, types.Byte, "")),
		is("types never made", view(0, new(types.Type), new(types.Type), "")), is("a broken type", view(0, types.Byte, types.Vector(1, -1, 1, types.Byte), "")),
		is("an etype of nothing", view(0, none, none, "")), is("a filetype of nothing", view(0, types.Byte, none, "")), is("packed", view(0, types.Packed, types.Packed, "")),
		is("backwards", view(0, types.Byte, types.HIndexed([]types.Block{{Len: 1, Disp: 4}, {Len: 1, Disp: 0}}, types.Byte), "")),
		is("before its beginning", view(0, types.Byte, types.HIndexed([]types.Block{{Len: 1, Disp: -1}}, types.Byte), "")),
		is("a byte twice", view(0, types.Byte, types.HVector(2, 1, 0, types.Byte), "")), is("copies in one place", view(0, types.Byte, types.Resized(types.Byte, 0, 0), "")),
		is("copies that run back", view(0, types.Byte, types.Resized(types.Byte, 0, -1), "")), is("copies without end", view(0, types.Byte, types.Resized(types.Byte, 0, math.MaxInt64), "")),
		is("half an etype", view(0, types.Int, types.Short, "")), is("another kind", view(0, types.Int, types.Float, "")), is("odd holes", view(0, types.Int, types.Resized(types.Int, 0, 6), "")),
		is("an unknown form", view(0, types.Int, types.Int, "foo")), is("a form without end", view(0, types.Int, types.Int, strings.Repeat("x", 1<<12))), is("external32", view(0, types.Int, types.Int, "external32")),
		is("a long filetype backwards", view(0, types.Byte, types.HIndexed(manyBlocks(-8), types.Byte), "")), is("a long etype", view(0, types.HIndexed(manyBlocks(8), types.Int), types.Byte, "")),
		is("a long filetype in one place", view(0, types.Int, types.HIndexed(manyBlocks(0), types.Int), "")), is("long ones that differ", view(0, longStruct(types.Int), longStruct(types.Float), "")),
		is("a deep filetype", view(0, types.Int, deepType(), "")), is("external32 of too much", view(0, types.LongDouble, types.Contiguous(1<<59, types.LongDouble), "external32")),
	)
	given[*iofile.FS](of("a file system", func(s *stage) *iofile.FS { return s.fsys }), is("nil", (*iofile.FS)(nil)), is("one never made", new(iofile.FS)), is("one without store", iofile.NewFS(nil)),
		of("one whose store gives nothing", func(*stage) *iofile.FS { return iofile.NewFS(nothingStore{}) }),
		of("one closed", func(*stage) *iofile.FS {
			old := iofile.NewMem()
			_ = old.Close()
			return old
		}), of("one that is full", func(*stage) *iofile.FS { return iofile.NewMem(iofile.WithCapacity(0)) }), of("one that remembers", func(*stage) *iofile.FS {
			return iofile.NewMem(iofile.WithTracking(iofile.Crashes), iofile.WithTracking(iofile.Provenance))
		}))
	given[iofile.Mode](is("rdwr|create", create), is("0", iofile.Mode(0)), is("rdonly|create", iofile.ReadOnly|iofile.Create), is("rdwr|sequential", iofile.ReadWrite|iofile.Sequential),
		is("rdonly|wronly", iofile.ReadOnly|iofile.WriteOnly), is("all", ^iofile.Mode(0)), is("excl", create|iofile.Excl), is("unique", rw|iofile.UniqueOpen))
	given[[]iofile.OpenOption](is("none", []iofile.OpenOption(nil)), is("nil", []iofile.OpenOption{nil}), is("match 99", []iofile.OpenOption{iofile.WithMatch(99)}), is("no buffer", []iofile.OpenOption{iofile.WithConversionBuffer(-1)}),
		is("no progress", []iofile.OpenOption{iofile.WithCallbacks(iofile.Callbacks{})}), is("no strategy", []iofile.OpenOption{iofile.WithStrategy(nil)}), is("no hints", []iofile.OpenOption{iofile.WithInfo(nil), iofile.WithInfo(new(comm.Info))}),
		is("-1 aggregators", []iofile.OpenOption{iofile.WithStrategy(strategy.TwoPhase{Nodes: -1})}), is("a sieve of -1", []iofile.OpenOption{iofile.WithStrategy(strategy.Sieve{ReadBuffer: -1})}),
		is("a switch 9", []iofile.OpenOption{iofile.WithStrategy(strategy.Sieve{Write: 9})}), is("lists of -1", []iofile.OpenOption{iofile.WithStrategy(strategy.List{Most: -1})}), is("cuts", []iofile.OpenOption{iofile.WithTruncatingWrites()}))
	given[reps.Conversion](is("one that fails", boom), is("empty", reps.Conversion{}))
	given[io.Writer](of("a writer", func(*stage) io.Writer { return io.Discard }), is[any]("nil", nil), of("one that fails", func(*stage) io.Writer { return wildPipe{} }))
	given[io.Reader](of("a reader", func(*stage) io.Reader { return strings.NewReader("import") }), is[any]("nil", nil), of("one that fails", func(*stage) io.Reader { return wildPipe{} }),
		of("one of a bad number", func(*stage) io.Reader { return badReader{} }), of("one that panics", func(*stage) io.Reader { return (*rudeReader)(nil) }))
	given[fs.FileMode](is("0600", fs.FileMode(0o600)), is("all", ^fs.FileMode(0)))
	given[strategy.Strategy](is("Direct", strategy.Direct{}), is[any]("nil", nil), is("TwoPhase", strategy.TwoPhase{}), is("-1 aggregators", strategy.TwoPhase{Nodes: -1}), is("a huge buffer", strategy.TwoPhase{Buffer: math.MaxInt64}),
		is("a switch 9", strategy.Sieve{Write: 9}), is("lists of -1", strategy.List{Most: -1}), is("huge domains", strategy.TwoPhase{MinDomain: math.MaxInt64, Stripe: math.MaxInt64, Nodes: 1 << 30}))
	bytesFrom := func(disp int64) types.Tiling {
		l, err := types.Byte.Layout(reps.LP64LE)
		if err != nil {
			panic(err)
		}
		return types.Tiling{L: l, Disp: disp}
	}
	given[[]strategy.Part](is("one", []strategy.Part{{At: bytesFrom(0), N: 10}}), is("none", []strategy.Part(nil)), is("zero", make([]strategy.Part, 3)), is("without layout", []strategy.Part{{N: 1}}),
		is("-1", []strategy.Part{{At: bytesFrom(0), N: -1}}), is("from -1", []strategy.Part{{At: bytesFrom(0), From: -1, N: 1}}), is("far", []strategy.Part{{At: bytesFrom(math.MaxInt64), From: math.MaxInt64, N: math.MaxInt64}}),
		is("below", []strategy.Part{{At: bytesFrom(-9), N: 4}}), is("all", []strategy.Part{{At: bytesFrom(0), N: 1 << 62}}))
	given[*iofile.Bytes](of("bytes of a file", func(s *stage) *iofile.Bytes {
		return arguments[reflect.TypeFor[*iofile.File]()][0].Make(s).(*iofile.File).Bytes()
	}),
		is("nil", (*iofile.Bytes)(nil)), is("those never made", new(iofile.Bytes)), of("bytes of nil", func(*stage) *iofile.Bytes { return (*iofile.File)(nil).Bytes() }))
	given[*strategy.Plan](is("empty", new(strategy.Plan)), is("nil", (*strategy.Plan)(nil)))
	given[strategy.Hints](is("none", strategy.Hints{}), is("-1", strategy.Hints{Nodes: -1, Buffer: -1, ReadBuffer: -1, WriteBuffer: -1}), is("odd", strategy.Hints{Nodes: math.MaxInt64, Unit: -5, CBRead: 77}))
	given[*strategy.Request](is("zero", new(strategy.Request)), is("a read", &strategy.Request{Off: 4, Len: 8}), is("nil", (*strategy.Request)(nil)))
	given[*strategy.Counts](of("empty", func(*stage) *strategy.Counts { return new(strategy.Counts) }))
	given[strategy.Counts](is("empty", strategy.Counts{}))
	given[*iofile.Observed](is("empty", new(iofile.Observed)))
	given[iofile.OpenFlag](is("all", ^iofile.OpenFlag(0)))
	given[iofile.Lint](is("empty", iofile.Lint{}))
	given[iofile.Progress](is("empty", iofile.Progress{}))
	given[strategy.Switch](is("99", strategy.Switch(99)))
	given[strategy.Direct](is("zero", strategy.Direct{}))
	given[strategy.List](is("-1", strategy.List{Most: -1}))
	given[strategy.Sieve](is("odd", strategy.Sieve{Read: 77, WriteBuffer: -5}))
	given[strategy.TwoPhase](is("odd", strategy.TwoPhase{Nodes: -1, Write: 77}))
	given[func(*iofile.File, error)](is("nil", (func(*iofile.File, error))(nil)))
	given[iofile.Store](of("a store", func(*stage) iofile.Store { return iofile.NewMemStore() }), is[any]("nil", nil))
	given[[]iofile.Option](is("none", []iofile.Option(nil)), is("nil", []iofile.Option{nil}), is("odd", []iofile.Option{iofile.WithCapacity(-1), iofile.WithFaults(nil), iofile.WithCallbacks(iofile.Callbacks{}), iofile.WithModel(consistency.Model{})}))
}

// longestText is the greatest length of an error's text, even for the largest objects of a
// program.
const longestText = 4 << 10

// manyBlocks are so many that their text takes 20 KB, one every step bytes.
func manyBlocks(step int64) []types.Block {
	blocks := make([]types.Block, 2e3)
	for i := range blocks {
		blocks[i] = types.Block{Len: 1, Disp: int64(i) * step}
	}
	return blocks
}

// longStruct has the items of t, one by one, and one of another kind.
func longStruct(t *types.Type) *types.Type {
	fields := make([]types.Field, 2e3)
	for i := range fields {
		fields[i] = types.Field{Count: 1, Disp: int64(i) * 8, Type: t}
	}
	fields[len(fields)/2].Type = types.Char
	return types.Struct(fields...)
}

// deepType is one byte, nested as deep as may be.
func deepType() *types.Type {
	t := types.Byte
	for range 500 {
		t = types.HVector(1, 1, 1, t)
	}
	return t
}

// A wildPipe is a reader and writer that fails.
type wildPipe struct{}

func (wildPipe) Read([]byte) (int, error)  { return 0, errWild }
func (wildPipe) Write([]byte) (int, error) { return 0, errWild }

// A badReader returns a count larger than its buffer.
type badReader struct{}

func (badReader) Read(p []byte) (int, error) { return len(p) + 7, nil }

type rudeReader struct{}

func (*rudeReader) Len() int                 { panic("ouch") }
func (*rudeReader) Read([]byte) (int, error) { panic("ouch") }

// functionsOf are all functions and methods of the package that a program can
// call, but for options, which Open and the file systems of the table are given.
func functionsOf() []hostile.Func {
	all := []hostile.Func{
		hostile.Named("Open", iofile.Open), hostile.Named("Delete", iofile.Delete), hostile.Named("DeleteFor", iofile.DeleteFor),
		hostile.Named("RegisterDatarep", iofile.RegisterDatarep), hostile.Named("SetDefaultErrhandler", iofile.SetDefaultErrhandler), hostile.Named("DefaultErrhandler", iofile.DefaultErrhandler),
		hostile.Named("ReadSlice", iofile.ReadSlice[int32]), hostile.Named("ReadSliceAll", iofile.ReadSliceAll[byte]), hostile.Named("WriteSlice", iofile.WriteSlice[int32]), hostile.Named("WriteSliceAll", iofile.WriteSliceAll[byte]),
		hostile.Named("ReadSlice of strings", iofile.ReadSlice[string]), hostile.Named("WriteSlice of strings", iofile.WriteSlice[string]), hostile.Named("ReadSlice of nothing", iofile.ReadSlice[struct{}]),
		hostile.Named("NewPlan", strategy.NewPlan), hostile.Named("NewDir", iofile.NewDir), hostile.Named("NewFS", iofile.NewFS), hostile.Named("NewMem", iofile.NewMem), hostile.Named("NewDirStore", iofile.NewDirStore), hostile.Named("NewMemStore", iofile.NewMemStore),
		hostile.Named("ClassOf", iofile.ClassOf), hostile.Named("FlagPerm", iofile.FlagPerm), hostile.Named("NewErrhandler", iofile.NewErrhandler),
		hostile.Named("ViewOf", iofile.ViewOf[map[string]int]),
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[*iofile.File](), reflect.TypeFor[*iofile.FS](), reflect.TypeFor[*iofile.Bytes](), reflect.TypeFor[*strategy.Plan](), reflect.TypeFor[*strategy.Counts](), reflect.TypeFor[strategy.Counts](), reflect.TypeFor[*iofile.Observed](),
		reflect.TypeFor[iofile.Mode](), reflect.TypeFor[iofile.OpenFlag](), reflect.TypeFor[iofile.Lint](), reflect.TypeFor[iofile.Progress](), reflect.TypeFor[strategy.Switch](),
		reflect.TypeFor[strategy.Direct](), reflect.TypeFor[strategy.List](), reflect.TypeFor[strategy.Sieve](), reflect.TypeFor[strategy.TwoPhase](),
	} {
		all = append(all, hostile.Methods(typ)...)
	}
	return all
}

// letters is the content of "f" before each call.
const letters = "ABCDEFGHIJKLMNOP"

// theatre is a file system with "f".
func theatre(t *testing.T, opts ...iofile.Option) *iofile.FS {
	fsys := iofile.NewMem(opts...)
	if err := fsys.Import("f", strings.NewReader(letters)); err != nil {
		t.Fatal(err)
	}
	return fsys
}

// result makes a call and returns its error, and a request to complete.
func result(k hostile.Call[*stage], s *stage) (q *comm.Request, err error) {
	for _, out := range k.Do(s) {
		switch x := out.(type) {
		case error:
			err = x
		case *comm.Request:
			q = x
		case *iofile.File:
			if x != nil {
				s.file = x
			}
		}
	}
	return q, err
}

// returnsIt are the calls that return the error they are given.
var returnsIt = map[string]bool{"CallErrhandler": true, "ClassOf": true}

// checkError checks that an error names the call, the rank, the rule and the file.
func checkError(t *testing.T, name string, k hostile.Call[*stage], err error) {
	t.Helper()
	var e *iofile.Error
	var p *fs.PathError
	if err != nil && len(err.Error()) > longestText && !errors.As(err, &p) { // which has the name as it was given
		t.Errorf("%s: %d bytes of text: %.500s", name, len(err.Error()), err)
	}
	var c errclass.Class
	switch {
	case err == nil || err == io.EOF || returnsIt[k.Name]:
	case errors.As(err, &e) && err == error(e):
		ended := errors.Is(err, context.Canceled) // of which there is no rule
		if e.Rule == "" && !ended || e.Class == errclass.Success || e.Op == "" {
			t.Errorf("%s: class, rule or call is missing: %v", name, err)
		}
		if e.Rank < 0 && e.Object == "f" && k.On.Name == "a file" {
			t.Errorf("%s: the rank is missing: %v", name, err)
		}
		if strings.Contains(err.Error(), "panicked: runtime") || strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: %v", name, err)
		}
	case errors.As(err, &p): // of package io/fs
		if !errors.As(err, &c) && !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: the class is missing: %v", name, err)
		}
	default:
		t.Errorf("%s: no error of this package: %T %v", name, err, err)
	}
}

// facts returns the properties of a file that a program can query, as text.
func facts(f *iofile.File) string {
	if f == nil {
		return ""
	}
	pos, err1 := f.Position()
	shared, err2 := f.PositionShared()
	size, err3 := f.Size()
	atomic, err4 := f.Atomicity()
	v, err5 := f.View()
	info, err6 := f.Info()
	return fmt.Sprint(pos, unplaced(err1), shared, unplaced(err2), size, unplaced(err3), atomic, unplaced(err4), v.Disp, v.Etype, v.Filetype, v.Rep, unplaced(err5), info, unplaced(err6))
}

// play makes a call in a world of one rank, completes pending accesses,
// closes the file and returns the contents of "f", the results of the call, and whether
// the call left the properties of the handle unchanged.
func play(t *testing.T, k *hostile.Call[*stage], on value, opts ...iofile.Option) (after string, err error, same bool) {
	t.Helper()
	fsys := theatre(t, opts...)
	name := on.Name
	if k != nil {
		name = k.String()
	}
	ended := world.Run(t.Context(), 1, func(_ context.Context, c *comm.Comm) error {
		s := &stage{c: c, fsys: fsys}
		var q *comm.Request
		if k == nil {
			on.Make(s)
		} else {
			var before string
			first := k.With(value{Name: on.Name, Make: func(s *stage) any {
				x := on.Make(s)
				before = facts(s.file)
				return x
			}})
			q, err = result(first, s)
			same = before == facts(s.file)
		}
		if q != nil {
			if _, failed := q.Wait(); failed != nil {
				checkError(t, name+", at Wait", *k, failed)
				err = cmp.Or(err, failed)
			}
		}
		for _, finish := range s.finish {
			_ = finish()
		}
		if s.file != nil {
			_ = s.file.Close()
		}
		return nil
	}, world.Unchecked())
	panics(t, name, ended)
	text, failed := fs.ReadFile(fsys, "f")
	if failed != nil {
		return failed.Error(), err, same
	}
	return string(text), err, same
}

// If this fails, a call with a senseless argument crashes the program, returns an error
// that does not name the mistake, or changes the file.
func TestHostileCalls(t *testing.T) {
	deep := filepath.Join(t.TempDir(), "deep") // for what writes real files, also to "../f"
	if err := os.Mkdir(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	models := []consistency.Model{consistency.Weakest}
	if thorough.All() {
		models = append(models, consistency.POSIX)
	}
	for _, model := range models {
		t.Run(fmt.Sprintf("GEN-02 IO-DA-02 IO-CLOSE-04 IO-VIEW-09 every call, %v", model), func(t *testing.T) {
			quiet := map[string]string{} // the file after a run without the call
			for _, f := range functionsOf() {
				arguments.Each(f, func(k hostile.Call[*stage]) {
					if model == consistency.POSIX && k.Wrong() && !followed[k.On.Name] {
						return
					}
					after, err, same := play(t, &k, k.On, iofile.WithModel(model))
					checkError(t, k.String(), k, err)
					if err == nil || k.Name == "Close" || returnsIt[k.Name] {
						return
					}
					if _, ok := quiet[k.On.Name]; !ok && k.On.Make != nil {
						quiet[k.On.Name], _, _ = play(t, nil, k.On, iofile.WithModel(model))
					}
					if before := quiet[k.On.Name]; after != before {
						t.Errorf("%v: refused (%v), and the file changed from %q to %q", k, err, before, after)
					}
					if !same {
						t.Errorf("%v: refused (%v), and the handle changed", k, err)
					}
				})
			}
		})
	}
}
