package script

import (
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/reps"
	"github.com/commworld/commworld/types"
)

// A Script is a program for a few ranks, the files it starts with, and its expectations.
type Script struct {
	Name    string // in reports; may be empty
	Ranks   int
	Aliases []Alias
	Files   []File

	Machines []Machine     // of ranks that are not like the others
	Markers  types.Markers // the force of bounds, see world.Arch
	Blocks   []Block
	Expect   []Expectation

	text   string // the source text, if each of its statements is one of the script
	source string // the source text
}

// A Machine gives a rank an architecture. The other ranks have reps.LP64LE.
type Machine struct {
	Line int
	Rank int
	Arch *reps.Arch
}

// An Alias is a name for a datatype.
type Alias struct {
	Line int
	Name string
	Type *types.Type
}

// A File is the content of a file before the ranks start. A file that is not named does
// not exist then.
type File struct {
	Line  int
	Name  string
	Bytes []Stretch
}

// A Stretch is a run of bytes, repeated n times.
type Stretch struct {
	Bytes  []byte
	Text   bool  // written between quotes
	Blank  bool  // bytes that no rank wrote; in expectations only
	Repeat int64 // at least 0
}

// A Block is statements that some ranks run, each rank in the order of the
// text. Blocks of one rank follow each other; blocks of different ranks have no
// order.
type Block struct {
	Line  int
	Ranks []int // in order, none twice
	All   bool  // written "all"
	Stmts []*Stmt
}

// A Stmt is one call. The routine determines which fields are used.
type Stmt struct {
	Line    int
	Routine string // as in the script: "write_at_all"

	Self   bool   // open: over this rank alone
	Handle string // of a file
	File   string // its name in the store
	Mode   iofile.Mode
	Hints  []Hint // of an open
	Offset int64  // in etypes
	Bytes  int64  // a displacement or a size
	Whence iofile.Whence
	On     bool
	View   iofile.View
	Type   *types.Type // type_extent
	Data   *Data       // written or sent
	Want   *Want       // the expected value of a read or receive
	Into   string      // name of the result
	As     string      // name of the request
	Reqs   []string    // names of requests
	Peer   int         // rank of a message, or root; comm.AnySource
	Tag    int         // comm.AnyTag
	Op     string      // of a reduction

	form *form
}

// Data is the data that a call writes or sends: the values of the items of whole copies
// of a datatype, in the order of its typemap.
type Data struct {
	Type   *types.Type
	Values []Value
	bare   bool // text without a type
}

// A Value is one item, or text with one character an item, repeated n times.
type Value struct {
	Text   string
	Quoted bool
	Repeat int64
}

// Want is what a call reads or receives: at most Count copies of a datatype.
type Want struct {
	Type  *types.Type
	Count int64
}

// A Hint is a key of an info object with its value. One key is not a hint but an option of the
// open: match is the matching policy, such as source000, see iofile.WithMatch.
type Hint struct{ Key, Value string }

// Match returns the matching policy that h stands for, if it stands for one.
func (h Hint) Match() (types.Policy, bool) {
	p, err := types.ParsePolicy(h.Value)
	return p, h.Key == "match" && err == nil
}

// An Expectation is what a line at the end of a script says about its runs.
type Expectation struct {
	Line     int
	Kind     ExpectKind
	Outcomes []Outcome      // Allow
	Class    errclass.Class // Error
	Rank, At int            // Error: the rank, and the line of the statement

	Missing consistency.Missing // Race: the missing call; empty: any
	Rule    string              // Race: of the standard; empty: any
	Sites   []Site              // Race: the two statements; nil: any
}

// A Site is a statement together with the rank that runs it.
type Site struct{ Rank, Line int }

// An ExpectKind is the subject of an expectation.
type ExpectKind uint8

// The kinds of expectations.
const (
	Allow    ExpectKind = iota // these are all the outcomes
	Race                       // there is a data race; if such lines name races, there is no other
	NoRace                     // there is none
	Error                      // a statement fails
	Deadlock                   // no rank can go on
)

// An Outcome is one possible end of a run: the values of some results and files.
type Outcome []Equation

// An Equation gives the value of a result, or the content of a file at the end.
type Equation struct {
	Rank   int
	Name   string // of the result
	Values []Value

	File   string    // instead: a file
	Bytes  []Stretch // what it holds
	Absent bool      // it does not exist
}
