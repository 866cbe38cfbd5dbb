package comm_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/internal/commport"
	"github.com/commworld/commworld/internal/sched"
	"github.com/commworld/commworld/internal/testkit/hostile"
	"github.com/commworld/commworld/internal/testkit/thorough"
	"github.com/commworld/commworld/types"
)

// A value is an argument of some call.
type value = hostile.Value[*comm.Comm]

func is[T any](name string, v T) value { return hostile.Is[*comm.Comm](name, v) }

func of[T any](name string, f func(c *comm.Comm) T) value { return hostile.Of(name, f) }

// arguments has the arguments of calls, and their handles.
var arguments = hostile.Table[*comm.Comm]{}

func given[T any](vs ...value) { arguments[reflect.TypeFor[T]()] = vs }

func freed(c *comm.Comm) *comm.Comm {
	d, err := c.Dup()
	if err != nil {
		panic(err)
	}
	if err := d.Free(); err != nil {
		panic(err)
	}
	return d
}

func init() {
	given[types.Buffer](
		of("a number", func(*comm.Comm) types.Buffer { return ints(1) }),
		is("the zero buffer", types.Buffer{}),
		is("nil memory of 1 int", types.Raw(nil, 1, types.Int32)),
		is("-1 ints", types.Raw(make([]byte, 8), -1, types.Int32)),
		is("too many ints", types.Raw(make([]byte, 8), math.MaxInt64, types.Int32)),
		is("2^62 ints of none", types.Raw(make([]byte, 8), 1<<62, types.Contiguous(0, types.Int32))),
		is("no type", types.Raw(make([]byte, 8), 1, nil)),
		is("a type never made", types.Raw(make([]byte, 8), 1, new(types.Type))),
		is("a broken type", types.Raw(make([]byte, 8), 1, types.Vector(-1, 1, 1, types.Int32))),
		is("two places in one", types.Raw(make([]byte, 8), 1, types.HVector(2, 1, 0, types.Int32))),
		is("a type below its memory", types.Raw(make([]byte, 8), 1, types.HIndexed([]types.Block{{Len: 1, Disp: -4}}, types.Int32))),
		is("InPlace", comm.InPlace),
		is("a long type below its memory", types.Raw(make([]byte, 8), 1, types.HIndexed(manyBlocks(-8), types.Int32))),
		is("a long type in one place", types.Raw(make([]byte, 8), 1, types.HIndexed(manyBlocks(0), types.Int32))),
		is("a long type", types.Raw(make([]byte, 16e3), 1, types.HIndexed(manyBlocks(8), types.Char))),
	)
	given[[]types.Buffer](
		of("one buffer", func(*comm.Comm) []types.Buffer { return []types.Buffer{ints(1)} }),
		is("none", []types.Buffer(nil)),
		of("two", func(*comm.Comm) []types.Buffer { return []types.Buffer{ints(1), ints(2)} }),
		is("a zero buffer", []types.Buffer{{}}),
	)
	given[int](is("0", 0), is("-1", -1), is("-2", -2), is("-3", -3), is("1", 1), is("MaxInt", math.MaxInt), is("MinInt", math.MinInt), is("2^32", int(uint64(1)<<32&math.MaxInt)))
	given[int64](is("0", int64(0)), is("-1", int64(-1)), is("MaxInt64", int64(math.MaxInt64)), is("MinInt64", int64(math.MinInt64)))
	given[[]int](is("{0}", []int{0}), is("none", []int(nil)), is("{-1}", []int{-1}), is("{0,0}", []int{0, 0}), is("{MaxInt}", []int{math.MaxInt}), is("many", make([]int, 2e3)))
	given[[]int64](is("{1}", []int64{1}), is("none", []int64(nil)), is("{-1}", []int64{-1}), is("{0}", []int64{0}), is("{0,0}", []int64{0, 0}), is("{MaxInt64}", []int64{math.MaxInt64}), is("{MinInt64}", []int64{math.MinInt64}), is("many", make([]int64, 2e3)))
	given[[][]int](is("{{0}}", [][]int{{0}}), is("none", [][]int(nil)), is("{nil}", [][]int{nil}), is("{{-1}}", [][]int{{-1}}), is("{{1},{0}}", [][]int{{1}, {0}}), is("{{MaxInt}}", [][]int{{math.MaxInt}}))
	given[[]bool](is("{true}", []bool{true}), is("none", []bool(nil)), is("three", []bool{true, false, true}), is("many", make([]bool, 2e3)))
	given[bool](is("false", false), is("true", true))
	given[[]byte](of("8 bytes", func(*comm.Comm) []byte { return make([]byte, 8) }), is("none", []byte(nil)))
	given[string](is("a", "a"), is("empty", ""), is("long", strings.Repeat("x", 1<<16)), is("no text", "\xff\x00"))
	given[any](is[any]("1", 1), is[any]("nil", nil))
	given[error](is("an error", errors.New("mine")), is[any]("nil", nil))
	given[*comm.Comm](of("itself", func(c *comm.Comm) *comm.Comm { return c }), is("nil", (*comm.Comm)(nil)), is("one never made", new(comm.Comm)), of("one freed", freed))
	given[*comm.Op](is("Sum", comm.Sum), is("nil", (*comm.Op)(nil)), is("one never made", new(comm.Op)), is("without function", comm.NewOp("none", nil)), is("NoOp", comm.NoOp),
		of("one that panics", func(*comm.Comm) *comm.Op {
			return comm.NewOp("ouch", func(_, _ types.Buffer) error { panic("ouch") })
		}))
	given[*comm.Group](of("its own", func(c *comm.Comm) *comm.Group { g, _ := c.Group(); return g }), is("nil", (*comm.Group)(nil)), is("one never made", new(comm.Group)))
	given[*comm.Keyval](of("a key", func(*comm.Comm) *comm.Keyval { return comm.NewKeyval(nil, nil) }), is("nil", (*comm.Keyval)(nil)), is("one never made", new(comm.Keyval)), of("one freed", func(*comm.Comm) *comm.Keyval {
		k := comm.NewKeyval(nil, nil)
		_ = k.Free()
		return k
	}))
	given[*comm.Info](of("hints", func(*comm.Comm) *comm.Info { return comm.NewInfo() }), is("nil", (*comm.Info)(nil)), is("one never made", new(comm.Info)))
	given[*comm.Errhandler](is("ErrorsReturn", comm.ErrorsReturn), is("nil", (*comm.Errhandler)(nil)), is("one never made", new(comm.Errhandler)))
	given[*types.Type](is("Int32", types.Int32), is("nil", (*types.Type)(nil)), is("one never made", new(types.Type)), is("a broken one", types.Vector(-1, 1, 1, types.Int32)), is("a long one", types.HIndexed(manyBlocks(8), types.Int32)))
	given[[]comm.CartDim](is("{1}", []comm.CartDim{{Size: 1}}), is("none", []comm.CartDim(nil)), is("{0}", []comm.CartDim{{}}), is("{-1}", []comm.CartDim{{Size: -1}}), is("{2}", []comm.CartDim{{Size: 2}}), is("many", make([]comm.CartDim, 2e3)),
		is("too large", []comm.CartDim{{Size: math.MaxInt}, {Size: math.MaxInt}}), is("{MinInt}", []comm.CartDim{{Size: math.MinInt}}))
	given[[]comm.DistEdge](is("none", []comm.DistEdge(nil)), is("{-1}", []comm.DistEdge{{From: -1}}), is("{MaxInt}", []comm.DistEdge{{To: math.MaxInt}}), is("negative weight", []comm.DistEdge{{Weight: -1}}), is("many", make([]comm.DistEdge, 2e3)))
	given[comm.Neighborhood](is("none", comm.Neighborhood{}), is("{-1}", comm.Neighborhood{Sources: []comm.Neighbor{{Rank: -1}}}), is("{MaxInt}", comm.Neighborhood{Destinations: []comm.Neighbor{{Rank: math.MaxInt}}}),
		is("one end", comm.Neighborhood{Destinations: []comm.Neighbor{{Rank: 0}}}), is("negative weight", comm.Neighborhood{Weighted: true, Sources: []comm.Neighbor{{Weight: -1}}, Destinations: []comm.Neighbor{{Weight: -1}}}))
	given[comm.SplitKind](is("Shared", comm.Shared), is("99", comm.SplitKind(99)), is("MinInt", comm.SplitKind(math.MinInt)))
	given[comm.To](is("{0 0}", comm.To{}), is("ProcNull", comm.To{Rank: comm.ProcNull}), is("{1 0}", comm.To{Rank: 1}), is("{MinInt MaxInt}", comm.To{Rank: math.MinInt, Tag: math.MaxInt}), is("tag -1", comm.To{Tag: -1}), is("tag MaxInt", comm.To{Tag: math.MaxInt}))
	given[comm.From](is("{0 0}", comm.From{}), is("ProcNull", comm.From{Rank: comm.ProcNull}), is("AnySource", comm.From{Rank: comm.AnySource, Tag: comm.AnyTag}), is("{1 0}", comm.From{Rank: 1}), is("{MinInt MaxInt}", comm.From{Rank: math.MinInt, Tag: math.MaxInt}), is("tag -3", comm.From{Tag: -3}))
	given[comm.GRequest](is("empty", comm.GRequest{}))
	given[[]comm.RankRange](is("{0 0 1}", []comm.RankRange{{Stride: 1}}), is("no stride", []comm.RankRange{{}}), is("far", []comm.RankRange{{First: math.MinInt, Last: math.MaxInt, Stride: 1}}), is("none", []comm.RankRange(nil)))
	given[comm.Status](is("zero", comm.Status{}))
}

// receivers are the types whose every method is called.
var receivers = []reflect.Type{
	reflect.TypeFor[*comm.Comm](), reflect.TypeFor[*comm.Group](), reflect.TypeFor[*comm.Info](), reflect.TypeFor[*comm.Keyval](), reflect.TypeFor[*comm.Op](),
	reflect.TypeFor[*comm.Request](), reflect.TypeFor[*comm.Message](), reflect.TypeFor[comm.Status](), reflect.TypeFor[*comm.Status](),
	reflect.TypeFor[comm.Comparison](), reflect.TypeFor[comm.Topology](),
}

func init() {
	req := func(f func(c *comm.Comm) (*comm.Request, error)) func(c *comm.Comm) *comm.Request {
		return func(c *comm.Comm) *comm.Request {
			q, err := f(c)
			if err != nil {
				panic(err)
			}
			return q
		}
	}
	given[*comm.Request](
		is("nil", (*comm.Request)(nil)), is("one never made", new(comm.Request)),
		of("a complete send", req(func(c *comm.Comm) (*comm.Request, error) {
			q, err := c.ISend(ints(1), comm.ProcNull, 0)
			return q, errors.Join(err, second(q.Wait()))
		})),
		of("a complete send", req(func(c *comm.Comm) (*comm.Request, error) { return c.ISend(ints(1), 0, 0) })),
		of("a receive", req(func(c *comm.Comm) (*comm.Request, error) { return c.IRecv(ints(1), 0, 0) })),
		of("a cancelled receive", req(func(c *comm.Comm) (*comm.Request, error) {
			q, err := c.IRecv(ints(1), 0, 0)
			return q, errors.Join(err, q.Cancel())
		})),
		of("a freed receive", req(func(c *comm.Comm) (*comm.Request, error) {
			q, err := c.IRecv(ints(1), 0, 0)
			return q, errors.Join(err, q.Free())
		})),
		of("a collective", req(func(c *comm.Comm) (*comm.Request, error) { return c.IBarrier() })),
		of("an inactive send", req(func(c *comm.Comm) (*comm.Request, error) { return c.SendInit(ints(1), 0, 0) })),
		of("an active persistent receive", req(func(c *comm.Comm) (*comm.Request, error) {
			q, err := c.RecvInit(ints(1), 0, 0)
			return q, errors.Join(err, q.Start())
		})),
		of("a freed persistent receive", req(func(c *comm.Comm) (*comm.Request, error) {
			q, err := c.RecvInit(ints(1), 0, 0)
			return q, errors.Join(err, q.Start(), q.Free())
		})),
		of("an inactive collective", req(func(c *comm.Comm) (*comm.Request, error) { return c.BarrierInit() })),
		of("an inactive partitioned send", req(func(c *comm.Comm) (*comm.Request, error) { return c.PSendInit(ints(1), 1, 0, 0) })),
		of("an active partitioned send", req(func(c *comm.Comm) (*comm.Request, error) {
			q, err := c.PSendInit(ints(1), 1, 0, 0)
			return q, errors.Join(err, q.Start())
		})),
		of("an active partitioned receive", req(func(c *comm.Comm) (*comm.Request, error) {
			q, err := c.PRecvInit(ints(1), 1, 0, 0)
			return q, errors.Join(err, q.Start())
		})),
		of("an inactive partitioned receive", req(func(c *comm.Comm) (*comm.Request, error) { return c.PRecvInit(ints(1), 1, 0, 0) })),
		of("a freed partitioned send", req(func(c *comm.Comm) (*comm.Request, error) {
			q, err := c.PSendInit(ints(1), 1, 0, 0)
			return q, errors.Join(err, q.Free())
		})),
		of("a generalized one", req(func(c *comm.Comm) (*comm.Request, error) { return c.GRequestStart(comm.GRequest{}) })),
		of("a complete generalized one", req(func(c *comm.Comm) (*comm.Request, error) {
			q, err := c.GRequestStart(comm.GRequest{})
			return q, errors.Join(err, q.GRequestComplete())
		})),
		of("one of a freed communicator", req(func(c *comm.Comm) (*comm.Request, error) {
			d, err := c.Dup()
			if err != nil {
				return nil, err
			}
			q, err := d.RecvInit(ints(1), 0, 0)
			return q, errors.Join(err, d.Free())
		})),
	)
	given[*comm.Message](
		is("nil", (*comm.Message)(nil)), is("one never made", new(comm.Message)), is("MessageNoProc", comm.MessageNoProc),
		of("a message", func(c *comm.Comm) *comm.Message {
			_ = c.Send(ints(1), 0, 0)
			m, _, _ := c.MProbe(0, 0)
			return m
		}),
		of("a received message", func(c *comm.Comm) *comm.Message {
			_ = c.Send(ints(1), 0, 0)
			m, _, _ := c.MProbe(0, 0)
			_, _ = m.MRecv(ints(1))
			return m
		}),
	)
	given[*comm.Status](is("zero", new(comm.Status)))
	given[comm.Comparison](is("99", comm.Comparison(99)), is("-99", comm.Comparison(-99)))
	given[comm.Topology](is("99", comm.Topology(99)), is("-99", comm.Topology(-99)))
}

// tryAll makes all calls of the methods of a type.
func tryAll(typ reflect.Type, each func(k hostile.Call[*comm.Comm])) {
	for _, f := range hostile.Methods(typ) {
		arguments.Each(f, each)
	}
}

// call makes a call and returns its request and its error.
func call(c *comm.Comm, k hostile.Call[*comm.Comm]) (q *comm.Request, err error) {
	for _, out := range k.Do(c) {
		switch x := out.(type) {
		case error:
			err = x
		case *comm.Request:
			q = x
		}
	}
	return q, err
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

// complete checks that an error has all its facts.
func complete(t *testing.T, name string, err error) {
	var dead *sched.DeadlockError
	var e *comm.Error
	if err != nil && len(err.Error()) > longestText {
		t.Errorf("%s: %d bytes of text: %.500s", name, len(err.Error()), err)
	}
	switch {
	case err == nil || errors.As(err, &dead):
	case !errors.As(err, &e):
		t.Errorf("%s: no error of this package: %v", name, err)
	case e.Rule == "" || e.Class == errclass.Success || e.Op == "":
		t.Errorf("%s: class, rule or call is missing: %v", name, err)
	case e.Object != "" && e.Rank < 0 && !strings.HasPrefix(e.Op, "Info") && e.Object != "group":
		t.Errorf("%s: the rank is missing: %v", name, err)
	}
}

// A call with an argument that is nonsense must be an error. A panic would end a
// program that meant to look at the error, and a hang would not say why.
func TestHostileArguments(t *testing.T) {
	own := map[string]bool{"Abort": true, "CallErrhandler": true} // they return what they are given
	for _, typ := range receivers {
		t.Run("P2P-08 COMM-01 COLL-01 every call of "+typ.String(), func(t *testing.T) {
			tryAll(typ, func(k hostile.Call[*comm.Comm]) {
				name := fmt.Sprintf("%v.%v", typ, k)
				var err error
				var left []error
				w := sched.New(1, sched.Options{})
				u := port.Launch(w, commport.LaunchOptions{})
				w.Run(func(r *sched.Rank) error {
					_, err = call(u.World(r.ID()), k)
					return nil
				})
				u.End(func(_ int, err error) { left = append(left, err) })
				for _, f := range w.Failures() {
					var dead *sched.DeadlockError
					if !own[k.Name] && !errors.As(f, &dead) {
						t.Errorf("%s: %v", name, f)
					}
				}
				if !own[k.Name] {
					complete(t, name, err)
				}
				for _, err := range left {
					complete(t, name+", at the end", err)
				}
			})
		})
	}
}

// collectives are the calls that all ranks make together.
var collectives = regexp.MustCompile(`^I?(Neighbor)?(Barrier|Bcast|Gather|GatherV|Scatter|ScatterV|AllGather|AllGatherV|AllToAll[VW]?|Reduce|AllReduce|ReduceScatter|ReduceScatterBlock|Scan|ExScan)(Init)?$` +
	`|^I?Dup(WithInfo)?$|^(Split|SplitType|Create|CartCreate|CartSub|GraphCreate|DistGraphCreate|DistGraphCreateAdjacent|IntercommMerge|SetInfo)$`)

// A wrong argument of one rank must be an error on all: else the others wait for
// ever, or go on with an object that was never made.
func TestHostileArgumentsOfOneRank(t *testing.T) {
	thorough.Only(t)
	other := func(c *comm.Comm) []comm.Neighbor { return []comm.Neighbor{{Rank: 1 - c.Rank()}} }
	on := []value{
		of("a world", func(c *comm.Comm) *comm.Comm { return c }),
		of("a grid", func(c *comm.Comm) *comm.Comm { return must(c.CartCreate(comm.CartDims(true, 2), false)) }),
		of("a graph", func(c *comm.Comm) *comm.Comm {
			return must(c.DistGraphCreateAdjacent(comm.Neighborhood{Sources: other(c), Destinations: other(c)}, nil, false))
		}),
		of("two groups", func(c *comm.Comm) *comm.Comm { return must(c.Self().IntercommCreate(0, c, 1-c.Rank(), 0)) }),
	}
	for _, c := range on {
		t.Run("COLL-01 COLL-02 COLL-04 COMM-01 COMM-02 every collective of "+c.Name, func(t *testing.T) {
			tryAll(reflect.TypeFor[*comm.Comm](), func(k hostile.Call[*comm.Comm]) {
				if k.On.Name != "itself" || !collectives.MatchString(k.Name) {
					return
				}
				name, k := k.String(), k.With(c)
				for who := range 3 { // one of the ranks, or both
					for _, s := range []setting{{}, seeded(1)} {
						got := make([]error, 2)
						errs := start(2, s, func(w *comm.Comm) error {
							mine := k
							if who == 1-w.Rank() {
								mine = k.Right()
							}
							q, err := call(w, mine)
							if err == nil && strings.HasSuffix(k.Name, "Init") {
								err = q.Start()
							}
							if err == nil {
								_, err = q.Wait()
							}
							got[w.Rank()] = err
							return w.Barrier() // nothing is left of it
						})
						if err := errors.Join(errs...); err != nil {
							t.Errorf("%s: the world does not go on: %v", name, err)
						}
						if (got[0] == nil) != (got[1] == nil) {
							t.Errorf("%s: an error of one rank only: %v", name, got)
						}
						complete(t, name, got[0])
						complete(t, name, got[1])
					}
				}
			})
		})
	}
}

func must(c *comm.Comm, err error) *comm.Comm {
	if err != nil {
		panic(err)
	}
	return c
}
