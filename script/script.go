package script

import (
	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
	"github.com/commworld/commworld/iofile"
	"github.com/commworld/commworld/types"
)

// A Script is a program for a few ranks, the files it starts with, and what is
// expected of it.
type Script struct {
	Name    string // by which reports call it; may be empty
	Ranks   int
	Aliases []Alias
	Files   []File
	Blocks  []Block
	Expect  []Expectation
}

// An Alias is a name for a datatype.
type Alias struct {
	Line int
	Name string
	Type *types.Type
}

// A File is what a file holds before the ranks start. A file that is not named
// does not exist then.
type File struct {
	Line  int
	Name  string
	Bytes []Stretch
}

// A Stretch is some bytes, n times over.
type Stretch struct {
	Bytes  []byte
	Text   bool  // written between quotes
	Blank  bool  // bytes that nobody wrote; in expectations only
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

// A Stmt is one call. Which fields mean something depends on the routine.
type Stmt struct {
	Line    int
	Routine string // as in the script: "write_at_all"

	Self   bool   // open: over this rank alone
	Handle string // of a file
	File   string // its name in the store
	Mode   iofile.Mode
	Offset int64 // in etypes
	Bytes  int64 // a displacement or a size
	Whence iofile.Whence
	On     bool
	View   iofile.View
	Type   *types.Type // type_extent
	Data   *Data       // what is written or sent
	Want   *Want       // what is read or received
	Into   string      // name of the result
	As     string      // name of the request
	Reqs   []string    // names of requests
	Peer   int         // rank of a message, or root; comm.AnySource
	Tag    int         // comm.AnyTag
	Op     string      // of a reduction

	form *form
}

// Data is what a call writes or sends: values of the items of whole copies of a
// datatype, in the order of its typemap.
type Data struct {
	Type   *types.Type
	Values []Value
	bare   bool // text without a type
}

// A Value is one item, or text of one item a character, n times over.
type Value struct {
	Text   string
	Quoted bool
	Repeat int64
}

// Want is what a call reads or receives: at most so many copies of a datatype.
type Want struct {
	Type  *types.Type
	Count int64
}

// An Expectation is what a line at the end of a script says about its runs.
type Expectation struct {
	Line     int
	Kind     ExpectKind
	Outcomes []Outcome      // Allow
	Class    errclass.Class // Error
	Rank, At int            // Error: the rank, and the line of the statement

	Missing consistency.Missing // Race: what is missing; empty: anything
	Rule    string              // Race: of the standard; empty: any
	Sites   []Site              // Race: the two statements; nil: any
}

// A Site is a statement as one rank runs it.
type Site struct{ Rank, Line int }

// An ExpectKind is what an expectation is about.
type ExpectKind uint8

// The kinds of expectations.
const (
	Allow    ExpectKind = iota // these are the outcomes, all of them
	Race                       // there is a data race; if lines say more of theirs, these are all
	NoRace                     // there is none
	Error                      // a statement fails
	Deadlock                   // no rank can go on
)

// An Outcome is one way in which a run may end: what some results are.
type Outcome []Equation

// An Equation says what a rank read, or what a file holds in the end.
type Equation struct {
	Rank   int
	Name   string // of the result
	Values []Value

	File   string    // instead: a file
	Bytes  []Stretch // what it holds
	Absent bool      // it does not exist
}
