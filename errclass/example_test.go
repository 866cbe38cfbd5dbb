package errclass_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/commworld/commworld/errclass"
)

// A class is an error, and some are those of Go's standard library as well.
func ExampleClass() {
	err := error(&errclass.Error{Pkg: "iofile", Op: "Open", Rank: 0, Object: "grid", Class: errclass.NoSuchFile, Rule: "IO-AMODE-04"})
	fmt.Println(errors.Is(err, errclass.NoSuchFile), errors.Is(err, fs.ErrNotExist))
	fmt.Println(errclass.NoSuchFile.Name(), int(errclass.NoSuchFile))
	// Output:
	// true true
	// MPI_ERR_NO_SUCH_FILE 42
}

// An Error says which call of which rank broke which rule.
func ExampleError() {
	err := fmt.Errorf("saving: %w", &errclass.Error{
		Pkg: "iofile", Op: "WriteAt", Rank: 2, Object: "grid", Class: errclass.Arg, Rule: "IO-DA-16", Err: errors.New("offset -1 is negative"),
	})
	var e *errclass.Error
	if errors.As(err, &e) {
		fmt.Println(e.Rank, e.Class.Name(), e.Rule)
	}
	fmt.Println(e)
	text, _ := json.Marshal(e)
	fmt.Println(string(text))
	// Output:
	// 2 MPI_ERR_ARG IO-DA-16
	// iofile: rank 2: WriteAt "grid": invalid argument: offset -1 is negative (IO-DA-16)
	// {"package":"iofile","call":"WriteAt","rank":2,"object":"grid","class":"MPI_ERR_ARG","rule":"IO-DA-16","cause":"offset -1 is negative","text":"iofile: rank 2: WriteAt \"grid\": invalid argument: offset -1 is negative (IO-DA-16)"}
}

// CodeOf is the number that a C program would get.
func ExampleCodeOf() {
	fmt.Println(errclass.CodeOf(nil), errclass.CodeOf(fmt.Errorf("open: %w", errclass.NoSuchFile)) == int(errclass.NoSuchFile), errclass.CodeOf(errors.New("else")) == int(errclass.Other))
	// Output: 0 true true
}

// A library adds a class of its own, with a code and its text.
func ExampleCodes() {
	var codes errclass.Codes
	class, err := codes.AddErrorClass()
	code, err2 := codes.AddErrorCode(class)
	err = errors.Join(err, err2, codes.AddErrorString(code, "the grid has no cells"))
	fmt.Println(err, code == codes.LastUsedCode())
	fmt.Println(codes.ErrorString(code))
	fmt.Println(errors.Is(codes.Error(code), class))
	// Output:
	// <nil> true
	// the grid has no cells <nil>
	// true
}

type file struct{ name string }

// A handler of a program sees each error before the call returns it.
func ExampleNewHandler() {
	h := errclass.NewHandler(func(f *file, err error) { fmt.Println(f.name, "failed:", err) })
	err := h.Raise(&file{"grid"}, errclass.IO, func(error) { fmt.Println("the world ends") })
	fmt.Println("returned:", err)
	// Output:
	// grid failed: input/output error
	// returned: input/output error
}

// A handler that returns an error replaces the call's error; nil keeps it.
func ExampleNewHandlerReturning() {
	h := errclass.NewHandlerReturning(func(f *file, err error) error { return fmt.Errorf("%s: %w", f.name, err) })
	fmt.Println(h.Raise(&file{"grid"}, errclass.IO, nil))
	// Output: grid: input/output error
}

// The standard's handlers: the error is returned, or ends the world.
func ExampleErrorsReturn() {
	end := func(cause error) { fmt.Println("the world ends:", cause) }
	for _, h := range []*errclass.Handler[*file]{errclass.ErrorsReturn[*file](), errclass.ErrorsAreFatal[*file](), errclass.ErrorsAbort[*file]()} {
		err := h.Raise(&file{"grid"}, errclass.IO, end)
		fmt.Println(h, errors.Is(err, errclass.IO))
	}
	// Output:
	// ErrorsReturn true
	// the world ends: input/output error; ErrorsAreFatal ends the world
	// ErrorsAreFatal true
	// the world ends: input/output error; ErrorsAbort ends the world
	// ErrorsAbort true
}

// A place names the line of a call, and the lines that led to it.
func ExamplePlace() {
	p := errclass.Place{File: "/src/tile.go", Line: 90, Caller: &errclass.Place{File: "/src/main.go", Line: 20}}
	fmt.Println(p)
	fmt.Println(p.Base(), p.IsZero())
	// Output:
	// tile.go:90 < main.go:20
	// tile.go:90 false
}
