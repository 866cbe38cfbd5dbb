package rerun

import (
	"fmt"
	"math"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/internal/recording"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// Values of a recording.
const (
	anySource = -1
	procNull  = -2
	root      = -3
	anyTag    = -1
	undefined = -1
	wrong     = -1000 // a value less than this is a negative one, which is none of the standard's
)

// args are the fields of a call, read one by one.
type args struct {
	k    *rank
	call *recording.Call
	next int
}

// field returns the next field, which must be one of some kinds.
func (a *args) field(kinds string) int64 {
	if a.next >= len(a.call.Fields) || !contains(kinds, a.call.Fields[a.next]) {
		panic(broken{fmt.Errorf("rank %d: a recording of another version: MPI_%s has the fields %q, and field %d is not one of %q",
			a.k.world.Rank(), a.call.Name, a.call.Fields, a.next, kinds)})
	}
	x := a.call.Args[a.next]
	a.next++
	return x
}

func contains(s string, b byte) bool {
	for i := range len(s) {
		if s[i] == b {
			return true
		}
	}
	return false
}

func value[T any](x T, err error) T {
	if err != nil {
		panic(broken{err})
	}
	return x
}

func (a *args) n() int64 { return a.field("n") }

func (a *args) int() int {
	n := a.n()
	if n < math.MinInt32 || n > math.MaxInt32 {
		return math.MinInt32
	}
	return int(n)
}

func (a *args) inPlace() bool { return a.field("b") == 1 }

func (a *args) comm() *comm.Comm {
	c := a.k.comms.get(a.field("c"))
	if c == nil {
		panic(errMissing)
	}
	return c
}

func (a *args) file() *file {
	f := a.k.files.get(a.field("f"))
	if f == nil || f.lost && a.call.Name != "File_close" {
		panic(errMissing)
	}
	return f
}

// shape returns the error of a call on which the meaning of later accesses depends. If the call
// fails only here, they would not be those of the job, so they are not carried out.
func (a *args) shape(f *file, err error) error {
	f.lost = err != nil && !failedInJob(a.call)
	return err
}

// rank returns a rank as package comm has it.
func (a *args) rank() int { return rankOf(a.field("r")) }

func rankOf(x int64) int {
	switch {
	case x == anySource:
		return comm.AnySource
	case x == procNull:
		return comm.ProcNull
	case x == root:
		return comm.Root
	case x <= wrong:
		return math.MinInt32
	}
	return int(x)
}

func (a *args) tag() int { return tagOf(a.field("k")) }

func tagOf(x int64) int {
	switch {
	case x == anyTag:
		return comm.AnyTag
	case x <= wrong:
		return math.MinInt32
	}
	return int(x)
}

func (a *args) text() string         { return value(a.k.reader.Text(a.field("s"))) }
func (a *args) list() []int64        { return value(a.k.reader.List(a.field("l"))) }
func (a *args) typ() *types.Type     { return value(a.k.reader.Type(a.field("t"))) }
func (a *args) types() []*types.Type { return value(a.k.reader.Types(a.field("T"))) }

func (a *args) ints() []int {
	list := a.list()
	all := make([]int, len(list))
	for i, x := range list {
		all[i] = int(x)
	}
	return all
}

// buffer returns the buffer of a count and a datatype.
func (a *args) buffer() types.Buffer {
	n := a.n()
	return fill(n, a.typ())
}

// fill is types.Fill; without a datatype, which the call does not look at, it is empty.
func fill(n int64, t *types.Type) types.Buffer {
	if t == nil {
		return types.Buffer{}
	}
	return types.Fill(n, t)
}

func (a *args) info() *comm.Info {
	text := value(a.k.reader.Text(a.field("i")))
	info := comm.NewInfo()
	for len(text) > 0 {
		var key, v string
		key, text = upToZero(text)
		v, text = upToZero(text)
		_ = info.Set(key, v) // a library may take keys that the standard does not
	}
	return info
}

func upToZero(s string) (part, rest string) {
	for i := range len(s) {
		if s[i] == 0 {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// ops are the predefined operations in the order of a recording.
var ops = []*comm.Op{
	comm.Sum, comm.Prod, comm.Max, comm.Min, comm.LAnd, comm.LOr, comm.LXor, comm.BAnd, comm.BOr, comm.BXor,
	comm.MaxLoc, comm.MinLoc, comm.Replace, comm.NoOp,
}

func nothing(types.Buffer, types.Buffer) error { return nil }

var own = []*comm.Op{comm.NewOp("of the program", nothing), comm.NewCommutativeOp("of the program", nothing)}

func (a *args) op() *comm.Op {
	const user = 100
	switch x := a.field("o"); {
	case x >= 0 && x < int64(len(ops)):
		return ops[x]
	case x == user || x == user+1:
		return own[x-user]
	}
	return nil
}

// group returns the group of some ranks of a communicator.
func (a *args) group(c *comm.Comm) (*comm.Group, error) {
	list := value(a.k.reader.List(a.field("g")))
	g, err := c.Group()
	if err != nil {
		return nil, err
	}
	ranks := make([]int, len(list))
	for i, x := range list {
		ranks[i] = int(x)
	}
	return g.Incl(ranks)
}

// newComm records a communicator that the call has made.
func (a *args) newComm(c *comm.Comm, err error) error {
	id := a.output("C")
	if err == nil && c != nil {
		a.k.comms.set(id, c)
	}
	return err
}

// output is field for a result, which a call that did not return does not have.
func (a *args) output(kinds string) int64 {
	if !a.call.Returned {
		return recording.None
	}
	return a.field(kinds)
}

// started records a request that the call has started.
func (a *args) started(q *comm.Request, err error) error {
	if err == nil {
		a.k.requests.set(a.output("Q"), &request{q: q})
	}
	return err
}

// prepared records a request that the call has made and can be started.
func (a *args) prepared(q *comm.Request, err error) error {
	if err == nil {
		a.k.requests.set(a.output("P"), &request{q: q, persistent: true})
	}
	return err
}

// modes are the access modes in the order of a recording's bits.
var modes = []iofile.Mode{
	iofile.ReadOnly, iofile.ReadWrite, iofile.WriteOnly, iofile.Create, iofile.Excl, iofile.DeleteOnClose, iofile.UniqueOpen, iofile.Sequential, iofile.Append,
}

func (a *args) mode() iofile.Mode {
	x := a.field("m")
	m := iofile.Mode(0)
	for i, bit := range modes {
		if x>>i&1 != 0 {
			m |= bit
		}
	}
	if x>>len(modes) != 0 {
		m |= 1 << 31 // none of the standard's
	}
	return m
}

func (a *args) whence() iofile.Whence {
	switch a.field("w") {
	case 0:
		return iofile.SeekSet
	case 1:
		return iofile.SeekCur
	case 2:
		return iofile.SeekEnd
	}
	return -1
}
