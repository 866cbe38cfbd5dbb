package consistency_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/commworld/commworld/consistency"
	"github.com/commworld/commworld/errclass"
)

// If a row fails, the report of two writes to the same bytes names another mistake first, or in
// the words of another language; a sync or atomic mode would then be tried on a program that
// only has a wrong offset.
func TestMistakeOfTwoWriters(t *testing.T) {
	at := func(file string, line int) errclass.Place { return errclass.Place{File: file, Line: line} }
	party := func(rank int, op, file string, line int, k consistency.Known) consistency.Party {
		return consistency.Party{Rank: rank, Op: op, Write: true, Place: at(file, line), Known: k}
	}
	for _, c := range []struct {
		name string
		a, b consistency.Party
		cure string
	}{
		{
			"shared and individual", party(0, "WriteShared", "main.go", 3, consistency.Known{}), party(1, "Write", "main.go", 4, consistency.Known{}),
			"use WriteShared in place of Write (main.go:4)",
		},
		{
			"in C", party(0, "WriteOrdered", "main.c", 3, consistency.Known{ByAll: true}), party(1, "Write", "main.c", 4, consistency.Known{ByAll: true}),
			"use MPI_File_write_ordered in place of MPI_File_write (main.c:4)",
		},
		{
			"in a script", party(0, "WriteShared", "x.mpio", 3, consistency.Known{}), party(1, "IWrite", "x.mpio", 4, consistency.Known{}),
			"use iwrite_shared in place of iwrite (line 4)",
		},
		{
			"ordered, and by one rank", party(0, "WriteOrdered", "main.go", 3, consistency.Known{ByAll: true}), party(1, "WriteAt", "main.go", 4, consistency.Known{}),
			"use WriteShared in place of WriteAt (main.go:4), or let its offset begin after the shared data",
		},
		{
			"ordered and split", party(0, "WriteOrdered", "main.go", 3, consistency.Known{ByAll: true}),
			party(1, "WriteAllBegin", "main.go", 4, consistency.Known{ByAll: true}),
			"use WriteOrderedBegin and WriteOrderedEnd in place of WriteAllBegin (main.go:4) and its WriteAllEnd",
		},
		{
			"append", party(0, "Write", "main.go", 3, consistency.Known{Append: true, Hi: 4, ByAll: true}),
			party(1, "Write", "main.go", 3, consistency.Known{Append: true, Hi: 4, ByAll: true}),
			"use WriteOrdered in place of Write (main.go:3): one after the other, in the order of ranks",
		},
		{
			"append on some ranks", party(0, "Write", "main.go", 3, consistency.Known{Append: true, Hi: 4}),
			party(1, "Write", "main.go", 3, consistency.Known{Append: true, Hi: 4}),
			"use WriteShared in place of Write (main.go:3): one after the other, in any order",
		},
		{
			"split, all at 0", party(0, "WriteAllBegin", "main.go", 3, consistency.Known{Hi: 4}), party(1, "WriteAllBegin", "main.go", 3, consistency.Known{Hi: 4}),
			"use WriteAtAllBegin and WriteAtAllEnd in place of WriteAllBegin (main.go:3) and its WriteAllEnd, with an offset such as rank * 4",
		},
		{
			"nonblocking in C, all at 0", party(0, "MPI_File_iwrite", "main.c", 3, consistency.Known{Hi: 4}),
			party(1, "MPI_File_iwrite", "main.c", 3, consistency.Known{Hi: 4}),
			"use MPI_File_iwrite_at in place of MPI_File_iwrite (main.c:3), with an offset such as rank * 4",
		},
		{
			"split in C, all at 0", party(0, "MPI_File_write_all_begin", "main.c", 3, consistency.Known{Hi: 4, Stays: true}),
			party(1, "MPI_File_write_all_begin", "main.c", 3, consistency.Known{Hi: 4, Stays: true}),
			"use MPI_File_write_at_all_begin and MPI_File_write_at_all_end in place of MPI_File_write_all_begin (main.c:3) and its MPI_File_write_all_end, " +
				"with an offset that depends on the rank",
		},
		{
			"self", party(0, "WriteAtAll", "main.go", 3, consistency.Known{Alone: true, Hi: 4}), party(1, "WriteAtAll", "main.go", 3, consistency.Known{Alone: true, Hi: 4}),
			"open the file with the communicator of all ranks, and give each rank an offset or a displacement of its own",
		},
		{
			"all at 0", party(0, "WriteAt", "main.go", 3, consistency.Known{ByAll: true, Hi: 8}), party(1, "WriteAt", "main.go", 3, consistency.Known{ByAll: true, Hi: 8}),
			"let the offset depend on the rank, such as rank * 8 bytes",
		},
		{
			"all at 4", party(0, "WriteAt", "main.go", 3, consistency.Known{ByAll: true, Lo: 4, Hi: 8}),
			party(1, "WriteAt", "main.go", 3, consistency.Known{ByAll: true, Lo: 4, Hi: 8}),
			"let the offset depend on the rank, such as 4 + rank * 4 bytes",
		},
		{
			"some at 0", party(0, "WriteAt", "main.go", 3, consistency.Known{Hi: 8}), party(1, "WriteAt", "main.go", 3, consistency.Known{Hi: 8}),
			"give each rank an offset of its own, such as rank * 8 bytes",
		},
		{
			"all at 0, among others", party(0, "WriteAt", "main.go", 3, consistency.Known{ByAll: true, Hi: 8, Stays: true}),
			party(1, "WriteAt", "main.go", 3, consistency.Known{ByAll: true, Hi: 8, Stays: true}),
			"let the offset depend on the rank",
		},
		{
			"all at 0, one byte", party(0, "WriteAt", "main.go", 3, consistency.Known{ByAll: true, Hi: 1}), party(1, "WriteAt", "main.go", 3, consistency.Known{ByAll: true, Hi: 1}),
			"let the offset depend on the rank, such as rank",
		},
		{
			"all at their pointers, one byte", party(0, "Write", "main.go", 3, consistency.Known{Hi: 1}), party(1, "Write", "main.go", 3, consistency.Known{Hi: 1}),
			"use WriteAt in place of Write (main.go:3), with an offset such as rank",
		},
		{
			"other lines", party(0, "WriteAt", "main.go", 3, consistency.Known{Lo: 4, Hi: 8}), party(1, "WriteAt", "main.go", 9, consistency.Known{Lo: 6, Hi: 8}),
			"if they are to write different bytes, correct the offset or the view of WriteAt (main.go:3) or of WriteAt (main.go:9)",
		},
		{"one rank", party(0, "WriteAt", "main.go", 3, consistency.Known{}), party(0, "WriteAt", "main.go", 9, consistency.Known{}), ""},
		{"sizes", party(0, "SetSize", "main.go", 3, consistency.Known{}), party(1, "WriteAt", "main.go", 9, consistency.Known{}), ""},
		{
			"a read", party(0, "WriteAt", "main.go", 3, consistency.Known{}),
			consistency.Party{Rank: 1, Op: "ReadAt", Place: at("main.go", 4)},
			"",
		},
	} {
		t.Run("CONS-C2 "+c.name, func(t *testing.T) {
			for _, e := range []consistency.RaceError{{A: c.a, B: c.b, Rule: "CONS-C2"}, {A: c.b, B: c.a, Rule: "CONS-C2"}} {
				m := e.Mistake()
				if c.cure == "" {
					assert.Nil(t, m)
				} else if assert.NotNil(t, m) && c.name != "other lines" {
					assert.Equal(t, c.cure, m.Cure)
					assert.False(t, strings.Contains(m.Cause, "all ranks write") && !c.a.ByAll, m.Cause)
				}
			}
		})
	}
}

// Two lines that append are two calls to replace: each alone would leave a pointer of its own.
func TestAppendsOnTwoLines(t *testing.T) {
	party := func(rank, line int, op string) consistency.Party {
		return consistency.Party{Rank: rank, Op: op, Write: true, Place: errclass.Place{File: "main.go", Line: line}, Known: consistency.Known{Append: true, Hi: 4, ByAll: true}}
	}
	e := consistency.RaceError{A: party(0, 3, "Write"), B: party(1, 9, "WriteAll"), Rule: "CONS-C2"}
	assert.Equal(t, "use WriteOrdered in place of Write (main.go:3) and WriteOrdered in place of WriteAll (main.go:9): one after the other, in the order of ranks",
		e.Mistake().Cure)
}
