package recording

import (
	"fmt"
	"strings"
)

// magic begins every file of a recording. Its last byte is the version.
const magic = "cwtrace\x01"

// The tags of records. A tag from shortCall on is the call of site tag - shortCall.
const (
	tagEnd      = 0x00 // nothing was written from here on: the rest of the file is zeros
	tagHead     = 0x01
	tagFunction = 0x02
	tagModule   = 0x03
	tagSite     = 0x04
	tagBlob     = 0x05
	tagCounting = 0x08 // a run whose number of calls, in 8 bytes, still grows
	tagPending  = 0x09 // a call that has not returned
	tagExit     = 0x0a // the process ended without MPI_Finalize
	tagNote     = 0x0b
	tagRun      = 0x0e // calls as predicted
	tagCall     = 0x0f
	shortCall   = 0x10
)

// Bounds of a recording, which a reader checks before it allocates memory.
const (
	maxFunctions = 1 << 10
	maxFields    = 24
	maxModules   = 1 << 12
	maxSites     = 1 << 16
	maxFrames    = 8
	maxText      = 1 << 16
	slots        = 1 << 12 // of blobs
	maxBlob      = 1 << 26
	maxNesting   = 64
)

// A Function is a function of MPI as a recording has it.
type Function struct {
	Name   string // without MPI_
	Fields string // a letter for each field of a call, see docs/traces.md
	Inputs int    // how many fields are known before the call returns
}

// parseFields splits the text of a function's fields: those before > are inputs.
func parseFields(name, text string) (Function, error) {
	in, out, ok := strings.Cut(text, ">")
	f := Function{Name: name, Fields: in + out, Inputs: len(in)}
	if name == "" || !ok || len(f.Fields) > maxFields || strings.Contains(out, ">") {
		return f, fmt.Errorf("function %q has the fields %q", name, text)
	}
	return f, nil
}

// A Frame is a return address: the number of a module and the address in its file. The module is
// -1 if the address is in none.
type Frame struct {
	Module  int
	Address uint64
}

// A site is a place of the program that calls one function. It predicts its next call.
type site struct {
	function int
	frames   []Frame
	args     []int64 // of the last call
	steps    []int64 // by which they differed from those of the call before
	next     int     // the site of the call that came after the last one; -1: none did
}

// A model predicts the next call from the calls so far. Reader and writer keep the same one, so
// a call that is as predicted needs no more than a number in a run.
type model struct {
	sites []*site
	last  int // the site of the last call; -1: there was none
}

func newModel() model { return model{last: -1} }

func (m *model) add(function, fields int, frames []Frame) {
	m.sites = append(m.sites, &site{function: function, frames: frames, args: make([]int64, fields), steps: make([]int64, fields), next: -1})
}

// next returns the predicted site, -1 if there is none.
func (m *model) next() int {
	if m.last < 0 {
		return -1
	}
	return m.sites[m.last].next
}

func (s *site) predicted(i int) int64 { return s.args[i] + s.steps[i] }

// made records a call.
func (m *model) made(number int, args []int64) {
	s := m.sites[number]
	for i, a := range args {
		s.steps[i], s.args[i] = a-s.args[i], a
	}
	if m.last >= 0 {
		m.sites[m.last].next = number
	}
	m.last = number
}

func zigzag(x int64) uint64   { return uint64(x)<<1 ^ uint64(x>>63) }
func unzigzag(x uint64) int64 { return int64(x>>1) ^ -int64(x&1) }
