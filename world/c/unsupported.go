//go:build !(linux && cgo && (amd64 || arm64))

package c

import (
	"context"
	"errors"

	"github.com/commworld/commworld/comm"
	"github.com/commworld/commworld/iofile"
)

// A Program is a C program, which cannot run on this machine.
type Program struct{ Options }

var errHere = errors.New("C programs run on Linux, amd64 or arm64, built with cgo (CGO_ENABLED=1 and a C compiler)")

// Open returns an error: C programs run on Linux, amd64 or arm64, with cgo.
func Open(string, ...string) (*Program, error) {
	return nil, errHere
}

// Command returns an error: C programs run on Linux, amd64 or arm64, with cgo.
func Command(string, ...string) (*Program, error) { return nil, errHere }

// InProcess returns true: another program does not run here either.
func InProcess(string) bool { return true }

// Library returns an error: C programs run on Linux, amd64 or arm64, with cgo.
func Library() (string, error) { return "", errHere }

// Start does nothing.
func (*Program) Start(int) error { return nil }

// supported returns false: no program runs here.
func supported(string) bool { return false }

// Rank returns an error.
func (*Program) Rank(context.Context, *comm.Comm) error {
	return errHere
}

// FS returns an error.
func (*Program) FS(string) (*iofile.FS, string, error) {
	return nil, "", errHere
}

// Again returns the program.
func (p *Program) Again() *Program { return p }

// LastCalls returns nil.
func (*Program) LastCalls() []LastCall { return nil }

// Notes returns nil.
func (*Program) Notes() []string { return nil }

// Failed returns nil.
func (*Program) Failed() []*FailedCall { return nil }

// PosixCalls returns nil.
func (*Program) PosixCalls() []*PosixCall { return nil }

// Explain does nothing.
func (*Program) Explain(error) {}

// Flush does nothing.
func (*Program) Flush() {}

// Close does nothing.
func (*Program) Close() error { return nil }
